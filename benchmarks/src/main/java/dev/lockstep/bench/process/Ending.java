package dev.lockstep.bench.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of this JVM where it is told to end: first the processes end that it waits for, then the files go among which
 * they write. One shutdown hook does both, since Java runs several at the same time. Thread-safe.
 */
public final class Ending {
    /** A JVM that is told to end needs a part of this, an emulated one more. */
    private static final long SECONDS_MAX = 2;

    private static final Object LOCK = new Object();
    private static final Set<Process> PROCESSES = new LinkedHashSet<>();
    private static final Set<Runnable> REMOVALS = new LinkedHashSet<>();
    private static boolean begun;

    static {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("ending").unstarted(Ending::end));
        } catch (IllegalStateException ending) {
            begun = true;
        }
    }

    private Ending() {}

    /** A process that does not outlive this JVM, nor whoever waits for it. */
    public static final class Watch implements AutoCloseable {
        private final Process process;

        private Watch(Process process) {
            this.process = process;
        }

        /** The process, which runs or has ended. */
        public Process process() {
            return process;
        }

        /**
         * Kills the process if it runs. Does not return where this JVM is ending: whoever waits would take the end of
         * the process for a failure, and go on among files that go.
         */
        @Override
        public void close() {
            process.destroyForcibly();
            synchronized (LOCK) {
                PROCESSES.remove(process);
            }
            stopIfBegun();
        }
    }

    /**
     * Starts a process that ends when this JVM is told to end. Does not return where it is ending.
     *
     * @throws IOException if the process does not start
     */
    public static Watch start(ProcessBuilder builder) throws IOException {
        synchronized (LOCK) {
            if (!begun) {
                Process process = builder.start();
                PROCESSES.add(process);
                return new Watch(process);
            }
        }
        stopIfBegun();
        throw new IllegalStateException("an end that has begun does not stop");
    }

    /** Whether this JVM is ending, so that what fails now is no news. */
    public static boolean hasBegun() {
        synchronized (LOCK) {
            return begun;
        }
    }

    /** Does not return where this JVM is ending. */
    static void stopIfBegun() {
        while (hasBegun()) {
            LockSupport.park();
        }
    }

    /** From now on something is removed when this JVM is told to end. Does not return where it is ending. */
    static void add(Runnable removal) {
        stopIfBegun();
        synchronized (LOCK) {
            REMOVALS.add(removal);
        }
    }

    /** Returns false when this JVM is ending, and it is removed at the same time. */
    static boolean remove(Runnable removal) {
        synchronized (LOCK) {
            REMOVALS.remove(removal);
            return !begun;
        }
    }

    private static void end() {
        List<Process> processes;
        List<Runnable> removals;
        synchronized (LOCK) {
            begun = true;
            processes = new ArrayList<>(PROCESSES);
            removals = new ArrayList<>(REMOVALS);
        }
        // A program may have files of its own to remove.
        processes.forEach(Process::destroy);
        if (!haveEnded(processes)) {
            processes.forEach(Process::destroyForcibly);
            haveEnded(processes);
        }
        removals.forEach(Runnable::run);
    }

    private static boolean haveEnded(List<Process> processes) {
        try {
            CompletableFuture.allOf(processes.stream().map(Process::onExit).toArray(CompletableFuture[]::new))
                    .get(SECONDS_MAX, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException | ExecutionException | InterruptedException e) {
            return false;
        }
    }
}
