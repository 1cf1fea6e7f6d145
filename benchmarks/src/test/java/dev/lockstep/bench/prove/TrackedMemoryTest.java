package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose memory is, by the JVM's count. */
class TrackedMemoryTest {
    private static final String ANSWER =
            """
            Native Memory Tracking:

            (Omitting categories weighting less than 1KB)

            Total: reserved=7742511KB, committed=487895KB
                   malloc: 19643KB #52958, peak=20467KB #47770

            -                 Java Heap (reserved=6172672KB, committed=393216KB)
                                        (mmap: reserved=6172672KB, committed=393216KB, at peak)

            -                     Other (reserved=34KB, committed=34KB)
                                        (malloc=34KB tag=Other #2) (at peak)

            -    Native Memory Tracking (reserved=946KB, committed=946KB)
            -        Shared class space (reserved=16384KB, committed=13908KB, readonly=0KB)
            """;

    @Test
    void eachOwnerHasWhatItCommitted() {
        Map<String, Long> bytes = TrackedMemory.bytesByOwner(ANSWER);
        assertEquals(
                List.of(TrackedMemory.HEAP, TrackedMemory.PROGRAM, "Native Memory Tracking", "Shared class space"),
                List.copyOf(bytes.keySet()));
        assertEquals(34L << 10, bytes.get(TrackedMemory.PROGRAM));
        assertEquals(13_908L << 10, bytes.get("Shared class space"));
    }

    @Test
    void aJvmThatDoesNotCountSaysNothing() {
        assertEquals(Map.of(), TrackedMemory.bytesByOwner("Native memory tracking is not enabled\n"));
    }
}
