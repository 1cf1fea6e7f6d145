package dev.lockstep.bench.process;

import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What starts a process on the machine's own processor. One that a simulated process starts is not simulated, so it
 * gets none of the variables by which a program knows that it is.
 */
public final class NativeProcess {
    private NativeProcess() {}

    /**
     * Runs a process to its end that knows nothing of this one: it ends when this JVM is told to end, in which
     * case this does not return, and is killed when the calling thread is interrupted.
     *
     * @return its exit code
     * @throws IOException if it does not start
     */
    public static int run(ProcessBuilder builder) throws IOException, InterruptedException {
        try (Ending.Watch watch = Ending.start(builder)) {
            return watch.process().waitFor();
        }
    }

    /**
     * A process that has still to be started.
     *
     * @param command its program and arguments
     */
    public static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        if (environment.remove(Markers.ENVIRONMENT) != null) {
            environment.remove(NodesFile.ENVIRONMENT);
        }
        return builder;
    }
}
