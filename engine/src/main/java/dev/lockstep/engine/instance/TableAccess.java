package dev.lockstep.engine.instance;

import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TransactionStateException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.ChangeOperation;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.InPlaceUpdateOperation;
import dev.lockstep.engine.operation.InsertRunOperation;
import dev.lockstep.engine.operation.RunOperation;
import dev.lockstep.engine.type.IndexKeyBuilder;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.engine.type.RecordBuffer;
import java.util.Arrays;

/**
 * The work of one session on one table: a row together with its entries in every index. A statement that fails in the
 * middle takes back what it has done. Used by one thread at a time.
 */
public final class TableAccess {
    private static final byte[] NOTHING = new byte[0];

    private final SessionCore session;
    private final TableState table;
    private final int tableNumber;
    private final IndexKeyBuilder[] entryBuilders;
    private final byte[] stub = new byte[OverflowChain.stubBytes()];

    /** The row before a change, from which its entries follow; null for a table without indexes. */
    private final Record oldRow;

    private final long allIndexedColumns;
    private final Record[] rowAlone = new Record[1];
    private BatchFetch batchFetch;
    private BatchScan batchScan;
    private SnapshotAccess snapshotAccess;

    TableAccess(SessionCore session, TableState table, int tableNumber) {
        this.session = session;
        this.table = table;
        this.tableNumber = tableNumber;
        int count = table.indexes().size();
        entryBuilders = new IndexKeyBuilder[count];
        long all = 0;
        for (int i = 0; i < count; i++) {
            KeyFormat format = table.definition().indexFormat(i);
            boolean unique = table.definition().indexes().get(i).unique();
            entryBuilders[i] = new IndexKeyBuilder(table.definition().recordFormat(), format, unique);
            for (int part = 0; part < format.columnCount(); part++) {
                all |= RecordBuffer.changedBit(format.ordinal(part));
            }
        }
        allIndexedColumns = all;
        oldRow = count == 0 ? null : new Record(table.definition());
    }

    public TableState table() {
        return table;
    }

    /** Whether this is an access to that very state, not to an earlier one. */
    @SuppressWarnings("ReferenceEquality") // a change of the schema makes a new state; comparing contents is slow
    boolean isOf(TableState state) {
        return table == state;
    }

    public SessionCore session() {
        return session;
    }

    /** Fetches of several rows side by side. */
    public BatchFetch batchFetch() {
        if (batchFetch == null) {
            batchFetch = new BatchFetch(this);
        }
        return batchFetch;
    }

    /** Scans of several ranges side by side. */
    public BatchScan batchScan() {
        if (batchScan == null) {
            batchScan = new BatchScan(this);
        }
        return batchScan;
    }

    /** The lock under which a row is read. */
    int readLockMode() {
        return session.readLockMode(tableNumber);
    }

    /** Fetches a row for reading, at the transaction's isolation level. */
    public boolean fetch(byte[] key, int keyBytes, Record into) {
        int mode = readLockMode();
        if (mode == LockMode.NONE && session.reading().isOpen()) {
            return snapshotAccess().fetch(key, keyBytes, into);
        }
        return fetch(key, keyBytes, into, mode, session.readsWithInstantLocks(mode));
    }

    /**
     * @throws SchemaException if the transaction reads a snapshot that is older than the index
     */
    public void requireInSnapshot(int index) {
        if (session.reading().isOpen()) {
            session.reading()
                    .requireTree(
                            table.indexes().get(index).tree(),
                            table.definition().indexes().get(index).name());
        }
    }

    /** Fetches of rows as they are in the transaction's snapshot. */
    SnapshotAccess snapshotAccess() {
        if (snapshotAccess == null) {
            snapshotAccess = new SnapshotAccess(this);
        }
        return snapshotAccess;
    }

