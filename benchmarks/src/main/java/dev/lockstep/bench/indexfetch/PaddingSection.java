package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The misses of a team of ten by the code of a switch: Figure 8 of the paper. */
final class PaddingSection {
    private static final double PERCENT = 100;

    private final TeamMissesReport report;
    private final List<PaddedMisses> padded;
    private final List<Integer> caches;

    /** Without a switch to put code into, or without a team: the original first. */
    private final List<FetchKind> others;

    private final int members;

    /**
     * Puts them together.
     *
     * @param report that has continuations and their original
     * @param padded teams as large as the largest of up to ten
     * @param caches which of the report's are told
     */
    PaddingSection(TeamMissesReport report, List<PaddedMisses> padded, List<Integer> caches) {
        this.report = report;
        this.caches = caches;
        members = report.ten();
        others = Stream.concat(
                        Stream.of(FetchKind.SERIAL),
                        report.kinds().stream()
                                .filter(kind -> kind == FetchKind.STAGED || kind == FetchKind.STAGED.original()))
                .toList();
        PaddedMisses plain = new PaddedMisses(0, 0, report.of(FetchKind.CONTINUATION, members, false));
        this.padded = Stream.concat(Stream.of(plain), padded.stream())
                .sorted(Comparator.comparingInt(PaddedMisses::paddingBytes))
                .toList();
    }

    /** The table and the plot. */
    Section section() {
        List<String> headers = new ArrayList<>(List.of("code beside the switch's own, bytes", "executed, bytes"));
        caches.forEach(cache -> headers.add(report.caches().get(cache)));
        Table.Builder table = Table.of(1, headers);
        for (PaddedMisses each : padded) {
            List<String> row = new ArrayList<>(
                    List.of(Figures.plain(each.paddingBytes()), Figures.plain((double) each.executedBytes())));
            caches.forEach(cache -> row.add(text(TeamMissesReport.l1i(each.round(), cache), cache)));
            table.row(row);
        }
        for (FetchKind kind : others) {
            List<String> row = new ArrayList<>(List.of(Spelling.of(kind), "-"));
            caches.forEach(cache -> row.add(Figures.plain(misses(kind, cache))));
            table.row(row);
        }
        return Section.of(
                "L1-I misses of a round of " + members + ", by the code of a switch (Figure 8)",
                new Paragraph("Continuations, caches warm; in brackets the percent gone of what serial misses, where"
                        + " its code is larger than the cache. A staged team has no switch, and so one row, below its"
                        + " original's. Executed: distinct bytes of the straight code that were"
                        + " executed in these rounds, by the code map. The paper's own switch has 76 bytes; with 25"
                        + " times that it loses next to nothing."),
                table.build(),
                plot());
    }

    private double misses(FetchKind kind, int cache) {
        return report.l1i(kind, members, false, cache);
    }

    private String text(double misses, int cache) {
        boolean fits = report.bytes(cache) >= report.footprint(FetchKind.SERIAL).usualBytes();
        String gone = TeamMissesSections.percent(PERCENT * (1 - misses / misses(FetchKind.SERIAL, cache)), fits);
        return Figures.plain(misses) + (fits ? "" : " (" + gone + " %)");
    }

    private LinePlot plot() {
        List<String> points = new ArrayList<>(padded.stream()
                .map(each -> Integer.toString(each.paddingBytes()))
                .toList());
        others.forEach(kind -> points.add(Spelling.of(kind)));
        List<Series> lines = caches.stream()
                .limit(Series.COUNT_MAX)
                .map(cache -> new Series(
                        report.caches().get(cache),
                        Stream.concat(
                                        padded.stream().map(each -> TeamMissesReport.l1i(each.round(), cache)),
                                        others.stream().map(kind -> misses(kind, cache)))
                                .toList()))
                .toList();
        return new LinePlot(
                new PlotFrame(
                        "figure-8",
                        "L1-I misses of a round of " + members + ", by the code of a switch",
                        "Figure 8 of the paper; the last points are the original, serial, and where they were run"
                                + " staged teams, which have no switch, with theirs.",
                        "bytes beside the switch's own",
                        "misses",
                        false),
                points,
                lines);
    }
}
