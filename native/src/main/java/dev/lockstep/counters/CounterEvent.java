package dev.lockstep.counters;

/** What a processor's counters count: occurrences in user mode on one thread. */
public enum CounterEvent {
    /** Instructions that were completed. */
    INSTRUCTIONS("instructions"),
    /** Cycles in which the processor ran the thread. */
    CYCLES("cycles"),
    /** Misses of the first-level instruction cache. */
    L1_INSTRUCTION_MISSES("L1-I misses"),
    /** Misses of the first-level data cache. */
    L1_DATA_MISSES("L1-D misses"),
    /** Misses of the second-level cache, by instructions and data. */
    L2_MISSES("L2 misses"),
    /** Misses of the last-level cache. */
    LAST_LEVEL_MISSES("last-level misses"),
    /** Translations of instruction addresses that the TLB did not hold. */
    INSTRUCTION_TLB_MISSES("ITLB misses"),
    /** Translations of data addresses that the TLB did not hold. */
    DATA_TLB_MISSES("DTLB misses"),
    /** Branches whose direction or target was predicted wrongly. */
    BRANCH_MISPREDICTIONS("branch mispredictions");

    private final String label;

    CounterEvent(String label) {
        this.label = label;
    }

    /** What it is called in tables, in the plural. */
    public String label() {
        return label;
    }

    /** How {@code lockstep_papi.h} numbers it. */
    int number() {
        return ordinal();
    }
}
