package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.CodeOrigin;
import dev.lockstep.bench.switchpoints.InsertedBytecode;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
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
 * <p>The file is text. Its first line is {@link #HEADER}, its last one {@link #END}, so that a truncated file is told
 * from a whole one. Between them there are, in any order:
 * <ul>
 *   <li>the lines of a {@link CodeOrigin}: the JVM, and the classes of the methods that were executed;
 *   <li>{@code inserted LINE}: the lines of the {@link SwitchPoints} that the JVM had in its bytecode, in their order;
 *   <li>{@code operation NUMBER NAME}: what a number stands for;
 *   <li>{@code place ADDRESS TEXT}: what lies at an address, in hexadecimal;
 *   <li>{@code execution NUMBER COUNT}, followed by as many lines {@code ADDRESS LENGTH}: instructions in the order in
 *       which one execution of the operation ran them, and their lengths in bytes.
 * </ul>
 */
public final class TraceFile {
    /** The first line; its number is that of the format. */
    public static final String HEADER = "lockstep-trace 2";

    /** The last line. */
    public static final String END = "end";

    /** Begins a line of the switch points that were inserted. */
    public static final String INSERTED = "inserted ";

    /** Begins a line that names an operation. */
    public static final String OPERATION = "operation ";

    /** Begins a line that says what lies at an address. */
    public static final String PLACE = "place ";

    /** Begins an execution. */
    public static final String EXECUTION = "execution ";

    /** Behind the transaction that an operation belongs to. */
    public static final String CONTEXT_END = ": ";

    private static final int HEXADECIMAL = 16;

    private final Path file;
    private CodeOrigin origin = CodeOrigin.UNKNOWN;
    private final List<String> inserted = new ArrayList<>();
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<Long, String> places = new HashMap<>();
    private final SequencedMap<Integer, List<InstructionTrace>> executions = new TreeMap<>();

    private TraceFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws TraceFormatException if it is not such a file
     * @throws IOException if it cannot be read
     */
    static TraceFile read(Path file) throws IOException, TraceFormatException {
        TraceFile traces = new TraceFile(file);
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            Parser parser = new Parser(traces, file, lines);
            try {
                parser.parse();
            } catch (CharacterCodingException e) {
                throw parser.wrong("it is no text");
            }
        }
        return traces;
    }

    /** The JVM that was traced, and the class files of its methods. */
    CodeOrigin origin() {
        return origin;
    }

    /**
     * What was inserted into its bytecode.
     *
     * @param classes of the program
     * @throws SwitchPointException if the points are damaged, or not of these classes
     */
    InsertedBytecode inserted(ClassBytes classes) throws IOException {
        return inserted.isEmpty()
                ? InsertedBytecode.NONE
                : InsertedBytecode.of(SwitchPoints.read(inserted, file), classes);
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
            try {
                parseLines();
            } catch (IllegalArgumentException e) {
                throw wrong(e.getMessage());
            }
        }

        private void parseLines() throws IOException, TraceFormatException {
            if (!HEADER.equals(next())) {
                throw wrong("it does not begin with '" + HEADER + "'");
            }
            CodeOrigin.Builder origin = new CodeOrigin.Builder();
            String line = next();
            for (; line != null && !line.equals(END); line = next()) {
                if (origin.take(line)) {
                    continue;
                }
                if (line.startsWith(INSERTED)) {
                    traces.inserted.add(line.substring(INSERTED.length()));
                } else if (line.startsWith(OPERATION)) {
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
                    throw wrong("a line begins with none of the words that it may");
                }
            }
            if (line == null) {
                throw wrong("it is cut off");
            }
            traces.origin = origin.build();
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
                trace.add(address(parts[0]), number(parts[1]));
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
