package dev.lockstep.bench.restart;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.prove.KilledJvm;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Opens databases whose process was killed, and takes the time. For each size of the database and each length of log
 * one process is killed; what it left is copied, and each copy opened once, by a process of its own.
 */
final class RestartExperiment {
    /** What the child creates last. */
    static final TableDefinition MARKER = TableDefinition.named("restart_marker")
            .column("id", ColumnType.int32())
            .primaryKey("id")
            .build();

    /** What the flame graphs are of. */
    static final String WRITING = "writing log";

    static final String OPENING = "opening";

    private static final String ERRORS = "errors.txt";

    /** As an application's JVM compiles; a child is not killed quietly whose JVM warns of native calls. */
    private static final List<String> COMPILED =
            List.of("-XX:TieredStopAtLevel=4", "-da", "--enable-native-access=ALL-UNNAMED");

    private static final long POOL_BYTES_PER_WAREHOUSE = 160L << 20;
    private static final long POOL_BYTES_FOR_GROWTH = 256L << 20;

    /** What the largest pool holds; half of what the keys of HISTORY can tell apart. */
    static final int WAREHOUSES_MAX =
            (int) ((DatabaseOptions.POOL_BYTES_MAX - POOL_BYTES_FOR_GROWTH) / POOL_BYTES_PER_WAREHOUSE);

    private static final double NANOS_PER_SECOND = 1e9;

    private final Path scratch;
    private final long poolBytes;
    private final long seed;
    private final int repeats;
    private final Consumer<String> progress;

    /**
     * Prepares it.
     *
     * @param scratch where the databases lie, on the disk that is to be measured
     * @param poolBytes of the pool of every database, small or large: to make it is part of opening
     * @param seed of everything random
     * @param repeats how often each is opened
     * @param progress told what is done
     */
    RestartExperiment(Path scratch, long poolBytes, long seed, int repeats, Consumer<String> progress) {
        this.scratch = scratch;
        this.poolBytes = poolBytes;
        this.seed = seed;
        this.repeats = repeats;
        this.progress = progress;
    }

    /** All points of the curve. */
    RestartPoints run(List<TpccScale> scales, List<Long> logBytes) throws IOException, InterruptedException {
        List<RestartPoint> points = new ArrayList<>();
        for (TpccScale scale : scales) {
            Path loaded = scratch.resolve("loaded");
            progress.accept("loads, warehouses=" + scale.warehouses());
            load(loaded, scale);
            for (long bytes : logBytes) {
                points.add(point(loaded, scale, bytes));
            }
            ScratchDirectory.remove(loaded);
        }
        return new RestartPoints(points);
    }

    /** A pool that holds the largest of some databases and what is added to it. */
    static long poolBytes(List<TpccScale> scales) {
        int warehouses = scales.stream().mapToInt(TpccScale::warehouses).max().orElseThrow();
        return POOL_BYTES_FOR_GROWTH + warehouses * POOL_BYTES_PER_WAREHOUSE;
    }

    private void load(Path directory, TpccScale scale) throws InterruptedException {
        TpccConfiguration configuration =
                TpccConfiguration.builder(scale).seed(seed).build();
        try (LockstepAdapter adapter =
                RestartChild.adapter(Database.open(directory, RestartChild.options(poolBytes)))) {
            TpccRun.load(configuration, adapter, TpccProgress.NONE);
        }
    }

    /**
     * Draws what a process does that writes log and is killed, and the opening of what it left, from further runs.
     *
     * @param scale of the database
     */
    void draw(FlameGraphs graphs, TpccScale scale, long logBytes) throws IOException, InterruptedException {
        Path drawn = scratch.resolve("drawn");
        progress.accept("draws flame graphs, warehouses=" + scale.warehouses());
        load(drawn, scale);
        writeLogAndDie(drawn, scale, logBytes, drawing(graphs, WRITING));
        graphs.add(WRITING);
        List<String> arguments = List.of(drawn.toString(), Long.toString(poolBytes));
        try (KilledJvm child =
                KilledJvm.start(scratch.resolve(ERRORS), drawing(graphs, OPENING), OpeningChild.class, arguments)) {
            child.next();
            child.kill(frame -> {});
        }
        graphs.add(OPENING);
        ScratchDirectory.remove(drawn);
    }

    private static List<String> drawing(FlameGraphs graphs, String run) throws IOException {
        List<String> options = new ArrayList<>(COMPILED);
        options.addAll(graphs.options(run));
        return options;
    }

    private RestartPoint point(Path loaded, TpccScale scale, long logBytes) throws IOException, InterruptedException {
        Path killed = scratch.resolve("killed");
        copy(loaded, killed);
        progress.accept("writes " + (logBytes >> 20) + " MiB of log, warehouses=" + scale.warehouses());
        long logBytesFound = writeLogAndDie(killed, scale, logBytes, List.of());
        long pageBytes = Files.size(killed.resolve("pages.lockstep"));
        double[] seconds = new double[repeats];
        long pagesRead = 0;
        for (int i = 0; i < repeats; i++) {
            Path copy = scratch.resolve("copy");
            copy(killed, copy);
            progress.accept("opens it, " + (i + 1) + " of " + repeats);
            force(copy);
            Opening opening = open(copy);
            seconds[i] = opening.seconds;
            pagesRead = opening.pagesRead;
            ScratchDirectory.remove(copy);
        }
        ScratchDirectory.remove(killed);
        Arrays.sort(seconds);
        return new RestartPoint(
                scale.warehouses(),
                pageBytes,
                logBytesFound,
                seconds[0],
                seconds[(repeats - 1) / 2],
                seconds[repeats - 1],
                pagesRead);
    }

    private long writeLogAndDie(Path directory, TpccScale scale, long logBytes, List<String> options)
            throws IOException, InterruptedException {
        List<String> arguments = List.of(
                directory.toString(),
                Long.toString(poolBytes),
                Long.toString(seed),
                Long.toString(logBytes),
                Integer.toString(scale.warehouses()),
                Integer.toString(scale.items()),
                Integer.toString(scale.customersPerDistrict()),
                Integer.toString(scale.newOrdersPerDistrict()));
        try (KilledJvm child = KilledJvm.start(scratch.resolve(ERRORS), options, RestartChild.class, arguments)) {
            long found = child.next().getLong();
            child.kill(frame -> {});
            return found;
        }
    }

    /** What one opening took. */
    private record Opening(double seconds, long pagesRead) {}

    /** In a JVM that has opened nothing before, as after a restart. */
    private Opening open(Path directory) throws IOException, InterruptedException {
        List<String> arguments = List.of(directory.toString(), Long.toString(poolBytes));
        try (KilledJvm child = KilledJvm.start(scratch.resolve(ERRORS), COMPILED, OpeningChild.class, arguments)) {
            OpeningChild.Opened opened = OpeningChild.Opened.of(child.next());
            child.kill(frame -> {});
            if (!opened.whole()) {
                throw new IllegalStateException(
                        "recovery lost what was on disk: directory=" + directory + " table=" + MARKER.name());
            }
            return new Opening(opened.nanos() / NANOS_PER_SECOND, opened.pagesRead());
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        ScratchDirectory.remove(to);
        Files.createDirectories(to);
        List<Path> files;
        try (Stream<Path> listed = Files.list(from)) {
            files = listed.toList();
        }
        for (Path file : files) {
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }

    /**
     * Writes a copy to the medium. The process had forced its pages with the checkpoint and its log with the last
     * commit; an opening forces both, and would be charged with the whole copy.
     */
    private static void force(Path copy) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(copy)) {
            files = listed.toList();
        }
        for (Path file : files) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
    }
}
