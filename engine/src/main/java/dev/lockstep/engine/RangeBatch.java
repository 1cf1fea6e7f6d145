package dev.lockstep.engine;

import dev.lockstep.engine.type.RecordFormat;

/**
 * Ranges of a table that a transaction reads with one call, each given by what its primary keys begin with. The
 * searches for them run side by side, so that while one of them waits for memory the others go on; a {@link Cursor}
 * reads one range after the other.
 *
 * <pre>{@code
 * RangeBatch oldest = newOrder.newRangeBatch(DISTRICTS, 1);
 * oldest.clear();
 * for (int district = 1; district <= DISTRICTS; district++) {
 *     oldest.addRange().add(warehouse).add(district);
 * }
 * transaction.fetchExclusive(newOrder, oldest);
 * for (int range = 0; range < oldest.size(); range++) {
 *     for (int row = oldest.from(range); row < oldest.to(range); row++) { ... oldest.rows().record(row) ... }
 * }
 * transaction.delete(newOrder, oldest.rows());
 * }</pre>
 *
 * <p>The rows of all ranges lie in one {@link RowBatch}, which can then be updated or deleted.
 *
 * <p>Meant for ranges of a few rows: an S-thread keeps its turn until all of them are read, as it does for a batch of
 * keys, where a long scan by a cursor lets others run now and then. Each row counts in the turn, which ends the sooner
 * afterwards.
 *
 * <p>Made to be reused, like the keys and records that it holds: make one per thread of work. Not thread-safe.
 */
public final class RangeBatch {
    private final int rowsMax;
    private final Key[] prefixes;
    private final int[] ends;
    private final RowBatch rows;
    private int size;
    private int scannedSize;

    RangeBatch(RecordFormat format, int capacity, int rowsMax) {
        this.rowsMax = rowsMax;
        prefixes = new Key[capacity];
        ends = new int[capacity];
        rows = new RowBatch(format, capacity * rowsMax);
        for (int i = 0; i < capacity; i++) {
            prefixes[i] = new Key(format.keyFormat());
        }
    }

    /**
     * The largest number of ranges.
     *
     * @return the capacity, at least 1
     */
    public int capacity() {
        return prefixes.length;
    }

    /**
     * The largest number of rows of one range.
     *
     * @return that number, at least 1
     */
    public int rowsPerRangeMax() {
        return rowsMax;
    }

    /**
     * How many ranges were added.
     *
     * @return the number of ranges
     */
    public int size() {
        return size;
    }

    /** Forgets the ranges and their rows; the batch is empty again. */
    public void clear() {
        size = 0;
        clearRows();
    }

    /** Forgets the rows. */
    void clearRows() {
        scannedSize = 0;
        rows.clear();
    }

    /**
     * Adds a range.
     *
     * @return what the primary keys of its rows begin with, empty, to be filled with the first columns of the key
     *     before the fetch; left empty the range is the whole table
     * @throws TransactionStateException if the batch is full; it is as it was
     */
    public Key addRange() {
        if (BatchErrors.isOutside(size, prefixes.length)) {
            throw BatchErrors.full(prefixes.length);
        }
        return prefixes[size++].reset();
    }

    /**
     * The rows that the last fetch has found, those of the first range first, each range's in the order of their keys.
     * They are {@linkplain RowBatch#found found}, and can be updated or deleted together.
     *
     * @return the rows
     */
    public RowBatch rows() {
        return rows;
    }

    /**
     * Where the rows of a range begin.
     *
     * @param range its position, in the order in which the ranges were added
     * @return index in {@link #rows()} of its first row, that of {@link #to} where it has none
     * @throws IndexOutOfBoundsException if the range was not fetched
     */
    public int from(int range) {
        if (BatchErrors.isOutside(range, scannedSize)) {
            throw BatchErrors.notFetched(range, scannedSize);
        }
        return range == 0 ? 0 : ends[range - 1];
    }

    /**
     * Where the rows of a range end. A range that has {@link #rowsPerRangeMax()} of them here may have more in the
     * table.
     *
     * @param range its position, in the order in which the ranges were added
     * @return index in {@link #rows()} behind its last row
     * @throws IndexOutOfBoundsException if the range was not fetched
     */
    public int to(int range) {
        if (BatchErrors.isOutside(range, scannedSize)) {
            throw BatchErrors.notFetched(range, scannedSize);
        }
        return ends[range];
    }

    Key[] prefixes() {
        return prefixes;
    }

    int[] ends() {
        return ends;
    }

    /** All ranges were scanned; so many rows were found. */
    void setRows(int count) {
        scannedSize = size;
        rows.setRows(count);
    }
}
