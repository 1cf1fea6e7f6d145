package dev.lockstep.bench.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * How all plots look. The colours are those of M. Okabe and K. Ito, Color Universal Design, 2008, which people with any
 * kind of colour vision tell apart, yellow last as it is faint on white; lines differ by marker and dash as well.
 */
final class PlotStyle {
    private static final Color[] COLORS = {
        new Color(0x0072B2),
        new Color(0xE69F00),
        new Color(0x009E73),
        new Color(0xCC79A7),
        new Color(0x56B4E9),
        new Color(0xD55E00),
        new Color(0x4D4D4D),
        new Color(0xF0E442)
    };

    private static final Marker[] MARKERS = {
        SeriesMarkers.CIRCLE,
        SeriesMarkers.DIAMOND,
        SeriesMarkers.SQUARE,
        SeriesMarkers.TRIANGLE_UP,
        SeriesMarkers.TRIANGLE_DOWN,
        SeriesMarkers.CROSS,
        SeriesMarkers.RECTANGLE,
        SeriesMarkers.OVAL
    };

    /** Those that leave to be seen what lies below them: a cross on a disc. */
    private static final Marker[] LAID_MARKERS = {
        SeriesMarkers.CIRCLE, SeriesMarkers.CROSS, SeriesMarkers.PLUS, SeriesMarkers.TRIANGLE_UP
    };

    /** Of a plot of points, whose marks are all there is to see. */
    private static final int LAID_MARKER_PIXELS = 11;

    private static final float LINE_PIXELS = 2.2F;
    private static final float[][] DASHES = {{1, 0}, {9, 5}, {3, 4}, {12, 4, 3, 4}};

    private static final Color TEXT = new Color(0x222222);
    private static final Color AXIS = new Color(0x888888);
    private static final Color GRID = new Color(0xE4E4E4);

    private static final int TITLE_POINTS = 17;
    private static final int AXIS_TITLE_POINTS = 14;
    private static final int LEGEND_POINTS = 13;
    private static final int TICK_POINTS = 12;
    private static final int MARKER_PIXELS = 8;
    private static final int PADDING_PIXELS = 10;

    /** Room between the tallest bar and the title. */
    private static final double HEADROOM = 1.06;

    /** With nothing at all left free, the library leaves out the label of the 0. */
    private static final double CONTENT_PART = 0.98;

    private static final double BAR_PART = 0.65;

    /** Names that take more letters than this, all together, would run into each other. */
    private static final int LEVEL_LETTERS_MAX = 90;

    /** Longer names would take half of the picture. */
    private static final int NAME_LETTERS_MAX = 34;

    /** So steep that many stand beside each other, and that none begins left of the picture, which leaves it out. */
    private static final int SLANT_DEGREES = 60;

    private PlotStyle() {}

    /** The chart of a plot, ready to paint. */
    static CategoryChart chart(Plot plot) {
        CategoryChart chart = empty(plot.frame());
        switch (plot) {
            case LinePlot lines -> lines(chart, lines);
            case BarPlot bars -> bars(chart, bars);
            case RangePlot ranges -> ranges(chart, ranges);
            case PointPlot points -> points(chart, points);
        }
        return chart;
    }

