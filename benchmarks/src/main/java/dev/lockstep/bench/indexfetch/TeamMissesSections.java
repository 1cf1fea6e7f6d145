package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;

/** The tables and plots of {@link TeamMissesReport}. */
final class TeamMissesSections {
    /** Capacities of the paper's sweep over the footprint of its index fetch (45 KB), section 3.4.5. */
    private static final List<Double> PAPER_RATIOS = List.of(64 / 45.0, 32 / 45.0, 16 / 45.0);

    private static final double KILOBYTE = 1024;

    private final TeamMissesReport report;

    private final FetchTimesReport times;
    private final List<PaddedMisses> padded;
    private final List<RetrainedMisses> retrained;

    /**
     * Of one report.
     *
     * @param times on this machine's processor, or null
     * @param padded teams with more code in each switch; may be empty
     * @param retrained teams at points that were searched for one geometry each; may be empty
     */
    TeamMissesSections(
            TeamMissesReport report,
            FetchTimesReport times,
            List<PaddedMisses> padded,
            List<RetrainedMisses> retrained) {
        this.report = report;
        this.times = times;
        this.padded = padded;
        this.retrained = retrained;
    }

    /** All of them. */
    List<Section> all() {
        List<Section> all = new ArrayList<>(List.of(
                footprintSection(),
                parameterSection(),
                teamSizeSection(),
                countSection(),
                new EventSection(report, times, shownCaches()).section(),
                new GeometrySection(report, retrained).section()));
        if (!padded.isEmpty()) {
            all.add(new PaddingSection(report, padded, shownCaches()).section());
        }
        return all;
    }

