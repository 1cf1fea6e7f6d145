package dev.lockstep.engine;

/**
 * Thrown when an earlier failure (a write or force of the log, an {@link Error} inside a latched change) made the
 * state in memory unreliable; every later operation ends with this exception.
 *
 * <p>Remedy: Close the database and open it again: recovery brings back what was acknowledged. The cause is the
 * first failure.
 */
public final class DatabaseFailedException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 201;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DatabaseFailedException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DatabaseFailedException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
