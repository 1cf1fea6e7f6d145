package dev.lockstep.bench.jmh;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.StagedWork;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.util.concurrent.TimeUnit;
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

/**
 * A staged team of ten whose works have empty stages: what it takes to go from one stage to the next. The time is
 * divided by the stages that the longer works have beyond the shorter. So the score of the longer less that of the
 * shorter is the time of a stage, and that of the shorter what all else adds to it: the operation, its team and the
 * switches, a thousandth of which falls to each stage.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class StageBenchmark {
    private static final int MEMBERS = 10;
    private static final int OPERATIONS = 100;
    private static final int FURTHER_STAGES = 1_000;

    /** Stages of each member's work. */
    @Param({"1", "1001"})
    public int stages;

    private Scheduler scheduler;
    private int operation;
    private int teams;
    private Throwable failure;

    /** For JMH. */
    public StageBenchmark() {}

    /** Starts the carrier. */
    @Setup
    public void start() {
        scheduler = new Scheduler(SchedulerOptions.defaults()
                .withName("stage")
                .withCarriers(1)
                .withKind(SThreadKind.CONTINUATION)
                .withTeamMode(TeamMode.ON)
                .withTeamLimit(MEMBERS)
                .withTeamExecution(TeamExecution.STAGED));
        operation = scheduler.registerOperation("stages");
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

    /** Time of one of the stages that the longer works have and the shorter have not, and a share of all else. */
    @Benchmark
    @OperationsPerInvocation(MEMBERS * OPERATIONS * FURTHER_STAGES)
    public int stage() throws InterruptedException {
        teams = 0;
        // By an S-thread that keeps the carrier meanwhile, so that the first team has all of them too.
        scheduler.start("starter", 0, () -> {
            for (int i = 0; i < MEMBERS; i++) {
                scheduler.start("member-" + i, 0, this::operate);
            }
        });
        scheduler.awaitTermination();
        if (failure != null || teams != OPERATIONS) {
            throw new IllegalStateException("members did not stay together: teams=" + teams, failure);
        }
        return teams;
    }

    private void operate() {
        try {
            SThread self = SThread.current();
            EmptyStages work = new EmptyStages();
            for (int i = 0; i < OPERATIONS; i++) {
                work.left = stages;
                self.beginOperation(operation, work);
                if (work.left != 0) {
                    throw new IllegalStateException("stages were not done: left=" + work.left);
                }
                self.endOperation();
            }
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
        }
    }

    private final class EmptyStages implements StagedWork {
        private int left;

        @Override
        public void runTogether(StagedWork[] team, int count) {
            teams++;
            boolean goesOn = true;
            while (goesOn) {
                goesOn = false;
                for (int i = 0; i < count; i++) {
                    goesOn |= ((EmptyStages) team[i]).step();
                }
            }
        }

        private boolean step() {
            left--;
            return left > 0;
        }
    }
}
