package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.counters.Topology.Cache;
import dev.lockstep.counters.Topology.CacheKind;
import dev.lockstep.counters.Topology.Node;
import dev.lockstep.counters.Topology.Processor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
    @TempDir
    private Path system;

    private void write(String file, String text) throws IOException {
        Path path = system.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private void processor(int number, int core, int packageNumber, String siblings) throws IOException {
        String topology = "cpu/cpu" + number + "/topology/";
        write(topology + "core_id", Integer.toString(core));
        write(topology + "physical_package_id", Integer.toString(packageNumber));
        write(topology + "thread_siblings_list", siblings);
    }

    private void cache(int processor, int index, int level, String type, String size, String shared)
            throws IOException {
        String cache = "cpu/cpu" + processor + "/cache/index" + index + "/";
        write(cache + "level", Integer.toString(level));
        write(cache + "type", type);
        write(cache + "size", size);
        write(cache + "ways_of_associativity", "8");
        write(cache + "coherency_line_size", "64");
        write(cache + "shared_cpu_list", shared);
    }

    /** Two packages of two cores with two threads each; processor 3 is offline. */
    private void twoPackages() throws IOException {
        write("cpu/online", "0-2,4-7");
        for (int number : new int[] {0, 1, 2, 4, 5, 6, 7}) {
            int core = number % 4 / 2;
            int even = number - number % 2;
            String siblings = number == 2 ? "2" : even + "-" + (even + 1);
            String together = number < 4 ? "0-2" : "4-7";
            processor(number, core, number / 4, siblings);
            cache(number, 0, 1, "Data", "48K", siblings);
            cache(number, 1, 1, "Instruction", "32K", siblings);
            cache(number, 2, 2, "Unified", "1M", siblings);
            cache(number, 3, 3, "Unified", "16384K", together);
        }
        write("node/node0/cpulist", "0-2");
        write("node/node0/distance", "10 21 31");
        write("node/node0/meminfo", "Node 0 MemTotal:       1024 kB\nNode 0 MemFree: 5 kB");
        write("node/node1/cpulist", "4-7");
        write("node/node10/cpulist", "");
        write("node/has_cpu", "0-1");
    }

    private Topology known() {
        return assertInstanceOf(Topology.Result.Known.class, Topology.read(system))
                .topology();
    }

    private String unknown() {
        return assertInstanceOf(Topology.Result.Unknown.class, Topology.read(system))
                .reason();
    }

    @Test
    void readsProcessorsThatAreOnline() throws IOException {
        twoPackages();
        Topology topology = known();
        assertEquals(
                List.of(0, 1, 2, 4, 5, 6, 7),
                topology.processors().stream().map(Processor::number).toList());
        assertEquals(
                new Processor(1, 0, 0, List.of(0, 1), 0), topology.processors().get(1));
        assertEquals(
                new Processor(2, 1, 0, List.of(2), 0), topology.processors().get(2));
        assertEquals(
                new Processor(7, 1, 1, List.of(6, 7), 1), topology.processors().get(6));
        assertEquals(4, topology.cores());
        assertEquals(2, topology.packages());
    }

    @Test
    void readsEachCacheOnceWithThoseWhoShareIt() throws IOException {
        twoPackages();
        List<Cache> caches = known().caches();
        // Four of each private kind, two shared by all of a package.
        assertEquals(14, caches.size());
        assertEquals(
                new Cache(1, CacheKind.INSTRUCTION, new CacheGeometry(32 << 10, 8, 64), List.of(0, 1)), caches.get(0));
        assertEquals(new Cache(1, CacheKind.DATA, new CacheGeometry(48 << 10, 8, 64), List.of(2)), caches.get(5));
        assertEquals(new Cache(2, CacheKind.UNIFIED, new CacheGeometry(1 << 20, 8, 64), List.of(4, 5)), caches.get(10));
        assertEquals(
                new Cache(3, CacheKind.UNIFIED, new CacheGeometry(16 << 20, 8, 64), List.of(4, 5, 6, 7)),
                caches.get(13));
    }

    @Test
    void readsNodesWithAndWithoutProcessors() throws IOException {
        twoPackages();
        assertEquals(
                List.of(
                        new Node(0, List.of(0, 1, 2), 1 << 20, List.of(10, 21, 31)),
                        new Node(1, List.of(4, 5, 6, 7), 0, List.of()),
                        new Node(10, List.of(), 0, List.of())),
                known().nodes());
    }

    @Test
    void whatAVirtualMachineHidesIsUnknown() throws IOException {
        write("cpu/online", "0");
        Topology topology = known();
        assertEquals(
                List.of(new Processor(0, Topology.UNKNOWN, Topology.UNKNOWN, List.of(0), Topology.UNKNOWN)),
                topology.processors());
        assertEquals(List.of(), topology.caches());
        assertEquals(List.of(), topology.nodes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"level", "type", "size", "shared_cpu_list"})
    void aCacheThatIsHalfToldIsLeftOut(String file) throws IOException {
        twoPackages();
        Files.delete(system.resolve("cpu/cpu2/cache/index0/" + file));
        List<Cache> caches = known().caches();
        assertEquals(13, caches.size());
        assertFalse(caches.contains(new Cache(1, CacheKind.DATA, new CacheGeometry(48 << 10, 8, 64), List.of(2))));
        assertEquals(7, known().processors().size());
    }

    @Test
    void aCacheThatDoesNotTellItsWaysIsRead() throws IOException {
        twoPackages();
        Files.delete(system.resolve("cpu/cpu0/cache/index1/ways_of_associativity"));
        Files.delete(system.resolve("cpu/cpu1/cache/index1/ways_of_associativity"));
        assertEquals(
                new CacheGeometry(32 << 10, 0, 64), known().caches().getFirst().geometry());
    }

    @Test
    void anotherSystemDoesNotTell() {
        String reason = unknown();
        assertTrue(reason.contains("missingFile=") && reason.contains("; "), reason);
    }

    @Test
    void whatCannotBeReadIsSaid() throws IOException {
        for (String list : List.of("0-", "one", "3-1", "0-99999999", "-1", ",")) {
            write("cpu/online", list);
            String reason = unknown();
            assertTrue(reason.contains("cause="), reason);
        }
        twoPackages();
        write("cpu/cpu4/cache/index2/type", "Trace");
        assertTrue(unknown().contains("type=Trace"), unknown());
        write("cpu/cpu4/cache/index2/type", "Unified");
        write("cpu/cpu4/cache/index2/size", "");
        assertTrue(unknown().contains("cause="), unknown());
        write("cpu/online", "");
        assertTrue(unknown().contains("cause="), unknown());
    }

    @Test
    void thisMachineIsReadOrSaysWhyNot() {
        switch (Topology.read()) {
            case Topology.Result.Known(Topology topology) -> {
                assertTrue(topology.processors().size() >= 1);
                assertTrue(topology.cores() <= topology.processors().size());
                for (Processor processor : topology.processors()) {
                    assertTrue(processor.siblings().contains(processor.number()), processor.toString());
                }
                agreesWithTheCLibrary(topology);
            }
            case Topology.Result.Unknown(String reason) -> assertTrue(reason.endsWith("."), reason);
        }
    }

    private static void agreesWithTheCLibrary(Topology topology) {
        if (NativeLibrary.load() instanceof NativeLibrary.Result.Available(NativeLibrary library)) {
            Optional<CacheGeometry> instruction = library.cache(CacheLevel.L1_INSTRUCTION);
            List<CacheGeometry> read = topology.caches().stream()
                    .filter(cache -> cache.level() == 1 && cache.kind() == CacheKind.INSTRUCTION)
                    .map(Cache::geometry)
                    .toList();
            if (instruction.isPresent() && !read.isEmpty()) {
                assertTrue(
                        read.stream()
                                .anyMatch(geometry ->
                                        geometry.bytes() == instruction.get().bytes()),
                        () -> read + " " + instruction.get());
            }
        }
    }

    @Test
    void aMachineHasAProcessor() {
        assertThrows(IllegalArgumentException.class, () -> new Topology(List.of(), List.of(), List.of()));
    }
}
