package dev.lockstep.bench.prove;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Damages the files of a database, one closed in order or one left as a crash would leave it, and opens and reads it.
 *
 * <p>What must come of it: a typed error; or exactly what was committed; or exactly what was committed up to some
 * transaction. Where the damage was given right checksums, the file may say other things than were committed, and
 * reading those is no failure; but never an error without a type, the death of the JVM, more than {@link #MILLIS_MAX}
 * milliseconds, more heap than {@link #HEAP_BYTES_MAX}, more memory outside of it than {@link #NATIVE_BYTES_MAX}.
 */
public final class FuzzProof implements Proof {
    /** Longest time for one input; a sound one takes some ten milliseconds. */
    static final long MILLIS_MAX = 30_000;

    /** Heap that opening and reading may take: the pool is outside of it, and the database has 1 MB. */
    static final long HEAP_BYTES_MAX = 256L << 20;

    /** Memory outside the heap: the pool, the log's ring, and buffers for recovery. */
    static final long NATIVE_BYTES_MAX = 256L << 20;

    static final String CLOSED = "closed";
    static final String LEFT = "left";

    private static final String NAME = "fuzz";
    private static final long POINTS = 100_000;
    private static final int LOG_SEGMENT_BYTES = 1 << 20;
    private static final long SEED_FACTOR = 1_000_003;

    /** For the command and the tests. */
    public FuzzProof() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "the files of a database are damaged: bits flipped, numbers changed, blocks spliced and swapped, files"
            + " cut off, extended and removed, in half of all inputs with checksums that fit. Opening and reading must"
            + " end in a typed error or in what was committed, now or earlier; never in another exception, in the"
            + " death or the endless work of the process, or in more than 256 MB.";
    }

    @Override
    public long pointsDefault() {
        return POINTS;
    }

    static Random random(long seed, long point) {
        return new Random(seed * SEED_FACTOR + point);
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
        return new Run(options, progress, scratch).run();
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
        private final long end;
        private final long endNanos;
        private String input = "";

        Run(ProofOptions options, ProofProgress progress, Path scratch) {
            this.options = options;
            this.progress = progress;
            this.scratch = scratch;
            report = new ProofReport.Builder(NAME, options);
            long points = options.points() > 0 ? options.points() : Long.MAX_VALUE;
            end = options.point().isPresent() ? options.point().getAsLong() + 1 : points;
            endNanos = System.nanoTime() + options.time().toNanos();
        }

        ProofReport run() throws IOException, InterruptedException {
            long next = options.point().orElse(0);
            // Ends because each child gets at least one further, or dies with one.
            while (goesOn(next)) {
                next = runChild(next);
            }
            return report.build();
        }

        private boolean goesOn(long point) {
            return point < end && (options.points() > 0 || System.nanoTime() - endNanos < 0);
        }

        /** Returns the point behind the last that this child has dealt with, or died of. */
        private long runChild(long from) throws IOException, InterruptedException {
            AtomicLong lastHeard = new AtomicLong(System.nanoTime());
            long point = from;
            List<String> limits = List.of("-XX:MaxDirectMemorySize=" + NATIVE_BYTES_MAX, "-Xmx" + HEAP_BYTES_MAX);
            try (KilledJvm child = KilledJvm.start(
                            scratch.resolve("errors.txt"),
                            limits,
                            FuzzChild.class,
                            List.of(
                                    scratch.toString(),
                                    scratch.resolve("work").toString(),
                                    Long.toString(options.seed()),
                                    Long.toString(from),
                                    Long.toString(end)));
                    Watch watch = new Watch(child, lastHeard)) {
                boolean inside = false;
                try {
                    while (goesOn(point)) {
                        ByteBuffer frame = child.next();
                        lastHeard.set(System.nanoTime());
                        point = frame.getLong();
                        FuzzChild.Outcome outcome = FuzzChild.Outcome.values()[frame.getInt()];
                        inside = outcome == FuzzChild.Outcome.BEGINS;
                        String words = StandardCharsets.UTF_8.decode(frame).toString();
                        if (inside) {
                            input = words;
                            progress.step(point, options.points(), "");
                        } else {
                            ended(point, outcome, words);
                            point++;
                        }
                    }
                } catch (IOException e) {
                    if (!inside) {
                        throw e;
                    }
                    String how = watch.hasFired() ? "it went on for " + MILLIS_MAX + " ms" : e.getMessage();
                    ended(point, FuzzChild.Outcome.FAILED, how);
                    point++;
                }
            }
            return point;
        }

        private void ended(long point, FuzzChild.Outcome outcome, String words) {
            report.count(outcome.name().toLowerCase(Locale.ROOT).replace('_', ' '), 1);
            if (outcome == FuzzChild.Outcome.FAILED) {
                report.failed(point, words + " input=" + input);
            } else {
                report.survived();
            }
        }
    }

    /** Kills a child that says nothing for too long. */
    private static final class Watch implements AutoCloseable {
        private final Thread thread;
        private volatile boolean fired;

        Watch(KilledJvm child, AtomicLong lastHeard) {
            thread = Thread.ofPlatform().name("fuzz-watch").daemon().start(() -> {
                try {
                    // Ends with the child, or by an interrupt when nobody waits for it any more.
                    while (child.goesOnFor(MILLIS_MAX * 100_000)) {
                        if (System.nanoTime() - lastHeard.get() > MILLIS_MAX * 1_000_000) {
                            fired = true;
                            child.close();
                        }
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        boolean hasFired() {
            return fired;
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
