package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.PendingCommit;
import dev.lockstep.tpcc.adapter.CommitAnswer;

/** The engine's own way to wait for the disk without a session. */
record LockstepAnswer(PendingCommit commit) implements CommitAnswer {
    @Override
    public boolean isPending() {
        return commit.isPending();
    }

    @Override
    public void await() {
        commit.await();
    }
}
