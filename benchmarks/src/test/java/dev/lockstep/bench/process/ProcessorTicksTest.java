package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ProcessorTicksTest {
    private static final List<String> LINES = List.of(
            "cpu  600 60 300 3000 0 0 9 99 7 7",
            "cpu0 100 10 50 500 1 2 3 34 5 5",
            "cpu1 200 20 100 1000 1 2 3 74 6 6",
            "cpu10 1 1 1 1 1 1 1 1 1 1",
            "intr 1 2 3 4 5 6 7 8 9");

    @Test
    void readsTheProcessorsThatAreAskedForAndNothingTwice() {
        assertEquals(new ProcessorTicks(110, 55, 501, 34), ProcessorTicks.of(LINES, List.of(0)));
        assertEquals(new ProcessorTicks(222, 108, 1003, 75), ProcessorTicks.of(LINES, List.of(1, 10)));
        assertNull(ProcessorTicks.of(LINES, List.of(7)));
        assertNull(ProcessorTicks.of(List.of("cpu0 1 2 3"), List.of(0)), "a system that does not count stolen time");
    }

    @Test
    void tellsThePartBetweenTwoMoments() {
        ProcessorTicks before = new ProcessorTicks(110, 55, 501, 34);
        ProcessorTicks after = new ProcessorTicks(190, 75, 551, 84);
        assertEquals(0.25, ProcessorTicks.stolenPart(before, after));
        assertEquals(new ProcessorShares(0.4, 0.1, 0.25), ProcessorTicks.shares(before, after));
        assertNull(ProcessorTicks.stolenPart(before, before));
        assertNull(ProcessorTicks.shares(before, before));
        assertNull(ProcessorTicks.stolenPart(null, before));
        assertNull(ProcessorTicks.shares(null, before));
        assertNull(ProcessorTicks.stolenPart(before, null));
    }

    @Test
    void thisSystemTells() {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/stat")));
        ProcessorTicks ticks = ProcessorTicks.now();
        assertNotNull(ticks);
        assertTrue(
                ticks.user() > 0 && ticks.kernel() > 0 && ticks.idle() >= 0 && ticks.stolen() >= 0, ticks.toString());
    }
}
