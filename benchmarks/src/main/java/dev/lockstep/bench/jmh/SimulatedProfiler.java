package dev.lockstep.bench.jmh;

import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.Counts;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.jvm.BoundMachine;
import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledBinding;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.IterationType;

/**
 * A profiler of JMH that reports what a simulated machine's caches did, for each operation of the benchmark.
 *
 * <p>It has two halves. In the fork, which is simulated, it marks {@link Markers#PHASE_MEASURED} around every measured
 * iteration. In the JVM that started the fork it reads, when the fork has ended, what the simulator counted in that
 * phase, and divides by the operations of all measured iterations: instructions and misses are those of all benchmark
 * threads, JMH's own loop and what it does between the mark and the loop included. Only the fork is simulated, so there
 * must be one.
 */
public final class SimulatedProfiler implements ExternalProfiler, InternalProfiler {
    /** What {@code -prof} may call it. */
    public static final String NAME = "simulated";

    /** Option that names the file of a fork's result, with {@link #PROCESS} in the place of its number. */
    public static final String RESULT = "result=";

    /** Stands for the number of a process. */
    public static final String PROCESS = "PROCESS";

    private static final String UNIT = "#/op";

    private final String resultFile;

    /**
     * For JMH.
     *
     * @param options {@link #RESULT} and a file, where forks are simulated; nothing elsewhere
     * @throws ProfilerException where nothing is simulated, with a sentence that says how to run it
     */
    public SimulatedProfiler(String options) throws ProfilerException {
        this(options, Markers.isSimulated(), Markers.obstacle());
    }

    SimulatedProfiler(String options, boolean simulated, Optional<String> obstacle) throws ProfilerException {
        resultFile = options.startsWith(RESULT) ? options.substring(RESULT.length()) : null;
        if (simulated && obstacle.isPresent()) {
            throw new ProfilerException(obstacle.get());
        }
        if (!simulated && resultFile == null) {
            throw new ProfilerException("-prof " + NAME + " counts in the simulator only: run ./lockstep simulate"
                    + " --l1i 32K,8,64 --l1d 32K,8,64 -- jmh REGEX -- -f 1 -prof " + NAME);
        }
    }

    @Override
    public String getDescription() {
        return "Simulated instructions and cache misses per operation, under ./lockstep simulate";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            SimulatedPhases.begin(Markers.PHASE_MEASURED);
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            Markers.phaseEnd(Markers.PHASE_MEASURED);
        }
        return List.of();
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams benchmark) {
        return List.of();
    }

    /** The fork's databases tell the simulator where their pools are. */
    @Override
    public Collection<String> addJVMOptions(BenchmarkParams benchmark) {
        return resultFile == null
                ? List.of()
                : List.of("-D" + InstalledBinding.PROPERTY + "=" + BoundMachine.class.getName());
    }

    @Override
    public void beforeTrial(BenchmarkParams benchmark) {
        // The fork marks its own iterations.
    }

    @Override
    public Collection<? extends Result<?>> afterTrial(BenchmarkResult result, long process, File out, File err) {
        if (result == null || result.getMetadata() == null) {
            return List.of();
        }
        Path file = Path.of(resultFile.replace(PROCESS, Long.toString(process)));
        try {
            return perOperation(Simulator.read(file), result.getMetadata().getMeasurementOps());
        } catch (SimulationException e) {
            throw new IllegalStateException("The simulated fork left no result: process=" + process, e);
        }
    }

    /** Counts of the measured phase, each divided by the operations. */
    static List<Result<?>> perOperation(SimulationResult simulation, long operations) {
        List<Result<?>> results = new ArrayList<>();
        Optional<SimulationResult.Phase> measured = simulation.phases().stream()
                .filter(phase -> phase.phase() == Markers.PHASE_MEASURED)
                .findFirst();
        if (measured.isEmpty() || operations <= 0) {
            return results;
        }
        Counts counts = measured.get().total();
        add(results, "instructions", counts.instructions(), operations);
        add(results, "loads", counts.loads(), operations);
        add(results, "stores", counts.stores(), operations);
        counts.levels().forEach((level, misses) -> add(results, level + ".misses", misses.misses(), operations));
        for (int i = 0; i < counts.observerMisses().size(); i++) {
            // In the order in which the machine names them.
            add(
                    results,
                    "observer" + (i + 1) + ".misses",
                    counts.observerMisses().get(i),
                    operations);
        }
        add(results, "itlb.misses", counts.itlbMisses(), operations);
        add(results, "dtlb.misses", counts.dtlbMisses(), operations);
        return results;
    }

    private static void add(List<Result<?>> results, String name, long count, long operations) {
        results.add(new ScalarResult(NAME + "." + name, count / (double) operations, UNIT, AggregationPolicy.AVG));
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }
}
