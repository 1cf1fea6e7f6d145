package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.Map;

/**
 * All that one run depends on, as it is handed to the child JVM and kept in the result. Enumerations are spelled as on
 * the command line. The URL of a server is not part of it, since it may hold a password.
 *
 * @param engine spelled as {@link EngineName}
 * @param variant what tells it from the command's other runs of the same engine, scheduler and grouping, or empty
 * @param grouping how work is put together, in teams and in batches, where the command's runs differ in it, or empty
 * @param warehouses one or more
 * @param shrink of which each has one part of the items, customers and orders that TPC-C has, so 1 for TPC-C
 * @param terminals emulated users in all
 * @param threads threads that serve them: S-threads or virtual threads of Lockstep, connections of a peer
 * @param cores processors that the whole process runs on
 * @param scheduler spelled as {@link Scheduling}
 * @param sthreads kind of S-threads, or {@code none} where the scheduler is not STEPS
 * @param teams when teams are formed, or {@code none} likewise
 * @param teamPolicy which list becomes the next team, spelled as {@link NamedPolicy}, or {@code none} likewise
 * @param teamExecution how teams execute, or {@code none} likewise
 * @param consolidation whether small teams are consolidated, or {@code none} where teams are not always formed
 * @param lending whether idle carriers help others
 * @param teamLimit largest number of members
 * @param teamL2Bytes the L2 cache that teams of operations in {@code teamDataBytes} keep to; 0 where it is empty
 * @param teamDataBytes by operation, what one execution touches of data
 * @param switchPoints whether members take turns at switch points
 * @param batches whether rows that a statement names together go to Lockstep together
 * @param durability spelled as the engine's, or {@code none} for engines without a log, {@code server} where the server
 *     was started with it
 * @param isolation of all transactions, or {@code tpcc} for the levels that TPC-C requires
 * @param warmUpSeconds time before measuring; also the part of {@code transactions} run before
 * @param durationSeconds time measured
 * @param warmUpTransactions transactions before measuring, where {@code transactions} is not 0
 * @param transactions transactions measured, or 0 to go by time
 * @param mix which transactions
 * @param think whether terminals wait for keying and think times
 * @param poolBytes size of Lockstep's buffer pool, 0 for other engines
 * @param directory where the directory of its files is made, or {@code null} for the directory for temporary files
 * @param seed of everything random
 * @param fsyncDelayMillis added to each force of the log
 * @param protection what is done for the time after a crash, or {@code null} for other engines
 * @param scanBeside whether a thread scans whole tables during the measured phase
 * @param profiled whether the measured phase is drawn as a flame graph, which takes its time
 * @param sliceSeconds length of a turn where several runs take turns in one JVM; 0 where this one has a JVM of its own
 * @param sharesDatabase whether those that take turns do so on one database
 * @param heapBytes largest and smallest heap of its JVM, which it may share with others
 */
record RunSpec(
        String engine,
        String variant,
        String grouping,
        int warehouses,
        int shrink,
        int terminals,
        int threads,
        int cores,
        String scheduler,
        String sthreads,
        String teams,
        String teamPolicy,
        String teamExecution,
        String consolidation,
        boolean lending,
        int teamLimit,
        long teamL2Bytes,
        Map<String, Long> teamDataBytes,
        boolean switchPoints,
        boolean batches,
        String durability,
        String isolation,
        double warmUpSeconds,
        double durationSeconds,
        long warmUpTransactions,
        long transactions,
        String mix,
        boolean think,
        long poolBytes,
        String directory,
        long seed,
        int fsyncDelayMillis,
        Protection protection,
        boolean scanBeside,
        boolean profiled,
        double sliceSeconds,
        boolean sharesDatabase,
        long heapBytes) {
    /** The isolation levels that TPC-C requires, by transaction type. */
    static final String ISOLATION_TPCC = "tpcc";

    TpccScale scale() {
        return TpccScale.shrunk(warehouses, shrink);
    }

    EngineName engineName() {
        return Spelling.parse(EngineName.class, engine);
    }

    Scheduling scheduling() {
        return Spelling.parse(Scheduling.class, scheduler);
    }

    /** Whether teams may form. */
    boolean usesTeams() {
        return scheduling() == Scheduling.STEPS && !teams.equals(Spelling.of(TeamMode.OFF));
    }

    /** What the run is called in tables and ratios: the scheduler of Lockstep, else the engine. */
    String label() {
        return switch (scheduling()) {
            case JDK, STEPS ->
                engine
                        + "/"
                        + scheduler
                        + (variant.isEmpty() ? "" : " " + variant)
                        + (grouping.isEmpty() ? "" : " " + grouping);
            case PLATFORM -> engineName().connectionCounts(terminals).size() > 1 ? engine + "/" + threads : engine;
        };
    }
}
