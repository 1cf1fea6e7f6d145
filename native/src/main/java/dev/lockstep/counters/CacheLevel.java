package dev.lockstep.counters;

/** A cache of the processor. */
public enum CacheLevel {
    /** The first-level instruction cache. */
    L1_INSTRUCTION(0),
    /** The first-level data cache. */
    L1_DATA(1),
    /** The second-level cache. */
    L2(2),
    /** The third-level cache. */
    L3(3);

    /** How {@code lockstep_counters.h} numbers it. */
    final int number;

    CacheLevel(int number) {
        this.number = number;
    }
}
