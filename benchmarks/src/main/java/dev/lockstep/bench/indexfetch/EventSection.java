package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What processors see of a team of ten beside its original: Figure 9 of the paper. */
final class EventSection {
    private static final double PERCENT = 100;

    private final TeamMissesReport report;
    private final int members;
    private final List<Event> events = new ArrayList<>();

    /**
     * One kind of event.
     *
     * @param count of one operation, by how it was executed
     * @param percent of the original's that a team has; NaN where it says nothing
     */
    private record Event(String name, ToDoubleFunction<FetchKind> count, ToDoubleFunction<FetchKind> percent) {}

    /**
     * Puts them together.
     *
     * @param times on this machine's processor, or null
     * @param instructionCaches which of the report's are told
     */
    EventSection(TeamMissesReport report, FetchTimesReport times, List<Integer> instructionCaches) {
        this.report = report;
        members = report.ten();
        if (times != null) {
            events.add(new Event(
                    "time on this machine, ns",
                    kind -> times.nanos(kind, members),
                    kind -> PERCENT / times.speedup(kind, members)));
        }
        add("instructions", TeamMisses::instructions);
        add("branches", TeamMisses::branches);
        add("mispredicted", TeamMisses::mispredicted);
        for (int cache : instructionCaches) {
            events.add(new Event(
                    "L1-I misses, " + report.caches().get(cache),
                    kind -> report.l1i(kind, members, false, cache) / members,
                    kind -> report.bytes(cache)
                                    < report.footprint(kind.original()).usualBytes()
                            ? PERCENT - report.reduction(kind, members, cache)
                            : Double.NaN));
        }
        for (int i = 0; i < report.dataCaches().size(); i++) {
            int cache = i;
            addOfKind("L1-D misses, " + report.dataCaches().get(i), kind -> report.l1d(kind, members, cache));
        }
    }

    private void add(String name, ToDoubleFunction<TeamMisses> what) {
        addOfKind(name, kind -> what.applyAsDouble(report.of(kind, members, false)));
    }

    private void addOfKind(String name, ToDoubleFunction<FetchKind> what) {
        events.add(new Event(
                name,
                kind -> what.applyAsDouble(kind) / members,
                kind -> PERCENT * what.applyAsDouble(kind) / what.applyAsDouble(kind.original())));
    }

    /** The table and the plot. */
    Section section() {
        List<FetchKind> teams = report.teams();
        List<String> headers = new ArrayList<>(List.of("of one operation"));
        for (FetchKind kind : teams) {
            String original = TeamMissesSections.name(kind.original());
            String name = TeamMissesSections.name(kind);
            headers.addAll(List.of(original, name, name + ", % of " + original));
        }
        Table.Builder table = Table.of(1, headers);
        for (Event event : events) {
            List<String> row = new ArrayList<>(List.of(event.name()));
            for (FetchKind kind : teams) {
                row.add(Figures.plain(event.count().applyAsDouble(kind.original())));
                row.add(Figures.plain(event.count().applyAsDouble(kind)));
                row.add(Figures.plain(event.percent().applyAsDouble(kind)));
            }
            table.row(row);
        }
        Section section = Section.of(
                "Events of one operation in a round of " + members + ", caches warm (Figure 9)",
                new Paragraph(
                        "Simulated, but for the time. Paper, on AthlonXP and Pentium III: 36 % of the mispredicted"
                            + " branches are left, and 1.7 % more instructions and 1.3 % more branches are executed;"
                            + " on the Pentium III 34 % of the L1-I misses are left, and there are 109 % more L1-D"
                            + " misses. Percent of L1-I misses are given where the code is larger than the cache."),
                table.build());
        return teams.isEmpty() ? section : section.with(List.of(plot(teams)));
    }

    private BarPlot plot(List<FetchKind> teams) {
        return new BarPlot(
                new PlotFrame(
                        "figure-9",
                        "Events of an operation in a round of " + members + ", percent of its original's",
                        "Figure 9 of the paper. Below 100 the team has fewer. L1-I misses where the code exceeds the"
                                + " cache.",
                        "event",
                        "% of the original",
                        false),
                false,
                events.stream().map(Event::name).toList(),
                teams.stream()
                        .map(kind -> new Series(
                                TeamMissesSections.name(kind),
                                events.stream()
                                        .map(event -> event.percent().applyAsDouble(kind))
                                        .toList()))
                        .toList());
    }
}
