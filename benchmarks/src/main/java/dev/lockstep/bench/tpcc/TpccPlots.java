package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.RangePlot;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.tpcc.workload.LatencySummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** The plots of a report. All of them leave out runs that were given up. */
final class TpccPlots {
    private static final List<String> PERCENTILES = List.of("p50", "p90", "p95", "p99", "p99.9", "max");

    /** Groups of bars that leave their names readable. */
    private static final int OPERATIONS_MAX = 14;

    private static final double NANOS_PER_MICRO = 1e3;

    private final Map<String, List<RunReport>> byLabel;
    private final List<RunReport> typical;

    /**
     * Of these runs.
     *
     * @param byLabel all, by configuration
     * @param typical one for each configuration, in order
     */
    TpccPlots(Map<String, List<RunReport>> byLabel, List<RunReport> typical) {
        this.byLabel = byLabel;
        this.typical = typical.stream()
                .filter(run -> run.failure().isEmpty())
                .limit(Series.COUNT_MAX)
                .toList();
    }

    /** Throughput of each configuration, with its range. */
    List<Plot> throughput() {
        List<RangePlot.Bar> bars = new ArrayList<>();
        byLabel.forEach((label, runs) -> {
            List<Double> rates = runs.stream()
                    .filter(run -> run.failure().isEmpty())
                    .map(RunReport::txnPerSecond)
                    .toList();
            if (!rates.isEmpty()) {
                bars.add(RangePlot.Bar.of(label, Spread.of(rates)));
            }
        });
        if (bars.isEmpty()) {
            return List.of();
        }
        int repeats = byLabel.values().stream().mapToInt(List::size).max().orElse(1);
        return List.of(new RangePlot(
                new PlotFrame(
                        "throughput",
                        "Throughput",
                        repeats == 1
                                ? "One run each: differences of some percent mean nothing without repetitions"
                                        + " (--repeat) and a control (--control)."
                                : "Medians of up to " + repeats + " runs, with lines from the slowest to the fastest.",
                        "configuration",
                        "committed transactions of all types a second",
                        false),
                bars));
    }

    /** Latency of each type and of all, a line for each configuration. */
    List<Plot> latencies() {
        List<Plot> plots = new ArrayList<>();
        for (LatencyGroup group : LatencyGroup.GROUPS) {
            List<Series> lines = new ArrayList<>();
            for (RunReport run : typical) {
                LatencySummary latency = run.latencyMicros().get(group.key());
                if (latency != null && latency.count() > 0) {
                    lines.add(new Series(run.label(), percentiles(latency)));
                }
            }
            if (!lines.isEmpty()) {
                plots.add(new LinePlot(
                        new PlotFrame(
                                "latency-" + group.key(),
                                "Latency of " + group.title(),
                                "From the answer of the thread's last transaction, or with think times from the end"
                                        + " of keying, to the answer of the commit; lower is better.",
                                "percentile",
                                "microseconds",
                                true),
                        PERCENTILES,
                        lines));
            }
        }
        return plots;
    }

    private static List<Double> percentiles(LatencySummary latency) {
        return DoubleStream.of(
                        latency.p50(), latency.p90(), latency.p95(), latency.p99(), latency.p999(), latency.max())
                .mapToObj(micros -> micros > 0 ? micros : Double.NaN)
                .toList();
    }

    /** Sizes of teams, and where the time of a transaction goes; none where no scheduler of ours ran. */
    List<Plot> teams() {
        List<RunReport> scheduled =
                typical.stream().filter(run -> !run.teams().isEmpty()).toList();
        List<String> operations = operations(scheduled);
        if (operations.isEmpty()) {
            return List.of();
        }
        return List.of(
                new BarPlot(
                        new PlotFrame(
                                "team-sizes",
                                "Team sizes",
                                "Members when a team forms, on average, of the operations that take most time; 1 is"
                                        + " no team at all, and so is no bar.",
                                "operation",
                                "members of a team when it forms",
                                false),
                        false,
                        operations,
                        series(scheduled, operations, TeamReport::membersIn)),
                breakdown(scheduled, operations));
    }

    /** The names of the operations that take most time, the greatest first. */
    private static List<String> operations(List<RunReport> scheduled) {
        Map<String, Double> nanos = scheduled.stream()
                .flatMap(run -> run.teams().stream())
                .filter(team -> team.operations() > 0)
                .collect(Collectors.groupingBy(
                        TeamReport::operation, TreeMap::new, Collectors.summingDouble(TpccPlots::nanos)));
        return nanos.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder()))
                .limit(OPERATIONS_MAX)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static double nanos(TeamReport team) {
        return team.operations() * team.nanosPerOperation();
    }

    private static List<Series> series(
            List<RunReport> runs, List<String> operations, ToDoubleFunction<TeamReport> what) {
        return runs.stream()
                .map(run -> new Series(
                        run.label(),
                        operations.stream()
                                .map(operation -> of(run, operation, what, Double.NaN))
                                .toList()))
                .toList();
    }

    private static double of(RunReport run, String operation, ToDoubleFunction<TeamReport> what, double absent) {
        return run.teams().stream()
                .filter(team -> team.operation().equals(operation))
                .mapToDouble(what)
                .findFirst()
                .orElse(absent);
    }

    private static Plot breakdown(List<RunReport> runs, List<String> operations) {
        List<String> named = operations.subList(0, Math.min(operations.size(), Series.COUNT_MAX - 1));
        List<Series> parts = new ArrayList<>();
        for (String operation : named) {
            parts.add(new Series(
                    operation,
                    runs.stream()
                            .map(run -> perTransaction(run, of(run, operation, TpccPlots::nanos, 0)))
                            .toList()));
        }
        parts.add(new Series(
                "all others",
                runs.stream()
                        .map(run -> perTransaction(
                                run,
                                run.teams().stream()
                                        .filter(team -> !named.contains(team.operation()))
                                        .mapToDouble(TpccPlots::nanos)
                                        .sum()))
                        .toList()));
        return new BarPlot(
                new PlotFrame(
                        "operation-times",
                        "Time of a transaction in its operations",
                        "For each committed transaction of the mix: time in its operations, waits included, as the"
                                + " scheduler samples it; what lies between operations is not part of it.",
                        "configuration",
                        "microseconds a transaction",
                        false),
                true,
                runs.stream().map(RunReport::label).toList(),
                parts);
    }

    private static double perTransaction(RunReport run, double nanos) {
        long commits =
                run.commits().values().stream().mapToLong(Long::longValue).sum();
        return commits == 0 ? 0 : nanos / NANOS_PER_MICRO / commits;
    }
}
