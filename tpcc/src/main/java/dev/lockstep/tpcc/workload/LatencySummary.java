package dev.lockstep.tpcc.workload;

import org.HdrHistogram.AbstractHistogram;

/**
 * Latencies of one transaction type, or of all, in microseconds, to the answer of the commit. They begin with the
 * answer of the transaction before on the same thread, so that a terminal with a thread of its own waits for its turn
 * in them; with think times, when the input has been keyed in.
 *
 * @param count transactions measured
 */
public record LatencySummary(
        long count, double mean, double p50, double p90, double p95, double p99, double p999, double max) {
    private static final double NANOS_PER_MICRO = 1_000.0;

    /** Summarises a histogram of nanoseconds. */
    static LatencySummary of(AbstractHistogram nanos) {
        return new LatencySummary(
                nanos.getTotalCount(),
                nanos.getTotalCount() == 0 ? 0 : nanos.getMean() / NANOS_PER_MICRO,
                micros(nanos, 50),
                micros(nanos, 90),
                micros(nanos, 95),
                micros(nanos, 99),
                micros(nanos, 99.9),
                nanos.getMaxValue() / NANOS_PER_MICRO);
    }

    private static double micros(AbstractHistogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }
}
