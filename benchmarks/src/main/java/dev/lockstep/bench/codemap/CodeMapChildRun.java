package dev.lockstep.bench.codemap;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.StackSampler;
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
import java.util.List;

/** One run of a workload in this JVM, marked for the simulator. */
final class CodeMapChildRun {
    private static final long ROUNDS_PER_CALL = 100;

    /** A tenth and less of TPC-C's: it is the code that counts, and loading takes a simulated process long. */
    private static final TpccScale SCALE = new TpccScale(1, 5_000, 300, 90);

    /** Holds {@link #SCALE} and what is added to it. */
    private static final long TPCC_POOL_BYTES = 256L << 20;

    /** No larger than need be, since a simulated process zeroes a hundred megabytes or less a second. */
    private static final long OPERATIONS_POOL_BYTES_MIN = 16L << 20;

    /** Twice what a row of {@link OperationWorkload} takes in a full page. */
    private static final long POOL_BYTES_PER_ROW = 256;

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final CodeMapSpec spec;
    private final FlameRun flames;
    private final CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    private long compileMillis;
    private List<CompiledMethod> compiled = List.of();

    /** On a platform thread. */
    CodeMapChildRun(CodeMapSpec spec) {
        this.spec = spec;
        flames = FlameRun.prepare("codemap " + Spelling.of(spec.workload()));
    }

    /** Runs to the end. */
    CodeMapChildReport run(Path directory) throws InterruptedException {
        if (spec.samples() != null) {
            StackSampler.prepare();
        }
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
                compileMillis,
                OperationMarkers.marked(),
                Markers.obstacle().orElse(""),
                compiled,
                SimulatedTime.description(),
                CodeMap.thisJvm(),
                ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    private DatabaseOptions options() {
        long poolBytes =
                switch (spec.workload()) {
                    case OPERATIONS -> OPERATIONS_POOL_BYTES_MIN + spec.rows() * POOL_BYTES_PER_ROW;
                    case TPCC -> TPCC_POOL_BYTES;
                };
        return DatabaseOptions.builder()
                .nodeLayout(NodesFile.layout())
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .durableSnapshots(false)
                .poolBytes(poolBytes)
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
        try (OperationWorkload workload =
                new OperationWorkload(database, defaults, spec.rows(), spec.seed(), spec.marked())) {
            // In many calls, so that the measured one finds its method compiled, not only the loop in it.
            for (long left = spec.warmUpRounds(); left > 0; left -= ROUNDS_PER_CALL) {
                workload.run(Math.min(left, ROUNDS_PER_CALL));
            }
            measurementBegins();
            long beginNanos = System.nanoTime();
            do {
                workload.run(spec.rounds());
            } while (System.nanoTime() - beginNanos < durationMin().toNanos());
            measurementEnds();
        }
    }

    private void tpcc(Database database, Scheduler scheduler) throws InterruptedException {
        TerminalThreads threads =
                scheduler == null ? TerminalThreads.virtual() : new SThreadTerminals(scheduler, SCALE.warehouses());
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, TIMEOUT)) {
            TpccAdapter told = spec.marked() ? new MarkedAdapter(adapter) : adapter;
            TpccResult result = TpccRun.execute(configuration(), told, threads, new TpccProgress() {
                @Override
                public void phase(Phase phase) {
                    if (phase == Phase.MEASURE) {
                        measurementBegins();
                    }
                }

                @Override
                public void measured() {
                    measurementEnds();
                }
            });
            if (!result.failure().isEmpty()) {
                throw new IllegalStateException("the workload failed: " + result.failure());
            }
        }
    }

    private TpccConfiguration configuration() {
        return TpccConfiguration.builder(SCALE)
                .terminals(spec.terminals())
                .threads(spec.terminals())
                .transactions(spec.warmUpRounds(), spec.rounds())
                .seed(spec.seed())
                .atLeast(durationMin())
                .loadThreads(1)
                .check(false)
                .stallLimit(TIMEOUT)
                .build();
    }

    private Duration durationMin() {
        return spec.samples() == null && !flames.isAsked() ? Duration.ZERO : StackSampler.TIME_MIN;
    }

    private void measurementBegins() {
        if (spec.warmUpRounds() > 0) {
            compiled = CompiledMethod.here(Path.of(GuestOptions.COMPILATIONS));
        }
        if (spec.samples() != null) {
            StackSampler.start();
        }
        flames.start();
        compileMillis = -compilers.getTotalCompilationTime();
        MeasuredPhase.begin();
    }

    private void measurementEnds() {
        MeasuredPhase.end();
        flames.close();
        if (spec.samples() != null) {
            StackSampler.stop(Path.of(spec.samples()));
        }
        compileMillis += compilers.getTotalCompilationTime();
    }
}
