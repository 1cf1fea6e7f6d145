package dev.lockstep.bench.prove;

import dev.lockstep.engine.TornPageProtection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillChildTest {
    /** As where somebody kills the parent alone: nobody is left who would kill it. */
    @Test
    void endsWithItsParent(@TempDir Path directory) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                KillChild.class.getName(),
                directory.resolve("database").toString(),
                "1",
                "0",
                "0",
                TornPageProtection.DOUBLE_WRITE.name());
        Process child = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            child.getOutputStream().close();
            // Without end if it did not.
            child.waitFor();
        } finally {
            child.destroyForcibly();
        }
    }
}
