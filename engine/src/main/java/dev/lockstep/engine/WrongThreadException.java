package dev.lockstep.engine;

/**
 * Thrown when a transaction, or one of its cursors, was used by a thread other than the one that began it. Keys and
 * records are not looked at.
 *
 * <p>Remedy: Use each handle from one thread only, and give every thread its own.
 */
public final class WrongThreadException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 401;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public WrongThreadException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public WrongThreadException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
