package dev.lockstep.engine;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.instance.GroupFetch;
import dev.lockstep.engine.instance.RangeScan;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.instance.TableAccess;
import dev.lockstep.engine.lock.LockMode;
import java.util.ArrayList;
import java.util.List;

/**
 * A transaction, begun by {@link Session#begin} or {@link Database#run}. Used by the thread that began it; every other
 * gets a {@link WrongThreadException}. All transactions of a session are this one object, so that to begin one makes
 * none: do not keep it beyond the end of a transaction, since it is then the session's next one.
 *
 * <p>A failed statement changes nothing. After a deadlock, a timeout or an interrupt the transaction can only be rolled
 * back; after a duplicate key and other errors of the caller it goes on.
 *
 * <p>With {@link TransactionOptions#readOnlySnapshot()} it only reads, and what would change or lock something gets a
 * {@link ReadOnlyException}.
 *
 * <p>Besides what stands at it, every statement may wait for a lock, of its table at first, and throw a {@link
 * DeadlockException}, a {@link LockTimeoutException}, a {@link TransactionTimeoutException} or an {@link
 * InterruptedOperationException}; in a snapshot, which waits for no lock, neither of the first two, but a {@link
 * SnapshotTooOldException}; a {@link SchemaException} for an argument that is null, and for a key or a record of
 * another table (unless all its columns and its primary key are equal: names of tables are not compared), or a key
 * without all columns where a row is asked for; a {@link TransactionStateException} once the transaction has ended or
 * can only be rolled back; a {@link TransactionTooLargeException} where it holds more undo or log than it may, or the
 * engine has rolled it back for that; for a change a {@link ReadOnlyException} if the database was opened for reading
 * only; a {@link StorageException}, {@link CorruptionException}, {@link TruncatedFileException}, {@link
 * DiskFullException} or {@link OutOfFramesException} where a page cannot be read or no frame becomes free for it; a
 * {@link dev.lockstep.scheduler.PinnedSThreadException} where an S-thread of kind continuation that cannot be suspended
 * would have to wait; and a {@link DatabaseFailedException} once the database has failed.
 *
 * <p>Invariants:
 * <ul>
 *   <li>No call changes anything of the core but between going in and coming out by the gate, which knows the thread
 *       and the state.
 *   <li>{@code openCursorCount} counts the cursors that were given out and not closed; a commit wants none.
 *   <li>The valid savepoints are {@code newestSavepoint} and those before it, each behind more changes than the one
 *       before: no more are kept than there are changes, whose undo is limited.
 * </ul>
 */
public final class Transaction {
    private final SessionCore core;
    private final TransactionGate gate;

    /** Scans of closed cursors, for further ones: they are large. */
    private final ArrayList<RangeScan> freeScans = new ArrayList<>();

    private int openCursorCount;
    private Savepoint newestSavepoint;
    private long rollbackCount;

    Transaction(SessionCore core) {
        this.core = core;
        gate = new TransactionGate(core);
    }

    void begin(TransactionOptions options) {
        Arguments.require(options);
        gate.requireEnded();
        requireDurability(options.durability());
        gate.begin(options);
        newestSavepoint = null;
    }

    private void requireDurability(Durability durability) {
        Durability strongest = core.instance().options().durability();
        if (durability.isStrongerThan(strongest)) {
            throw new InvalidOptionException(Message.of("the durability is stronger than that of the database")
                    .with("durability", durability)
                    .with("databaseDurability", strongest)
                    .remedy("open the database with that durability; single transactions can ask for less"));
        }
    }

    /**
     * Locks a whole table against changes by others until this transaction ends, waiting for those who have changed it.
     * Others may read it and lock it in the same way. From then on this transaction reads the table without a lock for
     * each row, which pays where many rows of a table are read that is hardly ever changed. (Gray, Lorie, Putzolu and
     * Traiger, "Granularity of Locks and Degrees of Consistency in a Shared Data Base", 1976: mode S on a table.)
     *
     * @param table the table
     * @throws DeadlockException if the transaction was chosen to break a deadlock
     * @throws LockTimeoutException if the lock was not to be had in time
     */
    public void lockShared(Table table) {
        open(table, LockMode.S);
    }

