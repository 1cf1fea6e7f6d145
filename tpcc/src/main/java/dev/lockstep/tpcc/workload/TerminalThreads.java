package dev.lockstep.tpcc.workload;

import java.util.concurrent.locks.LockSupport;

/**
 * The kind of thread that terminals run on: platform threads, the JDK's virtual threads, or S-threads. Terminals
 * neither start threads nor wait in any other way.
 */
public interface TerminalThreads {
    /** The name of the kind, as a result shows it. */
    String name();

    /**
     * Starts a thread.
     *
     * @param index from 0, distinct for each thread of a run
     * @param body its work; throws nothing
     */
    void start(int index, Runnable body);

    /** Suspends the calling thread, of this kind, for about a number of nanoseconds; may return early. */
    void pause(long nanos);

    /** Ordinary platform threads. */
    static TerminalThreads platform() {
        return new OfJdk("platform", Thread.ofPlatform().name("terminal-", 0).daemon());
    }

    /** Virtual threads on the JDK's own scheduler. */
    static TerminalThreads virtual() {
        return new OfJdk("virtual", Thread.ofVirtual().name("terminal-", 0));
    }

    /** Threads that a builder of the JDK makes. */
    final class OfJdk implements TerminalThreads {
        private final String name;
        private final Thread.Builder builder;

        private OfJdk(String name, Thread.Builder builder) {
            this.name = name;
            this.builder = builder;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void start(int index, Runnable body) {
            builder.start(body);
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }
    }
}
