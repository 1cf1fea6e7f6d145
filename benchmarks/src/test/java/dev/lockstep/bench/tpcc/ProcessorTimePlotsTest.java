package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.flame.FlameShares;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.Series;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Shares of processor time, from samples made by hand. */
class ProcessorTimePlotsTest {
    private static FlameGraphReport graph(String run, FlameShares shares) {
        return new FlameGraphReport(run, run + ".html", "ctimer", shares, 1, "", true);
    }

    @Test
    void partsOfARunAddUpToAll() {
        Map<String, Long> layers = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            layers.put("layer" + i, 10L + i);
        }
        long samples = layers.values().stream().mapToLong(Long::longValue).sum();
        List<Plot> plots = new ProcessorTimePlots(List.of(
                        graph("a", new FlameShares(samples, Map.of("Payment", samples), Map.of(), layers)),
                        graph(
                                "b",
                                new FlameShares(4, Map.of("outside", 4L), Map.of("commit", 1L), Map.of("layer9", 4L))),
                        graph("given up", null)))
                .all();
        BarPlot byLayer = (BarPlot) plots.get(0);
        assertTrue(byLayer.stacked());
        assertEquals(List.of("a", "b"), byLayer.bars());
        assertEquals(Series.COUNT_MAX, byLayer.series().size());
        assertEquals("layer9", byLayer.series().getFirst().name());
        assertEquals(100.0 * 19 / samples, byLayer.series().getFirst().values().getFirst(), 1e-9);
        assertEquals("rest", byLayer.series().getLast().name());
        assertEquals(
                100.0 * (10 + 11 + 12) / samples,
                byLayer.series().getLast().values().getFirst(),
                1e-9);
        BarPlot byTransaction = (BarPlot) plots.get(1);
        assertEquals(
                List.of(new Series("Payment", List.of(100.0, 0.0)), new Series("outside", List.of(0.0, 100.0))),
                byTransaction.series());
        BarPlot byOperation = (BarPlot) plots.get(2);
        assertEquals(List.of("commit"), byOperation.bars());
        assertEquals(List.of(new Series("a", List.of(0.0)), new Series("b", List.of(25.0))), byOperation.series());
    }

    @Test
    void withoutSamplesThereIsNothingToDraw() {
        assertEquals(List.of(), new ProcessorTimePlots(List.of(graph("given up", null))).all());
    }
}
