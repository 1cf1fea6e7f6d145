package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
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
        Path program = CPrograms.compile(
                directory.resolve("program"),
                List.of("-O1", "-fno-optimize-sibling-calls"),
                CPrograms.testSource("branches_program.c"));
        Path code = directory.resolve("code.txt");
        PhaseCounts counts =
                PhaseCounts.of(directory, program, "cores=1\n", ",branches=16384:4096:1024:16,code=" + code);
        // Inner and outer loop.
        assertNear(1_010_000, counts.count(1, "\"conditional\""));
        assertNear(10_000, counts.count(1, "\"conditionalWrong\""));
        assertNear(40_000, counts.count(2, "\"returns\""));
        assertNear(24_000, counts.count(2, "\"returnsWrong\""));
        assertNear(10_000, counts.count(3, "\"indirect\""));
        assertNear(0, counts.count(3, "\"indirectWrong\""));
        Map<Integer, LongSummaryStatistics> places = mispredictions(code);
        assertNear(10_000, places.get(1).getSum());
        assertNear(10_000, places.get(1).getMax());
        // Returns, and the condition that ends the descent.
        assertNear(
                24_000 + counts.count(2, "\"conditionalWrong\""), places.get(2).getSum());
        assertNear(24_000, places.get(2).getMax());
        assertNear(0, places.get(3).getSum());
    }

    /** By phase, how often the branch at each place was mispredicted. */
    private static Map<Integer, LongSummaryStatistics> mispredictions(Path code) throws IOException {
        Map<Integer, LongSummaryStatistics> phases = new HashMap<>();
        int phase = 0;
        for (String line : Files.readAllLines(code)) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("c")) {
                phase = Integer.parseInt(words[1]);
            } else if (words[0].equals("m")) {
                phases.computeIfAbsent(phase, key -> new LongSummaryStatistics())
                        .accept(Long.parseLong(words[words.length - 1]));
            }
        }
        return phases;
    }

    private static void assertNear(long expected, long actual) {
        assertTrue(Math.abs(actual - expected) <= OTHERS_MAX, () -> "expected=" + expected + " actual=" + actual);
    }
}
