package dev.lockstep.bench.codemap;

import dev.lockstep.counters.Markers;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.SThreadTerminals;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;

/** One run of a workload in this JVM, marked for the simulator. */
final class CodeMapChildRun {
    /** Rounds between two looks at the compilers: some seconds of a simulated process. */
    private static final long ROUNDS_PER_LOOK = 5_000;

    /** Looks in a row that find the compilers at rest: the last methods are compiled by chance, in bursts. */
    private static final int LOOKS_AT_REST = 2;

    /** The part of its time for which the compilers may work in a look that counts as rest. */
    private static final double PART_AT_REST_MAX = 0.03;

    /** A tenth and less of TPC-C's: it is the code that counts, and loading takes a simulated process long. */
    private static final TpccScale SCALE = new TpccScale(1, 5_000, 300, 90);

    private static final double NANOS_PER_MILLI = 1e6;
    private static final long POOL_BYTES = 256L << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final CodeMapSpec spec;
    private final CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    private long warmUpRounds;
    private boolean cameToRest;
    private long compileMillis;

    CodeMapChildRun(CodeMapSpec spec) {
        this.spec = spec;
    }

    /** Runs to the end. */
    CodeMapChildReport run(Path directory) throws InterruptedException {
        Scheduler scheduler = spec.steps()
                ? new Scheduler(SchedulerOptions.defaults().withCarriers(1).withKind(SThreadKind.CONTINUATION))
                : null;
        try {
            Database database = Database.open(directory.resolve("database"), options(), scheduler);
            switch (spec.workload()) {
                case OPERATIONS -> operations(database, scheduler);
                case TPCC -> tpcc(database, scheduler);
            }
        } finally {
            if (scheduler != null) {
                scheduler.close();
            }
        }
        return new CodeMapChildReport(
                warmUpRounds,
                cameToRest,
                compileMillis,
                OperationMarkers.pairs().stream()
                        .map(pair -> new CodeMapChildReport.Marked(
                                pair.number(), pair.context(), pair.operation(), OperationMarkers.count(pair.number())))
                        .toList(),
                Markers.obstacle().orElse(""),
                CodeMap.thisJvm(),
                ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    private static DatabaseOptions options() {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .poolBytes(POOL_BYTES)
                .build();
    }

    private void operations(Database database, Scheduler scheduler) throws InterruptedException {
        try (database) {
            if (scheduler == null) {
                operations(database);
                return;
            }
            SThread sThread = scheduler.start("operations", -1, () -> operations(database));
            sThread.join();
            if (sThread.failure() != null) {
                throw new IllegalStateException("the workload failed", sThread.failure());
            }
        }
    }

    private void operations(Database database) {
        TransactionOptions defaults = TransactionOptions.of(options());
        try (OperationWorkload workload = new OperationWorkload(database, defaults, spec.seed())) {
            warmUp(workload::run);
            measurementBegins();
            workload.run(spec.rounds());
            measurementEnds();
        }
    }

    /** Runs rounds until the compilers are at rest, but not for ever. */
    private void warmUp(LongConsumer rounds) {
        int atRest = 0;
        while (warmUpRounds < spec.warmUpRoundsMax() && atRest < LOOKS_AT_REST) {
            long before = compilers.getTotalCompilationTime();
            long start = System.nanoTime();
            long asked = Math.min(ROUNDS_PER_LOOK, spec.warmUpRoundsMax() - warmUpRounds);
            rounds.accept(asked);
            warmUpRounds += asked;
            double elapsedMillis = (System.nanoTime() - start) / NANOS_PER_MILLI;
            double part = (compilers.getTotalCompilationTime() - before) / elapsedMillis;
            atRest = part <= PART_AT_REST_MAX ? atRest + 1 : 0;
        }
        cameToRest = atRest == LOOKS_AT_REST;
    }

    private void tpcc(Database database, Scheduler scheduler) throws InterruptedException {
        TerminalThreads threads = scheduler == null ? TerminalThreads.virtual() : new SThreadTerminals(scheduler);
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, TIMEOUT)) {
            TpccAdapter marked = new MarkedAdapter(adapter);
            TpccRun.load(transactions(1), marked, TpccProgress.NONE);
            warmUp(rounds -> transactions(rounds, marked, threads, TpccProgress.NONE));
            transactions(spec.rounds(), marked, threads, new TpccProgress() {
                @Override
                public void phase(Phase phase) {
                    if (phase == Phase.MEASURE) {
                        measurementBegins();
                    }
                }
            });
            measurementEnds();
        }
    }

    /** Runs transactions on what is loaded. */
    private void transactions(long rounds, TpccAdapter adapter, TerminalThreads threads, TpccProgress progress) {
        try {
            TpccResult result = TpccRun.execute(transactions(rounds), adapter, threads, progress);
            if (!result.failure().isEmpty()) {
                throw new IllegalStateException("the workload failed: " + result.failure());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private TpccConfiguration transactions(long rounds) {
        return TpccConfiguration.builder(SCALE)
                .terminals(spec.terminals())
                .threads(spec.terminals())
                .transactions(0, rounds)
                .seed(spec.seed() + warmUpRounds)
                .load(false)
                .loadThreads(1)
                .check(false)
                .stallLimit(TIMEOUT)
                .build();
    }

    private void measurementBegins() {
        compileMillis = -compilers.getTotalCompilationTime();
        OperationMarkers.startCounting();
        Markers.phaseBegin(Markers.PHASE_MEASURED);
    }

    private void measurementEnds() {
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        OperationMarkers.stopCounting();
        compileMillis += compilers.getTotalCompilationTime();
    }
}
