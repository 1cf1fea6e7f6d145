package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
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
        PhaseCounts counts = PhaseCounts.of(directory, program, machine + "\nl1i=32K,8,64\nl1d=32K,8,64\n", "");
        assertPhase(counts, 1, 3_000, 1_000, 0, 0, 1_000);
        assertPhase(counts, 2, 6_000, 1_000, 1_000, 0, 8_000);
        assertPhase(counts, 3, 3_000, 0, 0, 1_000, 1_000);
        assertPhase(counts, 4, 3_000, 0, 0, 1_000, 1_000);
        assertPhase(counts, 5, 3_000, 0, 0, 1_000, 2_000);
        assertPhase(counts, 6, 3_000, 1_000, 0, 0, 2_000);
        assertPhase(counts, 7, 6_000, 2_000, 0, 0, 8_000);
        assertPhase(counts, 8, 5_000, 1_000, 0, 0, 4_000);
        assertPhase(counts, 9, 6_000, 1_000, 1_000, 0, 8_000);
        assertPhase(counts, 10, 3_000, 0, 0, 0, 0);
        assertPhase(counts, 11, 3_000, 0, 0, 0, 0);
        assertPhase(counts, 12, 3_000, 0, 0, 0, 0);
    }

    private static void assertPhase(
            PhaseCounts counts, int phase, long instructions, long loads, long stores, long updates, long lines) {
        assertNear(instructions, counts, phase, "\"total\":\\{\"instructions\"");
        assertNear(loads, counts, phase, "\"loads\"");
        assertNear(stores, counts, phase, "\"stores\"");
        assertNear(updates, counts, phase, "\"updates\"");
        assertNear(lines, counts, phase, "\"l1d\":\\{\"accesses\"");
    }

    private static void assertNear(long expected, PhaseCounts counts, int phase, String name) {
        long actual = counts.count(phase, name);
        assertTrue(
                actual >= expected && actual <= expected + OTHERS_MAX,
                () -> "phase=" + phase + " " + name + " expected=" + expected + " actual=" + actual);
    }
}
