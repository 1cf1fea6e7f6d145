package dev.lockstep.engine.instance;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.TransactionTooLargeException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.operation.ChangeOperation;
import dev.lockstep.engine.operation.DeleteOperation;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.InPlaceUpdateOperation;
import dev.lockstep.engine.operation.InsertOperation;
import dev.lockstep.engine.operation.InsertRunOperation;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.operation.UpdateOperation;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.VersionStore;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import java.util.Arrays;
import java.util.Objects;

/**
 * Runs the transactions of one session: their beginning, their statements, and, by {@link TransactionEnd}, their end.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Between transactions the lock owner holds nothing, the undo buffer is empty, and no latch is held.
 *   <li>{@code reading} is open exactly while a transaction reads a snapshot; it then locks and changes nothing.
 * </ul>
 *
 * Used by one thread at a time; reused without allocation.
 */
public final class SessionCore {
    private static final int TABLES_INITIAL = 16;

    /**
     * Room for the end of a transaction, in frames of {@link StackReserve}: undo, purge, merges, and waits for the log.
     */
    private static final int FRAMES_PER_END = 6;

    /**
     * Room that a transaction begins with: so much more than its end needs that this can be called from where it was
     * begun, compiled or not.
     */
    private static final int FRAMES_PER_BEGIN = 11;

    final Instance instance;
    final TransactionContext context;
    final OperationDriver driver;
    final FetchOperation fetch;
    final InsertOperation insert;
    final UpdateOperation update;
    final InPlaceUpdateOperation updateInPlace;
    final DeleteOperation delete;
    final TableLocks tableLocks;
    final TransactionLeftovers leftovers;
    private final SnapshotReading reading;
    private final TransactionEnd end;
    private FetchChunks fetchChunks;
    private GroupFetch groupFetch;
    private ScanOperation[] scansTogether;
    private FetchOperation fetchBesideOthers;
    private StagedFetch stagedFetch;
    private StagedChange stagedChange;
    private StagedUpdate stagedUpdate;
    private InsertRunOperation insertRun;
    private TableAccess[] accesses = new TableAccess[TABLES_INITIAL];
    private String kind = "";
    private int beginOperation;

    SessionCore(Instance instance) {
        this.instance = instance;
        LockManager locks = instance.locks();
        context = new TransactionContext(instance.pool().newAccessCounter());
        driver = new OperationDriver(instance.pool(), instance.scheduler(), locks, context);
        fetch = new FetchOperation(locks, instance.transactions(), context);
        insert = new InsertOperation(locks, instance.transactions(), context);
        update = new UpdateOperation(locks, instance.transactions(), context);
        updateInPlace = new InPlaceUpdateOperation(locks, instance.transactions(), context);
        delete = new DeleteOperation(locks, instance.transactions(), context);
        tableLocks = new TableLocks(locks, context, driver);
        leftovers = new TransactionLeftovers(instance, context, driver);
        context.limit(
                instance.options().transactionUndoBytes(), instance.options().transactionLogBytes());
        reading = new SnapshotReading(instance, context, driver);
        end = new TransactionEnd(this, new TransactionUndo(instance, context, driver, leftovers));
        beginOperation = instance.operations().begin();
        instance.transactions().register(context);
    }

    /** The session ends: its context is no longer asked for log records that it may need. */
    public void close() {
        instance.transactions().unregister(context);
        if (end.isAbandoned()
                || (instance.health().isFailed() && context.lockOwner().heldCount() != 0)) {
            // Locks of a database that is marked failed may be past releasing, and nobody waits for them.
            context.pageAccesses().close();
        } else {
            context.close();
        }
    }

    public TransactionContext context() {
        return context;
    }

    public Instance instance() {
        return instance;
    }

    /**
     * The lock under which a row of an opened table is read at the transaction's isolation level: none where the lock
     * on the whole table says it all.
     */
    int readLockMode(int tableNumber) {
        return context.isolation() == Isolation.READ_UNCOMMITTED || tableLocks.cover(tableNumber, LockMode.S)
                ? LockMode.NONE
                : LockMode.KEY_S;
    }

    /** Whether a lock in that mode is only tested. */
    boolean readsWithInstantLocks(int readLockMode) {
        return readLockMode != LockMode.NONE && context.isolation() == Isolation.READ_COMMITTED;
    }

