package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.bench.simulate.jvm.JvmMemory.Range;
import dev.lockstep.counters.RegionKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class MappedPagesTest {
    private static final long MIB = 1 << 20;

    private static final String SMAPS =
            """
            10000000-10800000 rw-p 00000000 00:00 0
            Size:               8192 kB
            KernelPageSize:        4 kB
            MMUPageSize:           4 kB
            Rss:                6144 kB
            AnonHugePages:      4096 kB
            10800000-11000000 rw-p 00000000 00:00 0                          [heap]
            KernelPageSize:        4 kB
            Rss:                8192 kB
            AnonHugePages:         0 kB
            20000000-20400000 rw-p 00000000 00:0f 7                          /anon_hugepage (deleted)
            KernelPageSize:     2048 kB
            Rss:                   0 kB
            AnonHugePages:         0 kB
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]
            KernelPageSize:        4 kB
            Rss:                   0 kB
            AnonHugePages:         0 kB
            """;

    private final MappedPages pages = MappedPages.parse(SMAPS.lines().toList());

    @Test
    void aRangeIsInLargePagesWhereMostOfItIsOrWhereItWasMadeSo() {
        assertEquals(5 - 1, pages.mappings().size());
        assertEquals(2 * MIB, pages.pageBytes(0x10000000, 8 * MIB));
        // 4 of the 14 MB that are there.
        assertEquals(4096, pages.pageBytes(0x10000000, 16 * MIB));
        assertEquals(4096, pages.pageBytes(0x10800000, MIB));
        assertEquals(2 * MIB, pages.pageBytes(0x20000000, MIB));
        assertEquals(4096, pages.pageBytes(0x30000000, MIB));
    }

    @Test
    void theJvmsMemoryIsFoundInWhatItsCommandsPrint() {
        String serial =
                """
                DefNew     total 157248K, used 13977K [0x00000000e0000000, 0x00000000eaaa0000, 0x00000000eaaa0000)
                 eden space 139776K,  10% used [0x00000000e0000000, 0x00000000e0da6730, 0x00000000e8880000)
                Tenured    total 349568K, used 1166K [0x00000000eaaa0000, 0x0000000100000000, 0x0000000100000000)
                """;
        String parallel =
                """
                PSYoungGen      total 153600K, used 13328K [0x00000000f5600000, 0x0000000100000000, 0x0000000100000000)
                 eden space 133120K, 10% used [0x00000000f5600000,0x00000000f63040b8,0x00000000fd800000)
                ParOldGen       total 350208K, used 1166K [0x00000000e0000000, 0x00000000f5600000, 0x00000000f5600000)
                """;
        String g1 = "garbage-first heap   total reserved 524288K, committed 389120K, used 9358K"
                + " [0x00000000e0000000, 0x0000000100000000)\n";
        String code =
                """
                CodeHeap 'non-profiled nmethods': size=120832Kb used=156Kb max_used=156Kb free=120675Kb
                 bounds [0x00007ff347e00000, 0x00007ff348200000, 0x00007ff34f400000]
                CodeHeap 'non-nmethods': size=6144Kb used=1219Kb max_used=1240Kb free=4925Kb
                 bounds [0x00007ff347800000, 0x00007ff347c00000, 0x00007ff347e00000]
                """;
        String metaspace =
                """
                vsl non-class-space:
                - node #0: base 0x00007f4d20000000: reserved=65536.00 KB, committed=2944.00 KB (  4%), used=16384.00 KB
                 0:0x00007f4d20000000: CLNNNN
                """;
        for (String heap : List.of(serial, parallel, g1)) {
            assertEquals(
                    List.of(
                            new Range(RegionKind.HEAP, 0xe0000000L, 512 * MIB),
                            new Range(RegionKind.CODE_CACHE, 0x7ff347e00000L, 118 * MIB),
                            new Range(RegionKind.CODE_CACHE, 0x7ff347800000L, 6 * MIB),
                            new Range(RegionKind.METASPACE, 0x7f4d20000000L, 64 * MIB)),
                    JvmMemory.parse(heap, code, metaspace));
        }
        assertEquals(List.of(), JvmMemory.parse("ZHeap used 10M, capacity 256M", "", ""));
    }

    @Test
    void thisJvmTellsItsMemory() {
        List<RegionKind> kinds =
                JvmMemory.ranges().stream().map(Range::kind).distinct().toList();
        assertEquals(List.of(RegionKind.HEAP, RegionKind.CODE_CACHE, RegionKind.METASPACE), kinds);
    }
}
