package dev.lockstep.engine;

/**
 * Thrown when the directory is open in another process, or a second time in this one.
 *
 * <p>Remedy: Close the other database object or end the other process, then open again.
 */
public final class DatabaseInUseException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 110;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DatabaseInUseException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DatabaseInUseException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
