package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.SThreadKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What S-threads that switch are charged in the simulator, beside how much each of them is known to do. */
@Execution(ExecutionMode.CONCURRENT)
class SwitchedOperationsTest {
    /**
     * What the marks and the calls around a switch may add to the work between two of them. A switch that was charged
     * to an operation would be more than twice as much, and another S-thread's work a multiple of the whole.
     */
    private static final double TOLERANCE = 0.06;

    /** Less than which no switch of an interpreted JVM takes. */
    private static final long INSTRUCTIONS_PER_SWITCH_MIN = 500;

    @TempDir
    private Path directory;

    private static void assertCharged(double expected, Map<String, Long> counted, String account) {
        long instructions = counted.getOrDefault(account, 0L);
        assertTrue(
                Math.abs(instructions / expected - 1) <= TOLERANCE,
                () -> account + ": " + instructions + " expected=" + expected + " of " + counted);
    }

    private static void assertEachIsChargedWithItsOwn(Map<String, Long> counted) {
        double alone = counted.getOrDefault(SwitchingProgram.ALONE, 0L);
        assertTrue(alone > 0, counted::toString);
        assertCharged(alone, counted, SwitchingProgram.LITTLE + " " + SwitchingProgram.TOGETHER);
        assertCharged(alone, counted, SwitchingProgram.LITTLE + " " + SwitchingProgram.LITTLE);
        double much = SwitchingProgram.TIMES * alone;
        assertCharged(much, counted, SwitchingProgram.MUCH + " " + SwitchingProgram.TOGETHER);
        assertCharged(much, counted, SwitchingProgram.MUCH + " " + SwitchingProgram.MUCH);
    }

    /** The leader of a staged team executes everything, and its own context gets no more than its own work. */
    @Test
    void aMemberIsChargedWithItsWorkThatTheLeaderDoes() throws IOException {
        assertEachIsChargedWithItsOwn(
                MarkedRun.instructions(directory, SwitchingProgram.class, SThreadKind.CONTINUATION.name(), "staged"));
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void eachSThreadIsChargedWithItsOwnWorkAndTheSchedulerWithTheSwitches(SThreadKind kind) throws IOException {
        Map<String, Long> counted = MarkedRun.instructions(directory, SwitchingProgram.class, kind.name());
        assertEachIsChargedWithItsOwn(counted);
        // Of two S-threads in two operations each.
        long switches = 4L * SwitchingProgram.SWITCHES;
        long scheduler = counted.getOrDefault(OperationMarkers.SCHEDULER, 0L);
        assertTrue(scheduler > switches * INSTRUCTIONS_PER_SWITCH_MIN, counted::toString);
    }
}
