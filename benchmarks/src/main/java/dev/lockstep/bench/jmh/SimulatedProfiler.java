package dev.lockstep.bench.jmh;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.codemap.MeasuredPhase;
import dev.lockstep.bench.codemap.SteadyStateReader;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.Counts;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.WorkloadThreads;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.counters.Markers;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
 * must be one. Where there is a control, the same benchmark on the machine's processor with the same flags, it also
 * says whether the fork was in the control's steady state.
 */
public final class SimulatedProfiler implements ExternalProfiler, InternalProfiler {
    /** What {@code -prof} may call it. */
    public static final String NAME = "simulated";

    /** Option that names the file of a fork's result, with {@link #PROCESS} in the place of its number. */
    public static final String RESULT = "result=";

    /** Option that names the file of the code that a fork executed, likewise. */
    public static final String CODE = "code=";

    /** Option that names the directory of the {@link ControlFiles}, where there is a control. */
    public static final String CONTROL = "control=";

    /** Stands between two options. */
    public static final String SEPARATOR = ";";

    /** Stands for the number of a process. */
    public static final String PROCESS = "PROCESS";

    private static final String UNIT = "#/op";

    private final String resultFile;
    private final String codeFile;

    /** Null where there is no control. */
    private final ControlFiles control;

    private boolean listed;

    /**
     * For JMH.
     *
     * @param options {@link #RESULT} and a file, where forks are simulated, and as far as they are compared with a
     *     control {@link #CODE} and {@link #CONTROL}; nothing elsewhere
     * @throws ProfilerException where nothing is simulated, with a sentence that says how to run it
     */
    public SimulatedProfiler(String options) throws ProfilerException {
        this(options, Markers.isSimulated(), Markers.obstacle());
    }

    SimulatedProfiler(String options, boolean simulated, Optional<String> obstacle) throws ProfilerException {
        resultFile = option(options, RESULT);
        codeFile = option(options, CODE);
        String directory = option(options, CONTROL);
        control = directory == null ? null : new ControlFiles(Path.of(directory));
        if (simulated && obstacle.isPresent()) {
            throw new ProfilerException(obstacle.get());
        }
        if (!simulated && resultFile == null) {
            throw new ProfilerException("-prof " + NAME + " counts in the simulator only: run ./lockstep simulate"
                    + " --l1i 32K,8,64 --l1d 32K,8,64 -- jmh REGEX -- -f 1 -prof " + NAME);
        }
    }

    private static String option(String options, String name) {
        return Arrays.stream(options.split(SEPARATOR, -1))
                .filter(option -> option.startsWith(name))
                .map(option -> option.substring(name.length()))
                .findFirst()
                .orElse(null);
    }

    @Override
    public String getDescription() {
        return "Simulated instructions and cache misses per operation, under ./lockstep simulate";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            if (control != null && !listed) {
                listed = true;
                ControlProfiler.writeCompiled(control, control.emulated(benchmark));
                tellTime(control.time(benchmark));
            }
            MeasuredPhase.begin();
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            MeasuredPhase.end();
        }
        return List.of();
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams benchmark) {
        return List.of();
    }

    /** The fork's databases go by the simulated time, and tell the simulator where their pools are. */
    @Override
    public Collection<String> addJVMOptions(BenchmarkParams benchmark) {
        return resultFile == null ? List.of() : GuestOptions.simulated();
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
            if (control != null) {
                judge(result.getParams(), process);
            }
            return perOperation(Simulator.read(file), result.getMetadata().getMeasurementOps());
        } catch (SimulationException e) {
            throw new IllegalStateException("The simulated fork left no result: process=" + process, e);
        } catch (IOException e) {
            throw new UncheckedIOException("The simulated fork cannot be judged: process=" + process, e);
        }
    }

    private static void tellTime(Path file) {
        try {
            Files.writeString(file, SimulatedTime.description());
        } catch (IOException e) {
            throw new UncheckedIOException("the kind of time cannot be told file=" + file, e);
        }
    }

    /** Compares the fork with its control, and leaves a {@link Verdict}. */
    private void judge(BenchmarkParams benchmark, long process) throws IOException {
        Path code = Path.of(codeFile.replace(PROCESS, Long.toString(process)));
        SteadyState steady = SteadyStateReader.read(
                CodeLines.read(code),
                CodeEvents.read(Emulation.events(code)),
                WorkloadThreads.KINDS,
                List.of(Json.read(control.emulated(benchmark), CompiledMethod[].class)),
                new SteadyStateReader.Control(
                        control.samples(benchmark),
                        List.of(Json.read(control.machine(benchmark), CompiledMethod[].class))));
        List<String> sentences = new ArrayList<>(steady.sentences());
        sentences.add(SimulatedTime.sentence(Files.readString(control.time(benchmark))));
        Json.write(
                control.verdict(benchmark, process),
                new Verdict(ControlFiles.name(benchmark), steady.counts(), sentences));
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
