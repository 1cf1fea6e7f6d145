package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.operation.ChangeOperation;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.StagedWork;

/**
 * A change by an S-thread, of one row or several, which its team's leader can bring to its leaf together with those of
 * the others: the locks of single rows in one pass through each stripe of the lock table, and the descents a node of
 * each in turn, so that they wait for memory together. The change of the leaf, which is latched and logged, is the
 * S-thread's, and what the leader has not come to, because it would have had to wait.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code result} is what the last stage has said: what the S-thread has to wait for, or {@link TreeDescent#DONE}
 *       where nothing is left to it.
 *   <li>What a stage has thrown in the leader's hands is kept in {@code failure}, and thrown on the stack of the own
 *       S-thread.
 * </ul>
 *
 * <p>Used by one S-thread at a time: its own, or the leader of its team while its own is inside {@link #run}.
 */
class StagedChange extends StagedOperation {
    /** As many as fetches that are staged together: what they read is on its way from memory at a time. */
    static final int CHANGES_MAX = FetchChunks.FETCHES_MAX;

    private ChangeOperation change;
    private int result;
    private Throwable failure;

    /** What is asked for together while this leads; null before the first time. */
    private LockRequests requestsOrNull;

    StagedChange(OperationDriver driver) {
        super(driver);
    }

    /** Begins with a change of which no stage has run. */
    final void start(ChangeOperation started) {
        change = started;
        result = TreeDescent.CONTINUE;
        failure = null;
    }

    final ChangeOperation change() {
        return change;
    }

    @Override
    final TreeDescent walk() {
        return change;
    }

    /** Keeps what was thrown in the leader's hands. */
    final void failed(Throwable thrown) {
        failure = thrown;
    }

    /**
     * Runs a change to its end, in a team if there is one.
     *
     * @param started of the driver's transaction
     * @param list number of the change's list in the scheduler
     * @param rows how many it is of
     */
    final void run(ChangeOperation started, int list, int rows) {
        // For the waits of this change, and for leading, which calls less deeply.
        driver.reserveStackToWait();
        start(started);
        SThread sThread = driver.sThread();
        try {
            sThread.beginOperation(list, this);
            sThread.countBatch(rows);
            rethrow();
            if (result != TreeDescent.CONTINUE && result != TreeDescent.DONE) {
                driver.waitFor(started, result, true);
            }
            if (!isDone()) {
                driver.runWithSwitchPoints(started, sThread);
            }
        } finally {
            sThread.endOperation();
        }
    }

    /** Whether nothing is left to do. */
    boolean isDone() {
        return result == TreeDescent.DONE;
    }

    private void rethrow() {
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    @Override
    public final void runTogether(StagedWork[] team, int count) {
        int members = withoutOthers(team, count);
        try {
            for (int from = 0; from < members; from += CHANGES_MAX) {
                runTogether(team, from, Math.min(members, from + CHANGES_MAX));
            }
        } catch (RuntimeException | Error thrown) {
            // Who is not done goes on by itself, and meets again what concerns it; but not where the stack was full:
            // a latch may be held for good, which nobody would wait for if the database is marked failed.
            if (!isDone() || thrown instanceof StackOverflowError) {
                throw thrown;
            }
        }
    }

    private static StagedChange of(StagedWork[] team, int member) {
        return (StagedChange) team[member];
    }

    /**
     * Brings as many as fit in a loop to their leaves.
     *
     * @param from index of the first member
     * @param to index behind the last, at most {@link #CHANGES_MAX} more
     */
    void runTogether(StagedWork[] team, int from, int to) {
        takeLocks(team, from, to);
        for (int i = from; i < to; i++) {
            of(team, i).change.walkBesideOthers(true);
        }
        try {
            int end = to;
            boolean sorted = false;
            // Ends: each turn brings every change a node closer to its leaf, or leaves it to its S-thread.
            while (from < end) {
                addNextLines(team, from, end);
                ChangeOperation ahead = null;
                int i = from;
                while (i < end) {
                    StagedChange member = of(team, i);
                    if (member.comeCloser(ahead)) {
                        i++;
                    } else {
                        team[i] = team[--end];
                        team[end] = member;
                    }
                    ahead = member.change;
                }
                if (!sorted) {
                    // Whoever is left has no position to begin at, and now knows whether there is a hint.
                    sortByKey(team, from, end);
                    sorted = true;
                }
            }
            addNextLines(team, from, to);
        } finally {
            for (int i = from; i < to; i++) {
                of(team, i).change.walkBesideOthers(false);
            }
        }
    }

    /** Has what the changes read next on its way from memory. */
    private void addNextLines(StagedWork[] team, int from, int to) {
        GroupPrefetch prefetch = driver.prefetch();
        tellSharedWork();
        for (int i = from; i < to; i++) {
            of(team, i).change.addNextLines(prefetch);
        }
        driver.runPrefetch();
    }

    /**
     * Runs the next stage, which is not the change of the leaf.
     *
     * @param ahead the change whose stage has come before in this round, or null
     * @return false if the S-thread has to go on
     */
    private boolean comeCloser(ChangeOperation ahead) {
        if (change.isAtLeaf()) {
            return false;
        }
        tellOwner();
        try {
            result = change.stepBehind(ahead);
            return result == TreeDescent.CONTINUE && !change.isAtLeaf();
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            return false;
        }
    }

    /** One pass through each stripe of the lock table for the locks of all that need a single one. */
    final void takeLocks(StagedWork[] team, int from, int to) {
        if (requestsOrNull == null) {
            requestsOrNull = new LockRequests(CHANGES_MAX);
        }
        LockRequests requests = requestsOrNull;
        requests.clear();
        for (int i = from; i < to; i++) {
            ChangeOperation member = of(team, i).change;
            if (member.isBeforeLock()) {
                member.requestLock(requests);
            }
        }
        if (requests.count() > 0) {
            driver.locks().tryLockKeys(requests);
        }
        int request = 0;
        for (int i = from; i < to; i++) {
            ChangeOperation member = of(team, i).change;
            if (member.isBeforeLock() && requests.isGranted(request++)) {
                member.lockGranted();
            }
        }
        requests.clear();
    }
}
