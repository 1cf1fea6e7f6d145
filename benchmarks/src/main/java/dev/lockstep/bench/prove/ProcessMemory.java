package dev.lockstep.bench.prove;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process holds, as the system counts it. */
final class ProcessMemory {
    /** In the place of a number that the system does not say. */
    static final long UNKNOWN = -1;

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final int KILOBYTE = 1 << 10;

    private ProcessMemory() {}

    /** Memory in use, heap and all, in bytes; {@link #UNKNOWN} where there is no {@code /proc}. */
    static long residentBytes() {
        if (!Files.isReadable(STATUS)) {
            return UNKNOWN;
        }
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .map(line -> line.replaceAll("\\D", ""))
                    .mapToLong(digits -> Long.parseLong(digits) * KILOBYTE)
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** Files that are open; {@link #UNKNOWN} on Windows. */
    static long openFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : UNKNOWN;
    }
}
