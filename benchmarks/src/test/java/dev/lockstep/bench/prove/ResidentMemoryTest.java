package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Which part of the process's memory is the heap's. */
class ResidentMemoryTest {
    private static final long MEGABYTE = 1 << 20;

    private static final int ATTEMPTS_MAX = 20;

    /** Addresses above 2^63 are those of the system itself. */
    private static final String MAPPINGS =
            """
            41000000-41001000 ---p 00000000 00:00 0
            Size:                  4 kB
            Rss:                1024 kB
            Pss:                   4 kB
            Anonymous:          1024 kB
            687400000-697000000 rw-p 00000000 00:00 0
            Rss:               20480 kB
            Anonymous:         20480 kB
            697000000-782700000 ---p 00000000 00:00 0
            Rss:                   0 kB
            782700000-790400000 rw-p 00000000 00:00 0
            Rss:               10240 kB
            Anonymous:         10240 kB
            AnonHugePages:      8192 kB
            800000000-800040000 rw-p 00000000 00:00 0                             /some/file
            Rss:                2048 kB
            Anonymous:           512 kB
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
            Rss:                   0 kB
            """;

    private static final String G1 =
            """
            garbage-first heap   total reserved 6172672K, committed 393216K, used 145520K \
            [0x0000000687400000, 0x0000000800000000)
             region size 4096K, 13 young (53248K), 3 survivors (12288K)
            """;

    private static final String PARALLEL =
            """
            PSYoungGen      total 113152K, used 70529K [0x0000000782700000, 0x0000000790400000, 0x0000000800000000)
             eden space 97280K, 56% used [0x0000000782700000,0x0000000785c64520,0x0000000788600000)
            ParOldGen       total 258048K, used 43159K [0x0000000687400000, 0x0000000697000000, 0x0000000782700000)
             object space 258048K, 16% used [0x0000000687400000,0x0000000689e25d48,0x0000000697000000)
            """;

    @Test
    void theHeapIsWhatLiesAtItsAddresses() {
        ResidentMemory expected = new ResidentMemory(33 * MEGABYTE, 30 * MEGABYTE, 3 * MEGABYTE / 2);
        assertEquals(expected, ResidentMemory.of(MAPPINGS, G1));
        assertEquals(expected, ResidentMemory.of(MAPPINGS, PARALLEL), "of all generations");
        assertEquals(3 * MEGABYTE / 2, expected.nativeBytes());
    }

    @Test
    void aHeapWithoutAPlaceIsUnknown() {
        ResidentMemory unknown = ResidentMemory.of(MAPPINGS, " ZHeap            used 182M, capacity 378M\n");
        assertEquals(ResidentMemory.UNKNOWN, unknown);
        assertEquals(ProcessMemory.UNKNOWN, unknown.nativeBytes());
        assertEquals(ResidentMemory.UNKNOWN, ResidentMemory.of("", G1));
    }

    @Test
    void whatIsTakenOutsideOfTheHeapIsNotTheHeaps() {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/self/smaps")));
        Assumptions.assumeTrue(
                ResidentMemory.ofThisProcess().nativeBytes() != ProcessMemory.UNKNOWN,
                "a collector whose heap has a place of its own");
        // The allocations may make the JVM collect, and give back what earlier tests have left outside of the heap; in
        // the end there is none left.
        double grownMegabytes = 0;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && Math.abs(grownMegabytes - 256) > 64; attempt++) {
            grownMegabytes = grownBy256MegabytesBesideHeap();
        }
        assertEquals(256, grownMegabytes, 64, "heap is not counted, and all else is");
    }

    private static double grownBy256MegabytesBesideHeap() {
        long before = ResidentMemory.ofThisProcess().nativeBytes();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment taken = arena.allocate(256 * MEGABYTE);
            byte[][] heap = new byte[128][(int) MEGABYTE];
            double grownMegabytes = (double) (ResidentMemory.ofThisProcess().nativeBytes() - before) / MEGABYTE;
            assertEquals(256 * MEGABYTE, taken.byteSize());
            assertEquals(128, heap.length, "both live until here");
            return grownMegabytes;
        }
    }
}
