package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.check.DatabaseTotals;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Kills child JVMs with SIGKILL while they run TPC-C with durable commits, opens what they leave, and looks for every
 * transaction that was answered. What was answered is kept here, outside the database, by what the child says before
 * and after each commit.
 *
 * <p>What must hold after each kill: {@code validate()} finds nothing; the consistency conditions of TPC-C hold; each
 * count and sum of the database is that of the answered transactions, and of each terminal the one that was about to
 * be answered, wholly or not at all; no district has fewer orders than an answered reader has seen. A quarter of the
 * children is followed by others that are killed while they open the database and recover it; these are points as
 * well. Every other point has the images of its pages in the log in place of writing them twice.
 *
 * <p>A child that falls silent, and any exception, is a failure of its point. So is a database that hangs when it is
 * opened or checked here ({@link PointLimit}); that is the last point of its run.
 *
 * <p>The moments are chosen from the seed, in answers and in microseconds; the threads' interleaving, and so the very
 * instruction, is the machine's.
 */
public final class KillProof implements Proof {
    /** A terminal each of its own district for Stock-Level, all in one warehouse, so that they meet. */
    static final int TERMINALS = 4;

    /** Small, so that most of a point is the kill and not the check. */
    static final TpccScale SCALE = new TpccScale(1, 1_000, 30, 9);

    private static final String NAME = "kill";
    private static final long POINTS = 1_000;

    /** A fifth of the database: pages are written and read while the terminals run. */
    private static final long POOL_BYTES = 2L << 20;

    /** The smallest, so that segments end and begin between two kills. */
    private static final int LOG_SEGMENT_BYTES = 1 << 20;

    /** Answers before a kill, at most: some have seen two checkpoints, some none. */
    private static final int ANSWERS_MAX = 600;

    /** How long after the answer: longer than a group commit takes, in nanoseconds. */
    private static final int DELAY_NANOS_MAX = 3_000_000;

    /** As the number of a change: none that an opening makes. */
    private static final long NEVER = Long.MAX_VALUE;

    /** What is counted of openings that were killed on their way. */
    static final String RECOVERING = "kills while it recovers";

    private static final int ONE_IN_OPENING = 4;
    private static final int OPENINGS_MAX = 3;

    /** Points with one database: it grows, and so does the time to check it. */
    private static final int POINTS_PER_DATABASE = 25;

    /** Makes neighbouring seeds and points independent of each other: a prime. */
    private static final long SEED_FACTOR = 1_000_003;

    /** Orders less NEW_ORDER rows, which holds right after loading alone. */
    private static final int DELIVERIES_CONDITION = 11;

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Longest silence of a child that is to live: ten times what its transactions may wait for a lock. */
    private static final Duration SILENCE_MAX = Duration.ofMinutes(5);

