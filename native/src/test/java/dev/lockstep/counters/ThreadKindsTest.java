package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads of a simulated program, as they are told apart by their names. */
class ThreadKindsTest {
    private static final long LOADS = 20_000;
    /** Of starting and ending a thread. */
    private static final long OTHERS_MAX = 5_000;
    /** Instructions of the program's collections: a hundredth of what they took. */
    private static final long COLLECTIONS_MIN = 4_000_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEnginesOwnThreadsAreCountedApart(boolean simulated) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("named_threads"), List.of("-O1"), CPrograms.testSource("named_threads.c"));
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=2\nl1i=32K,8,64\nl1d=32K,8,64\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + (simulated ? ",engine=on" : ""),
                        program.toString(),
                        Long.toString(LOADS)));
        assertEquals(0, run.exitCode(), run.output());
        String json = Files.readString(result);
        String measured = json.substring(json.indexOf("\"phase\":1,"));
        long engineInstructions = first(measured, "\"instructionsByThreads\":\\{.*?\"engine\":(\\d+)");
        assertTrue(engineInstructions > LOADS, () -> "engineInstructions=" + engineInstructions);
        // What a thread executes before it has its name is its creator's.
        assertNear(simulated ? LOADS : 0, first(measured, "\"engine\":\\{\"instructions\":.*?\"loads\":(\\d+)"));
        assertNear((simulated ? 3 : 2) * LOADS, first(measured, "\"total\":\\{\"instructions\":.*?\"loads\":(\\d+)"));
        assertNear(2 * LOADS, first(measured, "\"operation\":0,.*?\"loads\":(\\d+)"));
        assertTrue(measured.indexOf("\"operation\":", measured.indexOf("\"operation\":") + 1) < 0, measured);
    }

    @Test
    void theJvmsOwnThreadsAreKnownByTheirNames() throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path machine = Files.writeString(directory.resolve("machine.txt"), "l1i=32K,8,64\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(Markers.ENVIRONMENT, "1"),
                List.of(
                        qemu.toString(),
                        "-cpu",
                        "max,vendor=GenuineIntel",
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + ",wait=on",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ThreadKindsProgram.class.getName()));
        assertEquals(0, run.exitCode(), run.output());
        String json = Files.readString(result);
        assertTrue(json.contains("{\"name\":\"MasterPoller\",\"kind\":\"jvm\""), json);
        assertTrue(json.contains("{\"name\":\"ForkJoinPool-1-\",\"kind\":\"carrier\""), json);
        assertTrue(json.contains("{\"name\":\"ForkJoinPool.co\",\"kind\":\"client\""), json);
        String measured = json.substring(json.indexOf("\"phase\":1,"));
        long collections = first(measured, "\"instructionsByThreads\":\\{.*?\"collector\":(\\d+)");
        assertTrue(collections > COLLECTIONS_MIN, () -> "collections=" + collections);
    }

    private static void assertNear(long expected, long actual) {
        assertTrue(
                actual >= expected && actual <= expected + OTHERS_MAX,
                () -> "expected=" + expected + " actual=" + actual);
    }

    private static long first(String json, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(json);
        assertTrue(matcher.find(), () -> "no " + pattern + " in " + json);
        return Long.parseLong(matcher.group(1));
    }
}
