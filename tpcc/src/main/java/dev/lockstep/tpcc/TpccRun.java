package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.check.TallyCheck;
import dev.lockstep.tpcc.workload.Population;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TerminalLoop;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One run of TPC-C on one engine: load, check, warm up, measure, check. Not thread-safe; the engine stays open and may
 * be used for another run, without loading.
 */
public final class TpccRun {
    private final TpccConfiguration configuration;
    private final TpccAdapter adapter;
    private final TerminalThreads threads;
    private final TpccProgress progress;

    private TpccRun(
            TpccConfiguration configuration, TpccAdapter adapter, TerminalThreads threads, TpccProgress progress) {
        this.configuration = configuration;
        this.adapter = adapter;
        this.threads = threads;
        this.progress = progress;
    }

    /**
     * Runs.
     *
     * @param adapter an engine of the configuration's scale; empty if it is to be loaded
     * @param threads the kind of thread for the terminals
     * @return what was measured; a run that had to be given up says so in {@link TpccResult#failure}
     * @throws InterruptedException if the calling thread is interrupted; terminals then end by themselves
     * @throws IllegalStateException if loading fails
     */
    public static TpccResult execute(
            TpccConfiguration configuration, TpccAdapter adapter, TerminalThreads threads, TpccProgress progress)
            throws InterruptedException {
        return new TpccRun(configuration, adapter, threads, progress).execute();
    }

    /** Loads a population as {@link #execute} would, and nothing else. */
    public static void load(TpccConfiguration configuration, TpccAdapter adapter, TpccProgress progress)
            throws InterruptedException {
        progress.phase(TpccProgress.Phase.LOAD);
        Population population = new Population(configuration.scale(), configuration.seed(), configuration.nowMillis());
        new DatabaseLoader(adapter, population).load(configuration.loadThreads(), progress);
    }

    /**
     * What a database holds, against what was counted.
     *
     * @param consistencyBefore verdict by condition
     * @param consistency verdict by condition after the run
     * @param tallyDifferences where the database and the tally disagree
     */
    public record Judgement(
            SortedMap<Integer, String> consistencyBefore,
            SortedMap<Integer, String> consistency,
            List<String> tallyDifferences) {}

    /**
     * Checks a database on which a run has worked, for which that was left out.
     *
     * @param before the database as it was loaded
     * @param after the same after the run
     * @param tally of that run
     */
    public static Judgement judge(TpccScale scale, TpccScanner before, TpccScanner after, Tally tally) {
        return judge(scale, ConsistencyCheck.afterLoad(scale, before), after, tally);
    }

    /**
     * The same where the database was looked at when it had been loaded.
     *
     * @param before what it held then
     * @param scanner of the database after one or more runs
     * @param tally of all of them
     */
    public static Judgement judge(TpccScale scale, ConsistencyCheck.Report before, TpccScanner scanner, Tally tally) {
        ConsistencyCheck.Report after = ConsistencyCheck.check(
                scale, scanner, (w, d) -> before.totals().delivered(w, d) + tally.deliveries(w, d));
        return new Judgement(
                before.conditions(),
                after.conditions(),
                TallyCheck.differences(before.totals(), after.totals(), tally));
    }

    private TpccResult execute() throws InterruptedException {
        TpccScale scale = configuration.scale();
        long loadNanos = 0;
        if (configuration.load()) {
            long start = System.nanoTime();
            load(configuration, adapter, progress);
            loadNanos = System.nanoTime() - start;
        }
        ConsistencyCheck.Report before = null;
        SortedMap<Integer, String> afterLoad = Collections.emptySortedMap();
        if (configuration.check()) {
            progress.phase(TpccProgress.Phase.CHECK_LOADED);
            try (TpccScanner scanner = adapter.openScanner()) {
                before = ConsistencyCheck.afterLoad(scale, scanner);
            }
            if (configuration.load()) {
                afterLoad = before.conditions();
            }
        }
        WorkloadDriver driver = new WorkloadDriver(configuration, adapter, threads, progress);
        driver.run();
        SortedMap<Integer, String> conditions = Collections.emptySortedMap();
        List<String> differences = List.of();
        // A database that terminals still work on, or that failed, cannot be judged.
        if (before != null && driver.failure().isEmpty()) {
            progress.phase(TpccProgress.Phase.CHECK_RESULT);
            try (TpccScanner scanner = adapter.openScanner()) {
                Judgement judgement = judge(scale, before, scanner, driver.tally());
                conditions = judgement.consistency();
                differences = judgement.tallyDifferences();
            }
        }
        return result(driver, loadNanos, afterLoad, conditions, differences);
    }

    private TpccResult result(
            WorkloadDriver driver,
            long loadNanos,
            SortedMap<Integer, String> afterLoad,
            SortedMap<Integer, String> conditions,
            List<String> differences) {
        Map<TransactionType, String> isolation = new EnumMap<>(TransactionType.class);
        Map<TransactionType, Long> commits = new EnumMap<>(TransactionType.class);
        Map<AbortReason, Long> aborts = new EnumMap<>(AbortReason.class);
        long retries = 0;
        long deliveredOrders = 0;
        // While terminals still run, their counters must not be read: such a run reports its failure alone.
        if (driver.atRest()) {
            for (TransactionType type : TransactionType.values()) {
                commits.put(
                        type,
                        driver.loops().stream().mapToLong(l -> l.commits(type)).sum());
            }
            for (AbortReason reason : AbortReason.values()) {
                aborts.put(
                        reason,
                        driver.loops().stream().mapToLong(l -> l.aborts(reason)).sum());
            }
            retries = driver.loops().stream().mapToLong(TerminalLoop::retries).sum();
            deliveredOrders = driver.loops().stream()
                    .mapToLong(TerminalLoop::deliveredOrders)
                    .sum();
        }
        for (TransactionType type : TransactionType.values()) {
            isolation.put(type, adapter.isolation(type));
        }
        return new TpccResult(
                adapter.name(),
                threads.name(),
                configuration,
                driver.threadCount(),
                Collections.unmodifiableMap(isolation),
                loadNanos,
                driver.used().nanoTime(),
                driver.used().cpuNanos(),
                driver.used().allocatedBytes(),
                Collections.unmodifiableMap(commits),
                deliveredOrders,
                driver.atRest() ? driver.latencies() : null,
                Collections.unmodifiableMap(aborts),
                retries,
                Collections.unmodifiableSortedMap(new TreeMap<>(afterLoad)),
                Collections.unmodifiableSortedMap(new TreeMap<>(conditions)),
                List.copyOf(differences),
                driver.atRest() ? driver.tally() : null,
                driver.failure());
    }
}
