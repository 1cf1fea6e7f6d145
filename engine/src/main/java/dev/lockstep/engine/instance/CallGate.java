package dev.lockstep.engine.instance;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.MaintenanceRefusedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets calls that are no transactions (changes of the schema, checkpoints, validation) and the closing of the database
 * see each other: a call that came first is waited for, a call that comes later is refused.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code callCount} counts the calls between {@link #enter} and {@link #leave}.
 *   <li>After {@link #drain} has returned, no call is inside and none enters.
 *   <li>{@code listening} is who runs a listener of a call that is inside, or null. One call at most has a listener:
 *       backups and compactions exclude each other.
 *   <li>{@code whoCloses} is who runs a close, an S-thread or a thread, since several S-threads may share one.
 * </ul>
 *
 * <p>Thread-safety: {@link #enter}, {@link #leave} and {@link #closeAlone} by any thread; the others by the one thread
 * that closes.
 */
public final class CallGate {
    /** Room for such a call, in frames of {@link StackReserve}; well above what a transaction begins with. */
    private static final int FRAMES_PER_CALL = 15;

    /** Room for a close, which writes everything and ends every thread; what it takes is only known from a test. */
    private static final int FRAMES_PER_CLOSE = 20;

    /** 10 ms: nobody sees such a delay of a second close, and a close takes longer. */
    private static final long SECOND_CLOSE_POLL_NANOS = 10_000_000;

    private final AtomicInteger callCount = new AtomicInteger();
    private final Waiter closer = new Waiter();
    private volatile boolean closing;
    private volatile Object listening;
    private final AtomicReference<Object> whoCloses = new AtomicReference<>();

    /** For the reserve; a count lost among threads does no harm. */
    private int turn;

    /**
     * Begins a call. To be followed by {@link #leave}.
     *
     * @throws DatabaseClosedException if the database is being closed
     * @throws StackOverflowError if too little stack is left for the call; nothing is begun then
     */
    public void enter() {
        StackReserve.require(FRAMES_PER_CALL, turn++);
        // Counted first: either the closing thread sees the count, or this one sees that it is closing.
        callCount.incrementAndGet();
        if (closing) {
            leave();
            throw new DatabaseClosedException(Message.of("the database is being closed")
                    .with("closed", true)
                    .remedy("open it again"));
        }
    }

    /** Ends a call. */
    public void leave() {
        if (callCount.decrementAndGet() == 0 && closing) {
            closer.signal();
        }
    }

    /** The same listener, whose code may not close the database: the call that it listens to would wait for itself. */
    public ProgressListener watched(ProgressListener listener) {
        return (stage, done, total) -> {
            listening = caller();
            try {
                listener.progressed(stage, done, total);
            } finally {
                listening = null;
            }
        };
    }

    /**
     * To be called by who wants to close.
     *
     * @throws MaintenanceRefusedException if a listener of a call that is inside does
     */
    @SuppressWarnings("ReferenceEquality") // that very thread
    private void requireOutsideOfListener() {
        if (listening == caller()) {
            throw new MaintenanceRefusedException(Message.of("the listener of a backup or compaction wants to close the"
                            + " database, which would wait for that call to end")
                    .with("caller", caller())
                    .remedy("throw an exception to end the call, and close the database behind it"));
        }
    }

    /** Several S-threads may share the thread of their carrier. */
    private static Object caller() {
        SThread sThread = SThread.current();
        return sThread == null ? Thread.currentThread() : sThread;
    }

    /**
     * Runs a close, one at a time: a second one waits for the first and finds out what has become of it; one from
     * within the first runs at once.
     *
     * @throws MaintenanceRefusedException if the listener of a call that is inside wants to close
     * @throws StackOverflowError if too little stack is left for a close; nothing is begun then
     */
    @SuppressWarnings("ReferenceEquality") // that very thread
    public void closeAlone(Runnable close) {
        StackReserve.require(FRAMES_PER_CLOSE, turn++);
        requireOutsideOfListener();
        Object caller = caller();
        if (whoCloses.get() == caller) {
            close.run();
            return;
        }
        while (!whoCloses.compareAndSet(null, caller)) {
            // As an S-thread waits: a lock of the JDK would keep its carrier, and whoever the first close waits for.
            Waiter waiter = new Waiter();
            waiter.prepare();
            waiter.awaitUninterruptibly(InstalledTime.nanoTime() + SECOND_CLOSE_POLL_NANOS, WaitReason.OTHER);
        }
        try {
            close.run();
        } finally {
            whoCloses.set(null);
        }
    }

    /** Refuses calls from now on. To be followed by {@link #drain} or {@link #reopen}. */
    public void close() {
        closing = true;
    }

    /** Waits for the calls that are inside, after {@link #close}; an interrupt does not end the wait. */
    public void drain() {
        // Ends because none enters, and the last one to leave signals.
        while (true) {
            closer.prepare();
            if (callCount.get() == 0) {
                return;
            }
            closer.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
        }
    }

    /** Admits calls again: the database could not be closed. */
    public void reopen() {
        closing = false;
    }
}