    /** For the command and the tests. */
    public KillProof() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "a process that runs TPC-C with durable commits is killed (SIGKILL) at a random moment, sometimes again"
                + " while it recovers. Every transaction that was answered must be there, wholly, and every order that"
                + " it was shown; no other but the one in flight of each terminal; and the database must be valid.";
    }

    @Override
    public long pointsDefault() {
        return POINTS;
    }

    @Override
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch)
            throws IOException, InterruptedException {
        return new Run(options, progress, scratch).run();
    }

    /** As a database with these options has its log, on the disk of a {@link StoppingStorage}. */
    static LogOptions logOptions() {
        return LogOptions.sync().withSegmentBytes(LOG_SEGMENT_BYTES);
    }

    static DatabaseOptions databaseOptions(TornPageProtection tornPageProtection) {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(POOL_BYTES)
                .tornPageProtection(tornPageProtection)
                .logSegmentBytes(LOG_SEGMENT_BYTES)
                .build();
    }

    /** One run. */
    private static final class Run {
        /** The most changes of files that an opening was seen to make; 0 before the first. */
        private int openingChangesMax;

        private final ProofOptions options;
        private final ProofProgress progress;
        private final Path scratch;
        private final ProofReport.Builder report;
        private final long endNanos;
        private Path home;
        private DatabaseTotals before;
        private int pointsHere;

        /** Whether the database hangs in this process, which ends the run. */
        private boolean hangs;

        Run(ProofOptions options, ProofProgress progress, Path scratch) {
            this.options = options;
            this.progress = progress;
            this.scratch = scratch;
            report = new ProofReport.Builder(NAME, options);
            endNanos = System.nanoTime() + options.time().toNanos();
        }

        ProofReport run() throws IOException, InterruptedException {
            // Ends with the points, or with the time.
            for (long point = 0; goesOn(point); point++) {
                if (!options.wants(point)) {
                    continue;
                }
                progress.step(point, options.points(), "");
                tryPoint(point);
            }
            return report.build();
        }

        private boolean goesOn(long point) {
            return !hangs && (options.points() > 0 ? point < options.points() : System.nanoTime() - endNanos < 0);
        }

        private void tryPoint(long point) throws IOException, InterruptedException {
            try {
                if (home == null || pointsHere >= POINTS_PER_DATABASE) {
                    begin(point);
                }
                point(point);
                pointsHere++;
            } catch (PointLimit.HangException e) {
                hangs = true;
                failed(point, e.getMessage());
            } catch (RuntimeException | Error e) {
                failed(point, ProofReport.describe(e));
            }
        }

        private void begin(long point) throws IOException, InterruptedException, PointLimit.HangException {
            if (home != null) {
                ScratchDirectory.remove(home);
            }
            home = scratch.resolve("database-" + point);
            pointsHere = 0;
            before = PointLimit.run(() -> load(point));
        }

        private DatabaseTotals load(long point) throws InterruptedException {
            TpccConfiguration configuration =
                    TpccConfiguration.builder(SCALE).seed(options.seed()).build();
            try (LockstepAdapter adapter = open(protection(point))) {
                TpccRun.load(configuration, adapter, TpccProgress.NONE);
                return check(adapter).totals();
            }
        }

        private LockstepAdapter open(TornPageProtection protection) {
            return new LockstepAdapter(
                    Database.open(home, databaseOptions(protection)), null, Durability.SYNC, TIMEOUT);
        }

        private static TornPageProtection protection(long point) {
            return point % 2 == 0 ? TornPageProtection.DOUBLE_WRITE : TornPageProtection.LOG_IMAGES;
        }

        private static ConsistencyCheck.Report check(LockstepAdapter adapter) {
            try (TpccScanner scanner = adapter.openScanner()) {
                return ConsistencyCheck.afterLoad(SCALE, scanner);
            }
        }

        private static int[] nextOrderIds(LockstepAdapter adapter) {
            int[] nextOrderIds = new int[SCALE.districts()];
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.districts(
                        row -> nextOrderIds[TpccScale.districtIndex(row.warehouseId, row.id)] = row.nextOrderId);
            }
            return nextOrderIds;
        }

        private void point(long point) throws InterruptedException, PointLimit.HangException {
            report.count("points with " + protection(point), 1);
            Random random = new Random(options.seed() * SEED_FACTOR + point);
            AnsweredTransactions answered = new AnsweredTransactions(TERMINALS, SCALE.warehouses());
            String failure = killUnderLoad(point, random, answered);
            if (failure.isEmpty() && random.nextInt(ONE_IN_OPENING) == 0) {
                int times = 1 + random.nextInt(OPENINGS_MAX);
                for (int i = 0; i < times && failure.isEmpty(); i++) {
                    failure = killWhileOpening(point, random);
                }
            }
            if (failure.isEmpty()) {
                failure = PointLimit.run(() -> judge(point, answered));
            }
            if (!failure.isEmpty()) {
                failed(point, failure);
                return;
            }
            report.count("commits answered and found", answered.answers());
            report.count("commits in flight when killed", answered.inFlight());
            report.count("answers of readers compared", answered.answersOfReaders());
            report.survived();
        }

        private KilledJvm start(long point, int terminals, long stopAt) throws IOException {
            return KilledJvm.start(
                    scratch.resolve("errors.txt"),
                    KillChild.class,
                    List.of(
                            home.toString(),
                            Long.toString(options.seed()),
                            Long.toString(point),
                            Integer.toString(terminals),
                            protection(point).name(),
                            Long.toString(stopAt)));
        }

        /** Returns what was wrong with the child, or the empty string. */
        private String killUnderLoad(long point, Random random, AnsweredTransactions answered)
                throws InterruptedException {
            report.count("kills under load", 1);
            try (KilledJvm child = start(point, TERMINALS, NEVER);
                    ChildWatch watch = new ChildWatch(child, SILENCE_MAX.toNanos())) {
                await(child, watch, KillChild.OPENED);
                int answers = random.nextInt(ANSWERS_MAX);
                while (answered.answers() < answers) {
                    answered.heard(next(child, watch));
                }
                child.goesOnFor(random.nextInt(DELAY_NANOS_MAX));
                child.kill(answered::heard);
                return "";
            } catch (IOException e) {
                return ProofReport.describe(e);
            }
        }

        /** Before some change of a file that its opening makes, or behind the last one. */
        private String killWhileOpening(long point, Random random) throws InterruptedException {
            long stopAt = openingChangesMax == 0 ? NEVER : 1 + random.nextInt(openingChangesMax + 1);
            try (KilledJvm child = start(point, 0, stopAt);
                    ChildWatch watch = new ChildWatch(child, SILENCE_MAX.toNanos())) {
                ByteBuffer said = next(child, watch);
                boolean opened = said.getInt() == KillChild.OPENED;
                if (opened) {
                    openingChangesMax = Math.max(openingChangesMax, said.getInt());
                }
                report.count(opened ? "kills behind an opening" : RECOVERING, 1);
                child.kill(frame -> {});
                return "";
            } catch (IOException e) {
                return ProofReport.describe(e);
            }
        }

        private static void await(KilledJvm child, ChildWatch watch, int mark) throws IOException {
            // Ends with the child at the latest.
            while (next(child, watch).getInt() != mark) {
                // It has said something else before.
            }
        }

        /** The next frame of a child, which the watch kills if it falls silent. */
        private static ByteBuffer next(KilledJvm child, ChildWatch watch) throws IOException {
            try {
                ByteBuffer frame = child.next();
                watch.heard();
                return frame;
            } catch (IOException e) {
                if (!watch.hasFired()) {
                    throw e;
                }
                throw new IOException("the child hangs: silentSeconds=" + SILENCE_MAX.toSeconds(), e);
            }
        }

        /** What a database that was killed lacks, or the empty string. */
        private String judge(long point, AnsweredTransactions answered) {
            try (LockstepAdapter adapter = open(protection(point))) {
                adapter.database().validate();
                ConsistencyCheck.Report after = check(adapter);
                for (Map.Entry<Integer, String> verdict : after.conditions().entrySet()) {
                    // The eleventh counts deliveries, as the tally does, and more exactly.
                    if (verdict.getKey() != DELIVERIES_CONDITION
                            && !verdict.getValue().equals(ConsistencyCheck.OK)) {
                        return "condition " + verdict.getKey() + " of TPC-C is violated: " + verdict.getValue();
                    }
                }
                String differences = answered.differences(before, after.totals());
                before = after.totals();
                return differences.isEmpty() ? answered.lostToReaders(nextOrderIds(adapter)) : differences;
            }
        }

        private void failed(long point, String what) {
            report.failed(point, kept(point) + what);
            home = null;
        }

        /** Keeps the database for whoever looks for the reason, since a replay begins without it; says where it is. */
        private String kept(long point) {
            Path kept = options.directory()
                    .resolve(String.format(
                            Locale.ROOT, "lockstep-failed-%s-seed-%d-point-%d", NAME, options.seed(), point));
            try {
                ScratchDirectory.remove(kept);
                Files.move(home, kept);
            } catch (IOException e) {
                return "the database is not kept (" + e + "): ";
            }
            return String.format(
                    Locale.ROOT,
                    "database=%s has the state that failed, after %d points before this one; a replay begins with a"
                            + " fresh database: ",
                    kept,
                    pointsHere);
        }
    }
}
