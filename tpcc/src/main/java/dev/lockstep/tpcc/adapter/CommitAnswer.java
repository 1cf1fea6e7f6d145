package dev.lockstep.tpcc.adapter;

/**
 * Where a terminal waits until what it committed is as durable as was asked for, so that it needs no session meanwhile.
 * Used by one thread at a time.
 */
public interface CommitAnswer {
    /** Of an engine whose commits return when all is done. */
    CommitAnswer AT_ONCE = new CommitAnswer() {
        @Override
        public boolean isPending() {
            return false;
        }

        @Override
        public void await() {
            // Nothing is ever pending.
        }
    };

    /** Whether there is something to wait for. */
    boolean isPending();

    /** Waits for it; a failure means that the run has failed. */
    void await();
}
