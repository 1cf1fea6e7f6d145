package dev.lockstep.engine.btree;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.latch.LatchTable;

/**
 * Brings the cache lines that several walks will read next from memory at once.
 *
 * <p>Java has no instruction for it; a read whose value nobody uses does the same, as long as the processor does not
 * stop for it. It runs ahead by some 300 instructions, so that the reads have to lie close together: the walks first
 * say what they will read, and then a loop of a few instructions a line reads it all. Where each walk read its own
 * lines between the checks of where they lie, two or three walks were under way at a time, and not ten: a seventh of
 * all time of TPC-C went by in these reads.
 *
 * <p>Source: S. Chen, A. Ailamaki, P. Gibbons, T. Mowry, "Improving Hash Join Performance through Prefetching",
 * ICDE 2004, section 4, group prefetching.
 *
 * <p>Invariants: the first {@code lineCount} addresses and {@code latchCount} latches are those that were added since
 * the last {@link #run}; what has no room is left out, which costs time only.
 *
 * <p>Used by one thread at a time.
 */
public final class GroupPrefetch {
    /** Sixteen lines for each of sixteen walks, more than a core keeps on the way. */
    private static final int LINES_MAX = 256;

    /** At least one for each walk. */
    private static final int LATCHES_MAX = 64;

    /** That of all processors in wide use but some of Apple's, where every other line is added in vain. */
    private static final int CACHE_LINE_BYTES = 64;

    private static final long LINE_MASK = -CACHE_LINE_BYTES;

    private final long[] addresses = new long[LINES_MAX];
    private final int[] latches = new int[LATCHES_MAX];
    private int lineCount;
    private int latchCount;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long sum;

    /** Adds the line with the byte at an address of the pool's memory. */
    void addLine(long address) {
        if (lineCount < LINES_MAX) {
            addresses[lineCount++] = address;
        }
    }

    /** Adds the lines with the bytes from one address to another, exclusive, each once. */
    void addLines(long from, long to) {
        long end = Math.max(from + 1, to);
        for (long at = from & LINE_MASK; at < end && lineCount < LINES_MAX; at += CACHE_LINE_BYTES) {
            addresses[lineCount++] = at;
        }
    }

    /** Adds the latch of a frame. */
    void addLatch(int frame) {
        if (latchCount < LATCHES_MAX) {
            latches[latchCount++] = frame;
        }
    }

    /** Reads everything that was added, and forgets it. */
    public void run(NativeMemory memory, LatchTable table) {
        long read = 0;
        for (int i = 0; i < latchCount; i++) {
            read += table.touch(latches[i]);
        }
        for (int i = 0; i < lineCount; i++) {
            read += memory.getByte(addresses[i]);
        }
        sum = read;
        lineCount = 0;
        latchCount = 0;
    }
}
