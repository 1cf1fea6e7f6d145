package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Switch points, and what they were found in: a JVM, whose compiler made the code, a geometry of the instruction cache,
 * and classes, byte by byte.
 *
 * <p>The file is text in UTF-8, with numbers in decimal:
 *
 * <pre>
 * lockstep-switch-points 1
 * jvm NAME AND VERSION
 * cache GEOMETRY                                 as in 32K,8,64
 * class HASH NAME                                SHA-256 of the class file, in hexadecimal
 * point INDEX METHOD DESCRIPTOR OPERATION        of the class above; INDEX is that of the bytecode
 * end                                            so that a truncated file is told from a whole one
 * </pre>
 *
 * <p>Immutable.
 */
public final class SwitchPoints {
    /** The first line of a file, before the version. */
    public static final String HEADER = "lockstep-switch-points ";

    /** Raised whenever a line changes its meaning. */
    public static final int FORMAT_VERSION = 1;

    private static final String END = "end";
    private static final String REMEDY = "; remedy: search again with ./lockstep autosteps --points FILE";
    private static final int WORDS_OF_POINT = 4;

    private final CodeOrigin origin;
    private final String cache;
    private final List<SwitchPoint> points;

    private SwitchPoints(CodeOrigin origin, String cache, List<SwitchPoint> points) {
        this.origin = origin;
        this.cache = cache;
        this.points = points.stream()
                .sorted(Comparator.comparing(SwitchPoint::className))
                .toList();
    }

    /**
     * Points found in this JVM.
     *
     * @param cache the geometry that they are for
     * @param classes finds their class files
     * @throws SwitchPointException if a class is not to be found
     */
    public static SwitchPoints of(String cache, ClassBytes classes, List<SwitchPoint> points) throws IOException {
        List<String> classNames = points.stream().map(SwitchPoint::className).toList();
        return new SwitchPoints(CodeOrigin.here(classes, classNames), cache, points);
    }

    /**
     * Reads a file.
     *
     * @throws SwitchPointException if it is not of this format and version, damaged or cut short
     * @throws IOException if it cannot be read
     */
    public static SwitchPoints read(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            return read(reader, file);
        } catch (CharacterCodingException e) {
            throw new SwitchPointException(Reason.FORMAT, "no switch points, and no text: file=" + file + REMEDY);
        }
    }

    /**
     * Reads a file whose points are for this JVM.
     *
     * @throws SwitchPointException if it is not of this format and version, damaged or cut short, or of another JVM
     * @throws IOException if it cannot be read
     */
    public static SwitchPoints readForThisJvm(Path file) throws IOException {
        SwitchPoints points = read(file);
        points.origin.requireThisJvm();
        return points;
    }

    /**
     * Reads the lines of such a file from within another one.
     *
     * @param file where they stand, for messages
     * @throws SwitchPointException if they are not of this format and version, damaged or cut short
     */
    public static SwitchPoints read(List<String> lines, Path file) throws IOException {
        return read(new BufferedReader(new StringReader(String.join("\n", lines))), file);
    }

    private static SwitchPoints read(BufferedReader reader, Path file) throws IOException {
        String header = reader.readLine();
        if (!(HEADER + FORMAT_VERSION).equals(header)) {
            throw new SwitchPointException(
                    Reason.FORMAT,
                    "no switch points of a known version: header=\"" + header + "\" headerExpected=\"" + HEADER
                            + FORMAT_VERSION + "\" file=" + file + REMEDY);
        }
        return new Reading(file).read(reader);
    }

    /** What the lines so far have said. */
    private static final class Reading {
        private final Path file;
        private final CodeOrigin.Builder origin = new CodeOrigin.Builder();
        private String cache = "";
        private final List<SwitchPoint> points = new ArrayList<>();

        Reading(Path file) {
            this.file = file;
        }

        SwitchPoints read(BufferedReader reader) throws IOException {
            long number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.equals(END)) {
                    return new SwitchPoints(origin.build(), cache, points);
                }
                try {
                    take(line);
                } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                    throw new SwitchPointException(
                            Reason.FORMAT,
                            "a line is damaged: line=" + number + " text=\"" + line + "\" file=" + file + REMEDY);
                }
            }
            throw new SwitchPointException(
                    Reason.FORMAT, "switch points are cut short: lines=" + number + " file=" + file + REMEDY);
        }

        private void take(String line) {
            if (origin.take(line)) {
                return;
            }
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case "cache" -> cache = words[1];
                case "point" -> {
                    String[] point = words[1].split(" ", WORDS_OF_POINT);
                    points.add(new SwitchPoint(
                            point[3], origin.className(), point[1], point[2], Integer.parseInt(point[0])));
                }
                default -> throw new IllegalArgumentException("unknown kind of line");
            }
        }
    }

    /** Writes a file that {@link #read} reads. */
    public void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(HEADER + FORMAT_VERSION, origin.jvmLine(), "cache " + cache));
        for (String className : classNames()) {
            lines.add(origin.classLine(className));
            for (SwitchPoint point : ofClass(className)) {
                lines.add("point " + point.bytecodeIndex() + " " + point.method() + " " + point.descriptor() + " "
                        + point.operation());
            }
        }
        lines.add(END);
        Files.write(file, lines);
    }

    /** Whether a class could have points at all: neither one of the JDK nor one of the scheduler's. */
    public static boolean mayBeIn(String className) {
        return HeldCheck.mayHavePoints(className);
    }

    /**
     * Refuses a place where the method may hold a latch, lock or monitor.
     *
     * @throws SwitchPointException if it may, or there is no such instruction or class
     */
    public static void requireFree(ClassBytes classes, SwitchPoint point) throws IOException {
        HeldCheck.check(classes.require(point.className()), point);
    }

    /** The JVM and the classes in whose code they were found. */
    public CodeOrigin origin() {
        return origin;
    }

    /** The geometry of the instruction cache that they are for. */
    public String cache() {
        return cache;
    }

    /** All points; those of a class stand together. */
    public List<SwitchPoint> points() {
        return points;
    }

    /** The classes that have points. */
    public List<String> classNames() {
        return origin.classNames();
    }

    /** The points of one class, none where it has none. */
    public List<SwitchPoint> ofClass(String className) {
        return points.stream()
                .filter(point -> point.className().equals(className))
                .toList();
    }
}
