package dev.lockstep.engine.instance;

import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TransactionTimeoutException;
import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.StructureModification;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;
import dev.lockstep.engine.operation.RecordOperation;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;

/**
 * Runs the stages of an operation one after the other, and does the waiting that a stage asks for. It is the one gate
 * between transactions and trees: the only place that knows about teams. Used by one thread at a time.
 */
public final class OperationDriver {
    /**
     * Room for the stages of one statement's operations, in frames of {@link StackReserve}: they take 2 KB at most
     * where they are compiled, and interpreted they take as many times more as the reserve does.
     */
    private static final int FRAMES_PER_STATEMENT = 2;

    /** Room for a wait or a split, which happen less often and call deeper. */
    static final int FRAMES_PER_WAIT = 5;

    /**
     * Statements between two looks at the limit of their transaction. A look at the clock is a tenth of the shortest
     * statement, so that this is not to be seen; and the first of them is seldom far from the last.
     */
    static final int STATEMENTS_PER_LOOK = 16;

    private final BufferPool pool;
    private final Scheduler scheduler;
    private final LockManager locks;
    private final TransactionContext context;
    private final StructureModification structure = new StructureModification();
    /** Null before the first batch: its lists are a third of what an idle session takes. */
    private GroupPrefetch prefetchOrNull;

    private int statementsUntilLook;
    private int reserves;
    private StackOverflowError refused;

    /**
     * @param scheduler whose lists the operations have, or null
     */
    public OperationDriver(BufferPool pool, Scheduler scheduler, LockManager locks, TransactionContext context) {
        this.pool = pool;
        this.scheduler = scheduler;
        this.locks = locks;
        this.context = context;
    }

    /**
     * Runs an operation to its end.
     *
     * @param list number of the operation's list in the scheduler
     */
    public void run(RecordOperation operation, int list) {
        run(operation, list, 1);
    }

    /**
     * Runs an operation on several rows to its end.
     *
     * @param list number of the operation's list in the scheduler
     * @param rows how many
     */
    void run(RecordOperation operation, int list, int rows) {
        SThread sThread = begin(list, rows);
        try {
            if (sThread == null) {
                runInterruptibly(operation);
            } else {
                runWithSwitchPoints(operation, sThread);
            }
        } finally {
            end(sThread);
        }
    }

    /**
     * Fetches side by side: where their hints say first, and those that are not there by operations of their own, a
     * stage of each in turn. Before each round the cache lines that its stages will read are prefetched, so that they
     * come from memory side by side, not one after the other. The sessions of a team are all of this thread; it waits
     * for nobody: a fetch that would have to leaves the others.
     *
     * @param chunks fetches to run, started; those of a team are the only ones
     * @param others for each of them an operation for each key, beside others
     * @param chunkCount how many of them there are
     * @param running room for the operations of all; takes those of a team that have left
     * @param list number of the fetches' list in the scheduler
     * @return how many operations have left, without those whose lock {@link HintedFetches#isLockMissing} says
     */
    int runHinted(
            HintedFetches[] chunks, FetchOperation[][] others, int chunkCount, RecordOperation[] running, int list) {
        SThread sThread = begin(list, keyCount(chunks, chunkCount));
        try {
            if (copyHinted(chunks, chunkCount, sThread) == 0) {
                return 0;
            }
            int count = 0;
            for (int i = 0; i < chunkCount; i++) {
                count = chunks[i].startOthers(others[i], running, count);
            }
            return runRounds(running, count, sThread, !chunks[0].isTeam());
        } finally {
            end(sThread);
        }
    }

