package dev.lockstep.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is compared does the same. */
class PlanBenchmarkTest {
    @Test
    void thePlanSumsUpWhatTheLoopDoesEachTime() {
        PlanBenchmark benchmark = new PlanBenchmark();
        benchmark.fill();
        try {
            long expected = benchmark.loopRow();
            assertTrue(expected > 0);
            assertEquals(expected, benchmark.planRow());
            assertEquals(expected, benchmark.planRow());
        } finally {
            benchmark.close();
        }
    }
}
