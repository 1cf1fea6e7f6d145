package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Executes rounds in a simulated JVM, each call in another. */
final class FetchSimulator {
    private static final String HEAP = "256m";

    /** The predictor that {@code ./lockstep simulate --branches} has. */
    private static final String BRANCHES = "16384:4096:1024:16";

    private final FetchCaches caches;
    private final Path scratch;
    private final String mainClass;

    /**
     * Prepares it.
     *
     * @param scratch directory of its files
     * @param mainClass of child JVMs, which knows {@link IndexFetchChildCommand}
     */
    FetchSimulator(FetchCaches caches, Path scratch, String mainClass) {
        this.caches = caches;
        this.scratch = scratch;
        this.mainClass = mainClass;
    }

    /** Those of the simulated machine. */
    FetchCaches caches() {
        return caches;
    }

    /**
     * Executes the rounds of all sizes.
     *
     * @param options further ones of the JVM
     * @param named whether it is told what lay at the addresses that were executed
     */
    FetchRun run(FetchSpec spec, List<String> options, boolean named)
            throws IOException, InterruptedException, SimulationException {
        Path directory = Files.createTempDirectory(scratch, "simulated");
        Path lines = directory.resolve("lines.txt");
        Path events = directory.resolve("events.txt");
        Path result = directory.resolve("result.json");
        Path specification = directory.resolve("spec.json");
        Path report = directory.resolve("report.json");
        Json.write(specification, spec);
        SimulatorSettings settings = new SimulatorSettings(
                SimulatorSettings.DEFAULT.stepInstructions(),
                SimulatorSettings.DEFAULT.turnInstructions(),
                true,
                false,
                true,
                BRANCHES,
                lines,
                null);
        Simulator simulator = Simulator.open(caches.machine(), settings, directory);
        List<String> all = new ArrayList<>(jvmOptions());
        all.addAll(options);
        if (named) {
            all.add("-agentpath:" + agent() + "=" + events);
        }
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                simulator.processors(result),
                directory,
                Map.of(),
                all,
                mainClass,
                ChildCommand.words(IndexFetchChildCommand.NAME, specification, report),
                printed::add);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new IllegalStateException("a run failed under QEMU: kind=" + spec.kind() + " exitCode=" + exitCode
                    + " printed=" + String.join(" | ", printed));
        }
        return new FetchRun(
                spec,
                caches.names().size() - 1,
                Simulator.read(result),
                CodeLines.read(lines),
                named ? CodeEvents.read(events) : null,
                Json.read(report, FetchTimes.class));
    }

    private static Path agent() throws SimulationException {
        return switch (NativePart.AGENT.find()) {
            case NativePart.Result.Available(Path file) -> file;
            case NativePart.Result.Missing(String reason) -> throw new SimulationException(reason);
        };
    }

    /**
     * Runs one kind where a placement simulates it, which also reads what was counted; prints why it failed.
     *
     * @return the exit code
     */
    static int runPlaced(
            FetchSpec spec, Placement placement, Path directory, String mainClass, Consumer<String> progress)
            throws IOException, InterruptedException {
        Path specification = directory.resolve("spec.json");
        Json.write(specification, spec);
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                placement.choose(1),
                directory,
                Map.of(),
                jvmOptions(),
                mainClass,
                ChildCommand.words(IndexFetchChildCommand.NAME, specification, directory.resolve("report.json")),
                printed::add);
        if (exitCode != 0) {
            printed.forEach(progress);
        }
        return exitCode;
    }

    /** What every simulated JVM has that executes rounds. */
    static List<String> jvmOptions() {
        List<String> options =
                new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xms" + HEAP, "-Xmx" + HEAP, "-XX:-UsePerfData"));
        options.addAll(GuestOptions.simulated());
        // What is compiled in a simulated run has to be so before the first phase; see CodeMapExperiment. The code of
        // floods is left out: C1 makes enough of it, and C2 would be at it for minutes.
        options.addAll(List.of(GuestOptions.COMPILE_AT_ONCE, "-XX:CompileCommand=quiet"));
        for (String packages : List.of("engine", "scheduler", "bench.indexfetch")) {
            options.add("-XX:CompileCommand=CompileThresholdScaling,dev.lockstep." + packages + ".*::*,0.1");
        }
        return options;
    }
}
