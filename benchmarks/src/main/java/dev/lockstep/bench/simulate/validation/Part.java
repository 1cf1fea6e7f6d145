package dev.lockstep.bench.simulate.validation;

/** A part of a validation, with a table of its own. */
public enum Part {
    /** Counts of one thread computed by hand. */
    HAND,
    /** Misses by sharing computed by hand. */
    SHARING,
    /** Whether simulated cores keep step. */
    PACE,
    /** Ordinary C programs beside cachegrind. */
    CACHEGRIND,
    /** Two runs with one seed. */
    REPEAT,
    /** A JVM beside cachegrind. */
    JVM,
    /** Instructions a second. */
    SPEED;

    /** Whether valgrind is needed. */
    boolean needsCachegrind() {
        return this == CACHEGRIND || this == JVM;
    }
}
