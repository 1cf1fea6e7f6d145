package dev.lockstep.bench.simulate.control;

import dev.lockstep.bench.process.AgentJar;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.StackSampler;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.PhaseObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;

/**
 * The Java agent that hears of a program's measured phases: lists what the JVM had compiled when the first of them
 * begins, and in a control samples the stacks of all. Leaves both as {@link PhaseFiles}. Thread-safe.
 */
public final class PhaseAgent implements PhaseObserver {
    /** Begins the argument of an agent that samples; the directory follows. */
    private static final String SAMPLING = "sample=";

    /** Begins the argument of one that does not. */
    private static final String LISTING = "list=";

    private final PhaseFiles files;
    private final boolean samples;
    private boolean listed;
    private boolean sampling;

    private PhaseAgent(PhaseFiles files, boolean samples) {
        this.files = files;
        this.samples = samples;
    }

    /**
     * Called by the JVM before the main class.
     *
     * @param arguments from {@link #option}
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        boolean samples = arguments.startsWith(SAMPLING);
        if (samples) {
            StackSampler.prepare();
        }
        Path directory = Path.of(arguments.substring((samples ? SAMPLING : LISTING).length()));
        Markers.observe(new PhaseAgent(new PhaseFiles(directory), samples));
    }

    /**
     * The option by which a JVM has this agent.
     *
     * @param jar an {@link AgentJar} of this class
     */
    static String option(Path jar, PhaseFiles files, boolean samples) {
        return "-javaagent:" + jar + "=" + (samples ? SAMPLING : LISTING) + files.directory();
    }

    @Override
    public synchronized void begins(int phase) {
        if (phase != Markers.PHASE_MEASURED) {
            return;
        }
        if (!listed) {
            listed = true;
            try {
                Json.write(files.compiled(), CompiledMethod.here(files.compilations()));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write what was compiled file=" + files.compiled(), e);
            }
            if (samples) {
                StackSampler.start();
                sampling = true;
            }
        } else if (samples && !sampling) {
            StackSampler.resume();
            sampling = true;
        }
    }

    @Override
    public synchronized void ended(int phase) {
        if (phase == Markers.PHASE_MEASURED && sampling) {
            StackSampler.stop(files.samples());
            sampling = false;
        }
    }
}
