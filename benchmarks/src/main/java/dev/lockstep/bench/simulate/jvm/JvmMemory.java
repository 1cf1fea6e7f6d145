package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.bench.process.DiagnosticCommand;
import dev.lockstep.counters.RegionKind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;

/** Where this JVM has its heap, its compiled code and its descriptions of classes, from its diagnostic commands. */
final class JvmMemory {
    private static final String ADDRESS = "0x([0-9a-f]+)";

    /** Serial, Parallel and G1 print {@code [begin, end)}, some with what is committed in between. */
    private static final Pattern SPACE = Pattern.compile("\\[" + ADDRESS + ", ?(?:0x[0-9a-f]+, ?)?" + ADDRESS + "\\)");

    private static final Pattern CODE_HEAP =
            Pattern.compile("bounds \\[" + ADDRESS + ", 0x[0-9a-f]+, " + ADDRESS + "\\]");
    private static final Pattern METASPACE_NODE =
            Pattern.compile("node #\\d+: base " + ADDRESS + ": reserved=(\\d+)(?:\\.\\d+)? KB");
    private static final int HEXADECIMAL = 16;
    private static final long KIB_BYTES = 1024;

    private JvmMemory() {}

    /**
     * A range of addresses that the JVM has reserved.
     *
     * @param bytes 1 or more
     */
    record Range(RegionKind kind, long address, long bytes) {}

    /**
     * Of this JVM, as it is now. Takes some milliseconds natively and some seconds on an emulated processor. A
     * collector that does not print addresses has no heap here.
     *
     * @throws IllegalStateException if this JVM has no such commands
     */
    static List<Range> ranges() {
        return parse(command("gcHeapInfo"), command("compilerCodecache"), command("vmMetaspace", "vslist"));
    }

    static List<Range> parse(String heap, String codeCache, String metaspace) {
        List<Range> ranges = new ArrayList<>();
        List<MatchResult> spaces = SPACE.matcher(heap).results().toList();
        if (!spaces.isEmpty()) {
            long begin =
                    spaces.stream().mapToLong(space -> address(space, 1)).min().getAsLong();
            long end =
                    spaces.stream().mapToLong(space -> address(space, 2)).max().getAsLong();
            ranges.add(new Range(RegionKind.HEAP, begin, end - begin));
        }
        for (Matcher each = CODE_HEAP.matcher(codeCache); each.find(); ) {
            long begin = address(each, 1);
            ranges.add(new Range(RegionKind.CODE_CACHE, begin, address(each, 2) - begin));
        }
        for (Matcher each = METASPACE_NODE.matcher(metaspace); each.find(); ) {
            ranges.add(new Range(RegionKind.METASPACE, address(each, 1), Long.parseLong(each.group(2)) * KIB_BYTES));
        }
        return ranges;
    }

    private static long address(MatchResult match, int group) {
        return Long.parseUnsignedLong(match.group(group), HEXADECIMAL);
    }

    private static String command(String name, String... arguments) {
        try {
            return DiagnosticCommand.run(name, arguments);
        } catch (JMException e) {
            throw new IllegalStateException(
                    "This JVM does not tell where its memory is: command=" + name
                            + "; simulate an OpenJDK 25 with module jdk.management",
                    e);
        }
    }
}
