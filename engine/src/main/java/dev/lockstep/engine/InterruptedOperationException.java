package dev.lockstep.engine;

/**
 * Thrown when the thread was interrupted while a statement waited: for a lock, a page, a frame or room in the log. The
 * interrupt flag stays set. The transaction keeps its changes and locks, and can only be rolled back; {@link
 * Database#run} and {@link Session#call} do that by themselves.
 *
 * <p>What has to go through waits all the same and leaves the flag set: a commit for the disk, whose outcome would else
 * be unknown, a rollback, a split or merge of pages, and whatever opens, closes or looks after a database.
 *
 * <p>Remedy: Clear the flag with {@link dev.lockstep.scheduler.SThread#interrupted()}, or {@link Thread#interrupted()}
 * where no S-threads are used, if the work shall go on, then run the transaction again.
 */
public final class InterruptedOperationException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 407;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public InterruptedOperationException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public InterruptedOperationException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
