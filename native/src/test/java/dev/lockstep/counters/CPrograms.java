package dev.lockstep.counters;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** Compiles C for a test and runs programs; where a tool is missing, the test says NOT RUN and is aborted. */
final class CPrograms {
    private static final long TIME_LIMIT_SECONDS = 900;
    private static final Path SOURCES = Path.of("src", "main", "c");
    private static final Path TEST_SOURCES = Path.of("src", "test", "c");

    /** What a program did: its exit code, and what it wrote to both its outputs. */
    record Run(int exitCode, String output) {}

    private CPrograms() {}

    static TestAbortedException notRun(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    /** A file of {@code src/main/c}. */
    static Path source(String name) {
        return SOURCES.resolve(name);
    }

    /** A file of {@code src/test/c}. */
    static Path testSource(String name) {
        return TEST_SOURCES.resolve(name);
    }

    static Optional<Path> find(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Path require(String program, String debianPackage) {
        return find(program)
                .orElseThrow(() ->
                        notRun(program + " is not there; on Debian and Ubuntu: apt-get install " + debianPackage));
    }

    /** The simulator, as the plugin of QEMU that it is. */
    static Path requireSimulator() {
        return switch (NativePart.SIMULATOR.find()) {
            case NativePart.Result.Available(Path file) -> file;
            case NativePart.Result.Missing(String reason) -> throw notRun(reason);
        };
    }

    /** The compiler that build-native.sh would take. */
    static Path compiler() {
        return Stream.of(System.getenv().getOrDefault("CC", ""), "cc", "gcc", "clang")
                .filter(name -> !name.isBlank())
                .flatMap(name -> find(name).stream())
                .findFirst()
                .orElseThrow(() ->
                        notRun("no C compiler is there; on Debian and Ubuntu: apt-get install gcc" + " libc6-dev"));
    }

    /** Compiles sources, with the headers of {@code src/main/c}, into an output file; with {@code -c} links nothing. */
    static Path compile(Path output, List<String> options, Path... sources) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                compiler().toString(),
                "-std=gnu11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-pthread",
                "-I",
                SOURCES.toString()));
        command.addAll(options);
        command.addAll(List.of("-o", output.toString()));
        for (Path source : sources) {
            command.add(source.toString());
        }
        if (!options.contains("-c")) {
            command.add("-ldl");
        }
        Run run = run(Map.of(), command);
        if (run.exitCode() != 0) {
            throw new AssertionError("cannot compile: " + command + "\n" + run.output());
        }
        return output;
    }

    /** Runs a program to its end. */
    static Run run(Map<String, String> environment, List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("lockstep-test", ".txt");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(TIME_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("does not end: " + command + "\n" + Files.readString(output));
            }
            return new Run(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }

    /** Runs a class of the test class path in a JVM of its own. */
    static Run runJava(Class<?> program, Map<String, String> environment, List<String> jvmOptions, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-ea");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return run(environment, command);
    }
}
