package dev.lockstep.engine;

/**
 * Thrown when an operation does not fit the state of its transaction, session, savepoint, cursor, batch or row: it
 * ended already or must be rolled back, a cursor was closed or is moving already, a row that was fetched has another
 * key, a batch has no room for one more.
 *
 * <p>Remedy: Follow the order that the method's documentation gives. A transaction that must be rolled back can do
 * nothing else.
 */
public final class TransactionStateException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 403;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public TransactionStateException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public TransactionStateException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
