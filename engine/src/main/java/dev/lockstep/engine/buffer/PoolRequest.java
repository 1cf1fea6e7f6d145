package dev.lockstep.engine.buffer;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that one thread asks of another of the pool, and waits for: a frame, a write, a page being read.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code outcome} of a wait for a frame leaves {@code OPEN} once: who grants a frame and who gives up cannot both
 *       have been first.
 *   <li>{@code isDone} goes from false to true once; the outcome is written before and never after.
 *   <li>The waiter is signalled once, after {@code isDone} was set.
 * </ul>
 *
 * <p>Thread-safety: completed by one thread, awaited by the one that made it.
 */
class PoolRequest {
    /** Between two looks of who cannot be suspended: a read of a fast disk. */
    private static final long BLOCKED_LOOK_NANOS = 100_000;

    private static final VarHandle IS_DONE;

    static {
        try {
            IS_DONE = MethodHandles.lookup().findVarHandle(PoolRequest.class, "isDone", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Waiter waiter;
    private Throwable failure;

    @SuppressWarnings("unused")
    private boolean isDone;

    PoolRequest(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Ends the request and wakes who waits. */
    final void complete(Throwable failureOrNull) {
        failure = failureOrNull;
        setDoneRelease();
        waiter.signal();
    }

    /**
     * Waits until the request is done; an interrupt does not end the wait, because the engine ends each request within
     * a bounded time, and what must go through waits so: a rollback, a change of a tree's structure.
     *
     * @return why it failed, or null
     */
    final Throwable await() {
        // Ends with the request; each further turn is a late signal of an earlier one.
        while (true) {
            waiter.prepare();
            // The store of prepare() must be visible before isDone is read. Otherwise it could come after the signal
            // that follows isDone, and wipe it out.
            VarHandle.fullFence();
            if (isDoneAcquire()) {
                return failure;
            }
            try {
                waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.IO);
            } catch (PinnedSThreadException pinned) {
                // Blocks its carrier: who ends the request has a thread of its own.
                InstalledTime.parkNanos(this, BLOCKED_LOOK_NANOS);
            }
        }
    }

    /**
     * Waits until the request is done or the thread is interrupted.
     *
     * @return false if it was interrupted first; its interrupt flag is still set
     */
    final boolean awaitInterruptibly() {
        // Ends like await.
        while (true) {
            waiter.prepare();
            VarHandle.fullFence(); // as in await
            if (isDoneAcquire()) {
                return true;
            }
            if (waiter.await(Waiter.NO_DEADLINE, WaitReason.IO) == Waiter.Outcome.INTERRUPTED) {
                return isDoneAcquire();
            }
        }
    }

    private boolean isDoneAcquire() {
        return (boolean) IS_DONE.getAcquire(this);
    }

    private void setDoneRelease() {
        IS_DONE.setRelease(this, true);
    }

    /** A thread that waits for a page that is being read; a link of the list in {@link PageLoad}. */
    static final class LoadWait extends PoolRequest {
        private LoadWait next;

        LoadWait(Waiter waiter) {
            super(waiter);
        }

        LoadWait next() {
            return next;
        }

        void setNext(LoadWait next) {
            this.next = next;
        }
    }

    /** A thread that needs a frame, or that needs so many to be free. */
    static final class FrameWait extends PoolRequest {
        private static final int OPEN = 0;
        private static final int GRANTED = 1;
        private static final int GIVEN_UP = 2;
        private static final VarHandle OUTCOME;

        static {
            try {
                OUTCOME = MethodHandles.lookup().findVarHandle(FrameWait.class, "outcome", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final int freeFramesMin;
        private int frame = FrameStack.NONE;

        @SuppressWarnings("unused")
        private int outcome;

        /**
         * Makes a request.
         *
         * @param waiter of the thread that waits
         * @param freeFramesMin how many frames must be free, or 0 to be given one
         */
        FrameWait(Waiter waiter, int freeFramesMin) {
            super(waiter);
            this.freeFramesMin = freeFramesMin;
        }

        int freeFramesMin() {
            return freeFramesMin;
        }

        /**
         * Grants what was asked for.
         *
         * @return false if it is not wanted any more; the frame is then the caller's
         */
        boolean completeWith(int grantedFrame) {
            frame = grantedFrame;
            boolean granted = OUTCOME.compareAndSet(this, OPEN, GRANTED);
            if (granted) {
                complete(null);
            }
            return granted;
        }

        /** Does without; returns false if that was granted meanwhile. */
        boolean giveUp() {
            return OUTCOME.compareAndSet(this, OPEN, GIVEN_UP);
        }

        int frame() {
            return frame;
        }
    }

    /** A thread that has the page writer do something. */
    static final class Command extends PoolRequest {
        private final Runnable action;

        Command(Waiter waiter, Runnable action) {
            super(waiter);
            this.action = action;
        }

        void run() {
            Throwable thrown = null;
            try {
                action.run();
            } catch (Throwable e) {
                thrown = e;
            }
            complete(thrown);
        }
    }
}
