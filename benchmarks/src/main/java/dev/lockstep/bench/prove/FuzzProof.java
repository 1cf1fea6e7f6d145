package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Damages the files of a database, one closed in order or one left as a crash would leave it, and opens and reads it:
 * half of the inputs are made by {@link FuzzMutator}, half by a coverage-guided fuzzer ({@link GuidedFuzz}). The files
 * lie in memory, so that an input takes about a millisecond.
 *
 * <p>What must come of it: a typed error; or exactly what was committed; or exactly what was committed up to some
 * transaction. Where the damage was given right checksums, the file may say other things than were committed, and
 * reading those is no failure; but never an error without a type, nor one inside of a typed error ({@link
 * FuzzSubject#untypedPart}), the death of the JVM, more than {@link #MILLIS_MAX} milliseconds, more heap than {@link
 * #HEAP_BYTES_MAX}, more memory outside of it than {@link #NATIVE_BYTES_MAX} ({@link FuzzMemory}).
 */
public final class FuzzProof implements Proof {
    /** Longest time for one input; most take a millisecond. */
    static final long MILLIS_MAX = 30_000;

    /** Heap that opening and reading may take: the pool is outside of it, and the database has 1 MB. */
    static final long HEAP_BYTES_MAX = 256L << 20;

    /**
     * Memory outside the heap: the pool, the log's ring, and buffers for recovery. What an input takes of it is looked
     * at after the input; direct buffers have the same limit by the JVM, which refuses them.
     */
    static final long NATIVE_BYTES_MAX = 256L << 20;

    /** Counts the inputs of the coverage-guided fuzzer. */
    public static final String GUIDED = "guided inputs";

    /** The most memory outside of the heap that an input has taken; not counted where the system does not say it. */
    public static final String NATIVE_MEGABYTES = "most native memory of an input, MB";

    /** Counts 1 where the guided half could not run, and the mutator did all. */
    public static final String NOT_RUN = "guided inputs NOT RUN";

    static final String CLOSED = "closed";
    static final String LEFT = "left";

    static final String NAME = "fuzz";
    private static final long POINTS = 100_000;
    static final int LOG_SEGMENT_BYTES = 1 << 20;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long SEED_FACTOR = 1_000_003;

    /** For the command and the tests. */
    public FuzzProof() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "the files of a database are damaged, by half by a mutator that knows them: bits flipped, numbers"
            + " changed, blocks spliced and swapped, files cut off, extended and removed, in half of its inputs with"
            + " checksums that fit; by half by a coverage-guided fuzzer (Jazzer), where its native library loads."
            + " Opening and reading must end in a typed error or in what was committed, now or earlier; never in"
            + " another exception, not even as the cause of a typed one, in the death or the endless work of the"
            + " process, or in more than 256 MB of heap or of native memory. " + FuzzOutcome.FORGERY;
    }

    @Override
    public long pointsDefault() {
        return POINTS;
    }

    @Override
    public boolean takesInput() {
        return true;
    }

    static Random random(long seed, long point) {
        return new Random(seed * SEED_FACTOR + point);
    }

    /**
     * Options of the JVM that opens damaged files. It has and touches all of its heap from the beginning, so that
     * memory that it takes later lies outside of the heap.
     */
    static List<String> limits() {
        return List.of(
                "-XX:MaxDirectMemorySize=" + NATIVE_BYTES_MAX,
                "-Xms" + HEAP_BYTES_MAX,
                "-Xmx" + HEAP_BYTES_MAX,
                "-XX:+AlwaysPreTouch");
    }

    static DatabaseOptions databaseOptions() {
        return DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .logSegmentBytes(LOG_SEGMENT_BYTES)
                .build();
    }

    @Override
    public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch)
            throws IOException, InterruptedException {
        makeImages(options.seed(), scratch);
        ProofReport.Builder report = new ProofReport.Builder(NAME, options);
        FuzzPeak peak = new FuzzPeak();
        if (options.input().isPresent()) {
            new GuidedFuzz(options, progress, scratch, report, peak, 0)
                    .replay(options.input().get());
        } else {
            tryPoints(options, progress, scratch, report, peak);
        }
        peak.tell(report);
        return report.build();
    }

    private static void tryPoints(
            ProofOptions options, ProofProgress progress, Path scratch, ProofReport.Builder report, FuzzPeak peak)
            throws IOException, InterruptedException {
        // One point alone is one of the mutator's.
        boolean alone = options.point().isPresent();
        Optional<String> obstacle = GuidedFuzz.obstacle();
        boolean halves = !alone && obstacle.isEmpty();
        long guided = halves ? options.points() / 2 : 0;
        long mutated = options.points() - guided;
        Run run = new Run(options, progress, scratch, report, peak);
        long next = run.run(options.point().orElse(0), mutated, halves ? 2 : 1);
        if (guided > 0 || (halves && options.points() == 0)) {
            obstacle = new GuidedFuzz(options, progress, scratch, report, peak, mutated)
                    .run(guided, options.time().toSeconds() / 2);
            if (obstacle.isPresent()) {
                // By time both go on for as long as there is, so what is next only the first has told.
                run.run(next, options.points(), 1);
            }
        }
        if (!alone && obstacle.isPresent()) {
            report.count(NOT_RUN, 1);
            report.section(Section.of("Guided inputs", new Paragraph("NOT RUN: " + obstacle.get() + ".")));
        }
        run.tell();
    }

    private static void makeImages(long seed, Path scratch) throws IOException {
        Path home = scratch.resolve("database");
        try (Database database = Database.open(
                home, databaseOptions().toBuilder().createIfMissing(true).build())) {
            new FuzzWorkload(seed).run(database);
            // Nothing runs, so this is what a crash would leave.
            copy(home, scratch.resolve(LEFT));
        }
        copy(home, scratch.resolve(CLOSED));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (var files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** One run. */
    private static final class Run {
        private final ProofOptions options;
        private final ProofProgress progress;
        private final Path scratch;
        private final ProofReport.Builder report;
        private final FuzzPeak peak;
        private final long beginNanos;
        private long end;
        private long endNanos;
        private final long[][] inputs = new long[FuzzMutator.Mutator.values().length][FuzzOutcome.values().length];
        private String input = "";
        private int mutators;

        Run(ProofOptions options, ProofProgress progress, Path scratch, ProofReport.Builder report, FuzzPeak peak) {
            this.options = options;
            this.progress = progress;
            this.scratch = scratch;
            this.report = report;
            this.peak = peak;
            beginNanos = System.nanoTime();
        }

        /**
         * Tries points, for as many parts of the time as {@code ofTime} is the whole of, where there is a time.
         *
         * @return the first that was not tried
         */
        long run(long from, long to, int ofTime) throws IOException, InterruptedException {
            end = options.points() == 0 ? Long.MAX_VALUE : options.point().isPresent() ? from + 1 : to;
            endNanos = beginNanos + options.time().toNanos() / ofTime;
            long next = from;
            // Ends because each child gets at least one further, or dies with one.
            while (goesOn(next)) {
                next = runChild(next);
            }
            return next;
        }

        void tell() {
            report.section(Section.of(
                    "Inputs of the mutator by what it did and outcome",
                    new Paragraph("It may have done several things to one input. " + FuzzOutcome.FORGERY),
                    FuzzOutcome.table(
                            "mutator",
                            Arrays.stream(FuzzMutator.Mutator.values())
                                    .map(FuzzMutator.Mutator::title)
                                    .toList(),
                            inputs)));
        }

        private boolean goesOn(long point) {
            return point < end && (options.points() > 0 || System.nanoTime() - endNanos < 0);
        }

        /** Returns the point behind the last that this child has dealt with, or died of. */
        private long runChild(long from) throws IOException, InterruptedException {
            long point = from;
            try (KilledJvm child = KilledJvm.start(
                            scratch.resolve("errors.txt"),
                            limits(),
                            FuzzChild.class,
                            List.of(
                                    scratch.toString(),
                                    Long.toString(options.seed()),
                                    Long.toString(from),
                                    Long.toString(end)));
                    ChildWatch watch = new ChildWatch(child, MILLIS_MAX * NANOS_PER_MILLI)) {
                boolean inside = false;
                try {
                    while (goesOn(point)) {
                        ByteBuffer frame = child.next();
                        watch.heard();
                        point = frame.getLong();
                        int outcome = frame.getInt();
                        long nativeBytes = frame.getLong();
                        mutators = frame.getInt();
                        inside = outcome == FuzzChild.BEGINS;
                        String words = StandardCharsets.UTF_8.decode(frame).toString();
                        if (inside) {
                            input = words;
                            progress.step(point, options.points(), "");
                        } else {
                            peak.saw(nativeBytes);
                            ended(point, FuzzOutcome.values()[outcome], words);
                            point++;
                        }
                    }
                } catch (IOException e) {
                    if (!inside) {
                        throw e;
                    }
                    String how = watch.hasFired() ? "it went on for " + MILLIS_MAX + " ms" : e.getMessage();
                    ended(point, FuzzOutcome.FAILED, how);
                    point++;
                }
            }
            return point;
        }

        private void ended(long point, FuzzOutcome outcome, String words) {
            report.count(outcome.title(), 1);
            for (FuzzMutator.Mutator mutator : FuzzMutator.Mutator.values()) {
                if ((mutators >>> mutator.ordinal() & 1) != 0) {
                    inputs[mutator.ordinal()][outcome.ordinal()]++;
                }
            }
            if (outcome == FuzzOutcome.FAILED) {
                report.failed(point, words + " input=" + input);
            } else {
                report.survived();
            }
        }
    }
}