    /**
     * Fetches a row with the intent to change it.
     *
     * @param mode {@link LockMode#KEY_U} or {@link LockMode#KEY_X}
     */
    public boolean fetchToChange(byte[] key, int keyBytes, Record into, int mode) {
        return fetch(key, keyBytes, into, mode, false);
    }

    private boolean fetch(byte[] key, int keyBytes, Record into, int mode, boolean instant) {
        requireReadable(into);
        int list = table.operations().fetch();
        boolean staged = session.driver.isStaged(list);
        FetchOperation fetch = staged ? session.fetchBesideOthers() : session.fetch;
        fetch.start(table.tree(), key, keyBytes, mode, instant, into);
        if (staged) {
            session.stagedFetch().run(fetch, list);
        } else {
            session.driver.run(fetch, list);
        }
        return complete(fetch, key, keyBytes, into, mode, instant);
    }

    /** Makes a record of what a fetch has copied; false if it found nothing. */
    boolean complete(FetchOperation fetched, byte[] key, int keyBytes, Record into, int mode, boolean instant) {
        if (!fetched.found()) {
            return false;
        }
        if (fetched.isOverflow()) {
            if (mode == LockMode.NONE || instant) {
                // The chain is given back when its row goes, so reading it needs a lock that stays.
                return fetch(key, keyBytes, into, LockMode.KEY_S, false);
            }
            loadOverflow(into);
        }
        System.arraycopy(key, 0, into.ensureKeyCapacity(keyBytes), 0, keyBytes);
        into.setKeyLength(keyBytes);
        into.loaded();
        return true;
    }

    /**
     * Makes a record of what a scan has copied; false if its row is gone.
     *
     * @param overflow whether that is a stub
     * @param locked whether the row is locked for good
     */
    boolean completeScanned(Record row, boolean overflow, boolean locked) {
        if (overflow && !locked) {
            // The chain is given back when its row goes, so reading it needs a lock that stays.
            return fetch(row.keyBytes(), row.keyLength(), row, LockMode.KEY_S, false);
        }
        if (overflow) {
            loadOverflow(row);
        }
        row.loaded();
        return true;
    }

    /** Replaces the stub that was loaded by the value that it stands for. */
    void loadOverflow(RecordBuffer into) {
        System.arraycopy(into.valueBytes(), 0, stub, 0, stub.length);
        int valueBytes = OverflowChain.valueBytes(stub);
        session.driver.reserveStackToWait();
        OverflowChain.read(table.tree(), session.context, stub, into.ensureValueCapacity(valueBytes));
        into.setValueLength(valueBytes);
    }

    /**
     * Inserts a row.
     *
     * @throws DuplicateKeyException if the primary key, or the key of a unique index, is taken; nothing is changed
     */
    public void insert(Record row) {
        requireInsertable(row);
        session.beforeChange();
        insertAlone(row);
    }

    private void requireInsertable(Record row) {
        requireOwn(row);
        row.sealForInsert();
        requireKeyFits(table.definition().name(), row.keyLength());
    }

