package dev.lockstep.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes a report into a directory: {@code report.html}, one page that needs nothing else, and each plot as
 * {@code plots/NAME.svg} and {@code plots/NAME.png}. Thread-safe.
 */
public final class ReportWriter {
    /** The page's name. */
    public static final String PAGE = "report.html";

    /** The directory of the plots in that of the report. */
    public static final String PLOTS = "plots";

    private static final String HEADLESS = "java.awt.headless";

    private ReportWriter() {}

    /**
     * Writes the page and the plots, over those of an earlier report.
     *
     * @param directory made if need be
     * @return why there are no pictures, in which case the page shows their figures as tables; empty if there are
     * @throws IOException if a file cannot be written
     * @throws IllegalArgumentException if two plots have the same name
     */
    public static Optional<String> write(Path directory, Report report) throws IOException {
        if (System.getProperty(HEADLESS) == null) {
            // Drawing into files needs no display, and must not look for one.
            System.setProperty(HEADLESS, "true");
        }
        Files.createDirectories(directory);
        String obstacle = report.plots().isEmpty() ? "" : PlotPainter.obstacle();
        Map<String, String> pictures = new LinkedHashMap<>();
        Report written = report;
        if (obstacle.isEmpty()) {
            for (Plot plot : report.plots()) {
                if (pictures.put(plot.frame().name(), plot(directory.resolve(PLOTS), plot, report.origin())) != null) {
                    throw new IllegalArgumentException(
                            "two plots have the same name: name=" + plot.frame().name());
                }
            }
        } else {
            Section missing = Section.of(
                    "Plots are missing", new Paragraph("Their figures stand as tables, because " + obstacle + "."));
            written = new Report(
                    report.title(),
                    report.summary(),
                    report.ok(),
                    report.origin(),
                    report.configuration(),
                    Stream.concat(Stream.of(missing), report.sections().stream())
                            .toList());
        }
        WholeFile.write(directory.resolve(PAGE), new ReportPage(written, pictures).html());
        return obstacle.isEmpty() ? Optional.empty() : Optional.of(obstacle);
    }

    /** Writes the files of a plot; returns its SVG. */
    private static String plot(Path plots, Plot plot, Origin origin) throws IOException {
        Files.createDirectories(plots);
        String svg = PlotPainter.svg(plot, origin);
        Files.writeString(plots.resolve(plot.frame().name() + ".svg"), svg);
        Files.write(plots.resolve(plot.frame().name() + ".png"), PlotPainter.png(plot, origin));
        return svg;
    }
}
