package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.operation.InPlaceUpdateOperation;
import dev.lockstep.engine.operation.TeamUpdate;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.StagedWork;

/**
 * The update of one row, which was read before and of which a few bytes change, by an S-thread whose team's leader can
 * do it together with those of the others: the locks of all in one pass through each stripe of the lock table, and the
 * rows of one leaf under one hold of its latch, with one append to the log. What the leader has not done, because a
 * lock is not free or a leaf was changed since the row was read, the S-thread does on its own stack, from where the
 * operation stands.
 *
 * <p>Invariant: {@code failure} is what has struck in the leader's hands when the change was logged already; it is
 * thrown on the stack of the own S-thread, and the database is marked failed.
 *
 * <p>Used by one S-thread at a time: its own, or the leader of its team while its own is inside {@link #run}.
 */
final class StagedUpdate extends StagedOperation {
    /** As many as fetches that are staged together: what they read is on its way from memory at a time. */
    private static final int UPDATES_MAX = FetchChunks.FETCHES_MAX;

    private final TransactionContext context;
    private InPlaceUpdateOperation update;
    private Throwable failure;

    // What this leads with; null before the first time.
    private LockRequests requestsOrNull;
    private TeamUpdate teamUpdateOrNull;
    private InPlaceUpdateOperation[] arrivedOrNull;

    StagedUpdate(OperationDriver driver, TransactionContext context) {
        super(driver);
        this.context = context;
    }

    /** Begins with an update of one row, started, of which no stage has run. */
    void start(InPlaceUpdateOperation started) {
        update = started;
        failure = null;
    }

    /**
     * Runs an update of one row to its end, in a team if there is one.
     *
     * @param list number of the update's list in the scheduler
     */
    void run(InPlaceUpdateOperation started, int list) {
        // For the waits of this update, and for leading, which calls less deeply.
        driver.reserveStackToWait();
        start(started);
        SThread sThread = driver.sThread();
        try {
            sThread.beginOperation(list, this);
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
            if (failure instanceof Error error) {
                throw error;
            }
            if (!update.isDone()) {
                driver.runWithSwitchPoints(update, sThread);
            }
        } finally {
            sThread.endOperation();
        }
    }

    @Override
    public void runTogether(StagedWork[] team, int count) {
        if (requestsOrNull == null) {
            requestsOrNull = new LockRequests(UPDATES_MAX);
            teamUpdateOrNull = new TeamUpdate(UPDATES_MAX);
            arrivedOrNull = new InPlaceUpdateOperation[UPDATES_MAX];
        }
        int members = withoutOtherDatabases(team, count);
        try {
            for (int from = 0; from < members; from += UPDATES_MAX) {
                runTogether(team, from, Math.min(members, from + UPDATES_MAX));
            }
        } catch (RuntimeException | Error thrown) {
            // Who is not done goes on by itself, and meets again what concerns it.
            if (!update.isDone()) {
                throw thrown;
            }
        }
    }

    private static StagedUpdate of(StagedWork[] team, int member) {
        return (StagedUpdate) team[member];
    }

    private void runTogether(StagedWork[] team, int from, int to) {
        GroupPrefetch prefetch = driver.prefetch();
        tellSharedWork();
        for (int i = from; i < to; i++) {
            of(team, i).update.addPlaceLines(prefetch);
        }
        driver.runPrefetch();
        takeLocks(team, from, to);
        InPlaceUpdateOperation[] arrived = arrivedOrNull;
        int count = 0;
        for (int i = from; i < to; i++) {
            StagedUpdate member = of(team, i);
            if (!member.update.isBeforeLock() && member.update.arrive()) {
                member.update.addRowLines(prefetch);
                arrived[count++] = member.update;
            }
        }
        driver.runPrefetch();
        TeamUpdate.sort(arrived, count);
        int first = 0;
        while (first < count) {
            int end = TeamUpdate.endOfLeaf(arrived, first, count);
            change(team, from, to, first, end);
            first = end;
        }
    }

    private void takeLocks(StagedWork[] team, int from, int to) {
        LockRequests requests = requestsOrNull;
        requests.clear();
        for (int i = from; i < to; i++) {
            of(team, i).update.requestLock(requests);
        }
        driver.locks().tryLockKeys(requests);
        for (int i = from; i < to; i++) {
            if (requests.isGranted(i - from)) {
                of(team, i).update.lockGranted();
            }
        }
        requests.clear();
    }

    private void change(StagedWork[] team, int from, int to, int first, int end) {
        try {
            teamUpdateOrNull.change(arrivedOrNull, first, end, context.record());
        } catch (RuntimeException | Error thrown) {
            if (teamUpdateOrNull.hasFailedInside()) {
                // Changes are in the log and not in the page, which is why the database is marked failed.
                for (int i = from; i < to; i++) {
                    of(team, i).failure = of(team, i).update.isDone() ? null : thrown;
                }
            }
            throw thrown;
        }
    }

    /** Neither the loops nor what is done for a leaf belongs to one member. */
    private static void tellSharedWork() {
        if (InstalledProbe.isPresent()) {
            InstalledProbe.doesSharedWork();
        }
    }
}
