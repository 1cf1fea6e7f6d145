package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Main;
import dev.lockstep.bench.codemap.CodeMap.ContextCode;
import dev.lockstep.bench.codemap.CodeMap.MethodCode;
import dev.lockstep.bench.codemap.CodeMap.OperationCode;
import dev.lockstep.bench.codemap.CodeMap.PartCode;
import dev.lockstep.bench.codemap.CodeMap.UnitCode;
import dev.lockstep.bench.codemap.CodeMap.WorkloadCode;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.simulate.CodeRun;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.simulate.jvm.CompiledSize;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code map of a run whose blocks were made by hand: its figures, its file, its text. */
class CodeMapTest {
    /** Two methods, one of which was inlined into the other, a stub, and the C library. */
    private static final String EVENTS =
            """
            lockstep-code-events 1
            v 25
            m 1 a/Tree find (I)I
            m 2 a/Node search (I)I
            m 3 a/Log append (I)V
            f 1 0 1 0 10
            f 2 1 2 3 20
            L 1 1000 512 4 1 1
            p 64 1
            p 192 2
            L 2 2000 256 3 2 3
            D 3 9000 256 copy
            r 30000 40000 /lib/libc.so.6
            end
            """;

    private static final String LINES =
            """
            lockstep-code-lines 5
            b 1000 64 10 3
            b 1040 128 20 3
            b 1100 32 5 3
            b 2000 96 15 3
            b 9000 16 4 3
            b 30000 64 9 3
            c 1 1 client
            0 1000 1000
            1 1000 1000
            2 100 1
            4 1000 1000
            d 2 400
            d 15 500
            d 73727 100
            c 1 2 carrier
            3 500 500
            4 500 500
            c 1 3 client
            0 40 40
            5 40 40
            c 1 4 client
            4 200 200
            c 1 1 compiler
            5 77 77
            d 99 99
            c 0 0 client
            5 99 99
            end
            """;

    private static final CodeMapSpec SPEC =
            new CodeMapSpec(CodeMapSpec.Workload.OPERATIONS, true, 10_000, 500, 7000, 10, 1, true, null);

    /** Of the same without a probe. */
    private static final CodeMap.PlainRun PLAIN = plain(0.97);

    @TempDir
    Path directory;

    private WorkloadCode code;

    @BeforeEach
    void build() throws IOException {
        code = code(new SteadyState(0.8, 0.8, 1_000, 0, List.of(new CompiledSize("a.Tree.find(I)I", 512, 500))));
    }

    private static CodeMap.PlainRun plain(double c2Share) {
        return new CodeMap.PlainRun(80, new SteadyState(c2Share, c2Share, 1_000, 0, List.of()));
    }

    private WorkloadCode code(SteadyState steady) throws IOException {
        return code(PLAIN, steady);
    }

    private static final List<MarkedOperation> OPERATIONS = List.of(
            new MarkedOperation(0, "", "outside", 0),
            new MarkedOperation(1, "payment", "fetch stock", 1000),
            new MarkedOperation(2, "payment", "commit", 500),
            new MarkedOperation(3, "payment", "outside", 500),
            new MarkedOperation(4, "", "scheduler", 0));

    private Path lines() throws IOException {
        return Files.writeString(directory.resolve("lines.txt"), LINES);
    }

    private Path events() throws IOException {
        return Files.writeString(directory.resolve("events.txt"), EVENTS);
    }

    private WorkloadCode code(CodeMap.PlainRun plain, SteadyState steady) throws IOException {
        CodeMapChildReport child = new CodeMapChildReport(
                12,
                OPERATIONS,
                "",
                List.of(),
                "simulated cycles at 3 a nanosecond",
                CodeMap.thisJvm(),
                List.of("-Xmx1g"));
        return new WorkloadCodeBuilder(
                        CodeLines.read(lines()), CodeEvents.read(events()), OPERATIONS, Markers.PHASE_MEASURED)
                .build(SPEC, child, plain, steady, List.of(new SameProcessor.Difference("UseAVX", "3", "2")));
    }

