package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TransactionType;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * Latencies by transaction type, in nanoseconds. A recorder that several threads share counts atomically, so that ten
 * thousand terminals need no histogram each. Recording allocates nothing.
 *
 * <p>What is not measured is recorded likewise, and told nobody: a branch that is taken when the measured phase begins,
 * and never before, makes the JVM throw away the code that it has compiled by then.
 */
public final class LatencyRecorder {
    /** Latencies above an hour are counted as an hour: the stall limit ends a run long before. */
    private static final long LATENCY_NANOS_MAX = 3_600_000_000_000L;

    /** Finer differences than an eighth of a microsecond are not told apart, which halves the histogram. */
    private static final long LATENCY_NANOS_MIN = 128;

    private static final int SIGNIFICANT_DIGITS = 3;

    private final AbstractHistogram[] histograms = new AbstractHistogram[TransactionType.COUNT];

    /** By type, those of what is not measured, then those of what is. */
    private final AbstractHistogram[] byPhase = new AbstractHistogram[2 * TransactionType.COUNT];

    /** @param shared whether several threads record */
    public LatencyRecorder(boolean shared) {
        for (int i = 0; i < byPhase.length; i++) {
            byPhase[i] = shared
                    ? new AtomicHistogram(LATENCY_NANOS_MIN, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS)
                    : new Histogram(LATENCY_NANOS_MIN, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS);
        }
        System.arraycopy(byPhase, TransactionType.COUNT, histograms, 0, histograms.length);
    }

    /**
     * Records one transaction.
     *
     * @param phase of {@link RunControl}; only {@link RunControl#MEASURE} is told
     */
    void record(int phase, TransactionType type, long nanos) {
        byPhase[index(phase, TransactionType.COUNT, type.ordinal())].recordValue(
                Math.min(Math.max(nanos, 0), LATENCY_NANOS_MAX));
    }

    /** Where something of a phase lies in an array that has what is not measured first; without a branch. */
    static int index(int phase, int count, int ordinal) {
        return (phase & RunControl.MEASURE) * count + ordinal;
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

    /** What was recorded of all types together; nobody records meanwhile. */
    public LatencySummary summaryOfAll() {
        AbstractHistogram all = new Histogram(LATENCY_NANOS_MIN, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS);
        for (AbstractHistogram histogram : histograms) {
            all.add(histogram);
        }
        return LatencySummary.of(all);
    }

    /** The counts of a type. */
    AbstractHistogram histogram(TransactionType type) {
        return histograms[type.ordinal()];
    }
}
