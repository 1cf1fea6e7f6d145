package dev.lockstep.scheduler;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How much code each operation executes, how much of it two operations share, and how much data it touches: what a
 * placement of buffers or of switch points, and the size of a team, go by. Measured by {@code ./lockstep codemap
 * --footprints FILE}, for one build of the JVM, whose compiler made the code. Sizes are in bytes of distinct cache
 * lines that at least one execution in a hundred needs, and at least three do, of user mode, and outlive the addresses
 * that the code had. Of data, of which each execution touches other lines, it is their number that nine of ten
 * executions do not exceed.
 *
 * <p>The file is text in UTF-8, with numbers in decimal:
 *
 * <pre>
 * lockstep-code-footprints 2
 * jvm NAME AND VERSION
 * workload NAME                 what follows was executed by it
 * operation BYTES NAME          numbered from 0 in each workload
 * shared NUMBER NUMBER BYTES    by each two operations of the workload, the smaller number first
 * data BYTES NAME               of lines of data, 1 or more, an operation once in a workload; absent if not measured
 * end                           so that a truncated file is told from a whole one
 * </pre>
 *
 * <p>Version 1, which is read too, has no lines of data. A file made by hand may have nothing else, for
 * {@link TeamLimits}.
 *
 * <p>Immutable.
 */
public final class CodeFootprints {
    /** The first line of a file, before the version. */
    public static final String HEADER = "lockstep-code-footprints ";

    /** Raised whenever a line changes its meaning. */
    public static final int FORMAT_VERSION = 2;

    private static final int VERSION_WITHOUT_DATA = 1;

    private static final String REMEDY = "; make one with ./lockstep codemap --footprints FILE";

    private final String jvm;
    private final String workload;
    private final List<String> operations;
    private final Map<String, Long> bytes;
    private final Map<List<Integer>, Long> sharedBytes;
    private final Map<String, Long> dataBytes;

    private CodeFootprints(
            String jvm,
            String workload,
            Map<String, Long> bytes,
            Map<List<Integer>, Long> sharedBytes,
            Map<String, Long> dataBytes) {
        this.jvm = jvm;
        this.workload = workload;
        // In the order of their numbers.
        this.operations = List.copyOf(bytes.keySet());
        this.bytes = Map.copyOf(bytes);
        this.sharedBytes = Map.copyOf(sharedBytes);
        this.dataBytes = Map.copyOf(dataBytes);
    }

    /**
     * Reads a file.
     *
     * @return footprints by workload, in the order of the file
     * @throws CodeFootprintsException if it is not of this format and version, damaged or cut short
     * @throws IOException if it cannot be read
     */
    public static Map<String, CodeFootprints> read(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            String header = reader.readLine();
            boolean hasData = (HEADER + FORMAT_VERSION).equals(header);
            if (!hasData && !(HEADER + VERSION_WITHOUT_DATA).equals(header)) {
                throw new CodeFootprintsException("no footprints of a known version: header=\"" + header
                        + "\" headerExpected=\"" + HEADER + FORMAT_VERSION + "\" file=" + file + REMEDY);
            }
            return new Reading(file, hasData).read(reader);
        }
    }

    /** What the lines so far have said. */
    private static final class Reading {
        private final Path file;
        private final boolean hasData;
        private final Map<String, CodeFootprints> workloads = new LinkedHashMap<>();
        private String jvm = "";
        private String workload;
        private final Map<String, Long> bytes = new LinkedHashMap<>();
        private final Map<List<Integer>, Long> sharedBytes = new LinkedHashMap<>();
        private final Map<String, Long> dataBytes = new LinkedHashMap<>();

        Reading(Path file, boolean hasData) {
            this.file = file;
            this.hasData = hasData;
        }

        Map<String, CodeFootprints> read(BufferedReader reader) throws IOException {
            long number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.equals("end")) {
                    finishWorkload();
                    return workloads;
                }
                try {
                    take(line);
                } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                    throw new CodeFootprintsException(
                            "a line is damaged: line=" + number + " text=\"" + line + "\" file=" + file + REMEDY);
                }
            }
            throw new CodeFootprintsException("footprints are cut short: lines=" + number + " file=" + file + REMEDY);
        }

        private void take(String line) {
            int space = line.indexOf(' ');
            String rest = line.substring(space + 1);
            switch (line.substring(0, space)) {
                case "jvm" -> jvm = rest;
                case "workload" -> {
                    finishWorkload();
                    workload = rest;
                }
                case "operation" -> {
                    String[] words = rest.split(" ", 2);
                    require(bytes.put(words[1], size(words[0])) == null && workload != null);
                }
                case "shared" -> {
                    String[] words = rest.split(" ", -1);
                    int one = Integer.parseInt(words[0]);
                    int other = Integer.parseInt(words[1]);
                    require(one >= 0 && one < other && other < bytes.size());
                    require(sharedBytes.put(List.of(one, other), size(words[2])) == null);
                }
                case "data" -> {
                    String[] words = rest.split(" ", 2);
                    require(hasData && workload != null && size(words[0]) > 0);
                    require(dataBytes.put(words[1], size(words[0])) == null);
                }
                default -> throw new IllegalArgumentException("unknown kind of line");
            }
        }

        private static long size(String word) {
            long size = Long.parseLong(word);
            require(size >= 0);
            return size;
        }

        private static void require(boolean holds) {
            if (!holds) {
                throw new IllegalArgumentException("told twice, or of nothing");
            }
        }

        private void finishWorkload() {
            if (workload != null) {
                workloads.put(workload, new CodeFootprints(jvm, workload, bytes, sharedBytes, dataBytes));
                bytes.clear();
                sharedBytes.clear();
                dataBytes.clear();
            }
        }
    }

    /** Name and version of the JVM whose compiler made the code. */
    public String jvm() {
        return jvm;
    }

    /** Name and version of the JVM that runs here. */
    public static String thisJvm() {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    }

    /** Whether it is the JVM that runs here: another build compiles other code, of which nothing is said. */
    public boolean isOfThisJvm() {
        return jvm.equals(thisJvm());
    }

    /** What was run. */
    public String workload() {
        return workload;
    }

    /** All operations, by the names under which they are {@linkplain Scheduler#registerOperation registered}. */
    public List<String> operations() {
        return operations;
    }

    /** What an operation executes, in bytes; empty if the workload does not run it. */
    public OptionalLong bytes(String operation) {
        Long known = bytes.get(operation);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /** What one execution touches of data as a rule, in bytes, by operation; without those that were not measured. */
    public Map<String, Long> dataBytes() {
        return dataBytes;
    }

    /** What both of two operations execute, in bytes; empty if the workload does not run both. */
    public OptionalLong sharedBytes(String one, String other) {
        int first = operations.indexOf(one);
        int second = operations.indexOf(other);
        if (first < 0 || second < 0) {
            return OptionalLong.empty();
        }
        return first == second
                ? bytes(one)
                : OptionalLong.of(
                        sharedBytes.getOrDefault(List.of(Math.min(first, second), Math.max(first, second)), 0L));
    }
}
