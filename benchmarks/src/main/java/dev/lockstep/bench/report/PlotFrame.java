package dev.lockstep.bench.report;

import java.util.regex.Pattern;

/**
 * What stands around the figures of a plot.
 *
 * @param name of its files, without extension: lower-case letters, digits and hyphens
 * @param title above it
 * @param explanation a sentence or two below it: what to look at
 * @param xTitle what the points or bars are, with their unit if they have one
 * @param yTitle what the figures are, with their unit
 * @param logarithmic whether the figures, of lines only, stand on a logarithmic scale; they are then greater than 0
 */
public record PlotFrame(
        String name, String title, String explanation, String xTitle, String yTitle, boolean logarithmic) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

    /**
     * Checks the name, which becomes that of files.
     *
     * @throws IllegalArgumentException if it has other characters
     */
    public PlotFrame {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a plot's name is lower-case letters, digits and hyphens: name='" + name + "'");
        }
    }

    /** Bars have heights that are compared, which a logarithmic scale would make a matter of where it begins. */
    void requireLinear() {
        if (logarithmic) {
            throw new IllegalArgumentException("bars need a linear scale: name=" + name + "; remedy: a plot of lines");
        }
    }
}