    /** What fetches side by side; made when first asked for. */
    FetchChunks fetchChunks() {
        if (fetchChunks == null) {
            fetchChunks = new FetchChunks(this);
        }
        return fetchChunks;
    }

    /** Batches of several tables that are fetched together; made when first asked for. */
    public GroupFetch groupFetch() {
        if (groupFetch == null) {
            groupFetch = new GroupFetch(this);
        }
        return groupFetch;
    }

    /** Operations that scan side by side; made when first asked for. */
    ScanOperation[] scansTogether() {
        if (scansTogether == null) {
            ScanOperation[] made = new ScanOperation[FetchChunks.FETCHES_MAX];
            for (int i = 0; i < made.length; i++) {
                made[i] = ScanOperation.besideOthers(instance.locks(), instance.transactions(), context);
            }
            scansTogether = made;
        }
        return scansTogether;
    }

    /** The operation that fetches beside those of other sessions; made when first asked for. */
    FetchOperation fetchBesideOthers() {
        if (fetchBesideOthers == null) {
            fetchBesideOthers = FetchOperation.besideOthers(instance.locks(), instance.transactions(), context);
        }
        return fetchBesideOthers;
    }

    /** The fetches of a statement in a staged team; made when first asked for. */
    StagedFetch stagedFetch() {
        if (stagedFetch == null) {
            stagedFetch = new StagedFetch(driver);
        }
        return stagedFetch;
    }

    /**
     * Runs a change to its end, in a staged team if there is one.
     *
     * @param list number of the change's list in the scheduler
     * @param rows how many it is of
     */
    void run(ChangeOperation change, int list, int rows) {
        if (!driver.isStaged(list)) {
            driver.run(change, list, rows);
            return;
        }
        if (stagedChange == null) {
            stagedChange = new StagedChange(driver);
        }
        stagedChange.run(change, list, rows);
    }

    /** The update of a row in a staged team; made when first asked for. */
    StagedUpdate stagedUpdate() {
        if (stagedUpdate == null) {
            stagedUpdate = new StagedUpdate(driver, context);
        }
        return stagedUpdate;
    }

    /** The operation that inserts several rows; made when first asked for. */
    InsertRunOperation insertRun() {
        if (insertRun == null) {
            insertRun = new InsertRunOperation(instance.locks(), instance.transactions(), context);
        }
        return insertRun;
    }

    /** How the transaction reads where it reads a snapshot. */
    SnapshotReading reading() {
        return reading;
    }

    /** Starts a transaction that reads a snapshot. */
    public void beginSnapshot(Durability durability, long lockWaitNanosMax, long deadlineNanos, long nowNanos) {
        begin(Isolation.READ_UNCOMMITTED, durability, lockWaitNanosMax, deadlineNanos, nowNanos);
        reading.open(durability != Durability.NONE);
        end.readsSnapshot();
    }

    /** Starts a transaction now, see below. */
    public void begin(Isolation isolation, Durability durability, long lockWaitNanosMax, long deadlineNanos) {
        begin(isolation, durability, lockWaitNanosMax, deadlineNanos, InstalledTime.nanoTime());
    }

    /** Says of what kind the transactions are that begin from now on, see {@link TransactionOptions#kind}. */
    public void beginAs(String transactionKind) {
        if (!kind.equals(transactionKind)) {
            beginOperation = instance.operations().begin(transactionKind);
            kind = transactionKind;
        }
    }

    /**
     * Starts a transaction. A stack that is nearly full overflows here, with nothing begun.
     *
     * @param nowNanos the time in {@link InstalledTime#nanoTime}; of two transactions in a deadlock the younger gives
     *     way
     */
    public void begin(
            Isolation isolation, Durability durability, long lockWaitNanosMax, long deadlineNanos, long nowNanos) {
        driver.reserveStack(FRAMES_PER_BEGIN);
        SThread sThread = ownSThread();
        InstalledProbe.begin(sThread, instance.scheduler(), beginOperation);
        try {
            context.lockOwner().begin(nowNanos, sThread == null ? Thread.currentThread() : sThread);
            begin(sThread, isolation, durability, lockWaitNanosMax, deadlineNanos);
        } finally {
            InstalledProbe.end(sThread);
        }
    }

