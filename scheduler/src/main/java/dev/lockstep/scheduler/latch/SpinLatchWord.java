package dev.lockstep.scheduler.latch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The word of a {@link SpinLatch}, in a class of its own because fields are laid out superclass by superclass.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code state} is {@link #FREE} or {@link #HELD}; it becomes held by compare-and-set alone, so one thread holds
 *       it, and that one alone makes it free.
 *   <li>It lies 128 bytes or more from what is not part of the latch, whatever the order of fields of the JVM.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
abstract class SpinLatchWord extends SpinLatchPadding {
    static final long FREE = 0;
    static final long HELD = 1;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SpinLatchWord.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private long state;

    SpinLatchWord() {}

    /** A stale value costs one more turn of the wait or one failed compare-and-set, which decides. */
    final long stateOpaque() {
        return (long) STATE.getOpaque(this);
    }

    final boolean casStateAcquire(long expected, long replacement) {
        return (long) STATE.compareAndExchangeAcquire(this, expected, replacement) == expected;
    }

    final void setStateRelease(long value) {
        STATE.setRelease(this, value);
    }
}
