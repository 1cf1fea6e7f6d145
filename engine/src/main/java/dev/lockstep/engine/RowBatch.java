package dev.lockstep.engine;

import dev.lockstep.engine.type.RecordFormat;
import java.util.Arrays;

/**
 * Rows of one table that a transaction reads, inserts, updates or deletes with one call. What is known in advance is
 * best asked for together: the searches then run side by side, and while one of them waits for memory the others go on;
 * and rows that lie side by side are changed together.
 *
 * <pre>{@code
 * batch.clear();
 * batch.addKey().add(warehouse).add(firstItem);
 * batch.addKey().add(warehouse).add(secondItem);
 * if (transaction.fetch(stock, batch) < batch.size()) { ... batch.found(i) ... }
 * int quantity = batch.record(1).getInt(2);
 * batch.record(1).setInt(2, quantity - 1);
 * transaction.update(stock, batch);
 *
 * lines.clear();
 * for (Line line : order) { Record row = lines.addRow(); row.setInt(0, line.number()); ... }
 * transaction.insert(orderLine, lines);
 * }</pre>
 *
 * <p>A {@linkplain Cursor#next(RowBatch) scan} fills a batch with the rows that follow, and
 * {@link Cursor#nextKeys} with the keys of rows that may then be fetched.
 *
 * <p>Made to be reused, like the keys and records that it holds: make one per thread of work. Not thread-safe.
 */
public final class RowBatch {
    private final RecordFormat format;
    private final Key[] keys;
    private final Record[] records;
    private final boolean[] found;
    private int size;

    /** Whether keys are made: not before they are asked for, since rows that are added or scanned need none. */
    private boolean keysMade;

    /** Whether records are made, likewise: a batch may hold keys alone. */
    private boolean recordsMade;

    /** Whether the keys are those of the records, and still have to be taken from them. */
    private boolean keysInRecords;

    RowBatch(RecordFormat format, int capacity) {
        this.format = format;
        keys = new Key[capacity];
        records = new Record[capacity];
        found = new boolean[capacity];
    }

    /**
     * The largest number of rows.
     *
     * @return the capacity, at least 1
     */
    public int capacity() {
        return keys.length;
    }

    /**
     * How many keys or rows were added, or rows found by a scan.
     *
     * @return the number of rows
     */
    public int size() {
        return size;
    }

    /** Forgets the keys and rows; the batch is empty again. */
    public void clear() {
        size = 0;
        keysInRecords = false;
    }

    /**
     * Empties records behind so many rows into which a fetch or a scan has written part of a row that is not theirs.
     */
    void abandonLoads(int from) {
        for (int i = from; i < records.length && recordsMade; i++) {
            records[i].abandonLoad();
        }
    }

    /**
     * Adds a row to fetch.
     *
     * @return its primary key, empty, to be filled with all its columns before the fetch
     * @throws TransactionStateException if the batch is full; it is as it was
     */
    public Key addKey() {
        if (BatchErrors.isOutside(size, keys.length)) {
            throw BatchErrors.full(keys.length);
        }
        found[size] = false;
        return keys()[size++].reset();
    }

    /**
     * Adds a row to insert, or to update without having fetched it.
     *
     * @return its record, empty, to be filled
     * @throws TransactionStateException if the batch is full; it is as it was
     */
    public Record addRow() {
        if (BatchErrors.isOutside(size, keys.length)) {
            throw BatchErrors.full(keys.length);
        }
        takeKeys();
        if (keysMade) {
            keys[size].reset();
        }
        found[size] = true;
        return records()[size++].clear();
    }

    /**
     * A row.
     *
     * @param index its position, in the order in which the keys were added or the rows found
     * @return its record, of which the contents are those of the row where it was {@link #found}
     * @throws IndexOutOfBoundsException if the batch has no such row, which is a mistake of the caller
     */
    public Record record(int index) {
        if (BatchErrors.isOutside(index, size)) {
            throw BatchErrors.noSuchRow(index, size);
        }
        return records()[index];
    }

    /**
     * The key of a row.
     *
     * @param index its position, in the order in which the keys were added
     * @return the key that was asked for, or that of the row that a scan has found; empty for a row that was added. The
     *     keys of a scan are read from its records when the first of them is asked for: ask before a column of a
     *     primary key is set
     * @throws IndexOutOfBoundsException if the batch has no such row, which is a mistake of the caller
     */
    public Key key(int index) {
        if (BatchErrors.isOutside(index, size)) {
            throw BatchErrors.noSuchRow(index, size);
        }
        return keys()[index];
    }

    /**
     * Whether there is a row: the last fetch, scan or update has found it, or it was added.
     *
     * @param index its position, in the order in which the keys were added
     * @return false if there is no row with that key
     * @throws IndexOutOfBoundsException if the batch has no such row, which is a mistake of the caller
     */
    public boolean found(int index) {
        if (BatchErrors.isOutside(index, size)) {
            throw BatchErrors.noSuchRow(index, size);
        }
        return found[index];
    }

    RecordFormat format() {
        return format;
    }

    private void makeKeys() {
        for (int i = 0; i < keys.length; i++) {
            keys[i] = new Key(format.keyFormat());
        }
        keysMade = true;
    }

    private void takeKeys() {
        if (keysInRecords) {
            keysInRecords = false;
            if (!keysMade) {
                makeKeys();
            }
            for (int i = 0; i < size; i++) {
                Record row = records[i];
                keys[i].setEncoded(
                        row.keyBytes(), 0, row.keyLength(), format.keyFormat().columnCount());
            }
        }
    }

    /** A scan has found the first {@code count} rows. */
    void setRows(int count) {
        size = count;
        Arrays.fill(found, 0, count, true);
        keysInRecords = true;
    }

    /** A scan has found the first {@code count} keys, and no rows. */
    void setKeys(int count) {
        size = count;
        Arrays.fill(found, 0, count, false);
    }

    Key[] keys() {
        takeKeys();
        if (!keysMade) {
            makeKeys();
        }
        return keys;
    }

    Record[] records() {
        if (!recordsMade) {
            for (int i = 0; i < records.length; i++) {
                records[i] = new Record(format);
            }
            recordsMade = true;
        }
        return records;
    }

    boolean[] founds() {
        return found;
    }
}
