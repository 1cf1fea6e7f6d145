package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.StagedWork;

/**
 * The fetches of one statement of an S-thread, whose stages another member of its team can run together with those of
 * its own: a staged team. What they have not come to when their S-thread goes on, because they would have had to wait
 * or because nobody has led the team, it runs on its own stack.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code running} holds the fetches under way before index {@code left}, those that are done behind; {@code next}
 *       is the one whose stage comes next.
 *   <li>{@code result} is what that one has to wait for, or {@link TreeDescent#CONTINUE}. Then no other of the
 *       statement goes on: locks are taken in the order of the keys.
 *   <li>What a fetch has thrown is kept in {@code failure}, and thrown on the stack of its own S-thread.
 * </ul>
 *
 * Used by one S-thread at a time: its own, or the leader of its team while its own is inside {@link #run}.
 */
final class StagedFetch extends StagedOperation {
    private final FetchOperation[] running = new FetchOperation[FetchChunks.FETCHES_MAX];
    private final FetchOperation[] alone = new FetchOperation[1];
    private int left;
    private int next;
    private int result;
    private boolean hintsFollowed;
    private boolean locksTried;
    private Throwable failure;

    /** What is asked for together while this leads; null before the first time. */
    private LockRequests requestsOrNull;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    StagedFetch(OperationDriver driver) {
        super(driver);
    }

    /**
     * Runs one fetch to its end, see below.
     *
     * @param list number of the fetch's list in the scheduler
     */
    void run(FetchOperation fetch, int list) {
        alone[0] = fetch;
        run(alone, 1, list);
    }

    /**
     * Runs fetches to the end of all, in a team if there is one.
     *
     * @param fetches of the driver's transaction, started {@linkplain FetchOperation#besideOthers beside others}
     * @param count 1 to {@link FetchChunks#FETCHES_MAX}
     * @param list number of the fetches' list in the scheduler
     */
    void run(FetchOperation[] fetches, int count, int list) {
        // For the waits of these fetches, and for leading, which calls less deeply.
        driver.reserveStackToWait();
        start(fetches, count);
        SThread sThread = driver.sThread();
        try {
            sThread.beginOperation(list, this);
            sThread.countBatch(count);
            if (!hintsFollowed) {
                touched = touchHints();
                followHints();
            }
            // Ends like every loop of the driver.
            while (left > 0) {
                goOn();
                sThread.switchPoint();
            }
            rethrow();
        } finally {
            sThread.endOperation();
        }
    }

    /** Begins with fetches, none of which has taken a stage. */
    void start(FetchOperation[] fetches, int count) {
        System.arraycopy(fetches, 0, running, 0, count);
        left = count;
        next = 0;
        result = TreeDescent.CONTINUE;
        hintsFollowed = false;
        locksTried = false;
        failure = null;
    }

    /** On the own stack: waits where that is what comes next, and otherwise runs the rest of a round. */
    private void goOn() {
        if (result != TreeDescent.CONTINUE) {
            driver.waitFor(running[next], result, true);
            result = TreeDescent.CONTINUE;
            next++;
            return;
        }
        if (next == 0) {
            GroupPrefetch prefetch = driver.prefetch();
            addNextLines(prefetch);
            driver.runPrefetch();
            if (!locksTried && left > 1) {
                LockRequests requests = requests();
                addRequests(requests);
                tryLocks(requests);
                takeGranted(requests, 0);
                requests.clear();
            }
        }
        runRound(null);
    }

    private LockRequests requests() {
        if (requestsOrNull == null) {
            requestsOrNull = new LockRequests(FetchChunks.FETCHES_MAX);
        }
        requestsOrNull.clear();
        return requestsOrNull;
    }

    private void tryLocks(LockRequests requests) {
        if (requests.count() > 0) {
            driver.locks().tryLockKeys(requests);
        }
    }

    /** Asks for the locks of all fetches, in the order of the keys. */
    private void addRequests(LockRequests requests) {
        locksTried = true;
        for (int i = 0; i < left; i++) {
            if (running[i].isBeforeLock()) {
                running[i].requestLock(requests);
            }
        }
    }

