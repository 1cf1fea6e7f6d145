package dev.lockstep.scheduler;

/**
 * A time of its own for scheduler, engine and workload, in place of the machine's: of a processor that is simulated a
 * hundred times slower than it is, say. Offered as a service, and installed by naming its class in the system property
 * {@link InstalledTime#PROPERTY}.
 *
 * <p>Thread-safety: called by many threads at once, some of which hold latches; {@link #nanoTime} must not block.
 */
public interface TimeSource {
    /**
     * The present time in nanoseconds; only differences mean something. It never goes back, and a thread that does
     * nothing but ask sees it go on: loops with a limit end by it.
     */
    long nanoTime();

    /**
     * The processor time that the calling thread has had so far, in nanoseconds; only differences mean something. The
     * time as such, unless the source knows better.
     */
    default long threadCpuNanos() {
        return nanoTime();
    }

    /**
     * Parks the calling thread until it is unparked, is interrupted, or a time has passed by this source; may return
     * early, for no reason. While every thread is parked here, time goes on all the same.
     *
     * @param blocker responsible for the park, or {@code null}
     * @param nanos how long; not above 0 returns at once
     */
    void parkNanos(Object blocker, long nanos);
}
