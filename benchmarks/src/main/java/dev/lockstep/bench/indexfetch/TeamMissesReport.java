package dev.lockstep.bench.indexfetch;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Misses on the simulated machine.
 *
 * @param caches geometries of the instruction caches: the machine's own, then those that observe
 * @param footprints the code that one operation of each kind executes
 * @param misses one for each kind, size and state of the caches
 */
record TeamMissesReport(List<String> caches, List<SimulatedFetch.Footprint> footprints, List<TeamMisses> misses) {
    /** Capacities of the paper's sweep over the footprint of its index fetch (45 KB), section 3.4.5. */
    private static final List<Double> PAPER_RATIOS = List.of(64 / 45.0, 32 / 45.0, 16 / 45.0);

    private static final double KILOBYTE = 1024;
    private static final double PERCENT = 100;

    TeamMissesReport {
        caches = List.copyOf(caches);
        footprints = List.copyOf(footprints);
        misses = List.copyOf(misses);
    }

    /**
     * What section 3.4.1 says of one kind and cache.
     *
     * @param kind how the members of the team executed their operations
     * @param cache geometry
     * @param capacityOverFootprint of the original's usual code
     * @param first misses of the first operation in a cold cache ({@code m_p})
     * @param a part of these that an operation still has after another one, one after the other
     * @param beta part of these that each further member of the team has
     * @param lowerPercent reduction at the largest team of up to ten that the formula gives for a warm cache
     * @param upperPercent the same for a cold one
     * @param measuredPercent what was counted at that size, caches warm
     * @param largestPercent what was counted at the largest size
     */
    record Parameters(
            FetchKind kind,
            String cache,
            double capacityOverFootprint,
            double first,
            double a,
            double beta,
            double lowerPercent,
            double upperPercent,
            double measuredPercent,
            double largestPercent) {}

    /** Of all kinds that are no originals, and all caches. */
    @JsonProperty("parameters")
    List<Parameters> parameters() {
        List<Parameters> all = new ArrayList<>();
        for (SimulatedFetch.Footprint footprint : footprints) {
            if (footprint.kind() != footprint.kind().original()) {
                for (int cache = 0; cache < caches.size(); cache++) {
                    all.add(parameters(footprint.kind(), cache));
                }
            }
        }
        return all;
    }

    private Parameters parameters(FetchKind kind, int cache) {
        FetchKind original = kind.original();
        int n = ten();
        double first = l1i(original, 1, true, cache);
        double a = l1i(original, n, false, cache) / n / first;
        double beta = n == 1 ? Double.NaN : (l1i(kind, n, true, cache) - l1i(kind, 1, true, cache)) / (n - 1) / first;
        double part = (n - 1.0) / n * PERCENT;
        return new Parameters(
                kind,
                caches.get(cache),
                bytes(caches.get(cache)) / footprint(original).usualBytes(),
                first,
                a,
                beta,
                part * (1 - beta / a),
                part * (1 - beta),
                reduction(kind, n, cache),
                reduction(kind, members().getLast(), cache));
    }

    private static double bytes(String cache) {
        return CacheShape.parse(cache).bytes();
    }

    /** Percent of the original's misses that the team does not have, caches warm. */
    private double reduction(FetchKind kind, int members, int cache) {
        return PERCENT * (1 - l1i(kind, members, false, cache) / l1i(kind.original(), members, false, cache));
    }

    private int ten() {
        return members().stream().filter(each -> each <= 10).reduce(1, Math::max);
    }

