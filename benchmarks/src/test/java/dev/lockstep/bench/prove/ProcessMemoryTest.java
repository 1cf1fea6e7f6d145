package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What the system says of a process, and what inputs of the fuzz proof are charged with. */
class ProcessMemoryTest {
    private static final String STATUS =
            """
            Name:\tjava
            VmPeak:\t 9000000 kB
            VmHWM:\t  524288 kB
            VmRSS:\t   20480 kB
            Threads:\t12
            """;

    private static final long MEGABYTE = 1 << 20;

    private static final int ATTEMPTS_MAX = 20;

    @Test
    void readsOneLineOfTheStatus() {
        assertEquals(20 * MEGABYTE, ProcessMemory.bytes(STATUS, ProcessMemory.RESIDENT));
        assertEquals(512 * MEGABYTE, ProcessMemory.bytes(STATUS, ProcessMemory.RESIDENT_PEAK));
        assertEquals(ProcessMemory.UNKNOWN, ProcessMemory.bytes(STATUS, "VmSwap"));
        assertEquals(ProcessMemory.UNKNOWN, ProcessMemory.bytes("", ProcessMemory.RESIDENT));
    }

    @Test
    void anInputIsChargedWithThePeakAboveTheBaseline() {
        assertEquals(30, FuzzMemory.takenBytes(100, 110, 130));
        assertEquals(0, FuzzMemory.takenBytes(100, 130, 130), "the peak was there before");
        assertEquals(0, FuzzMemory.takenBytes(100, 80, 90));
        assertEquals(
                ProcessMemory.UNKNOWN,
                FuzzMemory.takenBytes(ProcessMemory.UNKNOWN, ProcessMemory.UNKNOWN, ProcessMemory.UNKNOWN));
    }

    @Test
    void memoryThatIsGivenBackCounts() {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/self/status")));
        // Not FuzzMemory, whose JVM keeps all of its heap: this one gives parts back beside, at some time after a
        // collection, but in the end there are none left.
        long takenMax = 0;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && takenMax < 128 * MEGABYTE; attempt++) {
            takenMax = Math.max(takenMax, takenBy256Megabytes());
        }
        assertTrue(takenMax >= 128 * MEGABYTE, "takenMax=" + takenMax);
        assertTrue(ProcessMemory.peakResidentBytes() >= ProcessMemory.residentBytes());
    }

    private static long takenBy256Megabytes() {
        ProcessMemory.forgetPeak();
        long before = ProcessMemory.residentBytes();
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(256 * MEGABYTE);
        }
        return ProcessMemory.peakResidentBytes() - before;
    }
}
