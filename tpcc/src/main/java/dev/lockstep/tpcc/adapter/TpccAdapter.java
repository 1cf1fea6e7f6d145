package dev.lockstep.tpcc.adapter;

/** A database engine that the workload can run on. Thread-safe; what it opens is used by one thread at a time. */
public interface TpccAdapter extends AutoCloseable {
    /** The engine's name, as the command line spells it. */
    String name();

    /** Most sessions that may be open at a time; 1 for engines without concurrency control. */
    int sessionsMax();

    /**
     * The isolation level that transactions of a type really run at, in the words of the SQL standard, or {@code none}.
     */
    String isolation(TransactionType type);

    /**
     * Why an attempt that failed may be tried again with the same input, or null where it may not.
     *
     * @param failure what a session's method threw
     */
    default AbortReason retryReason(RuntimeException failure) {
        return failure instanceof RetryableTransactionException retryable ? retryable.reason() : null;
    }

    /**
     * Opens a session. Terminals take turns with it: one thread uses it at a time, not always the same, and another one
     * may close it when it is idle.
     */
    TpccSession openSession();

    /** Makes an answer to commits; the same one for all where they are answered at once. */
    default CommitAnswer newAnswer() {
        return CommitAnswer.AT_ONCE;
    }

    /** Opens a loader; as many at a time as there may be sessions. */
    TpccLoader openLoader();

    /** Called once after loading: the place for statistics and for indexes that are built last. */
    void loaded();

    /** Opens a scanner. */
    TpccScanner openScanner();

    /** Closes the engine. What it keeps in memory is lost. */
    @Override
    void close();
}
