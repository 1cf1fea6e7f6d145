package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.SThreadKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;
import picocli.CommandLine;

/** What S-threads that switch are charged in the simulator, beside how much each of them is known to do. */
class SwitchedOperationsTest {
    /**
     * What the marks and the calls around a switch may add to the work between two of them. A switch that was charged
     * to an operation would be several times as much, and another S-thread's work a multiple of the whole.
     */
    private static final double TOLERANCE = 0.04;

    /** Less than which no switch of an interpreted JVM takes. */
    private static final long INSTRUCTIONS_PER_SWITCH_MIN = 500;

    @TempDir
    private Path directory;

    private static void requireSimulator() {
        if (Simulator.qemu().isEmpty()) {
            throw notRun(Simulator.missing());
        }
        if (NativePart.SIMULATOR.find() instanceof NativePart.Result.Missing(String reason)) {
            throw notRun(reason);
        }
    }

    private static TestAbortedException notRun(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    /** Interpreted, so that equal work is equally many instructions from the first time on. */
    private Map<String, Long> instructions(SThreadKind kind) throws IOException {
        Path json = directory.resolve("result.json");
        Path names = directory.resolve("names.json");
        List<String> words = new ArrayList<>(List.of(
                "simulate",
                "--l1i",
                "32K,8,64",
                "--operations",
                "--json",
                json.toString(),
                "--",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xint",
                "-XX:+UseSerialGC",
                "-D" + InstalledProbe.PROPERTY + "=" + OperationMarkers.class.getName(),
                "-D" + MarkedOperation.PROPERTY + "=" + names));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add") || flag.startsWith("--enable-native"))
                .forEach(words::add);
        words.addAll(
                List.of("-cp", System.getProperty("java.class.path"), SwitchingProgram.class.getName(), kind.name()));
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        assertEquals(0, line.execute(words.toArray(String[]::new)), err::toString);
        Map<Integer, String> named = new HashMap<>();
        ObjectMapper mapper = new ObjectMapper();
        for (JsonNode each : mapper.readTree(names.toFile())) {
            named.put(
                    each.get("number").asInt(),
                    (each.get("context").asText() + " " + each.get("operation").asText()).strip());
        }
        Map<String, Long> counted = new HashMap<>();
        for (JsonNode each : mapper.readTree(json.toFile()).at("/processes/0/result/phases/0/operations")) {
            counted.put(
                    named.get(each.get("operation").asInt()),
                    each.at("/counts/instructions").asLong());
        }
        return counted;
    }

    private static void assertCharged(double expected, Map<String, Long> counted, String account) {
        long instructions = counted.getOrDefault(account, 0L);
        assertTrue(
                Math.abs(instructions / expected - 1) <= TOLERANCE,
                () -> account + ": " + instructions + " expected=" + expected + " of " + counted);
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void eachSThreadIsChargedWithItsOwnWorkAndTheSchedulerWithTheSwitches(SThreadKind kind) throws IOException {
        requireSimulator();
        Map<String, Long> counted = instructions(kind);
        double alone = counted.getOrDefault(SwitchingProgram.ALONE, 0L);
        assertTrue(alone > 0, counted::toString);
        assertCharged(alone, counted, SwitchingProgram.LITTLE + " " + SwitchingProgram.TOGETHER);
        assertCharged(alone, counted, SwitchingProgram.LITTLE + " " + SwitchingProgram.LITTLE);
        double much = SwitchingProgram.TIMES * alone;
        assertCharged(much, counted, SwitchingProgram.MUCH + " " + SwitchingProgram.TOGETHER);
        assertCharged(much, counted, SwitchingProgram.MUCH + " " + SwitchingProgram.MUCH);
        // Of two S-threads in two operations each.
        long switches = 4L * SwitchingProgram.SWITCHES;
        long scheduler = counted.getOrDefault(OperationMarkers.SCHEDULER, 0L);
        assertTrue(scheduler > switches * INSTRUCTIONS_PER_SWITCH_MIN, counted::toString);
    }
}
