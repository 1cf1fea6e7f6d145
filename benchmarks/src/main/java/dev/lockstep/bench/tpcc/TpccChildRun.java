package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.codemap.MarkedAdapter;
import dev.lockstep.bench.codemap.MeasuredPhase;
import dev.lockstep.bench.codemap.OperationMarkers;
import dev.lockstep.bench.flame.FlameProfiler;
import dev.lockstep.bench.flame.FlameShares;
import dev.lockstep.bench.flame.TransactionFrames;
import dev.lockstep.bench.process.AnonymousMemory;
import dev.lockstep.bench.process.CoreProbe;
import dev.lockstep.bench.process.ProcessorTicks;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.StackSampler;
import dev.lockstep.counters.Markers;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run in this JVM: opens the engine, runs the workload, and gathers what it, the JVM and the engine counted. */
final class TpccChildRun implements TpccProgress {
    /** How many times longer than a real processor a simulated one may do nothing before it is given up. */
    static final int SLOWER = 20;

    /** Directory of a copy of the database as it was loaded, below that of the run. */
    static final String AS_LOADED = "as-loaded";

    /** The phase in which the simulated caches fill, before the measured one. */
    static final int PHASE_SETTLE = 2;

    /** On which all runs of a simulation begin, since dates are part of rows. */
    private static final Instant SIMULATED_DATE = Instant.parse("2026-01-01T00:00:00Z");

    private static final double NANOS_PER_SECOND = 1e9;

    private final RunRequest request;
    private final RunSpec spec;
    private final StallWatch watch;
    private final Consumer<ProgressLine> lines;
    private OpenEngine engine;
    private FlameProfiler profiler;
    private FlameShares shares;
    private ScanBeside scan;
    private volatile Phase phase = Phase.LOAD;
    private volatile boolean measuring;
    private volatile List<CompiledMethod> compiled = List.of();

    private Map<String, CollectorReport> collectorsBefore = Map.of();
    private Map<String, CollectorReport> collectors = Map.of();
    private Map<String, Long> threadNanosBefore = Map.of();
    private Map<String, Long> threadNanos = Map.of();
    private ProcessorTicks ticksBefore;
    private ProcessorTicks ticks;
    private AnonymousMemory memory;

    /** {@code null} where the run is simulated. */
    private CoreProbe core;

    private Double crowding;
    private EngineFigures figures = EngineFigures.NONE;
    private Long scannedRows;

    /**
     * Prepares a run.
     *
     * @param lines told how it gets on, about ten times a second
     */
    TpccChildRun(RunRequest request, StallWatch watch, Consumer<ProgressLine> lines) {
        this.request = request;
        this.spec = request.configuration();
        this.watch = watch;
        this.lines = lines;
    }

    /** Runs to the end; a run that had to be given up says so in its report. */
    RunReport run() throws IOException, InterruptedException {
        TpccConfiguration configuration = configuration();
        if (spec.profiled()) {
            profiler = FlameProfiler.prepare();
        }
        if (!Markers.isSimulated()) {
            core = new CoreProbe();
        }
        engine = Engines.open(spec, Path.of(request.directory()));
        if (request.part() == RunPart.LOADED) {
            readOnce();
        }
        if (spec.scanBeside() && !engine.scansBeside()) {
            throw new IllegalArgumentException("no scan beside a run is possible engine=" + spec.engine());
        }
        if (request.samples() != null) {
            StackSampler.prepare();
        }
        TpccResult result = TpccRun.execute(configuration, watched(engine.adapter()), engine.threads(), this);
        measurementEnds();
        tellState(result.tally());
        // A stalled engine could not be closed, and its JVM ends anyway.
        if (result.failure().isEmpty()) {
            engine.close();
        }
        return report(result);
    }

    /** An engine that tells of its scans, and of its transactions where operations are marked. */
    private TpccAdapter watched(TpccAdapter adapter) {
        TpccAdapter watched = new WatchedAdapter(adapter, this::scanned);
        return OperationMarkers.isInstalled() ? new MarkedAdapter(watched) : watched;
    }

