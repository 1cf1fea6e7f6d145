package dev.lockstep.bench.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a simulation's report shows, from figures made by hand. */
class SimulationPageTest {
    private static final Origin ORIGIN =
            new Origin("./lockstep simulate", "abc", "JVM", "CPU", 1, "2026-01-01T00:00:00Z");
    private static final long INSTRUCTIONS = 10_000;
    private static final String NOT_JUDGED =
            "NOT JUDGED, counts for nothing: a measured phase was marked, and there was no control by which to tell"
                    + " whether the JVM was in its steady state. Remedy: give --control and --code FILE.";

    /** What the engine's own threads did. */
    private static final SimulationResult.Counts ENGINE = new SimulationResult.Counts(
            500,
            600,
            0,
            0,
            0,
            Map.of(),
            Map.of("l1i", level(1, null)),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            List.of());

    private static SimulationResult.LevelCounts level(long misses, Map<String, Long> classes) {
        return new SimulationResult.LevelCounts(1000, misses, classes, null, 0, 0, 0, 0, 0, 0);
    }

    private static SimulationResult.Counts counts(
            Map<String, SimulationResult.LevelCounts> levels, List<Long> observerMisses) {
        return counts(Map.of(), levels, observerMisses);
    }

    private static SimulationResult.Counts counts(
            Map<String, Long> stalls, Map<String, SimulationResult.LevelCounts> levels, List<Long> observerMisses) {
        long stalled = stalls.values().stream().mapToLong(Long::longValue).sum();
        return new SimulationResult.Counts(
                INSTRUCTIONS,
                INSTRUCTIONS + stalled,
                0,
                0,
                0,
                stalls,
                levels,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                observerMisses);
    }

    private static SimulationResult.Phase phase(int number, SimulationResult.Counts total) {
        return new SimulationResult.Phase(
                number, 1, 1_000_000_000, null, Map.of("client", INSTRUCTIONS), total, List.of(), null, List.of());
    }

    private static Report report(List<String> machine, SimulationResult.Phase... phases) {
        return report(machine, List.of(), null, phases);
    }

    private static Report report(
            List<String> machine, List<MarkedOperation> operations, MissedCode code, SimulationResult.Phase... phases) {
        return SimulationPage.of(simulation(machine, operations, code, phases), ORIGIN);
    }

    private static final SequencedMap<String, Long> LATENCIES = new LinkedHashMap<>();

    static {
        LATENCIES.put("l2", 14L);
        LATENCIES.put("memory", 250L);
    }

    private static SimulationReport simulation(
            List<String> machine, List<MarkedOperation> operations, MissedCode code, SimulationResult.Phase... phases) {
        SimulationResult result = new SimulationResult(
                SimulationResult.FORMAT,
                1,
                new SimulationResult.Turns(0, 0, 0),
                null,
                List.of(),
                0,
                0,
                null,
                LATENCIES,
                List.of(),
                0,
                0,
                0,
                0,
                List.of(phases));
        return new SimulationReport(
                List.of("simulate"),
                "2026-01-01T00:00:00Z",
                "0.1.0",
                "abc",
                "JVM",
                new Machine("CPU", 2, 1, "Linux", "never"),
                machine,
                "",
                SimulatorSettings.DEFAULT,
                SimulationReport.NOT_OBSERVABLE,
                List.of(new Verdict("tpcc", true, List.of("Steady.", "Quiet."))),
                List.of(new SimulatedProcess("java Main", result, operations, code, null)));
    }

    private static SimulationResult.OperationCounts operation(int number, long fetchMemoryCycles, long misses) {
        return new SimulationResult.OperationCounts(
                number,
                counts(Map.of("fetchMemory", fetchMemoryCycles), Map.of("l1i", level(misses, null)), List.of()));
    }