    private void begin(
            SThread sThread, Isolation isolation, Durability durability, long lockWaitNanosMax, long deadlineNanos) {
        instance.health().check();
        context.bind(sThread);
        context.begin(isolation, lockWaitNanosMax, deadlineNanos);
        driver.transactionBegins();
        end.begins(durability);
        if (isolation == Isolation.READ_COMMITTED) {
            context.setCommittedBelow(
                    instance.transactions().endedBelow(context, instance.log(), end.answersWhenDurable()));
        }
        if (sThread != null) {
            sThread.transactionBoundary();
            sThread.beginOperation(beginOperation);
            sThread.switchPoint();
            sThread.endOperation();
        }
    }

    /**
     * Begins a statement: locks a table at least in {@code mode}, and gives this session's access to it.
     *
     * @param mode an intention mode for work on rows, or S, X for the whole table
     * @throws dev.lockstep.engine.TransactionTimeoutException if the transaction has taken longer than it may; looked
     *     at for one of {@link OperationDriver#STATEMENTS_PER_LOOK}
     */
    public TableAccess open(TableReference table, int mode) {
        driver.statementBegins();
        int number = table.number();
        if (!tableLocks.cover(number, mode)) {
            // Before the lock: tables of two databases may have one number, by which a lock is known to be held.
            if (isUnknown(table.state(), number)) {
                requireOwn(table);
            }
            lockTable(table, mode);
        }
        TableState state = table.state();
        return isUnknown(state, number) ? newAccess(table, state) : accesses[number];
    }

    /** As {@link #open}, but waits for nobody: null where the table's lock is not to be had at once. */
    public TableAccess tryOpen(TableReference table, int mode) {
        int number = table.number();
        if (!reading.isOpen() && !tableLocks.cover(number, mode)) {
            if (isUnknown(table.state(), number)) {
                requireOwn(table);
            }
            if (!tableLocks.tryLock(table, mode)) {
                return null;
            }
        }
        return open(table, mode);
    }

    /** Whether this session has no access to a table as it is now. */
    private boolean isUnknown(TableState state, int number) {
        return number >= accesses.length || accesses[number] == null || !accesses[number].isOf(state);
    }

    private TableAccess newAccess(TableReference table, TableState state) {
        requireOwn(table);
        int number = table.number();
        if (number >= accesses.length) {
            accesses = Arrays.copyOf(accesses, Math.max(number + 1, accesses.length * 2));
        }
        forgetDropped();
        accesses[number] = new TableAccess(this, state, number);
        return accesses[number];
    }

    /** Numbers are not given out again, so that nobody would replace these, which may hold rows of megabytes. */
    private void forgetDropped() {
        for (int i = 0; i < accesses.length; i++) {
            if (accesses[i] != null && accesses[i].table().tree().isDropped()) {
                accesses[i] = null;
            }
        }
    }

    /** Tables whose rows it has seen and that were not found dropped since. */
    public int accessCount() {
        return (int) Arrays.stream(accesses).filter(Objects::nonNull).count();
    }

    @SuppressWarnings("ReferenceEquality") // the table of another database may have the same name
    private void requireOwn(TableReference table) {
        if (instance.catalog().find(table.name()) != table) {
            throw new SchemaException(Message.of("the table belongs to another database")
                    .with("table", table.name())
                    .remedy("ask the database of the transaction for its handle"));
        }
    }

    private void lockTable(TableReference table, int mode) {
        if (reading.isOpen()) {
            reading.requireTable(table, mode);
        } else {
            tableLocks.lock(table, mode);
        }
    }

    /** Takes a lock that belongs to no table handle. */
    void lock(long name, int mode) {
        tableLocks.lock(name, mode);
    }

    /** The commit is answered when it is on disk, whatever the database's durability, unless there is no log. */
    void forceDurable() {
        end.forceDurable();
    }

    /**
     * The transaction removes its ghosts before it releases its locks, which may otherwise keep others from it. For
     * trees that nobody scans: there nobody would meet a ghost and try again.
     */
    void cleanUpLocked() {
        end.cleanUpLocked();
    }

    /** Runs an action when the commit record is in the log buffer and the locks are still held. */
    void afterCommitRecord(Runnable action) {
        end.afterCommitRecord(action);
    }

