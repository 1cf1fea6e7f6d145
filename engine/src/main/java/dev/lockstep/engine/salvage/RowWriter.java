package dev.lockstep.engine.salvage;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.KeyFormat;

/**
 * Writes rows as they were stored into a table of another database, many in a transaction. Not thread-safe.
 *
 * <p>Invariant: a transaction of {@code session} is open between the first row and {@link #finish}.
 */
final class RowWriter implements AutoCloseable {
    /** Rows of a transaction: enough that its commit is nothing beside them. */
    private static final int ROWS_MAX = 1_000;

    /** Bytes of a transaction's values: few beside what undo may hold. */
    private static final long BYTES_MAX = 8 << 20;

    private final Session session;
    private final Table table;
    private final Record row;
    private Transaction transaction;
    private int rowCount;
    private long byteCount;

    RowWriter(Session session, Table table) {
        this.session = session;
        this.table = table;
        row = table.newRecord();
    }

    /**
     * Writes a row.
     *
     * @return null, or why the row cannot be one of the table
     */
    String write(byte[] key, byte[] value) {
        String broken = load(key, value);
        if (broken != null) {
            return broken;
        }
        if (transaction == null) {
            transaction = session.begin();
        }
        try {
            transaction.insert(table, row);
        } catch (DuplicateKeyException | RecordTooLargeException refused) {
            return refused.getMessage();
        }
        rowCount++;
        byteCount += key.length + value.length;
        if (rowCount >= ROWS_MAX || byteCount >= BYTES_MAX) {
            finish();
        }
        return null;
    }

    /** A page may be whole and hold nonsense all the same, if somebody has made its checksum right. */
    private String load(byte[] key, byte[] value) {
        row.clear();
        System.arraycopy(key, 0, row.ensureKeyCapacity(key.length), 0, key.length);
        row.setKeyLength(key.length);
        System.arraycopy(value, 0, row.ensureValueCapacity(value.length), 0, value.length);
        row.setValueLength(value.length);
        try {
            requireKey(key);
            row.loaded();
            for (int column = 0; column < table.definition().columns().size(); column++) {
                row.getObject(column);
            }
            return null;
        } catch (CorruptionException
                | IndexOutOfBoundsException
                | NegativeArraySizeException
                | IllegalArgumentException nonsense) {
            row.clear();
            return "it is no row of its table: " + nonsense.getMessage();
        }
    }

    private void requireKey(byte[] key) {
        KeyFormat format = table.definition().keyFormat();
        int at = 0;
        for (int part = 0; part < format.columnCount(); part++) {
            at = format.skip(part, key, at, key.length);
        }
        if (at != key.length) {
            throw new CorruptionException("its key is longer than its columns");
        }
    }

    /** Commits what was written. */
    void finish() {
        if (transaction != null) {
            transaction.commit();
            transaction = null;
        }
        rowCount = 0;
        byteCount = 0;
    }

    @Override
    public void close() {
        if (transaction != null) {
            transaction.rollback();
            transaction = null;
        }
    }
}