    private static SimulationResult.Phase marked() {
        return new SimulationResult.Phase(
                1,
                1,
                1_000_000_000,
                new SimulationResult.Branches(0, 100, 0, 0, 0, 20, 0, 3),
                Map.of("client", INSTRUCTIONS),
                counts(
                        Map.of("fetchMemory", 7000L, "dataLlc", 400L, "fetchLlc", 100L),
                        Map.of("l1i", level(28, null)),
                        List.of()),
                List.of(),
                ENGINE,
                List.of(operation(0, 0, 0), operation(1, 1000, 4), operation(2, 2000, 8), operation(3, 4000, 16)));
    }

    private static final List<MarkedOperation> OPERATIONS = List.of(
            new MarkedOperation(0, "", "outside", 0),
            new MarkedOperation(1, "payment", "fetch customer", 0),
            new MarkedOperation(2, "payment", "commit", 0),
            new MarkedOperation(3, "new-order", "commit", 0));

    @Test
    void drawsMissCurvesOfTheMeasuredPhaseByCapacityAndAssociativity() {
        List<String> machine =
                List.of("l1i=32K,8,64", "observe=l1i:16K,8,64", "observe=l1i:64K,1,64", "observe=l1i:16K,1,64");
        SimulationResult.Counts measured = counts(Map.of("l1i", level(50, null)), List.of(200L, 80L, 400L));
        List<Plot> plots = report(
                        machine,
                        phase(0, counts(Map.of("l1i", level(1, null)), List.of(1L, 1L, 1L))),
                        phase(1, measured))
                .plots();
        assertEquals(1, plots.size());
        LinePlot curve = (LinePlot) plots.getFirst();
        assertEquals("misses-l1i", curve.frame().name());
        assertEquals(List.of("16K", "32K", "64K"), curve.points());
        assertEquals(
                List.of(
                        new Series("direct", List.of(40.0, Double.NaN, 8.0)),
                        new Series("8 ways", List.of(20.0, 5.0, Double.NaN))),
                curve.lines());
    }

    @Test
    void stacksClassesOfMisses() {
        SimulationResult.Counts total = counts(
                Map.of("l1d", level(30, Map.of("trueSharing", 10L)), "l2", level(5, Map.of("trueSharing", 5L))),
                List.of());
        BarPlot classes = (BarPlot) report(List.of("l1d=32K,8,64", "l2=1M,16,64"), phase(0, total))
                .plots()
                .getFirst();
        assertTrue(classes.stacked());
        assertEquals(List.of("l1d", "l2"), classes.bars());
        assertEquals(List.of(new Series("true sharing", List.of(1.0, 0.5))), classes.series());
    }

    @Test
    void namesOperationsAndTransactions() {
        List<Plot> plots =
                report(List.of("l1i=32K,8,64"), OPERATIONS, null, marked()).plots();
        BarPlot byOperation = named(plots, "misses-by-operation");
        assertEquals(List.of("commit", "fetch customer", "outside", "the engine's threads"), byOperation.bars());
        assertEquals(List.of(new Series("l1i", List.of(1.2, 0.4, 0.0, 2.0))), byOperation.series());
        BarPlot byTransaction = named(plots, "misses-by-transaction");
        assertEquals(List.of("payment", "new-order", "none", "the engine's threads"), byTransaction.bars());
        assertEquals(List.of(new Series("l1i", List.of(0.6, 1.6, 0.0, 2.0))), byTransaction.series());
        String text = new SimulationText(simulation(List.of("l1i=32K,8,64"), OPERATIONS, null, marked())).text();
        assertTrue(text.matches("(?s).*\n commit +20,000 +.*"), text);
        assertTrue(text.matches("(?s).*\n new-order +10,000 +.*"), text);
        assertTrue(text.contains("What a miss adds, in cycles, by what answers it: l2 14, memory 250.\n"), text);
    }

