package dev.lockstep.bench.simulate.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.bench.simulate.SimulationException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramControlTest {
    @TempDir
    private Path directory;

    @Test
    void flagsAreThoseBeforeTheProgram() {
        assertEquals(
                List.of("-Xmx64m", "-XX:+UseSerialGC"),
                ProgramControl.jvmOptions(List.of(
                        "java", "-Xmx64m", "-cp", "-Xms1m", "-Dx=-Xss1m", "-XX:+UseSerialGC", "Main", "-Xint")));
        assertEquals(List.of(), ProgramControl.jvmOptions(List.of("java", "-jar", "-Xint.jar", "-Xint")));
    }

    /** On the machine's processor on both sides, which is enough for a program that never gets so far. */
    @Test
    void aProgramWithoutAMeasuredPhaseIsTold() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProgramControl control = ProgramControl.prepare(List.of(java, "-version"), List.of(), directory);
        SimulationException told = assertThrows(
                SimulationException.class,
                () -> control.judge("java -version", (compiled, samples, ofControl) -> null));
        assertEquals(
                "--control needs a program that marks a measured phase, by"
                        + " Markers.phaseBegin(Markers.PHASE_MEASURED); this one marked none.",
                told.getMessage());
    }
}