    /**
     * Fetches the row of a primary key.
     *
     * @param table the table
     * @param key a complete primary key
     * @param into takes the row; unchanged contents are not promised when there is none
     * @return false if there is no such row
     */
    public boolean fetch(Table table, Key key, Record into) {
        TableAccess access = open(table, LockMode.IS);
        access.checks().requireComplete(key);
        try {
            gate.enter();
            boolean found = access.fetch(key.bytes(), key.length(), into);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            abandonLoad(into);
        }
    }

    /**
     * Fetches a row that is going to be changed: others may still read it, but not fetch it for update.
     *
     * @param table the table
     * @param key a complete primary key
     * @param into takes the row
     * @return false if there is no such row
     */
    public boolean fetchForUpdate(Table table, Key key, Record into) {
        return fetchToChange(table, key, into, LockMode.KEY_U);
    }

    /**
     * Fetches a row that will surely be changed: others may neither read nor change it from now on. That spares the
     * change a visit to the lock table, and keeps readers away from the row for longer than {@link #fetchForUpdate}.
     *
     * @param table the table
     * @param key a complete primary key
     * @param into takes the row
     * @return false if there is no such row
     */
    public boolean fetchExclusive(Table table, Key key, Record into) {
        return fetchToChange(table, key, into, LockMode.KEY_X);
    }

    private boolean fetchToChange(Table table, Key key, Record into, int mode) {
        TableAccess access = open(table, LockMode.IX);
        access.checks().requireComplete(key);
        try {
            gate.enter();
            boolean found = access.fetchToChange(key.bytes(), key.length(), into, mode);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            abandonLoad(into);
        }
    }

    /**
     * Fetches the rows of a batch side by side, with the same outcome as fetching one after the other, in whatever
     * order: below {@link Isolation#REPEATABLE_READ}, where others may change rows in between, it need not be that of
     * the batch.
     *
     * @param table the table
     * @param batch complete primary keys; takes the rows
     * @return how many of them there are
     */
    public int fetch(Table table, RowBatch batch) {
        return fetch(table, batch, LockMode.NONE);
    }

    /**
     * Fetches the rows of a batch side by side, all of which are going to be changed; see
     * {@link #fetchForUpdate(Table, Key, Record)}.
     *
     * @param table the table
     * @param batch complete primary keys; takes the rows
     * @return how many of them there are
     */
    public int fetchForUpdate(Table table, RowBatch batch) {
        return fetch(table, batch, LockMode.KEY_U);
    }

    /**
     * Fetches the rows of a batch side by side, all of which will surely be changed; see
     * {@link #fetchExclusive(Table, Key, Record)}.
     *
     * @param table the table
     * @param batch complete primary keys; takes the rows
     * @return how many of them there are
     */
    public int fetchExclusive(Table table, RowBatch batch) {
        return fetch(table, batch, LockMode.KEY_X);
    }

    /** Opens the table of a batch to fetch, and checks that. */
    private TableAccess openFor(Table table, RowBatch batch, int changeMode) {
        Arguments.require(batch);
        TableAccess access = open(table, changeMode == LockMode.NONE ? LockMode.IS : LockMode.IX);
        for (int i = 0; i < batch.size(); i++) {
            access.checks().requireComplete(batch.key(i));
            access.checks().requireReadable(batch.records()[i]);
        }
        return access;
    }

    private int fetch(Table table, RowBatch batch, int changeMode) {
        TableAccess access = openFor(table, batch, changeMode);
        try {
            gate.enter();
            int found =
                    access.batchFetch().fetch(batch.keys(), batch.records(), batch.founds(), batch.size(), changeMode);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            batch.abandonLoads(0);
        }
    }

    /**
     * Fetches the rows of several batches side by side, with the same outcome as fetching one batch after the other, in
     * the order of the group, each as {@link #fetch(Table, RowBatch)} or its like for rows to change. A scheduler
     * counts what runs side by side as one fetch, of the first of these tables.
     *
     * @param group its batches with complete primary keys; they take the rows
     * @return how many rows there are in all
     */
    public int fetch(FetchGroup group) {
        Arguments.require(group);
        gate.requireOpen();
        GroupFetch together = core.groupFetch();
        together.clear();
        List<FetchGroup.Part> parts = group.parts();
        for (int i = 0; i < parts.size(); i++) {
            FetchGroup.Part part = parts.get(i);
            RowBatch batch = part.batch();
            TableAccess access = openFor(part.table(), batch, part.changeMode());
            together.add(access, batch.keys(), batch.records(), batch.founds(), batch.size(), part.changeMode());
        }
        try {
            gate.enter();
            int found = together.fetch();
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            for (int i = 0; i < parts.size(); i++) {
                parts.get(i).batch().abandonLoads(0);
            }
        }
    }

