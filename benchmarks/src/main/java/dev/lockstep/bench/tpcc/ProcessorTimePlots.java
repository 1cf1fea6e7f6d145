package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.flame.FlameShares;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Where processor time went, by the samples of flame graphs. Immutable. */
final class ProcessorTimePlots {
    private static final double PERCENT = 100;
    private static final String REST = "rest";

    /** Groups of bars that leave their names readable. */
    private static final int OPERATIONS_MAX = 20;

    private final List<FlameGraphReport> graphs;

    /** Of those that were sampled. */
    ProcessorTimePlots(List<FlameGraphReport> graphs) {
        this.graphs = graphs.stream()
                .filter(graph ->
                        graph.processorTime() != null && graph.processorTime().samples() > 0)
                .limit(Series.COUNT_MAX)
                .toList();
    }

    List<Plot> all() {
        return graphs.isEmpty()
                ? List.of()
                : List.of(
                        stacked(
                                "layer",
                                "Processor time by layer",
                                "The package of the innermost code of the database or the driver; what the JDK does for"
                                        + " it counts for it. JIT and GC are the JVM's own threads.",
                                FlameShares::byLayer),
                        stacked(
                                "transaction",
                                "Processor time by transaction type",
                                "Outside: between transactions, and threads of the engine and the JVM.",
                                FlameShares::byTransaction),
                        operations());
    }

    private Plot stacked(
            String name, String title, String explanation, Function<FlameShares, Map<String, Long>> parts) {
        List<String> greatest = greatest(parts, Series.COUNT_MAX);
        List<Series> series = new ArrayList<>();
        for (String part : greatest) {
            series.add(new Series(
                    part,
                    graphs.stream().map(graph -> percent(graph, parts, part)).toList()));
        }
        boolean complete = graphs.stream()
                .allMatch(graph ->
                        greatest.containsAll(parts.apply(graph.processorTime()).keySet()));
        if (!complete) {
            series.removeLast();
            List<Double> rest = new ArrayList<>();
            for (int i = 0; i < graphs.size(); i++) {
                int run = i;
                rest.add(PERCENT
                        - series.stream()
                                .mapToDouble(each -> each.values().get(run))
                                .sum());
            }
            series.add(new Series(REST, rest));
        }
        return new BarPlot(frame(name, title, explanation, "run"), true, runs(), series);
    }

    private Plot operations() {
        List<String> greatest = greatest(FlameShares::byOperation, OPERATIONS_MAX);
        return new BarPlot(
                frame(
                        "operation",
                        "Processor time by operation",
                        "The operations that take most, in that order; outside: the driver, the scheduler, and threads"
                                + " of the engine and the JVM.",
                        "operation"),
                false,
                greatest,
                graphs.stream()
                        .map(graph -> new Series(
                                graph.run(),
                                greatest.stream()
                                        .map(part -> percent(graph, FlameShares::byOperation, part))
                                        .toList()))
                        .toList());
    }

    private static PlotFrame frame(String name, String title, String explanation, String xTitle) {
        return new PlotFrame("processor-time-by-" + name, title, explanation, xTitle, "% of all samples", false);
    }

    private List<String> runs() {
        return graphs.stream().map(FlameGraphReport::run).toList();
    }

    private static double percent(FlameGraphReport graph, Function<FlameShares, Map<String, Long>> parts, String part) {
        FlameShares shares = Objects.requireNonNull(graph.processorTime());
        return PERCENT * parts.apply(shares).getOrDefault(part, 0L) / shares.samples();
    }

    /** The parts with the greatest share in all runs together. */
    private List<String> greatest(Function<FlameShares, Map<String, Long>> parts, int count) {
        Map<String, Double> sums = new HashMap<>();
        for (FlameGraphReport graph : graphs) {
            parts.apply(graph.processorTime())
                    .keySet()
                    .forEach(part -> sums.merge(part, percent(graph, parts, part), Double::sum));
        }
        return sums.entrySet().stream()
                .sorted(Comparator.comparingDouble((Map.Entry<String, Double> entry) -> entry.getValue())
                        .reversed()
                        .thenComparing(Map.Entry::getKey))
                .limit(count)
                .map(Map.Entry::getKey)
                .toList();
    }
}
