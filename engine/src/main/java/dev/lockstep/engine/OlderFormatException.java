package dev.lockstep.engine;

/**
 * Thrown when a file was written by an older version, in a format that this version no longer reads.
 *
 * <p>Remedy: Open it with a version that reads both formats, which rewrites it.
 */
public final class OlderFormatException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 106;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public OlderFormatException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public OlderFormatException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
