package dev.lockstep.engine.instance;

import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TransactionStateException;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.type.KeyFormat;

/**
 * What a statement on one table is refused for before it has changed anything, and the error that says so. Immutable
 * and thread-safe.
 */
public final class StatementChecks {
    private final TableState table;

    StatementChecks(TableState table) {
        this.table = table;
    }

    /**
     * A row to insert.
     *
     * @throws dev.lockstep.engine.NullViolationException if a NOT NULL column has no value
     */
    void requireInsertable(Record row) {
        requireOwn(row);
        row.sealForInsert();
        requireKeyFits(table.definition().name(), row.keyLength());
    }

    /**
     * A row that replaces the one with its key.
     *
     * @throws TransactionStateException if it was fetched and has another key since
     * @throws dev.lockstep.engine.NullViolationException if a NOT NULL column has no value
     */
    void requireUpdatable(Record row) {
        requireOwn(row);
        requireKeyAsFetched(row, "delete the row and insert it with its new key");
        row.sealForUpdate();
        requireKeyFits(table.definition().name(), row.keyLength());
    }

    /**
     * A row to delete.
     *
     * @throws TransactionStateException if it was fetched and has another key since
     * @throws dev.lockstep.engine.NullViolationException if a column of its primary key has no value
     */
    void requireDeletable(Record row) {
        requireOwn(row);
        row.requireKey();
        requireKeyAsFetched(row, "fetch the row that is to be deleted, or delete it by its key");
    }

    private void requireKeyAsFetched(Record row, String remedy) {
        if (row.isKeyChanged() && row.isFetched()) {
            throw new TransactionStateException(Message.of("the primary key of a fetched row was changed")
                    .with("table", table.definition().name())
                    .remedy(remedy));
        }
    }

    /**
     * A record of another table would be filled with bytes that it takes for other columns.
     *
     * @throws SchemaException if the record does not belong to this table, or lacks columns of it
     */
    private void requireOwn(Record row) {
        requireReadable(row);
        if (row.format().isProjection()) {
            throw new SchemaException(Message.of("the record holds only some columns of its row")
                    .with("table", table.definition().name())
                    .remedy("change rows with a record or batch of all columns"));
        }
    }

    /**
     * A record that only takes what is read may lack columns.
     *
     * @throws SchemaException if the record does not belong to this table
     */
    public void requireReadable(Record row) {
        if (row == null) {
            throw new SchemaException(Message.of("there is no record")
                    .with("table", table.definition().name())
                    .with("record", null)
                    .remedy("make one with newRecord() of this table"));
        }
        if (!row.format().isOf(table.definition().recordFormat())) {
            throw new SchemaException(Message.of("the record belongs to another table")
                    .with("table", table.definition().name())
                    .with("recordTable", row.format().tableName())
                    .remedy("make the record with newRecord() of this table"));
        }
    }

    /**
     * The key of a point access has to name every column of the primary key.
     *
     * @throws SchemaException if it does not, or is that of another table
     */
    public void requireComplete(Key key) {
        if (key == null) {
            throw new SchemaException(Message.of("there is no key")
                    .with("table", table.definition().name())
                    .with("key", null)
                    .remedy("make one with newKey() of the table"));
        }
        if (!key.isComplete() || !key.format().equals(table.definition().keyFormat())) {
            throw new SchemaException(Message.of("the key does not name one row of the table")
                    .with("table", table.definition().name())
                    .with("columns", key.columnCount())
                    .with("columnsOfPrimaryKey", table.definition().keyFormat().columnCount())
                    .remedy("make the key with newKey() of the table and add every column of its primary key"));
        }
    }

    /** The key of a row or an entry has to leave room for others in its node. */
    static void requireKeyFits(String name, int keyBytes) {
        if (keyBytes > NodeLayout.KEY_BYTES_MAX) {
            throw new RecordTooLargeException(Message.of("the key is too large")
                    .with("of", name)
                    .with("keyBytes", keyBytes)
                    .with("keyBytesMax", NodeLayout.KEY_BYTES_MAX)
                    .remedy("shorten the key columns; an index entry holds the primary key as well"));
        }
    }

    /** A value has to fit a chain of overflow pages. */
    void requireValueFits(Record row) {
        if (row.valueLength() > NodeLayout.VALUE_BYTES_MAX) {
            throw new RecordTooLargeException(Message.of("the record is too large")
                    .with("table", table.definition().name())
                    .with("recordBytes", row.valueLength())
                    .with("recordBytesMax", NodeLayout.VALUE_BYTES_MAX)
                    .remedy("split the value over several rows"));
        }
    }

    /** The error of a primary key that is taken. */
    DuplicateKeyException duplicate(Record row) {
        return duplicate(
                table.definition().name(),
                row.keyBytes(),
                row.keyLength(),
                table.definition().keyFormat());
    }

    /** The error of a key that is taken in a table or index. */
    static DuplicateKeyException duplicate(String name, byte[] key, int keyBytes, KeyFormat format) {
        return new DuplicateKeyException(Message.of("the key is taken")
                .with("of", name)
                .with("key", format.describe(key, keyBytes))
                .remedy("update the row that has it, or choose another key"));
    }
}
