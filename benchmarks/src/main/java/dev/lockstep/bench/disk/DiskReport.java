package dev.lockstep.bench.disk;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.RangePlot;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Raw forces a second, and durable commits of TPC-C. Immutable.
 *
 * @param rawForcesPerSecond one for each repetition
 * @param uncachedWrites whether what was forced raw had gone past the cache of the operating system, as the log does
 * @param runs all of them, one for each repetition and number of terminals
 */
record DiskReport(List<Double> rawForcesPerSecond, boolean uncachedWrites, List<DiskRun> runs) {
    DiskReport {
        rawForcesPerSecond = List.copyOf(rawForcesPerSecond);
        runs = List.copyOf(runs);
    }

    private Spread raw() {
        return Spread.of(rawForcesPerSecond);
    }

    private static Spread spread(List<DiskRun> some, ToDoubleFunction<DiskRun> what) {
        return Spread.of(some.stream().mapToDouble(what));
    }

    private Map<Integer, List<DiskRun>> byTerminals() {
        return runs.stream()
                .collect(Collectors.groupingBy(DiskRun::terminals, LinkedHashMap::new, Collectors.toList()));
    }

    /** All figures in tables. */
    Section section() {
        Spread raw = raw();
        Table.Builder disk = Table.of(1, "raw", "forces/s, median", "min", "max");
        disk.row(List.of(
                "write 4 KiB, force", Figures.plain(raw.median()), Figures.plain(raw.min()), Figures.plain(raw.max())));
        Table.Builder table = Table.of(
                1,
                "TPC-C, sync, terminals",
                "commits/s, median",
                "min",
                "max",
                "forces/s",
                "commits/force",
                "commits : raw forces",
                "forces : raw forces");
        byTerminals().forEach((terminals, each) -> {
            Spread commits = spread(each, DiskRun::commitsPerSecond);
            double forces = spread(each, DiskRun::forcesPerSecond).median();
            table.row(List.of(
                    Integer.toString(terminals),
                    Figures.plain(commits.median()),
                    Figures.plain(commits.min()),
                    Figures.plain(commits.max()),
                    Figures.plain(forces),
                    Figures.plain(spread(each, DiskRun::commitsPerForce).median()),
                    Figures.plain(commits.median() / raw.median()),
                    Figures.plain(forces / raw.median())));
        });
        return Section.of(
                "Durable commits beside the raw rate of this disk",
                new Paragraph("Raw: one thread, a preallocated file, each block written as the log writes, "
                        + (uncachedWrites
                                ? "past the cache of the operating system,"
                                : "through the cache of the operating system, which lets nobody past it here,")
                        + " and forced. Without group commit there could be no more commits a second that change rows"
                        + " than raw forces."),
                new Paragraph("Commits/s have those of Order-Status and Stock-Level among them, which change no row"
                    + " and have nothing to force; commits/force have not, and are less than commits/s by forces/s by"
                    + " that part."),
                disk.build(),
                table.build());
    }

    /** Commits a second by terminals, beside raw forces. */
    RangePlot plot() {
        List<RangePlot.Bar> bars = new ArrayList<>();
        bars.add(RangePlot.Bar.of("raw forces", raw()));
        byTerminals()
                .forEach((terminals, each) ->
                        bars.add(RangePlot.Bar.of(terminals + " terminals", spread(each, DiskRun::commitsPerSecond))));
        return new RangePlot(
                new PlotFrame(
                        "disk",
                        "Durable commits and raw forces",
                        "Each commit is on disk when it is answered; those that come together share a force.",
                        "",
                        "a second",
                        false),
                bars);
    }
}
