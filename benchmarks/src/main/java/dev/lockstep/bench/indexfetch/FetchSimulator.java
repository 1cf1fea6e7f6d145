package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.JvmtiAgents;
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

    /** Null before the first run. */
    private FetchJudge judge;

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
     */
    FetchRun run(FetchSpec spec, List<String> options) throws IOException, InterruptedException, SimulationException {
        Path directory = Files.createTempDirectory(scratch, "simulated");
        Path lines = directory.resolve("lines.txt");
        Path events = directory.resolve("events.txt");
        Path result = directory.resolve("result.json");
        SimulatorSettings settings = new SimulatorSettings(
                SimulatorSettings.DEFAULT.stepInstructions(),
                SimulatorSettings.DEFAULT.turnInstructions(),
                true,
                false,
                false,
                true,
                BRANCHES,
                lines,
                null);
        Simulator simulator = Simulator.open(caches.machine(), settings, directory);
        Path agent = agent();
        if (judge == null) {
            judge = FetchJudge.open(simulator.emulator(), scratch, mainClass);
        }
        List<String> all = simulatedOptions(judge, agent, events);
        all.addAll(options);
        FetchTimes counted = FetchJvm.run(spec, simulator.processors(result), directory, Map.of(), all, mainClass)
                .times("a run under QEMU of kind=" + spec.kind());
        CodeLines executed = CodeLines.read(lines);
        CodeEvents told = CodeEvents.read(events);
        return new FetchRun(
                spec,
                caches.names().size() - 1,
                Simulator.read(result),
                executed,
                told,
                counted,
                judge.judge(spec, options, executed, told, state(directory)));
    }

    private static RoundsState state(Path directory) throws IOException {
        return Json.read(directory.resolve(RoundsState.FILE), RoundsState.class);
    }

    private static List<String> simulatedOptions(FetchJudge judge, Path agent, Path events) {
        List<String> options = judge.bothOptions();
        options.addAll(GuestOptions.simulated());
        options.addAll(JvmtiAgents.options(agent, events));
        return options;
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
            FetchSpec spec, Emulation emulation, Path directory, String mainClass, Consumer<String> progress)
            throws IOException, InterruptedException, SimulationException {
        Path agent = agent();
        Path lines = emulation.code(directory.resolve("lines.txt"));
        FetchJudge judge = FetchJudge.open(emulation.emulator(), directory, mainClass);
        List<String> options = simulatedOptions(judge, agent, Emulation.events(lines));
        options.addAll(emulation.options());
        FetchJvm run = FetchJvm.run(spec, emulation.choose(1, lines), directory, Map.of(), options, mainClass);
        if (run.exitCode() != 0) {
            run.printed().forEach(progress);
            return run.exitCode();
        }
        emulation.judged(judge.judge(
                spec,
                emulation.options(),
                CodeLines.read(lines),
                CodeEvents.read(Emulation.events(lines)),
                state(directory)));
        return 0;
    }

    /** Heap and collector of every JVM that executes rounds. */
    static List<String> basicOptions() {
        return List.of("-XX:+UseSerialGC", "-Xms" + HEAP, "-Xmx" + HEAP, "-XX:-UsePerfData");
    }

    /** How every JVM compiles that executes rounds. */
    static List<String> compilingOptions() {
        List<String> options = new ArrayList<>();
        // What is compiled in a simulated run has to be so before the first phase; see CodeMapExperiment. The code of
        // floods is left out: C1 makes enough of it, and C2 would be at it for minutes.
        options.addAll(GuestOptions.compiling());
        options.add(FetchPhases.KEEP_COMPILED);
        for (String packages : List.of("engine", "scheduler", "bench.indexfetch")) {
            options.add("-XX:CompileCommand=CompileThresholdScaling,dev.lockstep." + packages + ".*::*,0.1");
        }
        return options;
    }
}
