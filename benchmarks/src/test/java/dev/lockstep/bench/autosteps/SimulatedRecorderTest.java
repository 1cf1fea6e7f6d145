package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.switchpoints.CheckReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a run under the simulator leaves behind, and how it ends. */
class SimulatedRecorderTest {
    private static final String REPORT = "lockstep-switch-points-check 2\n3 0\nend\n";

    @TempDir
    private Path directory;

    /** In place of {@code ./lockstep simulate}: leaves a report and an exit code. */
    @Command(name = "simulate")
    private static final class Stub implements Callable<Integer> {
        private final String report;
        private final int exitCode;

        @Option(names = {"--l1i", "--switch-points"})
        private String ignored;

        @Option(names = "--operations")
        private boolean operations;

        @Option(names = "--check-points")
        private Path checkPoints;

        @Option(names = "--trace")
        private Path trace;

        @Option(names = "--code")
        private Path code;

        @Parameters
        private List<String> words;

        Stub(String report, int exitCode) {
            this.report = report;
            this.exitCode = exitCode;
        }

        @Override
        public Integer call() throws IOException {
            assertTrue(operations, "what is checked is marked");
            assertEquals(List.of("program"), words);
            if (trace != null) {
                assertTrue(Files.notExists(code), "each run has files of its own");
                TracedCode.trace(trace, 3, Map.of());
            } else if (report != null) {
                Files.writeString(checkPoints, report);
            }
            return exitCode;
        }
    }

    private SimulatedRecorder recorder(Supplier<Stub> stubs) {
        return new SimulatedRecorder(
                () -> new CommandLine(stubs.get()).setOverwrittenOptionsAllowed(true),
                List.of("program"),
                CacheShape.parse("32K,8,64"),
                directory,
                new PrintWriter(Writer.nullWriter()),
                progress -> {});
    }

    private CheckReport check(String report, int exitCode) throws IOException, RecordingException {
        return recorder(() -> new Stub(report, exitCode)).check(directory.resolve("points.txt"));
    }

    @Test
    void whatWasNotSteadyIsRecordedAgain() throws IOException, RecordingException {
        Deque<Integer> exitCodes = new ArrayDeque<>(List.of(1, 1, 0));
        TraceFile traces = recorder(() -> new Stub(null, exitCodes.remove())).record(null);
        assertEquals(List.of(TracedCode.OPERATION_NUMBER), traces.operations());
        assertTrue(exitCodes.isEmpty());
    }

    @Test
    void whatIsNeverSteadyIsGivenUp() {
        Deque<Integer> exitCodes = new ArrayDeque<>(List.of(1, 1, 1, 0));
        RecordingException failed =
                assertThrows(RecordingException.class, () -> recorder(() -> new Stub(null, exitCodes.remove()))
                        .record(null));
        assertTrue(failed.getMessage().contains("was not in its steady state"), failed::getMessage);
        assertEquals(List.of(0), List.copyOf(exitCodes));
    }

    @Test
    void aCheckOfAJvmThatWasNotSteadyCounts() throws IOException, RecordingException {
        CheckReport expected = new CheckReport(List.of(3), List.of(0), List.of());
        assertEquals(expected, check(REPORT, 0));
        assertEquals(expected, check(REPORT, 1));
    }

    /** Its agent writes a report whenever the JVM ends. */
    @Test
    void aCheckOfAProgramThatFailedDoesNot() {
        RecordingException failed = assertThrows(RecordingException.class, () -> check(REPORT, 2));
        assertTrue(failed.getMessage().contains("exitCode=2 command=program"), failed::getMessage);
        assertThrows(RecordingException.class, () -> check(null, 2));
    }
}
