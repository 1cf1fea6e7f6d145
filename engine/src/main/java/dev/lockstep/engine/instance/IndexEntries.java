package dev.lockstep.engine.instance;

import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.catalog.TableState.IndexState;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.type.IndexKeyBuilder;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.engine.type.RecordBuffer;
import java.util.Arrays;

/**
 * The entries of a table's rows in its secondary indexes, as one session changes them: part of a statement on the row,
 * which takes back what was done before one of these methods failed. Used by one thread at a time.
 */
final class IndexEntries {
    private static final byte[] NOTHING = new byte[0];

    private final SessionCore session;
    private final TableState table;
    private final IndexKeyBuilder[] builders;
    private final long columns;

    IndexEntries(SessionCore session, TableState table) {
        this.session = session;
        this.table = table;
        int count = table.indexes().size();
        builders = new IndexKeyBuilder[count];
        long all = 0;
        for (int i = 0; i < count; i++) {
            KeyFormat format = table.definition().indexFormat(i);
            boolean unique = table.definition().indexes().get(i).unique();
            builders[i] = new IndexKeyBuilder(table.definition().recordFormat(), format, unique);
            for (int part = 0; part < format.columnCount(); part++) {
                all |= RecordBuffer.changedBit(format.ordinal(part));
            }
        }
        columns = all;
    }

    /** Whether the table has no secondary index. */
    boolean isEmpty() {
        return builders.length == 0;
    }

    /** Whether a column of an index was set since the row was loaded. */
    boolean areChanged(Record row) {
        return row.isChanged(columns);
    }

    /** Makes the entries of an index. */
    IndexKeyBuilder builder(int index) {
        return builders[index];
    }

    /**
     * Inserts the entries of a row.
     *
     * @throws DuplicateKeyException if the key of a unique index is taken
     */
    void insert(Record row) {
        for (int i = 0; i < builders.length; i++) {
            insert(i, row);
        }
    }

    /** Inserts the entry of a row in one index, unless that is given up. */
    void insert(int index, Record row) {
        IndexState state = table.indexes().get(index);
        if (state.abandoned()) {
            return;
        }
        IndexKeyBuilder entry = builders[index];
        build(index, row);
        boolean keyInValue = entry.isPrimaryKeyInValue();
        session.insert.startEntry(
                state.tree(),
                entry.bytes(),
                entry.length(),
                entry.distinctLength(),
                keyInValue ? row.keyBytes() : NOTHING,
                keyInValue ? row.keyLength() : 0);
        session.run(session.insert, state.operations().insert(), 1);
        boolean isOwn = !session.insert.applied()
                && state.building()
                && isOf(row, entry.bytes(), entry.length(), keyInValue, state);
        if (!session.insert.applied() && !isOwn) {
            throw duplicate(index, entry);
        }
    }

    private void build(int index, Record row) {
        String name = table.definition().indexes().get(index).name();
        try {
            builders[index].build(row);
            StatementChecks.requireKeyFits(name, builders[index].length());
        } catch (RecordTooLargeException tooLong) {
            if (!table.indexes().get(index).building()) {
                throw tooLong;
            }
            throw new RecordTooLargeException(
                    Message.of("the row is too long for an index that is being created")
                            .with("of", name)
                            .with("table", table.definition().name())
                            .with("keyBytesMax", NodeLayout.KEY_BYTES_MAX)
                            .remedy("shorten the columns of the index and the primary key, or give the index up with"
                                    + " dropIndex() if rows may be so long"),
                    tooLong);
        }
    }

    private DuplicateKeyException duplicate(int index, IndexKeyBuilder entry) {
        String name = table.definition().indexes().get(index).name();
        KeyFormat format = table.definition().indexFormat(index);
        if (!table.indexes().get(index).building()) {
            return StatementChecks.duplicate(name, entry.bytes(), entry.columnsLength(), format);
        }
        return new DuplicateKeyException(Message.of("the key is taken in a unique index that is being created")
                .with("of", name)
                .with("table", table.definition().name())
                .with("key", format.describe(entry.bytes(), entry.columnsLength()))
                .remedy("choose another key, or give the index up with dropIndex() if rows may share this key"));
    }

