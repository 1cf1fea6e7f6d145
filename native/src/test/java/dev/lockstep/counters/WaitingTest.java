package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulator that only counts outside phases: {@code wait=on}. */
class WaitingTest {
    private static final long LOADS = 20_000;
    /** Of the marks around a phase. */
    private static final long OTHERS_MAX = 300;
    /** By ten repeated string instructions, far more than what else a program executes. */
    private static final long BYTES_MOVED = 1_000_000;
    /** Of the loop that counts, at least. */
    private static final long INSTRUCTIONS_OF_COUNT = 3;

    @TempDir
    private Path directory;

    @Test
    void codeOfBeforeAPhaseIsSimulatedInIt() throws Exception {
        String json = simulated("l1i=32K,8,64\nl1d=32K,8,64\n");
        for (int phase = 1; phase <= 2; phase++) {
            long loads = ofPhase(phase, "loads", json);
            assertTrue(loads >= LOADS && loads <= LOADS + OTHERS_MAX, () -> "loads=" + loads);
        }
        assertEquals(1, first(json, "\"translationFlushes\":(\\d+)"));
    }

    @Test
    void instructionsAreCountedInAndOutsideOfPhases() throws Exception {
        String json = simulated("l1i=32K,8,64\n");
        // The loops are alike, and two phases have one each, as many as lie outside.
        long instructions = ofPhase(1, "instructions", json);
        assertTrue(instructions > 2 * LOADS, () -> "instructions=" + instructions);
        long others = ofPhase(2, "instructions", json) - instructions;
        assertTrue(Math.abs(others) <= OTHERS_MAX, () -> "others=" + others);
        long outside = first(json, "\"instructionsByThreads\":\\{\"client\":(\\d+)");
        assertTrue(outside >= 2 * instructions - OTHERS_MAX, () -> "outside=" + outside);
    }

    /** QEMU executes it once for each element. */
    @Test
    void aRepeatedStringInstructionIsOneInAndOutsideOfPhases() throws Exception {
        for (String wait : List.of("off", "on")) {
            Simulated simulated = simulated("strings_program.c", "l1i=32K,8,64\n", wait);
            long inside = ofPhase(1, "instructions", simulated.json);
            long outside = first(simulated.json, "\"instructionsByThreads\":\\{\"client\":(\\d+)");
            assertTrue(inside <= OTHERS_MAX, () -> "wait=" + wait + " inside=" + inside);
            assertTrue(outside < BYTES_MOVED, () -> "wait=" + wait + " outside=" + outside);
        }
    }

    /** A phase begins while it waits for its core. */
    @Test
    void aThreadThatSleptForItsSeatIsChargedToThePhaseInWhichItRuns() throws Exception {
        for (String wait : List.of("off", "on")) {
            Simulated simulated = simulated("seat_program.c", "l1i=32K,8,64\n", wait);
            long counts = first(simulated.output, "within=(\\d+)");
            long instructions =
                    first(simulated.json, "\"phase\":1,.*?\"instructionsByThreads\":\\{.*?\"carrier\":(\\d+)");
            assertTrue(
                    instructions >= INSTRUCTIONS_OF_COUNT * counts,
                    () -> "wait=" + wait + " counts=" + counts + " instructions=" + instructions);
        }
    }

    private String simulated(String caches) throws Exception {
        return simulated("waiting_program.c", caches, "on").json;
    }

    /** What the plugin wrote, and the program said. */
    private record Simulated(String json, String output) {}

    private Simulated simulated(String source, String caches, String wait) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(directory.resolve("program"), List.of("-O1"), CPrograms.testSource(source));
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=1\n" + caches);
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + ",wait=" + wait,
                        program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        return new Simulated(Files.readString(result), run.output());
    }

    private static long ofPhase(int phase, String count, String json) {
        return first(json, "\"phase\":" + phase + ",.*?\"" + count + "\":(\\d+)");
    }

    private static long first(String json, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(json);
        assertTrue(matcher.find(), () -> "no " + pattern + " in " + json);
        return Long.parseLong(matcher.group(1));
    }
}
