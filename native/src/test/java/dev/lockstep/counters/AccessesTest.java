package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses and instructions are counted as the program makes them, not as QEMU reports them. */
class AccessesTest {
    /** What the marks around a phase, and threads that end a wait meanwhile, add to it. */
    private static final long OTHERS_MAX = 300;

    @TempDir
    private Path directory;

    private Path program;

    @BeforeEach
    void compile() throws Exception {
        program = CPrograms.compile(
                directory.resolve("accesses"), List.of("-O1"), CPrograms.testSource("accesses_program.c"));
    }

    /**
     * The program's phases, in order: a vector load, a string copy, atomics alone and beside a thread, an atomic and a
     * load across two lines, a string comparison, a search, a copy backward, two prefetches and a flush; on a machine
     * that is fed at once, and on one whose events are gathered.
     */
    @ParameterizedTest
    @CsvSource({"'cores=1'", "'cores=2\nl2=1M,16,64\ncoherence=mesi\nclasses=merged'"})
    void eachIsCountedOnce(String machine) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path description =
                Files.writeString(directory.resolve("machine.txt"), machine + "\nl1i=32K,8,64\nl1d=32K,8,64\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-cpu",
                        "max",
                        "-plugin",
                        plugin + ",config=" + description + ",out=" + result,
                        program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        String json = Files.readString(result);
        assertPhase(json, 1, 3_000, 1_000, 0, 0, 1_000);
        assertPhase(json, 2, 6_000, 1_000, 1_000, 0, 8_000);
        assertPhase(json, 3, 3_000, 0, 0, 1_000, 1_000);
        assertPhase(json, 4, 3_000, 0, 0, 1_000, 1_000);
        assertPhase(json, 5, 3_000, 0, 0, 1_000, 2_000);
        assertPhase(json, 6, 3_000, 1_000, 0, 0, 2_000);
        assertPhase(json, 7, 6_000, 2_000, 0, 0, 8_000);
        assertPhase(json, 8, 5_000, 1_000, 0, 0, 4_000);
        assertPhase(json, 9, 6_000, 1_000, 1_000, 0, 8_000);
        assertPhase(json, 10, 3_000, 0, 0, 0, 0);
        assertPhase(json, 11, 3_000, 0, 0, 0, 0);
        assertPhase(json, 12, 3_000, 0, 0, 0, 0);
    }

    private static void assertPhase(
            String json, int phase, long instructions, long loads, long stores, long updates, long lines) {
        assertNear(instructions, json, phase, "\"total\":\\{\"instructions\"");
        assertNear(loads, json, phase, "\"loads\"");
        assertNear(stores, json, phase, "\"stores\"");
        assertNear(updates, json, phase, "\"updates\"");
        assertNear(lines, json, phase, "\"l1d\":\\{\"accesses\"");
    }

    private static void assertNear(long expected, String json, int phase, String name) {
        Matcher matcher = Pattern.compile("\"phase\":" + phase + ",.*?" + name + ":(\\d+)", Pattern.DOTALL)
                .matcher(json);
        assertTrue(matcher.find(), () -> "no " + name + " of phase " + phase);
        long actual = Long.parseLong(matcher.group(1));
        assertTrue(
                actual >= expected && actual <= expected + OTHERS_MAX,
                () -> "phase=" + phase + " " + name + " expected=" + expected + " actual=" + actual);
    }
}
