package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap that is full behind a commit: in a JVM of its own, whose heap can be filled. */
class FullHeapTest {
    @TempDir
    Path directory;

    /** What a commit leaves behind can stay where it is. */
    @Test
    void aDatabaseGoesOnThatHasNoMemoryToCleanUp() throws IOException, InterruptedException {
        InstalledRun run = InstalledRun.withFlags(
                List.of("-XX:+UseSerialGC"),
                FullHeapProgram.class,
                directory.resolve("database").toString());
        assertEquals(List.of("filled true", "bytes 1", "failure "), run.lines());
        assertEquals(0, run.exitCode());
    }
}
