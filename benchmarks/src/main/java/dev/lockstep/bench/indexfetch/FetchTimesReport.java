package dev.lockstep.bench.indexfetch;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Times on this machine's processor.
 *
 * @param runs one for each repetition and kind, in the order in which they ran
 */
record FetchTimesReport(List<FetchTimes> runs) {
    FetchTimesReport {
        runs = List.copyOf(runs);
    }

    /**
     * A ratio of two runs of the same repetition.
     *
     * @param kind how the operations of the team were executed
     * @param members of the team
     * @param speedup the original's time over the kind's, median over the repetitions
     * @param speedupMin the least
     * @param speedupMax the greatest
     */
    record Speedup(
            FetchKind kind, boolean control, int members, double speedup, double speedupMin, double speedupMax) {}

    /** How much faster each kind was than its original, at each size. */
    @JsonProperty("speedups")
    List<Speedup> speedups() {
        List<Speedup> all = new ArrayList<>();
        for (FetchTimes first : firstOfEach()) {
            if (first.kind() != first.kind().original() || first.control()) {
                for (int members : members()) {
                    all.add(speedup(first.kind(), first.control(), members));
                }
            }
        }
        return all;
    }

    private List<FetchTimes> firstOfEach() {
        List<FetchTimes> first = new ArrayList<>();
        for (FetchTimes run : runs) {
            if (first.stream().noneMatch(each -> each.kind() == run.kind() && each.control() == run.control())) {
                first.add(run);
            }
        }
        return first;
    }

    private List<FetchTimes> all(FetchKind kind, boolean control) {
        return runs.stream()
                .filter(run -> run.kind() == kind && run.control() == control)
                .toList();
    }

    private Speedup speedup(FetchKind kind, boolean control, int members) {
        List<FetchTimes> team = all(kind, control);
        List<FetchTimes> original = all(kind.original(), false);
        Spread ratios = Spread.of(IntStream.range(0, Math.min(team.size(), original.size()))
                .mapToDouble(i -> original.get(i).of(members).nanos()
                        / team.get(i).of(members).nanos()));
        return new Speedup(kind, control, members, ratios.median(), ratios.min(), ratios.max());
    }

    /** Sizes in ascending order. */
    private List<Integer> members() {
        return runs.getFirst().times().stream()
                .map(FetchTimes.Time::members)
                .sorted()
                .toList();
    }

    private double median(FetchKind kind, boolean control, int members, ToDoubleFunction<FetchTimes.Time> what) {
        List<FetchTimes> some = all(kind, control);
        return some.isEmpty()
                ? Double.NaN
                : Spread.of(some.stream().mapToDouble(run -> what.applyAsDouble(run.of(members))))
                        .median();
    }

    /** Time of one operation, median. */
    double nanos(FetchKind kind, int members) {
        return median(kind, false, members, FetchTimes.Time::nanos);
    }

    /** How many times as fast as its original a team was, median. */
    double speedup(FetchKind kind, int members) {
        return speedup(kind, false, members).speedup();
    }

    private static String name(FetchTimes run) {
        return run.kind().name().toLowerCase(Locale.ROOT) + (run.control() ? ", control" : "");
    }

    /** All figures in tables and plots. */
    Section section() {
        List<String> headers = new ArrayList<>(List.of("members"));
        firstOfEach().forEach(run -> headers.add(name(run) + ", ns"));
        speedups().stream().map(FetchTimesReport::title).distinct().forEach(headers::add);
        List<FetchKind> takingTurns = takingTurns();
        takingTurns.forEach(kind -> headers.add("switches each, " + Spelling.of(kind)));
        Table.Builder table = Table.of(1, headers);
        for (int members : members()) {
            List<String> row = new ArrayList<>(List.of(Integer.toString(members)));
            firstOfEach()
                    .forEach(run ->
                            row.add(Figures.plain(median(run.kind(), run.control(), members, FetchTimes.Time::nanos))));
            speedups().stream().filter(each -> each.members == members).forEach(each -> row.add(text(each)));
            takingTurns.forEach(
                    kind -> row.add(Figures.plain(median(kind, false, members, FetchTimes.Time::switches))));
            table.row(row);
        }
        List<String> kinds = firstOfEach().stream()
                .filter(run -> !run.control())
                .map(run -> name(run) + ": " + run.kind().explanation())
                .toList();
        return Section.of(
                "Time of one operation, on this machine",
                new Paragraph(String.join("; ", kinds) + "."),
                new Paragraph("Times are those of the executing thread on its processor, medians; speedups are the"
                        + " original's time over the team's in the same repetition, median (least to greatest). What"
                        + " the control's leave 1 by cannot be told from noise."),
                table.build(),
                timePlot(),
                speedupPlot());
    }

    private List<FetchKind> takingTurns() {
        return Stream.of(FetchKind.CONTINUATION, FetchKind.VIRTUAL)
                .filter(kind -> !all(kind, false).isEmpty())
                .toList();
    }

    /** What is compared with what. */
    static String title(Speedup each) {
        return each.kind.original().name().toLowerCase(Locale.ROOT) + " : "
                + (each.control ? "control" : each.kind.name().toLowerCase(Locale.ROOT));
    }

    /** The median, and the least and the greatest in brackets. */
    static String text(Speedup each) {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", each.speedup, each.speedupMin, each.speedupMax);
    }

    private List<String> points() {
        return members().stream().map(String::valueOf).toList();
    }

    private LinePlot timePlot() {
        List<Series> lines = firstOfEach().stream()
                .filter(run -> !run.control())
                .map(run -> new Series(
                        name(run),
                        members().stream()
                                .map(members -> median(run.kind(), false, members, FetchTimes.Time::nanos))
                                .toList()))
                .toList();
        return new LinePlot(
                new PlotFrame(
                        "time",
                        "Time of one operation",
                        "Section 3.4.2, Figures 6 and 7: the more members a team has, the more of them wait for memory"
                                + " at once, and the more share each stage's code.",
                        "members",
                        "ns",
                        false),
                points(),
                lines);
    }

    private LinePlot speedupPlot() {
        List<Series> lines = new ArrayList<>();
        for (String title :
                speedups().stream().map(FetchTimesReport::title).distinct().toList()) {
            lines.add(new Series(
                    title,
                    speedups().stream()
                            .filter(each -> title(each).equals(title))
                            .map(Speedup::speedup)
                            .toList()));
        }
        return new LinePlot(
                new PlotFrame(
                        "speedup",
                        "The original's time over the team's",
                        "Above 1 the team is faster; the control shows what noise alone does.",
                        "members",
                        "times as fast",
                        false),
                points(),
                lines);
    }
}
