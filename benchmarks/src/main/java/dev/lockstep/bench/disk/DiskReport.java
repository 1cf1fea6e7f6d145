package dev.lockstep.bench.disk;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.RangePlot;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Raw forces a second, and durable commits of TPC-C. Immutable.
 *
 * @param rawForcesPerSecond one for each repetition
 * @param runs all of them, one for each repetition and number of terminals
 */
record DiskReport(List<Double> rawForcesPerSecond, List<DiskRun> runs) {
    DiskReport {
        rawForcesPerSecond = List.copyOf(rawForcesPerSecond);
        runs = List.copyOf(runs);
    }

    /** The figure in the middle, of two the lower. */
    static double median(double[] sorted) {
        return sorted[(sorted.length - 1) / 2];
    }

    private double[] raw() {
        return sorted(rawForcesPerSecond, Double::doubleValue);
    }

    private static <T> double[] sorted(List<T> from, ToDoubleFunction<T> what) {
        double[] values = from.stream().mapToDouble(what).toArray();
        Arrays.sort(values);
        return values;
    }

    private Map<Integer, List<DiskRun>> byTerminals() {
        return runs.stream()
                .collect(Collectors.groupingBy(DiskRun::terminals, LinkedHashMap::new, Collectors.toList()));
    }

    /** All figures in tables. */
    Section section() {
        double[] raw = raw();
        Table.Builder disk = Table.of(1, "raw", "forces/s, median", "min", "max");
        disk.row(List.of(
                "write 4 KiB, force",
                Figures.plain(median(raw)),
                Figures.plain(raw[0]),
                Figures.plain(raw[raw.length - 1])));
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
            double[] commits = sorted(each, DiskRun::commitsPerSecond);
            double forces = median(sorted(each, DiskRun::forcesPerSecond));
            table.row(List.of(
                    Integer.toString(terminals),
                    Figures.plain(median(commits)),
                    Figures.plain(commits[0]),
                    Figures.plain(commits[commits.length - 1]),
                    Figures.plain(forces),
                    Figures.plain(median(sorted(each, DiskRun::commitsPerForce))),
                    Figures.plain(median(commits) / median(raw)),
                    Figures.plain(forces / median(raw))));
        });
        return Section.of(
                "Durable commits beside the raw rate of this disk",
                new Paragraph(
                        "Raw: one thread, a preallocated file, each block forced. Without group commit there could"
                                + " be no more commits a second than raw forces."),
                disk.build(),
                table.build());
    }

    /** Commits a second by terminals, beside raw forces. */
    RangePlot plot() {
        List<RangePlot.Bar> bars = new ArrayList<>();
        double[] raw = raw();
        bars.add(new RangePlot.Bar("raw forces", raw[0], median(raw), raw[raw.length - 1]));
        byTerminals().forEach((terminals, each) -> {
            double[] commits = sorted(each, DiskRun::commitsPerSecond);
            bars.add(new RangePlot.Bar(
                    terminals + " terminals", commits[0], median(commits), commits[commits.length - 1]));
        });
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
