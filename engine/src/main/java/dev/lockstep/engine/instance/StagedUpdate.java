package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.operation.InPlaceUpdateOperation;
import dev.lockstep.engine.operation.TeamUpdate;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.StagedWork;

/**
 * The update of one row, which was read before and of which a few bytes change, by an S-thread whose team's leader can
 * do it together with those of the others: the locks as of any {@link StagedChange}, and the rows of one leaf under one
 * hold of its latch, with one append to the log. What the leader has not done, because a lock is not free or a leaf was
 * changed since the row was read, the S-thread does on its own stack, from where the operation stands.
 *
 * <p>Invariant: what has struck in the leader's hands when the change was logged already is thrown on the stack of the
 * own S-thread, and the database is marked failed.
 *
 * <p>Used by one S-thread at a time, as any {@link StagedChange}.
 */
final class StagedUpdate extends StagedChange {
    private final TransactionContext context;

    // What this leads with; null before the first time.
    private TeamUpdate teamUpdateOrNull;
    private InPlaceUpdateOperation[] arrivedOrNull;

    StagedUpdate(OperationDriver driver, TransactionContext context) {
        super(driver);
        this.context = context;
    }

    private InPlaceUpdateOperation update() {
        return (InPlaceUpdateOperation) change();
    }

    @Override
    boolean isDone() {
        return update().isDone();
    }

    private static StagedUpdate of(StagedWork[] team, int member) {
        return (StagedUpdate) team[member];
    }

    @Override
    void runTogether(StagedWork[] team, int from, int to) {
        if (teamUpdateOrNull == null) {
            teamUpdateOrNull = new TeamUpdate(CHANGES_MAX);
            arrivedOrNull = new InPlaceUpdateOperation[CHANGES_MAX];
        }
        GroupPrefetch prefetch = driver.prefetch();
        tellSharedWork();
        for (int i = from; i < to; i++) {
            of(team, i).update().addPlaceLines(prefetch);
        }
        driver.runPrefetch();
        takeLocks(team, from, to);
        InPlaceUpdateOperation[] arrived = arrivedOrNull;
        int count = 0;
        for (int i = from; i < to; i++) {
            InPlaceUpdateOperation update = of(team, i).update();
            if (!update.isBeforeLock() && update.arrive()) {
                update.addRowLines(prefetch);
                arrived[count++] = update;
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

    private void change(StagedWork[] team, int from, int to, int first, int end) {
        try {
            teamUpdateOrNull.change(arrivedOrNull, first, end, context.record());
        } catch (RuntimeException | Error thrown) {
            if (teamUpdateOrNull.hasFailedInside()) {
                // Changes are in the log and not in the page, which is why the database is marked failed.
                for (int i = from; i < to; i++) {
                    of(team, i).failed(of(team, i).isDone() ? null : thrown);
                }
            }
            throw thrown;
        }
    }
}
