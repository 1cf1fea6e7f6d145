package dev.lockstep.engine;

/**
 * Thrown when the directory that a copy of a database is to go to holds something already. Nothing was changed.
 *
 * <p>Remedy: Name a directory that does not exist or is empty.
 */
public final class TargetNotEmptyException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 111;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TargetNotEmptyException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TargetNotEmptyException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
