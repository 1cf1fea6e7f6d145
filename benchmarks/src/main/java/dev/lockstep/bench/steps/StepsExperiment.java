package dev.lockstep.bench.steps;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.tpcc.PoolSize;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs a mix on either side or both; what cannot run here is told, with the reason. */
final class StepsExperiment {
    private final StepsSpec spec;
    private final NativeRuns nativeRuns;
    private final SimulatorRuns simulatorRuns;
    private final Supplier<Optional<String>> simulatorObstacle;

    /**
     * Prepares it.
     *
     * @param measured whether times are taken on this machine's processor
     * @param simulated how events are counted on a simulated one, or null where they are not
     * @param simulatorObstacle why nothing can be simulated here, if so
     */
    StepsExperiment(
            StepsSpec spec,
            boolean measured,
            SimulatedSpec simulated,
            Launcher launcher,
            Supplier<Optional<String>> simulatorObstacle,
            Consumer<String> progress) {
        this.spec = spec;
        nativeRuns = measured ? new NativeRuns(spec, launcher, progress) : null;
        simulatorRuns = simulated == null ? null : new SimulatorRuns(spec, simulated, launcher, progress);
        this.simulatorObstacle = simulatorObstacle;
    }

    /** Why nothing can be simulated here, if so. */
    static Optional<String> simulatorObstacle() {
        if (Simulator.qemu().isEmpty()) {
            return Optional.of(Simulator.missing());
        }
        for (NativePart part : List.of(NativePart.SIMULATOR, NativePart.AGENT)) {
            if (part.find() instanceof NativePart.Result.Missing(String reason)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /** Runs a mix at one size of the database. */
    StepsCell run(String mix, int warehouses) throws IOException {
        Optional<String> obstacle =
                PoolSize.obstacle(warehouses, spec.shrink(), Machine.here().memoryBytes());
        // First, since what stands beside it has its flags.
        SimulatedFigures simulated = simulated(mix, warehouses, obstacle);
        return new StepsCell(
                mix,
                warehouses,
                warehouses * spec.terminals(),
                measured(mix, warehouses, obstacle, simulated == null ? List.of() : simulated.forced()),
                simulated);
    }

    /**
     * Draws each variant of a cell that was measured on this machine's processor, from a further run.
     *
     * @return why a variant has no flame graph, by its name in the report
     */
    SequencedMap<String, String> draw(FlameGraphs graphs, StepsCell cell) throws IOException {
        return cell.measured().notRun() == null
                ? nativeRuns.draw(
                        graphs, cell.mix(), cell.warehouses(), cell.measured().forced())
                : new LinkedHashMap<>();
    }

    private NativeFigures measured(String mix, int warehouses, Optional<String> obstacle, List<String> forced)
            throws IOException {
        if (nativeRuns == null) {
            return null;
        }
        return obstacle.isPresent() ? NativeFigures.notRun(obstacle.get()) : nativeRuns.run(mix, warehouses, forced);
    }

    private SimulatedFigures simulated(String mix, int warehouses, Optional<String> obstacle) throws IOException {
        if (simulatorRuns == null) {
            return null;
        }
        Optional<String> inTheWay = obstacle.or(simulatorObstacle);
        return inTheWay.isPresent() ? SimulatedFigures.notRun(inTheWay.get()) : simulatorRuns.run(mix, warehouses);
    }
}
