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

/** Branch prediction: by itself, and of a program whose mispredictions are known. */
class BranchesTest {
    /** Branches of a phase that are not the ones it is about: of its marks, and what predictors still have to learn. */
    private static final long OTHERS_MAX = 200;

    @TempDir
    private Path directory;

    @Test
    void predictorsCountWhatFollowsFromTheirRules() throws Exception {
        Path simulator = CPrograms.source("simulator");
        Path program = CPrograms.compile(
                directory.resolve("branches_test"),
                List.of("-O1", "-I", simulator.toString()),
                CPrograms.testSource("branches_test.c"),
                simulator.resolve("branches.c"));
        CPrograms.Run run = CPrograms.run(Map.of(), List.of(program.toString()));
        assertEquals("all passed\n", run.output());
    }

    @Test
    void programIsPredictedAsComputedByHand() throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("program"),
                List.of("-O1", "-fno-optimize-sibling-calls"),
                CPrograms.testSource("branches_program.c"));
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=1\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + ",branches=16384:4096:1024:16",
                        program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        String json = Files.readString(result);
        // Inner and outer loop.
        assertNear(1_010_000, count(json, 1, "conditional"));
        assertNear(10_000, count(json, 1, "conditionalWrong"));
        assertNear(40_000, count(json, 2, "returns"));
        assertNear(24_000, count(json, 2, "returnsWrong"));
        assertNear(10_000, count(json, 3, "indirect"));
        assertNear(0, count(json, 3, "indirectWrong"));
    }

    private static void assertNear(long expected, long actual) {
        assertTrue(Math.abs(actual - expected) <= OTHERS_MAX, () -> "expected=" + expected + " actual=" + actual);
    }

    private static long count(String json, int phase, String name) {
        Matcher matcher = Pattern.compile("\"phase\":" + phase + ",.*?\"" + name + "\":(\\d+)", Pattern.DOTALL)
                .matcher(json);
        assertTrue(matcher.find(), () -> "no " + name + " of phase " + phase + " in " + json);
        return Long.parseLong(matcher.group(1));
    }
}
