package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.DiagnosticCommand;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;

/**
 * What this JVM has taken of the system's memory, by whom, as it counts itself: its command {@code VM.native_memory},
 * which counts only if the JVM was started with {@link #OPTION}. It does not see what libraries take without it.
 */
public final class TrackedMemory {
    /** Has the JVM count. */
    public static final String OPTION = "-XX:NativeMemoryTracking=summary";

    /** The heap, as the JVM calls it. */
    public static final String HEAP = "Java Heap";

    /**
     * Who asks for memory by {@code Unsafe}, as arenas, direct buffers and so Lockstep's pool do: in the JVM's words
     * "other", since all else is its own.
     */
    public static final String PROGRAM = "Other";

    private static final String COMMAND = "vmNativeMemory";
    private static final int KILOBYTE = 1 << 10;
    private static final Pattern OWNER = Pattern.compile(
            "^-\\s+(?<owner>\\S[^(]*?) \\(reserved=\\d+KB, committed=(?<kilobytes>\\d+)KB", Pattern.MULTILINE);

    private TrackedMemory() {}

    /**
     * Of this process, now.
     *
     * @return bytes by owner, in the JVM's words and order; none if the JVM does not count
     */
    public static Map<String, Long> bytesByOwner() {
        try {
            return bytesByOwner(DiagnosticCommand.run(COMMAND, "summary", "scale=KB"));
        } catch (JMException e) {
            return Map.of();
        }
    }

    /** Reads the answer. */
    static Map<String, Long> bytesByOwner(String answer) {
        Map<String, Long> bytes = new LinkedHashMap<>();
        Matcher owner = OWNER.matcher(answer);
        while (owner.find()) {
            bytes.put(owner.group("owner"), Long.parseLong(owner.group("kilobytes")) * KILOBYTE);
        }
        return Collections.unmodifiableMap(bytes);
    }
}
