package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulator's plugin without QEMU, called back in an order that QEMU seldom has: {@code callbacks_test.c}. */
class CallbacksTest {
    @TempDir
    private Path directory;

    @Test
    void passes() throws Exception {
        Path simulator = CPrograms.source("simulator");
        List<Path> sources = new ArrayList<>(List.of(CPrograms.testSource("callbacks_test.c")));
        try (Stream<Path> files = Files.list(simulator)) {
            files.filter(file -> file.toString().endsWith(".c")).forEach(sources::add);
        }
        Path program = CPrograms.compile(
                directory.resolve("callbacks_test"),
                // The mathematical library, which is named before the sources that need it.
                List.of("-O1", "-g", "-I", simulator.toString(), "-Wl,--no-as-needed", "-lm"),
                sources.toArray(Path[]::new));
        CPrograms.Run run = CPrograms.run(Map.of(), List.of(program.toString(), directory.toString()));
        assertEquals("all passed\n", run.output());
        assertEquals(0, run.exitCode());
    }
}
