package dev.lockstep.engine;

/**
 * Thrown when a cursor was still open when its transaction was to be committed, which stays open (a rollback closes its
 * cursors), or a transaction was dropped without commit or rollback.
 *
 * <p>Remedy: Close cursors in a try-with-resources statement inside the transaction.
 */
public final class LeakedHandleException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 402;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public LeakedHandleException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public LeakedHandleException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
