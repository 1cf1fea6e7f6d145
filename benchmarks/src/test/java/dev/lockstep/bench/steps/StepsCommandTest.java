package dev.lockstep.bench.steps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command on commands that leave made-up results. */
class StepsCommandTest {
    /** What {@code tpcc} leaves, as far as it is read. */
    private static final String TPCC =
            """
            {"runs": [{"txnPerSecond": %f, "cpuMicrosPerTransaction": 9.5, "failure": "%s", "ok": %b, "teams": [%s],
             "commits": {"payment": 40, "new-order": 10}}]}
            """;

    private static final String TEAMS =
            """
            {"operation": "fetch customer", "straightOperations": 1, "teams": 30, "membersIn": 8.0, "membersOut": 6.0,
             "ready": 15.0},
            {"operation": "insert history", "straightOperations": 0, "teams": 10, "membersIn": 4.0, "membersOut": 4.0,
             "ready": 11.0}""";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<List<String>> launched = new ArrayList<>();

    /** What is in the way of the simulator. */
    private String obstacle;

    @TempDir
    Path directory;

    private int execute(Launcher launcher, String... arguments) {
        return new CommandLine(new StepsCommand(launcher, () -> Optional.ofNullable(obstacle)))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private JsonNode run(int exitCode, Launcher launcher, String... arguments) throws IOException {
        Path json = directory.resolve("result.json");
        String[] all = Stream.concat(Stream.of(arguments), Stream.of("--json=" + json, "--dir=" + directory))
                .toArray(String[]::new);
        assertEquals(exitCode, execute(launcher, all), err::toString);
        return new ObjectMapper().readTree(json.toFile());
    }

    @Test
    void executedCodeStandsFirst() throws IOException {
        Path file = directory.resolve("code.txt");
        List<String> arguments = List.of("--native", "--mixes=payment", "--warehouses=1", "--repeat=1");
        write(
                file,
                """
                lockstep-code-footprints 2
                workload tpcc
                operation 2048 begin
                operation 65536 commit
                data 1024 commit
                end
                """);
        JsonNode result = run(0, this::rising, with(arguments, "--footprints=" + file));
        assertEquals("commit", result.at("/executed/0/operation").asText());
        assertEquals(65_536, result.at("/executed/0/bytes").asInt());
        assertEquals(1_024, result.at("/executed/0/dataBytes").asInt());
        assertEquals("begin", result.at("/executed/1/operation").asText());
        String printed = out.toString();
        assertTrue(printed.indexOf("Executed code of each operation") < printed.indexOf("payment"), printed);
        write(file, "lockstep-code-footprints 2\njvm Another JVM 99\nworkload tpcc\nend\n");
        assertEquals(2, execute(this::rising, with(arguments, "--footprints=" + file)));
        assertTrue(err.toString().contains("is of another JVM"), err.toString());
    }

    /** With teams the compilers of this JVM take 4.5 of 9.5 us, without 0.5. */
    @Test
    void runsThatCompileAreMarked() throws IOException {
        run(0, this::compiling, "--native", "--mixes=payment", "--warehouses=1", "--repeat=1");
        String printed = out.toString();
        assertTrue(printed.contains("took too much of the processor time: both 47 %; ratios"), printed);
        out.getBuffer().setLength(0);
        run(0, this::rising, "--native", "--mixes=payment", "--warehouses=1", "--repeat=1");
        assertFalse(out.toString().contains("MARKED"), out.toString());
    }

    private Launcher.Ended compiling(List<String> words) {
        double jvmMicros = value(words, "--teams").equals("on") ? 4.5 : 0.5;
        String threads = String.format(
                Locale.ROOT,
                "\"cpuMicrosByThread\": {\"lockstep-carrier\": %.1f, \"JVM\": %.1f}, \"failure\"",
                9.5 - jvmMicros,
                jvmMicros);
        write(words, String.format(Locale.ROOT, TPCC.replace("\"failure\"", threads), 100.0, "", true, ""));
        return new Launcher.Ended(0, "");
    }

    private static String[] with(List<String> arguments, String last) {
        return Stream.concat(arguments.stream(), Stream.of(last)).toArray(String[]::new);
    }

    private static String value(List<String> words, String option) {
        return words.get(words.indexOf(option) + 1);
    }

    /** Throughput of 100 in the first run, 10 more in each further; half as much again with teams. */
    private Launcher.Ended rising(List<String> words) {
        launched.add(words);
        boolean teams = value(words, "--teams").equals("on");
        double txnPerSecond = (90 + 10 * launched.size()) * (teams ? 1.5 : 1);
        write(words, String.format(Locale.ROOT, TPCC, txnPerSecond, "", true, teams ? TEAMS : ""));
        return new Launcher.Ended(0, "");
    }

    private static void write(List<String> words, String json) {
        write(Path.of(value(words, "--json")), json);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Three tenths of the misses in the L1-I with teams; in the further cache three times as many. */
    private Launcher.Ended counted(List<String> words) {
        Launcher.Ended ended = rising(words.subList(words.indexOf("--") + 1, words.size()));
        write(words, counts(value(words, "--teams").equals("on") ? 300 : 1_000));
        return ended;
    }

    private static String counts(int misses) {
        return String.format(
                Locale.ROOT,
                """
                {"simulated": ["cores=1", "l1i=64K,2,64", "observe=l1i:32K,8,64"],
                 "processes": [{"command": "", "operations": [], "result": {"format": 3, "phases": [
                 {"phase": 0, "total": {"instructions": 99}},
                 {"phase": 1, "total": {"instructions": 5000, "cycles": 20000, "observerMisses": [%d],
                  "levels": {"l1i": {"misses": %d}, "l1d": {"misses": 200},
                  "l2": {"misses": 100, "classes": {"cold": 60, "instruction": 40}}}},
                  "branches": {"conditionalWrong": 1, "targetUnknown": 2, "indirectWrong": 3,
                   "returnsWrong": 4}}]}}]}
                """,
                3 * misses,
                misses);
    }

    @Test
    void pairsTheRunsOfARepetition() throws IOException {
        JsonNode result = run(
                0,
                this::rising,
                "--native",
                "--mixes=payment",
                "--warehouses=10",
                "--repeat=3",
                "--control",
                "--variants=both");
        JsonNode ratios = result.at("/cells/0/native/ratios");
        // Runs of 100, 165 and 120; then backwards 130, 210 and 150; then 160, 255 and 180.
        assertEquals(1.65, ratios.at("/teamsOnOverOff/max").asDouble(), 1e-9);
        assertEquals(255 / 160.0, ratios.at("/teamsOnOverOff/median").asDouble(), 1e-9);
        assertEquals(210 / 150.0, ratios.at("/teamsOnOverOff/min").asDouble(), 1e-9);
        assertEquals(ratios.at("/teamsOnOverOff"), ratios.at("/overNeither/both"));
        assertEquals(180 / 160.0, ratios.at("/control/median").asDouble(), 1e-9);
        assertEquals(130 / 150.0, ratios.at("/control/min").asDouble(), 1e-9);
        assertEquals("neither (control)", ratios.at("/control/numerator").asText());
        assertTrue(ratios.at("/batchesOverNeither").isMissingNode());
        assertEquals(9, result.at("/cells/0/native/runs").size());
        assertEquals(
                List.of("off", "on", "off"),
                launched.stream().limit(3).map(words -> value(words, "--teams")).toList());
    }

    @Test
    void theResultSaysWhatWasNotDrawn() throws IOException {
        Launcher drawing = words ->
                words.contains("--profile") ? new Launcher.Ended(1, "lockstep: nothing was sampled") : rising(words);
        JsonNode result = run(
                1,
                drawing,
                "--native",
                "--mixes=payment",
                "--warehouses=10",
                "--repeat=1",
                "--flame",
                "--out=" + directory.resolve("report"));
        assertEquals(2, result.get("undrawn").size(), result::toPrettyString);
        assertTrue(result.get("undrawn").toString().contains("nothing was sampled"), result::toPrettyString);
        assertTrue(out.toString().contains("FAILED: "), out::toString);
    }

    /** With flags forced on the other runs of the cell, and a page that a run of tpcc has drawn. */
    @Test
    void drawsEachVariantFromAFurtherRun() throws IOException {
        Path report = directory.resolve("report");
        Launcher drawing = words -> {
            Launcher.Ended ended = rising(words);
            if (words.contains("--profile")) {
                write(Path.of(value(words, "--profile")), "<html>of " + value(words, "--teams") + "</html>");
            }
            return ended;
        };
        run(
                0,
                drawing,
                "--native",
                "--mixes=payment",
                "--warehouses=10",
                "--repeat=1",
                "--jvm-option=-Da=b",
                "--flame",
                "--out=" + report);
        assertEquals(4, launched.size());
        for (int i = 0; i < 2; i++) {
            List<String> counted = launched.get(i);
            assertFalse(counted.contains("--profile"), counted::toString);
            assertEquals(
                    counted,
                    launched.get(i + 2).stream()
                            .filter(word -> !word.equals("--profile") && !word.endsWith(".html"))
                            .toList());
        }
        assertEquals("<html>of on</html>", Files.readString(report.resolve("flames-payment-warehouses-10-both.html")));
        assertTrue(Files.readString(report.resolve("report.html"))
                .contains("Flame graph of payment, warehouses=10, neither"));
        assertTrue(out.toString().contains("flames-payment-warehouses-10-neither.html"), out::toString);
    }

    @Test
    void aFlameGraphThatFailsIsToldAndKeepsTheFigures() throws IOException {
        Path report = directory.resolve("report");
        Launcher failing = words ->
                words.contains("--profile") ? new Launcher.Ended(1, "lockstep: no profiler here") : rising(words);
        JsonNode result = run(
                1,
                failing,
                "--native",
                "--mixes=payment",
                "--warehouses=10",
                "--repeat=1",
                "--flame",
                "--out=" + report);
        assertEquals(2, result.at("/cells/0/native/runs").size());
        assertTrue(out.toString().contains("FAILED: payment, warehouses=10, both: no profiler here"), out::toString);
    }

    @Test
    void flameGraphsNeedAReportAndTheMachinesProcessor() {
        assertEquals(2, execute(this::rising, "--flame"));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err::toString);
        assertEquals(2, execute(this::rising, "--flame", "--simulate", "--out=" + directory.resolve("report")));
        assertTrue(err.toString().contains("add --native to --simulate"), err::toString);
    }

    @Test
    void ratiosAreNamedAsThoseOfTpcc() throws IOException {
        JsonNode ratios = run(
                        0,
                        this::rising,
                        "--native",
                        "--mixes=new-order",
                        "--warehouses=1",
                        "--repeat=1",
                        "--variants=continuation,batches,both")
                .at("/cells/0/native/ratios");
        // Runs of 100, 110, 180, 195 and 210, in the order in which the variants are listed.
        assertEquals(1.1, ratios.at("/batchesOverNeither/median").asDouble(), 1e-9);
        assertEquals(180 / 110.0, ratios.at("/teamsOverBatches/median").asDouble(), 1e-9);
        assertEquals(1.95, ratios.at("/overNeither/serial/median").asDouble(), 1e-9);
        assertEquals(2.1, ratios.at("/overNeither/continuation/median").asDouble(), 1e-9);
        assertEquals(210 / 195.0, ratios.at("/continuationOverSerial/median").asDouble(), 1e-9);
        assertTrue(out.toString().contains("continuation over serial: 1.077 (1.077 to 1.077)."), out::toString);
        List<String> serial = launched.get(3);
        assertEquals("serial", value(serial, "--team-execution"));
        List<String> last = launched.getLast();
        assertEquals("continuation", value(last, "--sthreads"));
        assertTrue(last.contains("--switch-points"), last::toString);
    }

    @Test
    void wavesAreComparedWithNeither() throws IOException {
        JsonNode ratios = run(
                        0,
                        this::rising,
                        "--native",
                        "--mixes=payment",
                        "--warehouses=1",
                        "--repeat=1",
                        "--variants=waves")
                .at("/cells/0/native/ratios");
        assertEquals(1.65, ratios.at("/overNeither/waves/median").asDouble(), 1e-9);
        List<String> waves = launched.getLast();
        assertEquals("waves", value(waves, "--team-policy"));
        assertEquals("apart", value(waves, "--team-execution"));
        assertEquals("continuation", value(waves, "--sthreads"));
    }

    /** Each part without the others: teams are governed with batches, and staged or of continuations without. */
    @Test
    void partsStandAlone() throws IOException {
        JsonNode ratios = run(
                        0,
                        this::rising,
                        "--native",
                        "--mixes=payment",
                        "--warehouses=1",
                        "--repeat=1",
                        "--variants=governed,staged-alone,continuation-alone")
                .at("/cells/0/native/ratios");
        // Runs of 100, 165, 180 and 130, since teams gain nothing in these results where they are governed.
        assertEquals(1.65, ratios.at("/overNeither/staged-alone/median").asDouble(), 1e-9);
        assertEquals(1.8, ratios.at("/overNeither/continuation-alone/median").asDouble(), 1e-9);
        assertEquals(1.3, ratios.at("/overNeither/governed/median").asDouble(), 1e-9);
        assertEquals(
                List.of("off", "on", "on", "governed"),
                launched.stream().map(words -> value(words, "--teams")).toList());
        assertEquals(
                List.of("off", "off", "off", "on"),
                launched.stream().map(words -> value(words, "--batches")).toList());
        assertEquals("staged", value(launched.get(1), "--team-execution"));
        assertEquals("continuation", value(launched.get(2), "--sthreads"));
        assertTrue(launched.get(2).contains("--switch-points"), launched::toString);
    }

    /** More than a plot has colours for. */
    @Test
    void allVariantsAreDrawn() throws IOException {
        Path report = directory.resolve("report");
        String all = Stream.of(StepsVariant.values()).map(StepsVariant::spelled).collect(Collectors.joining(","));
        assertEquals(
                0,
                execute(
                        this::rising,
                        "--native",
                        "--mixes=payment",
                        "--warehouses=1",
                        "--repeat=1",
                        "--variants=" + all,
                        "--out=" + report),
                err::toString);
        assertTrue(Files.size(report.resolve("plots/figure-13-payment-time.svg")) > 0);
        assertTrue(Files.size(report.resolve("plots/figure-13-payment-time-2.svg")) > 0);
    }

    @Test
    void runsWhatThePaperRuns() throws IOException {
        JsonNode cells = run(0, this::rising, "--native", "--repeat=1").at("/cells");
        List<String> titles = new ArrayList<>();
        cells.forEach(cell ->
                titles.add(cell.at("/mix").asText() + cell.at("/warehouses").asInt()));
        assertEquals(17, titles.size(), titles::toString);
        assertEquals(List.of("payment10", "payment20", "payment30", "new-order10"), titles.subList(0, 4));
        assertEquals(List.of("interactive10", "interactive20"), titles.subList(15, 17));
        assertEquals(300, cells.at("/2/terminals").asInt());
    }

    /** What is replayed: every option that figures depend on, and the seed. */
    @Test
    void saysTheCommandOfEachRun() throws IOException {
        JsonNode result = run(
                0,
                this::rising,
                "--native",
                "--mixes=payment",
                "--warehouses=1",
                "--repeat=1",
                "--terminals=7",
                "--shrink=50",
                "--durability=none",
                "--warmup=0.5",
                "--duration=2",
                "--seed=42",
                "--team-limit=20",
                "--jvm-option=-Xmx1g");
        assertEquals(
                "./lockstep tpcc --scheduler steps --mix payment --warehouses 1 --terminals 7 --shrink 50"
                        + " --durability none --seed 42 --teams on --batches on --team-limit 20 --jvm-option=-Xmx1g"
                        + " --warmup 0.5 --duration 2.0",
                result.at("/cells/0/native/runs/1/command").asText());
        // A limit of teams that nobody forms would make another configuration of the same run.
        assertEquals(
                "./lockstep tpcc --scheduler steps --mix payment --warehouses 1 --terminals 7 --shrink 50"
                        + " --durability none --seed 42 --teams off --batches off --jvm-option=-Xmx1g --warmup 0.5"
                        + " --duration 2.0",
                result.at("/cells/0/native/runs/0/command").asText());
    }

    @Test
    void tablesSayWhatWasMeasured() throws IOException {
        run(
                0,
                this::rising,
                "--native",
                "--mixes=payment",
                "--warehouses=10",
                "--repeat=1",
                "--out=" + directory.resolve("page"));
        assertEquals(
                """

                payment, 10 warehouses, 100 terminals: on this machine's processor
                          transactions/s  us each  CPU us each  transactions/s, over neither    min    max
                 neither             100   10,000         9.50                             -      -      -
                 both                165    6,061         9.50                         1.650  1.650  1.650

                payment, 10 warehouses, 100 terminals: teams (Table 4)
                Of all repetitions, on this machine's processor. Means of all teams: members that entered, members that\
                 left other than as strays, and threads that could run when the team formed. Outside: operations\
                 outside any team.
                       operation       outside  teams  members in  members out  threads ready
                 both  fetch customer        1     30         8.0          6.0           15.0
                 both  insert history        0     10         4.0          4.0           11.0
                 both  all                   1     40         7.0          5.5           14.0
                """,
                out.toString());
        assertTrue(Files.exists(directory.resolve("page").resolve("report.html")));
    }

    @Test
    void aFailedRunCountsForNothing() throws IOException {
        Launcher failing = words -> {
            launched.add(words);
            return switch (launched.size()) {
                case 1 -> new Launcher.Ended(2, "[1/1] loads\nlockstep: --dir cannot be made\n");
                case 2 -> {
                    write(words, String.format(Locale.ROOT, TPCC, 0.0, "nothing was done", false, ""));
                    yield new Launcher.Ended(1, "");
                }
                case 3 -> {
                    write(words, String.format(Locale.ROOT, TPCC, 50.0, "", false, ""));
                    yield new Launcher.Ended(1, "");
                }
                default -> rising(words);
            };
        };
        JsonNode result = run(1, failing, "--native", "--mixes=payment,new-order", "--warehouses=10", "--repeat=2");
        JsonNode first = result.at("/cells/0/native");
        assertEquals("--dir cannot be made", first.at("/runs/0/failure").asText());
        assertEquals("nothing was done", first.at("/runs/1/failure").asText());
        assertEquals(
                "a consistency condition or the tally of the driver does not hold",
                first.at("/runs/2/failure").asText());
        assertTrue(first.at("/ratios/teamsOnOverOff").isMissingNode());
        assertTrue(result.at("/cells/1/native/ratios/teamsOnOverOff/median").asDouble() > 1);
        assertTrue(
                out.toString().contains("FAILED, counts for nothing: both, repetition 1: nothing was done"),
                out::toString);
    }

    /** 16 terabytes of rows. */
    @Test
    void whatDoesNotFitIsNotRun() throws IOException {
        JsonNode result = run(
                0, this::rising, "--native", "--mixes=payment", "--warehouses=1,100000", "--terminals=1", "--repeat=1");
        assertEquals(2, launched.size());
        assertTrue(result.at("/cells/0/simulated").isMissingNode());
        assertTrue(
                result.at("/cells/1/native/notRun").asText().startsWith("too little memory: the rows of 100000 war"));
        assertTrue(out.toString().contains("NOT RUN: too little memory"), out::toString);
    }

    @Test
    void countsOnASimulatedMachine() throws IOException {
        JsonNode cell = run(
                        0,
                        this::counted,
                        "--simulate",
                        "--mixes=interactive",
                        "--warehouses=10",
                        "--l1i=64K,2,64",
                        "--l1i=32K,8,64",
                        "--transactions=50",
                        "--warmup-transactions=10")
                .at("/cells/0");
        assertTrue(cell.at("/native").isMissingNode());
        assertEquals(0.3, cell.at("/simulated/overNeither/both/l1iMisses").asDouble(), 1e-9);
        assertEquals(1_000, cell.at("/simulated/runs/0/events/l1iMisses").asLong());
        assertEquals(50, cell.at("/simulated/runs/0/transactions").asLong());
        assertEquals(
                "./lockstep simulate --machine athlon-xp --l1i 64K,2,64 --l1i 32K,8,64 --branches --set classes=merged"
                        + " -- tpcc --scheduler steps --mix interactive --warehouses 10 --terminals 10 --shrink 1"
                        + " --durability async --seed 1 --teams on --batches on --transactions 50"
                        + " --warmup-transactions 10",
                cell.at("/simulated/runs/1/command").asText());
        assertEquals(
                """

                interactive, 10 warehouses, 100 terminals: on a simulated machine
                Of each of 50 transactions. Machine: cores=1 l1i=64K,2,64 observe=l1i:32K,8,64.
                                         neither    both  both : neither
                 cycles                      400     400           1.000
                 instructions                100     100           1.000
                 L1-I misses                  20       6           0.300
                 L1-D misses                   4       4           1.000
                 L2-I misses              0.8000  0.8000           1.000
                 L2-D misses                1.20    1.20           1.000
                 mispredicted branches    0.1600  0.1600           1.000
                 misses of l1i:32K,8,64       60      18           0.300

                interactive, 10 warehouses, 100 terminals: teams on a simulated machine (Table 4)
                Of the run above. Means of all teams: members that entered, members that left other than as strays, and\
                 threads that could run when the team formed. Outside: operations outside any team.
                       operation       outside  teams  members in  members out  threads ready
                 both  fetch customer        1     30         8.0          6.0           15.0
                 both  insert history        0     10         4.0          4.0           11.0
                 both  all                   1     40         7.0          5.5           14.0
                """,
                out.toString());
    }

    /** Serial misses what neither does in these results, and continuation three tenths. */
    @Test
    void continuationsStandBesideTheirOriginal() throws IOException {
        Launcher serialGainsNothing = words -> {
            Launcher.Ended ended = counted(words);
            if (words.contains("serial")) {
                write(words, counts(1_000));
            }
            return ended;
        };
        JsonNode cell = run(
                        0,
                        serialGainsNothing,
                        "--simulate",
                        "--mixes=payment",
                        "--warehouses=1",
                        "--variants=continuation")
                .at("/cells/0/simulated");
        assertEquals(3, cell.at("/runs").size());
        assertEquals(1, cell.at("/overNeither/serial/l1iMisses").asDouble(), 1e-9);
        assertEquals(0.3, cell.at("/continuationOverSerial/l1iMisses").asDouble(), 1e-9);
        assertEquals(15, cell.at("/runs/2/teams/0/ready").asDouble(), 1e-9);
        assertTrue(out.toString().contains("continuation : serial"), out::toString);
    }

    @Test
    void bothSidesStandBesideEachOther() throws IOException {
        Launcher both = words -> words.getFirst().equals("simulate") ? counted(words) : rising(words);
        JsonNode cell =
                run(0, both, "--mixes=payment", "--warehouses=1", "--repeat=1").at("/cells/0");
        assertEquals(2, cell.at("/native/runs").size());
        assertEquals(2, cell.at("/simulated/runs").size());
        assertTrue(out.toString().contains("MARKED: with this processor's own flags of the JVM"), out::toString);
    }

    /** The flags and what is said of them come from what tpcc leaves of its simulated run and the control. */
    @Test
    void nativeRunsBesideSimulatedOnesHaveTheirFlags() throws IOException {
        String check =
                """
                 "simulations": [{"label": "lockstep/steps", "repeat": 1, "time": "cycles", "realSeconds": 3.0,
                  "machine": {"txnPerSecond": 7.0},
                  "flags": {"forced": ["-XX:+UnlockDiagnosticVMOptions", "-XX:UseAVX=2"],
                   "chosen": [{"flag": "UseAVX", "machine": "int 3", "emulated": "int 2"}], "remaining": []},
                  "steady": {"simulatedC2Share": 0.97, "machineC2Share": 0.98, "samples": 900, "jvmShare": 0.01,
                   "hottest": []}}],
                """;
        Launcher both = words -> {
            if (!words.getFirst().equals("simulate")) {
                return rising(words);
            }
            Launcher.Ended ended = counted(words);
            write(
                    words.subList(words.indexOf("--") + 1, words.size()),
                    String.format(Locale.ROOT, TPCC, 50.0, "", true, "").replaceFirst("\\{", "{" + check));
            return ended;
        };
        JsonNode cell =
                run(0, both, "--mixes=payment", "--warehouses=1", "--repeat=1").at("/cells/0");
        String flags = "--jvm-option=-XX:+UnlockDiagnosticVMOptions --jvm-option=-XX:UseAVX=2";
        for (JsonNode run : cell.at("/native/runs")) {
            assertTrue(run.get("command").asText().contains(flags), run::toString);
        }
        for (JsonNode run : cell.at("/simulated/runs")) {
            assertFalse(run.get("command").asText().contains("UseAVX"), run::toString);
            assertEquals("UseAVX", run.at("/check/flags/chosen/0/flag").asText());
            assertEquals(0.98, run.at("/check/steady/machineC2Share").asDouble());
        }
        String text = out.toString();
        assertTrue(
                text.contains(
                        "With the flags of the simulated JVM forced: -XX:+UnlockDiagnosticVMOptions -XX:UseAVX=2."),
                text);
        assertTrue(text.contains("both: Steady: C2 had compiled 97.0 %"), text);
        assertTrue(text.contains("forced on both sides: UseAVX=int 2 (by itself int 3)"), text);
    }

    @Test
    void plotsHaveOneSideEach() throws IOException {
        Launcher both = words -> words.getFirst().equals("simulate") ? counted(words) : rising(words);
        Path page = directory.resolve("page");
        run(0, both, "--mixes=payment,interactive", "--warehouses=1,2", "--repeat=1", "--out=" + page);
        try (Stream<Path> plots = Files.list(page.resolve("plots"))) {
            assertEquals(
                    List.of(
                            "figure-13-payment-both-simulated.svg",
                            "figure-13-payment-time.svg",
                            "figure-14-interactive-both-simulated.svg",
                            "figure-14-interactive-time.svg"),
                    plots.map(plot -> plot.getFileName().toString())
                            .filter(name -> name.endsWith(".svg"))
                            .sorted()
                            .toList());
        }
    }

    @Test
    void aSimulatedRunThatIsNotSteadyCountsForNothing() throws IOException {
        Launcher unsteady = words -> {
            Launcher.Ended ended = counted(words);
            return launched.size() > 1
                    ? ended
                    : new Launcher.Ended(1, "lockstep: lockstep/steps: NOT STEADY, counts for nothing.\n");
        };
        JsonNode result = run(1, unsteady, "--simulate", "--mixes=payment", "--warehouses=1", "--variants=both");
        assertEquals(
                "lockstep/steps: NOT STEADY, counts for nothing.",
                result.at("/cells/0/simulated/runs/0/doubt").asText());
        assertTrue(out.toString().contains("neither counts for nothing: lockstep/steps: NOT STEADY"), out::toString);
        assertEquals(0, result.at("/cells/0/simulated/overNeither").size(), result::toPrettyString);

        Launcher failing = words -> new Launcher.Ended(2, "lockstep: The simulated program left no result");
        JsonNode nothing = run(2, failing, "--simulate", "--mixes=payment", "--warehouses=1");
        assertEquals(0, nothing.at("/cells/0/simulated/overNeither").size());
        assertTrue(out.toString().contains("FAILED: both: The simulated program left no result"), out::toString);
        assertTrue(err.toString().contains("lockstep: The simulated program left no result"), err::toString);
    }

    @Test
    void withoutTheSimulatorTheRestGoesOn() throws IOException {
        obstacle = "User-mode QEMU is not there.";
        JsonNode cell = run(0, this::rising, "--mixes=payment", "--warehouses=1", "--repeat=1")
                .at("/cells/0");
        assertEquals(2, cell.at("/native/runs").size());
        assertEquals(obstacle, cell.at("/simulated/notRun").asText());
        assertTrue(out.toString().contains("NOT RUN: " + obstacle), out::toString);
    }

    @Test
    void aSimulationThatWasAskedForIsRefusedWithoutTheSimulator() {
        obstacle = "User-mode QEMU is not there.";
        Path json = directory.resolve("result.json");
        for (String[] sides : new String[][] {{"--simulate"}, {"--simulate", "--native"}}) {
            String[] all = Stream.concat(
                            Stream.of(sides), Stream.of("--mixes=payment", "--warehouses=1", "--json=" + json))
                    .toArray(String[]::new);
            err.getBuffer().setLength(0);
            assertEquals(2, execute(this::rising, all));
            assertEquals(
                    List.of("lockstep: " + obstacle), err.toString().lines().toList());
        }
        assertEquals(List.of(), launched);
        assertFalse(Files.exists(json));
    }

    @Test
    void refusesWhatIsOutOfRange() {
        for (String wrong : List.of(
                "--warehouses=0",
                "--warehouses=10000000",
                "--terminals=0",
                "--mixes=refund",
                "--variants=some",
                "--shrink=101",
                "--team-limit=0",
                "--durability=maybe",
                "--warmup=-1",
                "--duration=0",
                "--repeat=0",
                "--transactions=0",
                "--warmup-transactions=-1",
                "--machine=enigma",
                "--l1i=7,7",
                "--json=" + directory.resolve("missing").resolve("x.json"))) {
            assertEquals(2, execute(this::rising, wrong), wrong);
        }
        assertEquals(2, execute(this::rising, "--control", "--repeat=1"));
        assertEquals(List.of(), launched);
        assertEquals("", out.toString());
        assertTrue(err.toString().contains("'refund' is none of: standard, interactive, new-order"), err::toString);
    }

    @Test
    void refusesWhatNoSideWouldHeed() {
        for (String simulated :
                List.of("--machine=athlon-xp", "--l1i=32K,8,64", "--transactions=5", "--warmup-transactions=5")) {
            assertEquals(2, execute(this::rising, "--native", simulated), simulated);
        }
        for (String measured : List.of("--repeat=5", "--control", "--warmup=1", "--duration=1")) {
            assertEquals(2, execute(this::rising, "--simulate", measured), measured);
        }
        assertEquals(2, execute(this::rising, "--variants=neither,batches", "--team-limit=5"));
        assertEquals(List.of(), launched);
        assertTrue(err.toString().contains("With --simulate alone leave out --repeat"), err::toString);
    }

    /** The commands are those of the whole command line. */
    @Test
    void startsCommandsOfThisCommandLine() {
        Launcher launcher = Launcher.of(Main::commandLine);
        assertEquals(0, launcher.launch(List.of("tpcc", "--help")).exitCode());
        Launcher.Ended ended = launcher.launch(List.of("tpcc", "--terminals", "0"));
        assertEquals(2, ended.exitCode());
        assertEquals("--terminals is at least 1.", ended.reason());
    }
}