    private static final Origin ORIGIN =
            new Origin("./lockstep codemap --seed 7", "abc", "a JVM", "a processor", 7, "2026-11-20T00:00:00Z");

    private CodeMap map() {
        return new CodeMap(
                CodeMap.KIND, CodeMap.FORMAT_VERSION, CodeMap.thisJvm(), List.of("-Xmx1g"), ORIGIN, List.of(code));
    }

    @Test
    void countsLinesMethodsAndParts() {
        OperationCode fetch = code.operation("fetch stock").orElseThrow();
        assertEquals(1000, fetch.executions());
        assertEquals(1000 * 34 + 500, fetch.instructions());
        assertEquals(34.5, fetch.instructionsPerExecution(), 1e-9);
        // Five lines: 1000, 1040, 1080, 1100 in a loop of one execution of a thousand, 9000.
        assertEquals(5 * 64, fetch.lines().bytes());
        assertEquals(4 * 64, fetch.regularLines().bytes());
        assertEquals(512, fetch.compiledBytes());
        // Nine of ten executions touch no more.
        assertEquals(15 * 64, fetch.dataBytes());
        assertEquals(
                Map.of(
                        CodePart.C2, new PartCode(4 * 64, 3 * 64, 30_500),
                        CodePart.STUB, new PartCode(64, 64, 4000)),
                fetch.parts());
        assertEquals(List.of(new UnitCode("a.Tree.find(I)I", 4, 512, 224, 4 * 64)), fetch.units());
        // Behind the last position the code belongs to the method itself.
        assertEquals(
                List.of(new MethodCode("a.Node.search(I)I", 128, 1), new MethodCode("a.Tree.find(I)I", 96, 1)),
                fetch.methods());
        OperationCode commit = code.operation("commit").orElseThrow();
        assertEquals(0, commit.dataBytes());
        assertEquals(64, fetch.regularLines().sharedBytes(commit.regularLines()));
        assertEquals(6 * 64, code.regularLines(List.of("fetch stock", "commit")).bytes());
    }

    /** Of ninety executions one in which a collection fell does not make its lines regular. */
    @Test
    void whatFallsIntoAnExecutionOrTwoByChanceIsNotRegular() {
        assertEquals(
                List.of(1L, 1L, 2L, 2L, 3L, 3L, 3L, 4L, 10L),
                LongStream.of(1, 2, 3, 4, 5, 90, 300, 301, 1_000)
                        .map(CodeMap::regularExecutions)
                        .boxed()
                        .toList());
    }

    @Test
    void followsCodeFromOperationToTransaction() {
        // Own code adds the line of libc; the scheduler's line is that of the stub.
        assertEquals(
                List.of(new ContextCode(
                        "payment", 500, 34_500 + 500 * 19 + 40 * 19, 2, 4 * 64, 6 * 64, 7 * 64, 7 * 64)),
                code.contexts());
        assertEquals(0, code.unresolvedShare());
        double c2 = 30_500 + 400;
        assertEquals(c2 / (c2 + 7500), code.c2Share(), 1e-12);
        assertEquals(7000, code.warmUpTransactions());
        assertEquals((34_500 + 500 * 19 + 40 * 19 + 200 * 4) / 500.0, code.instructionsPerTransaction(), 1e-9);
        assertEquals(80, code.plain().instructionsPerTransaction(), 1e-9);
    }

    @Test
    void isReadBackAsItWasWritten() throws IOException {
        Path file = directory.resolve("map.json");
        Json.write(file, map());
        CodeMap read = CodeMap.read(file);
        assertEquals(map(), read);
        assertTrue(read.matchesThisJvm());
        String json = Files.readString(file);
        Files.writeString(file, json.replace(CodeMap.thisJvm(), "Another JVM 99"));
        assertFalse(CodeMap.read(file).matchesThisJvm());
        for (String damaged : List.of(
                json.replace("\"formatVersion\" : 10", "\"formatVersion\" : 9"),
                json.replace(CodeMap.KIND, "other"),
                json.substring(0, json.length() / 2),
                "[]",
                "{}",
                json.replace("\"executions\"", "\"times\""))) {
            Files.writeString(file, damaged);
            CodeFormatException refused = assertThrows(CodeFormatException.class, () -> CodeMap.read(file));
            assertTrue(refused.getMessage().contains("file=" + file + "; make one with"), refused.getMessage());
            assertFalse(refused.getMessage().contains("Cannot invoke"), refused.getMessage());
        }
    }