    /** Whether an entry that is already there belongs to this very row: the builder of the index was faster. */
    private boolean isOf(Record row, byte[] entry, int entryBytes, boolean keyInValue, IndexState state) {
        if (!keyInValue) {
            return true;
        }
        RawRecord sink = new RawRecord();
        session.fetch.start(state.tree(), entry, entryBytes, LockMode.KEY_S, false, sink);
        session.driver.run(session.fetch, state.operations().fetch());
        return session.fetch.found()
                && Arrays.equals(sink.valueBytes(), 0, sink.valueLength(), row.keyBytes(), 0, row.keyLength());
    }

    /**
     * Moves the entries of a row to where its new columns belong.
     *
     * @throws DuplicateKeyException if the new key of a unique index is taken
     */
    void move(Record oldRow, Record newRow) {
        for (int i = 0; i < builders.length; i++) {
            if (!hasSameColumns(i, oldRow, newRow)) {
                move(i, oldRow, newRow);
            }
        }
    }

    private boolean hasSameColumns(int index, Record oldRow, Record newRow) {
        KeyFormat format = builders[index].format();
        for (int part = 0; part < format.columnCount(); part++) {
            if (!newRow.equalsColumn(format.ordinal(part), oldRow)) {
                return false;
            }
        }
        return true;
    }

    private void move(int index, Record oldRow, Record newRow) {
        IndexKeyBuilder entry = builders[index];
        if (!buildToDelete(index, oldRow)) {
            insert(index, newRow);
            return;
        }
        byte[] oldEntry = Arrays.copyOf(entry.bytes(), entry.length());
        boolean keyInOldValue = entry.isPrimaryKeyInValue();
        entry.build(newRow);
        if (Arrays.equals(oldEntry, 0, oldEntry.length, entry.bytes(), 0, entry.length())) {
            return;
        }
        delete(index, oldRow, oldEntry, oldEntry.length, keyInOldValue);
        insert(index, newRow);
    }

    /** Deletes the entries of a row. */
    void delete(Record row) {
        for (int i = 0; i < builders.length; i++) {
            if (buildToDelete(i, row)) {
                delete(i, row, builders[i].bytes(), builders[i].length(), builders[i].isPrimaryKeyInValue());
            }
        }
    }

    /**
     * Builds the key of a row's entry that is to go.
     *
     * @return false if there can be none: the index is given up, or is being built and the row too long for it
     */
    private boolean buildToDelete(int index, Record row) {
        IndexState state = table.indexes().get(index);
        if (state.abandoned()) {
            return false;
        }
        try {
            builders[index].build(row);
            return true;
        } catch (RecordTooLargeException tooLong) {
            if (state.building()) {
                return false;
            }
            throw tooLong;
        }
    }

    /** Whether the entry of a row in an index is that one; it has none where it is too long for the index. */
    boolean isEntry(int index, Record row, byte[] entry, int entryBytes) {
        try {
            int builtBytes = builders[index].build(row);
            return Arrays.equals(builders[index].bytes(), 0, builtBytes, entry, 0, entryBytes);
        } catch (RecordTooLargeException noEntry) {
            // A change of another transaction, read uncommitted, which will be refused for the same reason.
            return false;
        }
    }

    private void delete(int index, Record row, byte[] entry, int entryBytes, boolean keyInValue) {
        IndexState state = table.indexes().get(index);
        // The builder may not have reached the row: then another row may have its key in a unique index.
        if (state.building() && !isOf(row, entry, entryBytes, keyInValue, state)) {
            return;
        }
        session.delete.start(state.tree(), entry, entryBytes, null);
        session.run(session.delete, state.operations().delete(), 1);
    }
}
