package dev.lockstep.bench.flame;

import dev.lockstep.bench.process.JvmtiAgents;
import dev.lockstep.scheduler.InstalledProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import one.profiler.AsyncProfiler;

/** async-profiler in the process itself, with the best event that the machine allows. Used by one thread. */
public final class FlameProfiler {
    /**
     * Events, the best first. {@code cpu-clock} is what {@code cpu} means where a kernel lets a program count: it sees
     * into the kernel too; asked for by this name, the profiler does not take another in silence. The two timers of
     * processor time need no rights, {@code ctimer} being one for each thread. {@code wall} counts waiting as well.
     */
    private static final List<String> EVENTS = List.of("cpu-clock", "ctimer", "itimer", "wall");

    private static final String INTERVAL = "1ms";

    private final String event;
    private final List<String> refused;
    private Path recording;

    private FlameProfiler(String event, List<String> refused) {
        this.event = event;
        this.refused = refused;
    }

    /** Options of a JVM by which stacks show inlined methods and samples know their operation. */
    public static List<String> jvmOptions() {
        return List.of(
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+DebugNonSafepoints",
                JvmtiAgents.OUT_OF_SWITCHES.getFirst(),
                JvmtiAgents.OUT_OF_SWITCHES.getLast(),
                "-XX:+EnableDynamicAgentLoading",
                "-D" + InstalledProbe.PROPERTY + "=" + FlameProbe.class.getName());
    }

    /**
     * Loads the profiler and asks which event it may use; to be called on a platform thread, since it finds its way
     * into the JVM by the calling one.
     *
     * @throws IllegalStateException if the profiler does not run here at all
     */
    public static FlameProfiler prepare() {
        execute("version");
        List<String> refused = new ArrayList<>();
        for (String event : EVENTS) {
            try {
                AsyncProfiler.getInstance().execute("check,event=" + event);
                return new FlameProfiler(event, refused);
            } catch (IllegalStateException | IOException e) {
                refused.add(event + ": " + e.getMessage());
            }
        }
        throw new IllegalStateException("async-profiler may use no event here refused=" + refused);
    }

    /** The event in use, and why no better one is, in a few words for the reader of a report. */
    public String event() {
        return event + (refused.isEmpty() ? "" : " (refused: " + String.join("; ", refused) + ")");
    }

    /**
     * Starts sampling.
     *
     * @param recording file for what is sampled, until {@link #stop} has drawn it
     */
    public void start(Path recording) {
        this.recording = recording;
        execute("start,event=" + event + ",interval=" + INTERVAL + ",jfr,file=" + recording);
    }

    /**
     * Stops sampling and draws the flame graph. The recording is removed.
     *
     * @param file to write, HTML
     * @param title of the page
     * @param transactions names of transactions by the methods that run them, as {@code package/Class.method}
     * @return what its parts add up to
     */
    public FlameShares stop(Path file, String title, Map<String, String> transactions) {
        execute("stop,file=" + recording);
        try {
            FlameShares shares = new FlameRecording(transactions, FlameProbe.operations()).draw(recording, file, title);
            Files.delete(recording);
            return shares;
        } catch (IOException e) {
            throw new IllegalStateException("the flame graph could not be drawn file=" + file, e);
        }
    }

    private static void execute(String command) {
        try {
            AsyncProfiler.getInstance().execute(command);
        } catch (IOException e) {
            throw new IllegalStateException("async-profiler failed command=" + command, e);
        }
    }
}
