package dev.lockstep.engine;

/**
 * Thrown when a lock was not granted within the lock timeout of the transaction. It keeps its changes and locks, and
 * can only be rolled back; {@link Database#run} and {@link Session#call} do that by themselves.
 *
 * <p>Remedy: Run the transaction again, keep transactions short, or raise the timeout.
 */
public final class LockTimeoutException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 405;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public LockTimeoutException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public LockTimeoutException(String message, Throwable cause) {
        super(CODE, message, cause, true);
    }
}
