package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.tpcc.workload.LatencySummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Throughput of one configuration over that of another, repetition by repetition, and beside it the same of what a
 * transaction costs in processor time. On a processor that is always busy the two agree; where a hypervisor takes time
 * away from some runs ({@link RunReport#stolenPart}), or where a processor waits, they do not.
 *
 * @param numerator label of the first
 * @param denominator label of the second
 * @param median of the repetitions
 * @param min of the repetitions
 * @param max of the repetitions
 * @param repeats how many repetitions
 * @param processorTime processor time of a transaction of the second over that of one of the first, so that above 1 is
 *     better here too; absent where it is not known
 * @param latencyP99 the 99th percentile of the latency of the first over that of the second, by transaction type and of
 *     all types, so that below 1 is better; of what both sides ran in each repetition, absent where there are none, and
 *     where a thread of either side served several terminals, whose wait for it is in no latency
 * @param turns throughput by all turns of both where they took turns in one JVM; absent where there were none or few
 * @param turnsProcessorTime processor time likewise
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RatioReport(
        String numerator,
        String denominator,
        double median,
        double min,
        double max,
        int repeats,
        Spread processorTime,
        Map<String, Spread> latencyP99,
        TurnRatio turns,
        TurnRatio turnsProcessorTime) {
    /** What is compared in one repetition. */
    public record Pair(RunReport numerator, RunReport denominator) {
        private double throughput() {
            return numerator.txnPerSecond() / denominator.txnPerSecond();
        }

        private boolean hasProcessorTime() {
            return numerator.cpuMicrosPerTransaction() > 0 && denominator.cpuMicrosPerTransaction() > 0;
        }

        private double processorTime() {
            return denominator.cpuMicrosPerTransaction() / numerator.cpuMicrosPerTransaction();
        }

        private boolean hasLatencyP99(String group) {
            return latencyP99(numerator, group) > 0
                    && latencyP99(denominator, group) > 0
                    && hasThreadForEachTerminal(numerator)
                    && hasThreadForEachTerminal(denominator);
        }

        private static boolean hasThreadForEachTerminal(RunReport run) {
            return run.threads() >= run.configuration().terminals();
        }

        private double latencyP99(String group) {
            return latencyP99(numerator, group) / latencyP99(denominator, group);
        }

        private static double latencyP99(RunReport run, String group) {
            LatencySummary latency =
                    run.latencyMicros() == null ? null : run.latencyMicros().get(group);
            return latency == null ? 0 : latency.p99();
        }
    }

    /** Sums up repetitions; {@code null} if there is none in which both sides have committed anything. */
    public static RatioReport of(String numerator, String denominator, List<Pair> repetitions) {
        List<Pair> pairs = repetitions.stream()
                .filter(pair -> pair.numerator().txnPerSecond() > 0
                        && pair.denominator().txnPerSecond() > 0)
                .toList();
        if (pairs.isEmpty()) {
            return null;
        }
        Spread throughput = Spread.of(pairs.stream().map(Pair::throughput).toList());
        return new RatioReport(
                numerator,
                denominator,
                throughput.median(),
                throughput.min(),
                throughput.max(),
                pairs.size(),
                pairs.stream().allMatch(Pair::hasProcessorTime)
                        ? Spread.of(pairs.stream().map(Pair::processorTime).toList())
                        : null,
                latencyP99(pairs),
                TurnRatio.of(turns(pairs, Pair::numerator), turns(pairs, Pair::denominator), Turn::measuredNanos),
                TurnRatio.of(turns(pairs, Pair::numerator), turns(pairs, Pair::denominator), Turn::cpuNanos));
    }

    private static Map<String, Spread> latencyP99(List<Pair> pairs) {
        Map<String, Spread> byGroup = new LinkedHashMap<>();
        for (LatencyGroup group : LatencyGroup.GROUPS) {
            String key = group.key();
            if (pairs.stream().allMatch(pair -> pair.hasLatencyP99(key))) {
                byGroup.put(
                        key,
                        Spread.of(
                                pairs.stream().map(pair -> pair.latencyP99(key)).toList()));
            }
        }
        return byGroup.isEmpty() ? null : byGroup;
    }

    private static List<Turn> turns(List<Pair> pairs, Function<Pair, RunReport> side) {
        return pairs.stream()
                .map(side)
                .flatMap(run -> run.turns() == null ? Stream.empty() : run.turns().stream())
                .toList();
    }
}
