package dev.lockstep.engine;

/**
 * Thrown when bytes read from a file contradict their checksum or the rules of their format.
 *
 * <p>Remedy: Restore the database from a backup and examine the medium. Lockstep never returns such data.
 */
public final class CorruptionException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 108;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public CorruptionException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public CorruptionException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
