package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.Region;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledBinding;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A database on a simulated machine of two nodes: what it tells of its memory, and what a layout of nodes changes. */
@Execution(ExecutionMode.CONCURRENT)
class NodesTest {
    /** Frames of node 0, half of the pool, which are the first to be filled: 26,624 lines, in each of three scans. */
    private static final long REMOTE_LINES = 3 * 26_624;

    /** Frames that are not filled, and lines that stay in the caches. */
    private static final long FEWER_LINES_MAX = REMOTE_LINES / 4;

    /**
     * Lines beside the dealt frames, and frames that another thread touches before the scan does: main's, the
     * compilers' and the engine's threads share memory with the scan, more of it the slower the scan gets on.
     */
    private static final long OTHER_LINES_MAX = REMOTE_LINES / 2;

    private static final long POOL_BYTES = (3 << 20) / 8_192 * (8_192 + 64) + (256 << 10);

    @TempDir
    private Path directory;

    private SimulationResult run(String layout) throws Exception {
        Needed.requireSimulator();
        Path own = Files.createDirectory(directory.resolve(layout));
        Simulator simulator = Simulator.open(
                List.of("cores=2", "nodes=2", "l1i=32K,8,64", "l1d=32K,8,64", "l2=256K,8,64"),
                SimulatorSettings.DEFAULT.withFromFirstPhase(true),
                own);
        Path result = own.resolve("result.json");
        Path output = own.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Xmx64m",
                // What is counted is the scan's data; its code may be worse, and C2 takes half of the time.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-D" + InstalledBinding.PROPERTY + "=" + BoundMachine.class.getName(),
                "-cp",
                System.getProperty("java.class.path"),
                NodesProgram.class.getName(),
                layout));
        ProcessBuilder builder = new ProcessBuilder(simulator.command(result, command))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(simulator.environment());
        int exitCode = builder.start().waitFor();
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, exitCode, said);
        assertEquals("5997000", said.strip());
        return Simulator.read(result);
    }

    /** Lines that core 1 got from the memory of node 0. */
    private static long remoteLines(SimulationResult result) {
        return result.phases().stream()
                .filter(phase -> phase.phase() == Markers.PHASE_MEASURED)
                .flatMap(phase -> phase.processors().stream())
                .filter(each -> each.processor() == 1)
                .mapToLong(each -> each.counts().memoryRemote())
                .sum();
    }

    private static List<Region> pools(SimulationResult result) {
        return result.regions().stream()
                .filter(region -> region.kind().equals("bufferPool"))
                .toList();
    }

    @Test
    void framesDealtToNodesAreRemoteToTheOthers() throws Exception {
        SimulationResult alone = run("none");
        SimulationResult dealt = run("layout");
        Set<String> kinds = alone.regions().stream().map(Region::kind).collect(Collectors.toSet());
        assertEquals(Set.of("bufferPool", "heap", "codeCache", "metaspace"), kinds);
        assertEquals(1, pools(alone).size());
        assertEquals(POOL_BYTES, pools(alone).getFirst().bytes());
        assertEquals(-1, pools(alone).getFirst().node());
        List<Region> pools = pools(dealt);
        assertEquals(2, pools.size());
        assertEquals(Set.of(0, 1), pools.stream().map(Region::node).collect(Collectors.toSet()));
        assertEquals(POOL_BYTES, pools.stream().mapToLong(Region::bytes).sum());
        long aloneLines = remoteLines(alone);
        long dealtLines = remoteLines(dealt);
        assertTrue(aloneLines < OTHER_LINES_MAX, () -> "aloneLines=" + aloneLines);
        assertTrue(
                dealtLines > REMOTE_LINES - FEWER_LINES_MAX && dealtLines < REMOTE_LINES + OTHER_LINES_MAX,
                () -> "dealtLines=" + dealtLines);
    }
}
