package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Spelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Takes the times: a JVM for each repetition and kind, one kind after the other, so that noise meets all alike. */
final class FetchExperiment {
    /**
     * Pages of 2 MiB below the pool, as in {@code ./lockstep tpcc}: with small ones, misses of the translation would
     * be what is measured.
     */
    private static final Map<String, String> LARGE_PAGES = Map.of("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

    private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

    private record Turn(FetchKind kind, boolean control) {}

    private final FetchPlan plan;
    private final int repeats;
    private final BesideSimulated beside;

    /**
     * Prepares it.
     *
     * @param beside what the simulated JVMs are that it stands beside, or null where none are
     */
    FetchExperiment(FetchPlan plan, int repeats, BesideSimulated beside) {
        this.plan = plan;
        this.repeats = repeats;
        this.beside = beside;
    }

    /** Runs everything. */
    FetchTimesReport run() throws IOException, InterruptedException {
        List<FetchTimes> runs = new ArrayList<>();
        for (int repeat = 0; repeat < repeats; repeat++) {
            plan.progress().accept("repetition " + (repeat + 1) + " of " + repeats);
            runs.addAll(repeat(repeat));
        }
        return new FetchTimesReport(runs);
    }

    private List<FetchTimes> repeat(int repeat) throws IOException, InterruptedException {
        List<FetchTimes> runs = new ArrayList<>();
        for (Turn turn : repeat % 2 == 0 ? turns() : turns().reversed()) {
            FetchTimes times = run(turn.kind, repeat);
            runs.add(turn.control ? times.asControl() : times);
        }
        return runs;
    }

    /** Of one repetition; in every second one backwards, so that what changes with time meets the first as the last. */
    private List<Turn> turns() {
        List<Turn> turns = new ArrayList<>();
        plan.kinds().forEach(kind -> turns.add(new Turn(kind, false)));
        turns.add(new Turn(plan.control(), true));
        return turns;
    }

    /** Runs each kind once more, with the profiler. */
    void draw(FlameGraphs graphs) throws IOException, InterruptedException {
        for (FetchKind kind : plan.kinds()) {
            String name = Spelling.of(kind);
            plan.progress().accept("draws a flame graph of " + name);
            run(kind, 0, graphs.options(name));
            graphs.add(name);
        }
    }

    private FetchTimes run(FetchKind kind, int repeat) throws IOException, InterruptedException {
        return run(kind, repeat, List.of());
    }

    private FetchTimes run(FetchKind kind, int repeat, List<String> further) throws IOException, InterruptedException {
        long seed = plan.spec().seed() + repeat;
        List<Integer> members = new ArrayList<>(plan.spec().members());
        Collections.shuffle(members, new Random(seed));
        FetchSpec spec = plan.spec().with(kind, members, seed);
        Path directory = Files.createTempDirectory(plan.scratch(), kind.name().toLowerCase(Locale.ROOT));
        return FetchJvm.run(
                        spec, Processors.choose(1), directory, LARGE_PAGES, options(kind, further), plan.mainClass())
                .times("a run of kind=" + kind);
    }

    /** Of the JVM that runs a kind. */
    List<String> options(FetchKind kind, List<String> further) throws IOException {
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData"));
        options.addAll(beside == null ? HEAP : beside.heap());
        options.addAll(beside == null ? List.of() : beside.flags().forced());
        options.addAll(plan.options(kind));
        options.addAll(further);
        if (System.getProperty("os.name").startsWith("Linux")) {
            options.add("-XX:+UseTransparentHugePages");
        }
        return options;
    }
}
