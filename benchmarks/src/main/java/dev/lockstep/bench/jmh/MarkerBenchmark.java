package dev.lockstep.bench.jmh;

import dev.lockstep.counters.Markers;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** What a mark for the simulator costs on a real processor: where marks are made, and where they are not. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class MarkerBenchmark {
    private static final String MADE = "-Dlockstep.simulated=true";
    private static final String NOT_MADE = "-Dlockstep.simulated=false";

    private int operation;

    /** For JMH. */
    public MarkerBenchmark() {}

    /** Refuses to measure another case than the one named; without forks there is only the one that is not marked. */
    @Setup
    public void check(BenchmarkParams benchmark) {
        boolean named = Set.of("operationMarked", "phaseMarked")
                .contains(benchmark
                        .getBenchmark()
                        .substring(benchmark.getBenchmark().lastIndexOf('.') + 1));
        if (benchmark.getForks() > 0 && named != Markers.obstacle().isEmpty()) {
            throw new IllegalStateException(
                    "marks are made or not against the name of the benchmark: benchmark=" + benchmark.getBenchmark()
                            + " obstacle=" + Markers.obstacle().orElse("none"));
        }
    }

    /** The control: choosing an operation, without a mark. */
    @Benchmark
    @Fork(3)
    public int chooseOperation() {
        return next();
    }

    /** Choosing an operation and not marking it, as in every run that is not simulated. */
    @Benchmark
    @Fork(value = 3, jvmArgsAppend = NOT_MADE)
    public int operationNotMarked() {
        int next = next();
        Markers.operation(next);
        return next;
    }

    /** Choosing an operation and marking it. */
    @Benchmark
    @Fork(value = 3, jvmArgsAppend = MADE)
    public int operationMarked() {
        int next = next();
        Markers.operation(next);
        return next;
    }

    /** Beginning and ending a phase: two calls of a native function, which stores once. */
    @Benchmark
    @Fork(value = 3, jvmArgsAppend = MADE)
    public void phaseMarked() {
        Markers.phaseBegin(Markers.PHASE_MEASURED);
        Markers.phaseEnd(Markers.PHASE_MEASURED);
    }

    private int next() {
        // Sixteen operations, as many as an engine has.
        operation = (operation + 1) & 15;
        return operation;
    }
}
