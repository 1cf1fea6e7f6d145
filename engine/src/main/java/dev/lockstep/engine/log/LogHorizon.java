package dev.lockstep.engine.log;

import dev.lockstep.engine.InterruptedOperationException;
import dev.lockstep.engine.Message;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * A position in the stream that only moves forward (up to where the log is written, or durable), and those who wait
 * until it has passed their record.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code position} never decreases; only the writer thread moves it.
 *   <li>{@code lsns[i]} and {@code waiters[i]}, {@code i < count}, are the waits not answered yet. They are guarded by
 *       {@code latch}; whoever enters looks at {@code position} and {@code broken} under it, and the writer looks for
 *       waiters under it after it has moved either, so no wait is overlooked.
 *   <li>{@code wantedLsn} is the largest position that was ever asked for; it never decreases.
 *   <li>After {@code broken} nobody is in the queue.
 *   <li>{@code wakeCount} is above 1 only while the writer gathers waits for a force and has set a time for it, so a
 *       wait that wakes nobody is served all the same.
 * </ul>
 *
 * <p>The queue grows to the number of threads that wait at once, and allocates nothing once it has.
 */
final class LogHorizon {
    /** First size of the queue: the terminals of one TPC-C warehouse and some more. */
    private static final int INITIAL_WAITERS = 16;

    /** As a count of waits: every one wakes the writer. */
    private static final int WAKE_AT_FIRST = 1;

    private static final VarHandle POSITION;
    private static final VarHandle WANTED_LSN;
    private static final VarHandle BROKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSITION = lookup.findVarHandle(LogHorizon.class, "position", long.class);
            WANTED_LSN = lookup.findVarHandle(LogHorizon.class, "wantedLsn", long.class);
            BROKEN = lookup.findVarHandle(LogHorizon.class, "broken", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogWakeup wakeup;
    private final SpinLatch latch;

    /** Made beforehand: the writer must wake everybody even where the heap is full. */
    private final BooleanSupplier tryLatch;

    /** Between two looks of who blocks its thread: a force of a fast disk. */
    private static final long BLOCKED_LOOK_NANOS = 100_000;

    @SuppressWarnings("unused")
    private long position;

    private long wantedLsn;

    @SuppressWarnings("unused")
    private boolean broken;

    private long[] lsns = new long[INITIAL_WAITERS];
    private Waiter[] waiters = new Waiter[INITIAL_WAITERS];
    private int count;

    /** A wait that makes {@code count} reach this wakes the writer; guarded by {@code latch}. */
    private int wakeCount = WAKE_AT_FIRST;

    /** The waiters that {@link #advance} is about to signal; belongs to the writer thread. */
    private Waiter[] released = new Waiter[INITIAL_WAITERS];

    /** What takes its place, as long as {@code waiters}, or null; guarded by {@code latch}. */
    private Waiter[] nextReleased;

    LogHorizon(LogWakeup wakeup, long position, LatchWatch watch) {
        latch = new SpinLatch(watch);
        tryLatch = latch::tryLatch;
        this.wakeup = wakeup;
        this.position = position;
        this.wantedLsn = position - 1;
    }

    /** Everything below this position has been passed. */
    long positionAcquire() {
        return (long) POSITION.getAcquire(this);
    }

    /** The largest position anybody asked for. */
    long wantedLsnAcquire() {
        return (long) WANTED_LSN.getAcquire(this);
    }

    /** Whether the position will never move again. */
    boolean brokenAcquire() {
        return (boolean) BROKEN.getAcquire(this);
    }

    /** Asks the writer to pass {@code lsn}, without waiting. */
    void request(long lsn) {
        boolean wake;
        latch.latch();
        try {
            want(lsn);
            wake = wakeCount == WAKE_AT_FIRST;
        } finally {
            latch.unlatch();
        }
        if (wake) {
            wakeup.signal();
        }
    }

    /** How many wait. */
    int waitingCount() {
        latch.latch();
        try {
            return count;
        } finally {
            latch.unlatch();
        }
    }

    /**
     * Has waits wake the writer only when so many have come together, until {@link #wakeAtEach}. Only the writer
     * thread, which sees to it that it wakes up by itself in time.
     *
     * @return how many wait already
     */
    int wakeAt(int waitingCount) {
        latch.latch();
        try {
            wakeCount = waitingCount;
            return count;
        } finally {
            latch.unlatch();
        }
    }

    /** Has every wait wake the writer again; returns how many wait. */
    int wakeAtEach() {
        return wakeAt(WAKE_AT_FIRST);
    }

    /**
     * Waits until the position has passed {@code lsn}.
     *
     * @return false if it never will
     */
    boolean await(long lsn, Waiter waiter) {
        return await(lsn, waiter, false, false);
    }

    /**
     * The same, but an interrupt ends the wait. The waiter is signalled later all the same, which whoever uses it next
     * takes for a late signal.
     *
     * @throws InterruptedOperationException if the thread was interrupted first; the flag stays set
     */
    boolean awaitInterruptibly(long lsn, Waiter waiter) {
        return await(lsn, waiter, false, true);
    }

    /**
     * The same with a waiter that {@link #enlist} has taken for this {@code lsn}, and that may have been signalled
     * since.
     */
    boolean awaitEnlisted(long lsn, Waiter waiter) {
        return await(lsn, waiter, true, false);
    }

    /**
     * Who waits without being interrupted has committed, or has to go on for another reason, so that no failure of the
     * wait itself may end it: where the caller cannot be suspended, or there is no memory to note it, it blocks its
     * thread. What it waits for is the writer, which has a thread of its own.
     */
    private boolean await(long lsn, Waiter waiter, boolean enlistedBefore, boolean interruptible) {
        try {
            return awaitSignal(lsn, waiter, enlistedBefore, interruptible);
        } catch (PinnedSThreadException | OutOfMemoryError cannotWait) {
            if (interruptible) {
                throw cannotWait;
            }
            return awaitBlocking(lsn);
        }
    }

    private boolean awaitBlocking(long lsn) {
        request(lsn);
        // Ends because the writer moves the position past every wanted LSN or breaks the horizon.
        while (lsn >= positionAcquire()) {
            if (brokenAcquire()) {
                return false;
            }
            InstalledTime.parkNanos(this, BLOCKED_LOOK_NANOS);
        }
        return true;
    }

    private boolean awaitSignal(long lsn, Waiter waiter, boolean enlistedBefore, boolean interruptible) {
        boolean enlisted = enlistedBefore;
        // Ends because the writer moves the position past every wanted LSN or breaks the horizon, and signals then.
        while (true) {
            waiter.prepare();
            if (!enlisted) {
                enlisted = enlist(lsn, waiter);
            }
            if (lsn < positionAcquire()) {
                return true;
            }
            if (brokenAcquire()) {
                return false;
            }
            if (!interruptible) {
                waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.LOG);
            } else if (waiter.await(Waiter.NO_DEADLINE, WaitReason.LOG) == Waiter.Outcome.INTERRUPTED) {
                throw interrupted(lsn);
            }
        }
    }

