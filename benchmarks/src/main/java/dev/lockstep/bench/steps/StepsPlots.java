package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.tpcc.RatioReport;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Figures 13 and 14: of each mix the time by the clock and, in plots of their own, what the simulator counted. */
final class StepsPlots {
    private static final double PERCENT = 100;
    private static final String Y_TITLE = "% of neither";

    private final Map<String, List<StepsCell>> byMix = new LinkedHashMap<>();

    StepsPlots(List<StepsCell> cells) {
        cells.forEach(cell ->
                byMix.computeIfAbsent(cell.mix(), mix -> new ArrayList<>()).add(cell));
    }

    /** A section for each mix of which there is anything to compare. */
    List<Section> sections() {
        return byMix.entrySet().stream()
                .map(entry -> new Section(
                        entry.getKey() + " (Figure " + figure(entry.getKey()) + ")",
                        plots(entry.getKey(), entry.getValue())))
                .filter(section -> !section.parts().isEmpty())
                .toList();
    }

    private static String figure(String mix) {
        return StepsCommand.isMixed(Spelling.parse(TransactionMix.class, mix)) ? "14" : "13";
    }

    private static List<Part> plots(String mix, List<StepsCell> cells) {
        List<Part> plots = new ArrayList<>();
        Map<StepsCell, Map<String, RatioReport>> times = new LinkedHashMap<>();
        Map<StepsCell, Map<String, Map<String, Double>>> events = new LinkedHashMap<>();
        for (StepsCell cell : cells) {
            if (cell.measured() != null
                    && !cell.measured().ratios().overNeither().isEmpty()) {
                times.put(cell, cell.measured().ratios().overNeither());
            }
            if (cell.simulated() != null && !cell.simulated().overNeither().isEmpty()) {
                events.put(cell, cell.simulated().overNeither());
            }
        }
        List<String> timed = variants(times.values());
        for (int from = 0; from < timed.size(); from += Series.COUNT_MAX) {
            List<String> some = timed.subList(from, Math.min(from + Series.COUNT_MAX, timed.size()));
            plots.add(time(mix, some, from == 0 ? "" : "-" + (from / Series.COUNT_MAX + 1), times));
        }
        variants(events.values()).forEach(variant -> plots.add(events(mix, variant, events)));
        return plots;
    }

    private static List<String> variants(Iterable<? extends Map<String, ?>> all) {
        List<String> variants = new ArrayList<>();
        all.forEach(each -> variants.addAll(each.keySet()));
        return variants.stream().distinct().toList();
    }

    private static BarPlot time(
            String mix, List<String> variants, String number, Map<StepsCell, Map<String, RatioReport>> times) {
        List<Series> series = variants.stream()
                .map(variant -> new Series(
                        variant,
                        times.values().stream()
                                .map(ratios -> ratios.get(variant))
                                .map(ratio -> ratio == null ? Double.NaN : PERCENT / ratio.median())
                                .toList()))
                .toList();
        return new BarPlot(
                new PlotFrame(
                        name(mix) + "-time" + number,
                        mix + ": time of a transaction by the clock",
                        "On this machine's processor; medians of the repetitions. Neither is 100 %.",
                        "warehouses",
                        Y_TITLE,
                        false),
                false,
                times.keySet().stream()
                        .map(cell -> Integer.toString(cell.warehouses()))
                        .toList(),
                series);
    }

    private static BarPlot events(String mix, String variant, Map<StepsCell, Map<String, Map<String, Double>>> events) {
        List<SimulatedEvent> bars = Stream.of(SimulatedEvent.values())
                .filter(event -> events.values().stream()
                        .map(ratios -> ratios.get(variant))
                        .filter(Objects::nonNull)
                        .anyMatch(ratios -> ratios.containsKey(event.key())))
                .toList();
        List<Series> series = events.entrySet().stream()
                .limit(Series.COUNT_MAX)
                .map(entry -> new Series(
                        entry.getKey().warehouses() + " warehouses",
                        bars.stream()
                                .map(event -> PERCENT
                                        * entry.getValue()
                                                .getOrDefault(variant, Map.of())
                                                .getOrDefault(event.key(), Double.NaN))
                                .toList()))
                .toList();
        return new BarPlot(
                new PlotFrame(
                        name(mix) + "-" + variant + "-simulated",
                        mix + ": what the simulator counts of a transaction, " + variant,
                        "On a simulated machine; neither is 100 %. Cycles are those of its model, not of a clock.",
                        "",
                        Y_TITLE,
                        false),
                false,
                bars.stream().map(SimulatedEvent::title).toList(),
                series);
    }

    private static String name(String mix) {
        return "figure-" + figure(mix) + "-" + mix;
    }
}
