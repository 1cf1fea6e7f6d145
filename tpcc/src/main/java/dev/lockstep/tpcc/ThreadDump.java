package dev.lockstep.tpcc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes the stacks of all platform threads, and of virtual ones that are given, to a file.
 *
 * <p>They are asked for thread by thread. The JDK's dump of all threads, {@code HotSpotDiagnosticMXBean.dumpThreads},
 * walks stacks of virtual threads that are just mounted or unmounted, and has ended JDK 25.0.3 by that (JDK-8364343).
 */
final class ThreadDump {
    private ThreadDump() {}

    /**
     * Writes a new file into a directory, which is created if need be.
     *
     * @param virtual threads that the JVM does not list
     */
    static Path write(Path directory, List<Thread> virtual) throws IOException {
        Files.createDirectories(directory);
        Set<Thread> threads = new HashSet<>(virtual);
        threads.addAll(Thread.getAllStackTraces().keySet());
        List<String> lines = new ArrayList<>();
        for (Thread thread : threads) {
            lines.add("#" + thread.threadId() + " \"" + thread.getName() + "\" "
                    + (thread.isVirtual() ? "virtual " : "") + thread.getState());
            for (StackTraceElement frame : thread.getStackTrace()) {
                lines.add("      " + frame);
            }
            lines.add("");
        }
        return Files.write(
                Files.createTempFile(
                        directory, "stall-" + ProcessHandle.current().pid() + "-", ".txt"),
                lines);
    }
}
