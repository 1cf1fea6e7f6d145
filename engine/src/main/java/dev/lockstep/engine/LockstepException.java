package dev.lockstep.engine;

/**
 * The root of every exception that the engine throws on purpose, but for some of Java's own: an {@link
 * IndexOutOfBoundsException} for a position that a batch or key does not have, an {@link IllegalStateException} where
 * the platform's server of beans fails, and a {@link NullPointerException} for null where that is not allowed. The
 * messages of the first two have the same form, without a code. A {@link dev.lockstep.scheduler.PinnedSThreadException}
 * of the scheduler goes through the engine as it is.
 *
 * <p>Each subclass stands for one kind of failure, carries a numeric code that never changes, and says in its
 * documentation when it is thrown and what helps. The message names the values involved as {@code name=value} pairs,
 * the remedy, and the code. Codes from 101 are about files, from 201 about the state of the database, from 301 about
 * what the application handed in, from 401 about transactions and threads.
 *
 * <p>An exception of the 300s leaves everything as it was. After one of the 400s the documentation of the class says
 * what becomes of the transaction.
 */
public abstract sealed class LockstepException extends RuntimeException
        permits StorageException,
                DiskFullException,
                MissingFileException,
                UnknownFormatException,
                NewerFormatException,
                OlderFormatException,
                TruncatedFileException,
                CorruptionException,
                UncleanShutdownException,
                DatabaseInUseException,
                TargetNotEmptyException,
                IncompleteCopyException,
                DatabaseFailedException,
                DatabaseClosedException,
                ReadOnlyException,
                TransactionsRunningException,
                OutOfFramesException,
                MaintenanceRefusedException,
                SchemaException,
                DuplicateKeyException,
                NullViolationException,
                ValueOutOfRangeException,
                RecordTooLargeException,
                InvalidOptionException,
                WrongThreadException,
                LeakedHandleException,
                TransactionStateException,
                DeadlockException,
                LockTimeoutException,
                TransactionTimeoutException,
                InterruptedOperationException,
                TransactionTooLargeException,
                SnapshotTooOldException,
                BusyException {
    private final int code;

    /** Not a method to override: see {@link #isRetryable()}. */
    private final boolean retryable;

    /**
     * Makes the exception of a failure that another attempt does not mend.
     *
     * @param code the code of the subclass
     * @param message what happened, with {@code name=value} pairs and the remedy
     * @param cause the failure that led to this one, or null
     */
    LockstepException(int code, String message, Throwable cause) {
        this(code, message, cause, false);
    }

    /**
     * Makes the exception.
     *
     * @param code the code of the subclass
     * @param message what happened, with {@code name=value} pairs and the remedy
     * @param cause the failure that led to this one, or null
     * @param retryable what {@link #isRetryable()} says
     */
    LockstepException(int code, String message, Throwable cause, boolean retryable) {
        super(message + " [code=" + code + "]", cause);
        this.code = code;
        this.retryable = retryable;
    }

    /**
     * The number of this kind of failure, for programs and for searching; the same in every version.
     *
     * @return a positive number, different for every subclass
     */
    public final int code() {
        return code;
    }

    /**
     * Whether running the same transaction again, unchanged, is likely to succeed, because it failed on other
     * transactions that ran at the same time and not on what it did itself.
     *
     * <p>The answer lies in a field, because a handler that was compiled before the first deadlock of its JVM may still
     * run for that deadlock: where a virtual thread that has been suspended meets an exception in a frame which has not
     * been back on a carrier's stack since, HotSpot (25.0.3) goes on in the old code, though loading the class of the
     * exception has made it invalid. A method that subclasses override is then the one of this class.
     *
     * @return true for deadlocks and timeouts, false for everything else
     */
    public final boolean isRetryable() {
        return retryable;
    }
}
