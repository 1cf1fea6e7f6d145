package dev.lockstep.bench.process;

import dev.lockstep.counters.Markers;
import java.util.List;
import java.util.Map;

/**
 * What starts a process on the machine's own processor. One that a simulated process starts is not simulated, so it
 * gets none of the variables by which a program knows that it is.
 */
public final class NativeProcess {
    private NativeProcess() {}

    /**
     * Waits for the end of a process that knows nothing of this one: it is killed when this JVM is told to end, or the
     * calling thread is interrupted.
     *
     * @return its exit code
     */
    public static int waitFor(Process process) throws InterruptedException {
        Thread killer = Thread.ofPlatform().name("process-killer").unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        try {
            return process.waitFor();
        } finally {
            process.destroyForcibly();
            removeHook(killer);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook runs already.
            return;
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
