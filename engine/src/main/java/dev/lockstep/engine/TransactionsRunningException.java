package dev.lockstep.engine;

/**
 * Thrown when {@code close()} or {@code validate()} was called while transactions were running; the database stays
 * open.
 *
 * <p>Remedy: End or roll back the transactions named in the message, then close again.
 */
public final class TransactionsRunningException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 204;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TransactionsRunningException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TransactionsRunningException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