    /** Copies the records that are where their hints say; returns how many are not. */
    private int copyHinted(HintedFetches[] chunks, int chunkCount, SThread sThread) {
        GroupPrefetch prefetch = prefetch();
        for (int i = 0; i < chunkCount; i++) {
            chunks[i].findHints();
        }
        // The hints of all, so that the processor waits for them once and not for each chunk.
        for (int i = 0; i < chunkCount; i++) {
            chunks[i].touchHints();
        }
        for (int i = 0; i < chunkCount; i++) {
            chunks[i].followHints(prefetch);
        }
        prefetch.run(pool.memory(), pool.latches());
        for (int i = 0; i < chunkCount; i++) {
            HintedFetches fetches = chunks[i];
            while (!fetches.enterLeaves(prefetch)) {
                reserveStack(FRAMES_PER_WAIT);
                waitForLock(fetches.tree(), fetches.neededLockName(), fetches.lockMode(), false);
            }
        }
        prefetch.run(pool.memory(), pool.latches());
        if (sThread != null) {
            sThread.switchPoint();
        }
        int left = 0;
        for (int i = 0; i < chunkCount; i++) {
            left += chunks[i].copyRecords();
        }
        return left;
    }

    /**
     * Brings scans to their first leaves side by side, and the records there on their way from memory. Then runs each
     * to its end, in their order: they lock what one scan after the other would, in the same order. Stops behind one
     * that has met a value in overflow pages, since that is not at its end: the caller goes on with it first.
     *
     * @param scans forwards, beside others, and past their {@link ScanOperation#followHint}
     * @param from index of the first that has not run
     * @param count number of scans, those that have run included
     * @param list number of the scans' list in the scheduler
     * @return index behind the last that has run
     */
    int runInOrder(ScanOperation[] scans, int from, int count, int list) {
        SThread sThread = begin(list, count - from);
        try {
            bringToLeaves(scans, from, count, sThread);
            int next = from;
            ScanOperation scan;
            do {
                scan = scans[next++];
                if (sThread == null) {
                    runInterruptibly(scan);
                } else {
                    int before = scan.filled();
                    runWithSwitchPoints(scan, sThread);
                    sThread.countBatch(Math.max(1, scan.filled() - before));
                }
            } while (!scan.isOverflow() && next < count);
            return next;
        } finally {
            end(sThread);
        }
    }

    private void bringToLeaves(ScanOperation[] scans, int from, int count, SThread sThread) {
        if (from != 0) {
            // All of them were brought there together.
            return;
        }
        GroupPrefetch prefetch = prefetch();
        boolean arrived = false;
        // Ends: each turn brings every scan a node closer, or waits for what it needs.
        while (!arrived) {
            addNextLines(scans, count, prefetch);
            prefetch.run(pool.memory(), pool.latches());
            arrived = true;
            ScanOperation ahead = null;
            for (int i = 0; i < count; i++) {
                ScanOperation scan = scans[i];
                if (!scan.hasArrived()) {
                    int result = scan.stepBehind(ahead);
                    ahead = scan;
                    if (result != TreeDescent.CONTINUE) {
                        waitFor(scan, result, true);
                    }
                    arrived &= scan.hasArrived();
                }
            }
            if (sThread != null) {
                sThread.switchPoint();
            }
        }
        addNextLines(scans, count, prefetch);
        prefetch.run(pool.memory(), pool.latches());
    }

    private static void addNextLines(ScanOperation[] scans, int count, GroupPrefetch prefetch) {
        for (int i = 0; i < count; i++) {
            scans[i].addNextLines(prefetch);
        }
    }

    /** Whether operations of a list run in staged teams, so that they should be a {@link StagedFetch}. */
    boolean isStaged(int list) {
        SThread sThread = context.sThread();
        return sThread != null && sThread.isStaged(list);
    }

    /** The S-thread of the transaction, or null. */
    SThread sThread() {
        return context.sThread();
    }

    /** The lock table. */
    LockManager locks() {
        return locks;
    }

    /** Has all lines on their way that were added to {@link #prefetch}. */
    void runPrefetch() {
        prefetchOrNull.run(pool.memory(), pool.latches());
    }

    @SuppressWarnings("ReferenceEquality") // a pool is never like another
    boolean hasPoolOf(OperationDriver other) {
        return pool == other.pool;
    }

    /** Begins an operation of a list on so many rows; returns the S-thread of the transaction, or null. */
    private SThread begin(int list, int rows) {
        SThread sThread = context.sThread();
        if (sThread == null) {
            InstalledProbe.begin(null, scheduler, list);
        } else {
            sThread.beginOperation(list);
            sThread.countBatch(rows);
        }
        return sThread;
    }

