package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.process.StubPlacement;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import dev.lockstep.engine.Record;
import dev.lockstep.scheduler.SThreadKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class IndexFetchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int execute(String... arguments) {
        return new CommandLine(new IndexFetchCommand(Main.class.getName(), 0.01))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void comparesAllKindsWithTheirOriginals() throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "--measure=time",
                        "--rows=2000",
                        "--members=1,3,20",
                        "--operations=10",
                        "--seconds=0.02",
                        "--repeat=1",
                        "--json=" + json,
                        "--out=" + directory.resolve("report")),
                err::toString);
        JsonNode result = new ObjectMapper().readTree(json.toFile()).get("times");
        // Four kinds and the control.
        assertEquals(5, result.get("runs").size());
        Set<String> speedups = new HashSet<>();
        for (JsonNode each : result.get("speedups")) {
            assertTrue(each.get("speedup").asDouble() > 0, each::toString);
            speedups.add(each.get("kind").asText()
                    + each.get("members").asInt()
                    + each.get("control").asBoolean());
        }
        assertEquals(
                Set.of(
                        "STAGED1false",
                        "STAGED3false",
                        "STAGED20false",
                        "CONTINUATION1false",
                        "CONTINUATION3false",
                        "CONTINUATION20false",
                        "ORIGINAL1true",
                        "ORIGINAL3true",
                        "ORIGINAL20true"),
                speedups);
        assertTrue(out.toString().contains("serial : continuation"), out::toString);
        assertTrue(Files.exists(directory.resolve("report").resolve("report.html")));
    }

    @Test
    void measuresANumberOfTransactionsInPlaceOfSeconds() throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "--rows=2000",
                        "--members=1,3",
                        "--kinds=staged",
                        "--operations=10",
                        "--transactions=7",
                        "--repeat=2",
                        "--json=" + json),
                err::toString);
        List<String> order = new ArrayList<>();
        for (JsonNode run : new ObjectMapper().readTree(json.toFile()).at("/times/runs")) {
            int first = run.at("/times/0/members").asInt() == 1 ? 0 : 1;
            assertEquals(7 * 10, run.at("/times/" + first + "/operations").asLong(), run::toString);
            assertEquals(
                    7 * 10 * 3, run.at("/times/" + (1 - first) + "/operations").asLong(), run::toString);
            order.add(run.get("kind").asText() + run.get("control").asBoolean());
        }
        assertEquals(6, order.size());
        assertEquals(order.reversed(), order, "every second repetition runs backwards");
    }

    /** Each size has a table of its own, and each kind its ratio there. */
    @Test
    void tellsTheGainAgainstDataSize() throws IOException {
        Path json = directory.resolve("result.json");
        Path report = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        "--rows=2000,500,2000",
                        "--members=1,3",
                        "--kinds=staged",
                        "--operations=10",
                        "--transactions=3",
                        "--repeat=1",
                        "--json=" + json,
                        "--out=" + report),
                err::toString);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertTrue(result.get("times").isNull(), result::toString);
        JsonNode sizes = result.at("/dataSizes/sizes");
        assertEquals(2, sizes.size());
        for (int i = 0; i < 2; i++) {
            long rows = List.of(500L, 2000L).get(i);
            JsonNode size = sizes.get(i);
            assertEquals(rows, size.get("rows").asLong());
            assertEquals(100 * rows, size.get("bytes").asLong());
            // Staged, original and its control.
            assertEquals(3, size.at("/times/runs").size());
            for (JsonNode each : size.at("/times/speedups")) {
                assertTrue(
                        each.get("speedupMin").asDouble() > 0
                                && each.get("speedupMax").asDouble()
                                        >= each.get("speedupMin").asDouble(),
                        each::toString);
            }
        }
        assertTrue(
                Pattern.compile("original : staged +500 +50,000 .*\\n *original : staged +2,000 +200,000 ")
                        .matcher(out.toString())
                        .find(),
                out::toString);
        assertTrue(out.toString().contains("Gain against data size"), out::toString);
        assertTrue(Files.exists(report.resolve("plots/gain-data-size-staged.svg")), report::toString);
    }

    /** S-threads execute the code, and take one turn more for each piece. */
    @Test
    void tellsTheGainAgainstCodeFootprint() throws IOException {
        Path json = directory.resolve("result.json");
        Path report = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        "--operation-padding=32K,0",
                        "--rows=2000",
                        "--members=1,3",
                        "--kinds=continuation",
                        "--operations=20",
                        "--transactions=3",
                        "--repeat=1",
                        "--json=" + json,
                        "--out=" + report),
                err::toString);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        JsonNode plain = result.at("/codeFootprints/paddings/0");
        JsonNode padded = result.at("/codeFootprints/paddings/1");
        assertEquals(0, plain.get("paddingBytes").asInt());
        assertEquals(0, plain.get("pieces").asInt());
        assertEquals(result.get("times"), plain.get("times"));
        assertEquals(32 << 10, padded.get("paddingBytes").asInt());
        assertEquals(2, padded.get("pieces").asInt());
        // Continuation, serial and its control.
        assertEquals(3, padded.at("/times/runs").size());
        for (JsonNode run : padded.at("/times/runs")) {
            assertEquals(32 << 10, run.get("paddingBytes").asDouble(), 16 << 10, run::toString);
        }
        for (String kind : List.of("CONTINUATION", "SERIAL")) {
            assertEquals(2, switches(padded, kind) - switches(plain, kind), 0.5, padded::toString);
        }
        assertTrue(
                Pattern.compile("serial : continuation +0 +0 +0 .*\\n *serial : continuation +32,768 +\\d\\d,\\d+ +2 ")
                        .matcher(out.toString())
                        .find(),
                out::toString);
        assertTrue(out.toString().contains("Gain against code footprint"), out::toString);
        assertTrue(Files.exists(report.resolve("plots/gain-code-footprint-continuation.svg")), report::toString);
    }

    /** One by one without S-threads, and piece by piece where a team is staged. */
    @Test
    void membersWithoutSThreadsExecuteThePadding() throws InterruptedException {
        int bytes = 32 << 10;
        for (FetchKind kind : List.of(FetchKind.ORIGINAL, FetchKind.STAGED)) {
            PaddingCode expected = new PaddingCode(bytes);
            FetchSpec spec = new FetchSpec(kind, RowOperation.FETCH, 500, List.of(3), 2, 1, 0, 0, 1, bytes, null);
            try (FetchRounds rounds = new FetchRounds(spec, directory)) {
                rounds.run(3, 1, () -> {
                    for (int i = 0; i < 3 * 2; i++) {
                        expected.run(kind == FetchKind.STAGED ? i / 3 : i % 2);
                    }
                });
                assertEquals(expected.last(), rounds.padding().last(), kind::name);
            }
        }
        PaddingCode none = new PaddingCode(0);
        none.runAll();
        assertEquals(0, none.last());
    }

    /** Of one operation in a team of three. */
    private static double switches(JsonNode paddedTimes, String kind) {
        for (JsonNode run : paddedTimes.at("/times/runs")) {
            if (run.get("kind").asText().equals(kind)) {
                for (JsonNode time : run.get("times")) {
                    if (time.get("members").asInt() == 3) {
                        return time.get("switches").asDouble();
                    }
                }
            }
        }
        throw new AssertionError(kind);
    }

    @Test
    void operationPaddingIsOfOneTable() {
        for (String further : List.of("--rows=500,2000", "--operation-padding=127")) {
            assertEquals(2, execute("--operation-padding=16K", "--members=1", further), further);
        }
        assertEquals(2, execute("--operation-padding=1g"));
        assertEquals(
                2,
                execute("--operation-padding=16K", "--members=1", "--flame", "--out=" + directory.resolve("report")));
        assertTrue(err.toString().contains("--operation-padding needs one of --rows"), err::toString);
        assertTrue(err.toString().contains("0, or 128 to 4194304"), err::toString);
    }

    /** Each simulated run takes minutes, and has one probe. */
    @Test
    void missesAreOfOneOperationPadding() {
        for (List<String> further : List.of(
                List.of("--operation-padding=16K,32K"),
                List.of("--operation-padding=16K", "--kinds=continuation", "--switch-padding=1K"))) {
            List<String> arguments = new ArrayList<>(List.of("--measure=misses", "--members=1"));
            arguments.addAll(further);
            err.getBuffer().setLength(0);
            assertEquals(2, execute(arguments.toArray(String[]::new)), further::toString);
            assertTrue(err.toString().contains("with --measure misses is one size"), err::toString);
        }
    }

    @Test
    void theJvmOfPaddedOperationsCompilesTheirCode() throws IOException {
        FetchPlan plan = plan();
        assertEquals(List.of(), plan.options(FetchKind.CONTINUATION));
        FetchPlan padded = plan.with(plan.spec().padded(16 << 10));
        List<String> compiles = CompiledPadding.options();
        assertTrue(compiles.getLast().endsWith("GeneratedSteps*::wide*,0.1"), compiles::toString);
        assertEquals(compiles, padded.options(FetchKind.STAGED));
        List<String> executes = new ArrayList<>(compiles);
        executes.addAll(OperationPadding.options(16 << 10, "fetch " + FetchTable.NAME));
        assertEquals(executes, padded.options(FetchKind.CONTINUATION));
    }

    @Test
    void severalSizesAreOfTimesAlone() {
        for (List<String> further : List.of(
                List.of("--measure=misses"),
                List.of("--measure=all"),
                List.of("--flame", "--out=" + directory.resolve("report")))) {
            List<String> arguments = new ArrayList<>(List.of("--rows=500,2000", "--members=1"));
            arguments.addAll(further);
            err.getBuffer().setLength(0);
            assertEquals(2, execute(arguments.toArray(String[]::new)), further::toString);
            assertTrue(err.toString().contains("one of --rows"), err::toString);
        }
    }

    @Test
    void drawsOperationsAndTeamsOfEachKind() throws IOException {
        Path report = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        "--kinds=continuation",
                        "--rows=2000",
                        "--members=10",
                        "--seconds=0.5",
                        "--repeat=1",
                        "--flame",
                        "--out=" + report),
                err::toString);
        List<String> frames = FlameGraphFrames.of(report.resolve("flames-continuation.html"));
        assertTrue(frames.stream().anyMatch(frame -> frame.startsWith("operation fetch ")), frames::toString);
        assertTrue(frames.contains("team of 10"), frames::toString);
        assertTrue(Files.exists(report.resolve("flames-serial.html")));
        assertTrue(Files.readString(report.resolve("report.html")).contains("Flame graph of continuation"));
        assertTrue(out.toString().contains("flames-continuation.html"), out::toString);
    }

    @Test
    void flameGraphsNeedAReportAndTimes() {
        assertEquals(2, execute("--flame"));
        assertEquals(2, execute("--flame", "--measure=misses", "--out=" + directory.resolve("report")));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err::toString);
    }

    /** Whichever kind comes first, else the control shows a speedup. */
    @Test
    void theControlRepeatsAnOriginal() throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "--kinds=continuation",
                        "--rows=2000",
                        "--members=1",
                        "--operations=10",
                        "--seconds=0.02",
                        "--repeat=1",
                        "--json=" + json),
                err::toString);
        Set<String> runs = new HashSet<>();
        for (JsonNode each : new ObjectMapper().readTree(json.toFile()).at("/times/runs")) {
            runs.add(each.get("kind").asText() + each.get("control").asBoolean());
        }
        assertEquals(Set.of("CONTINUATIONfalse", "SERIALfalse", "SERIALtrue"), runs);
    }

    /** Whether each kind does what it is named for: the rounds of all members, and the switches. */
    @ParameterizedTest
    @EnumSource(FetchKind.class)
    void everyMemberHasAnOperationInEachRound(FetchKind kind) throws IOException, InterruptedException {
        for (RowOperation operation : RowOperation.values()) {
            if ((kind == FetchKind.STAGED || kind.carriers() > 1) && !operation.isStaged()) {
                continue;
            }
            Path files = Files.createDirectory(directory.resolve(Spelling.of(operation)));
            FetchSpec spec = new FetchSpec(kind, operation, 500, List.of(5), 7, 1, 0, 0, 1, 0, null);
            int[] heard = new int[1];
            try (FetchRounds rounds = new FetchRounds(spec, files)) {
                rounds.resetSwitches();
                rounds.run(5, 3, () -> heard[0]++);
                assertEquals(3 * 7, heard[0]);
                assertEquals(0, rounds.left());
                // Whether two meet at a barrier depends on who runs when; serial ones take turns behind operations, and
                // those who insert change their leaves themselves, whoever has led them there.
                boolean isLedInPart = kind == FetchKind.LED && operation == RowOperation.INSERT8;
                if (kind != FetchKind.SERIAL && kind != FetchKind.BARRIER && !isLedInPart) {
                    boolean takesTurns = kind == FetchKind.CONTINUATION || kind == FetchKind.VIRTUAL;
                    assertEquals(takesTurns, rounds.switches() >= 2 * 3 * 7 * 5);
                }
                assertEquals(operation == RowOperation.FETCH ? 0 : 3 * 7 * 5, rounds.changes());
            }
        }
    }

    @Test
    void virtualIsTheOnlyKindOfVirtualThreads() {
        for (FetchKind kind : FetchKind.values()) {
            assertEquals(
                    kind == FetchKind.VIRTUAL ? SThreadKind.VIRTUAL : SThreadKind.CONTINUATION,
                    kind.sThreadKind(),
                    kind::name);
        }
        assertTrue(FetchKind.VIRTUAL.usesSThreads());
        assertEquals(FetchKind.ORIGINAL, FetchKind.VIRTUAL.original());
    }

    /** More rows than lie between two by which the table was filled would meet each other. */
    @Test
    void insertsRowsThatAreNotThereInEveryIndex() {
        int rows = 10;
        try (FetchTable table = new FetchTable(null, null, rows, 8)) {
            assertEquals(8, table.table().definition().indexes().size());
            Set<Integer> keys = new HashSet<>();
            int lastRow = 0;
            for (int i = 0; i < 3 * rows; i++) {
                Record row = table.table().newRecord();
                table.setNext(row);
                table.database().run(transaction -> transaction.insert(table.table(), row));
                assertTrue(keys.add(row.getInt(0)));
                int at = row.getInt(0) / (Integer.MAX_VALUE / rows);
                assertTrue(i == 0 || Math.abs(at - lastRow) > 2, "next to the last: " + at);
                lastRow = at;
            }
            assertEquals(3L * rows, table.changes());
        }
    }

    @Test
    void onlyTheJvmOfInsertedPointsHasTheAgent() throws IOException {
        InsertedPoints points = new InsertedPoints(directory.resolve("points.txt"));
        Path jar = directory.resolve("switch-points.jar").toAbsolutePath();
        assertEquals(
                List.of("-javaagent:" + jar + "="
                        + directory.resolve("points.txt").toAbsolutePath()),
                points.options(FetchKind.INSERTED, directory));
        assertTrue(Files.size(jar) > 0);
        assertEquals(List.of(), new InsertedPoints(null).options(FetchKind.CONTINUATION, directory));
        assertEquals(2, execute("--kinds=inserted"));
        assertEquals(2, execute("--switch-points=" + directory.resolve("points.txt")));
    }

    /** Their cache is told by the file, which therefore is read before anything runs. */
    @Test
    void switchPointsAreOfAFileThatCanBeRead() throws IOException {
        Path damaged = Files.writeString(directory.resolve("damaged.txt"), "lockstep-switch-points 1\n");
        Path whole = directory.resolve("whole.txt");
        SwitchPoints.of("32K,8,64", ClassBytes.ofProgram(), List.of()).write(whole);
        String[] words = {
            "--measure=misses",
            "--members=1",
            "--kinds=inserted",
            "--switch-points=" + whole,
            "--retrained-points=" + damaged
        };
        assertEquals(2, execute(words));
        assertTrue(err.toString().contains("--retrained-points: switch points are cut short"), err::toString);
        assertEquals(2, execute("--kinds=inserted", "--switch-points=" + damaged));
        assertTrue(err.toString().contains("--switch-points: switch points are cut short"), err::toString);
        assertEquals(2, execute("--kinds=inserted", "--switch-points=" + directory.resolve("missing.txt")));
        assertTrue(err.toString().contains("--switch-points cannot be read"), err::toString);
    }

    private FetchPlan plan() {
        return new FetchPlan(
                new FetchSpec(FetchKind.ORIGINAL, RowOperation.FETCH, 1000, List.of(1), 1, 1, 0, 0, 1, 0, null),
                List.of(FetchKind.ORIGINAL),
                new InsertedPoints(null),
                directory,
                Main.class.getName(),
                what -> {});
    }

    /** Else other code, compiled for another processor, would stand beside the misses. */
    @Test
    void timesBesideMissesAreOfJvmsLikeTheSimulatedOnes() throws IOException {
        FetchPlan plan = plan();
        List<String> alone = new FetchExperiment(plan, 1, null).options(FetchKind.ORIGINAL, List.of());
        assertTrue(alone.contains("-Xmx512m"), alone::toString);
        BesideSimulated beside = new BesideSimulated(
                List.of("-Xms256m", "-Xmx256m"),
                new SameProcessor(
                        List.of("-XX:UseAVX=2"),
                        List.of(new SameProcessor.Difference("UseAVX", "int 3", "int 2")),
                        List.of()));
        List<String> like = new FetchExperiment(plan, 1, beside).options(FetchKind.ORIGINAL, List.of());
        assertTrue(like.containsAll(List.of("-Xms256m", "-Xmx256m", "-XX:UseAVX=2")), like::toString);
        assertFalse(like.contains("-Xmx512m"), like::toString);
        FetchTimes original =
                new FetchTimes(FetchKind.ORIGINAL, false, 0, List.of(new FetchTimes.Time(1, 1000, 900, 0, 0)));
        FetchTimesReport times = new FetchTimesReport(List.of(original, original.asControl()));
        String text = ReportText.of(
                new IndexFetchResult(times, null, null, beside, null, List.of(), List.of(), List.of()).sections());
        assertTrue(
                text.replaceAll("\\s+", " ")
                        .contains("with the heap of the simulated JVMs, -Xms256m -Xmx256m, and their flags. No flag of"
                                + " the JVM differs from the control but those of its profiler, -XX:+DebugNonSafepoints"
                                + " -XX:+EnableDynamicAgentLoading; forced on both sides: UseAVX=int 2"),
                text);
        assertFalse(ReportText.of(
                        new IndexFetchResult(times, null, null, null, null, List.of(), List.of(), List.of()).sections())
                .contains("Beside simulated misses"));
    }

    @Test
    void whatIsForcedIsAskedOfTheEmulatedProcessor() throws IOException, InterruptedException, SimulationException {
        Needed.requireEmulator();
        FetchPlan plan = plan();
        BesideSimulated beside = BesideSimulated.find(plan, new FetchCaches(List.of(), List.of()));
        assertTrue(
                beside.heap().size() == 2 && FetchSimulator.basicOptions().containsAll(beside.heap()),
                beside::toString);
        assertEquals(List.of(), beside.flags().remaining());
        for (SameProcessor.Difference chosen : beside.flags().chosen()) {
            assertTrue(
                    beside.flags().forced().stream().anyMatch(option -> option.contains(chosen.flag())),
                    beside::toString);
        }
    }

    private int executeSimulated(String... arguments) {
        return new CommandLine(new IndexFetchCommand(Main.class.getName(), new StubPlacement()))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    /** Which of several kinds was counted, nobody could tell. */
    @Test
    void aSimulationIsOfOneKind() {
        assertEquals(2, executeSimulated("--members=1"));
        assertEquals(2, executeSimulated("--members=1", "--kinds=original", "--rows=500,2000"));
        assertTrue(err.toString().contains("Under ./lockstep simulate name one of --kinds"), err::toString);
    }

    /** It would be left out without a word. */
    @Test
    void aSimulationRefusesWhatItDoesNotDo() {
        for (String option : List.of(
                "--switch-points=points.txt",
                "--switch-padding=1K",
                "--operation-padding=0,16K",
                "--retrained-points=points.txt",
                "--operations=5",
                "--seconds=1",
                "--transactions=3",
                "--repeat=2",
                "--measure=misses",
                "--l1i=16K,2,64",
                "--json=" + directory.resolve("result.json"),
                "--out=" + directory.resolve("report"))) {
            err.getBuffer().setLength(0);
            assertEquals(2, executeSimulated("--members=1", "--kinds=inserted", option), option);
            assertTrue(err.toString().matches("(?s)Under ./lockstep simulate.* leave out .*"), err::toString);
        }
    }

    /** Operations that are counted run in rounds, and those that are timed on the machine's caches. */
    @Test
    void whatNothingWouldHeedIsRefused() {
        for (String option : List.of("--operations=5", "--seconds=1", "--transactions=3", "--repeat=2")) {
            err.getBuffer().setLength(0);
            assertEquals(2, execute("--measure=misses", "--members=1", option), option);
            assertTrue(
                    err.toString().contains("With --measure misses leave out " + option.replaceAll("=.*", ",")),
                    err::toString);
        }
        for (String option : List.of("--l1i=16K,2,64", "--l1d=16K,2,64")) {
            err.getBuffer().setLength(0);
            assertEquals(2, execute("--members=1", option), option);
            assertTrue(err.toString().contains("With --measure time leave out"), err::toString);
        }
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertEquals(2, execute("--members=0"));
        assertEquals(2, execute("--rows=5", "--members=10"));
        assertEquals(2, execute("--rows=5,500", "--members=10"));
        assertEquals(2, execute("--seconds=0"));
        assertEquals(2, execute("--transactions=-1"));
        assertEquals(2, execute("--operations=0"));
        assertEquals(2, execute("--measure=misses", "--members=2,10"));
        assertEquals(2, execute("--l1i=7,7"));
        assertEquals(2, execute("--l1d=7,7"));
        assertEquals(2, execute("--switch-padding=1K"));
        assertEquals(2, execute("--measure=misses", "--kinds=staged", "--switch-padding=1K"));
        assertEquals(2, execute("--measure=misses", "--switch-padding=1"));
        assertEquals(2, execute("--measure=misses", "--kinds=staged", "--retrained-points=points.txt"));
        assertEquals(2, execute("--kinds=inserted", "--switch-points=a.txt", "--retrained-points=b.txt"));
        assertEquals(2, execute("--kinds=fast"));
        assertEquals(2, execute("--operation=delete"));
        assertEquals(2, execute("--operation=insert8", "--kinds=staged"));
        assertEquals("", out.toString());
        assertTrue(
                err.toString().contains("none of: original, staged, led, continuation, virtual, serial"),
                err::toString);
    }
}
