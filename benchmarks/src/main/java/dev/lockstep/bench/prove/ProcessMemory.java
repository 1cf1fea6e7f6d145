package dev.lockstep.bench.prove;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What this process holds, as the system and the JVM count it. Thread-safe. */
public final class ProcessMemory {
    /** In the place of a number that the system does not say. */
    public static final long UNKNOWN = -1;

    /** Memory in use, in the words of proc_pid_status(5). */
    static final String RESIDENT = "VmRSS";

    /** The most that was ever in use, or since {@link #forgetPeak}. */
    static final String RESIDENT_PEAK = "VmHWM";

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");

    /** What the file takes for an order to begin the peak anew, see proc_pid_clear_refs(5). */
    private static final String CLEAR_PEAK = "5";

    private static final String UNIT = "kB";
    private static final int KILOBYTE = 1 << 10;

    private ProcessMemory() {}

    /** Memory in use, heap and all, in bytes; {@link #UNKNOWN} where there is no {@code /proc}. */
    static long residentBytes() {
        return bytes(RESIDENT);
    }

    /**
     * The most memory that was in use at once since the process began, or since {@link #forgetPeak}, heap and all, in
     * bytes; {@link #UNKNOWN} where there is no {@code /proc}. Memory that was asked for but never touched is not in
     * use.
     */
    static long peakResidentBytes() {
        return bytes(RESIDENT_PEAK);
    }

    /** Begins the peak anew with what is in use now; does nothing where the system refuses that. */
    static void forgetPeak() {
        try {
            Files.writeString(CLEAR, CLEAR_PEAK, StandardOpenOption.WRITE);
        } catch (IOException e) {
            // The peak then stays that of the whole process.
        }
    }

    private static long bytes(String name) {
        try {
            return bytes(Files.readString(STATUS, StandardCharsets.ISO_8859_1), name);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /**
     * Reads one line of the system's words.
     *
     * @param status all lines
     * @param name of the line, which is not the first and has a number of kilobytes
     * @return bytes; {@link #UNKNOWN} if there is no such line
     */
    static long bytes(String status, String name) {
        String begin = "\n" + name + ":";
        int at = status.indexOf(begin);
        int end = status.indexOf(UNIT, Math.max(at, 0));
        return at < 0 || end < 0
                ? UNKNOWN
                : Long.parseLong(status.substring(at + begin.length(), end).strip()) * KILOBYTE;
    }

    /** Objects in the heap, those that nobody needs any more included, in bytes. */
    public static long heapUsedBytes() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Files that are open; {@link #UNKNOWN} on Windows. */
    public static long openFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : UNKNOWN;
    }
}
