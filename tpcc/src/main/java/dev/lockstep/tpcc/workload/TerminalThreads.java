package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.InstalledTime;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The kind of thread that terminals run on: platform threads, the JDK's virtual threads, or S-threads. Terminals
 * neither start threads nor wait in any other way.
 */
public interface TerminalThreads {
    /** The name of the kind, as a result shows it. */
    String name();

    /**
     * Starts a thread for each of several bodies.
     *
     * @param bodies the threads' work
     */
    void start(List<? extends TerminalBody> bodies);

    /** Suspends the calling thread, of this kind, for about a number of nanoseconds; may return early. */
    void pause(long nanos);

    /**
     * Called by a thread of this kind between transactions, when it holds nothing that others wait for: lets those run
     * that are ready. Does nothing for threads that something else makes give way: the system preempts platform
     * threads, and a scheduler of ours ends the turn of an S-thread after a number of operations.
     */
    default void giveWay() {}

    /** Called by a thread of this kind before it begins a transaction: a scheduler may go by what it will lock. */
    default void aboutToBegin(TransactionInput input) {}

    /**
     * Whether the scheduler of these threads decides in {@link #giveWay} when a turn is over. Terminals then call it
     * after each transaction, having given their session back: a thread whose turn ended inside a session would keep
     * it.
     */
    default boolean endTurnsThemselves() {
        return false;
    }

    /** Ordinary platform threads. */
    static TerminalThreads platform() {
        return new OfJdk("platform", Thread.ofPlatform().name("terminal-", 0).daemon(), false);
    }

    /**
     * Virtual threads on the JDK's own scheduler. They are started by one of them, because a carrier looks into other
     * queues only when its own is empty, and leaves one that others fill only when that is: threads that yield to each
     * other in one queue would keep those out for ever that a platform thread has put into another. For the same reason
     * one turn in so many ends with a short sleep and not with a yield: whoever sleeps is put into the other queue, and
     * once all have been there the carrier looks into it. Without it terminals that the log's thread had woken stood
     * still for up to 24 seconds, and with them whoever waited for their locks.
     */
    static TerminalThreads virtual() {
        return new OfJdk("virtual", Thread.ofVirtual().name("terminal-", 0), true);
    }

    /** Threads that a builder of the JDK makes. */
    final class OfJdk implements TerminalThreads {
        /** A sleep costs some ten microseconds, and a turn is about a millisecond. */
        private static final int TURNS_FOR_A_SLEEP = 8;

        private final String name;
        private final Thread.Builder builder;
        private final boolean cooperative;

        private OfJdk(String name, Thread.Builder builder, boolean cooperative) {
            this.name = name;
            this.builder = builder;
            this.cooperative = cooperative;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void start(List<? extends TerminalBody> bodies) {
            if (cooperative) {
                Thread.ofVirtual().name("terminal-starter").start(() -> startAll(bodies));
            } else {
                startAll(bodies);
            }
        }

        private void startAll(List<? extends TerminalBody> bodies) {
            bodies.forEach(body -> builder.start(body::allTurns));
        }

        @Override
        public void giveWay() {
            if (cooperative && ThreadLocalRandom.current().nextInt(TURNS_FOR_A_SLEEP) == 0) {
                pause(1);
            } else if (cooperative) {
                Thread.yield();
            }
        }

        @Override
        public void pause(long nanos) {
            InstalledTime.parkNanos(this, nanos);
        }
    }
}
