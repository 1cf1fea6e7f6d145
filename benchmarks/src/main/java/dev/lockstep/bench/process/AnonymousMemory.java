package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much memory without a file behind it this process has, heap and buffer pool before all, and how much of that the
 * system has put into large pages ({@code /proc/self/smaps_rollup}, proc_pid_smaps(5)). A host may still map a large
 * page of its guest by small ones, which this does not show. Immutable.
 *
 * @param bytes that are there
 * @param largeBytes of these, those in large pages
 */
public record AnonymousMemory(long bytes, long largeBytes) {
    private static final Path SYSTEM = Path.of("/proc/self/smaps_rollup");
    private static final Pattern FIELD = Pattern.compile("(Anonymous|AnonHugePages): +(\\d+) kB");
    private static final String LARGE = "AnonHugePages";
    private static final long KIB_BYTES = 1024;

    /** Returns what the system tells now, or {@code null} where it tells nothing. Walks the tables of all pages. */
    public static AnonymousMemory now() {
        if (!Files.isReadable(SYSTEM)) {
            return null;
        }
        try {
            return of(Files.readAllLines(SYSTEM, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return null; // As where there is no such file: the figure is absent.
        }
    }

    /** Reads the two lines; {@code null} if one of them is not there, or no memory is. */
    static AnonymousMemory of(List<String> lines) {
        long bytes = 0;
        long largeBytes = -1;
        for (String line : lines) {
            Matcher field = FIELD.matcher(line);
            if (field.matches()) {
                long value = Long.parseLong(field.group(2)) * KIB_BYTES;
                if (field.group(1).equals(LARGE)) {
                    largeBytes = value;
                } else {
                    bytes = value;
                }
            }
        }
        return bytes == 0 || largeBytes < 0 ? null : new AnonymousMemory(bytes, largeBytes);
    }

    /** The part in large pages, 0 to 1. */
    public double largePart() {
        return (double) largeBytes / bytes;
    }
}
