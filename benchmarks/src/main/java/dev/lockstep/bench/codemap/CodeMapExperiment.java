package dev.lockstep.bench.codemap;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.JvmtiAgents;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.bench.simulate.WorkloadThreads;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.InstalledProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One workload in a JVM under the simulator, and the code it executed. Its files go when it is closed. */
final class CodeMapExperiment implements AutoCloseable {
    /**
     * A small machine: what it simulates is of no interest here, and the less it does the sooner it is done. With a
     * cache for data, since accesses are told for its sake.
     */
    private static final List<String> MACHINE = List.of("cores=1", "l1i=32K,8,64", "l1d=32K,8,64");

    private static final String HEAP = "256m";

    private final CodeMapSpec spec;
    private final List<String> jvmOptions;
    private final ScratchDirectory scratch;
    private final Path directory;
    private CodeMapChildReport child;
    private CodeLines lines;
    private CodeEvents events;

    /** Null where nothing was warmed up. */
    private CodeMapControl control;

    /** Starts the child JVM. */
    @FunctionalInterface
    interface Child {
        /**
         * Runs it to its end.
         *
         * @param printed takes what it prints
         * @return its exit code
         */
        int run(
                Processors processors,
                Path directory,
                List<String> options,
                List<String> arguments,
                List<String> printed)
                throws IOException, InterruptedException;
    }

    CodeMapExperiment(CodeMapSpec spec, List<String> jvmOptions) throws IOException {
        this.spec = spec;
        this.jvmOptions = List.copyOf(jvmOptions);
        scratch = ScratchDirectory.make("codemap");
        directory = scratch.path();
    }

    void run(Child starter) throws IOException, InterruptedException, SimulationException, WorkloadFailedException {
        Path agent =
                switch (NativePart.AGENT.find()) {
                    case NativePart.Result.Available(Path file) -> file;
                    case NativePart.Result.Missing(String reason) -> throw new SimulationException(reason);
                };
        Path linesFile = directory.resolve("lines.txt");
        Path eventsFile = directory.resolve("events.txt");
        Path report = directory.resolve("report.json");
        Path specification = directory.resolve("spec.json");
        Json.write(specification, spec);
        SimulatorSettings settings =
                SimulatorSettings.DEFAULT.withCode(linesFile).withFromFirstPhase(true);
        Simulator simulator = Simulator.open(MACHINE, settings, directory);
        if (spec.warmUpRounds() > 0) {
            SameProcessor same = SameProcessor.find(
                    Processors.choose(CodeMapControl.PROCESSORS).prefix(), simulator.emulator(), basic());
            control = CodeMapControl.run(spec, same, common(spec.marked()), directory, starter);
        }
        List<String> printed = new ArrayList<>();
        int exitCode = starter.run(
                simulator.processors(directory.resolve("result.json")),
                directory,
                options(agent, eventsFile),
                ChildCommand.words(CodeMapChildCommand.NAME, specification, report),
                printed);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new WorkloadFailedException("The workload failed under QEMU: " + spec.name() + " exitCode=" + exitCode
                    + "; it printed: " + String.join(" | ", printed));
        }
        child = Json.read(report, CodeMapChildReport.class);
        if (!child.obstacle().isEmpty()) {
            throw new WorkloadFailedException("Operations could not be marked: " + child.obstacle());
        }
        lines = CodeLines.read(linesFile);
        events = CodeEvents.read(eventsFile);
    }

    /**
     * Runs the workload once more, on the machine's own processor, with the profiler in place of marks. After {@link
     * #run}.
     */
    void draw(FlameGraphs graphs, Child starter) throws IOException, InterruptedException, WorkloadFailedException {
        String name = Spelling.of(spec.workload());
        List<String> options = new ArrayList<>(common(false));
        if (control != null) {
            options.addAll(control.flags().forced());
        }
        options.addAll(graphs.options(name));
        CodeMapControl.runNatively(
                spec.unmarked(), options, Files.createDirectory(directory.resolve("flames")), starter);
        graphs.add(name);
    }

    private List<String> options(Path agent, Path events) {
        List<String> options = new ArrayList<>(common(spec.marked()));
        options.addAll(JvmtiAgents.options(agent, events));
        options.addAll(GuestOptions.simulated());
        return options;
    }

    private List<String> basic() {
        List<String> options =
                new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xms" + HEAP, "-Xmx" + HEAP, "-XX:-UsePerfData"));
        options.addAll(jvmOptions);
        return options;
    }

    /** What the simulated JVM has in common with those on the machine's own processor. */
    private List<String> common(boolean marked) {
        List<String> options = new ArrayList<>();
        if (marked) {
            options.add("-D" + InstalledProbe.PROPERTY + "=" + OperationMarkers.class.getName());
        }
        if (spec.warmUpRounds() > 0) {
            // What runs once in a hundred transactions would not come to C2 in a simulated run.
            options.addAll(GuestOptions.compiling());
            options.add("-XX:CompileCommand=CompileThresholdScaling,dev.lockstep.*::*,0.1");
        }
        // The user's take precedence.
        options.addAll(basic());
        return options;
    }

    CodeMapChildReport child() {
        return child;
    }

    /**
     * The code of each operation.
     *
     * @param plain what the same workload executes without a probe, or null
     */
    CodeMap.WorkloadCode code(CodeMap.PlainRun plain) throws IOException {
        return new WorkloadCodeBuilder(lines, events, child.operations(), Markers.PHASE_MEASURED)
                .build(
                        spec,
                        child,
                        plain,
                        steady(),
                        control == null ? List.of() : control.flags().remaining());
    }

    /** What was executed in the measured phase, without regard to operations. */
    CodeMap.PlainRun plain() throws IOException {
        InstructionShares shares = InstructionShares.of(lines, events, WorkloadCodeBuilder::isMeasured);
        return new CodeMap.PlainRun(WorkloadCodeBuilder.perTransaction(shares, spec), steady());
    }

    private SteadyState steady() throws IOException {
        return control == null
                ? null
                : SteadyStateReader.read(lines, events, WorkloadThreads.KINDS, child.compiled(), control.left());
    }

    @Override
    public void close() throws IOException {
        scratch.close();
    }
}
