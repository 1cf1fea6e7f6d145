package dev.lockstep.bench.prove.disk;

import dev.lockstep.bench.prove.PointLimit;
import dev.lockstep.bench.prove.Proof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.engine.TornPageProtection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs databases on a simulated disk that fails, and looks at what is left. A point is a pair of an operation of a
 * workload's recorded run and a {@link Fault} that it meets. What has to come of each fault is said where {@code
 * CrashProofTest} lists the zones of the files. A point that does not come to its end ({@link PointLimit}) fails, and
 * is the last one of its run.
 *
 * <p>A round is all pairs of its workloads, one of which has images of its pages in the log in place of writing them
 * twice; where more points are wanted, the next round has workloads of the next seed. Where fewer are wanted, every
 * fault is tried during every activity, and the rest is drawn from all. Every choice depends on seed, operation and
 * fault alone, and the operations of a workload are the same in every run: so a point is named by the two, {@code
 * OPERATION:FAULT}, and tried again alone.
 */
public final class CrashProof implements Proof {
    /** Counts the openings that a second crash has stopped, of which a point may have several. */
    public static final String RECOVERIES_CUT_SHORT = "recoveries cut short";

    /** Counts batches that the first version of the double-write area had no room for, in the recorded runs. */
    public static final String LONG_BATCHES = "recorded batches of more than 64 pages";

    /** Counts writes that go past the system's cache where the disk is not simulated, in the recorded runs. */
    public static final String LONG_RUNS = "recorded runs of 16 neighbouring pages or more";

    private static final String NAME = "crash";

    /** Leaves room for the fault in the number of a point. */
    private static final String OPERATION_NUMBER = "[0-9]{1,8}";

    private static final long POINTS = 20_000;

    /** With a time in place of a number, points are drawn by so many, so that the disk is replayed once for each. */
    private static final int POINTS_PER_DRAW = 2_000;

    /** Makes neighbouring seeds and points independent of each other: a prime. */
    private static final long SEED_FACTOR = 1_000_003;

    private final Flaw flaw;

    /** For the command and the tests. */
    public CrashProof() {
        this(Flaw.NONE);
    }

    /** Tries an engine that does something wrong, to see whether that is found. */
    public CrashProof(Flaw flaw) {
        this.flaw = flaw;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "workloads run on a simulated disk that fails at each of their operations: it loses, reorders, tears or"
            + " misdirects what was not forced, fails once or for ever, is full, and stops again while the database"
            + " recovers. Everything acknowledged must be there afterwards, nothing by halves; what the medium itself"
            + " has lost must be noticed.";
    }

    @Override
    public long pointsDefault() {
        return POINTS;
    }

    @Override
    public boolean isPointIndependent() {
        return true;
    }

    /** The name is {@code OPERATION:FAULT}. */
    @Override
    public long pointNumber(String text) {
        int colon = text.indexOf(':');
        Optional<Fault> fault = Arrays.stream(Fault.values())
                .filter(its -> its.word().equals(text.substring(colon + 1)))
                .findFirst();
        if (colon < 1 || fault.isEmpty() || !text.substring(0, colon).matches(OPERATION_NUMBER)) {
            throw new IllegalArgumentException(
                    "--point of prove " + NAME + " is OPERATION:FAULT, where a fault is one of "
                            + Arrays.stream(Fault.values()).map(Fault::word).collect(Collectors.joining(", "))
                            + ": point=" + text);
        }
        return Long.parseLong(text, 0, colon, 10) * Fault.values().length
                + fault.get().ordinal();
    }

    /**
     * How many different points a seed makes, before those of the next one begin.
     *
     * @param seed the first one of the run
     */
    public long pointsPerRound(long seed) {
        return new Round(seed, flaw).pairs().size();
    }

