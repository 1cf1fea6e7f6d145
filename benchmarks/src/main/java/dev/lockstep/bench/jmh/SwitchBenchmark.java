package dev.lockstep.bench.jmh;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Two S-threads on one carrier that give each other the turn. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class SwitchBenchmark {
    private static final int S_THREADS = 2;
    private static final int TURNS = 10_000;

    /** What S-threads are made of. */
    @Param({"VIRTUAL", "CONTINUATION"})
    public SThreadKind kind;

    private final AtomicLong turns = new AtomicLong();
    private Scheduler scheduler;

    /** For JMH. */
    public SwitchBenchmark() {}

    /** Starts the carrier. */
    @Setup
    public void start() {
        scheduler = new Scheduler(
                SchedulerOptions.defaults().withName("switch").withCarriers(1).withKind(kind));
    }

    /** Refuses several threads, which would share what belongs to one. */
    @Setup
    public void requireOneThread(BenchmarkParams benchmark) {
        SingleThread.require(benchmark);
    }

    /** Stops it. */
    @TearDown
    public void stop() {
        scheduler.close();
    }

    /** Time of one switch, from one S-thread into the other, with the scheduler's way of choosing it. */
    @Benchmark
    @OperationsPerInvocation(S_THREADS * TURNS)
    public long switchTurn() throws InterruptedException {
        turns.set(0);
        for (int i = 0; i < S_THREADS; i++) {
            scheduler.start("switch-" + i, 0, this::giveTurns);
        }
        scheduler.awaitTermination();
        if (turns.get() != S_THREADS * TURNS) {
            throw new IllegalStateException("turns were lost turns=" + turns.get());
        }
        return turns.get();
    }

    private void giveTurns() {
        SThread self = SThread.current();
        for (int i = 0; i < TURNS; i++) {
            self.yieldTurn();
        }
        turns.addAndGet(TURNS);
    }
}