    static String name(FetchKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Caches that the paper's figures are about: its own, this machine's, and those at its ratios to the footprint. */
    private List<Integer> shownCaches() {
        List<Integer> shown = new ArrayList<>();
        for (int cache = 0; cache < report.caches().size(); cache++) {
            String name = report.caches().get(cache);
            boolean sweepOnly = !name.equals(FetchCaches.DRIVING)
                    && !name.equals(FetchCaches.PENTIUM_III)
                    && !name.equals("32K,8,64")
                    && PAPER_RATIOS.stream().noneMatch(ratio -> name.equals(ratioCache(ratio)));
            if (!sweepOnly) {
                shown.add(cache);
            }
        }
        return shown;
    }

    private String ratioCache(double ratio) {
        return FetchCaches.nearest(report.caches(), ratio * report.operationBytes());
    }

    /** The machine's own cache, and those of {@link #shownCaches} that are to our footprint as the paper's were. */
    private List<Integer> plottedCaches() {
        List<Integer> plotted = new ArrayList<>(List.of(0));
        for (double ratio : PAPER_RATIOS) {
            int cache = report.caches().indexOf(ratioCache(ratio));
            if (cache > 0 && !plotted.contains(cache)) {
                plotted.add(cache);
            }
        }
        return plotted;
    }

    private Section footprintSection() {
        Table.Builder table =
                Table.of(1, "kind", "usual code, KB", "all code, KB", "instructions", "switches in the largest team");
        report.footprints()
                .forEach(each -> table.row(List.of(
                        name(each.kind()),
                        Figures.plain(each.usualBytes() / KILOBYTE),
                        Figures.plain(each.allBytes() / KILOBYTE),
                        Figures.plain(each.instructions()),
                        Figures.plain(each.switches()))));
        return Section.of(
                "Executed code of one operation, simulated",
                new Paragraph("Distinct lines of 64 bytes that a team of one executes: usual, at least half as often"
                        + " as there are operations; all, in any of " + FetchPhases.ROUNDS_WARM
                        + ". The paper's index fetch has 45"
                        + " KB."),
                table.build());
    }

    private Section parameterSection() {
        int n = report.ten();
        Table.Builder table = Table.of(
                2,
                "kind",
                "L1-I",
                "capacity : code",
                "m_p",
                "a",
                "beta",
                "further member, cold",
                "warm",
                "bounds at " + n + ", %",
                "counted at " + n + ", warm, %",
                "cold, %",
                "at " + report.members().getLast() + ", warm, %");
        List<String> shown = shownCaches().stream().map(report.caches()::get).toList();
        report.parameters().stream()
                .filter(each -> shown.contains(each.cache()))
                .forEach(each -> {
                    boolean fits = each.capacityOverFootprint() >= 1;
                    table.row(List.of(
                            name(each.kind()),
                            each.cache(),
                            Figures.plain(each.capacityOverFootprint()),
                            Figures.plain(each.first()),
                            Figures.plain(each.a()),
                            Figures.plain(each.beta()),
                            Figures.plain(each.furtherCold()),
                            Figures.plain(each.furtherWarm()),
                            percent(each.lowerPercent(), fits) + " to " + percent(each.upperPercent(), fits),
                            percent(each.measuredPercent(), fits),
                            percent(each.measuredColdPercent(), fits),
                            percent(each.largestPercent(), fits)));
                });
        return Section.of(
                "L1-I misses and team size, simulated (section 3.4.1)",
                new Paragraph("m_p: misses of the first operation, cold; a: part of them that one operation after the"
                        + " other still has; beta: part that each further member of a team has. Paper: 985, 0.373 and"
                        + " 0.033 for the fetch, with 33 misses for each further member, 0.35 and 0.044 for the"
                        + " update. Percent of misses gone are given where the code is larger than the cache."),
                new Paragraph("What the marks of a cold round miss is counted in rounds without operations, one before"
                        + " each, and taken off. In the smallest caches marks and operations take lines from each"
                        + " other, so that m_p is too low there, and an a above 1 tells nothing."),
                table.build());
    }

    /** A percentage, where it says anything. */
    static String percent(double value, boolean fits) {
        return fits || Double.isNaN(value) || Double.isInfinite(value)
                ? "-"
                : String.format(Locale.ROOT, "%.0f", value);
    }

    private List<String> points() {
        return report.members().stream().map(String::valueOf).toList();
    }

    private Section teamSizeSection() {
        List<String> headers = new ArrayList<>(List.of("L1-I", "caches", "kind"));
        report.members().forEach(members -> headers.add("N=" + members));
        Table.Builder table = Table.of(3, headers);
        List<Part> plots = new ArrayList<>();
        for (int cache : shownCaches()) {
            for (boolean cold : new boolean[] {true, false}) {
                rounds(cache, cold).forEach((kind, misses) -> {
                    List<String> row =
                            new ArrayList<>(List.of(report.caches().get(cache), cold ? "cold" : "warm", name(kind)));
                    report.members().forEach(members -> row.add(Figures.plain(misses.applyAsDouble(members))));
                    table.row(row);
                });
            }
        }
        for (int cache : plottedCaches()) {
            plots.add(figure5(cache, true));
            plots.add(figure5(cache, false));
        }
        return Section.of(
                        "L1-I misses of a round of N members (Figure 5)",
                        new Paragraph("Each round is one operation of every member. Cold: caches are flooded before"
                                + " the round of a team, and before each operation of an original. Warm: nothing is"
                                + " between one round and the next."),
                        table.build())
                .with(plots);
    }

    /** Misses of a round by the size of the team. */
    private SequencedMap<FetchKind, IntToDoubleFunction> rounds(int cache, boolean cold) {
        SequencedMap<FetchKind, IntToDoubleFunction> rounds = new LinkedHashMap<>();
        for (FetchKind kind : report.kinds()) {
            rounds.put(
                    kind,
                    cold && kind == kind.original()
                            ? members -> members * report.first(kind, cache)
                            : members -> report.l1i(kind, members, cold, cache));
        }
        return rounds;
    }

    private LinePlot figure5(int cache, boolean cold) {
        List<Series> lines = new ArrayList<>();
        rounds(cache, cold)
                .forEach((kind, misses) -> lines.add(new Series(
                        name(kind),
                        report.members().stream().map(misses::applyAsDouble).toList())));
        String state = cold ? "cold" : "warm";
        String geometry = report.caches().get(cache);
        return new LinePlot(
                new PlotFrame(
                        "figure-5-" + state + "-" + geometry.replace(',', '-').toLowerCase(Locale.ROOT),
                        "L1-I misses of a team, " + geometry + ", " + state,
                        "Figure 5 of the paper. Each round: one operation of every member.",
                        "members",
                        "misses",
                        false),
                points(),
                lines);
    }

    private Section countSection() {
        Table.Builder table = Table.of(
                2,
                "kind",
                "members",
                "instructions",
                "cycles",
                "branches",
                "mispredicted",
                "L1-I misses",
                "L1-D misses",
                "L2 misses");
        for (FetchKind kind : report.kinds()) {
            for (int members : report.members()) {
                TeamMisses round = report.of(kind, members, false);
                List<String> row = new ArrayList<>(List.of(name(kind), Integer.toString(members)));
                for (double each : new double[] {
                    round.instructions(),
                    round.cycles(),
                    round.branches(),
                    round.mispredicted(),
                    round.l1i(),
                    round.l1d(),
                    round.l2()
                }) {
                    row.add(Figures.plain(each / members));
                }
                table.row(row);
            }
        }
        return Section.of(
                "One operation, simulated, caches warm (Figures 6 and 7)",
                new Paragraph("Means of " + FetchPhases.ROUNDS_WARM
                        + " rounds on the simulated AthlonXP: 64 KB 2-way L1s, 256 KB L2."),
                table.build(),
                perOperation("figure-6-l1d", "L1-D misses of one operation", "misses", TeamMisses::l1d),
                perOperation("figure-6-cycles", "Simulated cycles of one operation", "cycles", TeamMisses::cycles));
    }

    private LinePlot perOperation(String file, String title, String unit, ToDoubleFunction<TeamMisses> what) {
        List<Series> lines = report.kinds().stream()
                .map(kind -> new Series(
                        name(kind),
                        report.members().stream()
                                .map(members -> what.applyAsDouble(report.of(kind, members, false)) / members)
                                .toList()))
                .toList();
        return new LinePlot(
                new PlotFrame(file, title, "Figures 6 and 7 of the paper, caches warm.", "members", unit, false),
                points(),
                lines);
    }
}
