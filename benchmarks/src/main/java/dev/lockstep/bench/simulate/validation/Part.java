package dev.lockstep.bench.simulate.validation;

import java.util.EnumSet;
import java.util.Set;

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
    SPEED,
    /** Two runs of TPC-C with one seed. */
    REPEAT_TPCC;

    /** Those that are run when none is named: without the one that takes as long as all others. */
    static Set<Part> usual() {
        return EnumSet.complementOf(EnumSet.of(REPEAT_TPCC));
    }

    /** Whether valgrind is needed. */
    boolean needsCachegrind() {
        return this == CACHEGRIND || this == JVM;
    }
}
