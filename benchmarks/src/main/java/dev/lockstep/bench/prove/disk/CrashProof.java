package dev.lockstep.bench.prove.disk;

import dev.lockstep.bench.prove.Proof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Runs databases on a simulated disk that fails, and looks at what is left. A point is a pair of an operation of a
 * workload's recorded run and a {@link Fault} that it meets. What has to come of each fault is said where {@code
 * CrashProofTest} lists the zones of the files.
 *
 * <p>A round is all pairs of both workloads; where more points are wanted, the next round has workloads of the next
 * seed. Every choice depends on seed, operation and fault alone.
 */
public final class CrashProof implements Proof {
    private static final String NAME = "crash";
    private static final long POINTS = 20_000;

    /** With a time in place of a number, points are drawn by so many, so that the disk is replayed once for each. */
    private static final int POINTS_PER_DRAW = 2_000;

    /** Makes neighbouring seeds and points independent of each other: a prime. */
    private static final long SEED_FACTOR = 1_000_003;

    /** For the command and the tests. */
    public CrashProof() {}

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
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch) {
        return new Run(options, progress).run();
    }

    /** The pairs of one seed. */
    static final class Round {
        private final long seed;
        private final List<Recording> recordings;
        private final int pairCount;

        Round(long seed) {
            this.seed = seed;
            recordings = List.of(Recording.of(new RowsWorkload(seed)), Recording.of(new TpccWorkload(seed)));
            pairCount = recordings.stream()
                            .mapToInt(recording -> recording.operations().size())
                            .sum()
                    * Fault.values().length;
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
                if (fault(pair).appliesTo(operation(pair))) {
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
            return index < recordings.getFirst().operations().size() ? recordings.getFirst() : recordings.getLast();
        }

        /** Number of the operation within its recording. */
        int operationNumber(int pair) {
            int index = pair / Fault.values().length;
            int first = recordings.getFirst().operations().size();
            return index < first ? index : index - first;
        }

        DiskOperation operation(int pair) {
            return recording(pair).operations().get(operationNumber(pair));
        }

        String describe(int pair) {
            int number = operationNumber(pair);
            Recording recording = recording(pair);
            Workload workload = recording.workload();
            return workload.name() + " operation " + number + " (" + operation(pair) + ") in "
                    + workload.describe(recording.stepsDoneBefore(number)) + ": "
                    + fault(pair).title();
        }
    }

    private static final class Run {
        private final ProofOptions options;
        private final ProofProgress progress;
        private final ProofReport.Builder report;
        private final PointCounts counts = new PointCounts();
        private final long beginNanos = System.nanoTime();
        private long tried;

        Run(ProofOptions options, ProofProgress progress) {
            this.options = options;
            this.progress = progress;
            report = new ProofReport.Builder(NAME, options);
        }

        ProofReport run() {
            // Ends with the points or the time: each round tries some.
            for (long round = 0; goesOn(); round++) {
                tryRound(new Round(options.seed() + round));
            }
            counts.addTo(report);
            return report.build();
        }

        private boolean goesOn() {
            if (options.points() > 0) {
                return tried < options.points();
            }
            return System.nanoTime() - beginNanos < options.time().toNanos();
        }

        private void tryRound(Round round) {
            List<Integer> pairs = round.pairs();
            if (options.points() == 0) {
                Collections.shuffle(pairs, new Random(round.seed()));
                for (int from = 0; from < pairs.size() && goesOn(); from += POINTS_PER_DRAW) {
                    tryPairs(round, pairs.subList(from, Math.min(pairs.size(), from + POINTS_PER_DRAW)));
                }
                return;
            }
            long wanted = options.points() - tried;
            if (wanted < pairs.size()) {
                Collections.shuffle(pairs, new Random(round.seed()));
                pairs = pairs.subList(0, (int) wanted);
            }
            tryPairs(round, pairs);
        }

        /** Tries pairs in the order of their operations, so that the disk is replayed once. */
        private void tryPairs(Round round, List<Integer> unordered) {
            List<Integer> pairs = unordered.stream().sorted().toList();
            Recording recording = null;
            DiskImage image = null;
            int applied = 0;
            for (int pair : pairs) {
                if (options.points() == 0 && !goesOn()) {
                    return;
                }
                long point = tried++;
                if (!options.wants(point)) {
                    continue;
                }
                if (recording != round.recording(pair)) {
                    recording = round.recording(pair);
                    image = recording.workload().before();
                    applied = 0;
                }
                for (; applied < round.operationNumber(pair); applied++) {
                    image.apply(recording.operations().get(applied));
                }
                tryPair(round, pair, image, point);
                progress.step(
                        report.tried(), options.points(), round.fault(pair).title());
            }
        }

        private void tryPair(Round round, int pair, DiskImage image, long point) {
            Fault fault = round.fault(pair);
            Activity activity = round.operation(pair).activity();
            int number = round.operationNumber(pair);
            Trial trial = new Trial(
                    round.recording(pair), number, fault, (round.seed() * SEED_FACTOR) ^ (pair * SEED_FACTOR));
            try {
                counts.add(fault, activity, trial.run(image));
                report.survived();
            } catch (RuntimeException | Error e) {
                counts.add(fault, activity, null);
                report.failed(point, round.describe(pair) + ": " + causes(e), replay(round, pair));
            }
        }

        /** The command that tries a pair alone. */
        private static String replay(Round round, int pair) {
            return String.format(
                    Locale.ROOT,
                    "./lockstep prove %s --points %d --seed %d --point %d",
                    NAME,
                    round.pairs().size(),
                    round.seed(),
                    round.pairs().indexOf(pair));
        }

        private static String causes(Throwable failure) {
            StringBuilder text = new StringBuilder();
            Throwable cause = failure;
            for (int depth = 0; cause != null && depth < 4; depth++) {
                text.append(depth == 0 ? "" : ", because ").append(cause);
                cause = cause.getCause();
            }
            StackTraceElement[] trace = failure.getStackTrace();
            for (int i = 0; i < Math.min(trace.length, 3); i++) {
                text.append(" at ").append(trace[i]);
            }
            return text.toString();
        }
    }
}