    private static int keyCount(HintedFetches[] chunks, int chunkCount) {
        int count = 0;
        for (int i = 0; i < chunkCount; i++) {
            count += chunks[i].keyCount();
        }
        return count;
    }

    private static void end(SThread sThread) {
        if (sThread == null) {
            InstalledProbe.end(null);
        } else {
            sThread.endOperation();
        }
    }

    GroupPrefetch prefetch() {
        if (prefetchOrNull == null) {
            prefetchOrNull = new GroupPrefetch();
        }
        return prefetchOrNull;
    }

    /**
     * Runs operations side by side, as {@link #runHinted} says. They keep their order, in which neighbours descend
     * together.
     *
     * @param operations whose locks are held, or only tested
     * @param waits whether an operation that has to wait does, and does not leave the others
     * @return how many have left; those are the first
     */
    private int runRounds(RecordOperation[] operations, int count, SThread sThread, boolean waits) {
        int first = 0;
        int end = count;
        GroupPrefetch prefetch = prefetch();
        while (first < end) {
            for (int i = first; i < end; i++) {
                operations[i].addNextLines(prefetch);
            }
            prefetch.run(pool.memory(), pool.latches());
            RecordOperation ahead = null;
            int kept = first;
            for (int i = first; i < end; i++) {
                RecordOperation operation = operations[i];
                int result = operation.stepBehind(ahead);
                ahead = operation;
                if (result == TreeDescent.DONE) {
                    continue;
                }
                if (result == TreeDescent.CONTINUE || waits) {
                    if (result != TreeDescent.CONTINUE) {
                        waitFor(operation, result, true);
                    }
                    operations[kept++] = operation;
                } else {
                    operations[kept++] = operations[first];
                    operations[first++] = operation;
                }
            }
            end = kept;
            if (sThread != null) {
                sThread.switchPoint();
            }
        }
        return first;
    }

    /**
     * Has a stack overflow happen now, while nothing is begun and no latch is held, if little stack is left.
     *
     * @param frames see {@link StackReserve#require}
     * @throws StackOverflowError one that {@link #wasRefused} knows
     */
    void reserveStack(int frames) {
        try {
            StackReserve.require(frames, reserves++);
        } catch (StackOverflowError full) {
            refused = full;
            throw full;
        }
    }

    /** Makes room for a statement that does not wait. */
    void reserveStack() {
        reserveStack(FRAMES_PER_STATEMENT);
    }

    /** Makes room for an operation that waits. */
    void reserveStackToWait() {
        reserveStack(FRAMES_PER_WAIT);
    }

    /** Whether an error struck before an operation began, and not in the middle of one. */
    @SuppressWarnings("ReferenceEquality") // that very error, not one like it
    boolean wasRefused(Throwable failure) {
        return failure == refused;
    }

    /** Runs an operation that belongs to no list: rollback and other system work, which no interrupt ends. */
    public void runPlain(RecordOperation operation) {
        // Ends: every stage either comes closer to the leaf or was undone by the progress of another thread.
        while (true) {
            int result = operation.stepOn();
            if (result == TreeDescent.DONE) {
                return;
            }
            waitFor(operation, result, false);
        }
    }

    private void runInterruptibly(RecordOperation operation) {
        // Ends like runPlain.
        while (true) {
            int result = operation.stepOn();
            if (result == TreeDescent.DONE) {
                return;
            }
            waitFor(operation, result, true);
        }
    }

    void runWithSwitchPoints(RecordOperation operation, SThread sThread) {
        while (true) {
            int result = operation.step();
            if (result == TreeDescent.DONE) {
                return;
            }
            if (result != TreeDescent.CONTINUE) {
                waitFor(operation, result, true);
            }
            sThread.switchPoint();
        }
    }

    /**
     * Runs an operation that gives up its turn where it begins, for one of many that follow each other without end: an
     * S-thread leaves its team as a stray.
     *
     * @throws TransactionTimeoutException if the transaction has taken longer than it may
     */
    public void runAfterYield(RecordOperation operation, int list) {
        requireTime();
        SThread sThread = context.sThread();
        if (sThread == null) {
            if (Thread.currentThread().isVirtual()) {
                Thread.yield();
            }
            run(operation, list);
            return;
        }
        sThread.beginOperation(list);
        try {
            sThread.yieldTurn();
            runWithSwitchPoints(operation, sThread);
        } finally {
            sThread.endOperation();
        }
    }

