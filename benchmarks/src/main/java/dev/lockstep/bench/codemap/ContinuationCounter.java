package dev.lockstep.bench.codemap;

import dev.lockstep.bench.simulate.ContinuationSwitches;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Counts how often HotSpot freezes and thaws the stacks of continuations: how often the first blocks of the functions
 * are executed that do, which the symbol table of {@code libjvm.so} names. Used by one thread.
 */
final class ContinuationCounter {
    /** Clones of a function that hold what is seldom executed, and are no functions of their own. */
    private static final String RARE_PART = ".cold";

    /** Clones of a function from which its begin was moved into the callers: they do not tell of each call. */
    private static final String PART_WITHOUT_BEGIN = ".part.";

    private static final String REMEDY =
            "; remedy: run a JDK whose libjvm.so has its symbol table and these functions, such as Temurin 25";

    /** What is counted: each function freezes or thaws once; none calls another one but {@code newChunk} in despair. */
    private enum Way {
        FREEZE_SLOW("_ZN(10FreezeBase|6FreezeI.*E)11freeze_slow[EI].*"),
        FREEZE_NEW_CHUNK("_ZN(10FreezeBase|6FreezeI.*E)21freeze_fast_new_chunk[EI].*"),
        FREEZE_EXISTING_CHUNK("_ZN(10FreezeBase|6FreezeI.*E)26freeze_fast_existing_chunk[EI].*"),
        THAW_SLOW("_ZN(8ThawBase|4ThawI.*E)9thaw_slow[EI].*"),
        THAW_FAST("_ZN(8ThawBase|4ThawI.*E)9thaw_fast[EI].*");

        /** The mangled names; there is one for each collector and kind of references, of which a JVM uses one. */
        private final Pattern name;

        Way(String name) {
            this.name = Pattern.compile(name);
        }
    }

    private final Map<Long, Way> wayByAddress = new HashMap<>();

    private ContinuationCounter() {}

    /**
     * Counts those of some contexts, such as those of the measured phase. Where the JVM's symbols do not tell, the
     * result says why.
     *
     * @param lines what the plugin counted
     * @param events what the agent logged in the same process, on this machine
     * @param contexts which contexts count
     */
    static ContinuationSwitches count(CodeLines lines, CodeEvents events, Predicate<CodeLines.Context> contexts) {
        ContinuationCounter counter = new ContinuationCounter();
        String obstacle = counter.findFunctions(events);
        return obstacle.isEmpty() ? counter.count(lines, contexts) : ContinuationSwitches.notCounted(obstacle);
    }

    /** Returns why they cannot be told, or an empty text. */
    private String findFunctions(CodeEvents events) {
        CodeEvents.Mapped library = null;
        for (CodeEvents.Mapped region : events.mapped()) {
            if (CodeResolver.partOf(region.path()) == CodePart.JVM
                    && (library == null || region.start() < library.start())) {
                library = region;
            }
        }
        if (library == null) {
            return "the process has no libjvm.so" + REMEDY + ".";
        }
        Path file = Path.of(library.path());
        Set<Way> missing = EnumSet.allOf(Way.class);
        try {
            for (ElfFunctions.Function function : ElfFunctions.read(file)) {
                Way way = wayOf(function.name());
                if (way == null) {
                    continue;
                }
                if (function.name().contains(PART_WITHOUT_BEGIN)) {
                    return "the JVM's library has a function in parts: function=" + function.name() + " file=" + file
                            + REMEDY + ".";
                }
                missing.remove(way);
                wayByAddress.put(library.start() + function.offset(), way);
            }
        } catch (NoSuchFileException e) {
            return "the JVM's library is not there any more: file=" + file + "; remedy: run it again.";
        } catch (IOException e) {
            return "the JVM's library cannot be read: file=" + file + " " + e.getMessage() + REMEDY + ".";
        }
        return missing.isEmpty()
                ? ""
                : "the JVM's library does not name the functions that freeze and thaw: missing=" + missing + " file="
                        + file + REMEDY + ".";
    }

    private static Way wayOf(String function) {
        if (!function.startsWith("_ZN") || function.contains(RARE_PART)) {
            return null;
        }
        for (Way way : Way.values()) {
            if (way.name.matcher(function).matches()) {
                return way;
            }
        }
        return null;
    }

    private ContinuationSwitches count(CodeLines lines, Predicate<CodeLines.Context> contexts) {
        Map<Way, Long> sums = new EnumMap<>(Way.class);
        lines.contexts().forEach((context, counts) -> {
            if (contexts.test(context)) {
                counts.each((block, count, stays) -> {
                    Way way = wayByAddress.get(lines.address(block));
                    if (way != null) {
                        sums.merge(way, count, Long::sum);
                    }
                });
            }
        });
        long slowFreezes = sums.getOrDefault(Way.FREEZE_SLOW, 0L);
        long newChunks = sums.getOrDefault(Way.FREEZE_NEW_CHUNK, 0L);
        long slowThaws = sums.getOrDefault(Way.THAW_SLOW, 0L);
        return new ContinuationSwitches(
                slowFreezes + newChunks + sums.getOrDefault(Way.FREEZE_EXISTING_CHUNK, 0L),
                slowFreezes,
                newChunks,
                slowThaws + sums.getOrDefault(Way.THAW_FAST, 0L),
                slowThaws,
                "");
    }
}
