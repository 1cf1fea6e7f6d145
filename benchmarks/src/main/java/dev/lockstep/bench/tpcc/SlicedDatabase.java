package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A database in which configurations have turns, one or several of them, and the tally of all that they committed. Used
 * by one thread.
 *
 * <p>Invariants: the tally has all that was committed while {@code failure} is empty; one that was given up stays so,
 * with the first reason.
 */
final class SlicedDatabase implements AutoCloseable {
    private final RunSpec spec;
    private final String directory;
    private final StallWatch watch;
    private final OpenEngine engine;
    private final Tally tally;
    private ConsistencyCheck.Report asLoaded;
    private double loadSeconds;
    private int rounds;
    private String failure = "";

    /** Opens it for a configuration; others in it differ in no more than {@link OpenEngine#allowTeams} tells. */
    SlicedDatabase(RunRequest request, StallWatch watch) {
        this(request, watch, Engines.open(request.configuration(), Path.of(request.directory())));
    }

    /** Takes a database that was opened as the request says. */
    SlicedDatabase(RunRequest request, StallWatch watch, OpenEngine engine) {
        this.spec = request.configuration();
        this.directory = request.directory();
        this.watch = watch;
        this.engine = engine;
        tally = new Tally(1, spec.warehouses());
    }

    OpenEngine engine() {
        return engine;
    }

    double loadSeconds() {
        return loadSeconds;
    }

    /** Why it had to be given up, or empty. */
    String failure() {
        return failure;
    }

    /** Gives it up, and with it all who have turns in it. */
    void fail(String why) {
        failure = failure.isEmpty() ? why : failure;
    }

    /** Fills the database and looks at what it holds. */
    void load(TpccProgress progress) throws InterruptedException {
        long began = System.nanoTime();
        TpccRun.load(configuration(Duration.ZERO), engine.adapter(), progress);
        loadSeconds = (double) (System.nanoTime() - began) / TimeUnit.SECONDS.toNanos(1);
        try (TpccScanner scanner = scanner()) {
            asLoaded = ConsistencyCheck.afterLoad(spec.scale(), scanner);
        }
        // What loading has left to be written must not be written in somebody's turn.
        engine.checkpoint();
    }

    /** Runs terminals for so long. */
    TpccResult run(Duration duration, TpccProgress progress) throws InterruptedException {
        TpccResult result = TpccRun.execute(configuration(duration), engine.adapter(), engine.threads(), progress);
        rounds++;
        fail(result.failure());
        if (failure.isEmpty()) {
            tally.add(result.tally());
        }
        return result;
    }

    private TpccConfiguration configuration(Duration duration) {
        return TpccConfiguration.builder(spec.scale())
                .terminals(spec.terminals())
                .threads(spec.threads())
                .mix(Spelling.parse(TransactionMix.class, spec.mix()))
                .think(spec.think())
                .warmUp(Duration.ZERO)
                .duration(duration)
                .seed(spec.seed())
                .round(rounds)
                .loadThreads(Processors.available())
                .load(false)
                .check(false)
                .dumpDirectory(Path.of(directory))
                .build();
    }

    private TpccScanner scanner() {
        return new WatchedAdapter(engine.adapter(), rows -> watch.alive()).openScanner();
    }

    /** What it held at first and holds now, against all that was committed. */
    ChildVerdict judge() throws InterruptedException {
        if (!failure.isEmpty()) {
            return ChildVerdict.NONE;
        }
        try (TpccScanner scanner = scanner()) {
            return ChildVerdict.of(TpccRun.judge(spec.scale(), asLoaded, scanner, tally));
        }
    }

    @Override
    public void close() {
        // A stalled engine could not be closed, and its JVM ends anyway.
        if (failure.isEmpty()) {
            engine.close();
        }
    }
}
