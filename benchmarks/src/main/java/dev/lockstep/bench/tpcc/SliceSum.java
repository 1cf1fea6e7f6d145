package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.workload.LatencyRecorder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What one configuration did in all its turns of one repetition. Not thread-safe. */
final class SliceSum {
    private final Map<TransactionType, Long> commits = new EnumMap<>(TransactionType.class);
    private final LatencyRecorder latencies = new LatencyRecorder(false);
    private final Map<AbortReason, Long> aborts = new EnumMap<>(AbortReason.class);
    private final Map<String, Long> threadNanos = new TreeMap<>();
    private final Map<String, CollectorReport> collectors = new TreeMap<>();
    private long deliveredOrders;
    private long retries;
    private long measuredNanos;
    private long cpuNanos;
    private long allocatedBytes;
    private final List<Turn> turns = new ArrayList<>();
    private Turn before = new Turn(0, 0, 0);

    /**
     * Adds one run of those that make a turn.
     *
     * @param threadNanosUsed by name, of this run
     * @param collectorsUsed of this run
     */
    void add(TpccResult run, Map<String, Long> threadNanosUsed, Map<String, CollectorReport> collectorsUsed) {
        run.commits().forEach((type, count) -> commits.merge(type, count, Long::sum));
        latencies.add(run.latencies());
        run.aborts().forEach((reason, count) -> aborts.merge(reason, count, Long::sum));
        threadNanosUsed.forEach((name, nanos) -> threadNanos.merge(name, nanos, Long::sum));
        collectorsUsed.forEach((name, used) -> collectors.merge(name, used, CollectorReport::plus));
        deliveredOrders += run.deliveredOrders();
        retries += run.retries();
        measuredNanos += run.measuredNanos();
        cpuNanos += run.cpuNanos();
        allocatedBytes += run.allocatedBytes();
    }

    /** What was added since the last time was a turn. */
    void endTurn() {
        turns.add(new Turn(
                committed() - before.committed(),
                measuredNanos - before.measuredNanos(),
                cpuNanos - before.cpuNanos()));
        before = new Turn(committed(), measuredNanos, cpuNanos);
    }

    /** In order. */
    List<Turn> turns() {
        return List.copyOf(turns);
    }

    Map<TransactionType, Long> commits() {
        return commits;
    }

    long deliveredOrders() {
        return deliveredOrders;
    }

    LatencyRecorder latencies() {
        return latencies;
    }

    Map<AbortReason, Long> aborts() {
        return aborts;
    }

    Map<String, CollectorReport> collectors() {
        return collectors;
    }

    long retries() {
        return retries;
    }

    long measuredNanos() {
        return measuredNanos;
    }

    /** Committed transactions of all types. */
    long committed() {
        return commits.values().stream().mapToLong(Long::longValue).sum();
    }

    /** A number of transactions by the time measured. */
    double perSecond(long transactions) {
        return measuredNanos == 0 ? 0 : (double) transactions * TimeUnit.SECONDS.toNanos(1) / measuredNanos;
    }

    /** A number of transactions by the time measured. */
    double perMinute(long transactions) {
        return perSecond(transactions) * TimeUnit.MINUTES.toSeconds(1);
    }

    /** Heap allocated for each committed transaction; negative where the JVM does not tell. */
    double allocatedBytesPerTransaction() {
        return committed() == 0 ? -1 : (double) allocatedBytes / committed();
    }

    /** Processor time of the process for each committed transaction; negative where the JVM does not tell. */
    double cpuMicrosPerTransaction() {
        return committed() == 0 ? -1 : (double) cpuNanos / TimeUnit.MICROSECONDS.toNanos(1) / committed();
    }

    /** The same by name of the threads. */
    Map<String, Double> cpuMicrosByThread() {
        return ThreadTimes.between(Map.of(), threadNanos, committed(), cpuMicrosPerTransaction());
    }
}
