package dev.lockstep.engine;

/**
 * Thrown when a change was asked of a database opened read-only, or of a read-only transaction.
 *
 * <p>Remedy: Open the database, or run the transaction, for writing.
 */
public final class ReadOnlyException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 203;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public ReadOnlyException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public ReadOnlyException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
