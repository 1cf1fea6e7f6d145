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
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
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
 * Runs the transactions of one session: locks, operations, commit, rollback.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Between transactions the lock owner holds nothing, the undo buffer is empty, and no latch is held.
 *   <li>A commit releases its locks as soon as its record is in the log buffer, and is answered when the record, and
 *       whatever it has read of others that did the same, is on disk (durability sync).
 *   <li>After {@link #rollback} the database holds none of the transaction's changes, whatever error came before.
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

    /** Rollback has no list: it is no operation of the paper, and no time to wait for others. */
    private static final int ROLLBACK_PROBED = InstalledProbe.number("rollback");

    final Instance instance;
    final TransactionContext context;
    final OperationDriver driver;
    final FetchOperation fetch;
    final InsertOperation insert;
    final UpdateOperation update;
    final InPlaceUpdateOperation updateInPlace;
    final DeleteOperation delete;
    private final SnapshotReading reading;
    private final TableLocks tableLocks;
    private final TransactionLeftovers leftovers;
    private final TransactionUndo undo;
    private final LockManager locks;
    private final Log log;
    private FetchChunks fetchChunks;
    private GroupFetch groupFetch;
    private ScanOperation[] scansTogether;
    private FetchOperation fetchBesideOthers;
    private StagedFetch stagedFetch;
    private StagedChange stagedChange;
    private StagedUpdate stagedUpdate;
    private InsertRunOperation insertRun;
    private TableAccess[] accesses = new TableAccess[TABLES_INITIAL];
    private boolean answersWhenDurable;
    private boolean isDurableSoon;
    private String kind = "";
    private int beginOperation;
    private boolean cleansUpLocked;
    private boolean abandoned;
    private Runnable onCommitRecord;

    SessionCore(Instance instance) {
        this.instance = instance;
        this.locks = instance.locks();
        this.log = instance.log();
        context = new TransactionContext(instance.pool().newAccessCounter());
        driver = new OperationDriver(instance.pool(), instance.scheduler(), locks, context);
        fetch = new FetchOperation(locks, instance.transactions(), context);
        insert = new InsertOperation(locks, instance.transactions(), context);
        update = new UpdateOperation(locks, instance.transactions(), context);
        updateInPlace = new InPlaceUpdateOperation(locks, instance.transactions(), context);
        delete = new DeleteOperation(locks, instance.transactions(), context);
        tableLocks = new TableLocks(locks, context, driver);
        leftovers = new TransactionLeftovers(instance, context, driver);
        undo = new TransactionUndo(instance, context, driver, leftovers);
        context.limit(
                instance.options().transactionUndoBytes(), instance.options().transactionLogBytes());
        reading = new SnapshotReading(instance, context, driver);
        beginOperation = instance.operations().begin();
        instance.transactions().register(context);
    }

    /** The session ends: its context is no longer asked for log records that it may need. */
    public void close() {
        instance.transactions().unregister(context);
        if (abandoned || (instance.health().isFailed() && context.lockOwner().heldCount() != 0)) {
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
                made[i] = ScanOperation.besideOthers(locks, instance.transactions(), context);
            }
            scansTogether = made;
        }
        return scansTogether;
    }

    /** The operation that fetches beside those of other sessions; made when first asked for. */
    FetchOperation fetchBesideOthers() {
        if (fetchBesideOthers == null) {
            fetchBesideOthers = FetchOperation.besideOthers(locks, instance.transactions(), context);
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
            insertRun = new InsertRunOperation(locks, instance.transactions(), context);
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
        answersWhenDurable = false;
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
        answersWhenDurable = durability == Durability.SYNC && log != null;
        isDurableSoon = durability != Durability.NONE;
        context.lockOwner().trackDependency(answersWhenDurable);
        if (isolation == Isolation.READ_COMMITTED) {
            context.setCommittedBelow(instance.transactions().endedBelow(context, log, answersWhenDurable));
        }
        cleansUpLocked = false;
        onCommitRecord = null;
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
        answersWhenDurable = log != null;
        context.lockOwner().trackDependency(answersWhenDurable);
        // What is committed may not be durable yet; from here on that matters.
        context.setCommittedBelow(0);
    }

    /**
     * The transaction removes its ghosts before it releases its locks, which may otherwise keep others from it. For
     * trees that nobody scans: there nobody would meet a ghost and try again.
     */
    void cleanUpLocked() {
        cleansUpLocked = true;
    }

    /** Runs an action when the commit record is in the log buffer and the locks are still held. */
    void afterCommitRecord(Runnable action) {
        onCommitRecord = action;
    }

    /**
     * Makes a writer wait while the log writer or the disk cannot keep up; an interrupt ends the wait. No latch is
     * held.
     */
    void beforeChange() {
        instance.health().check();
        instance.requireWritable();
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
            log.awaitAllDurableInterruptibly(context.waiter());
        }
    }

    /**
     * Requires that the transaction holds no more log than it may.
     *
     * @throws TransactionTooLargeException if it does
     */
    public void requireLogLimit() {
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
        InstalledProbe.begin(context.sThread(), ROLLBACK_PROBED);
        try {
            undo.undoTo(savepoint);
        } finally {
            InstalledProbe.end(context.sThread());
        }
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
        SThread sThread = beginCommit();
        try {
            long waitLsn = commitChanges();
            if (waitLsn != 0) {
                log.awaitDurable(waitLsn, context.waiter());
            }
        } finally {
            endCommit(sThread);
        }
    }

    /**
     * Makes the transaction's changes permanent without waiting for the disk, nor asking for it.
     *
     * @return the LSN of the record that has to be durable before the commit may be answered; 0 if all is so already
     */
    public long commitUnanswered() {
        SThread sThread = beginCommit();
        try {
            return commitChanges();
        } finally {
            endCommit(sThread);
        }
    }

    private SThread beginCommit() {
        SThread sThread = context.sThread();
        if (sThread != null) {
            sThread.beginOperation(instance.operations().commit());
        } else {
            InstalledProbe.begin(
                    null, instance.scheduler(), instance.operations().commit());
        }
        return sThread;
    }

    private static void endCommit(SThread sThread) {
        if (sThread != null) {
            sThread.endOperation();
        } else {
            InstalledProbe.end(null);
        }
    }

    /** Commits; returns the LSN of the record to be durable before the answer, 0 if all is durable that has to be. */
    private long commitChanges() {
        reading.close();
        long commitLsn = endCommitted();
        boolean readUnlocked = context.isolation() == Isolation.READ_UNCOMMITTED && tableLocks.holdAny();
        if (cleansUpLocked) {
            cleanUp(true);
        }
        releaseLocks(instance.options().durability() == Durability.SYNC ? commitLsn : 0);
        if (context.sThread() != null) {
            context.sThread().transactionCommitted();
            context.sThread().switchPoint();
        }
        if (!cleansUpLocked) {
            cleanUp(true);
            leftovers.releaseLocks();
        }
        long waitLsn = Math.max(commitLsn, context.lockOwner().dependsOnLsn());
        if (answersWhenDurable && readUnlocked && commitLsn == 0) {
            // No lock has told what was read; it was in the log before it was in a page.
            waitLsn = log.tailLsn() - 1;
        }
        context.lockOwner().clearDependsOnLsn();
        if (answersWhenDurable && waitLsn != 0 && waitLsn >= log.durableLsn()) {
            return waitLsn;
        }
        boolean promisesNothing = answersWhenDurable || !isDurableSoon || commitLsn == 0 || log == null;
        return promisesNothing ? 0 : answerEarly(commitLsn);
    }

    /** The LSN to wait for where a commit may be answered before it is on disk: its own if the disk is too slow. */
    private long answerEarly(long commitLsn) {
        if (instance.options().durability() == Durability.SYNC) {
            // A log that is forced for those who wait has no clock that would do it for those who do not.
            log.requestFlush(commitLsn);
        }
        return log.holdsBackAnswers() ? commitLsn : 0;
    }

    /**
     * Logs the commit; its LSN, 0 where nothing was changed. A database marked failed commits nothing, reading neither:
     * what was read may be changes that could not be taken back.
     */
    private long endCommitted() {
        long lsn = 0;
        try {
            instance.health().check();
            if (context.transactionId() != 0) {
                lsn = logEnd(LogRecordType.COMMIT);
                if (onCommitRecord != null) {
                    onCommitRecord.run();
                    onCommitRecord = null;
                }
            }
        } catch (RuntimeException | Error failure) {
            instance.health().fail(failure);
            boolean hasChanged = context.transactionId() != 0;
            context.logEnded();
            context.dropUndo();
            leftovers.forgetGhosts();
            context.lockOwner().clearDependsOnLsn();
            endLocks(!hasChanged);
            throw failure;
        }
        return lsn;
    }

    /**
     * Removes what the transaction has left behind. It has ended, so an error here changes nothing about its outcome:
     * the instance is marked failed, and the next call says why.
     */
    private void cleanUp(boolean committed) {
        try {
            if (committed) {
                leftovers.removeCommitted();
                context.dropUndo();
            }
            leftovers.removeGhostsMet(cleansUpLocked);
        } catch (RuntimeException | Error failure) {
            instance.health().fail(failure);
            context.dropUndo();
            leftovers.forgetGhosts();
        }
    }

    private long logEnd(byte type) {
        long lsn = 0;
        if (log != null) {
            LogRecordBuffer record = context.record();
            record.begin(type, 0, context.transactionId(), context.lastLsn());
            record.finish();
            lsn = log.append(record);
        }
        instance.transactions().ending(context, lsn);
        context.logEnded();
        instance.transactions().ended(context);
        return lsn;
    }

    /**
     * Ends a transaction of which an overflow of the stack has cut a call short at an unknown place. What the call was
     * changing, locks and latches included, cannot be trusted, so the instance is marked failed and nothing of it is
     * touched: that ends the waits for its locks and latches, and nobody begins anew.
     */
    public void abandon() {
        instance.health().fail(new StackOverflowError("inside a call of the database"));
        abandoned = true;
        reading.close();
        if (context.sThread() != null) {
            context.sThread().forgetLatches();
        }
        context.logEnded();
        context.dropUndo();
        leftovers.forgetGhosts();
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
            abandon();
        } else {
            rollback();
        }
    }

    /** Takes back everything and releases everything. */
    public void rollback() {
        InstalledProbe.begin(context.sThread(), ROLLBACK_PROBED);
        try {
            takeBackAll();
        } finally {
            InstalledProbe.end(context.sThread());
        }
    }

    private void takeBackAll() {
        reading.close();
        boolean hasChanged = context.transactionId() != 0;
        boolean isUndone = false;
        try {
            if (!hasChanged) {
                isUndone = true;
            } else if (!instance.health().isFailed()) {
                undo.undoTo(0);
                logEnd(LogRecordType.ABORT_END);
                isUndone = true;
            }
            if (cleansUpLocked) {
                cleanUp(false);
            }
        } catch (RuntimeException | Error failure) {
            // A rollback that cannot be finished leaves changes of an ended transaction in the pages.
            instance.health().fail(failure);
            leftovers.forgetGhosts();
            throw failure;
        } finally {
            context.logEnded();
            context.dropUndo();
            endLocks(isUndone);
            context.lockOwner().clearDependsOnLsn();
        }
        if (!isUndone) {
            leftovers.forgetGhosts();
        } else if (!cleansUpLocked) {
            cleanUp(false);
            leftovers.releaseLocks();
        }
    }

    /**
     * Ends with the locks of a transaction that was not committed. In a database marked failed it may not be undone
     * either, and then what it has changed stays locked: who is beyond a last look at the mark must not change that
     * once more, since what recovery undoes has to be what was there. Who waits for a lock is told of the failure.
     */
    private void endLocks(boolean isUndone) {
        if (isUndone) {
            releaseLocks(0);
        } else if (context.sThread() != null) {
            context.sThread().transactionEnded();
        }
    }

    private void releaseLocks(long commitLsn) {
        locks.releaseAll(context.lockOwner(), commitLsn);
        context.endRangeScans();
        tableLocks.released();
        if (context.sThread() != null) {
            context.sThread().transactionEnded();
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
