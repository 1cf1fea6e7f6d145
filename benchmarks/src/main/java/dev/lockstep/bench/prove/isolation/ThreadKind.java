package dev.lockstep.bench.prove.isolation;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** What runs the transactions of a history. */
public enum ThreadKind {
    /** Virtual threads of the JDK, which give way to each other between operations. */
    VIRTUAL_THREADS(null, TeamExecution.SWITCHING),
    /** S-threads that are virtual threads; teams form at every operation and switch inside it. */
    VIRTUAL_S_THREADS(SThreadKind.VIRTUAL, TeamExecution.SWITCHING),
    /** S-threads that are raw continuations, in the same way. */
    CONTINUATION_S_THREADS(SThreadKind.CONTINUATION, TeamExecution.SWITCHING),
    /** S-threads whose teams run fetches, and updates of what was fetched, in stages on their leaders' stacks. */
    STAGED_S_THREADS(SThreadKind.VIRTUAL, TeamExecution.STAGED);

    private static final int CARRIERS = 2;

    private final SThreadKind kind;
    private final TeamExecution execution;

    ThreadKind(SThreadKind kind, TeamExecution execution) {
        this.kind = kind;
        this.execution = execution;
    }

    /** Whether this JVM has them. */
    boolean isAvailable() {
        return kind == null || Scheduler.probe(kind).available();
    }

    /** What reports call it. */
    String title() {
        return switch (this) {
            case VIRTUAL_THREADS -> "virtual threads";
            case VIRTUAL_S_THREADS -> "S-threads, virtual";
            case CONTINUATION_S_THREADS -> "S-threads, continuations";
            case STAGED_S_THREADS -> "S-threads in staged teams";
        };
    }

    /** A scheduler for them, to be closed after use; null where they need none. */
    Scheduler newScheduler() {
        return kind == null
                ? null
                : new Scheduler(SchedulerOptions.defaults()
                        .withKind(kind)
                        .withCarriers(CARRIERS)
                        .withTeamMode(TeamMode.ON)
                        .withTeamExecution(execution)
                        .withSwitchPointsOn(true));
    }

    /** Lets others run between two operations. */
    void giveWay() {
        if (kind == null) {
            Thread.yield();
        }
    }

    /**
     * Runs a body on many of them, each with its index, and waits for all.
     *
     * @throws IllegalStateException if one of them failed
     */
    void run(Scheduler scheduler, int threadCount, IntConsumer body) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        if (scheduler == null) {
            List<Thread> threads = new ArrayList<>();
            Throwable[] failed = new Throwable[threadCount];
            for (int i = 0; i < threadCount; i++) {
                int index = i;
                threads.add(Thread.ofVirtual()
                        .name(name(i))
                        .uncaughtExceptionHandler((thread, failure) -> failed[index] = failure)
                        .start(() -> body.accept(index)));
            }
            for (int i = 0; i < threadCount; i++) {
                threads.get(i).join();
                if (failed[i] != null) {
                    failures.add(failed[i]);
                }
            }
        } else {
            List<SThread> threads = new ArrayList<>();
            for (int i = 0; i < threadCount; i++) {
                int index = i;
                threads.add(scheduler.start(name(i), -1, () -> body.accept(index)));
            }
            for (SThread thread : threads) {
                thread.join();
                if (thread.failure() != null) {
                    failures.add(thread.failure());
                }
            }
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(
                    failures.size() + " of " + threadCount + " threads failed", failures.getFirst());
        }
    }

    private static String name(int index) {
        return "t" + index;
    }
}
