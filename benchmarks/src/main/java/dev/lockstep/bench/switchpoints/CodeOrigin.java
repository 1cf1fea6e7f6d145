package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * What compiled code was made of: a JVM, whose compiler made it, and class files. What is known of that code, such as
 * the bytecode index of an instruction, holds for these alone. Immutable.
 *
 * <p>In files it has a line {@code jvm NAME AND VERSION}, and one {@code class HASH NAME} for each class, where HASH is
 * the SHA-256 of its class file in hexadecimal.
 */
public final class CodeOrigin {
    /** Where nothing is known. */
    public static final CodeOrigin UNKNOWN = new CodeOrigin("", new TreeMap<>());

    /** Begins the line that names the JVM. */
    public static final String JVM = "jvm ";

    /** Begins the line of a class. */
    public static final String CLASS = "class ";

    private static final String REMEDY = "; remedy: record and search again with ./lockstep autosteps";

    private final String jvm;
    private final SequencedMap<String, String> hashes;

    private CodeOrigin(String jvm, Map<String, String> hashes) {
        this.jvm = jvm;
        this.hashes = new TreeMap<>(hashes);
    }

    /**
     * Of code of this JVM.
     *
     * @param classNames with dots
     * @throws SwitchPointException if a class is not to be found
     */
    public static CodeOrigin here(ClassBytes classes, Iterable<String> classNames) throws IOException {
        SequencedMap<String, String> hashes = new TreeMap<>();
        for (String className : classNames) {
            hashes.put(className, hash(classes.require(className)));
        }
        return new CodeOrigin(CodeFootprints.thisJvm(), hashes);
    }

    /** Takes the lines of a file, one by one. Not thread-safe. */
    public static final class Builder {
        private String jvm = "";
        private final SequencedMap<String, String> hashes = new TreeMap<>();
        private String className = "";

        /**
         * Takes a line, if it is one of these.
         *
         * @return whether it is
         * @throws IllegalArgumentException if it is damaged
         */
        public boolean take(String line) {
            if (line.startsWith(JVM)) {
                jvm = line.substring(JVM.length());
                return true;
            }
            if (!line.startsWith(CLASS)) {
                return false;
            }
            String[] named = line.substring(CLASS.length()).split(" ", -1);
            if (named.length != 2) {
                throw new IllegalArgumentException("a class has a hash and a name");
            }
            className = named[1];
            hashes.put(className, named[0]);
            return true;
        }

        /** The class of the last line that had one, or empty. */
        String className() {
            return className;
        }

        /** What was taken. */
        public CodeOrigin build() {
            return new CodeOrigin(jvm, hashes);
        }
    }

    /** Name and version of the JVM; empty where it is not known. */
    public String jvm() {
        return jvm;
    }

    /** The classes, in the order of their names. */
    public List<String> classNames() {
        return List.copyOf(hashes.keySet());
    }

    /** The line of the JVM. */
    public String jvmLine() {
        return JVM + jvm;
    }

    /** The line of a class. */
    public String classLine(String className) {
        return CLASS + hashes.get(className) + " " + className;
    }

    /** All lines. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(jvmLine()));
        hashes.keySet().forEach(className -> lines.add(classLine(className)));
        return lines;
    }

    /**
     * Refuses another JVM, whose compiler makes other code.
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
     * Refuses a class that is not the one that the code was made of.
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
