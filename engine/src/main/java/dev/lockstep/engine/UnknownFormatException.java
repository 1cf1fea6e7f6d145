package dev.lockstep.engine;

/**
 * Thrown when a file does not begin with the identification of a Lockstep file, or belongs to another database.
 *
 * <p>Remedy: Name the directory of a Lockstep database, and do not copy files from one database into another.
 */
public final class UnknownFormatException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 104;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public UnknownFormatException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public UnknownFormatException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
