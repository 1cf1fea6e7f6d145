package dev.lockstep.engine;

/**
 * Thrown when the operating system refused to read, write, force, list, rename or lock a file of the database.
 *
 * <p>Remedy: Check the medium, the permissions and the limits of the process. The cause names the system's own
 * reason. A failed write or force of the log marks the database failed (see {@link DatabaseFailedException}).
 */
public final class StorageException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 101;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public StorageException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public StorageException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
