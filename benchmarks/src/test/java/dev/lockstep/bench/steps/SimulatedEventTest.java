package dev.lockstep.bench.steps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.bench.simulate.SimulationResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SimulatedEventTest {
    /** A cold conditional that is taken may be predicted wrongly too, and would count twice. */
    @Test
    void aTargetThatTheBufferDoesNotHaveIsNoMisprediction() {
        SimulationResult.Branches branches = new SimulationResult.Branches(1_000, 1, 500, 20, 300, 300, 4_000, 4_000);
        SimulationResult.Counts total = new SimulationResult.Counts(
                9_000, 0, 0, 0, 0, Map.of(), Map.of(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());
        SimulationResult.Phase phase = new SimulationResult.Phase(
                SimulationResult.PHASE_MEASURED, 1, 0, branches, Map.of(), total, List.of(), total, List.of());
        assertEquals(4_301, SimulatedEvent.counts(phase).get(SimulatedEvent.MISPREDICTIONS.key()));
        assertEquals(4_301, branches.mispredicted());
    }
}
