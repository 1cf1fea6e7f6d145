package dev.lockstep.engine;

/**
 * Thrown when an operation was called on a database that is closed or being closed, or on a handle of such a
 * database.
 *
 * <p>Remedy: Open the database again, and use no handle of the closed one.
 */
public final class DatabaseClosedException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 202;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DatabaseClosedException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DatabaseClosedException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
