package dev.lockstep.engine;

/**
 * Thrown when no frame of the buffer pool could be freed: the data of an in-memory database filled the pool, or
 * more pages are latched or unwritable than the pool can spare.
 *
 * <p>Remedy: Give the pool more bytes in the options, or delete data. The transaction can only be rolled back; {@link
 * Database#run} and {@link Session#call} do that by themselves.
 */
public final class OutOfFramesException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 205;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public OutOfFramesException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public OutOfFramesException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
