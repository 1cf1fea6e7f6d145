package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledProbe;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Programs of tests in a simulated JVM, and what their marked operations executed. */
final class MarkedRun {
    private MarkedRun() {}

    /**
     * Runs a program in a simulated JVM whose operations are marked. Interpreted, so that equal work is equally many
     * instructions from the first time on. What counts is its measured phase: what comes before it is not simulated,
     * which takes a fraction of the time. Does not return where nothing can be simulated, but says so.
     *
     * @param directory for its files
     * @return instructions by what was marked: the context, if any, and the operation
     */
    static Map<String, Long> instructions(Path directory, Class<?> program, String... arguments) throws IOException {
        Needed.requireSimulator();
        Path json = directory.resolve("result.json");
        Path names = directory.resolve("names.json");
        simulate(
                List.of("--phases-only", "--l1i", "32K,8,64", "--operations", "--json", json.toString()),
                List.of(
                        "-Xint",
                        "-XX:+UseSerialGC",
                        "-D" + InstalledProbe.PROPERTY + "=" + OperationMarkers.class.getName(),
                        "-D" + MarkedOperation.PROPERTY + "=" + names),
                program,
                arguments);
        Map<Integer, String> named = new HashMap<>();
        ObjectMapper mapper = new ObjectMapper();
        for (JsonNode each : mapper.readTree(names.toFile())) {
            named.put(
                    each.get("number").asInt(),
                    (each.get("context").asText() + " " + each.get("operation").asText()).strip());
        }
        Map<String, Long> counted = new HashMap<>();
        JsonNode measured = phase(json, Markers.PHASE_MEASURED);
        JsonNode outside = phase(json, 0);
        // Other threads leave the phase a moment after the one that ends it.
        assertTrue(fetches(outside) < fetches(measured) / 100, () -> "outside=" + fetches(outside));
        for (JsonNode each : measured.get("operations")) {
            counted.put(
                    named.get(each.get("operation").asInt()),
                    each.at("/counts/instructions").asLong());
        }
        return counted;
    }

    private static long fetches(JsonNode phase) {
        return phase.at("/total/levels/l1i/accesses").asLong();
    }

    /** What the first process of a run did in a phase. */
    static JsonNode phase(Path json, int number) throws IOException {
        for (JsonNode phase : new ObjectMapper().readTree(json.toFile()).at("/processes/0/result/phases")) {
            if (phase.get("phase").asInt() == number) {
                return phase;
            }
        }
        throw new AssertionError("phase=" + number + " was not entered");
    }

    /**
     * Runs a program in a simulated JVM. A measured phase that it marks is not judged, since there is no control.
     *
     * @param options of the command
     * @param jvmOptions of the JVM, which has the class path of this one and what it exports
     */
    static void simulate(List<String> options, List<String> jvmOptions, Class<?> program, String... arguments) {
        List<String> words = new ArrayList<>(List.of("simulate"));
        words.addAll(options);
        words.add("--");
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(jvmOptions);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add") || flag.startsWith("--enable-native"))
                .forEach(words::add);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        words.addAll(List.of(arguments));
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        int exitCode = line.execute(words.toArray(String[]::new));
        assertTrue(exitCode == 0 || (exitCode == 1 && err.toString().contains(": NOT JUDGED")), err::toString);
    }
}
