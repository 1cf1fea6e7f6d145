package dev.lockstep.scheduler;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * An S-thread that is a virtual thread with its carrier as scheduler. It is its own {@link Executor}: the JDK hands
 * the task that continues the thread to {@link #execute} whenever the thread becomes runnable, and the carrier runs
 * that task when it decides to.
 *
 * <p>Invariants: {@code task} is set once, by the JDK's first submission from {@link #begin()}, and is the same object
 * for the life of the thread. {@code resubmitted} is touched by the carrier's thread alone.
 */
final class VirtualSThread extends SThread implements Executor {
    private static final Constructor<?> BUILDER = builder();

    private final Thread thread;
    private Runnable task;

    /** The JDK submitted the thread again before its carrier had looked at why it was given up. */
    private boolean resubmitted;

    VirtualSThread(Scheduler scheduler, CarrierThread carrier, String name, BooleanSupplier round) {
        super(scheduler, carrier, name, round);
        thread = newBuilder(this).name(name).unstarted(this::runRounds);
    }

    /** Whether this JDK has the constructor that S-threads of this kind need; java.lang is open to this module. */
    static boolean isConstructible() {
        return BUILDER != null;
    }

    @Override
    public SThreadKind kind() {
        return SThreadKind.VIRTUAL;
    }

    @Override
    public void interrupt() {
        thread.interrupt();
    }

    @Override
    public boolean isInterrupted() {
        return thread.isInterrupted();
    }

    @Override
    boolean clearInterrupt() {
        return Thread.interrupted();
    }

    /** Called by the JDK: with this thread's own task, or with that of a virtual thread which this one has started. */
    @Override
    public void execute(Runnable command) {
        if (task == null) {
            task = command;
        }
        if (command != task) {
            carrier.addForeignTask(command);
        } else if (carrier.isCurrent() && carrier.running() == this) {
            resubmitted = true;
        } else {
            carrier.submit(this);
        }
    }

    @Override
    void begin() {
        thread.start();
    }

    @Override
    void mount() {
        resubmitted = false;
        task.run();
    }

    /** Whether the thread is already runnable again; to be asked by its carrier after {@link #mount()}. */
    boolean isResubmitted() {
        return resubmitted;
    }

    @Override
    boolean giveUpCarrier() {
        Thread.yield();
        // The carrier takes the request; one that is still here means that the thread was pinned and ran on.
        return request == Request.NONE;
    }

    @Override
    void giveUpCarrierUntilWoken(Waiter blocker) {
        LockSupport.park(blocker);
    }

    @Override
    void wake() {
        LockSupport.unpark(thread);
    }

    private static Constructor<?> builder() {
        try {
            Constructor<?> constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException e) {
            // Another JDK: Support.probe says so, and the scheduler refuses this kind.
            return null;
        }
    }

    private static Thread.Builder.OfVirtual newBuilder(Executor executor) {
        try {
            return (Thread.Builder.OfVirtual) BUILDER.newInstance(executor);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual thread builder failed: remedy=use SThreadKind.PLAIN", e);
        }
    }
}
