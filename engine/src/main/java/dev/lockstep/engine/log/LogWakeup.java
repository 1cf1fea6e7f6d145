package dev.lockstep.engine.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Where the log's writer sleeps. A signal given while it is awake is remembered, so that it looks once more before it
 * sleeps; only a signal to a sleeping writer costs a system call.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code AWAKE} → {@code PARKED} and anything → {@code AWAKE} are steps of the writer, anything →
 *       {@code SIGNALLED} of everybody. While the writer does not sleep the state is not {@code PARKED}.
 *   <li>The writer looks for work only after the step to {@code AWAKE}, and who brings work signals after it has
 *       published it; both steps are full fences, so no work is overlooked.
 * </ul>
 */
final class LogWakeup {
    private static final int AWAKE = 0;
    private static final int PARKED = 1;
    private static final int SIGNALLED = 2;

    /**
     * How long a latch is waited for whose watch may say that the database has failed. Its holder is as a rule only off
     * its processor, for some time slices, or for a second or two where the machine swaps; whoever holds it longer was
     * cut short and never gives it back.
     */
    private static final long LATCH_PATIENCE_NANOS = 5_000_000_000L;

    /** From one attempt to take such a latch to the next: about a time slice. */
    private static final long LATCH_PARK_NANOS = 1_000_000;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LogWakeup.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogClock clock;
    private Thread writer;

    @SuppressWarnings("unused")
    private int state;

    LogWakeup(LogClock clock) {
        this.clock = clock;
    }

    /** Names the thread that is woken; before that thread starts. */
    void bind(Thread writer) {
        this.writer = writer;
    }

    /** Wakes the writer, or keeps it from sleeping. */
    void signal() {
        if (getAndSetState(SIGNALLED) == PARKED) {
            LockSupport.unpark(writer);
        }
    }

    /** Forgets earlier signals; the writer calls it before it looks for work. */
    void reset() {
        getAndSetState(AWAKE);
    }

    /** Whether there was a signal since {@link #reset()}. Its work is then visible. */
    boolean isSignalled() {
        return (int) STATE.getVolatile(this) == SIGNALLED;
    }

    /**
     * Sleeps for at most {@code nanos}, and not at all if there was a signal since {@link #reset()}. May return early,
     * as every park may, and can then be called again.
     */
    void park(long nanos) {
        if (casState(AWAKE, PARKED)) {
            clock.park(nanos);
            casState(PARKED, AWAKE);
        }
    }

    /**
     * Waits for a latch, some seconds at most, without its watch. For those who end the log's work: once the database
     * is marked failed the watch ends every wait after a moment, and others would wait for them for ever.
     *
     * @param tryLatch takes the latch if it is free
     * @return whether the latch is held
     */
    boolean tryLatchPatiently(BooleanSupplier tryLatch) {
        boolean held = tryLatch.getAsBoolean();
        if (held) {
            return true;
        }
        long beginNanos = clock.nanoTime();
        // Ends with the time.
        while (!held && clock.nanoTime() - beginNanos < LATCH_PATIENCE_NANOS) {
            clock.park(LATCH_PARK_NANOS);
            held = tryLatch.getAsBoolean();
        }
        return held;
    }

    private int getAndSetState(int value) {
        return (int) STATE.getAndSet(this, value);
    }

    private boolean casState(int expected, int replacement) {
        return STATE.compareAndSet(this, expected, replacement);
    }
}
