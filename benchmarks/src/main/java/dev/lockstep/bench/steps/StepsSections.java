package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.tpcc.RatioReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The figures in tables, those of the machine's processor and simulated ones in tables of their own. */
final class StepsSections {
    private static final String NOT_RUN = "NOT RUN: ";
    private static final String NONE = "-";
    private static final double PERCENT = 100;

    private final List<StepsCell> cells;

    StepsSections(List<StepsCell> cells) {
        this.cells = List.copyOf(cells);
    }

    /** All of them. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        for (StepsCell cell : cells) {
            if (cell.measured() != null) {
                sections.add(new Section(cell.title() + ": on this machine's processor", measured(cell)));
                TeamsTable.measured(cell).ifPresent(sections::add);
            }
            if (cell.simulated() != null) {
                sections.add(new Section(cell.title() + ": on a simulated machine", simulated(cell.simulated())));
                TeamsTable.simulated(cell).ifPresent(sections::add);
            }
        }
        return sections;
    }

    private static List<Part> measured(StepsCell cell) {
        NativeFigures figures = cell.measured();
        if (figures.notRun() != null) {
            return List.of(new Paragraph(NOT_RUN + figures.notRun()));
        }
        Table.Builder table = Table.of(
                1, "", "transactions/s", "us each", "CPU us each", "transactions/s, over neither", "min", "max");
        Map<String, List<NativeRun>> byLabel = new LinkedHashMap<>();
        figures.runs().forEach(run -> byLabel.computeIfAbsent(run.label(), label -> new ArrayList<>())
                .add(run));
        byLabel.forEach((label, runs) -> {
            List<String> row = new ArrayList<>(List.of(
                    label,
                    median(runs, run -> run.run().txnPerSecond()),
                    median(runs, NativeRun::microsEach),
                    median(runs, run -> run.run().cpuMicrosPerTransaction())));
            NativeRun first = runs.getFirst();
            row.addAll(ratio(
                    first.control()
                            ? figures.ratios().control()
                            : figures.ratios().overNeither().get(first.variant().spelled())));
            table.row(row);
        });
        List<Part> parts = new ArrayList<>(List.of(table.build()));
        if (figures.ratios().continuationOverSerial() != null) {
            List<String> figure = ratio(figures.ratios().continuationOverSerial());
            parts.add(new Paragraph("continuation over serial: " + figure.get(0) + " (" + figure.get(1) + " to "
                    + figure.get(2) + ")."));
        }
        if (cell.simulated() != null && cell.simulated().notRun() == null) {
            parts.add(new Paragraph(
                    figures.forced().isEmpty()
                            ? "MARKED: with this processor's own flags of the JVM, since no simulated run has told its"
                                    + " own."
                            : "With the flags of the simulated JVM forced: " + String.join(" ", figures.forced())
                                    + "."));
        }
        compiling(figures.runs()).ifPresent(parts::add);
        for (NativeRun run : figures.runs()) {
            if (!run.counts()) {
                parts.add(new Paragraph("FAILED, counts for nothing: " + run.label() + ", repetition " + run.repeat()
                        + ": " + run.failure()));
            }
        }
        return parts;
    }

    /** Of which variants the times say rather how far they were compiled; the most of the repetitions of each. */
    private static Optional<Part> compiling(List<NativeRun> runs) {
        Map<String, Double> parts = new LinkedHashMap<>();
        for (NativeRun run : runs) {
            if (run.counts()) {
                run.run().excessiveJvmPart().ifPresent(part -> parts.merge(run.label(), part, Math::max));
            }
        }
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(new Paragraph(parts.entrySet().stream()
                        .map(part -> String.format(Locale.ROOT, "%s %.0f %%", part.getKey(), PERCENT * part.getValue()))
                        .collect(Collectors.joining(
                                ", ",
                                "MARKED: the JVM's own threads, its compilers above all, took too much of the processor"
                                        + " time: ",
                                "; ratios with these tell who was compiled first. Remedy: --warmup 30 or more."))));
    }

    private static List<Part> simulated(SimulatedFigures figures) {
        if (figures.notRun() != null) {
            return List.of(new Paragraph(NOT_RUN + figures.notRun()));
        }
        List<Part> parts = new ArrayList<>();
        List<SimulatedRun> measured =
                figures.runs().stream().filter(SimulatedRun::isMeasured).toList();
        if (!measured.isEmpty()) {
            parts.add(new Paragraph("Of each of " + measured.getFirst().transactions() + " transactions. Machine: "
                    + String.join(" ", measured.getFirst().machine()) + "."));
            parts.add(simulatedTable(figures, measured));
        }
        for (SimulatedRun run : figures.runs()) {
            if (!run.isMeasured()) {
                parts.add(new Paragraph("FAILED: " + run.variant().spelled() + ": " + run.failure()));
            } else if (!run.counts()) {
                parts.add(new Paragraph(run.variant().spelled() + " counts for nothing: " + run.doubt()));
            }
        }
        for (SimulatedRun run : measured) {
            if (run.check() != null) {
                parts.add(new Paragraph(run.variant().spelled() + ": "
                        + String.join(" ", run.check().steady().sentences()) + " "
                        + run.check().flags().sentence()));
            }
        }
        return parts;
    }

    private static Table simulatedTable(SimulatedFigures figures, List<SimulatedRun> measured) {
        List<String> headers = new ArrayList<>(List.of(""));
        measured.forEach(run -> headers.add(run.variant().spelled()));
        Map<String, Map<String, Double>> ratios = new LinkedHashMap<>();
        figures.overNeither().forEach((variant, over) -> ratios.put(variant + " : neither", over));
        if (figures.continuationOverSerial() != null) {
            ratios.put("continuation : serial", figures.continuationOverSerial());
        }
        headers.addAll(ratios.keySet());
        Table.Builder table = Table.of(1, headers);
        events(measured.getFirst()).forEach((event, title) -> {
            List<String> row = new ArrayList<>(List.of(title));
            measured.forEach(run -> row.add(Figures.plain(SimulatedFigures.each(run, event))));
            ratios.values()
                    .forEach(over -> row.add(
                            over.containsKey(event) ? String.format(Locale.ROOT, "%.3f", over.get(event)) : NONE));
            table.row(row);
        });
        return table.build();
    }

    /** What a run counted, with its names in tables. */
    private static Map<String, String> events(SimulatedRun run) {
        Map<String, String> events = new LinkedHashMap<>();
        for (SimulatedEvent event : SimulatedEvent.values()) {
            if (run.events().containsKey(event.key())) {
                events.put(event.key(), event.title());
            }
        }
        run.observed().keySet().forEach(cache -> events.put(cache, "misses of " + cache));
        return events;
    }

    private static List<String> ratio(RatioReport ratio) {
        return ratio == null
                ? List.of(NONE, NONE, NONE)
                : Stream.of(ratio.median(), ratio.min(), ratio.max())
                        .map(value -> String.format(Locale.ROOT, "%.3f", value))
                        .toList();
    }

    private static String median(List<NativeRun> runs, ToDoubleFunction<NativeRun> figure) {
        List<Double> values = runs.stream()
                .filter(NativeRun::counts)
                .map(figure::applyAsDouble)
                .toList();
        return values.isEmpty() ? NONE : Figures.plain(Spread.of(values).median());
    }
}
