package dev.lockstep.bench.report;

/**
 * Words.
 *
 * @param text plain text of one line, without a line's end
 */
public record Paragraph(String text) implements Part {}
