package dev.lockstep.engine;

/**
 * Thrown when transactions waited for each other in a cycle and this one was chosen to give way; it was rolled
 * back.
 *
 * <p>Remedy: Run the transaction again. Deadlocks become rare where all transactions lock in one order.
 */
public final class DeadlockException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 404;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DeadlockException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DeadlockException(String message, Throwable cause) {
        super(CODE, message, cause);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
