package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.DiagnosticCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;

/**
 * The memory of this process that is in use, and the part of it that is the JVM's heap: the JVM says at which addresses
 * its heap lies (its command {@code GC.heap_info}), and the system how much of each mapping is in use
 * (proc_pid_smaps(5)). What the JVM has committed to its heap is no measure of that part, because it touches it only
 * by and by. Pages of mapped files, the JVM's libraries and archives, are the system's: it fetches and drops them as it
 * likes, and nobody can leak them.
 *
 * @param bytes in use, heap and all
 * @param heapBytes in use by the heap
 * @param fileBytes pages of mapped files that nobody has changed
 */
public record ResidentMemory(long bytes, long heapBytes, long fileBytes) {
    /** In the place of all numbers where the system or the collector does not say them. */
    public static final ResidentMemory UNKNOWN =
            new ResidentMemory(ProcessMemory.UNKNOWN, ProcessMemory.UNKNOWN, ProcessMemory.UNKNOWN);

    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final String HEAP_COMMAND = "gcHeapInfo";
    private static final String TRIM_COMMAND = "systemTrimNativeHeap";
    private static final int KILOBYTE = 1 << 10;
    private static final int HEXADECIMAL = 16;

    /** The addresses of a generation, or of the whole heap: where it begins, and last where its reservation ends. */
    private static final Pattern SPACE =
            Pattern.compile("total .*\\[0x(?<begin>\\p{XDigit}+),.*0x(?<end>\\p{XDigit}+)\\)");

    /**
     * A mapping begins with its addresses; lines of what is in use, and of what is no file's, belong to the last one.
     */
    private static final Pattern MAPPING = Pattern.compile(
            "^(?<begin>\\p{XDigit}+)-\\p{XDigit}+ .*$|^(?<what>Rss|Anonymous):\\s+(?<kilobytes>\\d+) kB$",
            Pattern.MULTILINE);

    private static final String ANONYMOUS = "Anonymous";

    /**
     * Of this process, now. {@link #UNKNOWN} where there is no {@code /proc}, and with a collector whose heap has no
     * place of its own, as ZGC's.
     */
    public static ResidentMemory ofThisProcess() {
        try {
            return of(Files.readString(MAPPINGS, StandardCharsets.ISO_8859_1), DiagnosticCommand.run(HEAP_COMMAND));
        } catch (IOException | JMException e) {
            return UNKNOWN;
        }
    }

    /**
     * Has the C library give back to the system what it keeps of memory that was freed: as a collection does for the
     * heap, it leaves what is needed. Some tens of megabytes lie there otherwise, and grow by and by. Does nothing with
     * a C library that is not GNU's.
     */
    public static void giveBackFreed() {
        try {
            DiagnosticCommand.run(TRIM_COMMAND);
        } catch (JMException e) {
            // A JVM without the command runs on a system whose C library has no such call.
        }
    }

    /**
     * Reads both answers.
     *
     * @param mappings of the process, all lines
     * @param heap what the JVM says of its heap
     * @return {@link #UNKNOWN} if one of them lacks what is looked for
     */
    static ResidentMemory of(String mappings, String heap) {
        long begin = Long.MAX_VALUE;
        long end = 0;
        Matcher space = SPACE.matcher(heap);
        while (space.find()) {
            begin = Math.min(begin, address(space.group("begin")));
            end = Math.max(end, address(space.group("end")));
        }
        long bytes = 0;
        long heapBytes = 0;
        long anonymousBytes = 0;
        boolean ofHeap = false;
        Matcher mapping = MAPPING.matcher(mappings);
        while (mapping.find()) {
            if (mapping.group("begin") == null) {
                long inUse = Long.parseLong(mapping.group("kilobytes")) * KILOBYTE;
                if (mapping.group("what").equals(ANONYMOUS)) {
                    anonymousBytes += inUse;
                } else {
                    bytes += inUse;
                    heapBytes += ofHeap ? inUse : 0;
                }
            } else {
                long address = address(mapping.group("begin"));
                ofHeap = address >= begin && address < end;
            }
        }
        return bytes == 0 || heapBytes == 0 ? UNKNOWN : new ResidentMemory(bytes, heapBytes, bytes - anonymousBytes);
    }

    private static long address(String digits) {
        return Long.parseUnsignedLong(digits, HEXADECIMAL);
    }

    /** In use by neither heap nor files, in bytes; {@link ProcessMemory#UNKNOWN} if they are. */
    public long nativeBytes() {
        return bytes < 0 ? bytes : bytes - heapBytes - fileBytes;
    }
}