    /**
     * Reads ranges side by side, with the same outcome and the same locks as reading one after the other with a
     * {@link Cursor} that stops behind {@link RangeBatch#rowsPerRangeMax()} rows.
     *
     * @param table the table
     * @param ranges what the keys of each begin with; takes their rows
     * @return how many rows there are
     * @throws SchemaException if the batch belongs to another table
     */
    public int fetch(Table table, RangeBatch ranges) {
        return fetch(table, ranges, LockMode.NONE);
    }

    /**
     * Reads ranges side by side, all rows of which are going to be changed; see
     * {@link #fetchForUpdate(Table, Key, Record)}.
     *
     * @param table the table
     * @param ranges what the keys of each begin with; takes their rows
     * @return how many rows there are
     * @throws SchemaException if the batch belongs to another table
     */
    public int fetchForUpdate(Table table, RangeBatch ranges) {
        return fetch(table, ranges, LockMode.KEY_U);
    }

    /**
     * Reads ranges side by side, all rows of which will surely be changed; see
     * {@link #fetchExclusive(Table, Key, Record)}.
     *
     * @param table the table
     * @param ranges what the keys of each begin with; takes their rows
     * @return how many rows there are
     * @throws SchemaException if the batch belongs to another table
     */
    public int fetchExclusive(Table table, RangeBatch ranges) {
        return fetch(table, ranges, LockMode.KEY_X);
    }

    private int fetch(Table table, RangeBatch ranges, int changeMode) {
        Arguments.require(ranges);
        TableAccess access = open(table, changeMode == LockMode.NONE ? LockMode.IS : LockMode.IX);
        access.checks().requireReadable(ranges.rows().records()[0]);
        ranges.clearRows();
        try {
            gate.enter();
            int count = access.batchScan()
                    .scan(
                            table.reference(),
                            ranges.prefixes(),
                            ranges.size(),
                            ranges.rows().records(),
                            ranges.rowsPerRangeMax(),
                            ranges.ends(),
                            changeMode);
            gate.leave();
            ranges.setRows(count);
            return count;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            ranges.rows().abandonLoads(ranges.rows().size());
        }
    }