    private SimulatedFetch.Footprint footprint(FetchKind kind) {
        return footprints.stream()
                .filter(each -> each.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    private List<Integer> members() {
        return misses.stream().map(TeamMisses::members).distinct().sorted().toList();
    }

    private TeamMisses of(FetchKind kind, int members, boolean cold) {
        return misses.stream()
                .filter(each -> each.kind() == kind && each.members() == members && each.cold() == cold)
                .findFirst()
                .orElseThrow();
    }

    private double l1i(FetchKind kind, int members, boolean cold, int cache) {
        TeamMisses round = of(kind, members, cold);
        return cache == 0 ? round.l1i() : round.observed().get(cache - 1);
    }

    private static String name(FetchKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Caches that the paper's figures are about: its own, this machine's, and those at its ratios to the footprint. */
    private List<Integer> shownCaches() {
        List<Integer> shown = new ArrayList<>();
        for (int cache = 0; cache < caches.size(); cache++) {
            String name = caches.get(cache);
            boolean sweepOnly = !name.equals(FetchCaches.DRIVING)
                    && !name.equals("16K,4,32")
                    && !name.equals("32K,8,64")
                    && PAPER_RATIOS.stream().noneMatch(ratio -> name.equals(ratioCache(ratio)));
            if (!sweepOnly) {
                shown.add(cache);
            }
        }
        return shown;
    }

    private String ratioCache(double ratio) {
        return FetchCaches.of(
                FetchCaches.nearestKilobytes(
                        ratio * footprint(FetchKind.ORIGINAL).usualBytes()),
                "2");
    }

    /** The one of {@link #shownCaches} that is to our footprint as the paper's was to its. */
    private int ratioIndex() {
        return Math.max(0, caches.indexOf(ratioCache(PAPER_RATIOS.getFirst())));
    }

    /** All figures in tables and plots. */
    List<Section> sections() {
        return List.of(footprintSection(), parameterSection(), countSection(), sweepSection());
    }

    private Section footprintSection() {
        Table.Builder table =
                Table.of(1, "kind", "usual code, KB", "all code, KB", "instructions", "switches in the largest team");
        footprints.forEach(each -> table.row(List.of(
                name(each.kind()),
                Figures.plain(each.usualBytes() / KILOBYTE),
                Figures.plain(each.allBytes() / KILOBYTE),
                Figures.plain(each.instructions()),
                Figures.plain(each.switches()))));
        return Section.of(
                "Executed code of one operation, simulated",
                new Paragraph("Distinct lines of 64 bytes that a team of one executes: usual, in at least every other"
                        + " operation; all, in any of " + FetchPhases.ROUNDS_WARM + ". The paper's index fetch has 45"
                        + " KB."),
                table.build());
    }

    private Section parameterSection() {
        int n = ten();
        Table.Builder table = Table.of(
                2,
                "kind",
                "L1-I",
                "capacity : code",
                "m_p",
                "a",
                "beta",
                "bounds at " + n + ", %",
                "counted at " + n + ", %",
                "at " + members().getLast() + ", %");
        List<String> shown = shownCaches().stream().map(caches::get).toList();
        parameters().stream().filter(each -> shown.contains(each.cache)).forEach(each -> {
            boolean fits = each.capacityOverFootprint >= 1;
            table.row(List.of(
                    name(each.kind),
                    each.cache,
                    Figures.plain(each.capacityOverFootprint),
                    Figures.plain(each.first),
                    Figures.plain(each.a),
                    Figures.plain(each.beta),
                    percent(each.lowerPercent, fits) + " to " + percent(each.upperPercent, fits),
                    percent(each.measuredPercent, fits),
                    percent(each.largestPercent, fits)));
        });
        return Section.of(
                "L1-I misses and team size, simulated (section 3.4.1)",
                new Paragraph("m_p: misses of the first operation, cold; a: part of them that one operation after the"
                        + " other still has; beta: part that each further member of a team has. Paper: 985, 0.373 and"
                        + " 0.033 for the fetch, 0.35 and 0.044 for the update. Percent of misses gone are given"
                        + " where the code is larger than the cache."),
                new Paragraph("What the marks of a cold round miss is counted apart and taken off, and part of that is"
                        + " interpreted code, which the smallest caches hold least: m_p is a lower bound, a and beta"
                        + " are upper ones, and an a above 1 tells nothing. What was counted is not touched by it."),
                table.build(),
                figure5(0, "figure-5", "L1-I misses of a team, " + caches.getFirst()),
                figure5(ratioIndex(), "figure-5-ratio", "L1-I misses of a team, " + caches.get(ratioIndex())));
    }

    private static String percent(double value, boolean fits) {
        return fits || Double.isNaN(value) || Double.isInfinite(value)
                ? "-"
                : String.format(Locale.ROOT, "%.0f", value);
    }

    private List<String> points() {
        return members().stream().map(String::valueOf).toList();
    }

    private LinePlot figure5(int cache, String file, String title) {
        List<Series> lines = new ArrayList<>();
        double first = l1i(FetchKind.ORIGINAL, 1, true, cache);
        lines.add(new Series(
                "original, cold", members().stream().map(each -> each * first).toList()));
        for (SimulatedFetch.Footprint footprint : footprints) {
            FetchKind kind = footprint.kind();
            lines.add(line(name(kind) + ", warm", kind, each -> l1i(kind, each.members(), false, cache)));
            if (kind != kind.original()) {
                lines.add(line(name(kind) + ", cold", kind, each -> l1i(kind, each.members(), true, cache)));
            }
        }
        return new LinePlot(
                new PlotFrame(
                        file,
                        title,
                        "Figure 5 of the paper. Each round: one operation of every member.",
                        "members",
                        "misses",
                        false),
                points(),
                lines);
    }

    private Series line(String name, FetchKind kind, ToDoubleFunction<TeamMisses> what) {
        return new Series(
                name,
                members().stream()
                        .map(members -> what.applyAsDouble(of(kind, members, false)))
                        .toList());
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
        for (SimulatedFetch.Footprint footprint : footprints) {
            for (int members : members()) {
                TeamMisses round = of(footprint.kind(), members, false);
                List<String> row = new ArrayList<>(List.of(name(footprint.kind()), Integer.toString(members)));
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
                "One operation, simulated, caches warm (Figures 6, 7 and 9)",
                new Paragraph("Means of " + FetchPhases.ROUNDS_WARM
                        + " rounds on the simulated AthlonXP: 64 KB 2-way L1s, 256 KB L2."),
                table.build(),
                perOperation("figure-6-l1d", "L1-D misses of one operation", "misses", TeamMisses::l1d),
                perOperation("figure-6-cycles", "Simulated cycles of one operation", "cycles", TeamMisses::cycles));
    }

    private LinePlot perOperation(String file, String title, String unit, ToDoubleFunction<TeamMisses> what) {
        List<Series> lines = footprints.stream()
                .map(each -> line(name(each.kind()), each.kind(), round -> what.applyAsDouble(round) / round.members()))
                .toList();
        return new LinePlot(
                new PlotFrame(file, title, "Figures 6 and 7 of the paper, caches warm.", "members", unit, false),
                points(),
                lines);
    }

    private Section sweepSection() {
        int n = ten();
        List<FetchKind> teams = footprints.stream()
                .map(SimulatedFetch.Footprint::kind)
                .filter(kind -> kind != kind.original())
                .toList();
        List<String> headers = new ArrayList<>(List.of("L1-I", "capacity : code"));
        for (FetchKind kind : teams) {
            headers.add(name(kind.original()) + ", misses");
            headers.add(name(kind) + ", misses");
            headers.add(name(kind) + ", % gone");
        }
        Table.Builder table = Table.of(1, headers);
        for (int cache = 0; cache < caches.size(); cache++) {
            double ratio =
                    bytes(caches.get(cache)) / footprint(FetchKind.ORIGINAL).usualBytes();
            List<String> row = new ArrayList<>(List.of(caches.get(cache), Figures.plain(ratio)));
            for (FetchKind kind : teams) {
                double code = footprint(kind.original()).usualBytes();
                row.add(Figures.plain(l1i(kind.original(), n, false, cache)));
                row.add(Figures.plain(l1i(kind, n, false, cache)));
                row.add(percent(reduction(kind, n, cache), bytes(caches.get(cache)) >= code));
            }
            table.row(row);
        }
        return Section.of(
                "L1-I misses of a round of " + n + ", by geometry (Figure 10)",
                new Paragraph("All geometries observe the same run, caches warm."),
                table.build());
    }
}
