package dev.lockstep.bench.jmh;

import dev.lockstep.bench.flame.FlameProfiler;
import dev.lockstep.bench.flame.TransactionFrames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * Draws a flame graph of the measured iterations of a fork, whose frames name operation, team and transaction where the
 * benchmark runs operations of the engine. The fork needs {@link #jvmOptions}. Used by one thread.
 */
public final class FlameGraphProfiler implements InternalProfiler {
    private static final String DIRECTORY = "dir=";
    private static final String FILE = "flames.html";
    private static final String RECORDING = "flames.jfr";

    private final Path directory;
    private FlameProfiler profiler;
    private int measured;

    /**
     * For JMH.
     *
     * @param options from {@link #options}
     * @throws ProfilerException if they are others
     */
    public FlameGraphProfiler(String options) throws ProfilerException {
        if (!options.startsWith(DIRECTORY)) {
            throw new ProfilerException("no directory for the flame graph: options=" + options);
        }
        directory = Path.of(options.substring(DIRECTORY.length()));
    }

    /**
     * Options of the profiler.
     *
     * @param directory of the flame graphs, each in one of its own named as its benchmark; made if need be
     */
    public static String options(Path directory) {
        return DIRECTORY + directory.toAbsolutePath();
    }

    /** Options of the JVM by which stacks show inlined methods and samples know their operation. */
    public static List<String> jvmOptions() {
        return FlameProfiler.jvmOptions();
    }

    @Override
    public String getDescription() {
        return "Flame graphs that show operations, by async-profiler";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (iteration.getType() == IterationType.MEASUREMENT && profiler == null) {
            profiler = FlameProfiler.prepare();
            try {
                profiler.start(Files.createDirectories(directory(benchmark)).resolve(RECORDING));
            } catch (IOException e) {
                throw new UncheckedIOException("no flame graph directory=" + directory, e);
            }
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            measured++;
            if (measured == iteration.getCount()) {
                profiler.stop(
                        directory(benchmark).resolve(FILE),
                        directory(benchmark).getFileName().toString(),
                        TransactionFrames.BY_METHOD);
            }
        }
        return List.of();
    }

    private Path directory(BenchmarkParams benchmark) {
        return directory.resolve(ControlFiles.name(benchmark));
    }
}