    /**
     * Inserts a row.
     *
     * @param table the table
     * @param row all its columns
     * @throws DuplicateKeyException if the primary key or a unique key is taken
     * @throws NullViolationException if a NOT NULL column was not set
     * @throws RecordTooLargeException if a key or the row is too large
     */
    public void insert(Table table, Record row) {
        TableAccess access = open(table, LockMode.IX);
        try {
            gate.enter();
            access.insert(row);
            gate.leave();
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Inserts the rows of a batch, with the same outcome as inserting one after the other, but all or none: where one
     * cannot be inserted, none is. Rows in ascending order of their primary keys are the cheapest.
     *
     * @param table the table
     * @param batch rows that were added or fetched, with all their columns
     * @throws DuplicateKeyException if the primary key or a unique key of one is taken
     * @throws NullViolationException if a NOT NULL column was not set
     * @throws RecordTooLargeException if a key or a row is too large
     * @throws TransactionStateException if the batch has a key without a row
     */
    public void insert(Table table, RowBatch batch) {
        Arguments.require(batch);
        TableAccess access = open(table, LockMode.IX);
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.found(i)) {
                throw new TransactionStateException(Message.of("the batch has a key without a row")
                        .with("table", table.name())
                        .with("index", i)
                        .remedy("add the rows to insert with addRow()"));
            }
        }
        try {
            gate.enter();
            access.insert(batch.records(), batch.size());
            gate.leave();
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Replaces the rows with the primary keys of a batch's records, with the same outcome as updating one after the
     * other, but all or none. A key for which the fetch before has found no row is left out. Rows that were fetched in
     * ascending order of their primary keys, and of which only columns of fixed width were set, are the cheapest.
     *
     * @param table the table
     * @param batch rows with all their columns, fetched and changed or added; {@link RowBatch#found} then says which of
     *     them there are
     * @return how many of them there are
     * @throws DuplicateKeyException if a unique key is taken
     * @throws NullViolationException if a NOT NULL column of a row has no value
     * @throws RecordTooLargeException if a row, or its entry in an index, is too long
     * @throws TransactionStateException if the primary key of a fetched row was changed
     */
    public int update(Table table, RowBatch batch) {
        Arguments.require(batch);
        TableAccess access = open(table, LockMode.IX);
        try {
            gate.enter();
            int found = access.update(batch.records(), batch.founds(), batch.size());
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Replaces the row with the record's primary key.
     *
     * @param table the table
     * @param row all its columns, fetched and changed or filled anew
     * @return false if there is no such row
     * @throws DuplicateKeyException if a unique key is taken
     * @throws NullViolationException if a NOT NULL column has no value
     * @throws RecordTooLargeException if the row, or its entry in an index, is too long
     * @throws TransactionStateException if the row was fetched and its primary key changed
     */
    public boolean update(Table table, Record row) {
        TableAccess access = open(table, LockMode.IX);
        try {
            gate.enter();
            boolean found = access.update(row);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Deletes the row of a primary key.
     *
     * @param table the table
     * @param key a complete primary key
     * @return false if there is no such row
     */
    public boolean delete(Table table, Key key) {
        TableAccess access = open(table, LockMode.IX);
        access.checks().requireComplete(key);
        try {
            gate.enter();
            boolean found = access.delete(key.bytes(), key.length());
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Deletes the row that was fetched into the record, or the row of the key that the record was filled with.
     *
     * @param table the table
     * @param row a fetched row
     * @return false if it is gone
     * @throws NullViolationException if the record was not fetched, and a column of its primary key was not set
     * @throws TransactionStateException if the key of a fetched row was changed: another row has that key
     */
    public boolean delete(Table table, Record row) {
        TableAccess access = open(table, LockMode.IX);
        try {
            gate.enter();
            boolean found = access.delete(row);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Deletes the rows that were fetched into a batch, with the same outcome as deleting one after the other, but all
     * or none. A key for which the fetch before has found no row is left out.
     *
     * @param table the table
     * @param batch fetched rows; {@link RowBatch#found} then says which of them there were
     * @return how many of them there were
     * @throws NullViolationException if a row was added, and a column of its primary key was not set
     * @throws TransactionStateException if the key of a fetched row was changed
     */
    public int delete(Table table, RowBatch batch) {
        Arguments.require(batch);
        TableAccess access = open(table, LockMode.IX);
        try {
            gate.enter();
            int found = access.delete(batch.records(), batch.founds(), batch.size());
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Prepares a scan of a table in primary key order. Locks the table like any statement.
     *
     * @param table the table
     * @return a cursor before its first row, to be given its range and closed after use
     */
    public Cursor scan(Table table) {
        TableAccess access = open(table, LockMode.IS);
        RangeScan scan = freeScan();
        scan.overTable(access, table.reference());
        return opened(scan);
    }

    /**
     * Prepares a scan of a table in the order of an index. Locks the table like any statement.
     *
     * @param table the table
     * @param index the name of the index
     * @return a cursor before its first row, to be given its range and closed after use
     * @throws SchemaException if there is no such index, or it is still being filled
     */
    public Cursor scan(Table table, String index) {
        Arguments.requireIndex(index);
        TableAccess access = open(table, LockMode.IS);
        int position = access.table().definition().indexPosition(index);
        if (access.table().indexes().get(position).abandoned()) {
            access.table().readableDefinition().indexPosition(index);
        }
        if (access.table().indexes().get(position).building()) {
            throw new SchemaException(Message.of("the index is still being filled")
                    .with("index", index)
                    .remedy("wait until createIndex has returned"));
        }
        access.requireInSnapshot(position);
        RangeScan scan = freeScan();
        scan.overIndex(access, table.reference(), position);
        return opened(scan);
    }

    /**
     * Marks a point to come back to.
     *
     * @return the savepoint; the last one, where nothing was changed since
     */
    public Savepoint savepoint() {
        gate.requireOpen();
        int undoCount = core.savepoint();
        if (newestSavepoint == null || newestSavepoint.undoCount() != undoCount) {
            newestSavepoint = new Savepoint(undoCount, newestSavepoint);
        }
        return newestSavepoint;
    }

    /**
     * Takes back every change since the savepoint. Locks stay; the savepoint can be used again.
     *
     * @param savepoint a savepoint of this transaction
     * @throws TransactionStateException if it belongs to another, or lies behind one that was rolled back to
     */
    public void rollbackTo(Savepoint savepoint) {
        gate.requireOpen();
        Savepoint valid = newestSavepoint;
        while (valid != null && valid != savepoint) {
            valid = valid.previous();
        }
        if (valid == null) {
            throw new TransactionStateException(Message.of("the savepoint does not belong to this transaction")
                    .with("savepoint", savepoint == null ? null : savepoint.undoCount())
                    .remedy("make the savepoint in this transaction, and not behind one that was rolled back"));
        }
        core.reserveStackToEnd();
        try {
            gate.enter();
            core.rollbackTo(savepoint.undoCount());
            gate.leave();
            newestSavepoint = savepoint;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure, false);
            throw failure;
        }
    }

    /**
     * Makes all changes permanent; returns when they are as durable as was asked for.
     *
     * @throws LeakedHandleException if a cursor is still open; the transaction stays open
     * @throws TransactionStateException if it can only be rolled back
     * @throws TransactionTooLargeException if its thread did nothing for so long that the engine has rolled it back
     * @throws DatabaseFailedException if the log could not be written; whether the transaction survives is known after
     *     the next open
     */
    public void commit() {
        commitOr(null);
    }

    /**
     * Makes all changes permanent and others see them, and leaves the wait for the disk to whoever waits for the
     * answer. The session can be used again at once, by another thread too.
     *
     * @param answer answers when the commit is as durable as was asked for
     * @throws LeakedHandleException if a cursor is still open; the transaction stays open
     * @throws TransactionStateException if it can only be rolled back, or the answer belongs to another database
     * @throws TransactionTooLargeException if its thread did nothing for so long that the engine has rolled it back
     * @throws DatabaseFailedException if the log could not be written; whether the transaction survives is known after
     *     the next open
     */
    public void commit(PendingCommit answer) {
        Arguments.require(answer).require(core.instance());
        commitOr(answer);
    }

    /** Commits, and waits where nobody else will. */
    private void commitOr(PendingCommit answer) {
        gate.enterToCommit();
        if (openCursorCount > 0) {
            gate.leave();
            throw new LeakedHandleException(Message.of("a cursor is still open")
                    .with("openCursors", openCursorCount)
                    .remedy("close every cursor before the commit, best with try-with-resources"));
        }
        gate.commit(answer);
    }

    /**
     * Takes all changes back. Does nothing if the transaction has ended. Where the thread that began it has ended, any
     * other may call this. Where the engine is rolling it back, waits for that.
     *
     * @throws StackOverflowError if there is too little stack for it; the transaction is as before, and can be rolled
     *     back further out
     */
    public void rollback() {
        if (!gate.isUnfinished()) {
            return;
        }
        boolean inherited = gate.inherits();
        gate.requireThread();
        core.reserveStackToEnd();
        openCursorCount = 0;
        rollbackCount++;
        gate.rollback(inherited);
    }

    /**
     * Whether the transaction has neither been committed nor rolled back.
     *
     * @return true if so
     */
    public boolean isOpen() {
        return gate.isOpen();
    }

    SessionCore core() {
        return core;
    }

    TransactionGate gate() {
        return gate;
    }

    TableAccess open(Table table, int mode) {
        return open(Arguments.require(table).reference(), mode);
    }

    TableAccess open(TableReference table, int mode) {
        gate.requireOpen();
        core.reserveStack();
        try {
            gate.enter();
            TableAccess access = core.open(table, mode);
            gate.leave();
            return access;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * As {@link #open}, where the caller has seen that the transaction is open and stack enough is left, but waits for
     * nobody.
     *
     * @return null where the table's lock is not to be had at once
     */
    TableAccess tryOpenWithinReserve(TableReference table, int mode) {
        try {
            gate.enter();
            TableAccess access = core.tryOpen(table, mode);
            gate.leave();
            return access;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /** Of a record that was handed in, perhaps wrongly none. */
    static void abandonLoad(Record intoOrNull) {
        if (intoOrNull != null) {
            intoOrNull.abandonLoad();
        }
    }

    /** How often this object was rolled back: cursors from before the last time are closed. */
    long rollbackCount() {
        return rollbackCount;
    }

    private RangeScan freeScan() {
        return freeScans.isEmpty() ? new RangeScan(core) : freeScans.removeLast();
    }

    private Cursor opened(RangeScan scan) {
        openCursorCount++;
        return new Cursor(this, scan);
    }

    void cursorClosed(RangeScan scan) {
        openCursorCount--;
        freeScans.add(scan);
    }
}
