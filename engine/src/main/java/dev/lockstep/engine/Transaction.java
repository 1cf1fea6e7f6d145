package dev.lockstep.engine;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.instance.TableAccess;
import dev.lockstep.engine.instance.TransactionLimit;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A transaction, begun by {@link Session#begin} or {@link Database#run}. Used by the thread that began it; every other
 * gets a {@link WrongThreadException}.
 *
 * <p>A failed statement changes nothing. After a deadlock, a timeout or an interrupt the transaction can only be rolled
 * back; after a duplicate key and other errors of the caller it goes on.
 *
 * <p>With {@link TransactionOptions#readOnlySnapshot()} it only reads, and what would change or lock something gets a
 * {@link ReadOnlyException}.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code state} is OPEN exactly between begin and the end of commit or rollback, but for ROLLBACK_ONLY. Its own
 *       thread alone changes it, except from OPEN to LOG_IN_DOUBT, and from there or from ROLLBACK_ONLY to TAKEN and
 *       ROLLED_BACK ({@link IdleRollback}). While it is TAKEN its own thread changes nothing of the core.
 *   <li>{@code inEngine} is set while a call is inside the engine, and stays set if a stack overflow ended it in the
 *       middle, nobody knows where. The transaction can then only be rolled back, which marks the database failed. It
 *       is set before the state is looked at: so who has changed the state and then finds it not set keeps calls out.
 *   <li>{@code openCursorCount} counts the cursors that were given out and not closed; a commit wants none.
 * </ul>
 */
public final class Transaction {
    enum State {
        ENDED,
        OPEN,
        /** Open, but another thread has seen it hold more log than it may; its own looks again. */
        LOG_IN_DOUBT,
        ROLLBACK_ONLY,
        /** An engine's thread is rolling it back, because its own has not been seen for too long. */
        TAKEN,
        /** That is done, and its own thread has not ended it yet. */
        ROLLED_BACK
    }

    private static final VarHandle OWNER = handle("owner", Thread.class);
    private static final VarHandle STATE = handle("state", State.class);

    private final SessionCore core;

    /** Null without a limit. */
    private final TransactionLimit limit;

    private final IdleRollback idleRollback;

    private Thread owner;

    /** The S-thread on a raw continuation that is the owner, or null: they all share the thread of their carrier. */
    private SThread sThread;

    /** Volatile for {@link Database#close}, which must not miss a transaction that begins beside it. */
    private volatile State state = State.ENDED;

    private int openCursorCount;
    private boolean inEngine;
    private Cursor freeCursors;
    private Savepoint newestSavepoint;
    private long rollbackCount;

    Transaction(SessionCore core) {
        this.core = core;
        limit = core.instance().transactionLimit();
        idleRollback = new IdleRollback(this, limit);
        core.context().onLogLimit(idleRollback);
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Transaction.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    void begin(TransactionOptions options) {
        idleRollback.await();
        if (state == State.ROLLED_BACK) {
            throw idleRollback.refusal();
        }
        if (state != State.ENDED) {
            throw new TransactionStateException(Message.of("the session's transaction is still open")
                    .with("state", state)
                    .remedy("commit it or roll it back before the next begin"));
        }
        requireDurability(options.durability());
        if (limit != null) {
            limit.enter();
        }
        try {
            long now = InstalledTime.nanoTime();
            long lockWaitNanos = options.lockTimeout().toNanos();
            long deadlineNanos = now + options.timeout().toNanos();
            if (options.snapshot()) {
                core.beginSnapshot(options.durability(), lockWaitNanos, deadlineNanos, now);
            } else {
                core.begin(options.isolation(), options.durability(), lockWaitNanos, deadlineNanos, now);
            }
            owner = Thread.currentThread();
            sThread = owner.isVirtual() ? null : core.context().sThread();
            newestSavepoint = null;
            state = State.OPEN;
        } finally {
            leaveIfEnded();
        }
    }

    /** Called where a transaction has ended, or has not begun. */
    private void leaveIfEnded() {
        if (limit != null && state == State.ENDED) {
            limit.leave();
        }
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
        access.requireComplete(key);
        try {
            enter();
            boolean found = access.fetch(key.bytes(), key.length(), into);
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
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
        access.requireComplete(key);
        try {
            enter();
            boolean found = access.fetchToChange(key.bytes(), key.length(), into, mode);
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
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

    private int fetch(Table table, RowBatch batch, int changeMode) {
        TableAccess access = open(table, changeMode == LockMode.NONE ? LockMode.IS : LockMode.IX);
        for (int i = 0; i < batch.size(); i++) {
            access.requireComplete(batch.key(i));
            access.requireReadable(batch.records()[i]);
        }
        try {
            enter();
            int found =
                    access.batchFetch().fetch(batch.keys(), batch.records(), batch.founds(), batch.size(), changeMode);
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
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
            enter();
            access.insert(row);
            inEngine = false;
        } catch (RuntimeException | Error failure) {
            failed(failure);
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
            enter();
            access.insert(batch.records(), batch.size());
            inEngine = false;
        } catch (RuntimeException | Error failure) {
            failed(failure);
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
     */
    public int update(Table table, RowBatch batch) {
        TableAccess access = open(table, LockMode.IX);
        try {
            enter();
            int found = access.update(batch.records(), batch.founds(), batch.size());
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
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
     */
    public boolean update(Table table, Record row) {
        TableAccess access = open(table, LockMode.IX);
        try {
            enter();
            boolean found = access.update(row);
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
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
        access.requireComplete(key);
        try {
            enter();
            boolean found = access.delete(key.bytes(), key.length());
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
        }
    }

    /**
     * Deletes the row that was fetched into the record.
     *
     * @param table the table
     * @param row a fetched row
     * @return false if it is gone
     */
    public boolean delete(Table table, Record row) {
        TableAccess access = open(table, LockMode.IX);
        access.requireOwn(row);
        try {
            enter();
            boolean found = access.delete(row.keyBytes(), row.keyLength());
            inEngine = false;
            return found;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
        }
    }

    /**
     * Prepares a scan of a table in primary key order.
     *
     * @param table the table
     * @return a cursor before its first row, to be given its range and closed after use
     */
    public Cursor scan(Table table) {
        TableAccess access = open(table, LockMode.IS);
        return newCursor().overTable(access, table.reference());
    }

    /**
     * Prepares a scan of a table in the order of an index.
     *
     * @param table the table
     * @param index the name of the index
     * @return a cursor before its first row, to be given its range and closed after use
     * @throws SchemaException if there is no such index, or it is still being filled
     */
    public Cursor scan(Table table, String index) {
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
        return newCursor().overIndex(access, table.reference(), position);
    }

    /**
     * Marks a point to come back to.
     *
     * @return the savepoint
     */
    public Savepoint savepoint() {
        requireOpen();
        newestSavepoint = new Savepoint(core.savepoint(), newestSavepoint);
        return newestSavepoint;
    }

    /**
     * Takes back every change since the savepoint. Locks stay; the savepoint can be used again.
     *
     * @param savepoint a savepoint of this transaction
     */
    public void rollbackTo(Savepoint savepoint) {
        requireOpen();
        Savepoint valid = newestSavepoint;
        while (valid != null && valid != savepoint) {
            valid = valid.previous();
        }
        if (valid == null) {
            throw new TransactionStateException(Message.of("the savepoint does not belong to this transaction")
                    .with("savepoint", savepoint.undoCount())
                    .remedy("make the savepoint in this transaction, and not behind one that was rolled back"));
        }
        core.reserveStackToEnd();
        try {
            enter();
            core.rollbackTo(savepoint.undoCount());
            inEngine = false;
            newestSavepoint = savepoint;
        } catch (RuntimeException | Error failure) {
            failed(failure, false);
            throw failure;
        }
    }

    /**
     * Makes all changes permanent; returns when they are as durable as was asked for.
     *
     * @throws LeakedHandleException if a cursor is still open; the transaction stays open
     * @throws TransactionStateException if it can only be rolled back
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
     * @throws DatabaseFailedException if the log could not be written; whether the transaction survives is known after
     *     the next open
     */
    public void commit(PendingCommit answer) {
        answer.require(core.instance());
        commitOr(answer);
    }

    /** Commits, and waits where nobody else will. */
    private void commitOr(PendingCommit answer) {
        requireThread();
        if (inEngine) {
            throw refusal();
        }
        core.reserveStackToEnd();
        // With the log in doubt too: a commit sets it free as well as a rollback does.
        enter();
        if (openCursorCount > 0) {
            inEngine = false;
            throw new LeakedHandleException(Message.of("a cursor is still open")
                    .with("openCursors", openCursorCount)
                    .remedy("close every cursor before the commit, best with try-with-resources"));
        }
        try {
            if (answer == null) {
                core.commit();
            } else {
                answer.add(core.commitUnanswered());
            }
            state = State.ENDED;
            inEngine = false;
        } catch (StackOverflowError full) {
            // No calls here: there may be no stack for them.
            state = State.ROLLBACK_ONLY;
            throw full;
        } catch (RuntimeException | Error failure) {
            state = State.ENDED;
            inEngine = false;
            throw failure;
        } finally {
            leaveIfEnded();
        }
    }

    /**
     * Takes all changes back. Does nothing if the transaction has ended. Where the thread that began it has ended, any
     * other may call this. Where the engine is rolling it back, waits for that.
     *
     * @throws StackOverflowError if there is too little stack for it; the transaction is as before, and can be rolled
     *     back further out
     */
    public void rollback() {
        if (state == State.ENDED) {
            return;
        }
        boolean inherits = inherits();
        requireThread();
        core.reserveStackToEnd();
        openCursorCount = 0;
        rollbackCount++;
        if (inEngine) {
            core.abandon();
            state = State.ENDED;
            inEngine = false;
            leaveIfEnded();
            return;
        }
        inEngine = true;
        if (inherits) {
            // Who takes the transaction may have asked for the stack of the thread before.
            VarHandle.fullFence();
        }
        if (!reopen(true)) {
            state = State.ENDED;
            inEngine = false;
            return;
        }
        try {
            if (inherits) {
                core.inherit();
            }
            core.rollback();
            state = State.ENDED;
            inEngine = false;
        } catch (StackOverflowError full) {
            // No calls here: there may be no stack for them.
            state = State.ROLLBACK_ONLY;
            throw full;
        } catch (RuntimeException | Error failure) {
            state = State.ENDED;
            inEngine = false;
            throw failure;
        } finally {
            leaveIfEnded();
        }
    }

    /** Changes the state, if it is as it was seen. */
    boolean changeState(State seen, State next) {
        return STATE.compareAndSet(this, seen, next);
    }

    State state() {
        return state;
    }

    Thread ownerVolatile() {
        return (Thread) OWNER.getVolatile(this);
    }

    /** Makes the caller the owner if the thread that began the transaction has ended and left it. */
    private boolean inherits() {
        Thread dead = owner;
        boolean inherits = hasEnded(dead) && OWNER.compareAndSet(this, dead, Thread.currentThread());
        if (inherits) {
            sThread = Thread.currentThread().isVirtual() ? null : SThread.current();
        }
        return inherits;
    }

    /** Whether it is open and nobody can go on with it, because the thread that began it has ended. */
    boolean isOrphaned() {
        return state != State.ENDED && hasEnded(owner);
    }

    /** Nothing that a thread has done is missed by who sees that it has ended. */
    private static boolean hasEnded(Thread thread) {
        return thread != null && !thread.isAlive();
    }

    /**
     * Whether the transaction has neither been committed nor rolled back.
     *
     * @return true if so
     */
    public boolean isOpen() {
        State seen = state;
        return seen != State.ENDED && seen != State.ROLLED_BACK;
    }

    /** Whether its thread has neither committed it nor rolled it back, whatever others have. */
    boolean isUnfinished() {
        return state != State.ENDED;
    }

    /** Whether only a rollback is left; another thread may ask. */
    boolean isRollbackOnly() {
        State seen = state;
        return seen == State.ROLLBACK_ONLY || seen == State.TAKEN;
    }

    SessionCore core() {
        return core;
    }

    TableAccess open(Table table, int mode) {
        return open(table.reference(), mode);
    }

    TableAccess open(TableReference table, int mode) {
        requireOpen();
        core.reserveStack();
        try {
            enter();
            TableAccess access = core.open(table, mode);
            inEngine = false;
            return access;
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
        }
    }

    void requireOpen() {
        requireThread();
        if (state != State.OPEN || inEngine) {
            requireOpenSlowly();
        }
    }

    private void requireOpenSlowly() {
        if (inEngine) {
            throw refusal();
        }
        enterEngine();
        try {
            // If it does not throw: it was an earlier transaction of this session.
            core.requireLogLimit();
            inEngine = false;
        } catch (TransactionTooLargeException tooLarge) {
            failed(tooLarge);
            throw tooLarge;
        }
    }

    /** The thread goes into the engine: until it has come out no other ends the transaction. Throws if one has. */
    private void enter() {
        inEngine = true;
        if (state != State.OPEN && !reopen(false)) {
            inEngine = false;
            throw refusal();
        }
    }

    /** Has the state be OPEN, if a doubt is all that is in the way, or also ROLLBACK_ONLY; false if it cannot be. */
    private boolean reopen(boolean toRollBack) {
        // Ends: each further turn means that another thread has changed the state, which goes on to ROLLED_BACK.
        while (true) {
            State seen = state;
            if (seen == State.TAKEN) {
                idleRollback.await();
            } else if (seen != State.LOG_IN_DOUBT && !(toRollBack && seen == State.ROLLBACK_ONLY)) {
                return seen == State.OPEN;
            } else if (changeState(seen, State.OPEN)) {
                return true;
            }
        }
    }

    /** Why a call is refused. */
    private LockstepException refusal() {
        idleRollback.await();
        State seen = state;
        if (seen == State.ROLLED_BACK) {
            return idleRollback.refusal();
        }
        boolean ended = seen == State.ENDED;
        return new TransactionStateException(
                Message.of(ended ? "the transaction has ended" : "the transaction can only be rolled back")
                        .with("state", seen)
                        .remedy(ended ? "begin a new one" : "call rollback() and try again"));
    }

    void requireThread() {
        if (Thread.currentThread() != owner || (sThread != null && SThread.current() != sThread)) {
            throw new WrongThreadException(Message.of("the transaction belongs to another thread")
                    .with("owner", sThread == null ? owner : sThread.name())
                    .with(
                            "caller",
                            SThread.current() == null
                                    ? Thread.currentThread()
                                    : SThread.current().name())
                    .remedy("use a session of its own in every thread"));
        }
    }

    void enterEngine() {
        core.reserveStack();
        enter();
    }

    /** Whether a call is inside the engine, as far as the asking thread can see. */
    boolean isInEngine() {
        return inEngine;
    }

    void leaveEngine() {
        inEngine = false;
    }

    /** Decides what a failure leaves of the transaction. */
    void failed(Throwable failure) {
        boolean callerError = failure instanceof DuplicateKeyException
                || failure instanceof NullViolationException
                || failure instanceof RecordTooLargeException
                || failure instanceof SchemaException
                || failure instanceof ValueOutOfRangeException
                || failure instanceof ReadOnlyException
                || failure instanceof TransactionStateException;
        failed(failure, callerError);
    }

    private void failed(Throwable failure, boolean goesOn) {
        State seen = state;
        if (!goesOn && (seen == State.OPEN || seen == State.LOG_IN_DOUBT)) {
            // Nobody else ends it while a call is inside.
            state = State.ROLLBACK_ONLY;
        }
        if (!core.isMisplaced(failure)) {
            inEngine = false;
        }
    }

    /** How often this object was rolled back: cursors from before the last time are closed. */
    long rollbackCount() {
        return rollbackCount;
    }

    private Cursor newCursor() {
        openCursorCount++;
        Cursor cursor = freeCursors;
        if (cursor == null) {
            return new Cursor(this);
        }
        freeCursors = cursor.nextFree();
        return cursor;
    }

    void cursorClosed(Cursor cursor) {
        openCursorCount--;
        cursor.setNextFree(freeCursors);
        freeCursors = cursor;
    }
}
