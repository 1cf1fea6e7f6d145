package dev.lockstep.engine.lock;

/**
 * Counts of a {@link LockManager}; the first five since it was made, the others at the moment of the call.
 *
 * @param waits requests that had to wait
 * @param conversionWaits those among them that raise the mode of a lock already held
 * @param deadlocks deadlocks broken, each with one victim
 * @param timeouts waits that ended at their deadline
 * @param interrupts waits that ended with an interrupt
 * @param locks different locks held
 * @param waiting requests in queues
 * @param owners owners that occupy a place
 */
public record LockStatistics(
        long waits,
        long conversionWaits,
        long deadlocks,
        long timeouts,
        long interrupts,
        long locks,
        long waiting,
        int owners) {}
