package dev.lockstep.bench;

import dev.lockstep.bench.jmh.ControlFiles;
import dev.lockstep.bench.jmh.ControlProfiler;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The control of simulated benchmarks: each of them once on the machine's processor, in a fork with the same flags of
 * the JVM. Its files go when it is closed. Used by one thread.
 */
final class JmhControl implements AutoCloseable {
    private final Emulation emulation;
    private final ScratchDirectory scratch;
    private final ControlFiles files;
    private final SameProcessor same;

    private JmhControl(Emulation emulation, ScratchDirectory scratch, SameProcessor same) {
        this.emulation = emulation;
        this.scratch = scratch;
        this.files = new ControlFiles(scratch.path());
        this.same = same;
    }

    /**
     * Finds the flags that differ on the emulated processor.
     *
     * @param jvmOptions of the user for all forks
     */
    static JmhControl open(Emulation emulation, List<String> jvmOptions) throws IOException, InterruptedException {
        SameProcessor same = SameProcessor.find(List.of(), emulation.emulator(), jvmOptions);
        return new JmhControl(emulation, ScratchDirectory.make("jmh"), same);
    }

    ControlFiles files() {
        return files;
    }

    /** Options of the JVMs on both sides. */
    List<String> jvmOptions() {
        List<String> options = new ArrayList<>(same.forced());
        options.add(GuestOptions.COMPILE_AT_ONCE);
        options.add(files.logging());
        return options;
    }

    /**
     * Runs it.
     *
     * @param options of the simulated run, without its profilers, with {@link #jvmOptions} and what sampling needs
     */
    void run(ChainedOptionsBuilder options) throws RunnerException {
        new Runner(options.forks(1)
                        .addProfiler(ControlProfiler.class, files.directory().toString())
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
    }

    /** Says of every simulated fork whether its figures count. */
    void report(PrintWriter out) throws IOException {
        out.println();
        for (Verdict verdict : verdicts()) {
            out.println(verdict.line());
            emulation.judged(verdict);
        }
        out.flush();
    }

    /** How far to believe each simulated fork that has run. */
    List<Verdict> verdicts() throws IOException {
        return files.verdicts().stream()
                .map(verdict -> new Verdict(
                        verdict.run(),
                        verdict.counts(),
                        Stream.concat(verdict.sentences().stream(), Stream.of(same.sentence()))
                                .toList()))
                .toList();
    }

    @Override
    public void close() throws IOException {
        scratch.close();
    }
}