    private static BarPlot named(List<Plot> plots, String name) {
        return (BarPlot) plots.stream()
                .filter(plot -> plot.frame().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void operationsWithoutNamesKeepTheirNumbers() {
        BarPlot plot = named(report(List.of("l1i=32K,8,64"), marked()).plots(), "misses-by-operation");
        assertEquals(List.of("1", "2", "3", "none", "the engine's threads"), plot.bars());
    }

    @Test
    void breaksTheCyclesDown() {
        List<Plot> plots =
                report(List.of("l1i=32K,8,64"), OPERATIONS, null, marked()).plots();
        BarPlot cycles = named(plots, "cycles");
        assertTrue(cycles.stacked());
        assertEquals(
                List.of(
                        "all",
                        "payment",
                        "new-order",
                        "none",
                        "the engine's threads",
                        "commit",
                        "fetch customer",
                        "outside"),
                cycles.bars());
        assertEquals(
                List.of("instructions", "L2, from the last level", "memory, code"),
                cycles.series().stream().map(Series::name).toList());
        assertEquals(
                List.of(0.7, 0.15, 0.4, 0.0, 0.0, 0.3, 0.1, 0.0),
                cycles.series().get(2).values());
        BarPlot shares = named(plots, "cycles-shares");
        assertEquals(
                100 * 10_000 / 17_500.0, shares.series().getFirst().values().get(1), 1e-9);
        assertEquals(
                Map.of("instructions", 10_000L, "memory, code", 7000L, "L2, from the last level", 500L),
                TimeBreakdown.of(marked().total()).entrySet().stream()
                        .filter(entry -> entry.getValue() > 0)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        String text = new SimulationText(simulation(List.of("l1i=32K,8,64"), OPERATIONS, null, marked())).text();
        assertTrue(text.matches("(?s).*\n mispredictions, at 15 cycles, not in the clock +1,845 .*"), text);
    }

    @Test
    void listsTheCodeThatMisses() {
        MissedCode code = new MissedCode(
                new MissedCode.Misses(200, 50, 0, 0, 4),
                new MissedCode.Misses(2, 0, 0, 0, 0),
                List.of(
                        new MissedCode.Place("a.B.few", new MissedCode.Misses(10, 50, 0, 0, 3)),
                        new MissedCode.Place("a.B.many", new MissedCode.Misses(190, 0, 0, 0, 1))),
                List.of(new MissedCode.Place("a.B.many:7", new MissedCode.Misses(190, 0, 0, 0, 0))),
                List.of(new MissedCode.Place("a.B.few:1 > a.B.many:7", new MissedCode.Misses(190, 0, 0, 0, 0))));
        assertEquals(2.0 / 250, code.unresolvedShare());
        Report report = report(List.of("l1i=32K,8,64"), OPERATIONS, code, marked());
        Section section = report.sections().stream()
                .filter(each -> each.heading().equals("Code that misses"))
                .findFirst()
                .orElseThrow();
        Table methods = (Table) section.parts().get(1);
        assertEquals(
                List.of(List.of("a.B.many", "190", "95.00", "0", "1"), List.of("a.B.few", "10", "5.00", "50", "3")),
                methods.rows());
        Table mispredicted = (Table) section.parts().get(7);
        assertEquals(
                List.of("method", "branches mispredicted", "share, %", "l1i misses", "l1d misses"),
                mispredicted.headers());
        assertEquals(
                List.of(List.of("a.B.few", "3", "75.00", "10", "50"), List.of("a.B.many", "1", "25.00", "190", "0")),
                mispredicted.rows());
        String text = new SimulationText(simulation(List.of("l1i=32K,8,64"), OPERATIONS, code, marked())).text();
        assertTrue(text.contains("Not resolved to code: 0.80 %"), text);
        assertTrue(text.contains("a.B.many:7"), text);
    }

    /** More than two in a hundred of the first levels' misses, and the command fails. */
    @Test
    void placesCountOnlyIfNearlyAllMissesHaveOne() {
        assertEquals(List.of(), simulation(null).doNotCount());
        assertEquals(List.of(), simulation(missed(5)).doNotCount());
        List<String> complaints = simulation(missed(6)).doNotCount();
        assertEquals(1, complaints.size());
        assertTrue(
                complaints
                        .getFirst()
                        .endsWith(": NOT RESOLVED, its places count for nothing. Not resolved to code: 2.40 % of the"
                                + " misses of the first level (at most 2 %)."),
                complaints::toString);
    }

    private static MissedCode missed(long unresolved) {
        return new MissedCode(
                new MissedCode.Misses(200, 50, 0, 0, 0),
                new MissedCode.Misses(unresolved, 0, 0, 0, 0),
                List.of(),
                List.of(),
                List.of());
    }

    private static SimulationReport simulation(MissedCode code) {
        return simulation(List.of("l1i=32K,8,64"), OPERATIONS, code, marked());
    }

    @Test
    void saysFirstHowFarToBelieveTheFigures() {
        SimulationReport counts = simulation(null);
        Report page = SimulationPage.of(counts, ORIGIN);
        assertTrue(page.ok());
        assertEquals(
                "How far to believe these figures", page.sections().getFirst().heading());
        assertTrue(new SimulationText(counts).text().contains("tpcc: Steady. Quiet."));
        SimulationReport counted = new SimulationReport(
                counts.arguments(),
                counts.time(),
                counts.version(),
                counts.commit(),
                counts.jvm(),
                counts.machine(),
                counts.simulated(),
                counts.simulatedSource(),
                counts.settings(),
                counts.notObservable(),
                List.of(new Verdict("tpcc", false, List.of("NOT STEADY."))),
                counts.processes());
        Report refused = SimulationPage.of(counted, ORIGIN);
        assertFalse(refused.ok());
        assertTrue(refused.summary().endsWith("COUNT FOR NOTHING: tpcc: NOT STEADY."), refused.summary());
    }

    private static SimulatedProcess jvm(SimulationResult.Phase... phases) {
        return new SimulatedProcess(
                "java Main",
                simulation(List.of(), List.of(), null, phases)
                        .processes()
                        .getFirst()
                        .result(),
                List.of(),
                null,
                null);
    }

    private static SimulationResult.Phase phase(int number, Map<String, Long> instructionsByThreads) {
        return new SimulationResult.Phase(
                number,
                1,
                1_000_000_000,
                null,
                instructionsByThreads,
                counts(Map.of(), List.of()),
                List.of(),
                null,
                List.of());
    }

    /** Any JVM that marks a phase: without a control it counts for nothing, and how quiet it was is told. */
    @Test
    void aMeasuredPhaseWithoutAControlCountsForNothing() {
        SimulationResult.Phase start = phase(0, Map.of("client", 10L, "compiler", 1_000L));
        List<Verdict> verdicts = UnjudgedPhases.verdicts(List.of(
                jvm(start, phase(1, Map.of("client", 600L, "carrier", 400L, "compiler", 150L, "collector", 100L))),
                jvm(start, phase(1, Map.of("client", 1_000L, "engine", 1_000L, "compiler", 150L, "collector", 101L))),
                jvm(start),
                jvm(phase(0, Map.of("client", 10L)), phase(1, Map.of("client", 10L, "compiler", 0L)))));
        assertEquals(
                List.of(
                        new Verdict(
                                "java Main",
                                false,
                                List.of(
                                        NOT_JUDGED,
                                        "Collections and compilations in the measured phase: 25.0 % of the workload's"
                                                + " instructions (at most 25 %).")),
                        new Verdict(
                                "java Main",
                                false,
                                List.of(
                                        NOT_JUDGED,
                                        "NOT QUIET, counts for nothing: Collections and compilations in the measured"
                                                + " phase: 25.1 % of the workload's instructions (at most 25 %).",
                                        "Remedy: run more before the phase is marked."))),
                verdicts);
    }

    @Test
    void readsTheSeedOfThePageMap() {
        assertEquals(1, SimulationPage.seed(List.of("l1i=32K,8,64")));
        assertEquals(17, SimulationPage.seed(List.of("page.seed=17")));
    }
}
