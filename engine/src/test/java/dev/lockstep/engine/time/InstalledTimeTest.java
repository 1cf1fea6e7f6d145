package dev.lockstep.engine.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.InstalledTime;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits end by the installed time: in JVMs of their own, because a time is installed for the life of a process. */
@Timeout(120)
class InstalledTimeTest {
    private record Run(int exitCode, List<String> lines) {}

    private static Run run(String time, String argument) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx256m",
                "-D" + InstalledTime.PROPERTY + "=" + time,
                "-cp",
                System.getProperty("java.class.path"),
                TimedProgram.class.getName(),
                argument));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output.lines().toList());
    }

    /** The limit of two hours passes at once, when it is told to, and not before. */
    @ParameterizedTest
    @ValueSource(strings = {"threads", "VIRTUAL", "CONTINUATION"})
    void aWaitEndsByTheInstalledTime(String kind) throws IOException, InterruptedException {
        Run run = run(HandTime.class.getName(), kind);
        assertEquals(List.of("waits still true", "out of time"), run.lines());
        assertEquals(0, run.exitCode());
    }

    @Test
    void itIsTheMachinesUnlessAskedFor() {
        long before = System.nanoTime();
        long installed = InstalledTime.nanoTime();
        long after = System.nanoTime();
        assertTrue(
                before - installed <= 0 && installed - after <= 0,
                () -> "before=" + before + " installed=" + installed + " after=" + after);
    }

    @Test
    void anUnknownTimeIsRefusedByName() throws IOException, InterruptedException {
        Run run = run("no.such.Time", "threads");
        assertNotEquals(0, run.exitCode());
        assertTrue(
                run.lines().stream().anyMatch(line -> line.contains("dev.lockstep.scheduler.time=no.such.Time;")),
                run.lines()::toString);
    }
}
