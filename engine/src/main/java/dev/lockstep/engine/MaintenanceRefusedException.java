package dev.lockstep.engine;

/**
 * Thrown when a backup, a compaction or a validation cannot begin: another one is under way, or the database has
 * nothing that it could work on; and when the listener of one wants to close the database. Nothing was changed.
 *
 * <p>Remedy: Wait until the other one has ended, or use a database with files and a log; close behind the call.
 */
public final class MaintenanceRefusedException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 206;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public MaintenanceRefusedException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public MaintenanceRefusedException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