    @Override
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch) throws InterruptedException {
        return new Run(flaw, options, progress).run();
    }

    /** The pairs of one seed. */
    static final class Round {
        private final long seed;
        private final Flaw flaw;
        private final List<Recording> recordings;
        private final int pairCount;

        Round(long seed, Flaw flaw) {
            this.seed = seed;
            this.flaw = flaw;
            recordings =
                    workloads(seed, flaw).map(its -> Recording.of(its, flaw)).toList();
            pairCount = recordings.stream()
                            .mapToInt(recording -> recording.operations().size())
                            .sum()
                    * Fault.values().length;
        }

        private static Stream<Workload> workloads(long seed, Flaw flaw) {
            return switch (flaw) {
                case NONE ->
                    Stream.of(
                            new RowsWorkload(seed, TornPageProtection.DOUBLE_WRITE),
                            new RowsWorkload(seed, TornPageProtection.LOG_IMAGES),
                            new TpccWorkload(seed));
                case NO_LOG_IMAGES -> Stream.of(new RowsWorkload(seed, TornPageProtection.LOG_IMAGES));
                default -> Stream.of(new RowsWorkload(seed, TornPageProtection.DOUBLE_WRITE));
            };
        }

        long seed() {
            return seed;
        }

        /** All pairs, those included that cannot be, such as a force that is misdirected. */
        int pairCount() {
            return pairCount;
        }

        /** The pairs that can be, in order. */
        List<Integer> pairs() {
            List<Integer> pairs = new ArrayList<>();
            for (int pair = 0; pair < pairCount; pair++) {
                if (fault(pair).appliesTo(operation(pair)) && flaw.mayShow(fault(pair), operation(pair))) {
                    pairs.add(pair);
                }
            }
            return pairs;
        }

        Fault fault(int pair) {
            return Fault.values()[pair % Fault.values().length];
        }

        Recording recording(int pair) {
            int index = pair / Fault.values().length;
            int recording = 0;
            while (index >= recordings.get(recording).operations().size()) {
                index -= recordings.get(recording).operations().size();
                recording++;
            }
            return recordings.get(recording);
        }

        /** Number of the operation within its recording. */
        int operationNumber(int pair) {
            int index = pair / Fault.values().length;
            int before = 0;
            for (Recording recording : recordings) {
                if (index - before < recording.operations().size()) {
                    break;
                }
                before += recording.operations().size();
            }
            return index - before;
        }

        DiskOperation operation(int pair) {
            return recording(pair).operations().get(operationNumber(pair));
        }

        /** What {@code --point} calls it. */
        String name(int pair) {
            return pair / Fault.values().length + ":" + fault(pair).word();
        }

        String describe(int pair) {
            int number = operationNumber(pair);
            Recording recording = recording(pair);
            Workload workload = recording.workload();
            return workload.name() + " operation " + number + " (" + operation(pair) + ") in "
                    + workload.describe(recording.stepsDoneBefore(number)) + ": "
                    + fault(pair).title();
        }

        /**
         * Pairs in a random order, in which each fault during each activity, each fault of each workload, each fault
         * of the medium in each zone, and each error at each kind of operation comes once before all others.
         */
        List<Integer> shuffledPairs() {
            List<Integer> shuffled = pairs();
            Collections.shuffle(shuffled, new Random(seed));
            Map<String, Integer> firsts = new LinkedHashMap<>();
            for (int pair : shuffled) {
                firsts.putIfAbsent(fault(pair).word() + operation(pair).activity(), pair);
                firsts.putIfAbsent(
                        fault(pair).word() + recording(pair).workload().name(), pair);
                if (fault(pair).kind() == Fault.Kind.MEDIUM) {
                    firsts.putIfAbsent(fault(pair).word() + Zone.of(operation(pair)), pair);
                }
                if (fault(pair).kind() == Fault.Kind.ERROR) {
                    firsts.putIfAbsent(fault(pair).word() + operation(pair).kind(), pair);
                }
            }
            Set<Integer> ordered = new LinkedHashSet<>(firsts.values());
            ordered.addAll(shuffled);
            return List.copyOf(ordered);
        }
    }

    private static final class Run {
        private final Flaw flaw;
        private final ProofOptions options;
        private final ProofProgress progress;
        private final ProofReport.Builder report;
        private final PointCounts counts = new PointCounts();
        private final long beginNanos = System.nanoTime();
        private long tried;

        /**
         * Whether a point has not come to its end, or the workloads of a seed could not be recorded, which ends the
         * run: what that left may be in the way of others.
         */
        private boolean stuck;

        /** Whether a flaw was found, which ends the run: it was made to see that. */
        private boolean flawFound;

        Run(Flaw flaw, ProofOptions options, ProofProgress progress) {
            this.flaw = flaw;
            this.options = options;
            this.progress = progress;
            report = new ProofReport.Builder(NAME, options);
        }

        ProofReport run() throws InterruptedException {
            if (options.point().isPresent()) {
                Optional<Round> round = round(options.seed());
                if (round.isPresent()) {
                    tryPoint(round.get(), options.point().getAsLong());
                }
            }
            // Ends with the points or the time, or with what hangs: each round tries some.
            for (long number = 0; options.point().isEmpty() && goesOn(); number++) {
                Optional<Round> round = round(options.seed() + number);
                if (round.isPresent()) {
                    tryRound(round.get());
                }
                if (round.isPresent() && number == 0) {
                    String made = "points that seed " + options.seed() + " makes";
                    report.count(made, round.get().pairs().size());
                    report.count(made + ", of these tried", tried);
                }
            }
            counts.addTo(report);
            return report.build();
        }

        /** Has the workloads of a seed recorded; empty if one of them hangs or fails, though the disk does not. */
        private Optional<Round> round(long seed) throws InterruptedException {
            try {
                return Optional.of(PointLimit.run(() -> new Round(seed, flaw)));
            } catch (PointLimit.HangException e) {
                return unrecorded(seed, e.getMessage());
            } catch (RuntimeException | Error e) {
                return unrecorded(seed, ProofReport.describe(e));
            }
        }

        private Optional<Round> unrecorded(long seed, String what) {
            stuck = true;
            report.failed(0, "before any fault, while the workloads are recorded: " + what, replay(seed, "--points 1"));
            return Optional.empty();
        }

        private boolean goesOn() {
            boolean hasMore = options.points() > 0
                    ? tried < options.points()
                    : System.nanoTime() - beginNanos < options.time().toNanos();
            return hasMore && !stuck && !flawFound;
        }

        private void tryPoint(Round round, long number) throws InterruptedException {
            int pair = (int) Math.min(number, Integer.MAX_VALUE);
            if (pair >= round.pairCount() || !round.fault(pair).appliesTo(round.operation(pair))) {
                throw new IllegalArgumentException("seed " + round.seed() + " makes no such point: operation="
                        + number / Fault.values().length + " operations="
                        + round.pairCount() / Fault.values().length + " fault="
                        + round.fault(pair).word());
            }
            tryPairs(round, List.of(pair));
        }

        private void tryRound(Round round) throws InterruptedException {
            for (Recording recording : round.recordings) {
                report.count(points(recording), 0);
                report.count(LONG_BATCHES, recording.longBatches());
                report.count(LONG_RUNS, recording.longRuns());
            }
            List<Integer> pairs = round.shuffledPairs();
            if (options.points() == 0) {
                for (int from = 0; from < pairs.size() && goesOn(); from += POINTS_PER_DRAW) {
                    tryPairs(round, pairs.subList(from, Math.min(pairs.size(), from + POINTS_PER_DRAW)));
                }
                return;
            }
            tryPairs(round, pairs.subList(0, (int) Math.min(pairs.size(), options.points() - tried)));
        }

        /** Tries pairs in the order of their operations, so that the disk is replayed once. */
        private void tryPairs(Round round, List<Integer> unordered) throws InterruptedException {
            List<Integer> pairs = unordered.stream().sorted().toList();
            Recording recording = null;
            DiskImage image = null;
            DiskImage atStart = null;
            int applied = 0;
            for (int pair : pairs) {
                if (!goesOn()) {
                    return;
                }
                tried++;
                if (recording != round.recording(pair)) {
                    recording = round.recording(pair);
                    image = recording.workload().before();
                    applied = 0;
                }
                int number = round.operationNumber(pair);
                int start = recording.startBefore(number).operation();
                for (; applied <= number; applied++) {
                    if (applied == start) {
                        atStart = image.copy();
                    }
                    if (applied < number) {
                        image.apply(recording.operations().get(applied));
                    }
                }
                applied = number;
                tryPair(round, pair, image, atStart);
                progress.step(
                        report.tried(), options.points(), round.fault(pair).title());
            }
        }

        private void tryPair(Round round, int pair, DiskImage image, DiskImage atStart) throws InterruptedException {
            Fault fault = round.fault(pair);
            DiskOperation operation = round.operation(pair);
            report.count(points(round.recording(pair)), 1);
            int number = round.operationNumber(pair);
            Trial trial = new Trial(
                    round.recording(pair), number, fault, (round.seed() * SEED_FACTOR) ^ (pair * SEED_FACTOR));
            try {
                Trial.Outcome outcome = PointLimit.run(() -> trial.run(image, atStart));
                counts.add(fault, operation, outcome);
                report.count(RECOVERIES_CUT_SHORT, trial.recoveriesCutShort());
                if (trial.damageOrNull() != null) {
                    counts.addDamage(fault, trial.damageOrNull(), outcome);
                }
                report.survived();
            } catch (OtherRunException e) {
                // Says nothing of a flaw.
                failed(round, pair, ProofReport.describe(e), false);
            } catch (RuntimeException | Error e) {
                failed(round, pair, ProofReport.describe(e), true);
            } catch (PointLimit.HangException e) {
                stuck = true;
                failed(round, pair, e.getMessage(), true);
            }
        }

        private void failed(Round round, int pair, String what, boolean byEngine) {
            flawFound = byEngine && flaw != Flaw.NONE;
            counts.add(round.fault(pair), round.operation(pair), null);
            report.failed(pair, round.describe(pair) + ": " + what, replay(round, pair));
        }

        private static String points(Recording recording) {
            return "points of the workload " + recording.workload().name();
        }

        /** The command that tries a pair alone. */
        private static String replay(Round round, int pair) {
            return replay(round.seed(), "--point " + round.name(pair));
        }

        private static String replay(long seed, String what) {
            return String.format(Locale.ROOT, "./lockstep prove %s --seed %d %s", NAME, seed, what);
        }
    }
}
