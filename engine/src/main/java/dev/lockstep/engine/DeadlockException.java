package dev.lockstep.engine;

/**
 * Thrown when transactions waited for each other in a cycle and this one, which had begun last, was chosen to give way.
 *
 * <p>The search is part of the request that closes the cycle, so a deadlock is broken when it forms, not after a time.
 * The message says who waited for whom: {@code cycle=17->9->17}, and for each member of the cycle what it waited for,
 * in which mode, and who held that or stood before it in the queue ({@code wait1}, {@code wait2} and so on, up to 16).
 * A transaction is named by its id, and by its session ({@code s4}) where it has changed nothing and has no id; the
 * name of its thread stands in parentheses.
 *
 * <p>The transaction keeps its changes and locks, and can only be rolled back; {@link Database#run} and {@link
 * Session#call} do that by themselves.
 *
 * <p>Remedy: Run the transaction again. Deadlocks become rare where all transactions lock in one order.
 */
public final class DeadlockException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 404;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public DeadlockException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public DeadlockException(String message, Throwable cause) {
        super(CODE, message, cause, true);
    }
}
