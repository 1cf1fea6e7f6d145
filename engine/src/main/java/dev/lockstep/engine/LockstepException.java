package dev.lockstep.engine;

/**
 * The root of every exception that Lockstep throws on purpose.
 *
 * <p>Each subclass stands for one kind of failure, carries a numeric code that never changes, and says in its
 * documentation when it is thrown and what helps. The message names the values involved as {@code name=value} pairs,
 * the remedy, and the code. Codes from 101 are about files, from 201 about the state of the database, from 301 about
 * what the application handed in, from 401 about transactions and threads.
 *
 * <p>An exception of the 300s leaves everything as it was. After one of the 400s the documentation of the class says
 * whether the transaction was rolled back.
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

    /**
     * Makes the exception.
     *
     * @param code the code of the subclass
     * @param message what happened, with {@code name=value} pairs and the remedy
     * @param cause the failure that led to this one, or null
     */
    LockstepException(int code, String message, Throwable cause) {
        super(message + " [code=" + code + "]", cause);
        this.code = code;
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
     * @return true for deadlocks and timeouts, false for everything else
     */
    public boolean isRetryable() {
        return false;
    }
}
