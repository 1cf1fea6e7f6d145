package dev.lockstep.bench.simulate;

import dev.lockstep.bench.Main;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How a command ended that ran in a process of its own.
 *
 * @param output what it printed, on standard error too
 */
record CommandProcess(int exitCode, String output) {
    private static final long SECONDS_MAX = 900;

    /**
     * Runs a command that finds programs only in one directory.
     *
     * @param directory for its output
     * @param path where it finds programs
     */
    static CommandProcess run(Path directory, Path path, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        File output = directory.resolve("output.txt").toFile();
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
        builder.environment().put("PATH", path.toString());
        Process process = builder.start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return new CommandProcess(process.exitValue(), Files.readString(output.toPath(), StandardCharsets.UTF_8));
    }

    /** Of this JVM, wherever its modules come from. */
    private static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        String classes = System.getProperty("java.class.path", "");
        return modules.isEmpty() ? classes : modules + File.pathSeparator + classes;
    }
}
