package dev.lockstep.bench.tpcc;

import java.io.IOException;
import java.nio.file.Path;
import one.profiler.AsyncProfiler;

/** Flame graphs by async-profiler, in the process itself. */
final class Profiler {
    /** A timer of each thread's processor time: needs no performance counters and no rights. */
    private static final String EVENT = "ctimer";

    private static final String INTERVAL = "1ms";

    private Profiler() {}

    /**
     * Loads the profiler; to be called on a platform thread, since it finds its way into the JVM by the calling one.
     */
    static void prepare() {
        execute("version");
    }

    /** Starts sampling. */
    static void start() {
        execute("start,event=" + EVENT + ",interval=" + INTERVAL);
    }

    /** Stops sampling and writes an HTML page. */
    static void stop(Path file, String title) {
        execute("stop,flamegraph,title=" + title.replace(',', ' ') + ",file=" + file);
    }

    private static void execute(String command) {
        try {
            AsyncProfiler.getInstance().execute(command);
        } catch (IOException e) {
            throw new IllegalStateException("async-profiler failed command=" + command, e);
        }
    }
}
