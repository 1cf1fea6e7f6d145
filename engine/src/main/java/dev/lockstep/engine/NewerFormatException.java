package dev.lockstep.engine;

/**
 * Thrown when a file was written by a newer version, in a format that this version cannot read.
 *
 * <p>Remedy: Open it with the version that wrote it, or a later one.
 */
public final class NewerFormatException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 105;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public NewerFormatException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public NewerFormatException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
