package dev.lockstep.engine;

/**
 * Thrown when a file could not grow because its file system or quota is full.
 *
 * <p>Remedy: Free space, roll the transaction back, which {@link Database#run} and {@link Session#call} do by
 * themselves, and repeat it. If the database was marked failed, close and reopen it: what was acknowledged is
 * recovered.
 */
public final class DiskFullException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 102;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DiskFullException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DiskFullException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
