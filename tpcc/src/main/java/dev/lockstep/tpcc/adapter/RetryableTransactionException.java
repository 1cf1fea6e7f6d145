package dev.lockstep.tpcc.adapter;

/**
 * An attempt failed for a reason that goes away when the same input is tried again. The session is to be rolled back,
 * whether or not the engine has done so already.
 */
public final class RetryableTransactionException extends RuntimeException {
    private final AbortReason reason;

    /**
     * @param reason what made the attempt fail
     * @param cause the engine's own exception; it carries the stack trace
     */
    public RetryableTransactionException(AbortReason reason, Throwable cause) {
        super("transaction can be tried again reason=" + reason, cause, false, false);
        this.reason = reason;
    }

    /** What made the attempt fail. */
    public AbortReason reason() {
        return reason;
    }
}
