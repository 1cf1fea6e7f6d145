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

class AnonymousMemoryTest {
    private static final List<String> LINES = List.of(
            "55d0a0000000-7ffd0f0f9000 ---p 00000000 00:00 0                          [rollup]",
            "Rss:               10240 kB",
            "Anonymous:          8192 kB",
            "LazyFree:              0 kB",
            "AnonHugePages:      6144 kB",
            "ShmemPmdMapped:     2048 kB");

    @Test
    void readsWhatIsInLargePagesAndWhatThereIs() {
        AnonymousMemory memory = AnonymousMemory.of(LINES);
        assertEquals(new AnonymousMemory(8L << 20, 6L << 20), memory);
        assertEquals(0.75, memory.largePart());
    }

    @Test
    void isAbsentWhereTheSystemDoesNotTell() {
        assertNull(AnonymousMemory.of(LINES.subList(0, 3)), "a system without large pages");
        assertNull(AnonymousMemory.of(List.of("Anonymous:             0 kB", "AnonHugePages:         0 kB")));
    }

    @Test
    void thisSystemTells() {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/self/smaps_rollup")));
        AnonymousMemory memory = AnonymousMemory.now();
        assertNotNull(memory);
        assertTrue(memory.largeBytes() >= 0 && memory.largeBytes() <= memory.bytes(), memory.toString());
    }
}
