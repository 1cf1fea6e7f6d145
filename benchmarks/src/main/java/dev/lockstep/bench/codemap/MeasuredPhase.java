package dev.lockstep.bench.codemap;

import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.counters.Markers;

/**
 * The measured phase of this process, as the simulator and the probe that marks operations know it. Where neither is,
 * the calls do nothing. To be called by one thread.
 */
public final class MeasuredPhase {
    private MeasuredPhase() {}

    /** What runs from here on is measured; executions of operations are counted. */
    public static void begin() {
        if (OperationMarkers.isInstalled()) {
            OperationMarkers.startCounting();
        }
        SimulatedPhases.begin(Markers.PHASE_MEASURED);
    }

    /** What runs from here on is not; the phase may begin again, and is counted on then. */
    public static void end() {
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        if (OperationMarkers.isInstalled()) {
            OperationMarkers.stopCounting();
        }
    }
}
