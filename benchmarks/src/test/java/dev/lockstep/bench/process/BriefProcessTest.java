package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BriefProcessTest {
    private static final int LONG_SECONDS = 600;

    /** Both print before they end or hang. */
    private static ProcessBuilder child(String argument) {
        return new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ChildJvmTest.Silent.class.getName(),
                argument));
    }

    @Test
    void whatAProgramPrintsAndHowItEnds() throws IOException, InterruptedException {
        assertEquals(new BriefProcess(3, "printed"), BriefProcess.runOrNull(child("3"), LONG_SECONDS));
    }

    @Test
    void oneThatDoesNotEndIsGivenUp() throws IOException, InterruptedException {
        assertNull(BriefProcess.runOrNull(child("hang"), 1));
    }
}