    /** Loads the database and closes it. */
    void load() throws InterruptedException {
        try (OpenEngine opened = Engines.open(spec, Path.of(request.directory()))) {
            TpccRun.load(configuration(), opened.adapter(), this);
        }
    }

    /** Checks what another child's run has left, against the database as it was before and that child's tally. */
    ChildVerdict check() throws IOException, InterruptedException {
        TpccConfiguration configuration = configuration();
        Tally tally = Tally.of(
                spec.warehouses(),
                Json.read(Path.of(request.state()), ChildState.class).tally());
        Path directory = Path.of(request.directory());
        try (OpenEngine before = Engines.open(spec, directory.resolve(AS_LOADED));
                OpenEngine after = Engines.open(spec, directory);
                TpccScanner loaded = new WatchedAdapter(before.adapter(), this::scanned).openScanner();
                TpccScanner worked = new WatchedAdapter(after.adapter(), this::scanned).openScanner()) {
            phase(Phase.CHECK_RESULT);
            return ChildVerdict.of(TpccRun.judge(configuration.scale(), loaded, worked, tally));
        }
    }

    /** Brings all rows into the pool, as loading them here would have. */
    private void readOnce() {
        try (TpccScanner scanner = new WatchedAdapter(engine.adapter(), this::scanned).openScanner()) {
            scanner.warehouses(row -> {});
            scanner.districts(row -> {});
            scanner.customers(row -> {});
            scanner.histories(row -> {});
            scanner.newOrders(row -> {});
            scanner.orders(row -> {});
            scanner.orderLines(row -> {});
            scanner.items(row -> {});
            scanner.stocks(row -> {});
        }
    }

