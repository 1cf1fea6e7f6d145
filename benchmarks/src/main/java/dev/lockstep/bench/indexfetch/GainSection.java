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
import java.util.List;
import java.util.Locale;

/**
 * How many times as fast as one by one teams are, by something that grows from point to point: a table of all kinds and
 * sizes of teams, and a plot for each kind. Immutable.
 */
final class GainSection {
    private final String axis;
    private final List<String> headers;
    private final String xTitle;
    private final List<Point> points;

    /**
     * One value of what grows.
     *
     * @param cells one for each header; the first is its name
     * @param times what was measured there, of the same kinds and sizes of teams at each point
     */
    record Point(List<String> cells, FetchTimesReport times) {
        Point {
            cells = List.copyOf(cells);
        }

        private String name() {
            return cells.getFirst();
        }
    }

    /**
     * Puts it together.
     *
     * @param axis what grows, as names of files have it
     * @param headers what is said of each point
     * @param xTitle the first of them with its unit
     * @param points in ascending order, at least one
     */
    GainSection(String axis, List<String> headers, String xTitle, List<Point> points) {
        this.axis = axis;
        this.headers = List.copyOf(headers);
        this.xTitle = xTitle;
        this.points = List.copyOf(points);
    }

    /** The table and the plots, after a paragraph on what grows and how. */
    Section section(String heading, String explanation) {
        List<LinePlot> plots = speedups(points.getFirst()).stream()
                .filter(each -> !each.control())
                .map(FetchTimesReport.Speedup::kind)
                .distinct()
                .map(this::plot)
                .toList();
        return Section.of(
                        heading,
                        new Paragraph(explanation),
                        new Paragraph(
                                "Time of one operation one by one over its time in a team of N, as many operations in"
                                    + " both, in the same repetition: median (least to greatest). What the control's"
                                    + " leave 1 by cannot be told from noise. One by one: of as many members as the"
                                    + " largest team has."),
                        table())
                .with(plots);
    }

    private static List<FetchTimesReport.Speedup> speedups(Point point) {
        return point.times().speedups();
    }

    private List<Integer> members() {
        return speedups(points.getFirst()).stream()
                .map(FetchTimesReport.Speedup::members)
                .distinct()
                .toList();
    }

    private Table table() {
        List<String> all = new ArrayList<>(List.of("one by one : team"));
        all.addAll(headers);
        all.add("one by one, ns");
        members().forEach(each -> all.add("N=" + each));
        Table.Builder table = Table.of(1, all);
        int largest = members().getLast();
        speedups(points.getFirst()).stream()
                .map(FetchTimesReport::title)
                .distinct()
                .forEach(title -> {
                    for (Point point : points) {
                        List<FetchTimesReport.Speedup> some = speedups(point).stream()
                                .filter(each -> FetchTimesReport.title(each).equals(title))
                                .toList();
                        List<String> row = new ArrayList<>(List.of(title));
                        row.addAll(point.cells());
                        row.add(Figures.plain(
                                point.times().nanos(some.getFirst().kind().original(), largest)));
                        some.forEach(each -> row.add(FetchTimesReport.text(each)));
                        table.row(row);
                    }
                });
        return table.build();
    }

    private LinePlot plot(FetchKind kind) {
        int largest = members().getLast();
        List<Series> lines = new ArrayList<>(members().stream()
                // One colour is the control's.
                .skip(Math.max(0, members().size() - (Series.COUNT_MAX - 1)))
                .map(each -> line("N=" + each, kind, false, each))
                .toList());
        lines.add(line("control, N=" + largest, control(), true, largest));
        return new LinePlot(
                new PlotFrame(
                        "gain-" + axis + "-" + Spelling.of(kind),
                        "One by one over a team, " + kind.name().toLowerCase(Locale.ROOT),
                        "Above 1 the team is faster; the control shows what noise alone does. Points are equally far"
                                + " from each other: where each is as many times the one before, the axis is"
                                + " logarithmic.",
                        xTitle,
                        "times as fast",
                        false),
                points.stream().map(Point::name).toList(),
                lines);
    }

    private FetchKind control() {
        return speedups(points.getFirst()).stream()
                .filter(FetchTimesReport.Speedup::control)
                .findFirst()
                .orElseThrow()
                .kind();
    }

    private Series line(String name, FetchKind kind, boolean control, int members) {
        return new Series(
                name,
                points.stream()
                        .map(point -> speedups(point).stream()
                                .filter(each ->
                                        each.kind() == kind && each.control() == control && each.members() == members)
                                .findFirst()
                                .orElseThrow()
                                .speedup())
                        .toList());
    }
}
