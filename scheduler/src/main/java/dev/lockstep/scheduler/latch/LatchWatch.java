package dev.lockstep.scheduler.latch;

/**
 * Tells a thread that has waited long for a latch whether there is a point in waiting on.
 *
 * <p>A holder gives its latch back within microseconds, unless an error cut it short between two instructions: a stack
 * that overflows where the latch is given back, say. Whoever owns the latches learns of that, and the watch is how
 * those who wait learn it from the owner, so that nobody spins for ever.
 *
 * <p>Thread-safety: called by any thread, which may hold other latches; it must not wait.
 */
@FunctionalInterface
public interface LatchWatch {
    /** For latches whose holders cannot be cut short. */
    LatchWatch NONE = () -> {};

    /**
     * Called once in {@link Backoff#ROUNDS_PER_LOOK} rounds of waiting. Returns if the latch will be given back.
     *
     * @throws RuntimeException if what the latches guard has failed: the wait ends with it, without the latch
     */
    void look();
}