    @Test
    void aMapOfAnotherJvmIsMarkedAndKeepsItsOrigin() throws IOException {
        Path file = directory.resolve("map.json");
        Json.write(file, map());
        String own = read(file, "own");
        assertFalse(own.contains("MARKED: the compiler of the JVM that runs here makes other code"), own);
        Files.writeString(file, Files.readString(file).replace(CodeMap.thisJvm(), "Another JVM 99"));
        String printed = read(file, "other");
        String marked =
                "MARKED: the compiler of the JVM that runs here makes other code: jvm=\"Another JVM 99\" here=\""
                        + CodeMap.thisJvm() + "\"; remedy: ";
        assertTrue(printed.contains(marked), printed);
        String page = Files.readString(directory.resolve("other/report.html"));
        assertTrue(page.contains(ORIGIN.command()) && page.contains(ORIGIN.time()), page);
        assertFalse(page.contains("--read"), page);
    }

    private String read(Path file, String report) {
        StringWriter out = new StringWriter();
        Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(Writer.nullWriter()))
                .execute("codemap", "--read=" + file, "--out=" + directory.resolve(report));
        return out.toString().replaceAll("\\s+", " ");
    }

    /** What goes beyond the process: sizes, of operations alone. */
    @Test
    void theSchedulerReadsItsExtract() throws IOException {
        Path file = directory.resolve("footprints.txt");
        map().writeFootprints(file);
        Map<String, CodeFootprints> read = CodeFootprints.read(file);
        assertEquals(Set.of("operations"), read.keySet());
        CodeFootprints footprints = read.get("operations");
        assertTrue(footprints.isOfThisJvm(), footprints::jvm);
        assertEquals(List.of("commit", "fetch stock"), footprints.operations());
        assertEquals(4 * 64, footprints.bytes("fetch stock").orElseThrow());
        assertEquals(Map.of("fetch stock", 15 * 64L), footprints.dataBytes());
        assertEquals(64, footprints.sharedBytes("fetch stock", "commit").orElseThrow());
    }

    /** Of any command: what is known of a run of code maps is the command's verdict here. */
    @Test
    void runsOfOtherCommandsAreMappedWithTheirVerdicts() throws IOException {
        Path file = directory.resolve("map.json");
        Verdict steady = new Verdict("lockstep steps", true, List.of("Steady: as its control."));
        CodeRun judged =
                new CodeRun("child", steady, lines(), events(), 1, OPERATIONS, List.of("-Xmx1g", "-Dresult=1"));
        CodeRun alike =
                new CodeRun("lockstep steps", null, lines(), events(), 1, OPERATIONS, List.of("-Xmx1g", "-Dresult=2"));
        CodeRun unmarked = new CodeRun("jmh", null, lines(), events(), 1, List.of(), List.of("-Xmx1g"));
        new MissedCodeReader().map(List.of(judged, alike, unmarked), ORIGIN, file);

        CodeMap map = CodeMap.read(file);
        assertEquals(List.of("-Xmx1g"), map.jvmFlags());
        assertEquals(
                List.of("child", "lockstep steps", "jmh"),
                map.workloads().stream().map(WorkloadCode::name).toList());
        WorkloadCode first = map.workloads().getFirst();
        assertEquals(code.operations(), first.operations());
        assertEquals(code.contexts(), first.contexts());
        assertEquals(500, first.transactions());
        assertEquals(code.instructionsPerTransaction(), first.instructionsPerTransaction(), 1e-9);
        assertEquals(List.of(), map.workloads().getLast().operations());

        String printed = read(file, "runs");
        assertTrue(printed.contains("Steady: as its control."), printed);
        assertTrue(printed.contains("NOT JUDGED, counts for nothing: there was no control"), printed);
        assertTrue(printed.contains("500 transactions"), printed);
        assertTrue(printed.contains("No operation of a database was executed."), printed);
        assertFalse(printed.contains(" 0 instructions a transaction"), printed);
        assertTrue(CodeMapReport.isSteady(first));
        assertFalse(CodeMapReport.isSteady(map.workloads().getLast()));
    }

    @Test
    void aRunWhoseVerdictIsThatItDoesNotCountIsNotSteady() throws IOException {
        Path file = directory.resolve("map.json");
        Verdict verdict = new Verdict("one", false, List.of("NOT STEADY, counts for nothing."));
        CodeRun run = new CodeRun("one", verdict, lines(), events(), 1, OPERATIONS, List.of());
        new MissedCodeReader().map(List.of(run, run), ORIGIN, file);
        CodeMap map = CodeMap.read(file);
        assertEquals(
                List.of("one", "one, run 2"),
                map.workloads().stream().map(WorkloadCode::name).toList());
        assertFalse(CodeMapReport.isSteady(map.workloads().getFirst()));
    }

    @Test
    void aFootprintOfAnUnknownOperationIsRefused() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> code.regularLines(List.of("merge")))
                .getMessage()
                .contains("operation=merge"));
    }

    @Test
    void onlyWhatItsControlConfirmsCounts() throws IOException {
        assertTrue(isSteady(new SteadyState(0.96, 0.98, 1_000, 0, List.of())));
        assertFalse(isSteady(new SteadyState(0.95, 0.99, 1_000, 0, List.of())));
        assertFalse(isSteady(new SteadyState(0.94, 0.94, 1_000, 0, List.of())));
        assertFalse(isSteady(null));
    }

    private boolean isSteady(SteadyState steady) throws IOException {
        return CodeMapReport.isSteady(code(steady));
    }

    @Test
    void theRunWithoutAProbeHasToBeSteadyToo() throws IOException {
        SteadyState steady = new SteadyState(0.96, 0.98, 1_000, 0, List.of());
        assertTrue(CodeMapReport.isSteady(code(null, steady)));
        assertFalse(CodeMapReport.isSteady(code(plain(0.9), steady)));
        assertFalse(CodeMapReport.isSteady(code(new CodeMap.PlainRun(80, null), steady)));
    }

    /** With a C2 share of 80 % the figures are not those of the steady state, and the report says so. */
    @Test
    void tellsItAsText() {
        Report report = new CodeMapReport(map(), 5).report();
        assertFalse(report.ok());
        assertTrue(
                report.summary().startsWith("operations: 80.5 % of the Java instructions from C2"), report.summary());
        assertTrue(
                report.summary().contains("91 instructions a transaction, 80 without the probe, which costs 13.9 %"),
                report.summary());
        String text = ReportText.of(report.sections());
        assertTrue(text.contains("NOT STEADY, counts for nothing: C2 had compiled 80.0 %"), text);
        assertTrue(text.contains("Without the probe: Steady: C2 had compiled 97.0 %"), text);
        assertTrue(text.contains("differ from the control: UseAVX=2 (by itself 3)"), text);
        assertTrue(text.contains("latencies go by: simulated cycles at 3 a nanosecond."), text);
        assertTrue(text.contains("Node.search"), text);
        assertTrue(
                text.lines()
                        .anyMatch(line -> line.matches(" fetch stock +1,000 +34\\.5 +0\\.3 +0\\.3 +0\\.9 +0\\.5 .*")),
                text);
        // Of two operations, and of one context with itself.
        assertTrue(text.lines().anyMatch(line -> line.matches(" \\[1\\] commit +0\\.2 +- +0\\.1 *")), text);
        assertTrue(text.lines().anyMatch(line -> line.matches(" \\[1\\] payment +0\\.4 +- *")), text);
        assertEquals(1, report.plots().size());
    }
}
