package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Where one thread waits for one event: a lock that is granted, a page that was read, a log that became durable. It
 * serves platform threads, virtual threads and S-threads alike and is reused without allocation.
 *
 * <p>The waiting thread calls {@link #prepare()}, publishes the waiter to whoever will signal, and then awaits. An
 * S-thread that waits leaves its team as a stray, and its carrier runs others meanwhile.
 *
 * <p>A signal is an invitation to look again, not a proof: a signaller of an earlier wait that ended otherwise may
 * still hold the waiter and signal late. Callers therefore await in a loop around the condition itself, with
 * {@code prepare()} at its head, and look at the condition after every outcome.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code IDLE} → {@code PREPARED} → {@code PARKED} are steps of the owner alone; any thread may replace any of
 *       them by {@code SIGNALLED}, at most one signal is remembered.
 *   <li>A signaller that replaced {@code PARKED} wakes the owner; a signaller that replaced {@code PREPARED} need
 *       not, because the owner's step to {@code PARKED} then fails.
 *   <li>After every outcome the state is {@code IDLE}.
 * </ul>
 *
 * <p>Thread-safety: {@link #signal()} by any thread; everything else by the thread that called {@code prepare()}.
 */
public final class Waiter {
    /** How a wait ended. */
    public enum Outcome {
        /** {@link Waiter#signal()} was called since {@link Waiter#prepare()}. */
        SIGNALLED,
        /** The deadline passed first. */
        TIMED_OUT,
        /** The waiting thread was interrupted first; its interrupt flag is still set. */
        INTERRUPTED
    }

    /** As a deadline: wait without limit. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final int IDLE = 0;
    private static final int PREPARED = 1;
    private static final int PARKED = 2;
    private static final int SIGNALLED = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private int state;

    private Thread thread;
    private SThread sThread;

    /** Creates a waiter that belongs to nobody until {@link #prepare()}. */
    public Waiter() {}

    /**
     * Binds this waiter to the calling thread and forgets earlier signals. To be called before the waiter is
     * published to those who will signal it.
     */
    public void prepare() {
        thread = Thread.currentThread();
        sThread = SThread.current();
        setStateVolatile(PREPARED);
        // Before the caller's next look at its condition, in whatever mode it reads that: else the look could miss an
        // event whose signal the store then erases.
        VarHandle.fullFence();
    }

    /**
     * Waits until signalled, interrupted or out of time, whichever is noticed first; a signal wins over the others.
     *
     * @param deadlineNanos a point in {@link InstalledTime#nanoTime()}, or {@link #NO_DEADLINE}
     * @param reason what is waited for; it is what the statistics of strays count
     * @throws IllegalStateException if the caller did not prepare, or is an S-thread that holds a latch
     * @throws PinnedSThreadException if the caller is an S-thread of kind continuation that cannot be suspended
     */
    public Outcome await(long deadlineNanos, WaitReason reason) {
        checkOwner();
        while (!consumeSignal()) {
            if (isInterrupted()) {
                return giveUp(Outcome.INTERRUPTED);
            }
            if (hasPassed(deadlineNanos)) {
                return giveUp(Outcome.TIMED_OUT);
            }
            park(deadlineNanos, reason);
        }
        return Outcome.SIGNALLED;
    }

    /**
     * Waits until signalled or out of time. An interrupt, before or during the wait, does not end it; the interrupt
     * flag is set on return.
     *
     * @param deadlineNanos a point in {@link InstalledTime#nanoTime()}, or {@link #NO_DEADLINE}
     * @param reason what is waited for; it is what the statistics of strays count
     * @return {@link Outcome#SIGNALLED} or {@link Outcome#TIMED_OUT}
     * @throws IllegalStateException if the caller did not prepare, or is an S-thread that holds a latch
     * @throws PinnedSThreadException if the caller is an S-thread of kind continuation that cannot be suspended
     */
    public Outcome awaitUninterruptibly(long deadlineNanos, WaitReason reason) {
        checkOwner();
        boolean interrupted = false;
        try {
            while (!consumeSignal()) {
                if (hasPassed(deadlineNanos)) {
                    return giveUp(Outcome.TIMED_OUT);
                }
                // With the flag set, parking would return at once.
                interrupted |= ownsThread() && Thread.interrupted();
                park(deadlineNanos, reason);
            }
            return Outcome.SIGNALLED;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Ends the wait, or makes the next one end at once if the owner has prepared and does not wait yet. To be called
     * with some kilobytes of stack left: an overflow in here may lose the signal.
     */
    public void signal() {
        if (getAndSetState(SIGNALLED) == PARKED) {
            SThread waiting = sThread;
            if (waiting == null) {
                LockSupport.unpark(thread);
            } else {
                waiting.wake();
            }
        }
    }

    private void checkOwner() {
        if (stateAcquire() == IDLE) {
            throw new IllegalStateException("await without prepare: thread="
                    + Thread.currentThread().getName() + "; remedy: call prepare before what you wait for can happen");
        }
        if (sThread != null && sThread.latchesHeld() != 0) {
            throw new IllegalStateException("an S-thread must not wait while it holds a latch: sThread="
                    + sThread.name() + " latchesHeld=" + sThread.latchesHeld()
                    + "; remedy: release the latches before the wait");
        }
    }

    private boolean consumeSignal() {
        if (stateAcquire() != SIGNALLED) {
            return false;
        }
        setStateVolatile(IDLE);
        return true;
    }

    private Outcome giveUp(Outcome outcome) {
        return getAndSetState(IDLE) == SIGNALLED ? Outcome.SIGNALLED : outcome;
    }

    private boolean isInterrupted() {
        return sThread == null ? Thread.currentThread().isInterrupted() : sThread.isInterrupted();
    }

    /** An S-thread on a raw continuation runs on its carrier's thread, whose interrupt flag is not its own. */
    private boolean ownsThread() {
        return sThread == null || sThread.kind() != SThreadKind.CONTINUATION;
    }

    private static boolean hasPassed(long deadlineNanos) {
        return deadlineNanos != NO_DEADLINE && deadlineNanos - InstalledTime.nanoTime() <= 0;
    }

    private void park(long deadlineNanos, WaitReason reason) {
        // Only a signal replaces PREPARED, and who replaced PREPARED wakes nobody.
        if (stateAcquire() != PARKED && !casState(PREPARED, PARKED)) {
            return;
        }
        if (sThread != null) {
            sThread.park(this, deadlineNanos, reason);
        } else if (InstalledProbe.isPresent() && thread.isVirtual()) {
            parkTold(deadlineNanos);
        } else {
            parkThread(deadlineNanos);
        }
    }

    private void parkTold(long deadlineNanos) {
        InstalledProbe.left(null);
        try {
            parkThread(deadlineNanos);
        } finally {
            InstalledProbe.resumed(null);
        }
    }

    private void parkThread(long deadlineNanos) {
        if (deadlineNanos == NO_DEADLINE) {
            LockSupport.park(this);
        } else {
            InstalledTime.parkNanos(this, deadlineNanos - InstalledTime.nanoTime());
        }
    }

    private int stateAcquire() {
        return (int) STATE.getAcquire(this);
    }

    private void setStateVolatile(int value) {
        STATE.setVolatile(this, value);
    }

    private boolean casState(int expected, int replacement) {
        return STATE.compareAndSet(this, expected, replacement);
    }

    private int getAndSetState(int value) {
        return (int) STATE.getAndSet(this, value);
    }
}
