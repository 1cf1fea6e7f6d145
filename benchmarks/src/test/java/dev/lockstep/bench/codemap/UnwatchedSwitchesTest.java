package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the agent that tells of compiled code adds to the switches of virtual threads, which is nothing. */
@Execution(ExecutionMode.CONCURRENT)
class UnwatchedSwitchesTest {
    /** Two equal runs differ by some 20 instructions a switch; a watched switch executes 1,400 more. */
    private static final long INSTRUCTIONS_MAX = 300;

    @TempDir
    private Path directory;

    private long carrierInstructions(String name, List<String> options) throws IOException {
        Path json = directory.resolve(name + ".json");
        List<String> all = new ArrayList<>(List.of("--phases-only", "--l1i", "32K,8,64", "--json", json.toString()));
        all.addAll(options);
        MarkedRun.simulate(
                all,
                List.of(
                        "-XX:-BackgroundCompilation",
                        "-XX:+UseSerialGC",
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1"),
                YieldingProgram.class);
        return MarkedRun.phase(json, YieldingProgram.PHASE)
                .at("/instructionsByThreads/carrier")
                .asLong();
    }

    @Test
    void anAgentDoesNotTakePartInThem() throws IOException {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        long without = carrierInstructions("without", List.of());
        long with = carrierInstructions(
                "with", List.of("--code", directory.resolve("code.txt").toString()));
        long more = Math.abs(with - without) / YieldingProgram.SWITCHES_MEASURED;
        assertTrue(more <= INSTRUCTIONS_MAX, () -> "without=" + without + " with=" + with);
    }
}