    /**
     * Inserts several rows, all or none.
     *
     * @throws DuplicateKeyException if the primary key of one, or the key of a unique index, is taken
     */
    public void insert(Record[] rows, int count) {
        for (int i = 0; i < count; i++) {
            requireInsertable(rows[i]);
            requireValueFits(rows[i]);
        }
        int savepoint = session.savepoint();
        try {
            int next = 0;
            // Ends: each turn inserts a row at least, or throws.
            while (next < count) {
                session.beforeChange();
                int from = next;
                int end = endOfInserts(rows, from, count);
                if (end > from) {
                    next = insertTogether(rows, from, end);
                }
                if (end == from || next < end) {
                    insertAlone(rows[next++]);
                }
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
    }

    /** Index behind the rows from {@code next} on that one operation may insert together. */
    private int endOfInserts(Record[] rows, int next, int count) {
        if (entryBuilders.length != 0) {
            return next;
        }
        int end = next;
        int limit = Math.min(count, next + RunOperation.ROWS_MAX);
        while (end < limit && isInline(rows[end])) {
            end++;
        }
        return end;
    }

    /** Inserts rows up to one whose key is there; index behind the last row inserted. */
    private int insertTogether(Record[] rows, int from, int to) {
        InsertRunOperation run = session.insertRun();
        run.start(table.tree(), rows, from, to);
        session.driver.run(run, table.operations().insert());
        return run.next();
    }

    private void insertAlone(Record row) {
        int savepoint = session.savepoint();
        if (!insertRow(row)) {
            throw duplicate(
                    table.definition().name(),
                    row.keyBytes(),
                    row.keyLength(),
                    table.definition().keyFormat());
        }
        try {
            for (int i = 0; i < entryBuilders.length; i++) {
                insertEntry(i, row);
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
    }

    private boolean insertRow(Record row) {
        BTree tree = table.tree();
        if (isInline(row)) {
            session.insert.start(tree, row.keyBytes(), row.keyLength(), row.valueBytes(), row.valueLength(), 0);
            session.driver.run(session.insert, table.operations().insert());
            return session.insert.applied();
        }
        requireValueFits(row);
        writeChain(row);
        try {
            session.insert.start(tree, row.keyBytes(), row.keyLength(), stub, stub.length, NodeLayout.SLOT_OVERFLOW);
            session.driver.run(session.insert, table.operations().insert());
        } catch (Throwable failure) {
            freeChainAfter(failure, session.insert);
            throw failure;
        }
        if (!session.insert.applied()) {
            session.freeChain(tree, stub);
        }
        return session.insert.applied();
    }

    private void writeChain(Record row) {
        session.driver.reserveStackToWait();
        OverflowChain.write(table.tree(), session.context, row.valueBytes(), row.valueLength(), stub);
    }

    /** Gives the chain back that was written for a change, unless the change was made or the failure forbids it. */
    private void freeChainAfter(Throwable failure, ChangeOperation change) {
        if (!change.applied() && !session.isMisplaced(failure)) {
            session.freeChain(table.tree(), stub);
        }
    }

    private void insertEntry(int index, Record row) {
        if (table.indexes().get(index).abandoned()) {
            return;
        }
        IndexKeyBuilder entry = entryBuilders[index];
        entry.build(row);
        requireKeyFits(table.definition().indexes().get(index).name(), entry.length());
        boolean keyInValue = entry.isPrimaryKeyInValue();
        session.insert.start(
                table.indexes().get(index).tree(),
                entry.bytes(),
                entry.length(),
                keyInValue ? row.keyBytes() : NOTHING,
                keyInValue ? row.keyLength() : 0,
                0);
        session.driver.run(
                session.insert, table.indexes().get(index).operations().insert());
        if (!session.insert.applied() && !(table.indexes().get(index).building() && isOwnEntry(index, entry, row))) {
            throw duplicateEntry(index, entry);
        }
    }

    private DuplicateKeyException duplicateEntry(int index, IndexKeyBuilder entry) {
        String name = table.definition().indexes().get(index).name();
        KeyFormat format = table.definition().indexFormat(index);
        if (!table.indexes().get(index).building()) {
            return duplicate(name, entry.bytes(), entry.columnsLength(), format);
        }
        return new DuplicateKeyException(Message.of("the key is taken in a unique index that is being created")
                .with("of", name)
                .with("table", table.definition().name())
                .with("key", format.describe(entry.bytes(), entry.columnsLength()))
                .remedy("choose another key, or give the index up with dropIndex() if rows may share this key"));
    }

    /** Whether an entry that is already there belongs to this very row: the builder of the index was faster. */
    private boolean isOwnEntry(int index, IndexKeyBuilder entry, Record row) {
        if (!entry.isPrimaryKeyInValue()) {
            return true;
        }
        RawRecord sink = new RawRecord();
        session.fetch.start(
                table.indexes().get(index).tree(), entry.bytes(), entry.length(), LockMode.KEY_S, false, sink);
        session.driver.run(
                session.fetch, table.indexes().get(index).operations().fetch());
        return session.fetch.found()
                && Arrays.equals(sink.valueBytes(), 0, sink.valueLength(), row.keyBytes(), 0, row.keyLength());
    }

    /**
     * Replaces a row by the given one with the same primary key.
     *
     * @return false if there is no such row
     * @throws DuplicateKeyException if the new key of a unique index is taken; nothing is changed
     */
    public boolean update(Record row) {
        requireUpdatable(row);
        session.beforeChange();
        if (isInPlace(row)) {
            rowAlone[0] = row;
            if (updateInPlace(rowAlone, 0, 1) == 1) {
                return true;
            }
        }
        return updateAlone(row);
    }

    private void requireUpdatable(Record row) {
        requireOwn(row);
        requireKeyAsFetched(row, "delete the row and insert it with its new key");
        row.sealForUpdate();
        requireKeyFits(table.definition().name(), row.keyLength());
    }

    private void requireKeyAsFetched(Record row, String remedy) {
        if (row.isKeyChanged() && row.positionPageId() != RecordBuffer.NO_POSITION) {
            throw new TransactionStateException(Message.of("the primary key of a fetched row was changed")
                    .with("table", table.definition().name())
                    .remedy(remedy));
        }
    }

    /**
     * Updates several rows, all or none.
     *
     * @param found says which of the rows are meant, and takes which of them there are
     * @return how many there are
     * @throws DuplicateKeyException if the new key of a unique index is taken; nothing is changed
     */
    public int update(Record[] rows, boolean[] found, int count) {
        for (int i = 0; i < count; i++) {
            if (found[i]) {
                requireUpdatable(rows[i]);
                requireValueFits(rows[i]);
            }
        }
        int savepoint = session.savepoint();
        int foundCount = 0;
        try {
            int next = 0;
            // Ends: each turn is done with a row at least.
            while (next < count) {
                session.beforeChange();
                int from = next;
                int end = endOfUpdates(rows, found, from, count);
                if (end > from) {
                    next = updateInPlace(rows, from, end);
                    foundCount += next - from;
                }
                if (end == from || next < end) {
                    found[next] = found[next] && updateAlone(rows[next]);
                    foundCount += found[next] ? 1 : 0;
                    next++;
                }
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return foundCount;
    }

    /** Index behind the rows from {@code next} on that one operation may update together. */
    private int endOfUpdates(Record[] rows, boolean[] found, int next, int count) {
        int end = next;
        int limit = Math.min(count, next + RunOperation.ROWS_MAX);
        while (end < limit && found[end] && isInPlace(rows[end])) {
            end++;
        }
        // A leaf that one operation has changed is not as its other rows were read: those would go one by one.
        int endOfLeaf = end;
        while (end == limit && limit < count && endOfLeaf > next && isOfOneLeaf(rows[endOfLeaf - 1], rows[endOfLeaf])) {
            endOfLeaf--;
        }
        return endOfLeaf > next ? endOfLeaf : end;
    }

    private static boolean isOfOneLeaf(Record row, Record following) {
        return row.positionFrame() == following.positionFrame() && row.positionVersion() == following.positionVersion();
    }

    /** Whether an update of the row changes a few bytes of it, and none of its entries. */
    private boolean isInPlace(Record row) {
        return row.isChangedInPlace() && isInline(row) && !row.isChanged(allIndexedColumns);
    }

    /** Updates rows as far as their leaves are as they were read; index behind the last row updated. */
    private int updateInPlace(Record[] rows, int from, int to) {
        InPlaceUpdateOperation run = session.updateInPlace;
        run.start(table.tree(), rows, from, to);
        session.driver.run(run, table.operations().update());
        return run.next();
    }

    private boolean updateAlone(Record row) {
        int savepoint = session.savepoint();
        if (!updateRow(row)) {
            return false;
        }
        boolean sameEntries = session.update.isChangedAsSeen() && !row.isChanged(allIndexedColumns);
        if (entryBuilders.length == 0 || sameEntries) {
            return true;
        }
        try {
            loadReplacedRow(row);
            for (int i = 0; i < entryBuilders.length; i++) {
                if (!hasSameColumns(i, row)) {
                    moveEntry(i, row);
                }
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return true;
    }

    /**
     * Loads what the update has replaced into {@link #oldRow}. The record that the caller has filled may be older than
     * that: what it has not changed says nothing about the entries.
     */
    private void loadReplacedRow(Record row) {
        session.update.copyValueBefore(oldRow);
        if (session.update.isOverflowBefore()) {
            loadOverflow(oldRow);
        }
        System.arraycopy(row.keyBytes(), 0, oldRow.ensureKeyCapacity(row.keyLength()), 0, row.keyLength());
        oldRow.setKeyLength(row.keyLength());
        oldRow.loaded();
    }

    private boolean hasSameColumns(int index, Record row) {
        KeyFormat format = entryBuilders[index].format();
        for (int part = 0; part < format.columnCount(); part++) {
            if (!row.equalsColumn(format.ordinal(part), oldRow)) {
                return false;
            }
        }
        return true;
    }

    private boolean updateRow(Record row) {
        BTree tree = table.tree();
        if (isInline(row)) {
            session.update.start(tree, row.keyBytes(), row.keyLength(), row.valueBytes(), row.valueLength(), 0, row);
            session.driver.run(session.update, table.operations().update());
            return session.update.applied();
        }
        requireValueFits(row);
        writeChain(row);
        try {
            session.update.start(
                    tree, row.keyBytes(), row.keyLength(), stub, stub.length, NodeLayout.SLOT_OVERFLOW, row);
            session.driver.run(session.update, table.operations().update());
        } catch (Throwable failure) {
            freeChainAfter(failure, session.update);
            throw failure;
        }
        if (!session.update.applied()) {
            session.freeChain(tree, stub);
        }
        return session.update.applied();
    }

    /** Moves the entry of {@link #oldRow} in an index to where the new row belongs. */
    private void moveEntry(int index, Record row) {
        IndexKeyBuilder entry = entryBuilders[index];
        entry.build(oldRow);
        byte[] oldEntry = Arrays.copyOf(entry.bytes(), entry.length());
        entry.build(row);
        if (Arrays.equals(oldEntry, 0, oldEntry.length, entry.bytes(), 0, entry.length())) {
            return;
        }
        deleteEntry(index, oldEntry, oldEntry.length);
        insertEntry(index, row);
    }

    /**
     * Deletes a row.
     *
     * @return false if there is no such row
     */
    public boolean delete(byte[] key, int keyBytes) {
        return delete(key, keyBytes, null);
    }

    /**
     * Deletes the row that was fetched into a record, or that of the key in a record that was filled.
     *
     * @return false if it is gone
     */
    public boolean delete(Record row) {
        requireDeletable(row);
        return delete(row.keyBytes(), row.keyLength(), row);
    }

    private void requireDeletable(Record row) {
        requireOwn(row);
        requireKeyAsFetched(row, "fetch the row that is to be deleted, or delete it by its key");
    }

    /**
     * Deletes several rows, all or none.
     *
     * @param found says which of the rows are meant, and takes which of them there were
     * @return how many there were
     */
    public int delete(Record[] rows, boolean[] found, int count) {
        for (int i = 0; i < count; i++) {
            if (found[i]) {
                requireDeletable(rows[i]);
            }
        }
        int savepoint = session.savepoint();
        int foundCount = 0;
        try {
            for (int i = 0; i < count; i++) {
                found[i] = found[i] && delete(rows[i].keyBytes(), rows[i].keyLength(), rows[i]);
                foundCount += found[i] ? 1 : 0;
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return foundCount;
    }

    private boolean delete(byte[] key, int keyBytes, Record seenOrNull) {
        session.beforeChange();
        if (entryBuilders.length == 0) {
            return deleteRow(key, keyBytes, seenOrNull);
        }
        if (!fetch(key, keyBytes, oldRow, LockMode.KEY_X, false)) {
            return false;
        }
        int savepoint = session.savepoint();
        try {
            deleteRow(key, keyBytes, oldRow);
            for (int i = 0; i < entryBuilders.length; i++) {
                entryBuilders[i].build(oldRow);
                deleteEntry(i, entryBuilders[i].bytes(), entryBuilders[i].length());
            }
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return true;
    }

    private boolean deleteRow(byte[] key, int keyBytes, Record seenOrNull) {
        session.delete.start(table.tree(), key, keyBytes, seenOrNull);
        session.driver.run(session.delete, table.operations().delete());
        return session.delete.applied();
    }

    private void deleteEntry(int index, byte[] entry, int entryBytes) {
        session.delete.start(table.indexes().get(index).tree(), entry, entryBytes, null);
        session.driver.run(
                session.delete, table.indexes().get(index).operations().delete());
    }

    /** Adds the entry of an existing row to the index that is being filled. */
    void insertMissingEntry(int index, Record row) {
        session.beforeChange();
        insertEntry(index, row);
    }

    IndexKeyBuilder entryBuilder(int index) {
        return entryBuilders[index];
    }

    private static boolean isInline(Record row) {
        return row.keyLength() + row.valueLength() <= NodeLayout.INLINE_BYTES_MAX;
    }

    /**
     * A record of another table would be filled with bytes that it takes for other columns.
     *
     * @throws SchemaException if the record does not belong to this table, or lacks columns of it
     */
    public void requireOwn(Record row) {
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
        if (!row.format().isOf(table.definition().recordFormat())) {
            throw new SchemaException(Message.of("the record belongs to another table")
                    .with("table", table.definition().name())
                    .with("recordTable", row.format().tableName())
                    .remedy("make the record with newRecord() of this table"));
        }
    }

    private static void requireKeyFits(String name, int keyBytes) {
        if (keyBytes > NodeLayout.KEY_BYTES_MAX) {
            throw new RecordTooLargeException(Message.of("the key is too large")
                    .with("of", name)
                    .with("keyBytes", keyBytes)
                    .with("keyBytesMax", NodeLayout.KEY_BYTES_MAX)
                    .remedy("shorten the key columns; an index entry holds the primary key as well"));
        }
    }

    private void requireValueFits(Record row) {
        if (row.valueLength() > NodeLayout.VALUE_BYTES_MAX) {
            throw new RecordTooLargeException(Message.of("the record is too large")
                    .with("table", table.definition().name())
                    .with("recordBytes", row.valueLength())
                    .with("recordBytesMax", NodeLayout.VALUE_BYTES_MAX)
                    .remedy("split the value over several rows"));
        }
    }

    private static DuplicateKeyException duplicate(String name, byte[] key, int keyBytes, KeyFormat format) {
        return new DuplicateKeyException(Message.of("the key is taken")
                .with("of", name)
                .with("key", format.describe(key, keyBytes))
                .remedy("update the row that has it, or choose another key"));
    }

    /** The key of a point access has to name every column of the primary key. */
    public void requireComplete(Key key) {
        if (!key.isComplete() || !key.format().equals(table.definition().keyFormat())) {
            throw new SchemaException(Message.of("the key does not name one row of the table")
                    .with("table", table.definition().name())
                    .with("columns", key.columnCount())
                    .with("columnsOfPrimaryKey", table.definition().keyFormat().columnCount())
                    .remedy("make the key with newKey() of the table and add every column of its primary key"));
        }
    }
}
