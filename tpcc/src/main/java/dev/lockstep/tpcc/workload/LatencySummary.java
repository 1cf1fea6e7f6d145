package dev.lockstep.tpcc.workload;

import org.HdrHistogram.AbstractHistogram;

/**
 * Latencies of one transaction type in microseconds, from the first attempt to the answer of the commit.
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
