package dev.lockstep.bench.report;

import java.util.List;

/**
 * Lines over points that are equally far from each other, such as capacities that double. Immutable.
 *
 * @param frame its titles
 * @param points in order, each with a name of its own
 * @param lines 1 to {@link Series#COUNT_MAX}
 */
public record LinePlot(PlotFrame frame, List<String> points, List<Series> lines) implements Plot {
    /**
     * Copies the points and lines.
     *
     * @throws IllegalArgumentException if a line has not one value for each point
     */
    public LinePlot {
        points = List.copyOf(points);
        lines = Series.check(points, lines);
    }

    @Override
    public Table table() {
        return Series.table(frame.xTitle(), points, lines);
    }
}
