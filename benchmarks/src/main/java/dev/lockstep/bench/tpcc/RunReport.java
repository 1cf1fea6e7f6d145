package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.flame.FlameShares;
import dev.lockstep.bench.process.CoreProbe;
import dev.lockstep.bench.process.ProcessorShares;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.workload.LatencySummary;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What one run found, as its child JVM wrote it. Figures that an engine does not have are {@code null} and absent.
 *
 * @param engine spelled as on the command line
 * @param scheduler {@code jdk}, {@code steps} or {@code platform}
 * @param sthreads kind of S-threads, or {@code none}
 * @param isolation the level that each transaction type really ran at
 * @param durability of Lockstep; {@code none} for engines in memory, {@code server} where the server decides
 * @param threads threads or connections that served the terminals
 * @param txnPerSecond committed transactions of all types a second
 * @param newOrderPerMinute committed New-Orders a minute
 * @param commits by type
 * @param emptyDistrictPart of the districts that these Deliveries came to, those that had no order left to deliver, 0
 *     to 1: such a Delivery does less; absent where there was none
 * @param latencyMicros by type, and of {@code all}
 * @param aborts attempts rolled back, by reason
 * @param retries how many of them were tried again
 * @param teams by operation; empty without a scheduler of ours
 * @param consistencyAfterLoad verdict by condition: {@code ok} or the violation
 * @param consistency verdict by condition after the run
 * @param tallyDifferences where the database and the driver's own tally disagree
 * @param allocatedBytesPerTransaction heap bytes allocated for each committed transaction
 * @param cpuMicrosPerTransaction processor time of the whole process for each committed transaction
 * @param cpuMicrosByThread that time by name of the threads, without their numbers; empty where it is not known
 * @param stolenPart part of the measured phase in which the hypervisor had given the processors to others, 0 to 1: no
 *     processor time of anybody's, but less throughput; absent where the system does not tell
 * @param processorShares what the processors that the run may use did in the measured phase, for all programs on them;
 *     absent where the system does not tell, where the run is simulated, and by turns
 * @param largePagePart part of the memory without files, so of heap and pool, that lay in large pages at the end of the
 *     measured phase, 0 to 1; absent where the system does not tell
 * @param crowding of the core by others in the measured phase, which no clock shows ({@link CoreProbe}); absent where
 *     the run is simulated
 * @param gc collections of the measured phase, by collector
 * @param gcMillis time of all of them
 * @param heapUsedPeakBytes most heap in use at any time, garbage included
 * @param commitsPerForce commits that shared one force of the log on average
 * @param forces forces of the log in the measured phase
 * @param logBytesPerTransaction bytes of log for each committed transaction
 * @param bufferHitRatio part of page accesses that found their page in the pool, 0 to 1
 * @param terminalHitRatio the same without the accesses of the scan beside the run, where there is one
 * @param scannedRows rows that the scan beside the run has read
 * @param loadSeconds time that loading took
 * @param measuredSeconds length of the measured phase
 * @param turns of that phase, in order; absent where the run had its JVM for itself
 * @param failure why the run was given up, or empty
 * @param ok whether it ended and every check holds
 * @param processorTime samples of that run, by what they were about; absent likewise
 * @param profilerEvent by which the run was sampled for a flame graph, and why by no better one; absent if it was not
 * @param jvmFlags all options of the JVM
 * @param pinning where the process ran
 * @param repeat number of the repetition, from 1
 * @param control whether it is the control, the first configuration run again
 * @param configuration what was asked for
 * @param configurationHash of all settings, equal for repetitions only
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunReport(
        String engine,
        String scheduler,
        String sthreads,
        Map<String, String> isolation,
        String durability,
        int threads,
        double txnPerSecond,
        double newOrderPerMinute,
        Map<String, Long> commits,
        Double emptyDistrictPart,
        Map<String, LatencySummary> latencyMicros,
        Map<String, Long> aborts,
        long retries,
        List<TeamReport> teams,
        Map<String, String> consistencyAfterLoad,
        Map<String, String> consistency,
        List<String> tallyDifferences,
        double allocatedBytesPerTransaction,
        double cpuMicrosPerTransaction,
        Map<String, Double> cpuMicrosByThread,
        Double stolenPart,
        ProcessorShares processorShares,
        Double largePagePart,
        Double crowding,
        Map<String, CollectorReport> gc,
        long gcMillis,
        long heapUsedPeakBytes,
        Double commitsPerForce,
        Long forces,
        Double logBytesPerTransaction,
        Double bufferHitRatio,
        Double terminalHitRatio,
        Long scannedRows,
        double loadSeconds,
        double measuredSeconds,
        List<Turn> turns,
        String failure,
        boolean ok,
        String profilerEvent,
        FlameShares processorTime,
        List<String> jvmFlags,
        String pinning,
        int repeat,
        boolean control,
        RunSpec configuration,
        String configurationHash) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /** A JVM that has compiled what it runs takes 2 to 6 % by itself, and after five seconds a quarter to a half. */
    private static final double JVM_PART_MAX = 0.15;

    /** What the run is called in tables. */
    String label() {
        return configuration.label() + (control ? " (control)" : "");
    }

    /** Part of the measured time that collections took, 0 to 1 where they stop all threads. */
    double gcPart() {
        return measuredSeconds == 0 ? 0 : gcMillis / (measuredSeconds * MILLIS_PER_SECOND);
    }

    /** The part of {@link #emptyDistrictPart}, or {@code null} without a Delivery. */
    static Double emptyDistrictPart(Map<TransactionType, Long> commits, long deliveredOrders) {
        long districts = commits.getOrDefault(TransactionType.DELIVERY, 0L) * TpccScale.DISTRICTS;
        return districts == 0 ? null : 1 - (double) deliveredOrders / districts;
    }

    /**
     * Part of the processor time that the JVM's own threads took, its compilers above all, 0 to 1; 0 where no thread's
     * time is known.
     */
    private double jvmPart() {
        return cpuMicrosByThread == null || cpuMicrosByThread.size() < 2
                ? 0
                : cpuMicrosByThread.getOrDefault(ThreadTimes.OTHERS, 0.0) / cpuMicrosPerTransaction;
    }

    /**
     * What the JVM's own threads took of the processor time, 0 to 1, where it is so much that a ratio with another run
     * tells who was compiled first.
     */
    public OptionalDouble excessiveJvmPart() {
        double part = jvmPart();
        return part > JVM_PART_MAX ? OptionalDouble.of(part) : OptionalDouble.empty();
    }

    /** With what was found in its database afterwards. */
    RunReport with(ChildVerdict verdict) {
        return new RunReport(
                engine,
                scheduler,
                sthreads,
                isolation,
                durability,
                threads,
                txnPerSecond,
                newOrderPerMinute,
                commits,
                emptyDistrictPart,
                latencyMicros,
                aborts,
                retries,
                teams,
                verdict.consistencyAfterLoad(),
                verdict.consistency(),
                verdict.tallyDifferences(),
                allocatedBytesPerTransaction,
                cpuMicrosPerTransaction,
                cpuMicrosByThread,
                stolenPart,
                processorShares,
                largePagePart,
                crowding,
                gc,
                gcMillis,
                heapUsedPeakBytes,
                commitsPerForce,
                forces,
                logBytesPerTransaction,
                bufferHitRatio,
                terminalHitRatio,
                scannedRows,
                loadSeconds,
                measuredSeconds,
                turns,
                failure,
                ok
                        && verdict.tallyDifferences().isEmpty()
                        && verdict.consistencyAfterLoad().values().stream().allMatch(ConsistencyCheck.OK::equals)
                        && verdict.consistency().values().stream().allMatch(ConsistencyCheck.OK::equals),
                profilerEvent,
                processorTime,
                jvmFlags,
                pinning,
                repeat,
                control,
                configuration,
                configurationHash);
    }

    /** The report of a run that ended without writing one. */
    static RunReport failed(RunRequest request, String failure) {
        RunSpec spec = request.configuration();
        return new RunReport(
                spec.engine(),
                spec.scheduler(),
                spec.sthreads(),
                Map.of(),
                spec.durability(),
                spec.threads(),
                0,
                0,
                Map.of(),
                null,
                Map.of(),
                Map.of(),
                0,
                List.of(),
                Map.of(),
                Map.of(),
                List.of(),
                -1,
                -1,
                Map.of(),
                null,
                null,
                null,
                null,
                Map.of(),
                0,
                0,
                null,
                null,
                null,
                null,
                null,
                null,
                0,
                0,
                null,
                failure,
                false,
                null,
                null,
                List.of(),
                request.pinning(),
                request.repeat(),
                request.control(),
                spec,
                request.configurationHash());
    }
}
