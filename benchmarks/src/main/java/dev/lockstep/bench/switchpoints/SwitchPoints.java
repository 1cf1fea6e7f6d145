package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

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

    private final String jvm;
    private final String cache;
    private final SequencedMap<String, String> hashes;
    private final List<SwitchPoint> points;

    private SwitchPoints(String jvm, String cache, SequencedMap<String, String> hashes, List<SwitchPoint> points) {
        this.jvm = jvm;
        this.cache = cache;
        this.hashes = new TreeMap<>(hashes);
        this.points = List.copyOf(points);
    }

    /**
     * Points found in this JVM.
     *
     * @param cache the geometry that they are for
     * @param classes finds their class files
     * @throws SwitchPointException if a class is not to be found
     */
    public static SwitchPoints of(String cache, ClassBytes classes, List<SwitchPoint> points) throws IOException {
        SequencedMap<String, String> hashes = new TreeMap<>();
        for (SwitchPoint point : points) {
            hashes.put(point.className(), hash(classes.require(point.className())));
        }
        return new SwitchPoints(CodeFootprints.thisJvm(), cache, hashes, points);
    }

    /**
     * Reads a file.
     *
     * @throws SwitchPointException if it is not of this format and version, damaged or cut short
     * @throws IOException if it cannot be read
     */
    public static SwitchPoints read(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            String header = reader.readLine();
            if (!(HEADER + FORMAT_VERSION).equals(header)) {
                throw new SwitchPointException(
                        Reason.FORMAT,
                        "no switch points of a known version: header=\"" + header + "\" headerExpected=\"" + HEADER
                                + FORMAT_VERSION + "\" file=" + file + REMEDY);
            }
            return new Reading(file).read(reader);
        }
    }

    /** What the lines so far have said. */
    private static final class Reading {
        private final Path file;
        private String jvm = "";
        private String cache = "";
        private final SequencedMap<String, String> hashes = new TreeMap<>();
        private final List<SwitchPoint> points = new ArrayList<>();
        private String className = "";

        Reading(Path file) {
            this.file = file;
        }

        SwitchPoints read(BufferedReader reader) throws IOException {
            long number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.equals(END)) {
                    return new SwitchPoints(jvm, cache, hashes, points);
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
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case "jvm" -> jvm = words[1];
                case "cache" -> cache = words[1];
                case "class" -> {
                    String[] named = words[1].split(" ", -1);
                    className = named[1];
                    hashes.put(className, named[0]);
                }
                case "point" -> {
                    String[] point = words[1].split(" ", WORDS_OF_POINT);
                    points.add(new SwitchPoint(point[3], className, point[1], point[2], Integer.parseInt(point[0])));
                }
                default -> throw new IllegalArgumentException("unknown kind of line");
            }
        }
    }

    /** Writes a file that {@link #read} reads. */
    public void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(HEADER + FORMAT_VERSION, "jvm " + jvm, "cache " + cache));
        hashes.forEach((className, hash) -> {
            lines.add("class " + hash + " " + className);
            for (SwitchPoint point : ofClass(className)) {
                lines.add("point " + point.bytecodeIndex() + " " + point.method() + " " + point.descriptor() + " "
                        + point.operation());
            }
        });
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

    /** Name and version of the JVM in whose code they were found. */
    public String jvm() {
        return jvm;
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
        return List.copyOf(hashes.keySet());
    }

    /** The points of one class, none where it has none. */
    public List<SwitchPoint> ofClass(String className) {
        return points.stream()
                .filter(point -> point.className().equals(className))
                .toList();
    }

    /**
     * Refuses another JVM than that of the points, whose compiler makes other code.
     *
     * @throws SwitchPointException if another one runs here
     */
    public void requireThisJvm() throws SwitchPointException {
        if (!jvm.equals(CodeFootprints.thisJvm())) {
            throw new SwitchPointException(
                    Reason.JVM,
                    "switch points of another JVM: jvm=\"" + jvm + "\" here=\"" + CodeFootprints.thisJvm() + "\""
                            + REMEDY);
        }
    }

    /**
     * Refuses a class that is not the one in which the points were found.
     *
     * @param bytes the class file that is about to be used
     * @throws SwitchPointException if it is another one
     */
    public void requireUnchanged(String className, byte[] bytes) throws SwitchPointException {
        String expected = hashes.get(className);
        String found = hash(bytes);
        if (!found.equals(expected)) {
            throw new SwitchPointException(
                    Reason.CLASS,
                    "a class has changed since its switch points were found: class=" + className + " sha256=" + found
                            + " sha256Expected=" + expected + REMEDY);
        }
    }

    private static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
