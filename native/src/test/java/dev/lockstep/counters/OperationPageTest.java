package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations that are marked by stores to a page, in a C program and in a JVM under the simulator. */
class OperationPageTest {
    private static final long WORDS = 100_000;

    /** Of a call of a function, and of what is left of a block. */
    private static final long OTHERS_MAX = 100;

    private static final int INSTRUCTIONS_PER_WORD_MAX = 6;

    @TempDir
    private Path directory;

    private String simulate(String machine, List<String> program) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path file = Files.writeString(directory.resolve("machine.txt"), machine);
        Path result = directory.resolve("result.json");
        List<String> command = new ArrayList<>(
                List.of(qemu.toString(), "-cpu", "max", "-plugin", plugin + ",config=" + file + ",out=" + result));
        command.addAll(program);
        CPrograms.Run run = CPrograms.run(Map.of(Markers.ENVIRONMENT, "1"), command);
        assertEquals(0, run.exitCode(), run.output());
        String json = Files.readString(result);
        return json.substring(json.indexOf("\"phase\":1,"));
    }

    private static Map<Integer, Long> byOperation(String measured, String count) {
        Map<Integer, Long> counts = new TreeMap<>();
        Matcher matcher = Pattern.compile("\"operation\":(\\d+),\"counts\":\\{[^{}]*?\"" + count + "\":(\\d+)")
                .matcher(measured);
        while (matcher.find()) {
            counts.put(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2)));
        }
        return counts;
    }

    /** With and without simulated data, whose callbacks stores of bytes share. */
    @ParameterizedTest
    @ValueSource(strings = {"cores=1\nl1i=32K,8,64\n", "cores=1\nl1i=32K,8,64\nl1d=32K,8,64\n"})
    void whatFollowsAStoreIsItsOperations(String machine) throws Exception {
        Path program = CPrograms.compile(
                directory.resolve("page_marks"), List.of("-O1"), CPrograms.testSource("page_marks.c"));
        String measured = simulate(machine, List.of(program.toString(), Long.toString(WORDS)));
        Map<Integer, Long> instructions = byOperation(measured, "instructions");
        assertEquals(List.of(0, 3, Markers.OPERATIONS - 1), List.copyOf(instructions.keySet()), measured);
        long last = instructions.get(Markers.OPERATIONS - 1);
        assertTrue(last > WORDS && last < INSTRUCTIONS_PER_WORD_MAX * WORDS, instructions::toString);
        // Bytes beside the page change nothing.
        assertTrue(Math.abs(2 * last - instructions.get(3)) <= OTHERS_MAX, instructions::toString);
        if (machine.contains("l1d")) {
            Map<Integer, Long> loads = byOperation(measured, "loads");
            assertTrue(Math.abs(2 * WORDS - loads.get(3)) <= OTHERS_MAX, loads::toString);
        }
    }

    /** Interpreted, compiled by C1 and by C2. */
    @Test
    void aJvmMarksEveryOperation() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String measured = simulate(
                "cores=1\nl1i=32K,8,64\n",
                List.of(
                        java.toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MarkersProgram.class.getName()));
        assertEquals(
                Markers.OPERATIONS,
                byOperation(measured, "instructions").size(),
                "each operation is marked " + MarkersProgram.ROUNDS + " times");
    }
}
