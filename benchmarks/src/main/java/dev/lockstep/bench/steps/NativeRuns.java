package dev.lockstep.bench.steps;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.tpcc.ExperimentReport;
import dev.lockstep.bench.tpcc.RunReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/** Measures on this machine's processor: a JVM for each run, variants in turns, so that noise meets all alike. */
final class NativeRuns {
    private record Turn(StepsVariant variant, boolean control) {}

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
            for (Turn turn : repeat % 2 == 1 ? turns() : turns().reversed()) {
                runs.add(run(mix, warehouses, turn.variant, forced, repeat, turn.control));
            }
        }
        return NativeFigures.of(forced, runs);
    }

    /** Of one repetition; in every second one backwards, so that what changes with time meets the first as the last. */
    private List<Turn> turns() {
        List<Turn> turns = new ArrayList<>();
        spec.variants().forEach(variant -> turns.add(new Turn(variant, false)));
        if (spec.control()) {
            turns.add(new Turn(spec.variants().getFirst(), true));
        }
        return turns;
    }

    /**
     * Runs each variant of a mix once more, with the profiler.
     *
     * @return why a variant has no flame graph, by its name in the report
     */
    SequencedMap<String, String> draw(FlameGraphs graphs, String mix, int warehouses, List<String> forced)
            throws IOException {
        SequencedMap<String, String> failures = new LinkedHashMap<>();
        for (StepsVariant variant : spec.variants()) {
            String name = mix + ", warehouses=" + warehouses + ", " + variant.spelled();
            progress.accept("draws a flame graph of " + name);
            List<String> words = words(mix, warehouses, variant, forced);
            words.addAll(List.of("--profile", graphs.file(name).toString()));
            NativeRun run = run(words, variant, 1, false);
            if (run.failure().isEmpty()) {
                graphs.add(name);
            } else {
                failures.put(name, run.failure());
            }
        }
        return failures;
    }

    private NativeRun run(
            String mix, int warehouses, StepsVariant variant, List<String> forced, int repeat, boolean control)
            throws IOException {
        return run(words(mix, warehouses, variant, forced), variant, repeat, control);
    }

    private List<String> words(String mix, int warehouses, StepsVariant variant, List<String> forced) {
        List<String> words = new ArrayList<>(spec.tpcc(mix, warehouses, variant));
        forced.forEach(option -> words.add("--jvm-option=" + option));
        words.addAll(List.of(
                "--warmup",
                Double.toString(spec.warmUpSeconds()),
                "--duration",
                Double.toString(spec.durationSeconds())));
        return words;
    }

    private NativeRun run(List<String> words, StepsVariant variant, int repeat, boolean control) throws IOException {
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
