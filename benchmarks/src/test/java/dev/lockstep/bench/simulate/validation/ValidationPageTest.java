package dev.lockstep.bench.simulate.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PointPlot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Series;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a validation's report shows, from figures made by hand. */
class ValidationPageTest {
    private static final Origin ORIGIN =
            new Origin("./lockstep simulate-validate", "abc", "JVM", "CPU", 1, "2026-01-01T00:00:00Z");

    private static Check check(String program, String geometry, String quantity, double expected, double measured) {
        return Check.of(program, geometry, quantity, expected, measured, Bound.within(0.01));
    }

    private static Report report(List<Check> checks) {
        ValidationTable table = new ValidationTable("Small programs", "computed", List.of("A note."), checks);
        return ValidationPage.of(
                new ValidationReport(
                        ORIGIN.time(),
                        "0.1.0",
                        "abc",
                        "JVM",
                        new Machine("CPU", 2, 1, "Linux", "never"),
                        List.of(table),
                        table.passes()),
                ORIGIN);
    }

    @Test
    void showsFiguresOfOneSizeAsBarsAndOthersAsPoints() {
        List<Plot> plots = report(List.of(
                        check("sort", "I32K", "instructions", 100, 101),
                        check("tree", "I32K", "instructions", 200, 200),
                        check("sort", "I32K", "L1-I misses", 5, 5),
                        check("tree", "I32K", "L1-I misses", 5000, 5000),
                        check("hash", "I32K", "L1-I misses", 0, 1),
                        check("none", "I32K", "L1-I misses", 0, 0),
                        check("sort", "I32K", "loads", 7, 7)))
                .plots();
        assertEquals(2, plots.size(), "one figure of loads makes no plot");
        BarPlot instructions = (BarPlot) plots.get(0);
        assertFalse(instructions.stacked());
        assertEquals(List.of("sort", "tree"), instructions.bars());
        assertEquals(
                List.of(new Series("computed", List.of(100.0, 200.0)), new Series("simulated", List.of(101.0, 200.0))),
                instructions.series());
        PointPlot misses = (PointPlot) plots.get(1);
        assertTrue(misses.frame().logarithmic());
        assertEquals(List.of("sort", "tree", "hash"), misses.points());
        assertEquals(
                List.of(
                        new Series("computed", List.of(5.0, 5000.0, Double.NaN)),
                        new Series("simulated", List.of(5.0, 5000.0, 1.0))),
                misses.series());
    }

    @Test
    void tellsRunsOfOneProgramApartByTheirCaches() {
        BarPlot plot = (BarPlot) report(List.of(
                        check("sort", "I32K D32K", "loads", 10, 10),
                        check("sort", "I32K D8K", "loads", 20, 20),
                        check("sort", "I32K D8K", "loads", 30, 30)))
                .plots()
                .getFirst();
        assertEquals(List.of("sort, D32K", "sort, D8K", "sort, D8K (2)"), plot.bars());
    }

    @Test
    void spreadsManyFiguresOverSeveralPlots() {
        List<Check> checks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            checks.add(check("p" + i, "I32K", "loads", 10, 10));
        }
        List<Plot> plots = report(checks).plots();
        assertEquals(
                List.of(25, 25),
                plots.stream().map(plot -> ((BarPlot) plot).bars().size()).toList());
        assertTrue(
                plots.get(1).frame().title().endsWith("(2 of 2)"), plots.get(1).frame()::title);
    }

    @Test
    void saysWhetherAllLieWithinTheirBounds() {
        assertTrue(report(List.of(check("sort", "I32K", "loads", 100, 101))).ok());
        Report failed =
                report(List.of(check("sort", "I32K", "loads", 100, 102), check("tree", "I32K", "loads", 100, 100)));
        assertFalse(failed.ok());
        assertEquals("1 of 2 figures lie within their bounds.", failed.summary());
    }
}
