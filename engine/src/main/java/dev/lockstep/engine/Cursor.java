package dev.lockstep.engine;

import dev.lockstep.engine.instance.RangeScan;
import dev.lockstep.engine.lock.LockMode;

/**
 * A scan over a range of keys, forwards or backwards.
 *
 * <pre>{@code
 * try (Cursor lines = tx.scan(orderLine).from(key).to(key)) {
 *     while (lines.next(line)) { ... }
 * }
 * }</pre>
 *
 * <p>Bounds may be prefixes of the key: {@link #from} and {@link #to} with the same prefix cover all keys that begin
 * with it. A scan meets what its own transaction changes in front of it: rows that are inserted there, and once more,
 * in the order of an index, rows whose indexed columns are set to what lies there. Who changes those reads all of
 * them first, and changes them then.
 *
 * <p>Belongs to one transaction and its thread. Close it before the commit; once closed it stays closed.
 *
 * <p>States: prepared, moving from the first {@code next} or {@code nextKey} on, closed. Invariants:
 * <ul>
 *   <li>The range is given while prepared and is fixed while moving; the table is locked from then on.
 *   <li>{@code rollbackCount} is the transaction's at the opening: its rollback closes the cursor.
 *   <li>{@code scan} belongs to this cursor while it is open, and to another one of the transaction afterwards.
 * </ul>
 */
public final class Cursor implements AutoCloseable {
    private final Transaction transaction;
    private final TransactionGate gate;
    private final RangeScan scan;
    private final long rollbackCount;
    private boolean open = true;
    private boolean started;

    /** Opens a cursor over a scan that is prepared. */
    Cursor(Transaction transaction, RangeScan scan) {
        this.transaction = transaction;
        this.scan = scan;
        gate = transaction.gate();
        rollbackCount = transaction.rollbackCount();
    }

    /**
     * Starts at a key, inclusive.
     *
     * @param key complete, or a prefix: then at the first key that begins with it
     * @return this cursor
     */
    public Cursor from(Key key) {
        requireNotStarted();
        scan.low(Arguments.require(key), false);
        return this;
    }

    /**
     * Starts behind a key, or behind all keys that begin with a prefix.
     *
     * @param key complete or a prefix
     * @return this cursor
     */
    public Cursor after(Key key) {
        requireNotStarted();
        scan.low(Arguments.require(key), true);
        return this;
    }

    /**
     * Ends at a key, inclusive, or at the last key that begins with a prefix.
     *
     * @param key complete or a prefix
     * @return this cursor
     */
    public Cursor to(Key key) {
        requireNotStarted();
        scan.high(Arguments.require(key), true);
        return this;
    }

    /**
     * Ends before a key, or before the first key that begins with a prefix.
     *
     * @param key complete or a prefix
     * @return this cursor
     */
    public Cursor before(Key key) {
        requireNotStarted();
        scan.high(Arguments.require(key), false);
        return this;
    }

    /**
     * Covers all keys that begin with a prefix.
     *
     * @param key the prefix
     * @return this cursor
     */
    public Cursor within(Key key) {
        return from(key).to(key);
    }

    /**
     * Goes from the high end to the low end.
     *
     * @return this cursor
     */
    public Cursor backward() {
        requireNotStarted();
        scan.backward();
        return this;
    }

    /**
     * Locks every row with the intent to change it; see {@link Transaction#fetchForUpdate(Table, Key, Record)}. Where
     * only keys are asked for, the entries of the index are locked in that way and the rows not at all.
     *
     * @return this cursor
     */
    public Cursor forUpdate() {
        requireNotStarted();
        scan.toChange(LockMode.KEY_U);
        return this;
    }

    /**
     * Locks every row that will surely be changed; see {@link Transaction#fetchExclusive(Table, Key, Record)}. Where
     * only keys are asked for, the entries of the index are locked in that way and the rows not at all.
     *
     * @return this cursor
     */
    public Cursor exclusive() {
        requireNotStarted();
        scan.toChange(LockMode.KEY_X);
        return this;
    }

