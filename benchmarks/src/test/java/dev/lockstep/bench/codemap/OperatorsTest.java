package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the operators of a plan are charged in the simulator. */
@Execution(ExecutionMode.CONCURRENT)
class OperatorsTest {
    /** Of marks, calls and loops of the aggregate, which has half the calls of the filter. */
    private static final double TOLERANCE = 0.04;

    @TempDir
    private Path directory;

    @Test
    void anOperatorIsChargedWithItsOwnCodeAndTheEngineWithItsOperations() throws IOException {
        Map<String, Long> counted = MarkedRun.instructions(directory, PlanProgram.class);
        double filter = counted.getOrDefault(PlanProgram.FILTER, 0L);
        double aggregate = counted.getOrDefault(PlanProgram.AGGREGATE, 0L);
        assertEquals(PlanProgram.TIMES / 2.0, aggregate / filter, TOLERANCE * PlanProgram.TIMES / 2, counted::toString);
        long scan = counted.getOrDefault(PlanProgram.SCAN, 0L);
        long operation = counted.getOrDefault(PlanProgram.OPERATION, 0L);
        assertTrue(scan > 0 && scan < filter / 2, counted::toString);
        assertTrue(operation > 0 && operation < filter / 2, counted::toString);
    }
}
