package dev.lockstep.bench.prove.soak;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.prove.ProcessMemory;
import dev.lockstep.bench.prove.Proof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.ResidentMemory;
import dev.lockstep.bench.prove.TrackedMemory;
import dev.lockstep.bench.prove.soak.SoakSamples.Sample;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.CompactionReport;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.lockstep.LockstepRetention;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Runs TPC-C for long, with checkpoints, backups and compactions beside it, a table that is filled and dropped before
 * each compaction, and a reader that scans everything again and again, and samples what the process holds: heap after
 * a collection, memory as the system counts it, open files, and the sizes of the data file and the log. After a sixth
 * of the time neither heap, nor memory outside of it, nor open files, nor the data file may grow: the median of the
 * last quarter of the samples is compared with that of the first quarter after that, with a named tolerance. In the end
 * the conditions of TPC-C and the driver's tally must hold, and the database must be valid.
 *
 * <p>TPC-C itself grows with every order and payment, and a database that grows says nothing of space that comes back.
 * So old ones are moved to an archive beside it ({@link LockstepRetention}): after a while as many rows leave as come,
 * all over the trees. The conditions and the tally are judged over the database and the archive together.
 *
 * <p>Memory outside of the heap is what the process has in use less the part of it that lies at the heap's addresses:
 * the collector takes, touches and returns parts of the heap as it likes, and a leak of the engine's native memory
 * would not be seen in that. What was freed and is kept by the C library is given back before each look, as a
 * collection goes before each look at the heap. Memory of the whole process is told beside it, and whose each part is,
 * if the JVM counts ({@link TrackedMemory#OPTION}): then what Lockstep itself takes is judged with a narrower
 * tolerance.
 *
 * <p>Each terminal pauses between transactions, so that all else that runs beside it gets its turn.
 */
public final class SoakProof implements Proof {
    /**
     * What heap in use may differ: objects of the moment, which a collection finds in use, and classes loaded late. A
     * leak of 2 KB a second makes more of it in an hour.
     */
    static final double HEAP_MEGABYTES_MAX = 3;

    /**
     * What memory outside of the heap may differ: code that is compiled late, and classes loaded for it, half a
     * megabyte in an hour by the JVM's own count. The pool and the log's ring are there from the beginning. A leak of
     * 1 KB a second makes more of it in an hour.
     */
    static final double NATIVE_MEGABYTES_MAX = 2;

    /**
     * What memory that the program itself takes outside of the heap may differ, the pool and the log's ring among it: a
     * buffer of the moment, of a backup or of a checkpoint. A leak of 200 bytes a second makes more of it in an hour.
     */
    static final double PROGRAM_MEGABYTES_MAX = 0.5;

    /** What open files may differ: a segment of the log more or less. A file left by each backup would be seven. */
    static final double FILES_MAX = 3;

    /** What the log may differ: the segments that are kept to be used again, and those between two checkpoints. */
    static final double LOG_MEGABYTES_MAX = (LogOptions.RECYCLED_BYTES_DEFAULT >> 20) + 64;

    /**
     * What the data file may differ: the table that comes and goes, 25 MB, may be in it at one look and not at another,
     * and so may pages whose rows have just left. Without removal it would grow by 2 GB in an hour.
     */
    static final double DATA_MEGABYTES_MAX = 64;

    private static final String NAME = "soak";
    private static final Duration TIME = Duration.ofHours(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int TERMINALS = 10;
    private static final int SAMPLES = 120;

    /** Between two samples where their number says how long to go on, as in an hour. */
    private static final Duration INTERVAL = TIME.dividedBy(SAMPLES);

    /** Two years. */
    private static final int POINTS_MAX = 2_000_000;

    private static final long CHECKPOINT_MILLIS_MAX = 60_000;
    private static final int CHECKPOINTS_MIN = 20;
    private static final int CHECKPOINTS_PER_BACKUP = 5;

    /** At most two hundred transactions a second and terminal, which leaves time for all that runs beside them. */
    private static final long PAUSE_NANOS = 5_000_000;

    /** Orders and payments stay for a sixtieth of the time, a minute of an hour: then the warm-up has ten of those. */
    private static final int RETENTION_PART = 60;

    /** How often old rows are looked for, by the time that they stay. */
    private static final int REMOVALS_PER_RETENTION = 10;

    /** Smaller than what the database grows to, so that pages come and go. */
    private static final long POOL_BYTES = 96L << 20;

    private static final double MEGABYTE = 1 << 20;

    /** Who has taken less has no row. */
    private static final double OWNER_MEGABYTES_MIN = 0.1;

    private static final String LOG_PREFIX = "log-";

    private final TpccScale scale;
    private final double heapMegabytesMax;
    private final double nativeMegabytesMax;
    private final Duration interval;

    /** For the command: one warehouse. */
    public SoakProof() {
        this(TpccScale.standard(1), HEAP_MEGABYTES_MAX, NATIVE_MEGABYTES_MAX, INTERVAL);
    }

    /**
     * For tests: with a database of another size.
     *
     * @param heapMegabytesMax what heap in use may differ; in a JVM that does other things as well, more
     * @param nativeMegabytesMax the same of memory outside of the heap
     * @param interval between two samples, if their number says how long to go on
     */
    public SoakProof(TpccScale scale, double heapMegabytesMax, double nativeMegabytesMax, Duration interval) {
        this.scale = scale;
        this.heapMegabytesMax = heapMegabytesMax;
        this.nativeMegabytesMax = nativeMegabytesMax;
        this.interval = interval;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isByTheClock() {
        return true;
    }

    @Override
    public String description() {
        return "TPC-C runs for long, with checkpoints, backups, compactions and a reader that scans everything; old"
                + " orders and payments leave for an archive. After the first sixth of the time neither heap, nor"
                + " memory outside of it, nor open files, nor the data file grow; in the end the database is valid, and"
                + " it and the archive hold what was committed."
                + " Its points are the looks at the process, one every " + INTERVAL.toSeconds()
                + " seconds, and at least " + SoakSamples.JUDGED_MIN + "; a run by time has " + SAMPLES + " of them.";
    }

    @Override
    public long pointsMin() {
        return SoakSamples.JUDGED_MIN;
    }

    @Override
    public long pointsMax() {
        return POINTS_MAX;
    }

    @Override
    public Duration timeDefault() {
        return TIME;
    }

    @Override
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch)
            throws IOException, InterruptedException {
        return new Run(options, progress, scratch).run();
    }

    /** One run. */
    private final class Run {
        private final ProofOptions options;
        private final ProofProgress progress;
        private final ProofReport.Builder report;
        private final Path home;
        private final int sampleCount;
        private final Duration time;
        private final SoakSamples samples = new SoakSamples();
        private final CountDownLatch stop = new CountDownLatch(1);
        private final CountDownLatch terminalsRun = new CountDownLatch(1);
        private final CountDownLatch terminalsEnded = new CountDownLatch(1);
        private final AtomicLong rowsRead = new AtomicLong();
        private final AtomicLong checkpoints = new AtomicLong();
        private final AtomicLong backups = new AtomicLong();
        private final AtomicLong compactions = new AtomicLong();
        private final AtomicLong pagesMoved = new AtomicLong();
        private final AtomicLong pagesGivenBack = new AtomicLong();

        Run(ProofOptions options, ProofProgress progress, Path scratch) {
            this.options = options;
            this.progress = progress;
            home = scratch.resolve("database");
            report = new ProofReport.Builder(NAME, options);
            sampleCount = options.points() > 0 ? (int) Math.min(options.points(), POINTS_MAX) : SAMPLES;
            time = options.points() > 0 ? interval.multipliedBy(sampleCount) : options.time();
        }

        ProofReport run() throws InterruptedException, IOException {
            DatabaseOptions database = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .poolBytes(POOL_BYTES)
                    .build();
            progress.step(0, time.toSeconds(), "loads");
            try (LockstepAdapter adapter =
                    new LockstepAdapter(Database.open(home, database), null, Durability.ASYNC, TIMEOUT)) {
                TpccRun.load(configuration().build(), adapter, TpccProgress.NONE);
                try (RowArchive archive = new RowArchive(Files.createDirectories(home.resolveSibling("archive")))) {
                    soak(adapter, archive);
                }
                try {
                    adapter.database().validate();
                    judge(true, "the database is whole");
                } catch (RuntimeException e) {
                    judge(false, "the database is damaged: " + ProofReport.describe(e));
                }
            }
            report.section(Section.of("What the process held", table(), plot()));
            return report.build();
        }

        private TpccConfiguration.Builder configuration() {
            return TpccConfiguration.builder(scale)
                    .terminals(TERMINALS)
                    .threads(TERMINALS)
                    .warmUp(Duration.ZERO)
                    .duration(time)
                    .seed(options.seed());
        }

        private void soak(LockstepAdapter adapter, RowArchive archive) throws InterruptedException, IOException {
            FutureTask<Void> remover = new FutureTask<>(() -> remove(adapter, archive));
            FutureTask<TpccResult> terminals = new FutureTask<>(() -> run(adapter, archive, remover));
            FutureTask<Void> reader = new FutureTask<>(() -> read(adapter));
            FutureTask<Void> checkpointer = new FutureTask<>(() -> checkpoint(adapter.database()));
            Thread.ofPlatform().name("soak-remover").daemon().start(remover);
            Thread.ofPlatform().name("soak-terminals").daemon().start(terminals);
            Thread.ofPlatform().name("soak-reader").daemon().start(reader);
            Thread.ofPlatform().name("soak-checkpoints").daemon().start(checkpointer);
            try {
                sample();
            } finally {
                stop.countDown();
            }
            ended("the reader", reader);
            ended("checkpoints", checkpointer);
            TpccResult result = ended("the terminals", terminals);
            terminalsRun.countDown();
            terminalsEnded.countDown();
            ended("the remover", remover);
            report.count("looks at the process", samples.list().size());
            report.count("rows read by the scanning reader", rowsRead.get());
            report.count("old rows moved to the archive", archive.rowCount());
            report.count("checkpoints asked for", checkpoints.get());
            report.count("backups taken", backups.get());
            report.count("compactions", compactions.get());
            report.count("pages moved by compactions", pagesMoved.get());
            report.count("pages given back by compactions", pagesGivenBack.get());
            if (result != null) {
                report.count("transactions committed", result.committed());
                judge(result.ok(), "TPC-C: " + (result.ok() ? "all conditions hold" : verdict(result)));
            }
            grows("heap MB", Sample::heapMegabytes, heapMegabytesMax);
            grows(
                    "native MB, which is resident without heap and mapped files",
                    Sample::nativeMegabytes,
                    nativeMegabytesMax);
            grows(
                    "MB that the program takes outside of the heap, by the JVM's count",
                    sample -> sample.takenBy(TrackedMemory.PROGRAM),
                    PROGRAM_MEGABYTES_MAX);
            grows("open files", Sample::files, FILES_MAX);
            grows("data MB", Sample::dataMegabytes, DATA_MEGABYTES_MAX);
            grows("log MB", Sample::logMegabytes, LOG_MEGABYTES_MAX);
            tellWholeProcess();
            tellOwners();
        }

        /** The terminals, and the check of what they leave, which waits for the remover to end. */
        private TpccResult run(LockstepAdapter adapter, RowArchive archive, FutureTask<Void> remover)
                throws InterruptedException {
            TpccProgress phases = new TpccProgress() {
                @Override
                public void phase(Phase phase) {
                    if (phase == Phase.MEASURE) {
                        terminalsRun.countDown();
                    } else if (phase == Phase.CHECK_RESULT) {
                        terminalsEnded.countDown();
                        await(remover);
                    }
                }
            };
            PausingAdapter pausing = new PausingAdapter(adapter, archive, PAUSE_NANOS);
            return TpccRun.execute(configuration().load(false).build(), pausing, TerminalThreads.virtual(), phases);
        }

        /** Waits for its end; how it ended is looked at later. */
        private static void await(FutureTask<Void> task) {
            try {
                task.get();
            } catch (ExecutionException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Old orders and payments, while the terminals run. */
        private Void remove(LockstepAdapter adapter, RowArchive archive) throws InterruptedException {
            terminalsRun.await();
            long retentionMillis = time.toMillis() / RETENTION_PART;
            long intervalMillis = Math.max(retentionMillis / REMOVALS_PER_RETENTION, 1);
            try (LockstepRetention retention = adapter.openRetention(scale)) {
                // Ends when the terminals do.
                while (!terminalsEnded.await(intervalMillis, TimeUnit.MILLISECONDS)) {
                    long beforeMillis = System.currentTimeMillis() - retentionMillis;
                    retention.removeOrders(beforeMillis, archive);
                    retention.removeHistories(beforeMillis, archive);
                }
            }
            return null;
        }

        private void tellWholeProcess() {
            SoakSamples.Growth whole = samples.growth(Sample::residentMegabytes);
            if (whole.first() >= 0) {
                report.section(Section.of(
                        "Told, not judged",
                        new Paragraph(String.format(
                                Locale.ROOT,
                                "resident MB, heap and all: %.1f in the first quarter after the warm-up, %.1f in the"
                                        + " last",
                                whole.first(),
                                whole.last()))));
            }
        }

        /** Which part of the memory outside of the heap grew, if the JVM counts. */
        private void tellOwners() {
            if (samples.owners().isEmpty()) {
                report.section(Section.of(
                        "Not seen",
                        new Paragraph("whose the memory outside of the heap is: start the JVM with "
                                + TrackedMemory.OPTION)));
                return;
            }
            Table.Builder table =
                    Table.of(1, "owner, in the JVM's words", "first quarter MB", "last quarter MB", "more MB");
            for (String owner : samples.owners()) {
                SoakSamples.Growth growth = samples.growth(sample -> sample.takenBy(owner));
                if (Math.max(growth.first(), growth.last()) < OWNER_MEGABYTES_MIN) {
                    continue;
                }
                table.row(
                        List.of(owner, megabytes(growth.first()), megabytes(growth.last()), megabytes(growth.more())));
            }
            report.section(Section.of("Whose the memory outside of the heap is", table.build()));
        }

        private static String megabytes(double value) {
            return String.format(Locale.ROOT, "%.2f", value);
        }

        private String verdict(TpccResult result) {
            return result.failure() + " " + result.consistency() + " " + result.tallyDifferences();
        }

        private <T> T ended(String who, FutureTask<T> task) throws InterruptedException {
            try {
                return task.get();
            } catch (ExecutionException e) {
                judge(false, who + " failed: " + e.getCause());
                return null;
            }
        }

        /** All tables, again and again. */
        private Void read(LockstepAdapter adapter) {
            // Ends when told to; each round reads finite tables.
            while (stop.getCount() > 0) {
                try (TpccScanner scanner = adapter.openScanner()) {
                    scanner.warehouses(row -> rowsRead.incrementAndGet());
                    scanner.districts(row -> rowsRead.incrementAndGet());
                    scanner.customers(row -> rowsRead.incrementAndGet());
                    scanner.histories(row -> rowsRead.incrementAndGet());
                    scanner.newOrders(row -> rowsRead.incrementAndGet());
                    scanner.orders(row -> rowsRead.incrementAndGet());
                    scanner.orderLines(row -> rowsRead.incrementAndGet());
                    scanner.items(row -> rowsRead.incrementAndGet());
                    scanner.stocks(row -> rowsRead.incrementAndGet());
                }
            }
            return null;
        }

        /** Checkpoints, and now and then a backup, of which nothing stays, and a compaction. */
        private Void checkpoint(Database database) throws IOException, InterruptedException {
            long millis = Math.min(CHECKPOINT_MILLIS_MAX, time.toMillis() / CHECKPOINTS_MIN);
            Ballast ballast = new Ballast(database);
            // Ends when told to.
            while (!stop.await(millis, TimeUnit.MILLISECONDS)) {
                database.checkpoint();
                if (checkpoints.incrementAndGet() % CHECKPOINTS_PER_BACKUP == 0) {
                    Path backup = home.resolveSibling("backup");
                    database.backup(backup);
                    ScratchDirectory.remove(backup);
                    backups.incrementAndGet();
                    ballast.takeAboard();
                    // Else its pages would go without having been in the file.
                    database.checkpoint();
                    ballast.throwOff();
                    CompactionReport compaction = database.compact();
                    compactions.incrementAndGet();
                    pagesMoved.addAndGet(compaction.pagesMoved());
                    pagesGivenBack.addAndGet(compaction.pagesBefore() - compaction.pagesAfter());
                }
            }
            return null;
        }

        /** Until the time is over. */
        private void sample() throws InterruptedException, IOException {
            long began = System.nanoTime();
            long nanos = time.toNanos() / sampleCount;
            for (int i = 1; i <= sampleCount; i++) {
                long left = began + i * nanos - System.nanoTime();
                if (stop.await(Math.max(left, 0), TimeUnit.NANOSECONDS)) {
                    return;
                }
                ResidentMemory.giveBackFreed();
                // Before the collection: after it the JVM goes on giving parts of the heap back for a while.
                ResidentMemory resident = ResidentMemory.ofThisProcess();
                System.gc();
                double minutes = (System.nanoTime() - began) / 1e9 / 60;
                samples.add(new Sample(
                        minutes,
                        ProcessMemory.heapUsedBytes() / MEGABYTE,
                        megabytesOrUnknown(resident.bytes()),
                        megabytesOrUnknown(resident.heapBytes()),
                        megabytesOrUnknown(resident.fileBytes()),
                        ProcessMemory.openFiles(),
                        megabytes(false),
                        megabytes(true),
                        ownerMegabytes()));
                progress.step(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began), time.toSeconds(), "");
            }
        }

        private static Map<String, Double> ownerMegabytes() {
            Map<String, Double> megabytes = new HashMap<>();
            TrackedMemory.bytesByOwner().forEach((owner, bytes) -> megabytes.put(owner, bytes / MEGABYTE));
            return megabytes;
        }

        private static double megabytesOrUnknown(long bytes) {
            return bytes < 0 ? bytes : bytes / MEGABYTE;
        }

        /** Of the files of the database, those of the log or the others. A file that goes meanwhile counts nothing. */
        private double megabytes(boolean ofLog) throws IOException {
            try (Stream<Path> files = Files.list(home)) {
                return files.filter(file -> file.getFileName().toString().startsWith(LOG_PREFIX) == ofLog)
                                .mapToLong(file -> file.toFile().length())
                                .sum()
                        / MEGABYTE;
            }
        }

        private void grows(String what, ToDoubleFunction<Sample> value, double most) {
            SoakSamples.Growth growth = samples.growth(value);
            String figures = String.format(
                    Locale.ROOT,
                    "%s: %.1f in the first quarter after the warm-up, %.1f in the last, growth at most %s",
                    what,
                    growth.first(),
                    growth.last(),
                    most == Math.rint(most) ? Long.toString((long) most) : Double.toString(most));
            if (growth.first() < 0) {
                report.section(Section.of("Not seen", new Paragraph("not said here: " + what)));
            } else if (!samples.areEnough()) {
                report.section(Section.of(
                        "Not judged",
                        new Paragraph("fewer than " + SoakSamples.JUDGED_MIN + " looks at the process: " + what)));
            } else {
                judge(growth.more() <= most, figures);
            }
        }

        private void judge(boolean holds, String what) {
            report.section(Section.of(holds ? "Holds" : "Does not hold", new Paragraph(what)));
            if (holds) {
                report.survived();
            } else {
                report.failed(report.tried(), what);
            }
        }

        private Table table() {
            Table.Builder table = Table.of(
                    1,
                    "minute",
                    "heap MB",
                    "resident MB",
                    "resident heap MB",
                    "mapped files MB",
                    "native MB",
                    "open files",
                    "data MB",
                    "log MB");
            List<Sample> all = samples.list();
            int step = Math.max(all.size() / 12, 1);
            for (int i = 0; i < all.size(); i += step) {
                Sample sample = all.get(i);
                table.row(List.of(
                        String.format(Locale.ROOT, "%.1f", sample.minutes()),
                        Figures.plain(sample.heapMegabytes()),
                        Figures.plain(sample.residentMegabytes()),
                        Figures.plain(sample.residentHeapMegabytes()),
                        Figures.plain(sample.residentFilesMegabytes()),
                        Figures.plain(sample.nativeMegabytes()),
                        Figures.plain(sample.files()),
                        Figures.plain(sample.dataMegabytes()),
                        Figures.plain(sample.logMegabytes())));
            }
            return table.build();
        }

        private LinePlot plot() {
            return new LinePlot(
                    new PlotFrame(
                            "soak",
                            "Memory and open files over time",
                            "After the first sixth of the time heap, native memory, open files and data do not grow.",
                            "sample",
                            "MB, files",
                            false),
                    samples.list().stream()
                            .map(sample -> String.format(Locale.ROOT, "%.2f", sample.minutes()))
                            .toList(),
                    List.of(
                            series("heap MB", Sample::heapMegabytes),
                            series("resident MB", Sample::residentMegabytes),
                            series("native MB", Sample::nativeMegabytes),
                            series("open files", Sample::files),
                            series("data MB", Sample::dataMegabytes),
                            series("log MB", Sample::logMegabytes)));
        }

        private Series series(String what, Function<Sample, Double> value) {
            return new Series(what, samples.list().stream().map(value).toList());
        }
    }
}
