package dev.lockstep.bench.tpcc;

import java.util.Optional;

/** How large Lockstep's buffer pool is for a number of warehouses, unless the user says. */
public final class PoolSize {
    private static final long BYTES_PER_WAREHOUSE = 160L << 20;
    private static final long BYTES_FOR_GROWTH = 1L << 30;

    private static final int MIB_SHIFT = 20;

    private PoolSize() {}

    /**
     * Room for the loaded rows and for what a run of a minute adds to them, within half of the memory.
     *
     * @param memoryBytes of the machine, or less than 1 if unknown
     */
    static long byDefault(int warehouses, long memoryBytes) {
        long wanted = BYTES_FOR_GROWTH + warehouses * BYTES_PER_WAREHOUSE;
        return memoryBytes <= 0 ? wanted : Math.min(wanted, memoryBytes / 2);
    }

    /**
     * Says why the rows of so many warehouses do not stay in the pool by default, if they do not.
     *
     * @param shrink one part of which each warehouse has
     * @param memoryBytes of the machine, or less than 1 if unknown
     */
    public static Optional<String> obstacle(int warehouses, int shrink, long memoryBytes) {
        long rowBytes = warehouses * BYTES_PER_WAREHOUSE / shrink;
        return rowBytes <= byDefault(warehouses, memoryBytes)
                ? Optional.empty()
                : Optional.of("too little memory: the rows of " + warehouses + " warehouses take "
                        + (rowBytes >> MIB_SHIFT) + " MB, and the buffer pool gets half of the memory, "
                        + (memoryBytes >> MIB_SHIFT) / 2 + " MB.");
    }
}
