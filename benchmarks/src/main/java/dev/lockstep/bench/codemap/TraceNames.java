package dev.lockstep.bench.codemap;

import dev.lockstep.bench.autosteps.TraceFile;
import dev.lockstep.bench.simulate.MarkedOperation;
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
     */
    static void write(Path raw, List<MarkedOperation> operations, Path events, Path into) throws IOException {
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
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                line(out, line);
            }
        }
    }

    private static void writePlaces(Path raw, CodeEvents events, BufferedWriter out) throws IOException {
        CodeResolver resolver = new CodeResolver(events);
        for (long address : addresses(raw)) {
            line(out, TraceFile.PLACE + Long.toHexString(address) + " " + place(events, resolver, address));
        }
    }

    private static Set<Long> addresses(Path raw) throws IOException {
        Set<Long> addresses = new TreeSet<>(Long::compareUnsigned);
        try (BufferedReader lines = Files.newBufferedReader(raw)) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith(TraceFile.EXECUTION)) {
                    addresses.add(Long.parseUnsignedLong(line, 0, line.indexOf(' '), HEXADECIMAL));
                }
            }
        }
        return addresses;
    }

    /** The innermost method first, each with bytecode index and line. */
    private static String place(CodeEvents events, CodeResolver resolver, long address) {
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
            calls.add(each.method() + "@" + each.bytecodeIndex() + (each.line() == 0 ? "" : ":" + each.line()));
        }
        return calls.isEmpty() ? found.compiled().method() : String.join(CALLED_BY, calls);
    }

    private static void line(BufferedWriter out, String line) throws IOException {
        out.write(line);
        out.write('\n');
    }
}
