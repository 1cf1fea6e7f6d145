package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the agent that tells of compiled code adds to the switches of virtual threads, which is nothing. */
class UnwatchedSwitchesTest {
    /** Two equal runs differ by some 20 instructions a switch; a watched switch executes 1,400 more. */
    private static final long INSTRUCTIONS_MAX = 300;

    @TempDir
    private Path directory;

    private long carrierInstructions(String name, List<String> options) throws IOException {
        Path json = directory.resolve(name + ".json");
        List<String> words = new ArrayList<>(List.of("simulate", "--l1i", "32K,8,64", "--json", json.toString()));
        words.addAll(options);
        words.addAll(List.of(
                "--",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-BackgroundCompilation",
                "-XX:+UseSerialGC",
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add") || flag.startsWith("--enable-native"))
                .forEach(words::add);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), YieldingProgram.class.getName()));
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        assertEquals(0, line.execute(words.toArray(String[]::new)), err::toString);
        return new ObjectMapper()
                .readTree(json.toFile())
                .at("/processes/0/result/phases/0/instructionsByThreads/carrier")
                .asLong();
    }

    @Test
    void anAgentDoesNotTakePartInThem() throws IOException {
        MarkedRun.requireSimulator();
        if (NativePart.AGENT.find() instanceof NativePart.Result.Missing(String reason)) {
            throw MarkedRun.notRun(reason);
        }
        long without = carrierInstructions("without", List.of());
        long with = carrierInstructions(
                "with", List.of("--code", directory.resolve("code.txt").toString()));
        long more = Math.abs(with - without) / YieldingProgram.SWITCHES_MEASURED;
        assertTrue(more <= INSTRUCTIONS_MAX, () -> "without=" + without + " with=" + with);
    }
}
