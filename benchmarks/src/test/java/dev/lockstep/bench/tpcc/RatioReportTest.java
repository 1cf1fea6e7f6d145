package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatioReportTest {
    private static final double NEAR = 1e-9;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("run.json");
    }

    @Test
    void comparesRepetitionByRepetition() throws IOException {
        RatioReport ratio =
                RatioReport.of("steps", "jdk", List.of(pair(130, 100), pair(220, 200), pair(120, 100), pair(90, 100)));
        assertEquals(1.15, ratio.median(), NEAR);
        assertEquals(0.9, ratio.min(), NEAR);
        assertEquals(1.3, ratio.max(), NEAR);
        assertEquals(4, ratio.repeats());
        assertEquals(
                2,
                RatioReport.of("a", "b", List.of(pair(30, 10), pair(20, 10), pair(10, 10)))
                        .median());
    }

    @Test
    void isPrintedOnceWhereItHasTwoNames() throws IOException {
        RatioReport governed = RatioReport.of("governed", "off", List.of(pair(11, 10)));
        RatioReport control = RatioReport.of("control", "off", List.of(pair(10, 10)));
        assertEquals(
                List.of(governed, control),
                new Ratios(null, null, null, null, governed, control, List.of(governed), List.of()).all());
    }

    @Test
    void leavesOutWhatHasCommittedNothing() throws IOException {
        assertEquals(
                1,
                RatioReport.of("a", "b", List.of(pair(0, 10), pair(10, 0), pair(30, 10)))
                        .repeats());
        assertNull(RatioReport.of("a", "b", List.of(pair(0, 10))));
        assertNull(RatioReport.of("a", "b", List.of()));
    }

    @Test
    void aRunThatTimeWasStolenFromIsNoSlowerInProcessorTime() throws IOException {
        RatioReport ratio = RatioReport.of(
                "a",
                "b",
                List.of(
                        new RatioReport.Pair(run(50, 10), run(50, 20)),
                        new RatioReport.Pair(run(100, 10), run(50, 15)),
                        new RatioReport.Pair(run(100, 10), run(50, 30))));
        assertEquals(2, ratio.median(), NEAR);
        assertEquals(2, ratio.processorTime().median(), NEAR);
        assertEquals(1.5, ratio.processorTime().min(), NEAR);
        assertEquals(3, ratio.processorTime().max(), NEAR);
    }

    @Test
    void isSilentOfProcessorTimeThatIsNotKnown() throws IOException {
        RatioReport ratio =
                RatioReport.of("a", "b", List.of(new RatioReport.Pair(run(50, 10), run(50, -1)), pair(1, 1)));
        assertNull(ratio.processorTime());
        assertEquals(2, ratio.repeats());
    }

    @Test
    void comparesTheTailsOfWhatBothSidesRan() throws IOException {
        RatioReport ratio = RatioReport.of(
                "governed",
                "off",
                List.of(
                        new RatioReport.Pair(
                                withTails("new-order", 30, "payment", 8, "all", 25),
                                withTails("new-order", 20, "all", 20)),
                        new RatioReport.Pair(
                                withTails("new-order", 10, "all", 10),
                                withTails("new-order", 40, "payment", 8, "all", 20)),
                        new RatioReport.Pair(
                                withTails("new-order", 9, "all", 9), withTails("new-order", 10, "all", 10))));
        assertEquals(
                Map.of("new-order", new Spread(0.9, 0.25, 1.5), "all", new Spread(0.9, 0.5, 1.25)), ratio.latencyP99());
        assertNull(RatioReport.of("a", "b", List.of(pair(1, 1))).latencyP99(), "by turns");
    }

    /** Terminals that wait for a thread do not count that wait; those with one each do. */
    @Test
    void comparesNoTailsOfThreadsThatServeSeveralTerminals() throws IOException {
        RunReport each = withTails(10, "new-order", 30);
        RunReport shared = withTails(4, "new-order", 5);
        for (RatioReport.Pair pair : List.of(new RatioReport.Pair(each, shared), new RatioReport.Pair(shared, each))) {
            RatioReport ratio = RatioReport.of("lockstep/jdk", "h2/4", List.of(pair));
            assertNull(ratio.latencyP99());
            assertEquals(1, ratio.repeats());
        }
    }

    @Test
    void thePeersBestIsOneThatWentWell() throws IOException {
        RunReport slow = peer(4, 100, true);
        RunReport fast = peer(10, 900, false);
        assertEquals(slow, TpccExperiment.best(List.of(peer(1, 90, true), slow, fast)));
        assertEquals(fast, TpccExperiment.best(List.of(peer(1, 90, false), fast)));
    }

    @Test
    void runsInWhichACheckFailedFormNoRatio() throws IOException {
        List<RunReport> runs = List.of(
                repetition("jdk", 1, 100, true),
                repetition("steps", 1, 110, true),
                repetition("jdk", 2, 100, true),
                repetition("steps", 2, 900, false),
                repetition("jdk", 3, 10, false),
                repetition("steps", 3, 110, true));
        RatioReport ratio = Ratios.of(runs, Map.of()).schedulingAlone();
        assertEquals(1, ratio.repeats());
        assertEquals(1.1, ratio.median(), NEAR);
    }

    @Test
    void aPeerStandsBesideLockstepWithAsManyCoresAndTerminals() throws IOException {
        List<RunReport> runs = List.of(
                configured("lockstep", "jdk", 1, 10, "1 core 10 terminals", ""),
                configured("lockstep", "jdk", 1, 100, "1 core 100 terminals", ""),
                configured("lockstep", "jdk", 2, 10, "2 cores 10 terminals", ""),
                configured("ordered", "platform", 1, 10, "", ""));
        assertEquals(
                List.of("lockstep/jdk 1 core 10 terminals over ordered"),
                named(Ratios.of(runs, Map.of()).lockstepOverPeer()));
    }

    @Test
    void aVariantIsComparedWithTheFirstOneThatHasTheSameTeams() throws IOException {
        List<RunReport> runs = List.of(
                configured("lockstep", "steps", 1, 10, "sync", "teams off"),
                configured("lockstep", "steps", 1, 10, "sync", "teams on"),
                configured("lockstep", "steps", 1, 10, "async", "teams off"),
                configured("lockstep", "steps", 1, 10, "async", "teams on"));
        assertEquals(
                List.of(
                        "lockstep/steps sync teams on over lockstep/steps sync teams off",
                        "lockstep/steps async teams off over lockstep/steps sync teams off",
                        "lockstep/steps async teams on over lockstep/steps sync teams on"),
                named(Ratios.of(runs, Map.of()).overFirstVariant()));
    }

    private static List<String> named(List<RatioReport> ratios) {
        return ratios.stream()
                .map(ratio -> ratio.numerator() + " over " + ratio.denominator())
                .toList();
    }

    @Test
    void runsThatWereGivenUpStandInNoFigureBesideOthers() throws IOException {
        RunReport givenUp = reread("{\"failure\": \"made up\", \"txnPerSecond\": 0}");
        RunReport slow = reread("{\"failure\": \"\", \"txnPerSecond\": 100}");
        RunReport fast = reread("{\"failure\": \"\", \"txnPerSecond\": 300}");
        assertEquals(
                List.of("jdk", "200", "100", "300"),
                TpccSections.throughputRow("jdk", List.of(givenUp, slow, fast), true)
                        .subList(0, 4));
        assertEquals(
                List.of("jdk", "0"),
                TpccSections.throughputRow("jdk", List.of(givenUp), false).subList(0, 2));
    }

    @Test
    void whatTheSystemDoesNotTellIsADash() throws IOException {
        assertEquals(
                List.of("jdk", "62.5", "25.0", "10.0", "2.5"),
                TpccSections.processorRow(
                        "jdk",
                        reread("{\"stolenPart\": 0.025, \"processorShares\":"
                                + " {\"user\": 0.625, \"kernel\": 0.25, \"idle\": 0.1}}")));
        assertEquals(List.of("jdk", "-", "-", "-", "-"), TpccSections.processorRow("jdk", reread("{}")));
    }

    private RunReport repetition(String scheduler, int repeat, double txnPerSecond, boolean ok) throws IOException {
        return reread(String.format(
                Locale.ROOT,
                "{\"engine\": \"lockstep\", \"scheduler\": \"%s\", \"repeat\": %d, \"txnPerSecond\": %f,"
                        + " \"failure\": \"\", \"ok\": %b, \"latencyMicros\": {}, \"configuration\":"
                        + " {\"engine\": \"lockstep\", \"scheduler\": \"%1$s\", \"variant\": \"\","
                        + " \"grouping\": \"\", \"teams\": \"off\"}}",
                scheduler,
                repeat,
                txnPerSecond,
                ok));
    }

    private RunReport configured(
            String engine, String scheduler, int cores, int terminals, String variant, String grouping)
            throws IOException {
        return reread(String.format(
                Locale.ROOT,
                "{\"engine\": \"%s\", \"scheduler\": \"%s\", \"repeat\": 1, \"txnPerSecond\": 100, \"failure\": \"\","
                        + " \"ok\": true, \"latencyMicros\": {}, \"configuration\": {\"engine\": \"%1$s\","
                        + " \"scheduler\": \"%2$s\", \"cores\": %d, \"terminals\": %d, \"variant\": \"%s\","
                        + " \"grouping\": \"%s\", \"teams\": \"off\"}}",
                engine,
                scheduler,
                cores,
                terminals,
                variant,
                grouping));
    }

    private RunReport reread(String text) throws IOException {
        Files.writeString(file, text);
        return Json.read(file, RunReport.class);
    }

    private RunReport peer(int threads, double txnPerSecond, boolean ok) throws IOException {
        Json.write(file, Map.of("threads", threads, "txnPerSecond", txnPerSecond, "ok", ok));
        return Json.read(file, RunReport.class);
    }

    private RunReport withTails(String type, Object... microsAndMore) throws IOException {
        return withTails(
                10, Stream.concat(Stream.of(type), Stream.of(microsAndMore)).toArray());
    }

    private RunReport withTails(int threads, Object... typesAndMicros) throws IOException {
        Map<String, Object> latencies = new HashMap<>();
        for (int i = 0; i < typesAndMicros.length; i += 2) {
            latencies.put((String) typesAndMicros[i], Map.of("count", 1, "p99", typesAndMicros[i + 1]));
        }
        Json.write(
                file,
                Map.of(
                        "txnPerSecond",
                        1,
                        "latencyMicros",
                        latencies,
                        "threads",
                        threads,
                        "configuration",
                        Map.of("terminals", 10)));
        return Json.read(file, RunReport.class);
    }

    private RatioReport.Pair pair(double numerator, double denominator) throws IOException {
        return new RatioReport.Pair(run(numerator, 1), run(denominator, 1));
    }

    private RunReport run(double txnPerSecond, double cpuMicros) throws IOException {
        return reread(String.format(
                Locale.ROOT,
                "{\"txnPerSecond\": %f, \"cpuMicrosPerTransaction\": %f, \"latencyMicros\": {}}",
                txnPerSecond,
                cpuMicros));
    }
}
