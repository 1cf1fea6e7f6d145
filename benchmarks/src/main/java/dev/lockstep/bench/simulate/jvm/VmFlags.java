package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.bench.process.BriefProcess;
import dev.lockstep.bench.process.NativeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The values of all flags of a JVM, as it chose them for the processor it found. Immutable.
 *
 * @param values by name, each with its type before it, as {@code bool true}
 */
record VmFlags(SortedMap<String, String> values) {
    /** An emulated JVM starts in seconds. */
    private static final long START_SECONDS_MAX = 60;

    /** So that flags of all kinds are shown, and may be set. */
    static final List<String> UNLOCKED = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions");

    private static final String BOOL = "bool";

    VmFlags {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** Reads what {@code -XX:+PrintFlagsFinal} prints; other lines mean nothing. */
    static VmFlags parse(Collection<String> lines) {
        SortedMap<String, String> values = new TreeMap<>();
        for (String line : lines) {
            // type name = value {kind} {origin}; the value may be missing.
            String[] words = line.strip().split("\\s+", 5);
            if (words.length >= 4 && words[2].equals("=")) {
                values.put(words[1], words[0] + " " + (words[3].startsWith("{") ? "" : words[3]));
            }
        }
        return new VmFlags(values);
    }

    /**
     * Starts this JVM's program for its flags alone.
     *
     * @param before the words before the command, which say where it runs; may be none
     * @param options of the JVM
     * @throws IOException if it does not start with these options
     */
    static VmFlags read(List<String> before, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(UNLOCKED);
        command.addAll(options);
        command.addAll(List.of("-XX:+PrintFlagsFinal", "-version"));
        BriefProcess asked =
                BriefProcess.runOrNull(NativeProcess.builder(command).redirectErrorStream(true), START_SECONDS_MAX);
        List<String> lines = asked == null ? List.of() : asked.printed().lines().toList();
        if (asked == null || asked.exitCode() != 0) {
            throw new IOException("a JVM does not tell its flags: command=" + command + " firstLine="
                    + (lines.isEmpty() ? "" : lines.getFirst()));
        }
        return parse(lines);
    }

    /** The names of the flags that differ, those that only one side has included, in order. */
    TreeSet<String> differing(VmFlags other) {
        TreeSet<String> names = new TreeSet<>(values.keySet());
        names.addAll(other.values.keySet());
        names.removeIf(name -> values.getOrDefault(name, "").equals(other.values.getOrDefault(name, "")));
        return names;
    }

    /** The value of a flag, {@code none} where it has none. */
    String value(String name) {
        String value = values.getOrDefault(name, "none none");
        return value.substring(value.indexOf(' ') + 1);
    }

    /** The option that gives a flag the value that it has here. */
    String option(String name) {
        String value = values.get(name);
        return value.startsWith(BOOL + " ")
                ? "-XX:" + (value(name).equals("true") ? "+" : "-") + name
                : "-XX:" + name + "=" + value(name);
    }
}
