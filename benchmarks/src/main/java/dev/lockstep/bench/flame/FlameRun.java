package dev.lockstep.bench.flame;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a child JVM's run that a flame graph shows, where its parent has asked for one by {@link #options};
 * elsewhere nothing happens. Made by a platform thread, and used by one at a time.
 */
public final class FlameRun implements AutoCloseable {
    private static final String PROPERTY = "dev.lockstep.bench.flame.file";

    private final FlameProfiler profiler;
    private final Path file;
    private final String title;

    private FlameRun(FlameProfiler profiler, Path file, String title) {
        this.profiler = profiler;
        this.file = file;
        this.title = title;
    }

    /**
     * Options of a JVM that draws one.
     *
     * @param file to write, HTML
     */
    public static List<String> options(Path file) {
        List<String> options = new ArrayList<>(FlameProfiler.jvmOptions());
        options.add("-D" + PROPERTY + "=" + file.toAbsolutePath());
        return options;
    }

    /**
     * Starts sampling, if it was asked for.
     *
     * @param title of the page, which names the event as well
     * @throws IllegalStateException if it was, and the profiler does not run here
     */
    public static FlameRun start(String title) {
        FlameRun run = prepare(title);
        run.start();
        return run;
    }

    /**
     * Loads the profiler, if it was asked for, where sampling begins later on a thread that is no platform thread.
     *
     * @param title of the page, which names the event as well
     * @throws IllegalStateException if it was, and the profiler does not run here
     */
    public static FlameRun prepare(String title) {
        String file = System.getProperty(PROPERTY);
        return file == null
                ? new FlameRun(null, null, title)
                : new FlameRun(FlameProfiler.prepare(), Path.of(file), title);
    }

    /** Whether a parent has asked for it. */
    public boolean isAsked() {
        return profiler != null;
    }

    /** Starts sampling, if it was asked for. */
    public void start() {
        if (profiler != null) {
            profiler.start(Path.of(file + ".jfr"));
        }
    }

    /**
     * Draws what was sampled since {@link #start()}.
     *
     * @throws IllegalStateException if that fails
     */
    @Override
    public void close() {
        if (profiler != null) {
            profiler.stop(file, title + ", sampled by " + profiler.event(), TransactionFrames.BY_METHOD);
        }
    }
}
