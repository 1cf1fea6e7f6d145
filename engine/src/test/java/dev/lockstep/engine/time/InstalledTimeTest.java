package dev.lockstep.engine.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.InstalledRun;
import dev.lockstep.scheduler.InstalledTime;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits end by the installed time: in JVMs of their own, because a time is installed for the life of a process. */
class InstalledTimeTest {
    private static InstalledRun run(String time, String argument) throws IOException, InterruptedException {
        return InstalledRun.of(InstalledTime.PROPERTY, time, TimedProgram.class, argument);
    }

    /** The limit of two hours passes at once, when it is told to, and not before. */
    @ParameterizedTest
    @ValueSource(strings = {"threads", "VIRTUAL", "CONTINUATION"})
    void aWaitEndsByTheInstalledTime(String kind) throws IOException, InterruptedException {
        InstalledRun run = run(HandTime.class.getName(), kind);
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
        InstalledRun run = run("no.such.Time", "threads");
        assertNotEquals(0, run.exitCode());
        assertTrue(run.printed("dev.lockstep.scheduler.time=no.such.Time;"), run::toString);
    }
}
