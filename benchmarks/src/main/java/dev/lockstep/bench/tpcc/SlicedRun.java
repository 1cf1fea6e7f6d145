package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.AnonymousMemory;
import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One configuration of several that take turns in this JVM, in a database of its own or of all of them: what it did in
 * its turns so far. Used by one thread.
 */
final class SlicedRun {
    /** A turn is seconds, and so is a checkpoint, unless the disk cannot keep up. */
    private static final int SLICES_MAX = 60;

    private final RunRequest request;
    private final RunSpec spec;
    private final SlicedDatabase database;
    private final StallWatch watch;
    private final Consumer<ProgressLine> lines;
    private final OpenEngine engine;
    private TpccResult last;
    private TpccProgress.Phase phase = TpccProgress.Phase.LOAD;
    private long wantedNanos;
    private SliceSum sum = new SliceSum();
    private EngineFigures figures = EngineFigures.NONE;

    /** Asked for when the phase's first turn begins; {@code null} where none is, or not yet. */
    private FutureTask<Void> checkpoint;

    /**
     * Takes turns in a database.
     *
     * @param lines told how it gets on
     */
    SlicedRun(RunRequest request, SlicedDatabase database, StallWatch watch, Consumer<ProgressLine> lines) {
        this.request = request;
        this.spec = request.configuration();
        this.database = database;
        this.watch = watch;
        this.lines = lines;
        this.engine = database.engine();
    }

    SlicedDatabase database() {
        return database;
    }

    /** Fills the database. */
    void load() throws InterruptedException {
        database.load(new Telling());
    }

    /** Begins a phase, in which so many seconds of turns are wanted. */
    void begin(TpccProgress.Phase next, double seconds) {
        phase = next;
        wantedNanos = Math.round(seconds * TimeUnit.SECONDS.toNanos(1));
        sum = new SliceSum();
        checkpoint = null;
        figures = EngineFigures.NONE;
    }

    /** Whether the phase is not over. */
    boolean wantsMore() {
        return database.failure().isEmpty() && wantsMore(wantedNanos, sum.measuredNanos(), sliceNanos());
    }

    /** Half a turn's time more or less is none, but a phase that is wanted at all has one turn. */
    static boolean wantsMore(long wantedNanos, long measuredNanos, long sliceNanos) {
        return measuredNanos == 0 ? wantedNanos > 0 : wantedNanos - measuredNanos > sliceNanos / 2;
    }

    private long sliceNanos() {
        return Math.round(spec.sliceSeconds() * TimeUnit.SECONDS.toNanos(1));
    }

    /** Runs for the time of a turn, and on while a checkpoint is written, which is to be in no other's turn. */
    void turn() throws InterruptedException {
        int slices = 0;
        engine.allowTeams(spec.usesTeams());
        engine.measurementBegins();
        do {
            slice();
            slices++;
            if (slices == SLICES_MAX && database.failure().isEmpty()) {
                database.fail("a checkpoint was still being written after " + SLICES_MAX
                        + " times the length of a turn: the"
                        + " disk writes more slowly than the log grows; choose --checkpoint-seconds " + Protection.ONCE
                        + " or " + Protection.OFF);
            }
        } while (database.failure().isEmpty() && isCheckpointLeft());
        sum.endTurn();
        figures = figures.plus(engine.figures());
    }

    private boolean isCheckpointLeft() {
        return (checkpoint != null && !checkpoint.isDone()) || engine.writesCheckpoint();
    }

    private void slice() throws InterruptedException {
        Telling telling = new Telling();
        last = database.run(Duration.ofNanos(sliceNanos()), telling);
        if (last.failure().isEmpty()) {
            sum.add(last, telling.threadNanos(), telling.collectors());
        }
    }

    /** Ends a phase. */
    void end() throws InterruptedException {
        if (checkpoint != null && database.failure().isEmpty()) {
            try {
                checkpoint.get();
            } catch (ExecutionException e) {
                database.fail("a checkpoint failed: " + e.getCause());
            }
        }
    }

