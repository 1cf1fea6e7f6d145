package dev.lockstep.engine;

import dev.lockstep.engine.catalog.TableReference;

/**
 * A handle on a table of an open database. It stays valid while indexes come and go, until the table is dropped.
 * Thread-safe; may be kept and shared.
 */
public final class Table {
    private final TableReference reference;

    Table(TableReference reference) {
        this.reference = reference;
    }

    TableReference reference() {
        return reference;
    }

    /**
     * The name of the table.
     *
     * @return the name
     */
    public String name() {
        return reference.name();
    }

    /**
     * The columns, the primary key and the indexes as they are now; an index that is still being created is not among
     * them.
     *
     * @return the definition
     * @throws SchemaException if the table was dropped
     */
    public TableDefinition definition() {
        return reference.state().readableDefinition();
    }

    /**
     * Makes an empty record of this table. Records are reusable: make one per thread of work, not one per row.
     *
     * @return the record
     */
    public Record newRecord() {
        return new Record(definition());
    }

    /**
     * Makes an empty key of this table's primary key. Keys are reusable like records.
     *
     * @return the key
     */
    public Key newKey() {
        return new Key(definition().keyFormat());
    }

    /**
     * Makes an empty batch of this table's rows. Batches are reusable like records.
     *
     * @param capacity the largest number of rows, at least 1
     * @return the batch
     * @throws InvalidOptionException if the capacity is below 1
     */
    public RowBatch newBatch(int capacity) {
        requireCapacity(capacity);
        return new RowBatch(definition().recordFormat(), capacity);
    }

    /**
     * Makes an empty batch of rows that are only read, and of them only some columns besides the primary key. Where the
     * columns all have a fixed width, no more of a row is read than its first bytes up to the last of them: declare
     * such columns first.
     *
     * <p>Other columns of its records can neither be read nor set, and no row can be changed through them: both are
     * answered with a {@link SchemaException}. A scan in the order of an index wants the columns of that index too.
     *
     * @param capacity the largest number of rows, at least 1
     * @param columns the ordinals of the columns to read
     * @return the batch
     * @throws InvalidOptionException if the capacity is below 1
     * @throws SchemaException if there is no column of such an ordinal
     */
    public RowBatch newBatch(int capacity, int... columns) {
        requireCapacity(capacity);
        return new RowBatch(definition().recordFormat().projection(columns), capacity);
    }

    /**
     * Makes an empty batch of ranges, for what a transaction reads of several of them with one call. Batches are
     * reusable like records.
     *
     * @param capacity the largest number of ranges, at least 1
     * @param rowsPerRangeMax the largest number of rows of each, at least 1; the batch has room for all of them
     * @return the batch
     * @throws InvalidOptionException if one of the numbers is below 1, or their product above the largest int
     */
    public RangeBatch newRangeBatch(int capacity, int rowsPerRangeMax) {
        requireCapacity(capacity);
        requireCapacity(rowsPerRangeMax);
        long rows = (long) capacity * rowsPerRangeMax;
        if (rows > Integer.MAX_VALUE) {
            throw new InvalidOptionException(Message.of("no array has room for so many rows")
                    .with("capacity", capacity)
                    .with("rowsPerRangeMax", rowsPerRangeMax)
                    .with("rows", rows)
                    .with("rowsMax", Integer.MAX_VALUE)
                    .remedy("make several batches, or read long ranges with a cursor"));
        }
        return new RangeBatch(definition().recordFormat(), capacity, rowsPerRangeMax);
    }

    /**
     * Makes an empty team of fetches from this table, for several transactions of one thread. Teams are reusable like
     * records.
     *
     * @param capacity the largest number of members, at least 1
     * @return the team
     * @throws InvalidOptionException if the capacity is below 1
     */
    public TeamFetch newTeamFetch(int capacity) {
        requireCapacity(capacity);
        return new TeamFetch(this, capacity);
    }

    private static void requireCapacity(int capacity) {
        if (capacity < 1) {
            throw new InvalidOptionException(Message.of("a batch needs room for a row")
                    .with("capacity", capacity)
                    .with("capacityMin", 1)
                    .remedy("give it a capacity of at least 1"));
        }
    }

    /**
     * Makes an empty key of an index, for the bounds of a scan.
     *
     * @param index the name of the index
     * @return the key
     * @throws SchemaException if there is no such index
     */
    public Key newIndexKey(String index) {
        TableDefinition definition = definition();
        return new Key(definition.indexFormat(definition.indexPosition(index)));
    }

    @Override
    public String toString() {
        return "Table[" + name() + "]";
    }
}
