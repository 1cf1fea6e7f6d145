package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.flame.FlameProfiler;
import dev.lockstep.bench.jmh.SimulatedProfiler;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.StubPlacement;
import dev.lockstep.counters.CounterObstacle;
import dev.lockstep.counters.HardwareCounters;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.options.ProfilerConfig;
import picocli.CommandLine;

class JmhProfilersTest {
    private static final String BENCHMARK = "KeyBenchmark.encodeIntegers$";
    private static final List<String> SHORT = times("200ms", "200ms");
    /** The times are simulated, which take a hundred times as long; the control still gets some samples. */
    private static final List<String> SHORT_SIMULATED = times("20ms", "100ms");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    /** A placement whose forks leave results. */
    private static final Placement SIMULATED = new Placement() {
        @Override
        public int processorsMax() {
            return 1;
        }

        @Override
        public Processors choose(int count) {
            return Processors.choose(count);
        }

        @Override
        public Optional<String> javaResult(String process) {
            return Optional.of("/results/" + process + ".json");
        }
    };

    private static List<String> times(String warmUp, String measured) {
        return List.of("--", "-f", "1", "-wi", "1", "-w", warmUp, "-i", "1", "-r", measured, "-v", "SILENT");
    }

    @Test
    void noProfilerSamplesASimulatedBenchmark() {
        Path report = directory.resolve("report");
        assertEquals(
                2,
                new CommandLine(new JmhCommand(new StubPlacement()))
                        .setErr(new PrintWriter(err))
                        .execute("--flame", "--out=" + report, "--", "KeyBenchmark"));
        assertTrue(err.toString().startsWith("--flame is not for ./lockstep simulate"), err::toString);
        assertFalse(Files.exists(report));
    }

    private int execute(List<String> before, String... more) {
        return execute(before, SHORT, more);
    }

    private int execute(List<String> before, List<String> times, String... more) {
        List<String> words = new ArrayList<>(before);
        words.addAll(times);
        words.addAll(List.of(more));
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(words.toArray(String[]::new));
    }

    @Test
    void completesWhatNeedsMoreAndNothingElse() throws IOException {
        String profiler = SimulatedProfiler.class.getName() + ":result=/results/PROCESS.json";
        assertEquals(
                List.of("x", "-prof", profiler, "-prof", "gc", "--prof=" + profiler, "-f", "1", "-prof"),
                JmhProfilers.complete(
                        List.of("x", "-prof", "simulated", "-prof", "gc", "--prof=simulated", "-f", "1", "-prof"),
                        SIMULATED));
        assertEquals(
                List.of("x", "-f", "1"),
                JmhProfilers.without(List.of("x", "-prof", "simulated", "--prof=gc", "-f", "1", "-prof")));
        assertEquals(
                List.of("-prof", SimulatedProfiler.class.getName()),
                JmhProfilers.complete(List.of("-prof", SimulatedProfiler.class.getName()), Placement.ofMachine()));
        assertEquals(
                List.of("-prof", "async:libPath=/of/the/user.so;output=jfr"),
                JmhProfilers.complete(
                        List.of("-prof", "async:libPath=/of/the/user.so;output=jfr"), Placement.ofMachine()));
    }

