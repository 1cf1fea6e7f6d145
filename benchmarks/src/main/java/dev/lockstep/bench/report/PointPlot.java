package dev.lockstep.bench.report;

import java.util.List;

/**
 * Marks without lines between them, over things that have no order: what was counted beside what was to be. A mark of a
 * later series lies on that of an earlier one, and leaves it to be seen. Immutable.
 *
 * @param frame its titles
 * @param points in order, each with a name of its own
 * @param series 1 to {@link Series#COUNT_MAX}
 */
public record PointPlot(PlotFrame frame, List<String> points, List<Series> series) implements Plot {
    /**
     * Copies the points and series.
     *
     * @throws IllegalArgumentException if a series has not one value for each point, or one that a logarithmic scale
     *     does not have
     */
    public PointPlot {
        points = List.copyOf(points);
        series = Series.check(points, series);
        if (frame.logarithmic()
                && series.stream().flatMap(each -> each.values().stream()).anyMatch(value -> value <= 0)) {
            throw new IllegalArgumentException("a logarithmic scale has figures above 0 only: name=" + frame.name()
                    + "; remedy: NaN for those that are not, or a linear scale");
        }
    }

    @Override
    public Table table() {
        return Series.table(frame.xTitle(), points, series);
    }
}
