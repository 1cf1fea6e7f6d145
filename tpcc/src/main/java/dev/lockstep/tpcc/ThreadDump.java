package dev.lockstep.tpcc;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the stacks of all threads, virtual ones included, to a file. */
final class ThreadDump {
    private ThreadDump() {}

    /** Writes a new file into a directory, which is created if need be. */
    static Path write(Path directory) throws IOException {
        Files.createDirectories(directory);
        // The bean insists on making the file itself.
        Path file = directory
                .resolve("stall-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".txt")
                .toAbsolutePath();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return file;
    }
}