    private TpccConfiguration configuration() {
        return TpccConfiguration.builder(spec.scale())
                .terminals(spec.terminals())
                .threads(spec.threads())
                .mix(Spelling.parse(TransactionMix.class, spec.mix()))
                .think(spec.think())
                .warmUp(seconds(spec.warmUpSeconds()))
                .duration(seconds(spec.durationSeconds()))
                .transactions(spec.warmUpTransactions(), spec.transactions())
                .atLeast(request.samples() == null || spec.transactions() == 0 ? Duration.ZERO : StackSampler.TIME_MIN)
                .seed(spec.seed())
                .date(request.ofSimulation() ? SIMULATED_DATE : null)
                // Several threads load the same rows to other places each time.
                .loadThreads(request.ofSimulation() ? 1 : Processors.available())
                .load(request.part() != RunPart.LOADED)
                .check(request.part() == RunPart.WHOLE)
                .stallLimit(TpccConfiguration.STALL_LIMIT.multipliedBy(Markers.isSimulated() ? SLOWER : 1))
                .dumpDirectory(Path.of(request.directory()))
                .build();
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * NANOS_PER_SECOND));
    }

    @Override
    public void phase(Phase next) {
        watch.alive();
        if (next == Phase.WARM_UP) {
            // What loading and checking left behind would otherwise be collected during the measurement.
            System.gc();
            SimulatedPhases.tellJvm();
        } else if (next == Phase.MEASURE) {
            measurementBegins();
        } else if (next == Phase.CHECK_RESULT) {
            measurementEnds();
        }
        phase = next;
        lines.accept(new ProgressLine(next, 0, 0, 0));
    }

    @Override
    public void loaded(long rows, long rowsEstimated) {
        // The driver itself looks whether terminals get on.
        watch.aliveAt(rows);
        lines.accept(new ProgressLine(phase, rows, rowsEstimated, 0));
    }

    @Override
    public void running(long transactions, Duration elapsed) {
        if (spec.transactions() > 0) {
            tell(transactions, spec.warmUpTransactions() + spec.transactions(), transactions);
        } else {
            tell(
                    elapsed.toMillis(),
                    seconds(spec.warmUpSeconds() + spec.durationSeconds()).toMillis(),
                    transactions);
        }
    }

    @Override
    public void settling() {
        SimulatedPhases.begin(PHASE_SETTLE);
    }

    @Override
    public void measureEnds() {
        if (measuring && !Markers.isSimulated()) {
            ticks = ProcessorTicks.now();
            threadNanos = ThreadTimes.now();
        }
    }

    @Override
    public void measured() {
        measurementEnds();
    }

    private void scanned(long rows) {
        tell(rows, 0, 0);
    }

    private void tell(long done, long total, long transactions) {
        watch.alive();
        lines.accept(new ProgressLine(phase, done, total, transactions));
    }

    private void measurementBegins() {
        if (request.state() != null) {
            // Before samples are taken: reading the JVM's log runs interpreted, a tenth of a second and more.
            compiled = CompiledMethod.here(Path.of(GuestOptions.COMPILATIONS));
        }
        if (spec.profiled()) {
            profiler.start(Path.of(request.directory(), "flames.jfr"));
        } else if (request.samples() != null) {
            StackSampler.start();
        }
        if (core != null) {
            core.begin();
        }
        engine.measurementBegins();
        if (spec.scanBeside()) {
            scan = new ScanBeside(engine.adapter());
            scan.start();
        }
        collectorsBefore = CollectorUsage.now();
        if (!Markers.isSimulated()) {
            threadNanosBefore = ThreadTimes.now();
            ticksBefore = ProcessorTicks.now();
        }
        measuring = true;
        MeasuredPhase.begin();
    }

    private void measurementEnds() {
        if (!measuring) {
            return;
        }
        measuring = false;
        MeasuredPhase.end();
        collectors = CollectorUsage.between(collectorsBefore, CollectorUsage.now());
        if (scan != null) {
            scannedRows = stopScan();
        }
        figures = engine.figures();
        if (core != null) {
            crowding = core.mean();
            memory = AnonymousMemory.now();
        }
        if (spec.profiled()) {
            shares = profiler.stop(Path.of(request.flameGraph()), "tpcc " + spec.label(), TransactionFrames.BY_METHOD);
        } else if (request.samples() != null) {
            StackSampler.stop(Path.of(request.samples()));
        }
    }

    /** Tells of this JVM, if it is asked for. */
    private void tellState(Tally tally) throws IOException {
        if (request.state() != null) {
            Json.write(
                    Path.of(request.state()),
                    new ChildState(SimulatedTime.description(), compiled, tally == null ? List.of() : tally.numbers()));
        }
    }

    private Long stopScan() {
        try {
            return scan.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private RunReport report(TpccResult result) {
        return new RunReport(
                spec.engine(),
                spec.scheduler(),
                spec.sthreads(),
                Spelling.keys(result.isolation()),
                spec.durability(),
                result.threads(),
                result.transactionsPerSecond(),
                result.newOrdersPerMinute(),
                Spelling.keys(result.commits()),
                RunReport.emptyDistrictPart(result.commits(), result.deliveredOrders()),
                LatencyGroup.summaries(result.latencies()),
                Spelling.keys(result.aborts()),
                result.retries(),
                figures.teams(),
                ChildVerdict.numbered(result.consistencyAfterLoad()),
                ChildVerdict.numbered(result.consistency()),
                result.tallyDifferences(),
                result.allocatedBytesPerTransaction(),
                result.cpuMicrosPerTransaction(),
                ThreadTimes.between(
                        threadNanosBefore, threadNanos, result.committed(), result.cpuMicrosPerTransaction()),
                ProcessorTicks.stolenPart(ticksBefore, ticks),
                ProcessorTicks.shares(ticksBefore, ticks),
                memory == null ? null : memory.largePart(),
                crowding,
                collectors,
                collectors.values().stream().mapToLong(CollectorReport::millis).sum(),
                CollectorUsage.heapUsedPeakBytes(),
                figures.commitsPerForce(),
                figures.forces(),
                figures.logBytes() == null || result.committed() == 0
                        ? null
                        : (double) figures.logBytes() / result.committed(),
                figures.bufferHitRatio(),
                scannedRows == null ? null : figures.terminalHitRatio(),
                scannedRows,
                result.loadNanos() / NANOS_PER_SECOND,
                result.measuredNanos() / NANOS_PER_SECOND,
                null,
                result.failure(),
                result.ok(),
                profiler == null ? null : profiler.event(),
                shares,
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                request.pinning(),
                request.repeat(),
                request.control(),
                spec,
                request.configurationHash());
    }
}
