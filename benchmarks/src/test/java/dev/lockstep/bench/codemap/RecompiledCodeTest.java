package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.simulate.MissedCode;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Misses of a method that was compiled twice, of which the second code often lies where the first had been. */
@Execution(ExecutionMode.CONCURRENT)
class RecompiledCodeTest {
    @TempDir
    private Path directory;

    private Path simulate() {
        Path code = directory.resolve("code.txt");
        MarkedRun.simulate(
                // Holds nothing of a round of the method, so that all of it misses.
                List.of("--phases-only", "--l1i", "1K,direct,64", "--code", code.toString()),
                List.of(
                        "-Xbatch",
                        "-XX:-TieredCompilation",
                        "-XX:CompileThreshold=200",
                        "-XX:+UseSerialGC",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=compileonly,*." + RecompiledProgram.CLASS + "*::*",
                        "-XX:CompileCommand=dontinline,*." + RecompiledProgram.CLASS + "*::" + RecompiledProgram.WORK),
                RecompiledProgram.class);
        return code;
    }

    private static long misses(MissedCode code, String method) {
        return code.methods().stream()
                .filter(place -> place.name().contains(RecompiledProgram.CLASS)
                        && place.name().contains("." + method))
                .mapToLong(place -> place.misses().l1i())
                .sum();
    }

    @Test
    void missesAreOfTheCodeThatWasLiveThen() throws IOException {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        Path file = simulate();
        CodeLines lines = CodeLines.read(file);
        CodeEvents events = CodeEvents.read(Emulation.events(file));
        List<CompiledCode> compiled = events.compiled().stream()
                .filter(code -> code.method().contains(RecompiledProgram.CLASS)
                        && code.method().contains("." + RecompiledProgram.WORK + "("))
                .toList();
        long reused = compiled.stream()
                .filter(later -> compiled.stream()
                        .anyMatch(earlier -> earlier.method().equals(later.method())
                                && earlier.removedEpoch() <= later.epoch()
                                && earlier.contains(later.address())))
                .count();
        assertTrue(reused > 0, () -> "no place was used again: " + compiled);
        MissedCode first = MissedCodeReader.missed(lines, events, RecompiledProgram.PHASE_FIRST);
        MissedCode second = MissedCodeReader.missed(lines, events, RecompiledProgram.PHASE_SECOND);
        assertTrue(misses(first, RecompiledProgram.WORK) > 0, first::toString);
        assertTrue(misses(first, RecompiledProgram.INLINED) > 0, first::toString);
        assertTrue(misses(second, RecompiledProgram.WORK) > 0, second::toString);
        assertEquals(0, misses(second, RecompiledProgram.INLINED), second::toString);
    }
}
