package dev.lockstep.tpcc.plain;

import java.util.Arrays;

/**
 * A growing list of rows of a few ints each, in chunks that never move.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>row r lies in chunk {@code r >>> CHUNK_SHIFT}, from {@code (r & CHUNK_MASK) * stride} on;
 *   <li>chunks that hold a row below {@code size} exist.
 * </ul>
 */
final class IntRows {
    /** A chunk of 4,096 rows: small beside the database, large beside what a garbage collector does for an array. */
    private static final int CHUNK_SHIFT = 12;

    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;
    private static final int CHUNKS_INITIAL = 16;

    private final int stride;
    private int[][] chunks = new int[CHUNKS_INITIAL][];
    private int size;

    IntRows(int stride) {
        this.stride = stride;
    }

    int size() {
        return size;
    }

    /** Adds a row of zeros, or of what a truncated row left, and returns its index. */
    int add() {
        int chunk = size >>> CHUNK_SHIFT;
        if ((size & CHUNK_MASK) == 0) {
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunk);
            }
            if (chunks[chunk] == null) {
                chunks[chunk] = new int[stride << CHUNK_SHIFT];
            }
        }
        return size++;
    }

    /** Drops the rows from an index on. */
    void truncate(int newSize) {
        size = newSize;
    }

    /** The chunk that holds a row. */
    int[] chunk(int row) {
        return chunks[row >>> CHUNK_SHIFT];
    }

    /** Where a row begins in its chunk. */
    int start(int row) {
        return (row & CHUNK_MASK) * stride;
    }

    static void putLong(int[] chunk, int at, long value) {
        chunk[at] = (int) value;
        chunk[at + 1] = (int) (value >>> Integer.SIZE);
    }

    static long getLong(int[] chunk, int at) {
        return (chunk[at] & 0xffff_ffffL) | (long) chunk[at + 1] << Integer.SIZE;
    }
}