    /**
     * Has the fetches go on whose locks were granted. The others try by themselves what they then wait for.
     *
     * @param number of the first request of this statement
     * @return number behind its last
     */
    private int takeGranted(LockRequests requests, int number) {
        int request = number;
        for (int i = 0; i < left; i++) {
            if (running[i].isBeforeLock() && requests.isGranted(request++)) {
                running[i].lockGranted();
            }
        }
        return request;
    }

    /** One pass through each stripe of the lock table for the locks of all members. */
    private void takeLocks(StagedWork[] team, int from, int end) {
        LockRequests requests = requests();
        for (int i = from; i < end; i++) {
            of(team, i).addRequests(requests);
        }
        tryLocks(requests);
        int request = 0;
        for (int i = from; i < end; i++) {
            request = of(team, i).takeGranted(requests, request);
        }
        requests.clear();
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
    TreeDescent walk() {
        return running[0];
    }

    private long touchHints() {
        long sum = 0;
        for (int i = 0; i < left; i++) {
            sum += running[i].touchHint();
        }
        return sum;
    }

    private void followHints() {
        for (int i = 0; i < left; i++) {
            running[i].followHint();
        }
        hintsFollowed = true;
    }

    private void addNextLines(GroupPrefetch prefetch) {
        for (int i = 0; i < left; i++) {
            running[i].addNextLines(prefetch);
        }
    }

    /**
     * Runs a stage of each fetch whose turn in this round has not come.
     *
     * @param before the fetch of another member whose stage has come before in this round, or null
     * @return false if all are done, or one has to wait or has failed
     */
    private boolean runRound(FetchOperation before) {
        FetchOperation ahead = before;
        try {
            while (next < left) {
                FetchOperation fetch = running[next];
                int stageResult = fetch.stepBehind(ahead);
                ahead = fetch;
                if (stageResult == TreeDescent.DONE) {
                    // In the first round those behind have yet to be locked, in their order.
                    System.arraycopy(running, next + 1, running, next, --left - next);
                    running[left] = fetch;
                } else if (stageResult == TreeDescent.CONTINUE) {
                    next++;
                } else {
                    result = stageResult;
                    return false;
                }
            }
            next = 0;
            return left > 0;
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            left = 0;
            return false;
        }
    }

    @Override
    public void runTogether(StagedWork[] team, int count) {
        int members = withoutOthers(team, count);
        int from = 0;
        while (from < members) {
            int to = from;
            int fetches = 0;
            // As many members as there may be fetches side by side, but one at least.
            while (to < members && (to == from || fetches + of(team, to).left <= FetchChunks.FETCHES_MAX)) {
                fetches += of(team, to).left;
                to++;
            }
            runTogether(team, from, to);
            from = to;
        }
    }

    private static StagedFetch of(StagedWork[] team, int member) {
        return (StagedFetch) team[member];
    }

    private void runTogether(StagedWork[] team, int from, int to) {
        GroupPrefetch prefetch = driver.prefetch();
        long sum = 0;
        // A loop so short that the processor is in its next turns while it waits for the first.
        for (int i = from; i < to; i++) {
            sum += of(team, i).touchHints();
        }
        touched = sum;
        for (int i = from; i < to; i++) {
            of(team, i).tellOwner();
            of(team, i).followHints();
        }
        sortByKey(team, from, to);
        int end = to;
        boolean locking = true;
        while (from < end) {
            tellSharedWork();
            for (int i = from; i < end; i++) {
                of(team, i).addNextLines(prefetch);
            }
            driver.runPrefetch();
            if (locking) {
                takeLocks(team, from, end);
                locking = false;
            }
            FetchOperation ahead = null;
            int i = from;
            while (i < end) {
                StagedFetch member = of(team, i);
                FetchOperation last = member.running[Math.max(0, member.left - 1)];
                member.tellOwner();
                boolean goesOn = member.runRound(ahead);
                ahead = last;
                if (goesOn) {
                    i++;
                } else {
                    team[i] = team[--end];
                    team[end] = member;
                }
            }
        }
    }
}
