package dev.lockstep.bench.report;

import java.util.Locale;

/** Figures as people read them. */
public final class Figures {
    private static final double PLAIN_MIN = 1e-3;
    private static final double ONE_DIGIT_MIN = 10;
    private static final double NO_DIGITS_MIN = 100;

    private Figures() {}

    /** A figure with about three digits that matter, thousands separated; {@code -} for NaN. */
    public static String plain(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "-";
        }
        if (value == Math.rint(value) || size >= NO_DIGITS_MIN) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (size >= ONE_DIGIT_MIN) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        if (size >= 1) {
            return String.format(Locale.ROOT, "%.2f", value);
        }
        return String.format(Locale.ROOT, size >= PLAIN_MIN ? "%.4f" : "%.2e", value);
    }
}
