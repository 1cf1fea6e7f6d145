package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TransactionType;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * Latencies by transaction type, in nanoseconds. A recorder that several threads share counts atomically, so that ten
 * thousand terminals need no histogram each. Recording allocates nothing.
 */
public final class LatencyRecorder {
    /** Latencies above an hour are counted as an hour: the stall limit ends a run long before. */
    private static final long LATENCY_NANOS_MAX = 3_600_000_000_000L;

    /** Finer differences than an eighth of a microsecond are not told apart, which halves the histogram. */
    private static final long LATENCY_NANOS_MIN = 128;

    private static final int SIGNIFICANT_DIGITS = 3;

    private final AbstractHistogram[] histograms = new AbstractHistogram[TransactionType.COUNT];

    /** @param shared whether several threads record */
    public LatencyRecorder(boolean shared) {
        for (int i = 0; i < histograms.length; i++) {
            histograms[i] = shared
                    ? new AtomicHistogram(LATENCY_NANOS_MIN, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS)
                    : new Histogram(LATENCY_NANOS_MIN, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS);
        }
    }

    /** Records one transaction. */
    void record(TransactionType type, long nanos) {
        histograms[type.ordinal()].recordValue(Math.min(Math.max(nanos, 0), LATENCY_NANOS_MAX));
    }

    /** Adds another recorder's counts; nobody records meanwhile. */
    public void add(LatencyRecorder other) {
        for (int i = 0; i < histograms.length; i++) {
            histograms[i].add(other.histograms[i]);
        }
    }

    /** What was recorded of a type; nobody records meanwhile. */
    public LatencySummary summary(TransactionType type) {
        return LatencySummary.of(histograms[type.ordinal()]);
    }

    /** The counts of a type. */
    AbstractHistogram histogram(TransactionType type) {
        return histograms[type.ordinal()];
    }
}
