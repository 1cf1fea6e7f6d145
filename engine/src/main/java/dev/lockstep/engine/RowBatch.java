package dev.lockstep.engine;

import java.util.Objects;

/**
 * Rows of one table that a transaction fetches with one call. What is known in advance is best asked for together: the
 * searches then run side by side, and while one of them waits for memory the others go on.
 *
 * <pre>{@code
 * batch.clear();
 * batch.addKey().add(warehouse).add(firstItem);
 * batch.addKey().add(warehouse).add(secondItem);
 * if (transaction.fetch(stock, batch) < batch.size()) { ... batch.found(i) ... }
 * int quantity = batch.record(1).getInt(2);
 * }</pre>
 *
 * <p>Made to be reused, like the keys and records that it holds: make one per thread of work. Not thread-safe.
 */
public final class RowBatch {
    private final Key[] keys;
    private final Record[] records;
    private final boolean[] found;
    private int size;

    RowBatch(TableDefinition definition, int capacity) {
        keys = new Key[capacity];
        records = new Record[capacity];
        found = new boolean[capacity];
        for (int i = 0; i < capacity; i++) {
            keys[i] = new Key(definition.keyFormat());
            records[i] = new Record(definition);
        }
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
     * How many keys were added.
     *
     * @return the number of rows asked for
     */
    public int size() {
        return size;
    }

    /** Forgets the keys; the batch is empty again. */
    public void clear() {
        size = 0;
    }

    /**
     * Adds a row to fetch.
     *
     * @return its primary key, empty, to be filled with all its columns before the fetch
     * @throws IndexOutOfBoundsException if the batch is full
     */
    public Key addKey() {
        Objects.checkIndex(size, keys.length);
        found[size] = false;
        return keys[size++].reset();
    }

    /**
     * A row.
     *
     * @param index its position, in the order in which the keys were added
     * @return its record, of which the contents are those of the row where it was {@link #found}
     */
    public Record record(int index) {
        return records[Objects.checkIndex(index, size)];
    }

    /**
     * The key of a row.
     *
     * @param index its position, in the order in which the keys were added
     * @return the key that was asked for
     */
    public Key key(int index) {
        return keys[Objects.checkIndex(index, size)];
    }

    /**
     * Whether the last fetch has found a row.
     *
     * @param index its position, in the order in which the keys were added
     * @return false if there is no row with that key
     */
    public boolean found(int index) {
        return found[Objects.checkIndex(index, size)];
    }

    Key[] keys() {
        return keys;
    }

    Record[] records() {
        return records;
    }

    boolean[] founds() {
        return found;
    }
}