    /** Does the waiting that a stage has asked for; an interrupt ends it if it may. */
    void waitFor(RecordOperation operation, int result, boolean interruptible) {
        reserveStack(FRAMES_PER_WAIT);
        switch (result) {
            case TreeDescent.LOAD_PAGE -> load(operation, interruptible);
            case TreeDescent.WAIT_FOR_LOCK -> waitForLock(operation);
            case TreeDescent.MAKE_ROOM ->
                structure.makeRoom(
                        operation.tree(),
                        context,
                        operation.key(),
                        operation.keyBytes(),
                        operation.neededBytes(),
                        !interruptible);
            default -> throw new AssertionError("result=" + result);
        }
    }

    private void load(RecordOperation operation, boolean interruptible) {
        context.pageAccesses().countMiss();
        int frame;
        if (interruptible) {
            requireTime();
            frame = pool.frameInterruptibly(operation.neededPageId(), operation.isLongScan(), context.waiter());
        } else if (operation.isLongScan()) {
            frame = pool.frameForScan(operation.neededPageId(), context.waiter());
        } else {
            frame = pool.frame(operation.neededPageId(), context.waiter());
        }
        if (frame == BufferPool.NOT_RESIDENT) {
            // A snapshot still walks there. In memory its root is gone for good, and the walk would ask for it for
            // ever.
            operation.tree().requireNotDropped();
        }
    }

    /** A transaction begins. */
    void transactionBegins() {
        statementsUntilLook = STATEMENTS_PER_LOOK;
    }

    /**
     * A statement begins.
     *
     * @throws TransactionTimeoutException if the transaction has taken longer than it may, and it is time for a look
     */
    void statementBegins() {
        if (--statementsUntilLook < 0) {
            statementsUntilLook = STATEMENTS_PER_LOOK - 1;
            requireTime();
        }
    }

    /** How its statements wait for the pages of large values. */
    ChainWaits chainWaits() {
        return new StatementWaits(this);
    }

    /**
     * Looks at the time.
     *
     * @throws TransactionTimeoutException if the transaction has taken longer than it may
     */
    void requireTime() {
        if (isLate()) {
            throw new TransactionTimeoutException(late());
        }
    }

    /** Whether the transaction has taken longer than it may. */
    private boolean isLate() {
        long limitNanos = context.deadlineNanos();
        return limitNanos != Long.MAX_VALUE && InstalledTime.nanoTime() - limitNanos >= 0;
    }

    private String late() {
        return Message.of("the transaction took longer than it may")
                .with("transaction", context.transactionId())
                .remedy("roll back and run it again, make it shorter, or raise its timeout");
    }

    private void waitForLock(RecordOperation operation) {
        waitForLock(
                operation.tree(),
                operation.neededLockName(),
                operation.neededLockMode(),
                operation.neededLockInstant());
    }

    /**
     * Waits for a lock, as long as the transaction's options allow.
     *
     * @param place what the lock belongs to, for messages; null is nothing in particular
     * @param instant whether it is given back at once
     * @throws LockTimeoutException after the limit for one lock
     * @throws TransactionTimeoutException after the limit for the whole transaction
     */
    void waitForLock(Object place, long name, int mode, boolean instant) {
        context.lockOwner().setWaitPlace(place);
        long deadlineNanos = context.lockDeadlineNanos();
        try {
            if (instant) {
                locks.lockInstant(context.lockOwner(), name, mode, deadlineNanos);
            } else {
                locks.lock(context.lockOwner(), name, mode, deadlineNanos);
            }
        } catch (LockTimeoutException failure) {
            throw isLate() ? new TransactionTimeoutException(late(), failure) : failure;
        }
    }

    /** Merges the leaf of a removed record with a neighbour where it has become nearly empty. */
    public void mergeAfter(RecordOperation removal) {
        reserveStack(FRAMES_PER_WAIT);
        structure.mergeIfUnderfull(removal.tree(), context, removal.key(), removal.keyBytes());
    }
}
