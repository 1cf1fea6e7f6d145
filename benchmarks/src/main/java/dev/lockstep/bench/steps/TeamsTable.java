package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.tpcc.TeamReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Table 4 of the paper: the teams of each operation, of every variant that forms some. */
final class TeamsTable {
    private static final String NONE = "-";

    private final Map<StepsVariant, List<TeamReport>> byVariant = new LinkedHashMap<>();

    private TeamsTable() {}

    /** Of the runs on this machine's processor. */
    static Optional<Section> measured(StepsCell cell) {
        TeamsTable table = new TeamsTable();
        cell.measured().runs().stream()
                .filter(run -> run.counts() && !run.control())
                .forEach(run -> table.add(run.variant(), run.run().teams()));
        return table.section(cell.title() + ": teams (Table 4)", "Of all repetitions, on this machine's processor.");
    }

    /** Of the runs on the simulated one. */
    static Optional<Section> simulated(StepsCell cell) {
        TeamsTable table = new TeamsTable();
        cell.simulated().runs().stream()
                .filter(SimulatedRun::isMeasured)
                .forEach(run -> table.add(run.variant(), run.teams()));
        return table.section(cell.title() + ": teams on a simulated machine (Table 4)", "Of the run above.");
    }

    private void add(StepsVariant variant, List<TeamReport> teams) {
        if (variant.formsTeams()) {
            byVariant.computeIfAbsent(variant, key -> new ArrayList<>()).addAll(teams);
        }
    }

    private Optional<Section> section(String title, String runs) {
        Table.Builder table =
                Table.of(2, "", "operation", "outside", "teams", "members in", "members out", "threads ready");
        byVariant.forEach((variant, all) -> {
            Map<String, List<TeamReport>> byOperation = new LinkedHashMap<>();
            all.forEach(team -> byOperation
                    .computeIfAbsent(team.operation(), operation -> new ArrayList<>())
                    .add(team));
            byOperation.forEach((operation, teams) -> table.row(row(variant, operation, teams)));
            table.row(row(variant, "all", all));
        });
        return byVariant.isEmpty()
                ? Optional.empty()
                : Optional.of(Section.of(
                        title,
                        new Paragraph(runs + " Means of all teams: members that entered, members that left other than"
                                + " as strays, and threads that could run when the team formed. Outside: operations"
                                + " outside any team."),
                        table.build()));
    }

    private static List<String> row(StepsVariant variant, String operation, List<TeamReport> teams) {
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
