package dev.lockstep.engine.file;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Engine threads that come and go, and waiting for their end. */
public final class EngineThreads {
    private EngineThreads() {}

    /**
     * Makes what runs tasks one after the other, in order, on an engine thread that is there only while there are some.
     *
     * <p>A task that could not be given a thread, which {@code execute} says with an {@link OutOfMemoryError}, stays
     * until it is removed, or another brings a thread. So does one that came in the moment in which the last thread
     * ended, and that no further one could be started for; nobody hears of that, so {@link #bringThread} is for
     * whoever waits for a task.
     *
     * @param name name of the thread, beginning with {@code lockstep-}
     */
    public static ThreadPoolExecutor oneAfterTheOther(String name) {
        return new ThreadPoolExecutor(
                0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> new EngineThread(task, name));
    }

    /**
     * Starts a thread where tasks wait and there is none. Where none can be started now either, nothing happens.
     *
     * @param executor of {@link #oneAfterTheOther}, or another whose threads end when they are idle
     */
    public static void bringThread(ThreadPoolExecutor executor) {
        if (executor.getPoolSize() > 0 || executor.getQueue().isEmpty()) {
            return;
        }
        Runnable nothing = () -> {};
        try {
            executor.execute(nothing);
        } catch (OutOfMemoryError noThread) {
            executor.remove(nothing);
        }
    }

    /** Waits for the latch; an interrupt does not end the wait, and the interrupt flag is kept. */
    public static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        try {
            // Ends when the latch opens. Each further turn is one interrupt.
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
