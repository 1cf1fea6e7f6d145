package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel moves for a program is touched, as many bytes of it as the call returns. */
class BuffersTest {
    private static final long LINE_BYTES = 64;
    private static final long BYTES = 64 << 10;
    private static final long CALLS = 10;

    private static final int PHASES = 17;

    /** A read that moves nothing, and sendfile, whose data the program does not have. */
    private static final Set<Integer> NOTHING = Set.of(12, 17);

    /** Whose data the kernel stores. */
    private static final Set<Integer> READS = Set.of(1, 3, 5, 7, 10, 11, 13, 16);

    /** Of two buffers. */
    private static final Set<Integer> VECTORS = Set.of(5, 6, 7, 8, 13, 14, 15, 16);

    /** Which fill both. */
    private static final Set<Integer> VECTORS_WHOLE = Set.of(6, 8, 14, 15, 16);

    /** What the program itself touches in a phase, ten marks and calls of the C library. */
    private static final long OTHERS_MAX = 1_000;

    @TempDir
    private Path directory;

    private Path program;

    @BeforeEach
    void compile() throws Exception {
        program = CPrograms.compile(
                directory.resolve("buffers"), List.of("-O1"), CPrograms.testSource("buffers_program.c"));
    }

    @Test
    void eachCallTouchesWhatItMoves() throws Exception {
        PhaseCounts counts = simulate("");
        for (int phase = 1; phase <= PHASES; phase++) {
            long movedBytes = NOTHING.contains(phase) ? 0 : VECTORS_WHOLE.contains(phase) ? BYTES + BYTES / 2 : BYTES;
            long lines = CALLS * movedBytes / LINE_BYTES;
            long touched = touched(counts, phase);
            int each = phase;
            assertTrue(
                    touched >= lines && touched <= lines + OTHERS_MAX,
                    () -> "phase=" + each + " lines=" + lines + " touched=" + touched);
        }
    }

    /** The kernel stores what is read and loads what is written, each buffer at once. */
    @Test
    void whatIsReadIsStoredAndWhatIsWrittenIsLoaded() throws Exception {
        PhaseCounts touched = simulate("");
        PhaseCounts alone = simulate(",buffers=off");
        for (int phase = 1; phase <= PHASES; phase++) {
            boolean read = READS.contains(phase);
            long buffers = NOTHING.contains(phase) ? 0 : CALLS * (VECTORS.contains(phase) ? 2 : 1);
            int each = phase;
            for (String name : List.of("\"stores\"", "\"loads\"")) {
                long more = touched.count(phase, name) - alone.count(phase, name);
                assertEquals(read == name.contains("stores") ? buffers : 0, more, () -> "phase=" + each + " " + name);
            }
        }
    }

    @Test
    void noneIsTouchedWhereTheyAreLeftAlone() throws Exception {
        PhaseCounts counts = simulate(",buffers=off");
        for (int phase = 1; phase <= PHASES; phase++) {
            int each = phase;
            long touched = touched(counts, phase);
            assertTrue(touched <= OTHERS_MAX, () -> "phase=" + each + " touched=" + touched);
        }
    }

    private PhaseCounts simulate(String more) throws Exception {
        return PhaseCounts.of(directory, program, "cores=1\nl1i=32K,8,64\nl1d=32K,8,64\n", more);
    }

    private static long touched(PhaseCounts counts, int phase) {
        return counts.count(phase, "\"l1d\":\\{\"accesses\"");
    }
}
