package dev.lockstep.bench.restart;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * All points of the curve, database by database, each with the same lengths of log. Immutable.
 *
 * @param points in order
 */
record RestartPoints(List<RestartPoint> points) {
    private static final double BYTES_PER_MEBI = 1 << 20;

    RestartPoints {
        points = List.copyOf(points);
    }

    private static String mebi(long bytes) {
        return String.format(Locale.ROOT, "%,.0f", bytes / BYTES_PER_MEBI);
    }

    /** The curve as a section. */
    Section section() {
        Table.Builder table = Table.of(
                1,
                "warehouses",
                "pages MiB",
                "log since the checkpoint MiB",
                "seconds to open, median",
                "min",
                "max",
                "log MiB/s",
                "pages read");
        for (RestartPoint point : points) {
            table.row(List.of(
                    Integer.toString(point.warehouses()),
                    mebi(point.pageBytes()),
                    mebi(point.logBytes()),
                    Figures.plain(point.secondsMedian()),
                    Figures.plain(point.secondsMin()),
                    Figures.plain(point.secondsMax()),
                    Figures.plain(point.logBytes() / BYTES_PER_MEBI / point.secondsMedian()),
                    String.format(Locale.ROOT, "%,d", point.pagesRead())));
        }
        return Section.of(
                "Time to open a database whose process was killed",
                new Paragraph("What a killed process has written is still in the system's memory: reading it is as fast"
                        + " as that. Each copy is forced before it is opened, as the process had forced it. The time"
                        + " lasts until the first transaction can begin."),
                table.build());
    }

    /** The curve as a picture: a line for each size of the database. */
    LinePlot plot() {
        List<Integer> sizes =
                points.stream().map(RestartPoint::warehouses).distinct().toList();
        List<RestartPoint> first = of(sizes.getFirst());
        List<String> names =
                first.stream().map(point -> mebi(point.logBytes()) + " MiB").toList();
        List<Series> lines = new ArrayList<>();
        for (int size : sizes) {
            lines.add(new Series(
                    size + (size == 1 ? " warehouse" : " warehouses"),
                    of(size).stream().map(RestartPoint::secondsMedian).toList()));
        }
        return new LinePlot(
                new PlotFrame(
                        "restart",
                        "Time to open after a kill",
                        "Recovery follows the log since the last checkpoint, not the size of the database: lines of"
                                + " different databases lie close to each other.",
                        "log since the last checkpoint (about)",
                        "seconds, median",
                        false),
                names,
                lines);
    }

    private List<RestartPoint> of(int warehouses) {
        return points.stream().filter(point -> point.warehouses() == warehouses).toList();
    }
}
