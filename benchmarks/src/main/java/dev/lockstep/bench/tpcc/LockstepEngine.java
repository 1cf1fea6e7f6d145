package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DatabaseStatistics;
import dev.lockstep.engine.DatabaseStatus.CheckpointStatus;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.SessionStatistics;
import dev.lockstep.scheduler.NodeLayout;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamLimits;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.TeamPolicy;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.SThreadTerminals;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Lockstep, its terminals on the JDK's virtual threads or on S-threads; the engine's code is the same. */
final class LockstepEngine implements OpenEngine {
    /** One transaction may take so long: what RESULTS.md counts as timed out. */
    private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

    private static final String DATABASE = "database";

    private final Scheduler scheduler;
    private final LockstepAdapter adapter;
    private final TerminalThreads threads;
    private volatile DatabaseStatistics before;
    private volatile SessionStatistics scannersBefore;

    private LockstepEngine(Scheduler scheduler, LockstepAdapter adapter, TerminalThreads threads) {
        this.scheduler = scheduler;
        this.adapter = adapter;
        this.threads = threads;
        this.before = adapter.database().statistics();
        this.scannersBefore = adapter.scannerStatistics();
    }

    /** Opens an empty database in a directory below one that exists. */
    static LockstepEngine open(RunSpec spec, Path directory) {
        Durability durability = Spelling.parse(Durability.class, spec.durability());
        NodeLayout nodes = NodesFile.layout();
        DatabaseOptions options = spec.protection()
                .applyTo(DatabaseOptions.builder())
                .nodeLayout(nodes)
                .createIfMissing(true)
                .durability(durability)
                // TPC-C takes no snapshots, and with commits that are answered early they would cost it something.
                .durableSnapshots(durability == Durability.SYNC)
                .poolBytes(spec.poolBytes())
                .extraForceDelay(Duration.ofMillis(spec.fsyncDelayMillis()))
                .build();
        Scheduler scheduler = spec.scheduling() == Scheduling.STEPS ? scheduler(spec, nodes) : null;
        Database database = Database.open(directory.resolve(DATABASE), options, scheduler);
        LockstepAdapter adapter =
                new LockstepAdapter(database, Engines.isolation(spec), durability, TRANSACTION_TIMEOUT, spec.batches());
        return new LockstepEngine(
                scheduler,
                adapter,
                scheduler == null ? TerminalThreads.virtual() : new SThreadTerminals(scheduler, spec.warehouses()));
    }

    private static Scheduler scheduler(RunSpec spec, NodeLayout nodes) {
        return new Scheduler(SchedulerOptions.defaults()
                .withCarriers(spec.cores())
                .withNodes(nodes)
                .withKind(Spelling.parse(SThreadKind.class, spec.sthreads()))
                .withTeamMode(Spelling.parse(TeamMode.class, spec.teams()))
                .withPolicy(
                        spec.usesTeams()
                                ? Spelling.parse(NamedPolicy.class, spec.teamPolicy())
                                        .policy()
                                : TeamPolicy.lastWanted())
                .withTeamExecution(
                        spec.usesTeams()
                                ? Spelling.parse(TeamExecution.class, spec.teamExecution())
                                : TeamExecution.SWITCHING)
                .withTeamLimit(spec.teamLimit())
                .withTeamLimits(new TeamLimits(spec.teamL2Bytes(), spec.teamDataBytes()))
                .withConsolidationOn(spec.consolidation().equals(Choice.OfSwitch.ON))
                .withLendingOn(spec.lending())
                .withSwitchPointsOn(spec.switchPoints()));
    }

    @Override
    public TpccAdapter adapter() {
        return adapter;
    }

    @Override
    public TerminalThreads threads() {
        return threads;
    }

    @Override
    public void allowTeams(boolean allowed) {
        if (scheduler != null) {
            scheduler.allowTeams(allowed);
        }
    }

    @Override
    public void checkpoint() {
        adapter.database().checkpoint();
    }

    @Override
    public boolean writesCheckpoint() {
        CheckpointStatus checkpoint = adapter.database().status().checkpoint();
        return checkpoint.running() || checkpoint.bytesUntilNext() == 0;
    }

    @Override
    public boolean scansBeside() {
        return true;
    }

    @Override
    public void measurementBegins() {
        before = adapter.database().statistics();
        scannersBefore = adapter.scannerStatistics();
        if (scheduler != null) {
            scheduler.resetStatistics();
        }
    }

    @Override
    public EngineFigures figures() {
        DatabaseStatistics after = adapter.database().statistics();
        SessionStatistics scannersAfter = adapter.scannerStatistics();
        return new EngineFigures(
                scheduler == null ? List.of() : scheduler.statistics(),
                after.commits() - before.commits(),
                after.logForces() - before.logForces(),
                after.logBytes() - before.logBytes(),
                after.pageAccesses() - before.pageAccesses(),
                after.pageMisses() - before.pageMisses(),
                scannersAfter.pageAccesses() - scannersBefore.pageAccesses(),
                scannersAfter.pageMisses() - scannersBefore.pageMisses());
    }

    @Override
    public void close() {
        adapter.close();
        if (scheduler != null) {
            scheduler.close();
        }
    }
}
