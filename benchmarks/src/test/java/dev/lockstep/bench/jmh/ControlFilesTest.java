package dev.lockstep.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.runner.WorkloadParams;
import org.openjdk.jmh.runner.options.TimeValue;

class ControlFilesTest {
    private static BenchmarkParams benchmark(Mode mode) {
        WorkloadParams parameters = new WorkloadParams();
        parameters.put("rows", "1,000", 0);
        return new BenchmarkParams(
                "dev.lockstep.bench.jmh.KeyBenchmark.encode",
                "generated",
                true,
                1,
                new int[] {1},
                List.of(),
                1,
                0,
                null,
                null,
                mode,
                parameters,
                TimeUnit.SECONDS,
                1,
                "java",
                List.of(),
                "25",
                "VM",
                "25",
                "1",
                TimeValue.NONE);
    }

    /** Else what is written of one mode takes the place of what is written of the other. */
    @Test
    void modesOfABenchmarkHaveFilesOfTheirOwn() {
        assertEquals("KeyBenchmark.encode-rows-1_000-avgt", ControlFiles.name(benchmark(Mode.AverageTime)));
        assertEquals("KeyBenchmark.encode-rows-1_000-ss", ControlFiles.name(benchmark(Mode.SingleShotTime)));
    }
}
