package dev.lockstep.engine.file;

/**
 * Is told when a part of the engine could not do in the background what it must, so that whoever owns the database can
 * mark it failed or let operations fail with the cause.
 *
 * <p>Called on an engine-owned thread that holds no latch and no lock; it must neither block nor throw.
 */
@FunctionalInterface
public interface FailureListener {
    /** A listener for owners that learn of failures by the exceptions of their own calls. */
    FailureListener IGNORE = (cause, isFatal) -> {};

    /**
     * Something failed.
     *
     * @param cause why
     * @param isFatal true if what is on disk can no longer be trusted to follow (a failed force), so that the database
     *     must be marked failed; false if nothing was lost and the same may succeed later (a full disk)
     */
    void failed(Throwable cause, boolean isFatal);
}
