package dev.lockstep.engine;

/**
 * Thrown when a file is shorter than its own header or its size rules say.
 *
 * <p>Remedy: Restore the file from a backup. It was cut off outside Lockstep: a crash leaves no such file.
 */
public final class TruncatedFileException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 107;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TruncatedFileException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TruncatedFileException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
