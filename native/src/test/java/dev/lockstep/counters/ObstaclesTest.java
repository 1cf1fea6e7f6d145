package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.counters.CounterObstacle.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObstaclesTest {
    private static CounterObstacle ofNoEvents(Kernel kernel) {
        List<CounterObstacle> obstacles = Obstacles.of(null, Obstacles.NO_EVENTS, -25, "disabled", kernel);
        assertEquals(1, obstacles.size(), obstacles.toString());
        return obstacles.getFirst();
    }

    @Test
    void aVirtualMachineWithoutCounters() {
        CounterObstacle obstacle = ofNoEvents(new Kernel(Kernel.Answer.NO_COUNTERS, 2, OptionalInt.of(2), true));
        assertEquals(Kind.NOT_EXPOSED, obstacle.kind());
        assertTrue(obstacle.reason().contains("virtualMachine=true"), obstacle.reason());
        assertTrue(obstacle.reason().contains("pmu=on"), obstacle.reason());
        assertTrue(obstacle.reason().contains("./lockstep simulate"), obstacle.reason());
    }

    @Test
    void aMachineWhoseCountersTheKernelDoesNotKnow() {
        CounterObstacle obstacle = ofNoEvents(new Kernel(Kernel.Answer.NO_COUNTERS, 95, OptionalInt.of(2), false));
        assertEquals(Kind.NOT_EXPOSED, obstacle.kind());
        assertFalse(obstacle.reason().contains("pmu=on"), obstacle.reason());
    }

    @Test
    void aParanoidKernel() {
        CounterObstacle obstacle = ofNoEvents(new Kernel(Kernel.Answer.FORBIDDEN, 13, OptionalInt.of(3), false));
        assertEquals(Kind.PERMISSION, obstacle.kind());
        assertTrue(obstacle.reason().contains("perf_event_paranoid=3"), obstacle.reason());
        assertTrue(obstacle.reason().contains("sysctl kernel.perf_event_paranoid=2"), obstacle.reason());
    }

    @Test
    void aContainerThatForbidsTheCall() {
        for (OptionalInt paranoid : List.of(OptionalInt.of(1), OptionalInt.empty())) {
            CounterObstacle obstacle = ofNoEvents(new Kernel(Kernel.Answer.FORBIDDEN, 1, paranoid, false));
            assertEquals(Kind.PERMISSION, obstacle.kind());
            assertTrue(obstacle.reason().contains("seccomp"), obstacle.reason());
        }
    }

    @Test
    void aSystemWithoutTheCall() {
        assertEquals(
                Kind.NOT_EXPOSED,
                ofNoEvents(new Kernel(Kernel.Answer.NO_CALL, 38, OptionalInt.empty(), false))
                        .kind());
    }

    @Test
    void countersThatAnotherProgramHolds() {
        assertEquals(
                Kind.IN_USE,
                ofNoEvents(new Kernel(Kernel.Answer.BUSY, 16, OptionalInt.of(0), false))
                        .kind());
    }

    @Test
    void aKernelThatAnswersSomethingElseLeavesTheBlameToPapi() {
        CounterObstacle obstacle = ofNoEvents(new Kernel(Kernel.Answer.FAILED, 24, OptionalInt.of(2), false));
        assertEquals(Kind.REFUSED, obstacle.kind());
        assertTrue(obstacle.reason().contains("disabled"), obstacle.reason());
    }

    @Test
    void readsTheSettingAndTheProcessor(@TempDir Path directory) throws Exception {
        Path paranoid = Files.writeString(directory.resolve("paranoid"), "4\n");
        assertEquals(OptionalInt.of(4), Kernel.readParanoid(paranoid));
        assertEquals(OptionalInt.empty(), Kernel.readParanoid(directory.resolve("none")));
        assertEquals(OptionalInt.empty(), Kernel.readParanoid(Files.writeString(paranoid, "what?")));
        Path processors = Files.writeString(directory.resolve("cpuinfo"), "model name: x\nflags\t\t: fpu hypervisor\n");
        assertTrue(Kernel.readHypervisor(processors));
        assertFalse(Kernel.readHypervisor(Files.writeString(processors, "flags\t\t: fpu\n")));
        assertFalse(Kernel.readHypervisor(directory.resolve("none")));
    }
}
