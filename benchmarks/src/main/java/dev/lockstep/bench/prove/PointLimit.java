package dev.lockstep.bench.prove;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Does what a point does with a database on a thread of its own, and waits for no longer than a limit: so a database
 * that hangs is a failure with its line of replay, and keeps nobody waiting for ever. Thread-safe.
 */
public final class PointLimit {
    /** Far beyond what a point takes on a slow and busy machine: most take milliseconds, the others seconds. */
    public static final Duration POINT_MAX = Duration.ofMinutes(5);

    /** Parts of the limit that are waited for in turn, so that a process that is stopped for minutes loses one only. */
    private static final int PARTS = 100;

    /** What was to be done was not done within the limit. It may still be under way, and have its files open. */
    public static final class HangException extends Exception {
        private static final long serialVersionUID = 1;

        private HangException(String message) {
            super(message);
        }
    }

    private PointLimit() {}

    /**
     * Does something within {@link #POINT_MAX}. What it throws is thrown, checked exceptions as the cause of an {@link
     * IllegalStateException}.
     *
     * @return what it returns
     * @throws HangException if it does not end in time; with the stacks of all threads but virtual ones
     * @throws InterruptedException if this thread is interrupted; the action goes on
     */
    public static <T> T run(Callable<T> action) throws HangException, InterruptedException {
        return run(POINT_MAX, action);
    }

    /** The same with another limit. */
    static <T> T run(Duration limit, Callable<T> action) throws HangException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(action);
        // A daemon, so that one that hangs does not keep the JVM.
        Thread thread = Thread.ofPlatform().name("point").daemon().start(task);
        int parts = 0;
        // Ends with the action, or with the limit.
        while (!thread.join(limit.dividedBy(PARTS))) {
            parts++;
            if (parts == PARTS) {
                throw new HangException("it hangs: limitSeconds=" + limit.toSeconds() + " stacks:" + stacks());
            }
        }
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        }
    }

    private static RuntimeException unchecked(Throwable thrown) {
        switch (thrown) {
            case RuntimeException exception -> {
                return exception;
            }
            case Error error -> throw error;
            default -> {
                return new IllegalStateException(thrown);
            }
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append("\n  \"").append(thread.getName()).append("\" ").append(thread.getState());
            for (StackTraceElement frame : frames) {
                text.append("\n    at ").append(frame);
            }
        });
        return text.toString();
    }
}
