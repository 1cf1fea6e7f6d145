package dev.lockstep.bench.prove.isolation;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.prove.Proof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.lock.LockFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Records histories of thousands of transactions that run at the same time, by virtual threads and by S-threads of both
 * kinds, and searches them for what isolation levels forbid ({@link HistoryChecker}): all transactions of a history
 * have one level, or each has drawn its own. Half of them look for keys by a secondary index too; those on disk have
 * checkpoints, compactions, backups and schema changes beside them ({@link Upkeep}). One point in seven is a control:
 * its lock table is broken on purpose ({@link LockFault}), and it survives if the search notices that.
 *
 * <p>Then it makes deadlocks and times them. Each must have its youngest member as its victim, and of each length half
 * must be found within 10 ms, from the request that closes the deadlock to the error in the victim's hands. The median
 * is judged and not the longest, because that time includes the victim's way back to a processor, which others may
 * hold; how many were found later is told.
 *
 * <p>The seed fixes what each transaction asks for; how they meet differs from run to run, so a replay may need several
 * attempts.
 */
public final class IsolationProof implements Proof {
    private static final String NAME = "isolation";
    private static final long POINTS = 420;

    /** One in so many points is a control. Not a multiple of the number of mixes, or one of them would lose most. */
    private static final int POINTS_PER_CONTROL = 7;

    /** What the transactions of a history have: one of the levels, or each its own. */
    private static final int MIXES = Isolation.values().length + 1;

    /**
     * One in so many points runs on disk, with durable commits and locks that go early, and upkeep. Has no factor in
     * common with the mixes, or some would never be there.
     */
    private static final int POINTS_PER_DISK = 4;

    /** Histories that a broken lock table may survive; half of them fail. */
    private static final int CONTROL_HISTORIES_MAX = 30;

    /** Few threads that meet often, and many of which most wait. Each history has some 2,000 transactions. */
    private static final int[] THREAD_COUNTS = {16, 128, 2_048};

    private static final int TRANSACTIONS = 2_048;

    /** So many times as many on disk, or they would be through before a compaction is. */
    private static final int MORE_ON_DISK = 3;

    /** Points after which the numbers of threads meet other mixes: these times those. */
    private static final int POINTS_PER_ROUND = MIXES * 3;

    /** Makes neighbouring seeds and points independent of each other: a prime. */
    private static final long SEED_FACTOR = 1_000_003;

    private static final int EXAMPLE_CHARACTERS_MAX = 2_000;

    private static final int[] RING_MEMBERS = {2, 3, 8, 64, 512};
    private static final int RING_MEMBERS_MAX = 512;

    /** From the place in the engine to the step of the history. */
    private static final int FRAMES_TO_TELL = 24;

    /** Deadlocks of each length: enough for a percentile, and a second in all. */
    private static final int RINGS = 200;

    private final boolean judgesSpeed;

    /** For the command. */
    public IsolationProof() {
        this(true);
    }

    /**
     * For tests.
     *
     * @param judgesSpeed false to report how late deadlocks are found without judging it, on a machine that does other
     *     things as well
     */
    public IsolationProof(boolean judgesSpeed) {
        this.judgesSpeed = judgesSpeed;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "histories of thousands of concurrent transactions, at each isolation level and with all of them mixed,"
                + " by virtual threads and S-threads, are searched for the anomalies that the levels forbid (Adya's"
                + " graph). Every seventh has a lock table that is broken on purpose, which must be noticed. Then"
                + " deadlocks are made and timed: half of each length must be found within 10 ms.";
    }

    @Override
    public long pointsDefault() {
        return POINTS;
    }

