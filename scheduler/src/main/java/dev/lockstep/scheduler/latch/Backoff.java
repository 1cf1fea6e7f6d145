package dev.lockstep.scheduler.latch;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;

/**
 * How a thread passes the time until a latch is free: first it spins, then it offers its processor.
 *
 * <p>Spinning is right while the holder runs on another core and is about to release. When there are more threads
 * than cores the holder may be off its processor, and only offering ours lets it run; so the number of spins is
 * bounded. A platform thread then calls {@link Thread#yield()}, which offers its processor; so does an S-thread on a
 * raw continuation, for its carrier, and stays mounted: an S-thread that holds a latch is never switched out, so the
 * holder runs on another carrier.
 *
 * <p>A virtual thread does not yield but sleeps for a moment. The caller may hold other latches, and a virtual thread
 * that has yielded stands behind all that yield on the same carrier: while those spin for the very latch that it
 * holds, the JDK's scheduler looks into no other queue, and it may never run again. Asleep they leave the queue.
 *
 * <p>An interrupt does not keep it awake. A holder may sleep too, off its carrier: not for a latch alone, but for a
 * free frame or for room in the log's ring. If those who wait for it held its carrier, it would never go on.
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

    /**
     * Attempts that spin before a virtual thread sleeps: ten times the others', since a sleep costs ten times a yield.
     */
    public static final int SPINS_VIRTUAL_MAX = 640;

    /**
     * Rounds of waiting from one look at the {@link LatchWatch} to the next. A thousand rounds are a millisecond or
     * more, which no holder needs that has a processor; looking more often would win nothing.
     */
    public static final int ROUNDS_PER_LOOK = 1 << 10;

    /** How long a virtual thread sleeps: about the time slice that a preempted holder needs to finish. */
    private static final long SLEEP_NANOS = 50_000;

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
        if (!Thread.currentThread().isVirtual()) {
            Thread.yield();
            return attempt;
        }
        if (attempt < SPINS_VIRTUAL_MAX) {
            Thread.onSpinWait();
            return attempt + 1;
        }
        if (InstalledProbe.isPresent() && SThread.current() == null) {
            sleepTold();
        } else {
            sleep();
        }
        return attempt;
    }

    /** Of S-threads the carrier tells. */
    private static void sleepTold() {
        InstalledProbe.left(null);
        try {
            sleep();
        } finally {
            InstalledProbe.resumed(null);
        }
    }

    /** Leaves the carrier for a moment, interrupted or not; the interrupt flag is kept. */
    private static void sleep() {
        long beginNanos = InstalledTime.nanoTime();
        long leftNanos = SLEEP_NANOS;
        boolean interrupted = false;
        // Ends with the time. A set flag ends a park at once, and so does the permit that setting it leaves behind: the
        // next round consumes it.
        while (leftNanos > 0) {
            interrupted |= Thread.interrupted();
            InstalledTime.parkNanos(null, leftNanos);
            leftNanos = SLEEP_NANOS - (InstalledTime.nanoTime() - beginNanos);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits a moment, and has a look from time to time at whether waiting will end.
     *
     * @param round how often the caller has waited for the same thing, 0 the first time
     * @param watch is asked once in {@link #ROUNDS_PER_LOOK} rounds
     * @return the value to pass next time
     * @throws RuntimeException what the watch throws
     */
    public static int pause(int round, LatchWatch watch) {
        pause(round);
        int next = round + 1 & Integer.MAX_VALUE;
        if (next % ROUNDS_PER_LOOK == 0) {
            watch.look();
        }
        return next;
    }
}