    private static CategoryChart empty(PlotFrame frame) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(PlotPainter.WIDTH_PIXELS)
                .height(PlotPainter.HEIGHT_PIXELS)
                .title(frame.title())
                .xAxisTitle(frame.xTitle())
                .yAxisTitle(frame.yTitle())
                .build();
        CategoryStyler style = chart.getStyler();
        style.setChartBackgroundColor(Color.WHITE)
                .setPlotBackgroundColor(Color.WHITE)
                .setPlotBorderVisible(false)
                .setChartFontColor(TEXT)
                .setChartPadding(PADDING_PIXELS)
                .setChartTitleBoxVisible(false)
                .setChartTitleFont(font(Font.BOLD, TITLE_POINTS))
                .setSeriesColors(COLORS)
                .setSeriesMarkers(MARKERS)
                .setMarkerSize(MARKER_PIXELS)
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setLegendBorderColor(Color.WHITE)
                .setLegendFont(font(Font.PLAIN, LEGEND_POINTS));
        style.setAxisTitleFont(font(Font.PLAIN, AXIS_TITLE_POINTS))
                .setAxisTickLabelsFont(font(Font.PLAIN, TICK_POINTS))
                .setAxisTickMarksColor(AXIS)
                .setPlotGridVerticalLinesVisible(false)
                .setPlotGridLinesColor(GRID)
                .setPlotGridLinesStroke(new BasicStroke(1))
                .setLocale(Locale.ROOT)
                .setYAxisLabelAlignment(AxesChartStyler.TextAlignment.Right)
                .setYAxisDecimalPattern("#,##0.####")
                .setYAxisLogarithmic(frame.logarithmic())
                .setYAxisLogarithmicDecadeOnly(true);
        return chart;
    }

    private static Font font(int style, int points) {
        return new Font(Font.SANS_SERIF, style, points);
    }

    private static void lines(CategoryChart chart, LinePlot plot) {
        CategoryStyler style = chart.getStyler();
        style.setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line);
        style.setOverlapped(true);
        slantIfLong(style, plot.points());
        int number = 0;
        double high = 0;
        for (Series line : plot.lines()) {
            CategorySeries series = chart.addSeries(line.name(), readable(plot.points()), present(line.values()));
            series.setLineStyle(new BasicStroke(
                    LINE_PIXELS,
                    BasicStroke.CAP_BUTT,
                    BasicStroke.JOIN_ROUND,
                    LINE_PIXELS,
                    DASHES[number++ % DASHES.length],
                    0));
            high = Math.max(high, highest(line.values()));
        }
        if (!plot.frame().logarithmic()) {
            fromZero(style, high);
        }
    }

    private static void bars(CategoryChart chart, BarPlot plot) {
        CategoryStyler style = chart.getStyler();
        style.setStacked(plot.stacked());
        style.setAvailableSpaceFill(BAR_PART);
        style.setLegendVisible(plot.series().size() > 1);
        slantIfLong(style, plot.bars());
        double high = 0;
        for (int bar = 0; bar < plot.bars().size(); bar++) {
            double sum = 0;
            for (Series series : plot.series()) {
                double value = series.values().get(bar);
                if (!Double.isNaN(value)) {
                    sum = plot.stacked() ? sum + value : Math.max(sum, value);
                }
            }
            high = Math.max(high, sum);
        }
        for (Series series : plot.series()) {
            chart.addSeries(series.name(), readable(plot.bars()), present(series.values()));
        }
        fromZero(style, high);
    }

    private static void points(CategoryChart chart, PointPlot plot) {
        CategoryStyler style = chart.getStyler();
        style.setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
        style.setOverlapped(true);
        style.setMarkerSize(LAID_MARKER_PIXELS);
        style.setLegendVisible(plot.series().size() > 1);
        slantIfLong(style, plot.points());
        int number = 0;
        double high = 0;
        for (Series series : plot.series()) {
            chart.addSeries(series.name(), readable(plot.points()), present(series.values()))
                    .setMarker(LAID_MARKERS[number++ % LAID_MARKERS.length]);
            high = Math.max(high, highest(series.values()));
        }
        if (!plot.frame().logarithmic()) {
            fromZero(style, high);
        }
    }

    private static void ranges(CategoryChart chart, RangePlot plot) {
        CategoryStyler style = chart.getStyler();
        style.setAvailableSpaceFill(BAR_PART);
        style.setOverlapped(true);
        style.setLegendVisible(false);
        List<String> names =
                readable(plot.bars().stream().map(RangePlot.Bar::name).toList());
        slantIfLong(style, names);
        chart.addSeries(
                "median", names, plot.bars().stream().map(RangePlot.Bar::median).toList());
        // The library's error bars reach equally far up and down; so theirs stand about the middle of the range.
        CategorySeries ranges = chart.addSeries(
                "range",
                names,
                plot.bars().stream().map(bar -> (bar.low() + bar.high()) / 2).toList(),
                plot.bars().stream().map(bar -> (bar.high() - bar.low()) / 2).toList());
        ranges.setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
        ranges.setMarker(SeriesMarkers.NONE);
        style.setErrorBarsColor(TEXT);
        fromZero(
                style,
                plot.bars().stream().mapToDouble(RangePlot.Bar::high).max().orElse(0));
    }

    /** Heights that are compared by eye begin at 0. */
    private static void fromZero(CategoryStyler style, double high) {
        if (high > 0) {
            style.setYAxisMin(0.0);
            style.setYAxisMax(high * HEADROOM);
            style.setPlotContentSize(CONTENT_PART);
        }
    }

    private static double highest(List<Double> values) {
        return values.stream()
                .filter(value -> !value.isNaN())
                .mapToDouble(v -> v)
                .max()
                .orElse(0);
    }

    /** The library leaves out what is {@code null}. */
    private static List<Double> present(List<Double> values) {
        List<Double> present = new ArrayList<>();
        values.forEach(value -> present.add(value.isNaN() ? null : value));
        return present;
    }

    /** Names that leave room for the plot; whole where they would be the same shortened. */
    private static List<String> readable(List<String> names) {
        List<String> readable = names.stream()
                .map(name -> name.length() > NAME_LETTERS_MAX ? name.substring(0, NAME_LETTERS_MAX - 1) + "…" : name)
                .toList();
        return Set.copyOf(readable).size() == names.size() ? readable : names;
    }

    private static void slantIfLong(CategoryStyler style, List<String> names) {
        if (names.stream().mapToInt(String::length).sum() > LEVEL_LETTERS_MAX) {
            style.setXAxisLabelRotation(SLANT_DEGREES);
            // A name ends at its tick.
            style.setXAxisLabelAlignment(AxesChartStyler.TextAlignment.Right);
            style.setXAxisLabelAlignmentVertical(AxesChartStyler.TextAlignment.Right);
        }
    }
}