    @Test
    void asyncProfilerBringsItsLibrary() throws IOException {
        if (JmhProfilers.asyncProfilerLibrary().isEmpty()) {
            throw Needed.missing("async-profiler has no library for this platform");
        }
        int exitCode = execute(
                List.of("jmh", BENCHMARK),
                "-prof",
                "async:event=itimer;interval=1000000;output=collapsed;dir=" + directory);
        assertEquals(0, exitCode, err::toString);
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> stacks =
                    files.filter(file -> file.toString().endsWith(".csv")).toList();
            assertFalse(stacks.isEmpty());
            assertTrue(Files.readString(stacks.getFirst()).contains("encodeIntegers"));
        }
    }

    @Test
    void flameGraphsShowTheOperationsOfTheEngine() throws IOException {
        try {
            FlameProfiler.prepare();
        } catch (IllegalStateException | LinkageError e) {
            throw Needed.missing("async-profiler may not sample here: " + e.getMessage());
        }
        Path report = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        List.of("jmh", "OperationBenchmark.fetch$", "--out", report.toString(), "--flame"),
                        "-p",
                        "rows=1000"),
                err::toString);
        List<String> frames =
                FlameGraphFrames.of(report.resolve("flames/OperationBenchmark.fetch-rows-1000-avgt/flames.html"));
        assertTrue(frames.contains("operation fetch account"), frames::toString);
        assertTrue(Files.readString(report.resolve("report.html")).contains("OperationBenchmark.fetch-rows-1000-avgt"));
    }

    @Test
    void whatABenchmarkAppendsStays() throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(List.of("jmh", "MarkerBenchmark.operationNotMarked$", "--json", json.toString())),
                err::toString);
        String arguments = new ObjectMapper()
                .readTree(json.toFile())
                .at("/results/0/jvmArgs")
                .toString();
        assertTrue(arguments.contains("-Dlockstep.simulated=false"), arguments);
        assertTrue(arguments.contains("-Dlockstep.bench.seed=1"), arguments);
    }

    @Test
    void simulatedOutsideTheSimulatorSaysHowToRunIt() {
        assertEquals(2, execute(List.of("jmh", BENCHMARK), "-prof", "simulated"));
        assertTrue(err.toString().contains("./lockstep simulate --l1i 32K,8,64"), err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void perfnormCountsOrSaysWhyNot() throws IOException {
        switch (HardwareCounters.open()) {
            case HardwareCounters.Result.Missing(List<CounterObstacle> obstacles) -> {
                assertEquals(2, execute(List.of("jmh", BENCHMARK), "-prof", "perfnorm"));
                assertTrue(err.toString().contains(obstacles.getFirst().reason()), err.toString());
                throw Needed.missing(
                        "-prof perfnorm with counters: " + obstacles.getFirst().reason());
            }
            case HardwareCounters.Result.Available(HardwareCounters _) -> {
                if (JmhProfilers.obstacle(List.of(new ProfilerConfig("perfnorm")))
                        .isPresent()) {
                    throw Needed.missing("perf is not there; on Debian: apt-get install linux-perf");
                }
                Path json = directory.resolve("result.json");
                assertEquals(
                        0,
                        execute(List.of("jmh", BENCHMARK, "--json", json.toString()), "-prof", "perfnorm"),
                        err::toString);
                assertTrue(Files.readString(json).contains("instructions"), json.toString());
            }
        }
    }

    @Test
    void aProfilerThatIsNotThereIsAWrongCall() {
        assertEquals(2, execute(List.of("jmh", BENCHMARK), "-prof", "no.such.Profiler"));
        assertTrue(err.toString().contains("no.such.Profiler"), err.toString());
    }

    @Test
    void aProfilerOfPerfGivesTheReasonsWhyThereAreNoCounters() {
        Optional<String> obstacle = JmhProfilers.obstacle(
                List.of(new ProfilerConfig("gc"), new ProfilerConfig("perfnorm", "no-such-option=1")),
                () -> new HardwareCounters.Result.Missing(
                        List.of(new CounterObstacle(CounterObstacle.Kind.NOT_EXPOSED, "Not here."))));
        assertEquals(Optional.of("-prof perfnorm needs hardware counters. Not here."), obstacle);
        assertEquals(Optional.empty(), JmhProfilers.obstacle(List.of(new ProfilerConfig("gc"))));
    }

    /** Without C2 neither side has its code: all is counted, and it is said that it counts for nothing. */
    @Test
    void countsSimulatedMissesPerOperation() throws IOException {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        Path json = directory.resolve("result.json");
        int exitCode = execute(
                List.of(
                        "simulate",
                        "--l1i",
                        "32K,8,64",
                        "--l1i",
                        "1K,direct,16",
                        "--",
                        "jmh",
                        BENCHMARK,
                        "--json",
                        json.toString()),
                SHORT_SIMULATED,
                "-prof",
                "simulated",
                "-jvmArgsAppend",
                "-XX:TieredStopAtLevel=1");
        assertEquals(1, exitCode, err::toString);
        assertTrue(
                err.toString()
                        .contains(
                                "KeyBenchmark.encodeIntegers-avgt: NOT STEADY, counts for nothing: C2 had compiled 0.0"
                                        + " % of the Java instructions, natively 0.0 %"),
                err::toString);
        JsonNode metrics = new ObjectMapper().readTree(json.toFile()).at("/results/0/secondaryMetrics");
        double instructions = metrics.at("/simulated.instructions/score").asDouble();
        double misses = metrics.at("/simulated.l1i.misses/score").asDouble(-1);
        double missesOfSmall = metrics.at("/simulated.observer1.misses/score").asDouble(-1);
        assertEquals("#/op", metrics.at("/simulated.instructions/scoreUnit").asText());
        // Three integers of four bytes: more than their bytes, less than an interpreter's worst.
        assertTrue(instructions > 12 && instructions < 100_000, metrics.toString());
        assertTrue(misses >= 0 && misses < instructions, metrics.toString());
        assertTrue(missesOfSmall > misses && missesOfSmall < instructions, metrics.toString());
    }
}
