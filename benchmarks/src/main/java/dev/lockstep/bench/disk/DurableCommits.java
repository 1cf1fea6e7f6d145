package dev.lockstep.bench.disk;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DatabaseStatistics;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;
import java.time.Duration;

/** TPC-C with durable commits, in this process. */
final class DurableCommits {
    private static final long POOL_BYTES = 1L << 30;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final double NANOS_PER_SECOND = 1e9;

    private final DiskSpec spec;

    DurableCommits(DiskSpec spec) {
        this.spec = spec;
    }

    /** Runs it on a database that it makes. */
    DiskRun run(Path home) throws InterruptedException {
        Duration time = Duration.ofNanos(Math.round(spec.seconds() * NANOS_PER_SECOND));
        DatabaseOptions database = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(POOL_BYTES)
                .build();
        TpccConfiguration.Builder configuration = TpccConfiguration.builder(spec.scale())
                .terminals(spec.terminals())
                .threads(spec.terminals())
                .seed(spec.seed())
                .check(false)
                .dumpDirectory(home);
        if (spec.transactions() > 0) {
            configuration.transactions(spec.transactions() / 2, spec.transactions());
        } else {
            configuration.warmUp(time.dividedBy(2)).duration(time);
        }
        try (LockstepAdapter adapter =
                new LockstepAdapter(Database.open(home, database), null, Durability.SYNC, TIMEOUT)) {
            Forces forces = new Forces(adapter.database(), FlameRun.prepare("disk " + spec.terminals() + " terminals"));
            TpccResult result = TpccRun.execute(configuration.build(), adapter, TerminalThreads.virtual(), forces);
            if (!result.failure().isEmpty()) {
                throw new IllegalStateException("a run failed terminals=" + spec.terminals() + ": " + result.failure());
            }
            double measured = result.measuredNanos() / NANOS_PER_SECOND;
            return new DiskRun(
                    spec.terminals(),
                    result.committed(),
                    result.transactionsPerSecond(),
                    forces.count() / measured,
                    (double) forces.commits() / Math.max(1, forces.count()));
        }
    }

    /** Counts forces of the log and commits of the measured phase, which a flame graph shows if one is asked for. */
    private static final class Forces implements TpccProgress {
        private final Database database;
        private final FlameRun flames;
        private DatabaseStatistics before;
        private DatabaseStatistics after;

        Forces(Database database, FlameRun flames) {
            this.database = database;
            this.flames = flames;
            before = database.statistics();
            after = before;
        }

        @Override
        public void phase(Phase phase) {
            if (phase == Phase.MEASURE) {
                flames.start();
                before = database.statistics();
            }
        }

        @Override
        public void measured() {
            after = database.statistics();
            flames.close();
        }

        long count() {
            return after.logForces() - before.logForces();
        }

        long commits() {
            return after.commits() - before.commits();
        }
    }
}
