package dev.lockstep.engine;

/**
 * Thrown when a database that was run without a log was not closed before its process ended, so its pages cannot
 * be trusted.
 *
 * <p>Remedy: Ask for an empty start in the options, or load the data again. Durability {@code SYNC} or {@code
 * ASYNC} prevents this.
 */
public final class UncleanShutdownException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 109;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public UncleanShutdownException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public UncleanShutdownException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
