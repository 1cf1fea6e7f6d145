package dev.lockstep.bench.codemap;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Instructions that a simulated process executed, by what they are part of. Immutable.
 *
 * @param instructions of every part that executed any
 */
public record InstructionShares(Map<CodePart, Long> instructions) {
    /** Takes an own copy. */
    public InstructionShares {
        instructions = Map.copyOf(instructions);
    }

    /**
     * Counts the instructions of some contexts, such as those of the measured phase.
     *
     * @param lines what the plugin counted
     * @param events what the agent logged in the same process
     * @param contexts which contexts count
     */
    public static InstructionShares of(CodeLines lines, CodeEvents events, Predicate<CodeLines.Context> contexts) {
        CodeResolver resolver = new CodeResolver(events);
        CodeResolver.Found[] found = new CodeResolver.Found[lines.blockCount()];
        Map<CodePart, Long> sums = new EnumMap<>(CodePart.class);
        lines.contexts().forEach((context, counts) -> {
            if (contexts.test(context)) {
                counts.each((block, count, stays) -> {
                    if (found[block] == null) {
                        found[block] = resolver.find(lines.address(block), lines.epoch(block));
                    }
                    long executed = count * lines.instructions(block);
                    sums.merge(found[block].part(), executed, Long::sum);
                });
            }
        });
        return new InstructionShares(sums);
    }

    /** All instructions. */
    public long total() {
        return instructions.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Instructions of a part. */
    public long of(CodePart part) {
        return instructions.getOrDefault(part, 0L);
    }

    /**
     * The part of the instructions of Java methods, compiled or interpreted, that C2 had compiled: 0 to 1, and 0 where
     * there are none.
     */
    public double c2OfJava() {
        long java = instructions.entrySet().stream()
                .filter(entry -> entry.getKey().isJava())
                .mapToLong(Map.Entry::getValue)
                .sum();
        return java == 0 ? 0 : (double) of(CodePart.C2) / java;
    }

    /** The part of all instructions whose place nobody knows, 0 to 1. */
    public double unresolved() {
        long total = total();
        return total == 0 ? 0 : (double) of(CodePart.UNKNOWN) / total;
    }
}
