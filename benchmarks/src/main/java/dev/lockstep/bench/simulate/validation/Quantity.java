package dev.lockstep.bench.simulate.validation;

/** What a run counts. Misses are lines fetched, not accesses that missed. */
enum Quantity {
    /** Executed; one of a string or a restarted instruction, however often it is repeated. */
    INSTRUCTIONS("instructions"),
    /** Accesses of instructions to the memory that they read. */
    LOADS("loads"),
    /** Accesses of instructions to the memory that they write. */
    STORES("stores"),
    /** Lines that an L1-I did not hold. */
    L1I_MISSES("L1-I misses"),
    /** Lines that an L1-D did not hold. */
    L1D_MISSES("L1-D misses"),
    /** Lines that an L2 did not hold. */
    L2_MISSES("L2 misses"),
    /** Lines that the last level did not hold. */
    LAST_MISSES("LL misses"),
    /** Misses on lines that another core took, in whose lifetime something that it wrote was read. */
    TRUE_SHARING("true sharing"),
    /** Misses on lines that another core took, in whose lifetime nothing that it wrote was read. */
    FALSE_SHARING("false sharing"),
    /** Stores to lines that other cores had to give up, though the storing core held them. */
    UPGRADES("upgrades");

    private final String title;

    Quantity(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
