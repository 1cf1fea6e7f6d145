package dev.lockstep.engine;

/**
 * Thrown when a snapshot was ended because the versions that it needed took more memory than the database may hold for
 * snapshots. The transaction can only be rolled back; a new one begins with a new snapshot.
 *
 * <p>Remedy: Read less in one snapshot, or raise {@link DatabaseOptions.Builder#snapshotBytesMax}.
 */
public final class SnapshotTooOldException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 409;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public SnapshotTooOldException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public SnapshotTooOldException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
