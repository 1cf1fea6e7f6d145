package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/**
 * What JVMs have in common with the simulated ones that their times stand beside. Immutable.
 *
 * @param heap options for the heap, as the simulated JVMs have it
 * @param flags those that a JVM chooses on the emulated processor, to be forced
 */
record BesideSimulated(List<String> heap, SameProcessor flags) {
    /** Takes an own copy. */
    BesideSimulated {
        heap = List.copyOf(heap);
    }

    /** Finds both. Starts four JVMs for their flags alone. */
    static BesideSimulated find(FetchPlan plan, FetchCaches caches)
            throws IOException, InterruptedException, SimulationException {
        List<String> heap = FetchSimulator.basicOptions().stream()
                .filter(option -> option.startsWith("-Xm"))
                .toList();
        Simulator simulator = Simulator.open(
                caches.machine(), SimulatorSettings.DEFAULT, Files.createTempDirectory(plan.scratch(), "flags"));
        return new BesideSimulated(heap, SameProcessor.find(Processors.choose(1).prefix(), simulator.emulator(), heap));
    }

    /** What to say of it. */
    String sentence() {
        return "Beside simulated misses, so with the heap of the simulated JVMs, " + String.join(" ", heap)
                + ", and their flags. " + flags.sentence();
    }
}
