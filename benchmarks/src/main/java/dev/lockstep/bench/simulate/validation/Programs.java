package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The C programs that are simulated: kept as sources, compiled by the C compiler of the machine. They are linked at
 * fixed addresses and without a C library, so that a run executes the same instructions at the same addresses
 * everywhere.
 */
final class Programs {
    private static final List<String> HEADERS = List.of("freestanding.h", "threads.h");

    /**
     * No vectors wider than every x86-64 has, no calls to memory functions made of loops, no unwinding tables: the code
     * depends on the compiler alone. The pages of code are 4 KB, so that what is aligned to them stays so.
     */
    private static final List<String> FLAGS = List.of(
            "-std=gnu11",
            "-O2",
            "-march=x86-64",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-static",
            "-no-pie",
            "-fno-pie",
            "-nostdlib",
            "-ffreestanding",
            "-fno-stack-protector",
            "-fcf-protection=none",
            "-fno-asynchronous-unwind-tables",
            "-fno-tree-loop-distribute-patterns");

    private final Path compiler;
    private final Path directory;

    /**
     * For one validation.
     *
     * @param compiler of C
     * @param directory where sources and programs go, which exists
     */
    Programs(Path compiler, Path directory) {
        this.compiler = compiler;
        this.directory = directory;
    }

    /**
     * A program, compiled on the first call.
     *
     * @param name of its source, without {@code .c}
     * @throws ToolException when the compiler refuses
     */
    Path program(String name) throws IOException, InterruptedException {
        Path program = directory.resolve(name);
        if (Files.exists(program)) {
            return program;
        }
        for (String header : HEADERS) {
            extract(header);
        }
        Path source = extract(name + ".c");
        List<String> command = new ArrayList<>();
        command.add(compiler.toString());
        command.addAll(FLAGS);
        command.add("-o");
        command.add(program.toString());
        command.add(source.toString());
        Tool.run(command, directory, Map.of());
        return program;
    }

    private Path extract(String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream source = Programs.class.getResourceAsStream(name)) {
            if (source == null) {
                throw new IOException("not in this build resource=" + name);
            }
            Files.write(file, source.readAllBytes());
        }
        return file;
    }
}
