package dev.lockstep.bench.report;

import java.util.List;

/**
 * Bars beside or on each other, a colour for each series: classes of misses, parts of a time. Immutable.
 *
 * @param frame its titles
 * @param stacked whether the values of a bar stand on each other, so that its height is their sum
 * @param bars names of the bars, or of the groups of bars, in order
 * @param series 1 to {@link Series#COUNT_MAX}; stacked ones from the bottom
 */
public record BarPlot(PlotFrame frame, boolean stacked, List<String> bars, List<Series> series) implements Plot {
    /**
     * Copies the bars and series.
     *
     * @throws IllegalArgumentException if a series has not one value for each bar, or the scale is logarithmic
     */
    public BarPlot {
        bars = List.copyOf(bars);
        series = Series.check(bars, series);
        frame.requireLinear();
    }

    @Override
    public Table table() {
        return Series.table(frame.xTitle(), bars, series);
    }
}
