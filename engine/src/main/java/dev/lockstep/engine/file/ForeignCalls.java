package dev.lockstep.engine.file;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

    private static final AtomicInteger THREADS_MADE = new AtomicInteger();

    /** The queue is bounded by the callers: each waits for its own task. */
    private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(
            THREADS_MAX,
            THREADS_MAX,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new EngineThread(task, "lockstep-file-" + THREADS_MADE.incrementAndGet()));

    static {
        EXECUTOR.allowCoreThreadTimeOut(true);
    }

    private ForeignCalls() {}

    /** What a file operation does. */
    @FunctionalInterface
    interface Call<T> {
        T run();
    }

    /**
     * Runs the call on an engine thread: this one if it is one, another otherwise. An interrupt does not end the wait;
     * the interrupt flag is kept.
     */
    static <T> T run(Call<T> call) {
        if (Thread.currentThread() instanceof EngineThread) {
            return call.run();
        }
        FutureTask<T> task = new FutureTask<>(call::run);
        EXECUTOR.execute(task);
        return await(task);
    }

    private static <T> T await(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            // Ends when the task ends: a file operation, which the system bounds. Each further turn is one interrupt.
            while (true) {
                try {
                    return task.get();
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
