package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The misses of a team of ten by the geometry of the instruction cache: Figure 10 of the paper. */
final class GeometrySection {
    private static final int LINE_BYTES = 64;
    private static final int WAYS = 8;
    private static final int KILOBYTE = 1024;
    private static final int PLOTTED_MIN = 2;
    private static final double PERCENT = 100;
    private static final String RETRAINED = "retrained";

    private final TeamMissesReport report;
    private final int members;
    private final List<CacheShape> shapes;
    private final List<RetrainedMisses> retrained;

    /**
     * Puts them together.
     *
     * @param retrained teams of as many members at points that were searched for one geometry each; may be empty
     */
    GeometrySection(TeamMissesReport report, List<RetrainedMisses> retrained) {
        this.report = report;
        this.retrained = retrained;
        members = report.ten();
        shapes = report.caches().stream().map(CacheShape::parse).toList();
    }

    /** The table, and a plot of each capacity. */
    Section section() {
        return Section.of(
                        "L1-I misses of a round of " + members + ", by geometry (Figure 10)",
                        new Paragraph("All geometries observe the same run, caches warm. The code of each original is"
                                + " that of the first table; percent of its misses gone are given where that is larger"
                                + " than the cache, " + most() + " at most." + training()),
                        table())
                .with(plots());
    }

    /** What a team whose further members miss nothing has less than its original. */
    private String most() {
        return Figures.plain(100 * (members - 1.0) / members) + " %";
    }

    private String training() {
        return retrained.isEmpty()
                ? ""
                : " Points of inserted were trained once, those of " + RETRAINED + " for the cache of the row.";
    }

    /** Misses of the points that were searched for this cache, NaN where there are none. */
    private double retrained(int cache) {
        return retrained.stream()
                .filter(each -> each.cache().equals(report.caches().get(cache)))
                .mapToDouble(each -> TeamMissesReport.l1i(each.round(), cache))
                .findFirst()
                .orElse(Double.NaN);
    }

    private Table table() {
        List<FetchKind> teams = report.teams();
        List<String> headers = new ArrayList<>(List.of("L1-I", "capacity : code"));
        for (FetchKind kind : teams) {
            headers.add(TeamMissesSections.name(kind.original()) + ", misses");
            headers.add(TeamMissesSections.name(kind) + ", misses");
            headers.add(TeamMissesSections.name(kind) + ", % gone");
        }
        if (!retrained.isEmpty()) {
            headers.addAll(List.of(RETRAINED + ", misses", RETRAINED + ", % gone"));
        }
        Table.Builder table = Table.of(1, headers);
        List<Integer> order = IntStream.range(0, shapes.size())
                .boxed()
                .sorted(Comparator.comparing(
                        shapes::get,
                        Comparator.comparingLong(CacheShape::bytes)
                                .thenComparing(CacheShape::lineBytes)
                                .thenComparing(CacheShape::ways)))
                .toList();
        for (int cache : order) {
            double bytes = report.bytes(cache);
            List<String> row = new ArrayList<>(
                    List.of(report.caches().get(cache), Figures.plain(bytes / report.operationBytes())));
            for (FetchKind kind : teams) {
                double code = report.footprint(kind.original()).usualBytes();
                row.add(Figures.plain(report.l1i(kind.original(), members, false, cache)));
                row.add(Figures.plain(report.l1i(kind, members, false, cache)));
                row.add(TeamMissesSections.percent(report.reduction(kind, members, cache), bytes >= code));
            }
            if (!retrained.isEmpty()) {
                row.addAll(retrainedCells(cache));
            }
            table.row(row);
        }
        return table.build();
    }

    private List<String> retrainedCells(int cache) {
        double misses = retrained(cache);
        FetchKind original = FetchKind.INSERTED.original();
        double gone = PERCENT * (1 - misses / report.l1i(original, members, false, cache));
        boolean fits = report.bytes(cache) >= report.footprint(original).usualBytes();
        return List.of(Figures.plain(misses), TeamMissesSections.percent(gone, fits));
    }

    private List<Part> plots() {
        List<Part> plots = new ArrayList<>();
        List<Long> capacities =
                shapes.stream().map(CacheShape::bytes).distinct().sorted().toList();
        for (long bytes : capacities) {
            add(
                    plots,
                    bytes,
                    "ways",
                    "lines of " + LINE_BYTES + " bytes",
                    shape -> shape.lineBytes() == LINE_BYTES,
                    Comparator.comparingLong(CacheShape::ways));
            add(
                    plots,
                    bytes,
                    "line",
                    WAYS + " ways",
                    shape -> shape.ways() == WAYS,
                    Comparator.comparingInt(CacheShape::lineBytes));
        }
        return plots;
    }

    private void add(
            List<Part> plots,
            long bytes,
            String varied,
            String fixed,
            Predicate<CacheShape> shown,
            Comparator<CacheShape> order) {
        List<CacheShape> bars = shapes.stream()
                .filter(shape -> shape.bytes() == bytes)
                .filter(shown)
                .sorted(order)
                .toList();
        if (bars.size() < PLOTTED_MIN) {
            return;
        }
        List<Series> series = new ArrayList<>();
        for (FetchKind kind : report.kinds()) {
            series.add(series(TeamMissesSections.name(kind), bars, cache -> report.l1i(kind, members, false, cache)));
        }
        if (!retrained.isEmpty()) {
            series.add(series(RETRAINED, bars, this::retrained));
        }
        String capacity = bytes % KILOBYTE == 0 ? bytes / KILOBYTE + "k" : Long.toString(bytes);
        plots.add(new BarPlot(
                new PlotFrame(
                        "figure-10-" + capacity + "-" + varied,
                        "L1-I misses of a round of " + members + ", " + bytes + " bytes, " + fixed,
                        "Figure 10 of the paper, by SIZE,WAYS,LINE.",
                        "L1-I",
                        "misses",
                        false),
                false,
                bars.stream().map(CacheShape::text).toList(),
                series));
    }

    private Series series(String name, List<CacheShape> bars, IntToDoubleFunction misses) {
        return new Series(
                name,
                bars.stream()
                        .map(shape -> misses.applyAsDouble(shapes.indexOf(shape)))
                        .toList());
    }
}
