package dev.lockstep.bench.process;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine that a result was measured on.
 *
 * @param processor model of the processor, as the system names it
 * @param processors that this process may use
 * @param memoryBytes physical memory, or that of the container
 * @param operatingSystem name, version and architecture
 * @param transparentHugePages the system's setting, or {@code unknown}
 */
public record Machine(
        String processor, int processors, long memoryBytes, String operatingSystem, String transparentHugePages) {
    private static final String UNKNOWN = "unknown";
    private static final String MODEL = "model name";

    /** Describes this machine. */
    public static Machine here() {
        long memoryBytes = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : -1;
        return new Machine(
                processorModel(),
                Processors.available(),
                memoryBytes,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                firstLine(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")));
    }

    private static String processorModel() {
        Path information = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(information)) {
            String named = System.getenv("PROCESSOR_IDENTIFIER");
            return named == null ? UNKNOWN : named;
        }
        try {
            return Files.readAllLines(information).stream()
                    .filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    private static String firstLine(Path file) {
        try {
            return Files.isReadable(file) ? Files.readString(file).trim() : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        }
    }
}
