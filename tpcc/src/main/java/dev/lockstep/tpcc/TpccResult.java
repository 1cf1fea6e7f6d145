package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.workload.LatencyRecorder;
import dev.lockstep.tpcc.workload.Tally;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * What a run measured.
 *
 * @param engine the engine's name
 * @param threadKind the kind of thread that the terminals ran on
 * @param configuration what was asked for
 * @param threads threads that served the terminals
 * @param isolation the level that each type really ran at
 * @param loadNanos time that loading took, 0 if nothing was loaded
 * @param measuredNanos length of the measured phase
 * @param cpuNanos processor time of the whole process during the measured phase, or -1 where the JVM does not tell
 * @param allocatedBytes heap allocated by all threads during the measured phase, or -1 where the JVM does not tell
 * @param commits committed transactions of the measured phase
 * @param deliveredOrders by the Deliveries among them; ten each where every district had an order left
 * @param latencies of the measured phase; {@code null} if the run was given up with terminals that still ran
 * @param aborts attempts of the measured phase that were rolled back
 * @param retries how many of them were tried again
 * @param consistencyAfterLoad verdict by condition; empty if it was not checked
 * @param consistency verdict by condition after the run; empty if it was not checked
 * @param tallyDifferences where the database and the driver's own tally disagree
 * @param tally of all committed transactions, warm-up included; {@code null} if the run was given up
 * @param failure why the run was given up, or empty
 */
public record TpccResult(
        String engine,
        String threadKind,
        TpccConfiguration configuration,
        int threads,
        Map<TransactionType, String> isolation,
        long loadNanos,
        long measuredNanos,
        long cpuNanos,
        long allocatedBytes,
        Map<TransactionType, Long> commits,
        long deliveredOrders,
        LatencyRecorder latencies,
        Map<AbortReason, Long> aborts,
        long retries,
        SortedMap<Integer, String> consistencyAfterLoad,
        SortedMap<Integer, String> consistency,
        List<String> tallyDifferences,
        Tally tally,
        String failure) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double SECONDS_PER_MINUTE = 60;

    /** Committed transactions of all types in the measured phase. */
    public long committed() {
        return commits.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Committed transactions of all types a second. */
    public double transactionsPerSecond() {
        return measuredNanos == 0 ? 0 : committed() * NANOS_PER_SECOND / measuredNanos;
    }

    /** Committed New-Orders a minute. */
    public double newOrdersPerMinute() {
        return measuredNanos == 0
                ? 0
                : commits.getOrDefault(TransactionType.NEW_ORDER, 0L)
                        * NANOS_PER_SECOND
                        * SECONDS_PER_MINUTE
                        / measuredNanos;
    }

    /** Heap bytes allocated for each committed transaction, or -1 if unknown. */
    public double allocatedBytesPerTransaction() {
        return allocatedBytes < 0 || committed() == 0 ? -1 : (double) allocatedBytes / committed();
    }

    /** Processor time for each committed transaction in microseconds, or -1 if unknown. */
    public double cpuMicrosPerTransaction() {
        return cpuNanos < 0 || committed() == 0 ? -1 : cpuNanos / 1_000.0 / committed();
    }

    /** Whether the run ended and every check that was asked for holds. */
    public boolean ok() {
        return failure.isEmpty()
                && tallyDifferences.isEmpty()
                && consistencyAfterLoad.values().stream().allMatch(ConsistencyCheck.OK::equals)
                && consistency.values().stream().allMatch(ConsistencyCheck.OK::equals);
    }
}
