package dev.lockstep.engine;

/**
 * Thrown when a value does not fit its column: too large, too long, too many digits, or not well-formed.
 *
 * <p>Remedy: Give a value within the limits in the message, or declare the column wider. Nothing was changed.
 */
public final class ValueOutOfRangeException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 304;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public ValueOutOfRangeException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public ValueOutOfRangeException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
