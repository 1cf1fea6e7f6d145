package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.switchpoints.CheckReport;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ./lockstep autosteps loop} on traces whose answers are known: a line is 16 bytes, the cache has four. */
class LoopCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Deque<Path> traces = new ArrayDeque<>();

    /** The points of each run; empty for one without. */
    private final List<List<SwitchPoint>> inserted = new ArrayList<>();

    private final List<List<SwitchPoint>> checks = new ArrayList<>();

    /** Null: nothing is held anywhere. */
    private CheckReport report;

    private static List<SwitchPoint> read(Path points) throws IOException {
        return SwitchPoints.read(points).points();
    }

    /** Hands out the traces in turn. */
    private final class Recorder implements TraceRecorder {
        @Override
        public TraceFile record(Path points) throws RecordingException, IOException {
            inserted.add(points == null ? List.of() : read(points));
            if (traces.isEmpty()) {
                throw new RecordingException("no trace is left");
            }
            try {
                return TraceFile.read(traces.remove());
            } catch (TraceFormatException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public CheckReport check(Path points) throws IOException {
            checks.add(read(points));
            int count = checks.getLast().size();
            return report == null
                    ? new CheckReport(Collections.nCopies(count, 3), Collections.nCopies(count, 0), List.of())
                    : report;
        }
    }

    private void trace(int lines, Map<Integer, String> places) throws IOException {
        traces.add(TracedCode.trace(directory.resolve("trace-" + traces.size() + ".txt"), lines, places));
    }

    private int execute(String... words) {
        List<String> all = new ArrayList<>(List.of("--l1i=64,full,16", "--switch-bytes=0"));
        all.addAll(List.of(words));
        all.addAll(List.of("--", "program"));
        ClassBytes classes = new ClassBytes(LoopCommandTest.class.getClassLoader());
        return new CommandLine(new LoopCommand(run -> new Recorder(), classes))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
    }

    private static SwitchPoint point(int bytecodeIndex) {
        return new SwitchPoint(TracedCode.OPERATION, TracedCode.class.getName(), "run", "()I", bytecodeIndex);
    }

    /** In the second trace all bytecode has moved by the four bytes of an inserted call. */
    @Test
    void aPredictionThatComesTrueEndsTheLoop() throws IOException {
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(8, Map.of(2, TracedCode.run(1), 4, TracedCode.switching(1), 5, TracedCode.run(4)));
        Path json = directory.resolve("result.json");
        Path points = directory.resolve("points.txt");
        assertEquals(0, execute("--json", json.toString(), "--points", points.toString()), err.toString());
        assertEquals(List.of(List.of(), List.of(point(0))), inserted);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertTrue(result.get("agree").asBoolean(), result::toString);
        assertEquals(1, result.get("rounds").size());
        assertEquals(1, result.at("/rounds/0/outcomes/0/measured/passes").asInt());
        assertEquals(
                "Payment: fetch row: predicted 0 and measured 0 misses of a further member, 0 misses apart:"
                        + " they agree.",
                result.at("/verdict/0").asText());
        assertEquals(List.of(point(0)), read(points));
        assertTrue(out.toString().contains(point(0).toString()), out.toString());
    }

    /** With a point in it the operation has become longer: what follows the point no longer fits the cache. */
    @Test
    void theSearchBeginsAnewFromTheTraceWithPoints() throws IOException {
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(12, Map.of(4, TracedCode.switching(1), 8, TracedCode.run(9)));
        trace(12, Map.of(4, TracedCode.switching(1), 8, TracedCode.switching(10)));
        Path page = directory.resolve("report");
        assertEquals(0, execute("--out", page.toString()), err.toString());
        assertEquals(List.of(List.of(), List.of(point(0)), List.of(point(0), point(5))), inserted);
        JsonNode result =
                new ObjectMapper().readTree(page.resolve("result.json").toFile());
        assertEquals(2, result.get("rounds").size());
        assertEquals(8, result.at("/rounds/0/outcomes/0/measured/memberMisses").asInt());
        assertEquals(0, result.at("/rounds/1/outcomes/0/measured/memberMisses").asInt());
        assertEquals(2, result.at("/rounds/1/outcomes/0/measured/passes").asInt());
        assertTrue(Files.size(page.resolve("plots/misses-by-round.svg")) > 0);
    }

    @Test
    void whatDoesNotComeTrueIsExplained() throws IOException {
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(12, Map.of());
        assertEquals(1, execute("--rounds=1"));
        assertTrue(
                out.toString()
                        .contains("predicted 0 and measured 12 misses of a further member, 12 misses apart,"
                                + " because no point is passed in the new code; inlining has changed: the operation"
                                + " executes 12 instructions in 192 bytes of code in place of 8 in 128."),
                out.toString());
    }

    @Test
    void thePointsOfTheBestRoundAreKept() throws IOException {
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(12, Map.of(4, TracedCode.switching(1), 8, TracedCode.run(9)));
        trace(12, Map.of());
        Path json = directory.resolve("result.json");
        Path points = directory.resolve("points.txt");
        assertEquals(1, execute("--rounds=2", "--json", json.toString(), "--points", points.toString()));
        assertEquals(List.of(List.of(), List.of(point(0)), List.of(point(0), point(5))), inserted);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertEquals(8, result.at("/rounds/0/outcomes/0/measured/memberMisses").asInt());
        assertEquals(12, result.at("/rounds/1/outcomes/0/measured/memberMisses").asInt());
        assertEquals(1, result.get("kept").asInt());
        assertEquals(List.of(point(0)), read(points));
        assertTrue(out.toString().contains("members missed least with the points of round 1"), out.toString());
    }

    @Test
    void thereIsAnEndWhereNoPointCanBeInserted() throws IOException {
        trace(8, Map.of(4, TracedCode.class.getName() + ".held()I@0"));
        assertEquals(1, execute());
        assertEquals(List.of(List.of()), inserted);
        assertTrue(out.toString().contains("none of 1 points could be inserted: "), out.toString());
        assertTrue(out.toString().contains("why=synchronized method"), out.toString());
    }

    @Test
    void anOperationWithoutAKneeNeedsNoPoint() throws IOException {
        trace(4, Map.of());
        assertEquals(0, execute());
        assertTrue(out.toString().contains("no knee of misses, so no switch point; 0 misses alone."), out.toString());
    }

    @Test
    void aPointWhereSomethingIsHeldIsLeftOut() throws IOException {
        report = new CheckReport(List.of(3), List.of(1), List.of());
        trace(8, Map.of(4, TracedCode.run(0)));
        assertEquals(1, execute());
        assertEquals(List.of(List.of(point(0))), checks);
        assertEquals(List.of(List.of()), inserted);
        assertTrue(
                out.toString().contains("a latch, lock or monitor was held in 1 of 3 passes: point=" + point(0)),
                out.toString());
    }

    @Test
    void aPointThatTheCheckHasNotSeenIsLeftOut() throws IOException {
        report = new CheckReport(List.of(0), List.of(0), List.of());
        trace(8, Map.of(4, TracedCode.run(0)));
        assertEquals(1, execute());
        assertEquals(List.of(List.of()), inserted);
        assertTrue(
                out.toString().contains("it was not passed in the run that checks: point=" + point(0)), out.toString());
    }

    @Test
    void aCheckThatHasNotSeenEverythingCountsForNothing() throws IOException {
        for (CheckReport partial : List.of(
                new CheckReport(List.of(), List.of(), List.of()),
                new CheckReport(List.of(3), List.of(0), List.of("a.Large")))) {
            report = partial;
            trace(8, Map.of(4, TracedCode.run(0)));
            assertEquals(2, execute());
            assertTrue(err.toString().contains("The checking mode has not seen everything: "), err.toString());
        }
        assertEquals(List.of(List.of(), List.of()), inserted);
    }

    @Test
    void anUncheckedPointIsInserted() throws IOException {
        report = new CheckReport(List.of(3), List.of(1), List.of());
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(8, Map.of(2, TracedCode.run(1), 4, TracedCode.switching(1), 5, TracedCode.run(4)));
        assertEquals(0, execute("--unchecked"), err.toString());
        assertEquals(List.of(), checks);
        assertEquals(List.of(List.of(), List.of(point(0))), inserted);
    }

    /** The second round finds the same point. */
    @Test
    void aPointIsCheckedOnce() throws IOException {
        report = new CheckReport(List.of(3), List.of(0), List.of());
        trace(8, Map.of(4, TracedCode.run(0)));
        trace(12, Map.of(4, TracedCode.switching(1)));
        trace(8, Map.of(4, TracedCode.switching(1)));
        assertEquals(1, execute("--rounds=2"));
        assertEquals(List.of(List.of(point(0))), checks);
        assertEquals(3, inserted.size());
    }

    @Test
    void wrongCallsEndWithTwo() throws IOException {
        trace(8, Map.of());
        assertEquals(2, execute("--operation=insert"));
        assertTrue(err.toString().contains("--operation fits none of: Payment: fetch row"), err.toString());
        String file = directory.resolve("missing").resolve("result").toString();
        for (String option : List.of("--json", "--points")) {
            assertEquals(2, execute(option, file));
            assertTrue(err.toString().contains(option + " " + file + " cannot be written: "), err.toString());
        }
        assertEquals(2, execute("--rounds=0"));
        assertEquals(2, execute("--members=1"));
        assertEquals(2, execute("--l1i=64"));
        assertEquals(2, execute("--height=0"));
        assertEquals(2, execute(), "there is no trace");
        assertTrue(err.toString().contains("no trace is left"), err.toString());
    }
}
