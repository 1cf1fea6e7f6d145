package dev.lockstep.bench.report;

/**
 * An HTML page inside the page, such as a flame graph; it lies beside it as a file as well.
 *
 * @param title what it shows
 * @param file its name in the directory of the report
 * @param html the whole page, which refers to nothing else
 */
public record EmbeddedPage(String title, String file, String html) implements Part {}
