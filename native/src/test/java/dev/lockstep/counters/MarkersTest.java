package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkersTest {
    /** {@code LOCKSTEP_MARKER_SYSTEM_CALL}. */
    private static final int SYSTEM_CALL = 0x4C5300;

    private static final Map<String, String> SIMULATED = Map.of(Markers.ENVIRONMENT, "1");

    @TempDir
    private Path directory;

    private static void requireMarks() {
        if (MarkerFunctions.load() instanceof MarkerFunctions.Result.Missing(String reason)) {
            throw CPrograms.notRun(reason);
        }
    }

    @Test
    void doNothingOutsideASimulation() {
        assertFalse(Markers.isSimulated());
        String obstacle = Markers.obstacle().orElseThrow();
        assertTrue(obstacle.contains("environmentVariable=LOCKSTEP_SIMULATED"), obstacle);
        MarkersProgram.main(new String[0]);
    }

    @Test
    void anObserverIsToldOfPhasesOfAnyProcess() {
        List<String> told = new ArrayList<>();
        Markers.observe(new PhaseObserver() {
            @Override
            public void begins(int phase) {
                told.add("begins " + phase);
            }

            @Override
            public void ended(int phase) {
                told.add("ended " + phase);
            }
        });
        try {
            Markers.phaseBegin(Markers.PHASE_MEASURED);
            Markers.phaseEnd(Markers.PHASE_MEASURED);
            assertThrows(IllegalArgumentException.class, () -> Markers.phaseBegin(Markers.PHASE_MAX + 1));
        } finally {
            Markers.observe(null);
        }
        Markers.phaseBegin(2);
        assertEquals(List.of("begins 1", "ended 1"), told);
    }

    @Test
    void wrongArgumentsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Markers.phaseBegin(0));
        assertThrows(IllegalArgumentException.class, () -> Markers.phaseEnd(Markers.PHASE_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> Markers.operation(-1));
        assertThrows(IllegalArgumentException.class, () -> Markers.operation(Markers.OPERATIONS));
        assertThrows(IllegalArgumentException.class, () -> Markers.threadCore(-1));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 0, 1, 4096, 0));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 0, 4096, 0));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 1, 4097, 0));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 1, Long.MIN_VALUE, 0));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 1, 2048, 0));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 1, 4096, -2));
        assertThrows(IllegalArgumentException.class, () -> Markers.region(RegionKind.HEAP, 4096, 1, 4096, 255));
    }

    @Test
    void doNoHarmOnARealProcessor() throws Exception {
        requireMarks();
        CPrograms.Run run = CPrograms.runJava(MarkersProgram.class, SIMULATED, List.of());
        assertEquals("simulated=true obstacle=none\n", run.output());
        assertEquals(0, run.exitCode());
    }

    @Test
    void thePropertyOverridesTheEnvironment() throws Exception {
        CPrograms.Run off =
                CPrograms.runJava(MarkersProgram.class, SIMULATED, List.of("-D" + Markers.PROPERTY + "=false"));
        assertTrue(off.output().startsWith("simulated=false"), off.output());
        CPrograms.Run on =
                CPrograms.runJava(MarkersProgram.class, Map.of(), List.of("-D" + Markers.PROPERTY + "=true"));
        assertTrue(on.output().startsWith("simulated=true"), on.output());
    }

    @Test
    void aJvmThatForbidsNativeCallsHasNoMarks() throws Exception {
        requireMarks();
        CPrograms.Run run = CPrograms.run(
                SIMULATED,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=java.base",
                        "--illegal-native-access=deny",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MarkersProgram.class.getName()));
        assertEquals(0, run.exitCode(), run.output());
        assertTrue(run.output().contains("simulated=true obstacle="), run.output());
        assertTrue(run.output().contains("--enable-native-access=ALL-UNNAMED"), run.output());
    }

    @Test
    void theBytesOfEveryOperationAreRecognisedAndNoOthers() throws Exception {
        Path program = CPrograms.compile(
                directory.resolve("marks_recognised"),
                List.of("-O1"),
                CPrograms.testSource("marks_recognised.c"),
                CPrograms.source("lockstep_marker.c"));
        CPrograms.Run run = CPrograms.run(Map.of(), List.of(program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        if (run.output().equals("none\n")) {
            throw CPrograms.notRun("operations cannot be marked on this processor");
        }
        assertEquals("recognised=" + Markers.OPERATIONS + "\n", run.output());
    }

    @Test
    void userModeQemuSeesEveryMark() throws Exception {
        requireMarks();
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path program = CPrograms.compile(directory.resolve("marks"), List.of("-O1"), CPrograms.testSource("marks.c"));
        CPrograms.Run natively = CPrograms.run(Map.of(), List.of(program.toString()));
        assertEquals("marked\n", natively.output());
        assertEquals(0, natively.exitCode());

        Path log = directory.resolve("qemu.log");
        CPrograms.Run run = CPrograms.run(
                Map.of(), List.of(qemu.toString(), "-d", "in_asm,strace", "-D", log.toString(), program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        String seen = Files.readString(log);
        for (int operation : new int[] {0, 5, Markers.OPERATIONS - 1}) {
            String bytes = String.format(Locale.ROOT, "0f 1f 80 %02x %02x 53 4c", operation & 0xff, operation >> 8);
            assertTrue(seen.contains(bytes), () -> "not translated: " + bytes);
        }
        assertTrue(seen.contains("c7 00 48 50 53 4c"), "the store that marks a phase is not translated");
        // A region and a core.
        assertEquals(
                2,
                Pattern.compile("syscall " + SYSTEM_CALL)
                        .matcher(seen)
                        .results()
                        .count());
    }
}
