package dev.lockstep.bench.codemap;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The blocks of code that a simulated process executed, how often, and what data: what the plugin writes to {@code
 * code=FILE}. Its format stands in {@code simulator/code_lines.h}. Immutable once read.
 */
public final class CodeLines {
    private static final String HEADER = "lockstep-code-lines ";
    private static final String VERSION = "5";
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

    /** What is told of a place: misses of L1-I, L1-D, L2 and last level, and mispredictions of its branch. */
    public static final int PLACE_COUNTS = 5;

    /** Bytes of a line of data. */
    public static final int DATA_LINE_BYTES = 64;

    /**
     * How often each block was begun in one context, in how many executions of its operation, what it missed, and how
     * much data the executions touched.
     */
    public static final class Counts {
        private final List<long[]> entries = new ArrayList<>();
        private final List<long[]> misses = new ArrayList<>();
        private final NavigableMap<Long, Long> dataStays = new TreeMap<>();

        /** Takes a block, how often it was begun, and in how many stays in the context. */
        @FunctionalInterface
        public interface Taker {
            /** Called for each block; the same one may come again. */
            void take(int block, long count, long stays);
        }

        private void add(int block, long count, long stays) {
            entries.add(new long[] {block, count, stays});
        }

        /** Takes the misses of a place, and the mispredictions of the branch there. */
        @FunctionalInterface
        public interface MissTaker {
            /**
             * Called for each place; the same one may come again.
             *
             * @param offset of the code, or of the instruction whose data it was, from the begin of the block
             * @param misses {@link #PLACE_COUNTS} counts
             */
            void take(int block, int offset, long[] misses);
        }

        /** By number of distinct lines of data, in how many stays so many were touched, to a ninth. */
        public NavigableMap<Long, Long> dataStays() {
            return Collections.unmodifiableNavigableMap(dataStays);
        }

        /** Hands out all places that missed or were mispredicted. */
        public void eachMissed(MissTaker taker) {
            misses.forEach(
                    entry -> taker.take((int) entry[0], (int) entry[1], Arrays.copyOfRange(entry, 2, entry.length)));
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
                    case "m" -> addMisses(counts, words);
                    case "d" -> addDataStays(counts, words);
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
        counts.add(block(counts, words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    private void addMisses(Counts counts, String[] words) {
        long[] entry = new long[2 + PLACE_COUNTS];
        entry[0] = block(counts, words[1]);
        for (int i = 1; i < entry.length; i++) {
            entry[i] = Long.parseLong(words[i + 1]);
        }
        counts.misses.add(entry);
    }

    private static void addDataStays(Counts counts, String[] words) {
        if (counts == null || words.length != 3) {
            throw new IllegalArgumentException("data of no context");
        }
        counts.dataStays.merge(Long.parseLong(words[1]), Long.parseLong(words[2]), Long::sum);
    }

    private int block(Counts counts, String word) {
        int block = Integer.parseInt(word);
        if (counts == null || block < 0 || block >= blockCount) {
            throw new IllegalArgumentException("no such block, or no context");
        }
        return block;
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
