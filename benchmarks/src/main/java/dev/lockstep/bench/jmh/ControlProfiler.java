package dev.lockstep.bench.jmh;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.StackSampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * A profiler of JMH for the control of a simulated fork, the same fork on the machine's processor: samples the stacks
 * of all measured iterations, and lists what was compiled when the first one began. Leaves both as {@link
 * ControlFiles}.
 */
public final class ControlProfiler implements InternalProfiler {
    private final ControlFiles files;
    private boolean samples;
    private int measured;

    /**
     * For JMH.
     *
     * @param directory of the {@link ControlFiles}
     * @throws ProfilerException if none is given
     */
    public ControlProfiler(String directory) throws ProfilerException {
        if (directory.isEmpty()) {
            throw new ProfilerException("no directory for the files of the control");
        }
        files = new ControlFiles(Path.of(directory));
    }

    @Override
    public String getDescription() {
        return "Samples and compiled methods of the control of a simulated benchmark";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (iteration.getType() == IterationType.MEASUREMENT && !samples) {
            samples = true;
            writeCompiled(files, files.machine(benchmark));
            StackSampler.prepare();
            StackSampler.start();
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() == IterationType.MEASUREMENT && ++measured == iteration.getCount()) {
            StackSampler.stop(files.samples(benchmark));
        }
        return List.of();
    }

    /** Lists what this JVM has compiled. */
    static void writeCompiled(ControlFiles files, Path file) {
        String process = Long.toString(ProcessHandle.current().pid());
        try {
            Json.write(file, CompiledMethod.here(files.compilations(process)));
        } catch (IOException e) {
            throw new UncheckedIOException("what is compiled cannot be told file=" + file, e);
        }
    }
}