    /**
     * Makes a writer wait while the log writer or the disk cannot keep up; an interrupt ends the wait. No latch is
     * held.
     */
    void beforeChange() {
        instance.health().check();
        instance.requireWritable();
        Log log = instance.log();
        if (log != null) {
            if (log.nearlyFull()) {
                log.throttleInterruptibly(context.waiter());
            }
            if (context.transactionId() == 0) {
                awaitRoomForUndo();
            }
            context.requireLogLimit(log.tailLsn());
        }
        VersionStore versions = instance.transactions().versionsVolatile();
        if (versions != null) {
            versions.beforeStatement(context);
        }
    }

    /** Ends: everybody who begins to write waits here, and those who have begun before become durable. */
    private void awaitRoomForUndo() {
        while (instance.transactions().keepsTooMuch()) {
            instance.log().awaitAllDurableInterruptibly(context.waiter());
        }
    }

    /**
     * Requires that the transaction holds no more log than it may.
     *
     * @throws TransactionTooLargeException if it does
     */
    public void requireLogLimit() {
        Log log = instance.log();
        if (log != null) {
            context.requireLogLimit(log.tailLsn());
        }
    }

    /** Marks where a statement begins, for {@link #rollbackTo}. */
    public int savepoint() {
        return context.undo().entryCount();
    }

    /** Takes back everything since a savepoint; locks stay. */
    public void rollbackTo(int savepoint) {
        end.rollbackTo(savepoint);
    }

    /** Has a stack overflow happen now, with nothing begun, if there is too little stack for a statement. */
    public void reserveStack() {
        driver.reserveStack();
    }

    /** Has a stack overflow happen now, if there is too little stack for the end of the transaction. */
    public void reserveStackToEnd() {
        driver.reserveStack(FRAMES_PER_END);
    }

    /**
     * Whether a failure is a stack overflow that struck in the middle of a call, at a place that nobody knows. Then
     * {@link #abandon} is all that can be done.
     */
    public boolean isMisplaced(Throwable failure) {
        return failure instanceof StackOverflowError && !driver.wasRefused(failure);
    }

    /**
     * Takes back what a failed statement has done, unless the failure struck at a place that nobody knows: then the
     * latches that taking back would need may be held for good, by this very thread.
     */
    void undoStatement(int savepoint, Throwable failure) {
        if (isMisplaced(failure)) {
            instance.health().fail(failure);
        } else {
            rollbackTo(savepoint);
        }
    }

    /** Makes the transaction's changes permanent, and answers when they are as durable as was asked for. */
    public void commit() {
        end.commit();
    }

    /**
     * Makes the transaction's changes permanent without waiting for the disk, nor asking for it.
     *
     * @return the LSN of the record that has to be durable before the commit may be answered; 0 if all is so already
     */
    public long commitUnanswered() {
        return end.commitUnanswered();
    }

    /** See {@link TransactionEnd#hasCommitted}. */
    boolean hasCommitted() {
        return end.hasCommitted();
    }

    /** Takes back everything and releases everything. */
    public void rollback() {
        end.rollback();
    }

    /** See {@link TransactionEnd#abandon}. */
    public void abandon() {
        end.abandon();
    }

    /** The calling thread goes on with the transaction of another, which has ended or is kept out. */
    public void inherit() {
        context.bind(ownSThread());
    }

    /** The S-thread that calls; null where it is none of the database's scheduler, in whose lists operations wait. */
    private SThread ownSThread() {
        SThread current = instance.scheduler() == null ? null : SThread.current();
        return current != null && current.runsOn(instance.scheduler()) ? current : null;
    }

    /** Takes everything back after a failure, as far as its place allows. */
    void rollbackAfter(Throwable failure) {
        if (isMisplaced(failure)) {
            end.abandon();
        } else {
            end.rollback();
        }
    }

    /** Frees the overflow pages that a stub leads to, and nothing else; later, where a page cannot be had now. */
    void freeChain(BTree tree, byte[] stub) {
        leftovers.free(tree, stub.clone(), null);
    }

    /** The same behind a failure, which remains the one to be told, unless its place forbids to touch anything. */
    void freeChainAfter(Throwable failure, BTree tree, byte[] stub) {
        if (isMisplaced(failure)) {
            return;
        }
        try {
            leftovers.free(tree, stub.clone(), failure);
        } catch (RuntimeException | Error another) {
            if (isMisplaced(another)) {
                throw another;
            }
            failure.addSuppressed(another);
        }
    }
}
