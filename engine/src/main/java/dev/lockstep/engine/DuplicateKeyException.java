package dev.lockstep.engine;

/**
 * Thrown when an insert or update would give two rows the same primary key or the same key of a unique index.
 *
 * <p>Remedy: Choose another key, or update the row that has it. Only the failed operation was undone; the
 * transaction may go on.
 */
public final class DuplicateKeyException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 302;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DuplicateKeyException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DuplicateKeyException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
