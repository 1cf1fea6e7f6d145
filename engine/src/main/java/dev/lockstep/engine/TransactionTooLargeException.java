package dev.lockstep.engine;

/**
 * Thrown when a transaction changed more than one transaction may, by its undo or by its log, after which it can only
 * be rolled back; or when it did nothing for so long that too much log was kept for it, and the engine has rolled it
 * back.
 *
 * <p>Remedy: Split the work into several transactions, or raise the limit named in the message.
 */
public final class TransactionTooLargeException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 408;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TransactionTooLargeException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TransactionTooLargeException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
