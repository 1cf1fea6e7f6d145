package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.report.Spread;
import java.util.List;
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
 * @param turns the same by all turns of both where they took turns in one JVM; absent where there were none or few
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
                TurnRatio.of(turns(pairs, Pair::numerator), turns(pairs, Pair::denominator), Turn::measuredNanos),
                TurnRatio.of(turns(pairs, Pair::numerator), turns(pairs, Pair::denominator), Turn::cpuNanos));
    }

    private static List<Turn> turns(List<Pair> pairs, Function<Pair, RunReport> side) {
        return pairs.stream()
                .map(side)
                .flatMap(run -> run.turns() == null ? Stream.empty() : run.turns().stream())
                .toList();
    }
}
