package dev.lockstep.engine;

/**
 * Thrown when a transaction would be one more than may be open at the same time; it was not begun.
 *
 * <p>Remedy: Shed the work, or try again later: at once it would only find the others still running, so it is not
 * retried. Or raise {@link DatabaseOptions.Builder#openTransactionCountMax}.
 */
public final class BusyException extends LockstepException {
    /** What {@link #code()} returns for this class. It never changes. */
    public static final int CODE = 410;

    /**
     * Makes the exception.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     */
    public BusyException(String message) {
        this(message, null);
    }

    /**
     * Makes the exception with the failure that led to it.
     *
     * @param message what happened, with {@code name=value} pairs and the remedy (see {@link Message})
     * @param cause the failure that led to this one, or null
     */
    public BusyException(String message, Throwable cause) {
        super(CODE, message, cause);
    }
}
