package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.process.Ending;
import dev.lockstep.bench.process.NativeProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Programs of the system that validation calls. */
final class Tool {
    /** Longer than any run of a validation takes, even where the machine is shared. */
    private static final int MINUTES_MAX = 20;

    /** Of what a failed command said, this much goes into the message. */
    private static final int SAID_CHARACTERS_MAX = 600;

    private Tool() {}

    /** Where the first of these programs is that the system finds. */
    static Optional<Path> find(String... names) {
        String path = System.getenv("PATH");
        if (path == null) {
            return Optional.empty();
        }
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(path.split(File.pathSeparator, -1))
                        .filter(directory -> !directory.isEmpty())
                        .map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Runs a command to its end, its output in a file beside what it makes.
     *
     * @param directory where it runs
     * @param environment variables beside this process's own
     * @return what it printed, standard error included
     * @throws ToolException when it does not end in time, or with another exit code than 0
     */
    static String run(List<String> command, Path directory, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder = NativeProcess.builder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        try (Ending.Watch watch = Ending.start(builder)) {
            Process process = watch.process();
            if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
                throw new ToolException("did not end minutes=" + MINUTES_MAX + " command=" + String.join(" ", command));
            }
            String said = Files.readString(output, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new ToolException("failed exitCode=" + process.exitValue() + " command="
                        + String.join(" ", command) + " said="
                        + said.substring(0, Math.min(said.length(), SAID_CHARACTERS_MAX))
                                .strip());
            }
            return said;
        } finally {
            Files.delete(output);
        }
    }
}
