package dev.lockstep.engine;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of a program of the tests in a JVM of its own, with a class that a property installs for the life of a process.
 *
 * @param exitCode of the JVM
 * @param lines that it printed, as output or as errors
 */
public record InstalledRun(int exitCode, List<String> lines) {
    private static final String HEAP = "-Xmx256m";
    private static final String RAW_PACKAGE = "jdk.internal.misc";

    /**
     * Runs it to its end.
     *
     * @param property that names the class
     * @param installed the class's name
     * @param program with a main method
     */
    public static InstalledRun of(String property, String installed, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        return withFlags(List.of("-D" + property + "=" + installed), program, arguments);
    }

    /**
     * Runs it to its end, in a JVM that allows no native access, and none to memory by its own accessors, if its flags
     * do not say so.
     *
     * @param flags of the JVM
     * @param program with a main method
     */
    public static InstalledRun withFlags(List<String> flags, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add") && !flag.contains(RAW_PACKAGE))
                .forEach(command::add);
        command.addAll(flags);
        command.addAll(List.of(HEAP, "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new InstalledRun(process.waitFor(), output.lines().toList());
    }

    /** Whether one of its lines contains some text. */
    public boolean printed(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }
}
