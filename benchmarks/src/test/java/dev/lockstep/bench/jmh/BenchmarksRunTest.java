package dev.lockstep.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark once, so that none rots. */
class BenchmarksRunTest {
    private static final List<Class<?>> BENCHMARKS = List.of(
            DescentBenchmark.class,
            KeyBenchmark.class,
            LockBenchmark.class,
            LogBenchmark.class,
            MarkerBenchmark.class,
            NewOrderBenchmark.class,
            OperationBenchmark.class,
            PlanBenchmark.class,
            StageBenchmark.class,
            SwitchBenchmark.class);

    @Test
    void everyBenchmarkRuns() throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("dev\\.lockstep\\.bench\\.jmh\\..*")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(5))
                        .param("rows", "1000")
                        .param("items", "100")
                        .param("customers", "30")
                        .param("owners", "50")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        Set<String> ran = results.stream()
                .map(result -> result.getParams().getBenchmark())
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(declared(), ran);
        for (RunResult result : results) {
            double score = result.getPrimaryResult().getScore();
            assertTrue(score > 0, result.getParams().getBenchmark() + " score=" + score);
        }
    }

    private static Set<String> declared() {
        Set<String> names = new TreeSet<>();
        for (Class<?> type : BENCHMARKS) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Benchmark.class)) {
                    names.add(type.getName() + "." + method.getName());
                }
            }
            assertFalse(
                    Arrays.stream(type.getDeclaredMethods()).noneMatch(m -> m.isAnnotationPresent(Benchmark.class)),
                    type.getName());
        }
        return names;
    }
}
