package dev.lockstep.engine;

/**
 * Thrown when the database to be opened is a backup, or what was salvaged, that was not finished.
 *
 * <p>Remedy: Delete the directory and make the copy again.
 */
public final class IncompleteCopyException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 112;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public IncompleteCopyException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public IncompleteCopyException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
