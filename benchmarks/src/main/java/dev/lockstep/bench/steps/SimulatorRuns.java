package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulatedProcess;
import dev.lockstep.bench.simulate.SimulationReport;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.tpcc.ExperimentReport;
import dev.lockstep.bench.tpcc.RunReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;

/** Counts on a simulated machine: one run of each variant, since the simulator gives the same run the same counts. */
final class SimulatorRuns {
    private static final String OBSERVER = "observe=";

    private final StepsSpec spec;
    private final SimulatedSpec simulated;
    private final Launcher launcher;
    private final Consumer<String> progress;

    SimulatorRuns(StepsSpec spec, SimulatedSpec simulated, Launcher launcher, Consumer<String> progress) {
        this.spec = spec;
        this.simulated = simulated;
        this.launcher = launcher;
        this.progress = progress;
    }

    /** Runs all variants of a mix. */
    SimulatedFigures run(String mix, int warehouses) throws IOException {
        List<SimulatedRun> runs = new ArrayList<>();
        for (StepsVariant variant : spec.variants()) {
            progress.accept(mix + ", warehouses=" + warehouses + ", " + variant.spelled() + ", simulated");
            runs.add(run(mix, warehouses, variant));
        }
        return SimulatedFigures.of(runs);
    }

    private SimulatedRun run(String mix, int warehouses, StepsVariant variant) throws IOException {
        List<String> simulate = simulated.words();
        List<String> tpcc = new ArrayList<>(spec.tpcc(mix, warehouses, variant));
        tpcc.addAll(simulated.transactionWords());
        String command = "./lockstep " + String.join(" ", simulate) + " -- " + String.join(" ", tpcc);
        Path simulatedJson = spec.scratch().resolve("simulation.json");
        Path tpccJson = spec.scratch().resolve("tpcc.json");
        Files.deleteIfExists(simulatedJson);
        Files.deleteIfExists(tpccJson);
        List<String> words = new ArrayList<>(simulate);
        words.addAll(List.of("--json", simulatedJson.toString(), "--"));
        words.addAll(tpcc);
        words.addAll(List.of("--dir", spec.databases().toString(), "--json", tpccJson.toString()));
        Launcher.Ended ended = launcher.launch(words);
        ExperimentReport left = Files.exists(tpccJson) ? Json.read(tpccJson, ExperimentReport.class) : null;
        RunReport run = left == null ? null : left.runs().getFirst();
        String failure = NativeRuns.failure(ended, run);
        return failure.isEmpty() && Files.exists(simulatedJson)
                ? counted(
                        variant,
                        command,
                        ended.exitCode() == 0 ? "" : ended.reason(),
                        left,
                        Json.read(simulatedJson, SimulationReport.class))
                : SimulatedRun.failed(
                        variant,
                        command,
                        failure.isEmpty() ? ended.reason() : failure,
                        ended.exitCode() == CommandLine.ExitCode.USAGE);
    }

    private static SimulatedRun counted(
            StepsVariant variant, String command, String doubt, ExperimentReport left, SimulationReport report) {
        RunReport run = left.runs().getFirst();
        SimulatedProcess process = report.processes().getFirst();
        SimulationResult.Phase phase = process.result().reported();
        List<String> observers = report.simulated().stream()
                .filter(line -> line.startsWith(OBSERVER))
                .map(line -> line.substring(OBSERVER.length()))
                .toList();
        Map<String, Long> observed = new LinkedHashMap<>();
        for (int i = 0; i < observers.size(); i++) {
            observed.put(observers.get(i), phase.total().observerMisses().get(i));
        }
        return new SimulatedRun(
                variant,
                command,
                "",
                false,
                doubt,
                report.simulated(),
                run.commits().values().stream().mapToLong(Long::longValue).sum(),
                SimulatedEvent.counts(phase),
                observed,
                run.teams(),
                left.simulations() == null || left.simulations().isEmpty()
                        ? null
                        : left.simulations().getFirst());
    }
}
