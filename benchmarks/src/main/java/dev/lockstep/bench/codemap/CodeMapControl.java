package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The workload of a code map once more, on the machine's own processor, sampled, in a JVM with the flags that the
 * emulated one has. By it is known whether the simulated JVM was in its steady state.
 *
 * @param flags of both JVMs
 * @param left the samples, and what was compiled
 */
record CodeMapControl(SameProcessor flags, SteadyStateReader.Control left) {
    /** The machine's, for the control. */
    static final int PROCESSORS = 1;

    /**
     * Runs it.
     *
     * @param spec of the simulated run
     * @param same flags of both JVMs
     * @param options of the simulated JVM that its control has too
     * @param directory for its files, which exists
     * @throws WorkloadFailedException if the workload failed
     */
    static CodeMapControl run(
            CodeMapSpec spec, SameProcessor same, List<String> options, Path directory, CodeMapExperiment.Child starter)
            throws IOException, InterruptedException, WorkloadFailedException {
        List<String> all = new ArrayList<>(options);
        all.addAll(same.forced());
        all.addAll(GuestOptions.sampled());
        Path control = Files.createDirectory(directory.resolve("control"));
        Path samples = control.resolve("samples.txt");
        CodeMapChildReport report = runNatively(spec.sampled(samples.toString()), all, control, starter);
        return new CodeMapControl(same, new SteadyStateReader.Control(samples, report.compiled()));
    }

    /**
     * Runs a workload on the machine's own processor.
     *
     * @param options of the JVM
     * @param directory for its files, which exists
     * @throws WorkloadFailedException if the workload failed
     */
    static CodeMapChildReport runNatively(
            CodeMapSpec spec, List<String> options, Path directory, CodeMapExperiment.Child starter)
            throws IOException, InterruptedException, WorkloadFailedException {
        Path report = directory.resolve("report.json");
        Path specification = directory.resolve("spec.json");
        Json.write(specification, spec);
        List<String> printed = new ArrayList<>();
        int exitCode = starter.run(
                Processors.choose(PROCESSORS),
                directory,
                options,
                ChildCommand.words(CodeMapChildCommand.NAME, specification, report),
                printed);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new WorkloadFailedException("The workload failed on this machine's processor: " + spec.name()
                    + " exitCode=" + exitCode + "; it printed: " + String.join(" | ", printed));
        }
        return Json.read(report, CodeMapChildReport.class);
    }
}
