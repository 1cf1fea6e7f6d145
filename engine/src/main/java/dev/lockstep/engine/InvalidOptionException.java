package dev.lockstep.engine;

/**
 * Thrown when an option or a capacity is outside its range, or contradicts another one.
 *
 * <p>Remedy: Give a value within the range in the message. Nothing was opened or created.
 */
public final class InvalidOptionException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 306;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public InvalidOptionException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public InvalidOptionException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
