package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.tpcc.ExperimentReport;
import dev.lockstep.bench.tpcc.RunReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Measures on this machine's processor: a JVM for each run, variants in turns, so that noise meets all alike. */
final class NativeRuns {
    private final StepsSpec spec;
    private final Launcher launcher;
    private final Consumer<String> progress;

    NativeRuns(StepsSpec spec, Launcher launcher, Consumer<String> progress) {
        this.spec = spec;
        this.launcher = launcher;
        this.progress = progress;
    }

    /**
     * Runs all variants of a mix.
     *
     * @param forced options of the JVMs beside those of all runs
     */
    NativeFigures run(String mix, int warehouses, List<String> forced) throws IOException {
        List<NativeRun> runs = new ArrayList<>();
        for (int repeat = 1; repeat <= spec.repeats(); repeat++) {
            progress.accept(mix + ", warehouses=" + warehouses + ", repetition " + repeat + " of " + spec.repeats());
            for (StepsVariant variant : spec.variants()) {
                runs.add(run(mix, warehouses, variant, forced, repeat, false));
            }
            if (spec.control()) {
                runs.add(run(mix, warehouses, spec.variants().getFirst(), forced, repeat, true));
            }
        }
        return NativeFigures.of(forced, runs);
    }

    private NativeRun run(
            String mix, int warehouses, StepsVariant variant, List<String> forced, int repeat, boolean control)
            throws IOException {
        List<String> words = new ArrayList<>(spec.tpcc(mix, warehouses, variant));
        forced.forEach(option -> words.add("--jvm-option=" + option));
        words.addAll(List.of(
                "--warmup",
                Double.toString(spec.warmUpSeconds()),
                "--duration",
                Double.toString(spec.durationSeconds())));
        String command = "./lockstep " + String.join(" ", words);
        Path json = spec.scratch().resolve("tpcc.json");
        Files.deleteIfExists(json);
        words.addAll(List.of("--dir", spec.databases().toString(), "--json", json.toString()));
        Launcher.Ended ended = launcher.launch(words);
        RunReport run = Files.exists(json)
                ? Json.read(json, ExperimentReport.class).runs().getFirst()
                : null;
        return new NativeRun(variant, repeat, control, command, failure(ended, run), run);
    }

    /** Why a run counts for nothing, or empty. */
    static String failure(Launcher.Ended ended, RunReport run) {
        if (run == null) {
            return ended.reason();
        }
        if (!run.failure().isEmpty()) {
            return run.failure();
        }
        return run.ok() ? "" : "a consistency condition or the tally of the driver does not hold";
    }
}
