package dev.lockstep.bench.codemap;

import dev.lockstep.bench.autosteps.TraceFile;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.CodeOrigin;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Adds to the traces that the simulator has written what their operations are called and what lies at their addresses.
 */
final class TraceNames {
    private static final int HEXADECIMAL = 16;
    private static final String CALLED_BY = " < ";

    private TraceNames() {}

    /**
     * Copies a file of traces, with names.
     *
     * @param events what the agent wrote in the same process, or null where the places are not to be named
     * @param points the switch points that this had in its bytecode, or null for none
     * @return whether there are operations in it; otherwise nothing is written
     * @throws IOException if the simulator has not written them to their end
     */
    static boolean write(Path raw, List<MarkedOperation> operations, Path events, Path points, Path into)
            throws IOException {
        if (!holdsOperations(raw)) {
            return false;
        }
        try (BufferedReader lines = Files.newBufferedReader(raw);
                BufferedWriter out = Files.newBufferedWriter(into)) {
            line(out, lines.readLine());
            for (MarkedOperation operation : operations) {
                String context = operation.context().isEmpty() ? "" : operation.context() + TraceFile.CONTEXT_END;
                line(out, TraceFile.OPERATION + operation.number() + " " + context + operation.operation());
            }
            if (events != null) {
                writePlaces(raw, CodeEvents.read(events), out);
            }
            if (points != null) {
                for (String line : Files.readAllLines(points)) {
                    line(out, TraceFile.INSERTED + line);
                }
            }
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                line(out, line);
            }
        }
        return true;
    }

    private static boolean holdsOperations(Path raw) throws IOException {
        boolean holds = false;
        String last = "";
        try (BufferedReader lines = Files.newBufferedReader(raw)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                holds |= line.startsWith(TraceFile.EXECUTION);
                last = line;
            }
        }
        if (!last.equals(TraceFile.END)) {
            throw new IOException("the simulator could not write all traces: file=" + raw
                    + "; remedy: see that there is room where temporary files are made");
        }
        return holds;
    }

    private static void writePlaces(Path raw, CodeEvents events, BufferedWriter out) throws IOException {
        CodeResolver resolver = new CodeResolver(events);
        Set<String> classNames = new TreeSet<>();
        for (long address : addresses(raw)) {
            line(out, TraceFile.PLACE + Long.toHexString(address) + " " + place(events, resolver, address, classNames));
        }
        ClassBytes classes = ClassBytes.ofProgram();
        List<String> known = new ArrayList<>();
        for (String className : classNames) {
            if (SwitchPoints.mayBeIn(className) && classes.find(className).isPresent()) {
                known.add(className);
            }
        }
        for (String line : CodeOrigin.here(classes, known).lines()) {
            line(out, line);
        }
    }

    private static Set<Long> addresses(Path raw) throws IOException {
        Set<Long> addresses = new TreeSet<>(Long::compareUnsigned);
        try (BufferedReader lines = Files.newBufferedReader(raw)) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith(TraceFile.EXECUTION) && !line.equals(TraceFile.END)) {
                    addresses.add(Long.parseUnsignedLong(line, 0, line.indexOf(' '), HEXADECIMAL));
                }
            }
        }
        return addresses;
    }

    /** The innermost method first, each with bytecode index and line; adds their classes. */
    private static String place(CodeEvents events, CodeResolver resolver, long address, Set<String> classNames) {
        CodeResolver.Found found = resolver.find(address, Long.MAX_VALUE);
        if (found.compiled() == null) {
            return found.part() == CodePart.UNKNOWN
                    ? CodePart.UNKNOWN.words()
                    : found.name() + " (" + found.part().words() + ")";
        }
        List<String> calls = new ArrayList<>();
        int frame = found.compiled().frameAt(address - found.compiled().address());
        // Ends, as a frame's caller was logged before it.
        for (int at = frame; at != 0; at = events.frame(at).caller()) {
            CodeEvents.Frame each = events.frame(at);
            classNames.add(className(each.method()));
            calls.add(each.method() + "@" + each.bytecodeIndex() + (each.line() == 0 ? "" : ":" + each.line()));
        }
        return calls.isEmpty() ? found.compiled().method() : String.join(CALLED_BY, calls);
    }

    /** Of a method as in {@code a.b.Node.find(I)I}. */
    private static String className(String method) {
        return method.substring(0, method.lastIndexOf('.', method.indexOf('(')));
    }

    private static void line(BufferedWriter out, String line) throws IOException {
        out.write(line);
        out.write('\n');
    }
}
