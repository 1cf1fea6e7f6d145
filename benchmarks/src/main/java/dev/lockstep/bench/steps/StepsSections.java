package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.tpcc.RatioReport;
import dev.lockstep.bench.tpcc.RunReport;
import dev.lockstep.bench.tpcc.TeamReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The figures in tables, those of the machine's processor and simulated ones in tables of their own. */
final class StepsSections {
    private static final String NOT_RUN = "NOT RUN: ";
    private static final String NONE = "-";

    private final List<StepsCell> cells;

    StepsSections(List<StepsCell> cells) {
        this.cells = List.copyOf(cells);
    }

    /** All of them. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        for (StepsCell cell : cells) {
            if (cell.measured() != null) {
                sections.add(new Section(cell.title() + ": on this machine's processor", measured(cell.measured())));
                teams(cell).ifPresent(sections::add);
            }
            if (cell.simulated() != null) {
                sections.add(new Section(cell.title() + ": on a simulated machine", simulated(cell.simulated())));
            }
        }
        return sections;
    }

    private static List<Part> measured(NativeFigures figures) {
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
        for (NativeRun run : figures.runs()) {
            if (!run.counts()) {
                parts.add(new Paragraph("FAILED, counts for nothing: " + run.label() + ", repetition " + run.repeat()
                        + ": " + run.failure()));
            }
        }
        return parts;
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
        return parts;
    }

    private static Table simulatedTable(SimulatedFigures figures, List<SimulatedRun> measured) {
        List<String> headers = new ArrayList<>(List.of(""));
        measured.forEach(run -> headers.add(run.variant().spelled()));
        figures.overNeither().keySet().forEach(variant -> headers.add(variant + " : neither"));
        Table.Builder table = Table.of(1, headers);
        events(measured.getFirst()).forEach((event, title) -> {
            List<String> row = new ArrayList<>(List.of(title));
            measured.forEach(run -> row.add(Figures.plain(SimulatedFigures.each(run, event))));
            figures.overNeither()
                    .values()
                    .forEach(ratios -> row.add(
                            ratios.containsKey(event) ? String.format(Locale.ROOT, "%.3f", ratios.get(event)) : NONE));
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
        return values.isEmpty()
                ? NONE
                : Figures.plain(RatioReport.Spread.of(values).median());
    }

    /** Table 4 of the paper, of every variant that forms teams. */
    private static Optional<Section> teams(StepsCell cell) {
        Table.Builder table =
                Table.of(2, "", "operation", "outside", "teams", "members in", "members out", "threads ready");
        Map<StepsVariant, List<RunReport>> byVariant = new LinkedHashMap<>();
        cell.measured().runs().stream()
                .filter(run -> run.counts() && !run.control() && run.variant().formsTeams())
                .forEach(run -> byVariant
                        .computeIfAbsent(run.variant(), variant -> new ArrayList<>())
                        .add(run.run()));
        byVariant.forEach((variant, runs) -> {
            List<TeamReport> all =
                    runs.stream().flatMap(run -> run.teams().stream()).toList();
            Map<String, List<TeamReport>> byOperation = new LinkedHashMap<>();
            all.forEach(team -> byOperation
                    .computeIfAbsent(team.operation(), operation -> new ArrayList<>())
                    .add(team));
            byOperation.forEach((operation, teams) -> table.row(teamRow(variant, operation, teams)));
            table.row(teamRow(variant, "all", all));
        });
        return byVariant.isEmpty()
                ? Optional.empty()
                : Optional.of(Section.of(
                        cell.title() + ": teams (Table 4)",
                        new Paragraph("Of all repetitions, on this machine's processor. Means of all teams: members"
                                + " that entered, members that left other than as strays, and threads that could run"
                                + " when the team formed. Outside: operations outside any team."),
                        table.build()));
    }

    private static List<String> teamRow(StepsVariant variant, String operation, List<TeamReport> teams) {
        double outside =
                teams.stream().mapToDouble(TeamReport::straightOperations).sum();
        double formed = teams.stream().mapToDouble(TeamReport::teams).sum();
        return List.of(
                variant.spelled(),
                operation,
                Figures.plain(outside),
                Figures.plain(formed),
                mean(teams, TeamReport::membersIn),
                mean(teams, TeamReport::membersOut),
                mean(teams, TeamReport::ready));
    }

    /** Of means, each of which counts for its teams. */
    private static String mean(List<TeamReport> reports, ToDoubleFunction<TeamReport> figure) {
        long teams = reports.stream().mapToLong(TeamReport::teams).sum();
        double sum = reports.stream()
                .mapToDouble(report -> report.teams() * figure.applyAsDouble(report))
                .sum();
        return teams == 0 ? NONE : String.format(Locale.ROOT, "%.1f", sum / teams);
    }
}
