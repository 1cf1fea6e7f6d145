package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;

/** A thread that does something with a database and keeps what came of it. */
final class Worker {
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean interrupted;

    Worker(Runnable work) {
        thread = Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (Throwable t) {
                failure.set(t);
            }
            interrupted = Thread.currentThread().isInterrupted();
        });
    }

    /** Returns when the thread is parked inside a method; fails if it ends before. */
    void awaitParkedIn(String method) {
        assertTrue(isParkedBeforeItEnds(method), () -> "it did not wait in " + method + ": " + failure.get());
    }

    /** Waits until the thread has ended, or waits in a method. */
    void awaitEndOrParkedIn(String method) {
        isParkedBeforeItEnds(method);
    }

    private boolean isParkedBeforeItEnds(String method) {
        // Ends with the thread at the latest.
        while (true) {
            boolean alive = thread.isAlive();
            Thread.State state = thread.getState();
            boolean parked = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            for (StackTraceElement frame : thread.getStackTrace()) {
                if (parked && frame.getMethodName().equals(method)) {
                    return true;
                }
            }
            if (!alive) {
                return false;
            }
            Thread.onSpinWait();
        }
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    void interrupt() {
        thread.interrupt();
    }

    void join() throws InterruptedException {
        thread.join();
    }

    /** What the work has thrown, null if nothing. */
    Throwable failure() {
        return failure.get();
    }

    /** Whether the interrupt flag was set when the work had ended. */
    boolean interrupted() {
        return interrupted;
    }
}
