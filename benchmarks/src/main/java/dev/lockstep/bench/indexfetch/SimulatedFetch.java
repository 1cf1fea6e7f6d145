package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Counts misses: a simulated JVM for each kind, which executes the rounds of all sizes. */
final class SimulatedFetch {
    /** The size of a team that the paper's figures are about. */
    private static final int TEN = 10;

    private final FetchPlan plan;
    private final FetchSimulator simulator;
    private final List<TeamMisses> misses = new ArrayList<>();
    private final List<Footprint> footprints = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();

    /**
     * The code that one operation executes.
     *
     * @param kind how operations were executed, by a team of one
     * @param usualBytes lines that are executed at least half as often as there are operations, which those of a loop
     *     in one operation may be too
     * @param allBytes lines of all operations
     * @param instructions of one operation
     * @param switches of one operation in the largest team
     */
    record Footprint(FetchKind kind, long usualBytes, long allBytes, double instructions, double switches) {}

    SimulatedFetch(FetchPlan plan, FetchCaches caches) {
        this.plan = plan;
        simulator = new FetchSimulator(caches, plan.scratch(), plan.mainClass());
    }

    /** Runs all kinds. */
    TeamMissesReport run() throws IOException, InterruptedException, SimulationException {
        for (FetchKind kind : plan.kinds()) {
            plan.progress().accept("simulates " + kind.name().toLowerCase(Locale.ROOT) + ", which takes minutes");
            count(kind);
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
            plan.progress().accept("simulates continuation with " + bytes + " bytes more in each switch");
            FetchRun run = simulator.run(ofTen(FetchKind.CONTINUATION), SwitchPadding.options(bytes));
            verdicts.add(run.verdict());
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
            plan.progress().accept("simulates inserted with points for " + found.cache());
            FetchRun run = simulator.run(ofTen(FetchKind.INSERTED), each.options(FetchKind.INSERTED, plan.scratch()));
            verdicts.add(run.verdict());
            retrained.add(new RetrainedMisses(found.cache(), found.points().size(), run.round(0, false)));
        }
        return retrained;
    }

    /** How far to believe each simulated JVM, in the order in which they ran. */
    List<Verdict> verdicts() {
        return List.copyOf(verdicts);
    }

    private FetchSpec ofTen(FetchKind kind) {
        int ten = plan.spec().members().stream().filter(each -> each <= TEN).reduce(1, Math::max);
        return plan.spec().simulated(kind, List.of(ten));
    }

    private void count(FetchKind kind) throws IOException, InterruptedException, SimulationException {
        List<Integer> members = plan.spec().members();
        FetchRun run = simulator.run(plan.spec().simulated(kind, members), plan.options(kind));
        verdicts.add(run.verdict());
        for (int size = 0; size < members.size(); size++) {
            misses.add(run.round(size, true));
            misses.add(run.round(size, false));
        }
        footprints.add(run.footprint());
    }
}
