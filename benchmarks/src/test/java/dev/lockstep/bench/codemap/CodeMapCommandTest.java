package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command: wrong calls, and a short run under QEMU whose map is read back. */
@Execution(ExecutionMode.CONCURRENT)
class CodeMapCommandTest {
    private static final List<String> OPERATIONS = List.of(
            "begin",
            "commit",
            "delete account",
            "fetch account",
            "insert account",
            "outside",
            "scan account",
            "update account");

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rows 99",
                "--transactions 0",
                "--workload all-of-them",
                "--scheduler neither",
                "--read missing.json",
                "--json missing/map.json",
                "--footprints missing/footprints.txt"
            })
    void refusesWrongCalls(String arguments) {
        String[] words = ("codemap " + arguments).split(" ", -1);
        assertEquals(2, run(words), err::toString);
        assertTrue(err.toString().startsWith("lockstep: "), err::toString);
    }

    /** Before the file that cannot be written, without which there would be a run. */
    @ParameterizedTest
    @CsvSource({"tpcc, --rows", "operations, --terminals"})
    void refusesWhatTheWorkloadDoesNotHeed(String workload, String option) {
        assertEquals(2, run("codemap", "--workload", workload, option, "1000", "--json", "missing/map.json"));
        assertTrue(err.toString().contains("With --workload " + workload + " leave out " + option), err::toString);
    }

    @Test
    void refusesAFileThatIsNoMap() throws Exception {
        Path file = Files.writeString(directory.resolve("other.json"), "{}");
        assertEquals(2, run("codemap", "--read", file.toString()), err::toString);
        assertTrue(err.toString().contains("no code map of a known version: kind=null formatVersion=0"), err::toString);
    }

    private static void requireTools() {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
    }

    /** Neither warmed up nor compiled by C2, so that it takes less time: the verdict is bad, the map is whole. */
    @Test
    void mapsEveryOperation() throws Exception {
        requireTools();
        Path file = directory.resolve("map.json");
        Path footprints = directory.resolve("footprints.txt");
        Path report = directory.resolve("report");
        int exitCode = run(
                "codemap",
                "--workload",
                "operations",
                "--rows",
                "1000",
                "--transactions",
                "20",
                "--warmup-transactions",
                "0",
                "--control",
                "--jvm-option=-XX:TieredStopAtLevel=1",
                "--json",
                file.toString(),
                "--footprints",
                footprints.toString(),
                "--flame",
                "--out",
                report.toString());
        assertEquals(1, exitCode, err + "\n" + out);
        CodeMap map = CodeMap.read(file);
        assertTrue(map.matchesThisJvm(), map::jvm);
        assertTrue(map.jvmFlags().contains("-XX:TieredStopAtLevel=1"), map.jvmFlags()::toString);
        CodeMap.WorkloadCode code = map.workloads().getFirst();
        assertEquals(
                OPERATIONS,
                code.operations().stream()
                        .map(CodeMap.OperationCode::operation)
                        .filter(operation -> OPERATIONS.contains(operation))
                        .toList(),
                () -> code.operations().toString());
        assertTrue(code.unresolvedShare() <= CodeMapCommand.UNRESOLVED_SHARE_MAX, () -> out.toString());
        CodeMap.OperationCode fetch = code.operation("fetch account").orElseThrow();
        // One by itself, one for the update.
        assertEquals(40, fetch.executions());
        assertEquals(20, code.operation("commit").orElseThrow().executions());
        assertTrue(fetch.lines().bytes() > 1000, fetch::toString);

        assertTrue(code.plain().instructionsPerTransaction() > 10_000, () -> out.toString());
        assertEquals(
                fetch.regularLines().bytes(),
                CodeFootprints.read(footprints)
                        .get("operations")
                        .bytes("fetch account")
                        .orElseThrow());
        // At least a stack, a descent through two levels, a lock, and a row; here also what interpreting takes.
        assertTrue(fetch.dataBytes() > 20 * CodeLines.DATA_LINE_BYTES, fetch::toString);
        assertEquals(
                fetch.dataBytes(),
                CodeFootprints.read(footprints).get("operations").dataBytes().get("fetch account"));

        String printed = out.toString();
        out.getBuffer().setLength(0);
        assertEquals(1, run("codemap", "--read", file.toString()));
        assertTrue(printed.startsWith(out.toString()), printed);

        List<String> frames = FlameGraphFrames.of(report.resolve("flames-operations.html"));
        assertTrue(frames.contains("operation fetch account"), frames::toString);
        assertTrue(printed.contains("flames-operations.html"), printed);
        assertTrue(Files.readString(report.resolve("report.html")).contains("Flame graph of operations"));
    }

    @Test
    void flameGraphsNeedARunAndAReport() throws Exception {
        Path map = Files.writeString(directory.resolve("map.json"), "{}");
        assertEquals(2, run("codemap", "--flame"));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err::toString);
        assertEquals(2, run("codemap", "--flame", "--out=" + directory.resolve("report"), "--read=" + map));
        assertTrue(err.toString().contains("leave --read out"), err::toString);
    }

    /** It would print the same whatever they say. */
    @Test
    void aMapThatIsReadHeedsNoWordOfRuns() throws Exception {
        Path map = Files.writeString(directory.resolve("map.json"), "{}");
        assertEquals(2, run("codemap", "--read=" + map, "--workload=tpcc", "--terminals=3"));
        assertTrue(err.toString().contains("leave out --workload, --terminals"), err::toString);
    }
}
