package dev.lockstep.bench.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Series;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a simulation's report shows, from figures made by hand. */
class SimulationPageTest {
    private static final Origin ORIGIN =
            new Origin("./lockstep simulate", "abc", "JVM", "CPU", 1, "2026-01-01T00:00:00Z");
    private static final long INSTRUCTIONS = 10_000;

    private static SimulationResult.LevelCounts level(long misses, Map<String, Long> classes) {
        return new SimulationResult.LevelCounts(1000, misses, classes, null, 0, 0, 0, 0, 0, 0);
    }

    private static SimulationResult.Counts counts(
            Map<String, SimulationResult.LevelCounts> levels, List<Long> observerMisses) {
        return new SimulationResult.Counts(
                INSTRUCTIONS, 20_000, 0, 0, 0, levels, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, observerMisses);
    }

    private static SimulationResult.Phase phase(int number, SimulationResult.Counts total) {
        return new SimulationResult.Phase(
                number, 1, 1_000_000_000, null, Map.of("client", INSTRUCTIONS), total, List.of(), null, List.of());
    }

    private static Report report(List<String> machine, SimulationResult.Phase... phases) {
        SimulationResult result = new SimulationResult(
                SimulationResult.FORMAT, 1, null, null, List.of(), 0, 0, null, List.of(), 0, 0, 0, 0, List.of(phases));
        return SimulationPage.of(
                new SimulationReport(
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
                        List.of(new SimulatedProcess("java Main", result))),
                ORIGIN);
    }

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
    void readsTheSeedOfThePageMap() {
        assertEquals(1, SimulationPage.seed(List.of("l1i=32K,8,64")));
        assertEquals(17, SimulationPage.seed(List.of("page.seed=17")));
    }
}
