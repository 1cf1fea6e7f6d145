package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What comes to a carrier from other threads: S-threads that are new or were woken, lists that were lent, tasks that
 * are no S-threads, and the word to stop. A carrier that has nothing to do sleeps here.
 *
 * <p>Invariants: who adds something looks at {@code idle} afterwards, and who sleeps sets {@code idle} and looks for
 * something afterwards. So nothing is added to a carrier that goes on sleeping. Likewise who adds a task looks at
 * {@code ended} afterwards, and the carrier sets it and looks for tasks afterwards; so no task stays here for ever.
 *
 * <p>Thread-safety: {@link #push}, {@link #addTask}, {@link #stop} and {@link #isIdle} by any thread, everything else
 * by the carrier's.
 */
final class Arrivals {
    private static final VarHandle IDLE;
    private static final VarHandle STOPPING;
    private static final VarHandle ENDED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            IDLE = lookup.findVarHandle(Arrivals.class, "idle", boolean.class);
            STOPPING = lookup.findVarHandle(Arrivals.class, "stopping", boolean.class);
            ENDED = lookup.findVarHandle(Arrivals.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Runs the tasks of carriers that have ended: on platform threads, as the JDK's virtual threads need it. */
    private static final class Elsewhere {
        static final Executor EXECUTOR = Executors.newCachedThreadPool(Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .name("lockstep-left-behind-", 0)
                .factory());
    }

    private final Thread carrier;
    private final Consumer<Throwable> uncaught;
    private final Inbox inbox = new Inbox();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("unused")
    private boolean idle;

    @SuppressWarnings("unused")
    private boolean stopping;

    @SuppressWarnings("unused")
    private boolean ended;

    /** @param uncaught is told what a task has thrown */
    Arrivals(Thread carrier, Consumer<Throwable> uncaught) {
        this.carrier = carrier;
        this.uncaught = uncaught;
    }

    /** Has no effect on a node that is here already. */
    void push(InboxNode node) {
        if (node.casQueued() && inbox.push(node)) {
            wakeIfIdle();
        }
    }

    /**
     * A task that is no S-thread, such as a virtual thread started by an S-thread. That thread may outlive the carrier,
     * and its tasks then run elsewhere.
     */
    void addTask(Runnable task) {
        tasks.add(task);
        if (endedVolatile()) {
            runTasksElsewhere();
        } else {
            wakeIfIdle();
        }
    }

    /** The carrier has ended, and runs no tasks any more. */
    void end() {
        setEndedVolatile(true);
        runTasksElsewhere();
    }

    private void runTasksElsewhere() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            Elsewhere.EXECUTOR.execute(task);
        }
    }

    /** Tells the carrier to end after the last of its S-threads. */
    void stop() {
        setStoppingVolatile(true);
        LockSupport.unpark(carrier);
    }

    /** Whether the carrier has nothing to do; perhaps no longer when this is read. */
    boolean isIdle() {
        return idleVolatile();
    }

    private void wakeIfIdle() {
        if (idleVolatile()) {
            LockSupport.unpark(carrier);
        }
    }

    boolean isStopping() {
        return stoppingVolatile();
    }

    boolean isEmpty() {
        return inbox.isEmpty() && tasks.isEmpty();
    }

    boolean hasTasks() {
        return !tasks.isEmpty();
    }

    boolean hasNodes() {
        return !inbox.isEmpty();
    }

    /** As {@link Inbox#drain}; each node has still to be cleared. */
    InboxNode drain() {
        return inbox.drain();
    }

    /** Runs those tasks that are here now. */
    void runTasks() {
        for (int left = tasks.size(); left > 0; left--) {
            Runnable task = tasks.poll();
            if (task == null) {
                return;
            }
            try {
                task.run();
            } catch (Throwable e) {
                // Such as a virtual thread that the JVM had no memory left to suspend: it is nobody's here.
                uncaught.accept(e);
            }
        }
    }

    /**
     * Sleeps until something has come, or without a reason.
     *
     * @param deadlineNanos a point in {@link InstalledTime#nanoTime()}, or {@link Waiter#NO_DEADLINE}
     * @param stoppingIsSomething whether the word to stop is something to do, rather than to wait for S-threads with.
     *     It is looked at here as well, since an S-thread may have parked the carrier's thread meanwhile and so have
     *     used up the permit that comes with the word
     */
    void await(long deadlineNanos, boolean stoppingIsSomething) {
        setIdleVolatile(true);
        if (isEmpty() && !(stoppingIsSomething && stoppingVolatile())) {
            if (deadlineNanos == Waiter.NO_DEADLINE) {
                LockSupport.park(this);
            } else {
                InstalledTime.parkNanos(this, Math.max(1, deadlineNanos - InstalledTime.nanoTime()));
            }
            // A carrier is nobody's to interrupt; a flag left set would turn its loop into a spin.
            Thread.interrupted();
        }
        setIdleVolatile(false);
    }

    private boolean idleVolatile() {
        return (boolean) IDLE.getVolatile(this);
    }

    private void setIdleVolatile(boolean value) {
        IDLE.setVolatile(this, value);
    }

    private boolean stoppingVolatile() {
        return (boolean) STOPPING.getVolatile(this);
    }

    private void setStoppingVolatile(boolean value) {
        STOPPING.setVolatile(this, value);
    }

    private boolean endedVolatile() {
        return (boolean) ENDED.getVolatile(this);
    }

    private void setEndedVolatile(boolean value) {
        ENDED.setVolatile(this, value);
    }
}
