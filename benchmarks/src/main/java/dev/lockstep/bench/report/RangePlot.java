package dev.lockstep.bench.report;

import java.util.List;

/**
 * Bars for the medians of repeated measurements, each with a line from the least to the greatest. Immutable.
 *
 * @param frame its titles
 * @param bars in order, each with a name of its own
 */
public record RangePlot(PlotFrame frame, List<Bar> bars) implements Plot {
    /**
     * Copies the bars.
     *
     * @throws IllegalArgumentException if there are none, or the scale is logarithmic
     */
    public RangePlot {
        bars = List.copyOf(bars);
        frame.requireLinear();
        if (bars.isEmpty()) {
            throw new IllegalArgumentException("a plot has bars: name=" + frame.name());
        }
    }

    /**
     * One bar.
     *
     * @param name below it
     * @param low the least value
     * @param median the height of the bar
     * @param high the greatest value
     */
    public record Bar(String name, double low, double median, double high) {
        /**
         * Checks the order of the values.
         *
         * @throws IllegalArgumentException if they are out of order
         */
        public Bar {
            if (!(low <= median && median <= high)) {
                throw new IllegalArgumentException(
                        "values out of order: name=" + name + " low=" + low + " median=" + median + " high=" + high);
            }
        }

        /** Of measurements. */
        public static Bar of(String name, Spread spread) {
            return new Bar(name, spread.min(), spread.median(), spread.max());
        }
    }

    @Override
    public Table table() {
        Table.Builder table = Table.of(1, frame.xTitle(), "median", "min", "max");
        for (Bar bar : bars) {
            table.row(List.of(bar.name, Figures.plain(bar.median), Figures.plain(bar.low), Figures.plain(bar.high)));
        }
        return table.build();
    }
}