    /**
     * Goes to the next row.
     *
     * @param into takes the row; unchanged contents are not promised when there is none
     * @return false at the end of the range
     */
    public boolean next(Record into) {
        start();
        gate.enterWithStack();
        try {
            boolean found = scan.next(into);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            Transaction.abandonLoad(into);
        }
    }

    /**
     * Goes to the following rows, as many as the batch takes: with the same outcome and the same locks as if they were
     * asked for one by one, in a fraction of the time.
     *
     * <pre>{@code
     * while (lines.next(batch) > 0) {
     *     for (int i = 0; i < batch.size(); i++) { ... batch.record(i) ... }
     * }
     * }</pre>
     *
     * @param into is emptied and takes the rows; their order is that of the scan
     * @return how many rows it holds now: fewer than its {@linkplain RowBatch#capacity() capacity} only at the end of
     *     the range, 0 where nothing follows
     * @throws SchemaException if the batch belongs to another table
     */
    public int next(RowBatch into) {
        Arguments.require(into);
        start();
        scan.requireRows(into.records()[0]);
        into.clear();
        gate.enterWithStack();
        try {
            Key[] keys = scan.isOfIndex() ? into.keys() : null;
            int count = scan.next(keys, into.records(), into.founds());
            gate.leave();
            into.setRows(count);
            return count;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        } finally {
            into.abandonLoads(into.size());
        }
    }

    /**
     * Goes to the following entries of an index without fetching their rows, as many as the batch takes.
     *
     * @param primaryKeys is emptied and takes the primary keys that the entries refer to, as if they were added; no row
     *     is found until they are fetched
     * @return how many keys it holds now: fewer than its {@linkplain RowBatch#capacity() capacity} only at the end of
     *     the range, 0 where nothing follows
     * @throws SchemaException if the cursor scans a table, or the batch belongs to another
     */
    public int nextKeys(RowBatch primaryKeys) {
        Arguments.require(primaryKeys);
        start();
        scan.requireKeys(primaryKeys.format().keyFormat());
        primaryKeys.clear();
        gate.enterWithStack();
        try {
            int count = scan.nextKeys(primaryKeys.keys());
            gate.leave();
            primaryKeys.setKeys(count);
            return count;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    /**
     * Goes to the next entry of an index without fetching its row.
     *
     * @param primaryKey takes the primary key that the entry refers to
     * @return false at the end of the range
     * @throws SchemaException if the cursor scans a table, or the key belongs to another or to an index
     */
    public boolean nextKey(Key primaryKey) {
        Arguments.require(primaryKey);
        start();
        scan.requireKeys(primaryKey.format());
        gate.enterWithStack();
        try {
            boolean found = scan.nextKey(primaryKey);
            gate.leave();
            return found;
        } catch (RuntimeException | Error failure) {
            gate.failed(failure);
            throw failure;
        }
    }

    private void start() {
        requireUsable();
        if (!started) {
            transaction.open(scan.table(), scan.isForUpdate() ? LockMode.IX : LockMode.IS);
            started = true;
        }
    }

    private void requireUsable() {
        gate.requireOpen();
        if (!isOpen()) {
            throw new TransactionStateException(
                    Message.of("the cursor is closed").with("open", false).remedy("prepare a new one with scan()"));
        }
    }

    private void requireNotStarted() {
        requireUsable();
        if (started) {
            throw new TransactionStateException(Message.of("the cursor is already moving")
                    .with("started", true)
                    .remedy("give its range before the first next()"));
        }
    }

    /**
     * Ends the scan; locks stay until the end of the transaction. A second call does nothing.
     *
     * @throws WrongThreadException if the transaction belongs to another thread; the cursor stays open
     */
    @Override
    public void close() {
        if (isOpen()) {
            gate.requireThread();
            transaction.cursorClosed(scan);
        }
        open = false;
    }

    private boolean isOpen() {
        return open && rollbackCount == transaction.rollbackCount();
    }
}
