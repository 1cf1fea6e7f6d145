package dev.lockstep.engine;

/**
 * Thrown when a transaction has run longer than its own limit, which is looked at where a statement is about to wait
 * for a lock or for a page, where a scan has found some hundred rows more, and at one of some ten statements: one that
 * calls for nothing, or commits, goes on.
 * It keeps its changes and locks, and can only be rolled back; {@link Database#run} and {@link Session#call} do that by
 * themselves.
 *
 * <p>Remedy: Run the transaction again, make it shorter, or raise the limit.
 */
public final class TransactionTimeoutException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 406;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TransactionTimeoutException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TransactionTimeoutException(String message, Throwable cause) {
        super(CODE, message, cause, true);
    }
}
