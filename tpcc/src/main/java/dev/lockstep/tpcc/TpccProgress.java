package dev.lockstep.tpcc;

import java.time.Duration;

/** Told how a run gets on, about ten times a second; from one thread at a time. */
public interface TpccProgress {
    /** Tells nobody. */
    TpccProgress NONE = new TpccProgress() {};

    /** What is being done. */
    enum Phase {
        LOAD,
        CHECK_LOADED,
        WARM_UP,
        MEASURE,
        CHECK_RESULT
    }

    /** A phase begins. */
    default void phase(Phase phase) {}

    /** Rows loaded so far, of about that many. */
    default void loaded(long rows, long rowsEstimated) {}

    /** Transactions brought to an end so far, warm-up included, since the terminals were started. */
    default void running(long transactions, Duration elapsed) {}

    /**
     * Called by a terminal in front of the last transactions of the warm-up, in runs of a number of transactions: for
     * what has to be as it will be in the measured phase, and begin with the same transaction in each run.
     */
    default void settling() {}

    /**
     * Called when the measured time is over and the terminals' threads are still there: to read what they take with
     * them, quickly.
     */
    default void measureEnds() {}

    /** Called when the measured phase has ended: all that follows is not measured. */
    default void measured() {}
}
