package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Takes the times: a JVM for each repetition and kind, one kind after the other, so that noise meets all alike. */
final class FetchExperiment {
    /**
     * Pages of 2 MiB below the pool, as in {@code ./lockstep tpcc}: with small ones, misses of the translation would
     * be what is measured.
     */
    private static final Map<String, String> LARGE_PAGES = Map.of("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

    private final FetchSpec plan;
    private final List<FetchKind> kinds;
    private final int repeats;
    private final InsertedPoints points;
    private final Path scratch;
    private final String mainClass;
    private final Consumer<String> progress;

    /**
     * Prepares it.
     *
     * @param plan of every child, but for its kind, the order of its sizes and their switches
     * @param kinds those to measure; with {@link FetchKind#SERIAL} the kind that it is the original of
     * @param mainClass of child JVMs, which knows {@link IndexFetchChildCommand}
     */
    FetchExperiment(
            FetchSpec plan,
            List<FetchKind> kinds,
            int repeats,
            InsertedPoints points,
            Path scratch,
            String mainClass,
            Consumer<String> progress) {
        this.plan = plan;
        this.kinds = List.copyOf(kinds);
        this.repeats = repeats;
        this.points = points;
        this.scratch = scratch;
        this.mainClass = mainClass;
        this.progress = progress;
    }

    /** Runs everything. */
    FetchTimesReport run() throws IOException, InterruptedException {
        List<FetchTimes> runs = new ArrayList<>();
        for (int repeat = 0; repeat < repeats; repeat++) {
            progress.accept("repetition " + (repeat + 1) + " of " + repeats);
            FetchTimes continuation = null;
            for (FetchKind kind : kinds) {
                FetchTimes times = run(kind, repeat, continuation);
                runs.add(times);
                continuation = kind == FetchKind.CONTINUATION ? times : continuation;
            }
            runs.add(run(kinds.getFirst(), repeat, continuation).asControl());
        }
        return new FetchTimesReport(runs);
    }

    private FetchTimes run(FetchKind kind, int repeat, FetchTimes continuation)
            throws IOException, InterruptedException {
        List<Integer> members = new ArrayList<>(plan.members());
        Collections.shuffle(members, new Random(plan.seed() + repeat));
        List<Integer> switches = members.stream()
                .map(each -> kind == FetchKind.SERIAL
                        ? (int) Math.round(continuation.of(each).switches())
                        : 0)
                .toList();
        FetchSpec spec = new FetchSpec(
                kind,
                plan.operation(),
                plan.rows(),
                members,
                switches,
                plan.operationsEach(),
                plan.seconds(),
                plan.warmUpSeconds(),
                plan.seed() + repeat);
        Path directory = Files.createTempDirectory(scratch, kind.name().toLowerCase(Locale.ROOT));
        Path specification = directory.resolve("spec.json");
        Path report = directory.resolve("report.json");
        Json.write(specification, spec);
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                Processors.choose(1),
                directory,
                LARGE_PAGES,
                options(kind),
                mainClass,
                ChildCommand.words(IndexFetchChildCommand.NAME, specification, report),
                printed::add);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new IllegalStateException(
                    "a run failed: kind=" + kind + " exitCode=" + exitCode + " printed=" + String.join(" | ", printed));
        }
        return Json.read(report, FetchTimes.class);
    }

    private List<String> options(FetchKind kind) throws IOException {
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m", "-XX:-UsePerfData"));
        options.addAll(points.options(kind, scratch));
        if (System.getProperty("os.name").startsWith("Linux")) {
            options.add("-XX:+UseTransparentHugePages");
        }
        return options;
    }
}