    private InterruptedOperationException interrupted(long lsn) {
        return new InterruptedOperationException(Message.of("The thread was interrupted while it waited for the log")
                .with("lsn", lsn)
                .with("position", positionAcquire())
                .remedy("Clear the interrupt flag if the work shall go on, and run the transaction again."));
    }

    /** Moves the position forward and wakes those who waited for it. Only the writer thread. */
    void advance(long newPosition) {
        POSITION.setRelease(this, newPosition);
        latch.latch();
        release(newPosition);
    }

    /** Ends all waits, present and future. Only the writer thread. */
    void breakOff() {
        BROKEN.setRelease(this, true);
        latchPatiently();
        release(Long.MAX_VALUE);
    }

    /**
     * Adds a waiter to be signalled once, and wakes the writer if it is time; returns false if the position has passed
     * {@code lsn} or is broken.
     */
    boolean enlist(long lsn, Waiter waiter) {
        boolean wake;
        latch.latch();
        try {
            if (lsn < positionAcquire() || brokenAcquire()) {
                return false;
            }
            if (count == waiters.length) {
                grow();
            }
            lsns[count] = lsn;
            waiters[count++] = waiter;
            want(lsn);
            wake = count >= wakeCount;
        } finally {
            latch.unlatch();
        }
        if (wake) {
            wakeup.signal();
        }
        return true;
    }

    /** Makes room for what the writer needs too: it must wake everybody even where the heap is full. */
    private void grow() {
        long[] moreLsns = Arrays.copyOf(lsns, count * 2);
        Waiter[] moreWaiters = Arrays.copyOf(waiters, count * 2);
        nextReleased = new Waiter[count * 2];
        lsns = moreLsns;
        waiters = moreWaiters;
    }

    private void want(long lsn) {
        if (lsn > wantedLsn) {
            WANTED_LSN.setRelease(this, lsn);
        }
    }

    /** Wakes those who wait for less, and gives back the latch, which the caller has taken. */
    private void release(long passedLsn) {
        int releasedCount = 0;
        try {
            if (nextReleased != null) {
                released = nextReleased;
                nextReleased = null;
            }
            int kept = 0;
            for (int i = 0; i < count; i++) {
                Waiter waiter = waiters[i];
                if (lsns[i] < passedLsn) {
                    released[releasedCount++] = waiter;
                } else {
                    lsns[kept] = lsns[i];
                    waiters[kept++] = waiter;
                }
            }
            Arrays.fill(waiters, kept, count, null);
            count = kept;
        } finally {
            latch.unlatch();
        }
        // Outside the latch: waking a thread takes microseconds.
        for (int i = 0; i < releasedCount; i++) {
            released[i].signal();
            released[i] = null;
        }
    }

    /** In a database marked failed too: those who wait are woken by nobody else. */
    private void latchPatiently() {
        if (!wakeup.tryLatchPatiently(tryLatch)) {
            latch.latch();
        }
    }
}
