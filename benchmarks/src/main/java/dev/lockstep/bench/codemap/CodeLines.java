package dev.lockstep.bench.codemap;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks of code that a simulated process executed, and how often: what the plugin writes to {@code code=FILE}. Its
 * format stands in {@code simulator/code_lines.h}. Immutable once read.
 */
public final class CodeLines {
    private static final String HEADER = "lockstep-code-lines ";
    private static final String VERSION = "2";
    private static final String END = "end";
    private static final String REMEDY = "run the program again, with the plugin of this build";
    private static final int BLOCKS_INITIAL = 1 << 16;

    private long[] addresses = new long[BLOCKS_INITIAL];
    private long[] epochs = new long[BLOCKS_INITIAL];
    private int[] bytes = new int[BLOCKS_INITIAL];
    private int[] instructions = new int[BLOCKS_INITIAL];
    private int blockCount;
    private final Map<Context, Counts> contexts = new HashMap<>();

    /**
     * What was going on while code was executed.
     *
     * @param phase 0 outside any
     * @param operation number of the operation, 0 outside any
     * @param threadKind what the thread was for, as the plugin calls it
     */
    public record Context(int phase, int operation, String threadKind) {}

    /** How often each block was begun in one context, and in how many executions of its operation. */
    public static final class Counts {
        private final List<long[]> entries = new ArrayList<>();

        /** Takes a block, how often it was begun, and in how many stays in the context. */
        @FunctionalInterface
        public interface Taker {
            /** Called for each block; the same one may come again. */
            void take(int block, long count, long stays);
        }

        private void add(int block, long count, long stays) {
            entries.add(new long[] {block, count, stays});
        }

        /** Hands out all blocks that were executed. */
        public void each(Taker taker) {
            entries.forEach(entry -> taker.take((int) entry[0], entry[1], entry[2]));
        }
    }

    private CodeLines() {}

    /**
     * Reads a file.
     *
     * @throws CodeFormatException if it is not of this format, damaged or cut short
     */
    public static CodeLines read(Path file) throws IOException {
        CodeLines lines = new CodeLines();
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            String header = reader.readLine();
            if (header == null || !header.equals(HEADER + VERSION)) {
                throw new CodeFormatException(
                        "no executed code of a known version: header=\"" + header + "\" expected=\"" + HEADER + VERSION
                                + "\"",
                        file,
                        REMEDY);
            }
            lines.readBody(file, reader);
        }
        return lines;
    }

    private void readBody(Path file, BufferedReader reader) throws IOException {
        Counts counts = null;
        long number = 1;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            number++;
            if (line.equals(END)) {
                return;
            }
            try {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "b" -> addBlock(words);
                    case "c" ->
                        counts = contexts.computeIfAbsent(
                                new Context(Integer.parseInt(words[1]), Integer.parseInt(words[2]), words[3]),
                                context -> new Counts());
                    default -> addCount(counts, words);
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw CodeFormatException.atLine(file, number, line, REMEDY);
            }
        }
        throw new CodeFormatException("executed code is cut short: lines=" + number, file, REMEDY);
    }

    private void addBlock(String[] words) {
        if (blockCount == addresses.length) {
            addresses = Arrays.copyOf(addresses, blockCount * 2);
            epochs = Arrays.copyOf(epochs, blockCount * 2);
            bytes = Arrays.copyOf(bytes, blockCount * 2);
            instructions = Arrays.copyOf(instructions, blockCount * 2);
        }
        addresses[blockCount] = Long.parseUnsignedLong(words[1], 16);
        bytes[blockCount] = Integer.parseInt(words[2]);
        instructions[blockCount] = Integer.parseInt(words[3]);
        epochs[blockCount] = Long.parseLong(words[4]);
        blockCount++;
    }

    private void addCount(Counts counts, String[] words) {
        int block = Integer.parseInt(words[0]);
        if (counts == null || block < 0 || block >= blockCount) {
            throw new IllegalArgumentException("no such block, or no context");
        }
        counts.add(block, Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** All contexts in which anything was executed. */
    public Map<Context, Counts> contexts() {
        return Map.copyOf(contexts);
    }

    /** Blocks are numbered from 0 to one less than this. */
    public int blockCount() {
        return blockCount;
    }

    /** Address of a block's first byte. */
    public long address(int block) {
        return addresses[block];
    }

    /** The number of the agent's last event when the block was translated. */
    public long epoch(int block) {
        return epochs[block];
    }

    /** Length of a block. */
    public int bytes(int block) {
        return bytes[block];
    }

    /** Instructions of a block. */
    public int instructions(int block) {
        return instructions[block];
    }
}
