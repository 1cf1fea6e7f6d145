package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Floods a database with terminals that do not think. The saturation point is the fewest terminals that reach
 * {@link #SATURATED} of the highest throughput. Ten times as many as have reached that throughput itself, which may be
 * more than saturate, must still reach {@link #KEPT} of it, in memory that is bounded ({@link #MEMORY_TIMES}). With a
 * limit of as many open transactions as saturate, the surplus of ten times as many must be told so by a typed error,
 * while those who are let in are faster than without.
 *
 * <p>Fewer terminals than warehouses serve them all in turn: else few would work on a smaller database, which the
 * caches hold better, and the curve would show that.
 *
 * <p>Terminals are virtual threads of this JVM, with {@code async} commits; for the limit they are platform threads,
 * which the system takes off their processor in the middle of transactions, as in a server with a pool of threads. Runs
 * of both sides take turns, first the one and then the other ahead, and the median of their ratios counts.
 */
public final class OverloadProof implements Proof {
    /** What part of the peak counts as saturated. */
    static final double SATURATED = 0.95;

    /** What part of the peak ten times as many terminals keep at least. */
    static final double KEPT = 0.9;

    /** How many times the terminals of the peak, and with a limit those of the saturation point. */
    static final int TIMES = 10;

    /**
     * How many times the memory of the run with the peak's terminals ten times as many may take while they work, beside
     * {@link #MEMORY_BYTES_SLACK}: terminals wait longer, so that more of their objects survive a collection, and the
     * collector takes more of the heap before the next one. A queue that grows with the flood would take more than
     * that, and more with each second.
     */
    static final double MEMORY_TIMES = 1.5;

    /** What else heap in use, and memory of the process, may be apart: two runs of one kind never agree. */
    static final long MEMORY_BYTES_SLACK = 64L << 20;

    private static final String NAME = "overload";
    private static final List<Integer> LADDER = List.of(1, 2, 3, 5, 10, 20, 50);

    /** Beyond its end a ladder goes on with twice as many terminals each: here up to 1,600. */
    private static final int POINTS_MAX = 12;

    /** Comparisons of few terminals with many take as long as so many numbers of terminals of the curve. */
    private static final int COMPARISON_RUNS = 10;

    /**
     * A run of a comparison takes this part of the time of one of the curve, if it is long enough: many short ones, of
     * whose ratios the median counts, since the machine may be a fifth slower ten seconds later.
     */
    private static final int COMPARISON_PART = 4;

    /** Runs of both sides with and without limit. */
    private static final int LIMIT_RUNS = 2;

    private static final Duration TIME = Duration.ofMinutes(4);

    /** The keys of HISTORY tell the runs of a terminal apart by the second in which they begin. */
    private static final Duration RUN_MIN = Duration.ofMillis(1_100);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long WARM_UP_SHARE = 4;
    private static final long POOL_BYTES_PER_WAREHOUSE = 160L << 20;
    private static final long POOL_BYTES_MIN = 64L << 20;

    /** A terminal with its thread and session: four times what a session grows to, see ARCHITECTURE.md. */
    private static final long HEAP_BYTES_PER_TERMINAL = 256 << 10;

    /** What else may differ between two looks at the heap. */
    private static final long HEAP_BYTES_SLACK = 32L << 20;

    private static final double MEGABYTE = 1 << 20;

    private final TpccScale scale;
    private final List<Integer> ladder;
    private final boolean judgesMeasurements;
    private final Duration timeOfRun;

    /** For the command: ten warehouses. */
    public OverloadProof() {
        this(TpccScale.standard(10), LADDER, true, timeOfRun(TIME, LADDER.size()));
    }

    /**
     * For tests: with a database of another size.
     *
     * @param ladder numbers of terminals, ascending
     * @param judgesMeasurements false to report throughput, latency, and memory under load without judging them, for
     *     runs too short to tell, in a JVM that does other things as well
     * @param timeOfRun how long each number of terminals is measured if points say how many there are; at least 1.1
     *     seconds are used
     */
    public OverloadProof(TpccScale scale, List<Integer> ladder, boolean judgesMeasurements, Duration timeOfRun) {
        this.scale = scale;
        this.ladder = List.copyOf(ladder);
        this.judgesMeasurements = judgesMeasurements;
        this.timeOfRun = timeOfRun;
    }

    private static int runs(int rungs) {
        return rungs + COMPARISON_RUNS + 2 * LIMIT_RUNS;
    }

    private static Duration timeOfRun(Duration whole, int rungs) {
        return whole.dividedBy(runs(rungs));
    }

    /** So many numbers of terminals, in the order in which they are measured. */
    static List<Integer> rungs(List<Integer> ladder, long count) {
        List<Integer> rungs = new ArrayList<>(ladder.subList(0, (int) Math.min(count, ladder.size())));
        while (rungs.size() < count) {
            rungs.add(2 * rungs.getLast());
        }
        return rungs;
    }

    /**
     * Terminals of the flood. Where throughput rises slowly, ten times as many as saturate may be those of the peak.
     *
     * @param saturation how many reach nearly the highest throughput
     * @param peak how many reach it
     */
    static int flood(int saturation, int peak) {
        return TIMES * Math.max(saturation, peak);
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
        return "TPC-C at ten warehouses with more and more terminals. Ten times as many as reach the peak must still"
            + " reach 90 % of it, while heap and process take at most 1.5 times the memory of the peak and 64 MB; with"
            + " a limit of open transactions, as many as reach 95 % of the peak, the surplus is told so by a typed"
            + " error, and those let in are faster. Its points are the numbers of terminals of the curve, from few to"
            + " many; a run by time has " + LADDER.size() + " of them.";
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

    /**
     * Where throughput levels off.
     *
     * @param saturation the fewest terminals that reach {@link #SATURATED} of the peak
     * @param peak the run with the highest throughput, from before ten times as many terminals were measured
     */
    private record Climb(int saturation, Measured peak) {
        int flood() {
            return OverloadProof.flood(saturation, peak.terminals);
        }
    }

    /**
     * What was seen with some terminals.
     *
     * @param heapBytes in use after them and a collection
     * @param memory what was held while they worked
     */
    private record Measured(
            int terminals, double perSecond, AttemptRecorder attempts, long heapBytes, LoadMemory memory) {}

    /**
     * The most memory that was seen while terminals work; looks ten times a second, on the thread that drives them.
     * Used by one thread.
     */
    private static final class LoadMemory implements TpccProgress {
        private long heapBytes;
        private long residentBytes = ProcessMemory.UNKNOWN;

        @Override
        public void running(long transactions, Duration elapsed) {
            heapBytes = Math.max(heapBytes, ProcessMemory.heapUsedBytes());
            residentBytes = Math.max(residentBytes, ProcessMemory.residentBytes());
        }
    }

    /** One run of the proof. */
    private final class Run {
        private final ProofOptions options;
        private final ProofProgress progress;
        private final Path home;
        private final ProofReport.Builder report;
        private final List<Integer> rungs;
        private final Duration each;

        /** A run of a comparison. */
        private final Duration compared;

        private final int pairs;
        private final int runs;
        private int done;

        Run(ProofOptions options, ProofProgress progress, Path scratch) {
            this.options = options;
            this.progress = progress;
            home = scratch.resolve("database");
            report = new ProofReport.Builder(NAME, options);
            boolean byPoints = options.points() > 0;
            rungs = byPoints ? rungs(ladder, Math.min(options.points(), POINTS_MAX)) : ladder;
            each = atLeastMin(byPoints ? timeOfRun : timeOfRun(options.time(), rungs.size()));
            compared = atLeastMin(each.dividedBy(COMPARISON_PART));
            pairs = (int) Math.max(each.multipliedBy(COMPARISON_RUNS).dividedBy(compared.multipliedBy(2)), 1);
            runs = rungs.size() + 1 + 2 * pairs + 2 * LIMIT_RUNS;
        }

        private static Duration atLeastMin(Duration time) {
            return time.compareTo(RUN_MIN) < 0 ? RUN_MIN : time;
        }

        ProofReport run() throws InterruptedException {
            progress.step(0, runs, "loads");
            try (LockstepAdapter adapter = open(DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED)) {
                TpccRun.load(configuration(1, each).build(), adapter, TpccProgress.NONE);
            }
            Climb climb;
            try (LockstepAdapter adapter = open(DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED)) {
                // Compiles what the first rung would else be charged with.
                measure(adapter, TerminalThreads.virtual(), rungs.getLast());
                done = 0;
                climb = climb(adapter);
                compare(adapter, climb);
            }
            shed(climb.saturation);
            return report.build();
        }

        private LockstepAdapter open(int openMax) {
            DatabaseOptions database = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .poolBytes(poolBytes())
                    .openTransactionCountMax(openMax)
                    .build();
            return new LockstepAdapter(Database.open(home, database), null, Durability.ASYNC, TIMEOUT);
        }

        private long poolBytes() {
            return Math.max(POOL_BYTES_MIN, scale.warehouses() * POOL_BYTES_PER_WAREHOUSE);
        }

        private TpccConfiguration.Builder configuration(int terminals, Duration time) {
            Duration warmUp = time.dividedBy(WARM_UP_SHARE);
            return TpccConfiguration.builder(scale)
                    .terminals(Math.max(terminals, scale.warehouses()))
                    .threads(terminals)
                    .warmUp(warmUp)
                    .duration(time.minus(warmUp))
                    .seed(options.seed())
                    .round(done)
                    .check(false)
                    .load(false);
        }

        private Measured measure(LockstepAdapter adapter, TerminalThreads threads, int terminals)
                throws InterruptedException {
            return measure(adapter, threads, terminals, each);
        }

        private Measured measure(LockstepAdapter adapter, TerminalThreads threads, int terminals, Duration time)
                throws InterruptedException {
            progress.step(done++, runs, terminals + " terminals");
            AttemptRecorder attempts = new AttemptRecorder(adapter);
            LoadMemory memory = new LoadMemory();
            TpccResult result = TpccRun.execute(configuration(terminals, time).build(), attempts, threads, memory);
            if (!result.failure().isEmpty()) {
                report.failed(done, "a run with terminals=" + terminals + " failed: " + result.failure());
            }
            System.gc();
            return new Measured(
                    terminals, result.transactionsPerSecond(), attempts, ProcessMemory.heapUsedBytes(), memory);
        }

        /** Finds the saturation point, and shows the curve. */
        private Climb climb(LockstepAdapter adapter) throws InterruptedException {
            List<Measured> curve = new ArrayList<>();
            for (int terminals : rungs) {
                curve.add(measure(adapter, TerminalThreads.virtual(), terminals));
            }
            report.count("numbers of terminals on the curve", curve.size());
            Measured highest = curve.stream()
                    .max(Comparator.comparingDouble(Measured::perSecond))
                    .orElseThrow();
            double peak = highest.perSecond;
            int saturation = curve.stream()
                    .filter(measured -> measured.perSecond >= SATURATED * peak)
                    .findFirst()
                    .orElseThrow()
                    .terminals;
            Climb climb = new Climb(saturation, highest);
            curve.add(measure(adapter, TerminalThreads.virtual(), climb.flood()));
            report.section(Section.of(
                    "Throughput by terminals",
                    new Paragraph("Saturation point: " + saturation
                            + " terminals, the fewest that reach 95 % of the peak" + " of " + Figures.plain(peak)
                            + " transactions a second. Last row: ten times as many as reach the peak. Fewer terminals"
                            + " than warehouses serve them in turn, so that all work on the same data."),
                    table(curve),
                    new LinePlot(
                            new PlotFrame(
                                    "overload",
                                    "Throughput by terminals",
                                    "It should not fall on the right.",
                                    "terminals",
                                    "transactions/s",
                                    false),
                            curve.stream()
                                    .map(measured -> measured.equals(curve.getLast())
                                            ? highest.terminals + " x " + TIMES
                                            : Integer.toString(measured.terminals))
                                    .toList(),
                            List.of(new Series(
                                    "transactions/s",
                                    curve.stream().map(Measured::perSecond).toList())))));
            return climb;
        }

        /** The peak's terminals against ten times as many, in turns. */
        private void compare(LockstepAdapter adapter, Climb climb) throws InterruptedException {
            List<Measured> few = new ArrayList<>();
            List<Measured> many = new ArrayList<>();
            for (int pair = 0; pair < pairs; pair++) {
                boolean fewFirst = pair % 2 == 0;
                if (fewFirst) {
                    few.add(measure(adapter, TerminalThreads.virtual(), climb.peak.terminals, compared));
                }
                many.add(measure(adapter, TerminalThreads.virtual(), climb.flood(), compared));
                if (!fewFirst) {
                    few.add(measure(adapter, TerminalThreads.virtual(), climb.peak.terminals, compared));
                }
            }
            Spread kept = ratios(many, few, Measured::perSecond);
            judge(
                    kept.median() >= KEPT || !judgesMeasurements,
                    String.format(
                            Locale.ROOT,
                            "throughput with %d terminals: %.3f (%.3f to %.3f in %d pairs) of that with the %d of the"
                                    + " peak, at least %.2f",
                            climb.flood(),
                            kept.median(),
                            kept.min(),
                            kept.max(),
                            pairs,
                            climb.peak.terminals,
                            KEPT));
            long heapFew = few.getLast().heapBytes;
            long heapMany = many.getLast().heapBytes;
            long heapMax = heapFew + HEAP_BYTES_SLACK + (long) climb.flood() * HEAP_BYTES_PER_TERMINAL;
            judge(
                    heapMany <= heapMax,
                    String.format(
                            Locale.ROOT,
                            "heap in use after ten times the terminals: %,d KB, after the others %,d, at most %,d",
                            heapMany >> 10,
                            heapFew >> 10,
                            heapMax >> 10));
            judgeMemory(climb.peak, few, many);
            List<Measured> both = new ArrayList<>(few);
            both.addAll(many);
            report.section(Section.of("In turns", table(both)));
        }

        /**
         * Memory while many terminals work against that while the peak's work. Each run begins with a heap that was
         * collected, so all runs of the peak's terminals stand for heap in use; but a process gives little back, so for
         * its memory the one before the flood does. The pool is no part of that: it is there from the beginning.
         */
        private void judgeMemory(Measured peak, List<Measured> few, List<Measured> many) {
            long heapFew = Math.max(peak.memory.heapBytes, largest(few, memory -> memory.heapBytes));
            judgeMemory("heap in use", heapFew, largest(many, memory -> memory.heapBytes));
            if (peak.memory.residentBytes == ProcessMemory.UNKNOWN) {
                report.section(Section.of(
                        "Not seen", new Paragraph("this system does not say: memory of the process while they work")));
                return;
            }
            judgeMemory(
                    "memory of the process beside the pool",
                    Math.max(peak.memory.residentBytes - poolBytes(), 0),
                    Math.max(largest(many, memory -> memory.residentBytes) - poolBytes(), 0));
        }

        private void judgeMemory(String what, long few, long many) {
            long most = Math.round(few * MEMORY_TIMES) + MEMORY_BYTES_SLACK;
            judge(
                    many <= most || !judgesMeasurements,
                    String.format(
                            Locale.ROOT,
                            "%s while ten times the terminals work: %,d MB, while the peak's do %,d, at most %,d",
                            what,
                            many >> 20,
                            few >> 20,
                            most >> 20));
        }

        private static long largest(List<Measured> runs, ToLongFunction<LoadMemory> value) {
            return runs.stream().map(Measured::memory).mapToLong(value).max().orElseThrow();
        }

        /** Of pairs of runs, the one over the other. */
        private static Spread ratios(List<Measured> of, List<Measured> over, ToDoubleFunction<Measured> value) {
            return Spread.of(IntStream.range(0, of.size())
                    .mapToDouble(pair -> value.applyAsDouble(of.get(pair)) / value.applyAsDouble(over.get(pair))));
        }

        /** With and without a limit, on platform threads, in turns. */
        private void shed(int saturation) throws InterruptedException {
            int terminals = Math.max(saturation * TIMES, rungs.getLast());
            int openMax = Math.max(saturation, 2);
            List<Measured> without = new ArrayList<>();
            List<Measured> with = new ArrayList<>();
            for (int pair = 0; pair < LIMIT_RUNS; pair++) {
                boolean withoutFirst = pair % 2 == 0;
                if (withoutFirst) {
                    without.add(measureReopened(DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED, terminals));
                }
                with.add(measureReopened(openMax, terminals));
                if (!withoutFirst) {
                    without.add(measureReopened(DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED, terminals));
                }
            }
            long busy =
                    with.stream().mapToLong(each -> each.attempts.busyCount()).sum();
            Spread times = ratios(with, without, each -> each.attempts.micros99());
            report.count("transactions refused as busy", busy);
            judge(
                    busy > 0,
                    "transactions refused by a typed error with openTransactionCountMax=" + openMax + ": " + busy);
            judge(
                    times.median() <= 1 || !judgesMeasurements,
                    String.format(
                            Locale.ROOT,
                            "what 99 of 100 transactions that were let in took at most: %.3f (%.3f to %.3f in %d pairs)"
                                    + " of that without a limit, at most 1",
                            times.median(),
                            times.min(),
                            times.max(),
                            LIMIT_RUNS));
            List<Measured> both = new ArrayList<>(without);
            both.addAll(with);
            report.section(Section.of(
                    "With a limit of " + openMax + " open transactions",
                    new Paragraph("The runs without it, and those with it, which took turns; " + terminals
                            + " terminals on platform threads. Times are of transactions that were let in,"
                            + " from begin to the answer of the commit."),
                    table(both)));
        }

        private Measured measureReopened(int openMax, int terminals) throws InterruptedException {
            try (LockstepAdapter adapter = open(openMax)) {
                return measure(adapter, TerminalThreads.platform(), terminals);
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

        private static Table table(List<Measured> measured) {
            Table.Builder table = Table.of(
                    1,
                    "terminals",
                    "transactions/s",
                    "p50 us",
                    "p99 us",
                    "busy",
                    "heap MB afterwards",
                    "largest heap MB",
                    "largest resident MB");
            for (Measured each : measured) {
                table.row(List.of(
                        Integer.toString(each.terminals),
                        Figures.plain(each.perSecond),
                        Figures.plain(each.attempts.micros50()),
                        Figures.plain(each.attempts.micros99()),
                        Figures.plain((double) each.attempts.busyCount()),
                        megabytes(each.heapBytes),
                        megabytes(each.memory.heapBytes),
                        megabytes(each.memory.residentBytes)));
            }
            return table.build();
        }

        private static String megabytes(long bytes) {
            return Figures.plain(bytes == ProcessMemory.UNKNOWN ? Double.NaN : bytes / MEGABYTE);
        }
    }
}
