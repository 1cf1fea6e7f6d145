package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code ./lockstep autosteps} on traces whose answer is known: a line is 16 bytes, the cache has four. */
class AutoStepsCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... words) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(words);
    }

    /** Eight lines in a row, in the middle one of three executions; the others are cut off. */
    private Path trace() throws IOException {
        List<String> lines = new ArrayList<>(TracedCode.begin(Map.of(), AutoStepsCommandTest.class));
        lines.addAll(List.of(
                "operation 7 New-Order: fetch stock",
                "operation 9 commit",
                "place 40 Node find(I)I@12:88 < FetchOperation step()I@3"));
        addExecution(lines, 7, 2);
        addExecution(lines, 7, 8);
        addExecution(lines, 9, 3);
        addExecution(lines, 7, 12);
        return TracedCode.end(directory.resolve("trace.txt"), lines);
    }

    private static void addExecution(List<String> lines, int operation, int count) {
        lines.add("execution " + operation + " " + count);
        for (int i = 0; i < count; i++) {
            lines.add(Integer.toHexString(16 * i) + " 4");
        }
    }

    @Test
    void findsThePointOfTheTypicalExecution() throws IOException {
        Path json = directory.resolve("result.json");
        int exit = execute(
                "autosteps",
                trace().toString(),
                "--l1i=64,full,16",
                "--members=3",
                "--switch-bytes=16",
                "--json",
                json.toString());
        assertEquals(0, exit, err.toString());
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertEquals("64,4,16", result.get("instructionCache").asText());
        JsonNode fetch = result.at("/operations/0");
        assertEquals("New-Order: fetch stock", fetch.get("name").asText());
        assertEquals(3, fetch.get("executions").asInt());
        assertEquals(8, fetch.get("instructions").asInt());
        assertEquals(128, fetch.get("codeBytes").asInt());
        assertEquals(8, fetch.get("originalMisses").asInt());
        assertEquals(0, fetch.get("stepsMisses").asInt());
        assertEquals(1, fetch.get("switches").asInt());
        assertEquals(8, fetch.get("leaderMisses").asInt());
        assertEquals(0, fetch.get("memberMisses").asInt());
        assertTrue(fetch.get("memberMissesWithSwitches").asDouble() > 0, fetch::toString);
        assertEquals(10, fetch.get("serialMemberMisses").asInt());
        for (String placement : List.of("nobody", "autoSTEPS, serially", "autoSTEPS, staged", "the agent", "hand")) {
            assertTrue(out.toString().contains(" " + placement + " "), placement);
        }
        assertEquals("40", fetch.at("/points/0/address").asText());
        assertEquals(1, fetch.at("/points/0/switches").asInt());
        assertEquals("commit", result.at("/operations/1/name").asText());
        assertEquals(0, result.at("/operations/1/points").size());
        assertTrue(out.toString().contains("Node find(I)I@12:88 < FetchOperation step()I@3"), out.toString());
    }

    @Test
    void searchesEachKneeOfTheOperationsNamed() throws IOException {
        Path report = directory.resolve("report");
        int exit = execute(
                "autosteps",
                trace().toString(),
                "--operation=fetch",
                "--l1i=64,full,16",
                "--width=50,200",
                "--height=2,4,16",
                "--out",
                report.toString());
        assertEquals(0, exit, err.toString());
        JsonNode result =
                new ObjectMapper().readTree(report.resolve("result.json").toFile());
        assertEquals(6, result.get("operations").size());
        assertEquals(0, result.at("/operations/2/points").size(), "a knee of 16 there is not");
        assertEquals(4, result.at("/operations/2/stepsMisses").asInt());
        assertTrue(Files.size(report.resolve("plots/misses-by-instruction.svg")) > 0);
    }

    /**
     * 32 lines of four instructions each, in a cache of 16. By hand the four lines of a switch belong to a fragment,
     * which ends after 32 instructions or 64.
     */
    @Test
    void pointsFoundByHandAreWritten() throws IOException {
        List<String> lines = new ArrayList<>(TracedCode.begin(Map.of(), TracedCode.class));
        lines.add("operation 7 fetch stock");
        lines.add("place 80 " + TracedCode.run(0));
        lines.add("place 100 " + TracedCode.run(4));
        lines.add("place 180 " + TracedCode.run(5));
        lines.add("execution 7 128");
        for (int i = 0; i < 128; i++) {
            lines.add(Integer.toHexString(4 * i) + " 4");
        }
        Path trace = TracedCode.end(directory.resolve("long.txt"), lines);
        Path points = directory.resolve("points.txt");
        List<String> words = List.of(
                "autosteps", trace.toString(), "--l1i=256,full,16", "--switch-bytes=64", "--points", points.toString());
        assertEquals(0, execute(words.toArray(String[]::new)), err.toString());
        assertEquals(List.of(4), bytecodeIndexes(points));
        List<String> byHand = new ArrayList<>(words);
        byHand.add("--placement=manual");
        assertEquals(0, execute(byHand.toArray(String[]::new)), err.toString());
        assertEquals(List.of(0, 4, 5), bytecodeIndexes(points));
        byHand.add("--sweep");
        assertEquals(0, execute(byHand.toArray(String[]::new)), "by hand there is one placement for all knees");
        assertEquals(2, execute("autosteps", trace.toString(), "--sweep", "--points", points.toString()));
        assertEquals(2, execute("autosteps", trace.toString(), "--placement=nobody"));
    }

    private static List<Integer> bytecodeIndexes(Path points) throws IOException {
        return SwitchPoints.read(points).points().stream()
                .map(SwitchPoint::bytecodeIndex)
                .toList();
    }

    @Test
    void aSweepStandsBesidePlacementByHand() throws IOException {
        Path report = directory.resolve("report");
        int exit = execute(
                "autosteps",
                trace().toString(),
                "--operation=fetch",
                "--l1i=64,full,16",
                "--switch-bytes=0",
                "--sweep",
                "--out",
                report.toString());
        assertEquals(0, exit, err.toString());
        JsonNode operations = new ObjectMapper()
                .readTree(report.resolve("result.json").toFile())
                .get("operations");
        assertEquals(20, operations.size());
        assertEquals(50, operations.get(0).get("kneeWidth").asInt());
        assertEquals(16, operations.get(19).get("kneeHeight").asInt());
        for (String plot : List.of("misses-by-instruction", "misses-by-switches", "misses-by-placement")) {
            assertTrue(Files.size(report.resolve("plots").resolve(plot + ".svg")) > 0, plot);
        }
    }

    /** The class and bytecode that lie at the point are this test's own. */
    @Test
    void writesPointsForTheAgent() throws IOException {
        String here = getClass().getName() + ".execute([Ljava/lang/String;)I@0";
        Path trace = Files.writeString(
                directory.resolve("named.txt"),
                Files.readString(trace()).replace("Node find(I)I@12:88", "java.util.List.size()I@0 < " + here));
        Path points = directory.resolve("points.txt");
        String[] words = {
            "autosteps", trace.toString(), "--l1i=64,full,16", "--switch-bytes=0", "--points", points.toString()
        };
        assertEquals(0, execute(words), err.toString());
        SwitchPoints read = SwitchPoints.read(points);
        assertEquals("64,4,16", read.cache());
        assertEquals(
                List.of("fetch stock"),
                read.points().stream().map(SwitchPoint::operation).toList());
        assertTrue(out.toString().contains(here + " of fetch stock"), out.toString());
        assertEquals(2, execute("autosteps", trace.toString(), "--width=50,200", "--points", points.toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "something else",
                "lockstep-trace 1",
                "lockstep-trace 2",
                "lockstep-trace 2\nend",
                "lockstep-trace 2\nexecution 3 1\n40 4",
                "lockstep-trace 2\nexecution 3 1\n40 4\nclass Name\nend",
                "lockstep-trace 2\nexecution 3 2\n40 4",
                "lockstep-trace 2\nexecution 3 0",
                "lockstep-trace 2\nexecution 3 1\n40 16",
                "lockstep-trace 2\nexecution 3 1\n40",
                "lockstep-trace 2\nexecution 3 1\nxyz 4",
                "lockstep-trace 2\nexecution three 1\n40 4",
                "lockstep-trace 2\nother 3 1\n40 4"
            })
    void whatIsNoTraceIsRefused(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("no-trace.txt"), text);
        assertEquals(2, execute("autosteps", file.toString(), "--l1i=64,full,16"));
        assertTrue(err.toString().contains("This is no trace of operations: "), err.toString());
        assertTrue(err.toString().contains("file=" + file + " line="), err.toString());
    }

    @Test
    void whatIsNoTextIsRefused() throws IOException {
        Path file = Files.write(directory.resolve("binary.jar"), new byte[] {'P', 'K', (byte) 0xff, (byte) 0xfe});
        assertEquals(2, execute("autosteps", file.toString(), "--l1i=64,full,16"));
        assertTrue(err.toString().contains("This is no trace of operations: it is no text"), err.toString());
    }

    /** The knee begins where the stub at line 1 runs for the second time, called from line 6. */
    @Test
    void aPointInAStubBelongsToTheCallThatTheKneeBeginsIn() throws IOException {
        List<String> lines = TracedCode.begin(Map.of(0, TracedCode.run(0), 6, TracedCode.run(4)), TracedCode.class);
        TracedCode.addExecution(lines, "Payment", 7, List.of(0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 1, 7));
        Path trace = TracedCode.end(directory.resolve("stub.txt"), lines);
        Path points = directory.resolve("points.txt");
        String[] words = {
            "autosteps",
            trace.toString(),
            "--l1i=64,full,16",
            "--width=1",
            "--height=2",
            "--switch-bytes=0",
            "--points",
            points.toString()
        };
        assertEquals(0, execute(words), err.toString());
        assertEquals(List.of(4), bytecodeIndexes(points));
    }

    /** Each transaction has a point of its own, and both fire in both, since it is one operation to the scheduler. */
    @Test
    void thePointsOfOtherTransactionsAreReplayedToo() throws IOException {
        List<String> lines = TracedCode.begin(Map.of(4, TracedCode.run(0), 24, TracedCode.run(4)), TracedCode.class);
        TracedCode.addExecution(lines, "Payment", 7, List.of(0, 1, 2, 3, 4, 5, 24, 24));
        TracedCode.addExecution(lines, "New-Order", 8, List.of(20, 4, 21, 22, 24, 25, 26, 27));
        Path trace = TracedCode.end(directory.resolve("two.txt"), lines);
        Path json = directory.resolve("result.json");
        String[] words = {
            "autosteps",
            trace.toString(),
            "--l1i=64,full,16",
            "--height=1",
            "--switch-bytes=0",
            "--json",
            json.toString()
        };
        assertEquals(0, execute(words), err.toString());
        JsonNode operations = new ObjectMapper().readTree(json.toFile()).get("operations");
        assertEquals(TracedCode.run(0), bytecode(operations.get(0)));
        assertEquals(TracedCode.run(4), bytecode(operations.get(1)));
        for (JsonNode operation : operations) {
            assertEquals(2, operation.get("insertedSwitches").asInt(), operation::toString);
        }
    }

    private static String bytecode(JsonNode operation) {
        assertEquals(1, operation.get("points").size(), operation::toString);
        String point = operation.at("/points/0/bytecode").asText();
        return point.substring(0, point.indexOf(" of "));
    }

    /** The bytecode of the traced JVM had a point before its first instruction, which takes four bytes. */
    @Test
    void aTraceWithPointsLeadsBackToTheClassFile() throws IOException {
        Path inserted = directory.resolve("inserted.txt");
        SwitchPoint first = new SwitchPoint(TracedCode.OPERATION, TracedCode.class.getName(), "run", "()I", 0);
        SwitchPoints.of("64,4,16", TracedCode.CLASSES, List.of(first)).write(inserted);
        List<String> lines = TracedCode.begin(Map.of(4, TracedCode.run(8)), TracedCode.class);
        Files.readAllLines(inserted).forEach(line -> lines.add("inserted " + line));
        TracedCode.addExecution(lines, "Payment", 7, List.of(0, 1, 2, 3, 4, 5, 6, 7));
        Path trace = TracedCode.end(directory.resolve("with-points.txt"), lines);
        Path points = directory.resolve("points.txt");
        String[] words = {
            "autosteps", trace.toString(), "--l1i=64,full,16", "--switch-bytes=0", "--points", points.toString()
        };
        assertEquals(0, execute(words), err.toString());
        assertEquals(List.of(4), bytecodeIndexes(points));
    }

    @Test
    void noPointsAreWrittenOfAnotherJvm() throws IOException {
        Path trace = trace();
        Files.writeString(trace, Files.readString(trace).replaceFirst("jvm .*", "jvm another"));
        Path points = directory.resolve("points.txt");
        assertEquals(2, execute("autosteps", trace.toString(), "--l1i=64,full,16", "--points", points.toString()));
        assertTrue(err.toString().contains("jvm=\"another\""), err.toString());
        assertTrue(Files.notExists(points));
    }

    @Test
    void wrongCallsEndWithTwo() throws IOException {
        String trace = trace().toString();
        assertEquals(2, execute("autosteps"));
        assertEquals(2, execute("autosteps", directory.resolve("missing").toString()));
        assertEquals(2, execute("autosteps", trace, "--l1i=64"));
        assertEquals(2, execute("autosteps", trace, "--l1i=8G,direct,16"));
        assertEquals(2, execute("autosteps", trace, "--width=0"));
        assertEquals(2, execute("autosteps", trace, "--height=0"));
        assertEquals(2, execute("autosteps", trace, "--members=1"));
        assertEquals(2, execute("autosteps", trace, "--switch-bytes=-1"));
        assertEquals(2, execute("autosteps", trace, "--l1i=64,full,16", "--operation=insert"));
        assertTrue(
                err.toString().contains("--operation fits none of: New-Order: fetch stock, commit."), err.toString());
        assertEquals("", out.toString());
    }
}
