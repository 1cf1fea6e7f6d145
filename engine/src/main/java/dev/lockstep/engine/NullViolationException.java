package dev.lockstep.engine;

/**
 * Thrown when a NOT NULL column was set to null, or left unset in a record to be inserted.
 *
 * <p>Remedy: Give the column a value, or declare it nullable.
 */
public final class NullViolationException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 303;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public NullViolationException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public NullViolationException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
