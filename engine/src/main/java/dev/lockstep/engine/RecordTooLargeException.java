package dev.lockstep.engine;

/**
 * Thrown when the key or the value of a record is larger than a page layout or overflow chain can hold.
 *
 * <p>Remedy: Shorten the columns named in the message, or split the row over several rows. Nothing was changed.
 */
public final class RecordTooLargeException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 305;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public RecordTooLargeException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public RecordTooLargeException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
