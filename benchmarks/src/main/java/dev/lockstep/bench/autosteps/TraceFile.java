package dev.lockstep.bench.autosteps;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The traces of operations that {@code ./lockstep simulate --trace FILE} has recorded. Immutable.
 *
 * <p>The file is text. Its first line is {@link #HEADER}. Then there are, in any order:
 * <ul>
 *   <li>{@code operation NUMBER NAME}: what a number stands for;
 *   <li>{@code place ADDRESS TEXT}: what lies at an address, in hexadecimal;
 *   <li>{@code execution NUMBER COUNT}, followed by as many lines {@code ADDRESS LENGTH}: instructions in the order in
 *       which one execution of the operation ran them, and their lengths in bytes.
 * </ul>
 */
public final class TraceFile {
    /** The first line; its number is that of the format. */
    public static final String HEADER = "lockstep-trace 1";

    /** Begins a line that names an operation. */
    public static final String OPERATION = "operation ";

    /** Begins a line that says what lies at an address. */
    public static final String PLACE = "place ";

    /** Begins an execution. */
    public static final String EXECUTION = "execution ";

    /** Behind the transaction that an operation belongs to. */
    public static final String CONTEXT_END = ": ";

    private static final int HEXADECIMAL = 16;

    private final Map<Integer, String> names = new HashMap<>();
    private final Map<Long, String> places = new HashMap<>();
    private final SequencedMap<Integer, List<InstructionTrace>> executions = new TreeMap<>();

    private TraceFile() {}

    /**
     * Reads a file.
     *
     * @throws TraceFormatException if it is not such a file
     * @throws IOException if it cannot be read
     */
    static TraceFile read(Path file) throws IOException, TraceFormatException {
        TraceFile traces = new TraceFile();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            new Parser(traces, file, lines).parse();
        }
        return traces;
    }

    /** The operations that were traced, by their numbers. */
    List<Integer> operations() {
        return List.copyOf(executions.keySet());
    }

    /**
     * Those of them whose names contain a text.
     *
     * @param wanted texts, one of which is enough; empty for all
     */
    List<Integer> operations(List<String> wanted) {
        return operations().stream()
                .filter(each -> wanted.isEmpty() || wanted.stream().anyMatch(name(each)::contains))
                .toList();
    }

    /** The names of the operations that were traced. */
    String names() {
        return String.join(", ", operations().stream().map(this::name).toList());
    }

    /** The name of an operation, its number where the file has none. */
    String name(int operation) {
        return names.getOrDefault(operation, Integer.toString(operation));
    }

    /** The operation as the scheduler knows it: without the transaction that it was traced in. */
    String registeredName(int operation) {
        String name = name(operation);
        int context = name.indexOf(CONTEXT_END);
        return context < 0 ? name : name.substring(context + CONTEXT_END.length());
    }

    /** What lies at an address, the address itself where the file does not say. */
    String place(long address) {
        return places.getOrDefault(address, "0x" + Long.toHexString(address));
    }

    /** How many executions of an operation there are. */
    int executionCount(int operation) {
        return executions.get(operation).size();
    }

    /** The execution with the median number of instructions: others met a wait or a split, or were cut in two. */
    InstructionTrace typical(int operation) {
        List<InstructionTrace> sorted = executions.get(operation).stream()
                .sorted(Comparator.comparingInt(InstructionTrace::count))
                .toList();
        return sorted.get(sorted.size() / 2);
    }

    private static final class Parser {
        private final TraceFile traces;
        private final Path file;
        private final BufferedReader lines;
        private int lineNumber;

        Parser(TraceFile traces, Path file, BufferedReader lines) {
            this.traces = traces;
            this.file = file;
            this.lines = lines;
        }

        void parse() throws IOException, TraceFormatException {
            if (!HEADER.equals(next())) {
                throw wrong("it does not begin with '" + HEADER + "'");
            }
            for (String line = next(); line != null; line = next()) {
                if (line.startsWith(OPERATION)) {
                    String[] parts = parts(line.substring(OPERATION.length()));
                    traces.names.put(number(parts[0]), parts[1]);
                } else if (line.startsWith(PLACE)) {
                    String[] parts = parts(line.substring(PLACE.length()));
                    traces.places.put(address(parts[0]), parts[1]);
                } else if (line.startsWith(EXECUTION)) {
                    String[] parts = parts(line.substring(EXECUTION.length()));
                    InstructionTrace execution = execution(number(parts[1]));
                    traces.executions
                            .computeIfAbsent(number(parts[0]), each -> new ArrayList<>())
                            .add(execution);
                } else {
                    throw wrong("a line begins neither with operation, place nor execution");
                }
            }
            if (traces.executions.isEmpty()) {
                throw wrong("it has no executions");
            }
        }

        private InstructionTrace execution(int count) throws IOException, TraceFormatException {
            InstructionTrace.Builder trace = new InstructionTrace.Builder();
            for (int i = 0; i < count; i++) {
                String line = next();
                if (line == null) {
                    throw wrong("an execution is cut off");
                }
                String[] parts = parts(line);
                try {
                    trace.add(address(parts[0]), number(parts[1]));
                } catch (IllegalArgumentException e) {
                    throw wrong(e.getMessage());
                }
            }
            if (count < 1) {
                throw wrong("an execution is empty");
            }
            return trace.build();
        }

        private String next() throws IOException {
            lineNumber++;
            return lines.readLine();
        }

        private String[] parts(String text) throws TraceFormatException {
            int space = text.indexOf(' ');
            if (space < 1) {
                throw wrong("a line has too few words");
            }
            return new String[] {text.substring(0, space), text.substring(space + 1)};
        }

        private int number(String text) throws TraceFormatException {
            try {
                return Integer.parseUnsignedInt(text);
            } catch (NumberFormatException e) {
                throw wrong("'" + text + "' is no number");
            }
        }

        private long address(String text) throws TraceFormatException {
            try {
                return Long.parseUnsignedLong(text, HEXADECIMAL);
            } catch (NumberFormatException e) {
                throw wrong("'" + text + "' is no address");
            }
        }

        private TraceFormatException wrong(String why) {
            return new TraceFormatException("This is no trace of operations: " + why + ": file=" + file + " line="
                    + lineNumber + "; record one with ./lockstep simulate --operations --trace FILE.");
        }
    }
}
