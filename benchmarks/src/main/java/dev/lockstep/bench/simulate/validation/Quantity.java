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
    UPGRADES("upgrades"),
    /** Of the simulated clock: one for an instruction, and the latency of each miss. */
    CYCLES("cycles"),
    /** Pages of data that the first-level translation buffer did not hold. */
    DTLB_MISSES("DTLB misses"),
    /** Pages of code that the first-level translation buffer did not hold. */
    ITLB_MISSES("ITLB misses"),
    /** Pages that the second-level translation buffer did not hold. */
    STLB_MISSES("STLB misses"),
    /** Entries of page tables that were read to translate an address. */
    WALK_READS("page-table reads"),
    /** Lines from the memory of the node that asked. */
    MEMORY_LOCAL("from local memory"),
    /** Lines from the memory of another node. */
    MEMORY_REMOTE("from remote memory"),
    /** Lines from caches of another node that had modified them. */
    TRANSFERS_REMOTE("from remote caches"),
    /** Modified lines that left an L1-D, or stores that one which writes through sent on. */
    L1D_WRITES("L1-D writes outwards"),
    /** Lines that a prefetcher brought into any cache. */
    PREFETCHES("prefetches"),
    /** Prefetched lines that were asked for. */
    PREFETCHES_USEFUL("useful prefetches");

    private final String title;

    Quantity(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
