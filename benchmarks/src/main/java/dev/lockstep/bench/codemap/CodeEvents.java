package dev.lockstep.bench.codemap;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which code lay where, and when: what the agent of {@code native/} writes, whose format stands in
 * {@code agent/agent.c}. Immutable once read.
 */
public final class CodeEvents {
    private static final String HEADER = "lockstep-code-events ";
    private static final String VERSION = "1";
    private static final String END = "end";
    private static final String REMEDY = "run the program again with the agent of this build, to its end";

    private String jvm = "";
    private final List<String> methods = new ArrayList<>(List.of(""));
    private final List<Frame> frames = new ArrayList<>(List.of(new Frame(0, "", 0, 0)));
    private final List<CompiledCode> compiled = new ArrayList<>();
    private final List<Generated> generated = new ArrayList<>();
    private final List<Mapped> mapped = new ArrayList<>();

    /**
     * A frame of the source: where a method stands, and what it was inlined into.
     *
     * @param caller number of the frame that calls it in the same compiled code, 0 where it is the compiled method
     * @param method class, name and signature
     * @param bytecodeIndex within the method
     * @param line of the source, 0 if unknown
     */
    public record Frame(int caller, String method, int bytecodeIndex, int line) {}

    /**
     * Code that the JVM made for itself.
     *
     * @param epoch when it was reported; that it is gone is not
     */
    public record Generated(long epoch, long address, long bytes, String name) {
        boolean contains(long at) {
            return at >= address && at < address + bytes;
        }
    }

    /**
     * Memory that was mapped from a file, at the end of the process.
     *
     * @param path of the file
     */
    public record Mapped(long start, long end, String path) {}

    private CodeEvents() {}

    /**
     * Reads a file.
     *
     * @throws CodeFormatException if it is not of this format, damaged or cut short
     */
    public static CodeEvents read(Path file) throws IOException {
        CodeEvents events = new CodeEvents();
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            String header = reader.readLine();
            if (header == null || !header.equals(HEADER + VERSION)) {
                throw new CodeFormatException(
                        "no log of compiled code of a known version: header=\"" + header + "\" expected=\"" + HEADER
                                + VERSION + "\"",
                        file,
                        REMEDY);
            }
            events.readBody(file, reader);
        }
        return events;
    }

    /** What the lines so far have begun. */
    private static final class Reading {
        private String[] load;
        private final List<int[]> positions = new ArrayList<>();
        private final Map<Long, CompiledCode> present = new HashMap<>();
    }

    private void readBody(Path file, BufferedReader reader) throws IOException {
        Reading reading = new Reading();
        long number = 1;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            number++;
            try {
                if (line.startsWith("p ")) {
                    String[] words = line.split(" ", -1);
                    reading.positions.add(new int[] {Integer.parseInt(words[1]), Integer.parseInt(words[2])});
                    continue;
                }
                finishLoad(reading);
                if (line.equals(END)) {
                    return;
                }
                take(reading, line);
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw CodeFormatException.atLine(file, number, line, REMEDY);
            }
        }
        throw new CodeFormatException("the log of compiled code is cut short: lines=" + number, file, REMEDY);
    }

    private void take(Reading reading, String line) {
        String[] words = line.split(" ", 5);
        switch (words[0]) {
            case "v" -> jvm = line.substring(2);
            case "m" -> {
                requireNext(methods.size(), words[1]);
                methods.add(words[2].replace('/', '.') + "." + words[3] + words[4]);
            }
            case "f" -> {
                String[] frame = line.split(" ", -1);
                requireNext(frames.size(), frame[1]);
                frames.add(new Frame(
                        Integer.parseInt(frame[2]),
                        methods.get(Integer.parseInt(frame[3])),
                        Integer.parseInt(frame[4]),
                        Integer.parseInt(frame[5])));
            }
            case "L" -> reading.load = line.split(" ", -1);
            case "U" -> {
                CompiledCode removed = reading.present.remove(address(words[2]));
                if (removed != null) {
                    removed.removedIn(Long.parseLong(words[1]));
                }
            }
            case "D" ->
                generated.add(
                        new Generated(Long.parseLong(words[1]), address(words[2]), Long.parseLong(words[3]), words[4]));
            case "r" -> {
                String[] region = line.split(" ", 4);
                mapped.add(new Mapped(address(region[1]), address(region[2]), region[3]));
            }
            default -> throw new IllegalArgumentException("unknown kind of line");
        }
    }

    private static void requireNext(int expected, String number) {
        if (Integer.parseInt(number) != expected) {
            throw new IllegalArgumentException("numbers have a gap");
        }
    }

    private static long address(String hex) {
        return Long.parseUnsignedLong(hex, 16);
    }

    private void finishLoad(Reading reading) {
        if (reading.load == null) {
            return;
        }
        String[] words = reading.load;
        reading.load = null;
        List<int[]> positions = List.copyOf(reading.positions);
        reading.positions.clear();
        CompiledCode code = new CompiledCode(
                Long.parseLong(words[1]),
                address(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]),
                methods.get(Integer.parseInt(words[6])),
                positions.stream().mapToInt(position -> position[0]).toArray(),
                positions.stream().mapToInt(position -> position[1]).toArray());
        CompiledCode before = reading.present.put(code.address(), code);
        if (before != null && before.method().equals(code.method()) && before.bytes() == code.bytes()) {
            // Reported again, because the agent has asked for what there was: it is the same code.
            reading.present.put(code.address(), before);
        } else {
            if (before != null) {
                before.removedIn(code.epoch());
            }
            compiled.add(code);
        }
    }

    /** The JVM's version. */
    public String jvm() {
        return jvm;
    }

    /** All code that was compiled, in the order of its reports. */
    public List<CompiledCode> compiled() {
        return List.copyOf(compiled);
    }

    /** What the JVM made for itself. */
    public List<Generated> generated() {
        return List.copyOf(generated);
    }

    /** Executable memory. */
    public List<Mapped> mapped() {
        return List.copyOf(mapped);
    }

    /** A frame by its number, as in {@link CompiledCode#frameAt}; 0 is one without method. */
    public Frame frame(int number) {
        return frames.get(number);
    }
}
