package dev.lockstep.engine;

/**
 * Thrown when a definition of a table or index is not valid, names something that exists already or does not
 * exist, or does not fit its use.
 *
 * <p>Remedy: Correct the definition or the name in the message. Nothing was changed.
 */
public final class SchemaException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 301;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public SchemaException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public SchemaException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
