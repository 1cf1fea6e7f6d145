package dev.lockstep.bench.report;

/** A picture of figures, drawn as SVG and as PNG. */
public sealed interface Plot extends Part permits LinePlot, BarPlot, RangePlot, PointPlot {
    /** Its name, titles and axes. */
    PlotFrame frame();

    /** The figures that it shows. */
    Table table();
}