    @Override
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch)
            throws IOException, InterruptedException {
        return new Run(options, progress, scratch, judgesSpeed).run();
    }

    /** What must be found, by at least one, where a lock table is broken. */
    static Set<Finding> shownBy(LockFault fault) {
        return switch (fault) {
            case READS_UNLOCKED -> EnumSet.of(Finding.P4, Finding.G_SINGLE, Finding.G2_ITEM);
            case GAPS_UNLOCKED -> EnumSet.of(Finding.PMP, Finding.G_SINGLE_OF_RANGES, Finding.G2);
            case WRITES_SHARED -> EnumSet.of(Finding.G1A, Finding.G1B, Finding.G1C);
        };
    }

    /** By what a history is judged by. */
    static boolean isNoticed(LockFault fault, HistoryChecker.Verdict verdict) {
        return verdict.forbidden().keySet().stream().anyMatch(shownBy(fault)::contains);
    }

    /** They are made behind the points, however few these are. */
    static String replayOfDeadlocks(long seed) {
        return String.format(Locale.ROOT, "./lockstep prove %s --points 1 --seed %d", NAME, seed);
    }

    private static boolean isControl(long point) {
        return point % POINTS_PER_CONTROL == POINTS_PER_CONTROL - 1;
    }

    /** What one run has seen so far. */
    private static final class Run {
        private final ProofOptions options;
        private final ProofProgress progress;
        private final Path scratch;
        private final ProofReport.Builder report;
        private final boolean judgesSpeed;
        private final long endNanos;
        private final long[][] seen = new long[MIXES][Finding.values().length];
        private final long[] histories = new long[MIXES];
        private final long[] transactions = new long[MIXES];

        Run(ProofOptions options, ProofProgress progress, Path scratch, boolean judgesSpeed) {
            this.options = options;
            this.progress = progress;
            this.scratch = scratch;
            this.judgesSpeed = judgesSpeed;
            report = new ProofReport.Builder(NAME, options);
            endNanos = System.nanoTime() + options.time().toNanos();
        }

        ProofReport run() throws IOException, InterruptedException {
            // Ends with the points, or with the time.
            for (long point = 0; goesOn(point); point++) {
                if (options.wants(point)) {
                    progress.step(point, options.points(), "");
                    if (isControl(point)) {
                        control(point);
                    } else {
                        history(point);
                    }
                }
            }
            report.section(Section.of("Histories that showed an anomaly", findings()));
            if (options.point().isEmpty()) {
                report.section(deadlocks());
            }
            return report.build();
        }

        private boolean goesOn(long point) {
            return options.points() > 0 ? point < options.points() : System.nanoTime() - endNanos < 0;
        }

        private void history(long point) throws IOException, InterruptedException {
            Optional<Path> directory = point % POINTS_PER_DISK == POINTS_PER_DISK - 1
                    ? Optional.of(Files.createDirectory(scratch.resolve("history-" + point)))
                    : Optional.empty();
            HistorySpec spec = spec(point, Optional.empty(), directory);
            History history;
            HistoryChecker.Verdict verdict;
            try {
                history = HistoryRecorder.record(spec);
                verdict = HistoryChecker.check(history);
            } catch (RuntimeException | Error failure) {
                report.failed(
                        point,
                        spec.describe() + ": " + failure + ", cause=" + failure.getCause() + ", at "
                                + framesOf(failure));
                return;
            }
            int mix = mixOf(spec);
            histories[mix]++;
            transactions[mix] += history.transactions().size();
            verdict.shown().keySet().forEach(finding -> seen[mix][finding.ordinal()]++);
            report.count("keys deleted", deletes(history));
            report.count("operations run by the leader of a staged team", history.operationsStaged());
            if (directory.isPresent()) {
                report.count("backups beside transactions, compared", backups(history));
                report.count("pages moved by compactions beside transactions", history.pagesMoved());
            }
            report.count("transactions", history.transactions().size());
            report.count(
                    "transactions rolled back",
                    history.transactions().stream()
                            .filter(executed -> !executed.committed())
                            .count());
            report.count("histories of " + spec.threads().title(), 1);
            report.count(String.format(Locale.ROOT, "histories of %,d threads", spec.threadCount()), 1);
            report.count(directory.isPresent() ? "histories on disk" : "histories in memory", 1);
            report.count(spec.indexed() ? "histories with an index" : "histories without an index", 1);
            if (verdict.forbidden().isEmpty()) {
                report.survived();
            } else {
                report.failed(
                        point, spec.describe() + ": " + cut(verdict.forbidden().toString()));
            }
            if (directory.isPresent()) {
                ScratchDirectory.remove(directory.get());
            }
        }

        private static int mixOf(HistorySpec spec) {
            return spec.level().map(Isolation::ordinal).orElse(MIXES - 1);
        }

        private static long backups(History history) {
            return history.transactions().stream()
                    .filter(executed -> executed.thread().equals(History.BACKUP))
                    .count();
        }

        private static long deletes(History history) {
            return history.transactions().stream()
                    .filter(History.Executed::committed)
                    .flatMap(executed -> executed.steps().stream())
                    .filter(step -> step instanceof History.Write write && write.deletes())
                    .count();
        }

        private void control(long point) throws IOException, InterruptedException {
            LockFault[] faults = LockFault.values();
            LockFault fault = faults[(int) (point / POINTS_PER_CONTROL % faults.length)];
            for (int attempt = 0; attempt < CONTROL_HISTORIES_MAX; attempt++) {
                HistorySpec spec =
                        spec(point + (long) attempt * THREAD_COUNTS.length, Optional.of(fault), Optional.empty());
                report.count("histories of broken lock tables", 1);
                if (isNoticed(spec, fault)) {
                    report.count("broken lock tables noticed, " + fault, 1);
                    report.survived();
                    return;
                }
            }
            report.failed(point, fault + " was not noticed in " + CONTROL_HISTORIES_MAX + " histories");
        }

        /** Whether a history shows it. In one that fails altogether the search has nothing to look at. */
        private boolean isNoticed(HistorySpec spec, LockFault fault) throws IOException, InterruptedException {
            try {
                return IsolationProof.isNoticed(fault, HistoryChecker.check(HistoryRecorder.record(spec)));
            } catch (RuntimeException | Error failure) {
                report.count("histories of broken lock tables that failed", 1);
                return false;
            }
        }

        private HistorySpec spec(long point, Optional<LockFault> fault, Optional<Path> directory) {
            SplittableRandom random = new SplittableRandom(options.seed() * SEED_FACTOR + point);
            int mix = (int) (point % MIXES);
            Optional<Isolation> level = Arrays.stream(Isolation.values())
                    .filter(candidate -> candidate.ordinal() == mix)
                    .findFirst();
            List<ThreadKind> kinds = new ArrayList<>(List.of(ThreadKind.values()));
            kinds.removeIf(kind -> !kind.isAvailable());
            int threads = THREAD_COUNTS[(int) ((point + point / POINTS_PER_ROUND) % THREAD_COUNTS.length)];
            return new HistorySpec(
                    fault.isPresent() ? Optional.of(Isolation.SERIALIZABLE) : level,
                    kinds.get((int) (point / MIXES % kinds.size())),
                    threads,
                    (directory.isPresent() ? MORE_ON_DISK : 1) * TRANSACTIONS / threads,
                    random.nextLong(),
                    random.nextBoolean(),
                    fault,
                    directory);
        }

        private Table findings() {
            List<String> headers = new ArrayList<>(List.of("anomaly"));
            for (Isolation level : Isolation.values()) {
                headers.add(level.name());
            }
            headers.add(HistorySpec.MIXED);
            Table.Builder table = Table.of(1, headers);
            table.row(row("histories", mix -> histories[mix]));
            table.row(row("transactions", mix -> transactions[mix]));
            for (Finding finding : Finding.values()) {
                table.row(row(finding.title(), mix -> cell(finding, mix)));
            }
            return table.build();
        }

        /**
         * Of mixed histories what the weakest level forbids; which of the others are forbidden differs by transaction.
         */
        private String cell(Finding finding, int mix) {
            long count = seen[mix][finding.ordinal()];
            Isolation weakest = mix == MIXES - 1 ? Isolation.READ_UNCOMMITTED : Isolation.values()[mix];
            return finding.isAdmittedBy(weakest) ? String.format(Locale.ROOT, "%,d", count) : count + " (forbidden)";
        }

        private static List<String> row(String name, IntFunction<Object> cell) {
            List<String> row = new ArrayList<>(List.of(name));
            for (int mix = 0; mix < MIXES; mix++) {
                row.add(cell.apply(mix).toString());
            }
            return row;
        }

        /** Where the cause of a failure was thrown: whoever reads of it may never see it again. */
        private static String framesOf(Throwable failure) {
            Throwable root = failure.getCause() == null ? failure : failure.getCause();
            return Arrays.stream(root.getStackTrace())
                    .limit(FRAMES_TO_TELL)
                    .map(StackTraceElement::toString)
                    .collect(Collectors.joining(" < "));
        }

        private Section deadlocks() throws InterruptedException {
            List<DeadlockRings.Times> all = new ArrayList<>();
            try (DeadlockRings rings = new DeadlockRings(RING_MEMBERS_MAX)) {
                // The first compile what is timed later.
                rings.measure(RING_MEMBERS[0], RINGS);
                for (int members : RING_MEMBERS) {
                    all.add(rings.measure(members, RINGS));
                }
            }
            int wrong = all.stream().mapToInt(DeadlockRings.Times::wrongVictims).sum();
            report.count("deadlocks timed", (long) RINGS * all.size());
            report.count(
                    "deadlocks found later than 10 ms",
                    all.stream().mapToLong(DeadlockRings.Times::late).sum());
            if (wrong > 0) {
                report.failed(
                        options.points(),
                        wrong + " deadlocks had another victim than their youngest member",
                        replayOfDeadlocks(options.seed()));
            }
            if (judgesSpeed) {
                for (DeadlockRings.Times times : all) {
                    if (times.isMostlyLate()) {
                        report.failed(
                                options.points(),
                                "half of the deadlocks of " + times.members() + " members were found later than 10 ms",
                                replayOfDeadlocks(options.seed()));
                    }
                }
            }
            return Section.of(
                    "Deadlocks, from the request that closes one to the error in the victim's hands",
                    new Paragraph("Virtual threads; the time that a thread takes to wake up is included."),
                    DeadlockRings.table(all));
        }

        private static String cut(String text) {
            return text.length() <= EXAMPLE_CHARACTERS_MAX ? text : text.substring(0, EXAMPLE_CHARACTERS_MAX) + "...";
        }
    }
}
