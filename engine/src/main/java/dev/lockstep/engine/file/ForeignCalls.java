package dev.lockstep.engine.file;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Carries file operations of threads that may be interrupted over to engine threads, one hop of some tens of
 * microseconds. Opening, recovering and closing a database on a thread of the application go this way; the engine's
 * steady state does not.
 *
 * <p>Thread-safety: stateless but for the pool, which is shared by the whole JVM and has no threads while it is idle.
 */
final class ForeignCalls {
    /** Two, so that a long read of one database that opens does not hold up another. */
    private static final int THREADS_MAX = 2;

    /**
     * Long enough for a recovery to keep its thread between two reads, short enough that nothing is left of an idle
     * JVM.
     */
    private static final int IDLE_SECONDS = 5;

    /** Between two looks whether the last thread has ended beside a task, as it may where no other can be started. */
    private static final int LOOK_SECONDS = 1;

    private static final AtomicInteger THREADS_MADE = new AtomicInteger();

    private static final ThreadPoolExecutor EXECUTOR =
            executor(task -> new EngineThread(task, "lockstep-file-" + THREADS_MADE.incrementAndGet()));

    private ForeignCalls() {}

    /** The queue is bounded by the callers: each waits for its own task. */
    static ThreadPoolExecutor executor(ThreadFactory threads) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                THREADS_MAX, THREADS_MAX, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** What a file operation does. */
    @FunctionalInterface
    interface Call<T> {
        T run();
    }

    /**
     * Runs the call on an engine thread: this one if it is one, another otherwise. An interrupt does not end the wait;
     * the interrupt flag is kept.
     *
     * @throws StorageException if there is no engine thread and the JVM can start none; nothing was done
     */
    static <T> T run(Call<T> call) {
        if (Thread.currentThread() instanceof EngineThread) {
            return call.run();
        }
        return run(EXECUTOR, call);
    }

    /** Runs the call on a thread of the executor. */
    static <T> T run(ThreadPoolExecutor executor, Call<T> call) {
        FutureTask<T> task = new FutureTask<>(call::run);
        try {
            executor.execute(task);
        } catch (OutOfMemoryError noThread) {
            if (executor.getPoolSize() == 0) {
                throw new StorageException(
                        Message.of("No thread can be started for a file operation")
                                .with("reason", noThread)
                                .remedy("Raise the limit of threads or leave the JVM more memory, then try again."),
                        noThread);
            }
            // For the one that there is.
            executor.getQueue().add(task);
        }
        return await(executor, task);
    }

    private static <T> T await(ThreadPoolExecutor executor, FutureTask<T> task) {
        boolean interrupted = false;
        try {
            // Ends when the task ends: a file operation, which the system bounds. Each further turn is one interrupt or
            // one look.
            while (true) {
                try {
                    return task.get(LOOK_SECONDS, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    EngineThreads.bringThread(executor);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unwrap(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Calls throw unchecked exceptions only, so the last line is for those that a future JDK might smuggle in. */
    private static RuntimeException unwrap(Throwable cause) {
        switch (cause) {
            case RuntimeException exception -> {
                return exception;
            }
            case Error error -> throw error;
            default -> {
                return new IllegalStateException(cause);
            }
        }
    }
}
