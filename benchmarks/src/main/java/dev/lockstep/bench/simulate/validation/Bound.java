package dev.lockstep.bench.simulate.validation;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * How far a figure may lie from what it ought to be.
 *
 * @param kind in which direction it may not
 * @param relative part of what it ought to be, 0.01 being 1 %
 * @param absolute distance that is allowed in any case
 */
record Bound(Kind kind, double relative, double absolute) {
    private static final double PERCENT = 100;
    private static final MathContext THREE_DIGITS = new MathContext(3);

    /** In which direction a figure is bounded. */
    enum Kind {
        /** In both. */
        EQUAL,
        /** It may be larger. */
        AT_LEAST,
        /** It may be smaller. */
        AT_MOST
    }

    static Bound exact() {
        return new Bound(Kind.EQUAL, 0, 0);
    }

    static Bound within(double relative) {
        return new Bound(Kind.EQUAL, relative, 0);
    }

    /** Within a part of it, or, for small figures, within a distance. */
    static Bound within(double relative, double absolute) {
        return new Bound(Kind.EQUAL, relative, absolute);
    }

    static Bound atLeast() {
        return new Bound(Kind.AT_LEAST, 0, 0);
    }

    static Bound atMost() {
        return new Bound(Kind.AT_MOST, 0, 0);
    }

    boolean holds(double expected, double measured) {
        double allowed = Math.max(relative * Math.abs(expected), absolute);
        return switch (kind) {
            case EQUAL -> Math.abs(measured - expected) <= allowed;
            case AT_LEAST -> measured >= expected;
            case AT_MOST -> measured <= expected;
        };
    }

    /** For a reader. */
    String text() {
        return switch (kind) {
            case AT_LEAST -> "at least";
            case AT_MOST -> "at most";
            case EQUAL -> {
                if (relative == 0 && absolute == 0) {
                    yield "equal";
                }
                String distance = absolute == 0 ? "" : plain(absolute);
                String part = relative == 0 ? "" : plain(relative * PERCENT) + " %";
                yield part.isEmpty() || distance.isEmpty() ? part + distance : part + " or " + distance;
            }
        };
    }

    /** To three digits, without zeros that say nothing. */
    private static String plain(double value) {
        return new BigDecimal(value, THREE_DIGITS).stripTrailingZeros().toPlainString();
    }
}
