package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Counts misses: a simulated JVM for each kind, which executes the rounds of all sizes. */
final class SimulatedFetch {
    /** The size of a team that the paper's figures are about. */
    private static final int TEN = 10;

    private final FetchSpec plan;
    private final List<FetchKind> kinds;
    private final FetchSimulator simulator;
    private final InsertedPoints points;
    private final Path scratch;
    private final Consumer<String> progress;
    private final List<TeamMisses> misses = new ArrayList<>();
    private final List<Footprint> footprints = new ArrayList<>();

    /**
     * The code that one operation executes.
     *
     * @param kind how operations were executed, by a team of one
     * @param usualBytes lines that at least every other operation executes
     * @param allBytes lines of all operations
     * @param instructions of one operation
     * @param switches of one operation in the largest team
     */
    record Footprint(FetchKind kind, long usualBytes, long allBytes, double instructions, double switches) {}

    /** Prepares it, for what {@link FetchExperiment} takes the time of. */
    SimulatedFetch(
            FetchSpec plan,
            List<FetchKind> kinds,
            FetchSimulator simulator,
            InsertedPoints points,
            Path scratch,
            Consumer<String> progress) {
        this.plan = plan;
        this.kinds = List.copyOf(kinds);
        this.simulator = simulator;
        this.points = points;
        this.scratch = scratch;
        this.progress = progress;
    }

    /** Runs all kinds. */
    TeamMissesReport run() throws IOException, InterruptedException, SimulationException {
        FetchTimes continuation = null;
        for (FetchKind kind : kinds) {
            progress.accept("simulates " + kind.name().toLowerCase(Locale.ROOT) + ", which takes minutes");
            FetchTimes counted = run(kind, continuation);
            continuation = kind == FetchKind.CONTINUATION ? counted : continuation;
        }
        return new TeamMissesReport(
                simulator.caches().names(), simulator.caches().dataNames(), footprints, misses);
    }

    /**
     * Runs continuations by a team of ten, with more code in each switch.
     *
     * @param paddings bytes of it
     */
    List<PaddedMisses> runPadded(List<Integer> paddings) throws IOException, InterruptedException, SimulationException {
        List<PaddedMisses> padded = new ArrayList<>();
        for (int bytes : paddings) {
            progress.accept("simulates continuation with " + bytes + " bytes more in each switch");
            FetchRun run = simulator.run(ofTen(FetchKind.CONTINUATION), SwitchPadding.options(bytes), true);
            padded.add(new PaddedMisses(bytes, run.executedBytes(0, SwitchPadding::isOf), run.round(0, false)));
        }
        return padded;
    }

    /**
     * Runs a team of ten at points that were searched for one of the caches.
     *
     * @param trained in other geometries than the points of the kind that has some
     */
    List<RetrainedMisses> runRetrained(List<InsertedPoints> trained)
            throws IOException, InterruptedException, SimulationException {
        List<RetrainedMisses> retrained = new ArrayList<>();
        for (InsertedPoints each : trained) {
            SwitchPoints found = SwitchPoints.read(each.file());
            progress.accept("simulates inserted with points for " + found.cache());
            FetchRun run =
                    simulator.run(ofTen(FetchKind.INSERTED), each.options(FetchKind.INSERTED, scratch), false);
            retrained.add(new RetrainedMisses(
                    found.cache(), found.points().size(), run.round(0, false)));
        }
        return retrained;
    }

    private FetchSpec ofTen(FetchKind kind) {
        int ten = plan.members().stream().filter(each -> each <= TEN).reduce(1, Math::max);
        return new FetchSpec(
                kind, plan.operation(), plan.rows(), List.of(ten), List.of(0), FetchPhases.ROUNDS, 0, 0, plan.seed());
    }

    private FetchTimes run(FetchKind kind, FetchTimes continuation)
            throws IOException, InterruptedException, SimulationException {
        List<Integer> switches = plan.members().stream()
                .map(each -> kind == FetchKind.SERIAL
                        ? (int) Math.round(continuation.of(each).switches())
                        : 0)
                .toList();
        FetchSpec spec = new FetchSpec(
                kind, plan.operation(), plan.rows(), plan.members(), switches, FetchPhases.ROUNDS, 0, 0, plan.seed());
        FetchRun run = simulator.run(spec, points.options(kind, scratch), false);
        for (int size = 0; size < plan.members().size(); size++) {
            misses.add(run.round(size, true));
            misses.add(run.round(size, false));
        }
        footprints.add(run.footprint());
        return run.counted();
    }
}
