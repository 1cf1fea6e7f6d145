package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.process.AnonymousMemory;
import dev.lockstep.bench.process.ProcessorTicks;
import dev.lockstep.bench.process.StubPlacement;
import dev.lockstep.bench.report.Json;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a user calls it, child JVMs included. */
class TpccCommandTest {
    private static final int CONDITIONS = 12;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    /** A JVM that runs so few transactions hardly gains from C2 what that costs. */
    private static final String WITHOUT_C2 = "--jvm-option=-XX:TieredStopAtLevel=1";

    /**
     * The pool is zeroed when it is made, and a virtual machine may have to get its memory from its host first: 256 MB
     * took two of the five seconds of a run.
     */
    private static final String SMALL_POOL = "--pool=64m";

    /** On few rows: to load and check a tenth takes three seconds. */
    private JsonNode run(String... arguments) throws IOException {
        return runWhole(Stream.concat(Stream.of("--shrink=50", WITHOUT_C2), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private JsonNode runWhole(String... arguments) throws IOException {
        Path json = directory.resolve("result.json");
        String[] all = Stream.concat(
                        Stream.of("tpcc", "--json", json.toString(), "--dir", directory.toString()),
                        Stream.of(arguments))
                .toArray(String[]::new);
        int exit = execute(all);
        assertEquals(0, exit, () -> out + "\n" + err);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        // Other experiments read it again.
        assertEquals(
                result.at("/runs").size(),
                Json.read(json, ExperimentReport.class).runs().size());
        return result;
    }

    @Test
    void helpTeachesEveryOption() {
        assertEquals(0, execute("tpcc", "--help"));
        String help = out.toString();
        for (String part : List.of("--engine", "--fsync-delay", "Exit codes", "Examples", "./lockstep tpcc")) {
            assertTrue(help.contains(part), part);
        }
        assertFalse(help.contains("tpcc-child"), help);
    }

    @Test
    void wrongCallsEndWithTwo() throws IOException {
        assertEquals(2, execute("tpcc", "--engine", "oracle"));
        assertTrue(err.toString().contains("'oracle' is none of: lockstep, plain"), err.toString());
        assertEquals(2, execute("tpcc", "--warehouses", "many"));
        assertEquals(2, execute("tpcc", "--cores", "0"));
        assertEquals(2, execute("tpcc", "--shrink", "0"));
        assertEquals(2, execute("tpcc", "--warmup-transactions", "5"));
        assertEquals(
                2, execute("tpcc", "--json", directory.resolve("missing/x.json").toString()));
        Path file = Files.createFile(directory.resolve("file"));
        assertEquals(2, execute("tpcc", "--dir", file.resolve("below").toString()));
        assertTrue(err.toString().contains("--dir " + file.resolve("below") + " cannot be made"), err.toString());
        assertEquals(2, execute("tpcc", "--out", file.toString()));
        assertEquals(2, execute("tpcc", "--out", file.resolve("below").toString()));
        assertEquals(2, execute("tpcc", "--out", directory.toString(), "--profile", "flames.html"));
        assertEquals(2, execute("tpcc", "--no-such-option"));
        assertEquals(2, execute("jmh", "no.such.benchmark"));
        assertEquals("", out.toString());
    }

    @Test
    void aSimulatedRunWithoutTheAgentIsRefusedInOneSentence() {
        String reason = "The native library is not there: library=lockstep_agent";
        TpccCommand command = new TpccCommand(
                Main.class.getName(), "1", new StubPlacement(), () -> new NativePart.Result.Missing(reason));
        Path json = directory.resolve("result.json");
        assertEquals(
                2,
                new CommandLine(command)
                        .setErr(new PrintWriter(err))
                        .execute("--json=" + json, "--dir=" + directory.resolve("databases")));
        assertEquals(List.of("lockstep: " + reason), err.toString().lines().toList());
        assertFalse(Files.exists(directory.resolve("databases")));
    }

    /** Nobody listens at port 1. */
    @Test
    void aServerThatDoesNotAnswerIsTold() {
        assertEquals(
                1,
                execute(
                        "tpcc",
                        "--engine=postgresql",
                        "--url=jdbc:postgresql://localhost:1/none",
                        "--terminals=1",
                        "--transactions=10",
                        "--dir=" + directory,
                        "--jvm-option=-Xms64m",
                        "--jvm-option=-Xmx64m",
                        "--jvm-option=-Xmn32m"));
        assertTrue(out.toString().contains("the server of --url cannot be used: Connection to "), out.toString());
    }

    @Test
    void runsPlain() throws IOException {
        // A small heap: the one for figures takes most of the machine's memory. And many times as many transactions as
        // fit into the 10 ms in which systems count processor time.
        JsonNode result = run(
                "--engine",
                "plain",
                "--transactions",
                "200000",
                "--jvm-option=-Xms400m",
                "--jvm-option=-Xmx400m",
                "--jvm-option=-Xmn200m");
        JsonNode run = result.at("/runs/0");
        assertEquals("plain", run.get("engine").asText());
        assertEquals("platform", run.get("scheduler").asText());
        assertTrue(run.get("txnPerSecond").asDouble() > 0);
        assertTrue(run.get("newOrderPerMinute").asDouble() > 0);
        assertTrue(run.get("allocatedBytesPerTransaction").asDouble() >= 0);
        assertTrue(run.get("cpuMicrosPerTransaction").asDouble() > 0);
        assertTrue(run.at("/cpuMicrosByThread/terminal").asDouble() > 0, run::toString);
        if (ProcessorTicks.now() != null) {
            double stolen = run.get("stolenPart").asDouble();
            assertTrue(stolen >= 0 && stolen < 1, () -> "stolenPart=" + stolen);
            JsonNode shares = run.get("processorShares");
            double user = shares.get("user").asDouble();
            assertTrue(user > 0, shares::toString);
            assertEquals(
                    1,
                    user + shares.get("kernel").asDouble() + shares.get("idle").asDouble() + stolen,
                    1e-9,
                    shares::toString);
            String row = String.format(Locale.ROOT, "plain .*%.1f +[0-9.]+ +[0-9.]+ +[0-9.]+", 100 * user);
            assertTrue(out.toString().lines().anyMatch(line -> line.strip().matches(row)), out.toString());
        }
        if (AnonymousMemory.now() != null) {
            double large = run.get("largePagePart").asDouble(-1);
            assertTrue(large >= 0 && large <= 1, () -> "largePagePart=" + large);
        }
        assertTrue(run.get("crowding").asDouble() > 0, run::toString);
        assertEquals("none", run.at("/isolation/new-order").asText());
        assertTrue(run.at("/latencyMicros/new-order/p99").asDouble() > 0);
        assertTrue(run.at("/latencyMicros/stock-level/count").asLong() > 0);
        assertEquals(
                run.at("/commits").valueStream().mapToLong(JsonNode::asLong).sum(),
                run.at("/latencyMicros/all/count").asLong());
        assertTrue(run.at("/aborts/unused-item").isNumber());
        assertEquals(0, run.get("teams").size());
        assertEquals(CONDITIONS, run.get("consistency").size());
        for (int condition = 1; condition <= CONDITIONS; condition++) {
            assertEquals("ok", run.at("/consistency/" + condition).asText());
            assertEquals("ok", run.at("/consistencyAfterLoad/" + condition).asText());
        }
        assertEquals(0, run.get("tallyDifferences").size());
        assertTrue(run.get("gc").size() > 0);
        assertTrue(run.get("gcMillis").isNumber());
        assertEquals(200_000, run.at("/configuration/transactions").asInt());
        assertTrue(run.get("configurationHash").asText().matches("[0-9a-f]{12}"));
        assertTrue(run.get("jvmFlags").toString().contains("-Xmx"), run.get("jvmFlags")::toString);
        assertFalse(run.get("pinning").asText().isEmpty());
        assertTrue(result.get("ok").asBoolean());
        assertTrue(result.at("/machine/processors").asInt() > 0);
        assertFalse(result.at("/machine/processor").asText().isEmpty());
        assertFalse(result.get("jvm").asText().isEmpty());
        assertTrue(out.toString().contains("All is well."), out.toString());
    }

    /** A database of 1/50 has work for 18 of them. */
    @Test
    void warnsOfDeliveriesThatFoundNothing() throws IOException {
        JsonNode result = run(
                "--engine=plain",
                "--mix=delivery",
                "--warmup-transactions=0",
                "--transactions=72",
                "--jvm-option=-Xms64m",
                "--jvm-option=-Xmx64m",
                "--jvm-option=-Xmn32m");
        assertEquals(0.75, result.at("/runs/0/emptyDistrictPart").asDouble());
        assertTrue(
                out.toString().contains("plain, repetition 1: 75.0 % of the districts that Deliveries came to"),
                out.toString());
        assertTrue(out.toString().contains("All is well."), out.toString());
    }

    @Test
    void runsLockstepUnderBothSchedulers() throws IOException {
        JsonNode result = runWhole(WITHOUT_C2, "--transactions", "1000", "--durability", "async", "--pool", "160m");
        assertEquals("jdk", result.at("/runs/0/scheduler").asText());
        assertEquals("steps", result.at("/runs/1/scheduler").asText());
        assertEquals("virtual", result.at("/runs/1/sthreads").asText());
        assertEquals("async", result.at("/runs/1/durability").asText());
        assertEquals("SERIALIZABLE", result.at("/runs/1/isolation/new-order").asText());
        assertTrue(result.at("/runs/1/teams").size() > 0);
        assertTrue(result.at("/runs/1/teams/0/operations").asLong() > 0);
        assertEquals("ok", result.at("/runs/1/consistency/12").asText());
        JsonNode threads = result.at("/runs/1/cpuMicrosByThread");
        assertTrue(threads.has("lockstep-log-writer"), threads::toString);
        double sum = 0;
        for (JsonNode micros : threads) {
            sum += micros.asDouble();
        }
        double all = result.at("/runs/1/cpuMicrosPerTransaction").asDouble();
        // Threads below a thousandth are left out.
        assertTrue(sum > all * 0.9, threads::toString);
        assertTrue(result.at("/ratios/stepsOverJdk").isNull(), "written, but both sides have batches");
        double ratio = result.at("/ratios/schedulingAlone/median").asDouble();
        assertEquals(
                result.at("/runs/1/txnPerSecond").asDouble()
                        / result.at("/runs/0/txnPerSecond").asDouble(),
                ratio,
                1e-9);
        assertEquals(0, result.at("/ratios/overFirstVariant").size());
        // Each run's files are gone; the result is what is left.
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(directory.resolve("result.json")), files.toList());
        }
    }

    @Test
    void writesAReportThatNeedsNothingElse() throws IOException {
        Path report = directory.resolve("new/report");
        JsonNode printed = run(
                "--transactions=3000", "--durability=async", "--scheduler=jdk", SMALL_POOL, "--out", report.toString());
        try (Stream<Path> files = Files.list(report)) {
            assertEquals(
                    List.of("flames-lockstep-jdk.html", "plots", "report.html", "report.txt", "result.json"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
        String page = Files.readString(report.resolve("report.html"));
        for (String plot : List.of(
                "throughput",
                "latency-new-order",
                "latency-stock-level",
                "processor-time-by-layer",
                "processor-time-by-transaction",
                "processor-time-by-operation")) {
            assertTrue(Files.size(report.resolve("plots/" + plot + ".svg")) > 0, plot);
            assertTrue(Files.size(report.resolve("plots/" + plot + ".png")) > 0, plot);
            assertTrue(page.contains("<figure id=\"plot-" + plot + "\">"), plot);
        }
        assertTrue(page.contains("Flame graph of lockstep/jdk"), "the flame graph is in the page");
        assertEquals(
                printed,
                new ObjectMapper().readTree(report.resolve("result.json").toFile()));
        assertEquals(out.toString(), Files.readString(report.resolve("report.txt")));
        assertTrue(out.toString().contains("flames-lockstep-jdk.html"), out.toString());
        assertEquals(1, printed.get("runs").size(), "the profiled run is no figure");
        assertEquals(
                "flames-lockstep-jdk.html", printed.at("/flameGraphs/0/file").asText());
        List<String> frames = FlameGraphFrames.of(report.resolve("flames-lockstep-jdk.html"));
        assertDrawn(frames, "dev/lockstep/tpcc/workload/TpccTransactions\\.newOrder");
        assertDrawn(frames, "New-Order");
        assertDrawn(frames, "operation (fetch|update) stock");
        assertTrue(frames.stream().noneMatch(frame -> frame.startsWith("team of") || frame.equals("straight")));
        assertFalse(printed.at("/flameGraphs/0/event").asText().isEmpty());
    }

    private static void assertDrawn(List<String> frames, String regex) {
        assertTrue(frames.stream().anyMatch(frame -> frame.matches(regex)), () -> regex + " is drawn frames=" + frames);
    }

    @Test
    void drawsOperationsTeamsAndTransactions() throws IOException {
        Path flames = directory.resolve("flames.html");
        run(
                "--transactions=5000",
                "--durability=async",
                "--scheduler=steps",
                "--teams=on",
                "--team-policy=largest",
                SMALL_POOL,
                "--profile",
                flames.toString());
        List<String> frames = FlameGraphFrames.of(flames);
        for (String transaction : List.of("New-Order", "Payment", "Delivery")) {
            assertDrawn(frames, transaction);
        }
        assertDrawn(frames, "operation (fetch|update) stock");
        assertDrawn(frames, "operation commit");
        assertDrawn(frames, "team of ([2-9]|10)");
    }

    @Test
    void tellsTheHitRatioOfTerminalsFromThatOfAScanBesideThem() throws IOException {
        JsonNode result =
                run("--transactions=500", "--durability=async", "--scheduler=jdk", "--pool=32m", "--scan-beside");
        JsonNode alone = result.at("/runs/0");
        JsonNode beside = result.at("/runs/1");
        assertTrue(alone.get("bufferHitRatio").asDouble() > 0);
        assertFalse(alone.has("terminalHitRatio"), alone::toString);
        assertTrue(beside.get("scannedRows").asLong() > 0);
        double terminals = beside.get("terminalHitRatio").asDouble();
        assertTrue(terminals > 0 && terminals <= 1, beside::toString);
    }

    @Test
    void comparesVariantsWithTheFirst() throws IOException {
        JsonNode result = run("--transactions", "500", "--durability", "async,sync", "--scheduler=jdk", SMALL_POOL);
        JsonNode ratio = result.at("/ratios/overFirstVariant/0");
        assertEquals("lockstep/jdk sync", ratio.get("numerator").asText());
        assertEquals("lockstep/jdk async", ratio.get("denominator").asText());
        assertTrue(result.at("/runs/1/commitsPerForce").asDouble() > 0);
    }

    /** Each has what its own turns did, and all what the database then holds. */
    @Test
    void takesTurnsOnOneDatabase() throws IOException {
        JsonNode result = run(
                "--durability=async",
                "--scheduler=steps",
                "--teams=off,on",
                SMALL_POOL,
                "--slices=1",
                "--one-database",
                "--warmup=0",
                "--duration=2",
                "--repeat=2",
                "--control");
        assertEquals(6, result.get("runs").size());
        for (JsonNode run : result.get("runs")) {
            boolean forms = run.at("/configuration/teams").asText().equals("on");
            long operations = 0;
            long teams = 0;
            for (JsonNode team : run.get("teams")) {
                operations += team.get("operations").asLong();
                teams += team.get("teams").asLong();
            }
            assertEquals(forms, teams > 0, run::toString);
            long committed =
                    run.at("/commits").valueStream().mapToLong(JsonNode::asLong).sum();
            // A transaction has at least one, and a Delivery, which has most, less than 200.
            assertTrue(operations > committed && operations < 200 * committed, run::toString);
            assertTurnsAddUp(run);
            assertEquals(CONDITIONS, run.get("consistency").size(), run::toString);
            assertEquals(0, run.get("tallyDifferences").size(), run::toString);
        }
        assertEquals(2, result.at("/ratios/control/repeats").asInt());
    }

    @Test
    void runsByTurnsInOneJvm() throws IOException {
        Path report = directory.resolve("report");
        JsonNode result = run(
                "--out=" + report,
                "--durability=async",
                "--scheduler=jdk",
                SMALL_POOL,
                "--slices=1",
                "--warmup=0",
                "--duration=2",
                "--repeat=2",
                "--control",
                "--checkpoint-seconds=once",
                "--torn-pages=double-write,none");
        assertEquals(6, result.get("runs").size());
        assertEquals(2, result.at("/ratios/control/repeats").asInt());
        assertEquals(
                "lockstep/jdk none",
                result.at("/ratios/overFirstVariant/0/numerator").asText());
        for (JsonNode run : result.get("runs")) {
            assertTrue(run.get("txnPerSecond").asDouble() > 0, run::toString);
            assertTrue(run.get("measuredSeconds").asDouble() >= 1.5, run::toString);
            assertTurnsAddUp(run);
            assertEquals(
                    run.at("/commits").valueStream().mapToLong(JsonNode::asLong).sum(),
                    run.at("/latencyMicros/all/count").asLong(),
                    run::toString);
            assertEquals(CONDITIONS, run.get("consistency").size(), run::toString);
            assertEquals(0, run.get("tallyDifferences").size(), run::toString);
        }
        try (Stream<Path> files = Files.list(report)) {
            assertEquals(
                    List.of("plots", "report.html", "report.txt", "result.json"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
        String page = Files.readString(report.resolve("report.html"));
        for (String part : List.of(
                "<figure id=\"plot-throughput\">",
                "Ratios of throughput",
                "lockstep/jdk none : lockstep/jdk",
                "turns in one JVM")) {
            assertTrue(page.contains(part), part);
        }
        // Not in each: the system counts a thread's time in ticks, and some checkpoints take less than one of the
        // thread that begins them, or even of those that write.
        assertTrue(
                Stream.of("lockstep-checkpointer", "lockstep-page-writer", "lockstep-io")
                        .flatMap(thread -> result.findValues(thread).stream())
                        .anyMatch(micros -> micros.asDouble() > 0),
                result::toString);
    }

    private static void assertTurnsAddUp(JsonNode run) {
        long nanos = 0;
        long committed = 0;
        for (JsonNode turn : run.get("turns")) {
            nanos += turn.get("measuredNanos").asLong();
            committed += turn.get("committed").asLong();
        }
        assertEquals(run.get("measuredSeconds").asDouble(), nanos / 1e9, 1e-6, run::toString);
        assertEquals(run.get("txnPerSecond").asDouble(), committed * 1e9 / nanos, 1e-3, run::toString);
    }

    @Test
    void tellsWhatTeamsAndBatchesAreWorth() throws IOException {
        JsonNode result =
                run("--transactions", "500", "--durability", "async", "--teams=off,on", "--batches=off,on", SMALL_POOL);
        assertEquals(6, result.get("runs").size());
        assertRatio(result, "stepsOverJdk", "lockstep/steps teams on, batches on", "lockstep/jdk batches off");
        assertRatio(
                result,
                "teamsOnOverOff",
                "lockstep/steps teams on, batches on",
                "lockstep/steps teams off, batches off");
        assertRatio(
                result,
                "batchesOverNeither",
                "lockstep/steps teams off, batches on",
                "lockstep/steps teams off, batches off");
        assertRatio(
                result,
                "teamsOverBatches",
                "lockstep/steps teams on, batches on",
                "lockstep/steps teams off, batches on");
        for (JsonNode run : result.get("runs")) {
            boolean teams = run.at("/configuration/teams").asText().equals("on");
            assertEquals(teams, teamsFormed(run) > 0, run::toString);
            assertEquals("ok", run.at("/consistency/12").asText());
        }
    }

    private static long teamsFormed(JsonNode run) {
        long formed = 0;
        for (JsonNode operation : run.get("teams")) {
            formed += operation.get("teams").asLong();
        }
        return formed;
    }

    private static void assertRatio(JsonNode result, String name, String above, String below) {
        JsonNode ratio = result.get("ratios").get(name);
        assertEquals(above, ratio.get("numerator").asText());
        assertEquals(below, ratio.get("denominator").asText());
        double expected = perSecond(result, above) / perSecond(result, below);
        assertEquals(expected, ratio.get("median").asDouble(), 1e-9);
    }

    private static double perSecond(JsonNode result, String label) {
        for (JsonNode run : result.get("runs")) {
            JsonNode spec = run.get("configuration");
            if (label.equals("lockstep/" + run.get("scheduler").asText() + " "
                    + spec.get("grouping").asText())) {
                return run.get("txnPerSecond").asDouble();
            }
        }
        throw new AssertionError("no run label=" + label);
    }

    /** The files of a run that somebody breaks off; those of one that failed stay. */
    @Test
    void nothingIsLeftOfARunThatIsInterrupted() throws IOException {
        Thread.currentThread().interrupt();
        try {
            execute("tpcc", "--engine=plain", "--transactions=10", "--dir=" + directory);
        } finally {
            // What did not notice it must not disturb other tests.
            Thread.interrupted();
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void aChildThatCannotStartIsAFailedCheck() throws IOException {
        int exit = execute(
                "tpcc",
                "--engine",
                "plain",
                "--transactions",
                "10",
                "--dir",
                directory.toString(),
                "--jvm-option",
                "-XX:NoSuchOption",
                "--jvm-option",
                "-Xmx1g");
        assertEquals(1, exit);
        assertTrue(out.toString().contains("the child JVM ended without a report"), out.toString());
        try (Stream<Path> files = Files.list(directory)) {
            Path left = files.findFirst().orElseThrow();
            assertTrue(Files.exists(left.resolve("spec.json")), left::toString);
        }
    }
}