    /** What the phase's turns came to. */
    RunReport report(int repeat) {
        if (last == null) {
            // The database was given up before its first turn.
            return RunReport.failed(request, database.failure());
        }
        AnonymousMemory memory = AnonymousMemory.now();
        return new RunReport(
                spec.engine(),
                spec.scheduler(),
                spec.sthreads(),
                Spelling.keys(last.isolation()),
                spec.durability(),
                last.threads(),
                sum.perSecond(sum.committed()),
                sum.perMinute(sum.commits().getOrDefault(TransactionType.NEW_ORDER, 0L)),
                Spelling.keys(sum.commits()),
                RunReport.emptyDistrictPart(sum.commits(), sum.deliveredOrders()),
                LatencyGroup.summaries(sum.latencies()),
                Spelling.keys(sum.aborts()),
                sum.retries(),
                figures.teams(),
                Map.of(),
                Map.of(),
                List.of(),
                sum.allocatedBytesPerTransaction(),
                sum.cpuMicrosPerTransaction(),
                sum.cpuMicrosByThread(),
                null,
                null,
                memory == null ? null : memory.largePart(),
                null,
                sum.collectors(),
                sum.collectors().values().stream()
                        .mapToLong(CollectorReport::millis)
                        .sum(),
                CollectorUsage.heapUsedPeakBytes(),
                figures.commitsPerForce(),
                figures.forces(),
                figures.logBytes() == null || sum.committed() == 0
                        ? null
                        : (double) figures.logBytes() / sum.committed(),
                figures.bufferHitRatio(),
                null,
                null,
                database.loadSeconds(),
                (double) sum.measuredNanos() / TimeUnit.SECONDS.toNanos(1),
                sum.turns(),
                database.failure(),
                database.failure().isEmpty(),
                null,
                null,
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                request.pinning(),
                repeat,
                request.control(),
                spec,
                request.configurationHash());
    }

    private void askForCheckpoint() {
        checkpoint = new FutureTask<>(engine::checkpoint, null);
        Thread.ofPlatform().name("checkpoint-request").daemon().start(checkpoint);
    }

    /** Tells how a turn gets on, and what was used in it. */
    private final class Telling implements TpccProgress {
        private Map<String, Long> threadNanosBefore = Map.of();
        private Map<String, Long> threadNanosAfter = Map.of();
        private Map<String, CollectorReport> collectorsBefore = Map.of();
        private Map<String, CollectorReport> collectorsAfter = Map.of();

        @Override
        public void phase(Phase next) {
            watch.alive();
            if (next == Phase.LOAD) {
                lines.accept(new ProgressLine(next, 0, 0, 0));
            } else if (next == Phase.MEASURE) {
                threadNanosBefore = ThreadTimes.now();
                collectorsBefore = CollectorUsage.now();
                if (checkpoint == null && spec.protection().asksForOne()) {
                    askForCheckpoint();
                }
            }
        }

        @Override
        public void loaded(long rows, long rowsEstimated) {
            watch.aliveAt(rows);
            lines.accept(new ProgressLine(Phase.LOAD, rows, rowsEstimated, 0));
        }

        @Override
        public void running(long transactions, Duration elapsed) {
            watch.alive();
            lines.accept(new ProgressLine(
                    phase,
                    TimeUnit.NANOSECONDS.toMillis(sum.measuredNanos()) + elapsed.toMillis(),
                    TimeUnit.NANOSECONDS.toMillis(wantedNanos),
                    sum.committed() + transactions));
        }

        @Override
        public void measureEnds() {
            threadNanosAfter = ThreadTimes.now();
        }

        @Override
        public void measured() {
            collectorsAfter = CollectorUsage.now();
        }

        private Map<String, Long> threadNanos() {
            Map<String, Long> used = new HashMap<>();
            threadNanosAfter.forEach(
                    (name, nanos) -> used.put(name, Math.max(0, nanos - threadNanosBefore.getOrDefault(name, 0L))));
            return used;
        }

        private Map<String, CollectorReport> collectors() {
            return CollectorUsage.between(collectorsBefore, collectorsAfter);
        }
    }
}
