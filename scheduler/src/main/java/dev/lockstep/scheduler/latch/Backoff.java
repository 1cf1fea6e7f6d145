package dev.lockstep.scheduler.latch;

/**
 * How a thread passes the time until a latch is free: first it spins, then it offers its processor.
 *
 * <p>Spinning is right while the holder runs on another core and is about to release. When there are more threads
 * than cores the holder may be off its processor, and only offering ours lets it run; so the number of spins is
 * bounded. {@link Thread#yield()} works for every kind of thread: a platform thread offers its processor, a virtual
 * thread its carrier. An S-thread on a raw continuation offers its carrier's processor and stays mounted, which
 * cannot deadlock: an S-thread that holds a latch is never switched out, so the holder runs on another carrier.
 *
 * <p>Thread-safety: stateless.
 */
public final class Backoff {
    /**
     * Attempts that spin before the first yield. A spin hint takes 10 to 45 ns on current x86 processors, so this is
     * 0.6 to 3 µs: longer than any latched section of the engine that runs undisturbed, and shorter than what the
     * operating system needs to run another thread.
     */
    public static final int SPINS_MAX = 64;

    private Backoff() {}

    /**
     * Waits a moment.
     *
     * @param attempt how often the caller has waited for the same thing, 0 the first time
     * @return the value to pass next time
     */
    public static int pause(int attempt) {
        if (attempt < SPINS_MAX) {
            Thread.onSpinWait();
            return attempt + 1;
        }
        Thread.yield();
        return attempt;
    }
}
