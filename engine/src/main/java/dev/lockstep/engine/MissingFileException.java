package dev.lockstep.engine;

/**
 * Thrown when the database to be opened, or a file that belongs to it, is not there.
 *
 * <p>Remedy: Check the directory, restore the file from a backup, or allow the database to be created.
 */
public final class MissingFileException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 103;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public MissingFileException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public MissingFileException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
