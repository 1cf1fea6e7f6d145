package dev.lockstep.bench.simulate.jvm;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import one.profiler.AsyncProfiler;

/** Samples the stacks of this process by async-profiler, for a {@link NativeProfile}. */
public final class StackSampler {
    /**
     * How long a run that is sampled measures at least: samples come every few milliseconds of processor time, and a
     * thousand of them tell shares to about a point.
     */
    public static final Duration TIME_MIN = Duration.ofSeconds(8);

    /** A timer of each thread's processor time: needs no performance counters and no rights. */
    private static final String EVENT = ",event=ctimer,interval=1ms";

    /** Frames say how their method ran, and its signature. */
    private static final String STOP = "stop,collapsed,ann,sig,file=";

    private StackSampler() {}

    /**
     * Loads the profiler; to be called on a platform thread, since it finds its way into the JVM by the calling one.
     *
     * @throws IllegalStateException if it does not work, here as below
     */
    public static void prepare() {
        execute("version");
    }

    /** Starts sampling. */
    public static void start() {
        execute("start" + EVENT);
    }

    /** Goes on sampling behind {@link #stop}, which then writes the stacks of before too. */
    public static void resume() {
        execute("resume" + EVENT);
    }

    /** Stops sampling and writes the stacks. */
    public static void stop(Path file) {
        execute(STOP + file);
    }

    private static void execute(String command) {
        try {
            AsyncProfiler.getInstance().execute(command);
        } catch (IOException e) {
            throw new IllegalStateException("async-profiler failed command=" + command, e);
        }
    }
}
