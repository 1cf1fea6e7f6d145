package dev.lockstep.engine.instance;

import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockOwner;
import dev.lockstep.engine.operation.ChangeOperation;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;
import dev.lockstep.engine.operation.InPlaceUpdateOperation;
import dev.lockstep.engine.operation.InsertRunOperation;
import dev.lockstep.engine.operation.RunOperation;
import dev.lockstep.engine.type.RecordBuffer;

/**
 * The work of one session on one table: a row together with its entries in every index. A statement that fails in the
 * middle takes back what it has done. Used by one thread at a time.
 */
public final class TableAccess {
    private final SessionCore session;
    private final TableState table;
    private final int tableNumber;
    private final StatementChecks checks;
    private final IndexEntries entries;
    private final byte[] stub = new byte[OverflowChain.stubBytes()];

    /** The row before a change, from which its entries follow; null for a table without indexes. */
    private final Record oldRow;

    private final Record[] rowAlone = new Record[1];
    private BatchFetch batchFetch;
    private BatchScan batchScan;
    private SnapshotAccess snapshotAccess;

    TableAccess(SessionCore session, TableState table, int tableNumber) {
        this.session = session;
        this.table = table;
        this.tableNumber = tableNumber;
        checks = new StatementChecks(table);
        entries = new IndexEntries(session, table);
        oldRow = entries.isEmpty() ? null : new Record(table.definition());
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

    /** What statements on the table are refused for. */
    public StatementChecks checks() {
        return checks;
    }

    /** The entries of its rows. */
    IndexEntries entries() {
        return entries;
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
        checks.requireReadable(into);
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
        return fetched.found() && complete(fetched.isOverflow(), key, keyBytes, into, mode, instant);
    }

    /** Makes a record of what fetches side by side have copied for a key; false if they found nothing. */
    boolean complete(HintedFetches fetched, int index, Key key, Record into, int mode, boolean instant) {
        if (!fetched.found(index)) {
            return false;
        }
        return fetched.isLoaded(index)
                || complete(fetched.isOverflow(index), key.bytes(), key.length(), into, mode, instant);
    }

    /**
     * Makes a record of what was copied of a row.
     *
     * @param overflow whether that is a stub
     * @return false if the row has gone meanwhile
     */
    boolean complete(boolean overflow, byte[] key, int keyBytes, Record into, int mode, boolean instant) {
        if (overflow) {
            if (mode == LockMode.NONE || instant) {
                return fetchLarge(key, keyBytes, into);
            }
            loadOverflow(into);
        }
        into.setKey(key, keyBytes);
        into.loaded();
        return true;
    }

    /**
     * Fetches a row whose value lies in overflow pages. They are given back when the row goes, so reading them needs a
     * lock; who reads without locks does not keep it.
     */
    private boolean fetchLarge(byte[] key, int keyBytes, Record into) {
        LockManager locks = session.instance().locks();
        LockOwner owner = session.context.lockOwner();
        long name = LockName.ofKey(table.tree().treeId(), table.tree().leadingBytes(), key, 0, keyBytes);
        boolean isHeld = locks.heldMode(owner, name) != LockMode.NONE;
        boolean found = fetch(key, keyBytes, into, LockMode.KEY_S, false);
        if (!isHeld) {
            locks.unlock(owner, name);
        }
        return found;
    }

    /**
     * Makes a record of what a scan has copied; false if its row is gone.
     *
     * @param overflow whether that is a stub
     * @param locked whether the row is locked for good
     */
    boolean completeScanned(Record row, boolean overflow, boolean locked) {
        if (overflow && !locked) {
            return fetchLarge(row.keyBytes(), row.keyLength(), row);
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
        OverflowChain.read(
                table.tree(), session.context, session.driver.chainWaits(), stub, into.ensureValueCapacity(valueBytes));
        into.setValueLength(valueBytes);
    }

    /**
     * Inserts a row.
     *
     * @throws DuplicateKeyException if the primary key, or the key of a unique index, is taken; nothing is changed
     */
    public void insert(Record row) {
        checks.requireInsertable(row);
        session.beforeChange();
        insertAlone(row);
    }

    /**
     * Inserts several rows, all or none.
     *
     * @throws DuplicateKeyException if the primary key of one, or the key of a unique index, is taken
     */
    public void insert(Record[] rows, int count) {
        for (int i = 0; i < count; i++) {
            checks.requireInsertable(rows[i]);
            checks.requireValueFits(rows[i]);
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
        if (!entries.isEmpty()) {
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
        session.run(run, table.operations().insert(), to - from);
        return run.next();
    }

    private void insertAlone(Record row) {
        int savepoint = session.savepoint();
        if (!insertRow(row)) {
            throw checks.duplicate(row);
        }
        try {
            entries.insert(row);
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
    }

    private boolean insertRow(Record row) {
        BTree tree = table.tree();
        if (isInline(row)) {
            session.insert.start(tree, row.keyBytes(), row.keyLength(), row.valueBytes(), row.valueLength(), 0);
            session.run(session.insert, table.operations().insert(), 1);
            return session.insert.applied();
        }
        checks.requireValueFits(row);
        writeChain(row);
        try {
            session.insert.start(tree, row.keyBytes(), row.keyLength(), stub, stub.length, NodeLayout.SLOT_OVERFLOW);
            session.run(session.insert, table.operations().insert(), 1);
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
        OverflowChain.write(
                table.tree(), session.context, session.driver.chainWaits(), row.valueBytes(), row.valueLength(), stub);
    }

    /** Gives the chain back that was written for a change, unless the change was made or the failure forbids it. */
    private void freeChainAfter(Throwable failure, ChangeOperation change) {
        if (!change.applied()) {
            session.freeChainAfter(failure, table.tree(), stub);
        }
    }

    /**
     * Replaces a row by the given one with the same primary key.
     *
     * @return false if there is no such row
     * @throws DuplicateKeyException if the new key of a unique index is taken; nothing is changed
     */
    public boolean update(Record row) {
        checks.requireUpdatable(row);
        session.beforeChange();
        if (isInPlace(row)) {
            rowAlone[0] = row;
            if (updateInPlace(rowAlone, 0, 1) == 1) {
                return true;
            }
        }
        return updateAlone(row);
    }

    /**
     * Updates several rows, all or none.
     *
     * @param found says which of the rows are meant, and takes which of them there are; left as it is where this fails
     * @return how many there are
     * @throws DuplicateKeyException if the new key of a unique index is taken; nothing is changed
     */
    public int update(Record[] rows, boolean[] found, int count) {
        for (int i = 0; i < count; i++) {
            if (found[i]) {
                checks.requireUpdatable(rows[i]);
                checks.requireValueFits(rows[i]);
            }
        }
        int savepoint = session.savepoint();
        int foundCount = 0;
        boolean[] foundBefore = null;
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
                    if (found[next] && updateAlone(rows[next])) {
                        foundCount++;
                    } else if (found[next]) {
                        foundBefore = foundBefore == null ? found.clone() : foundBefore;
                        found[next] = false;
                    }
                    next++;
                }
            }
        } catch (Throwable failure) {
            restore(found, foundBefore);
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return foundCount;
    }

    /** A statement that failed has found nothing. */
    private static void restore(boolean[] found, boolean[] beforeOrNull) {
        if (beforeOrNull != null) {
            System.arraycopy(beforeOrNull, 0, found, 0, found.length);
        }
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
        return row.isChangedInPlace() && isInline(row) && !entries.areChanged(row);
    }

    /** Updates rows as far as their leaves are as they were read; index behind the last row updated. */
    private int updateInPlace(Record[] rows, int from, int to) {
        InPlaceUpdateOperation run = session.updateInPlace;
        int list = table.operations().update();
        run.start(table.tree(), rows, from, to);
        if (to - from == 1 && session.driver.isStaged(list)) {
            session.stagedUpdate().run(run, list, 1);
        } else {
            session.run(run, list, to - from);
        }
        return run.next();
    }

    private boolean updateAlone(Record row) {
        int savepoint = session.savepoint();
        if (!updateRow(row)) {
            return false;
        }
        boolean sameEntries = session.update.isChangedAsSeen() && !entries.areChanged(row);
        if (entries.isEmpty() || sameEntries) {
            return true;
        }
        try {
            loadReplacedRow(row);
            entries.move(oldRow, row);
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

    private boolean updateRow(Record row) {
        BTree tree = table.tree();
        if (isInline(row)) {
            session.update.start(tree, row.keyBytes(), row.keyLength(), row.valueBytes(), row.valueLength(), 0, row);
            session.run(session.update, table.operations().update(), 1);
            return session.update.applied();
        }
        checks.requireValueFits(row);
        writeChain(row);
        try {
            session.update.start(
                    tree, row.keyBytes(), row.keyLength(), stub, stub.length, NodeLayout.SLOT_OVERFLOW, row);
            session.run(session.update, table.operations().update(), 1);
        } catch (Throwable failure) {
            freeChainAfter(failure, session.update);
            throw failure;
        }
        if (!session.update.applied()) {
            session.freeChain(tree, stub);
        }
        return session.update.applied();
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
        checks.requireDeletable(row);
        return delete(row.keyBytes(), row.keyLength(), row);
    }

    /**
     * Deletes several rows, all or none.
     *
     * @param found says which of the rows are meant, and takes which of them there were; left as it is where this fails
     * @return how many there were
     */
    public int delete(Record[] rows, boolean[] found, int count) {
        for (int i = 0; i < count; i++) {
            if (found[i]) {
                checks.requireDeletable(rows[i]);
            }
        }
        int savepoint = session.savepoint();
        int foundCount = 0;
        boolean[] foundBefore = null;
        try {
            for (int i = 0; i < count; i++) {
                if (found[i] && delete(rows[i].keyBytes(), rows[i].keyLength(), rows[i])) {
                    foundCount++;
                } else if (found[i]) {
                    foundBefore = foundBefore == null ? found.clone() : foundBefore;
                    found[i] = false;
                }
            }
        } catch (Throwable failure) {
            restore(found, foundBefore);
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return foundCount;
    }

    private boolean delete(byte[] key, int keyBytes, Record seenOrNull) {
        session.beforeChange();
        if (entries.isEmpty()) {
            return deleteRow(key, keyBytes, seenOrNull);
        }
        if (!fetch(key, keyBytes, oldRow, LockMode.KEY_X, false)) {
            return false;
        }
        int savepoint = session.savepoint();
        try {
            deleteRow(key, keyBytes, oldRow);
            entries.delete(oldRow);
        } catch (Throwable failure) {
            session.undoStatement(savepoint, failure);
            throw failure;
        }
        return true;
    }

    private boolean deleteRow(byte[] key, int keyBytes, Record seenOrNull) {
        session.delete.start(table.tree(), key, keyBytes, seenOrNull);
        session.run(session.delete, table.operations().delete(), 1);
        return session.delete.applied();
    }

    /** Adds the entry of an existing row to the index that is being filled. */
    void insertMissingEntry(int index, Record row) {
        session.beforeChange();
        entries.insert(index, row);
    }

    private static boolean isInline(Record row) {
        return row.keyLength() + row.valueLength() <= NodeLayout.INLINE_BYTES_MAX;
    }
}
