package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Runs a plan, each run in a fresh JVM, configurations taking turns. Of a peer's connection counts all run in the first
 * repetition, the best one in the others. Used by one thread.
 */
final class TpccExperiment {
    /** What glibc reads its settings from; other C libraries ignore it. */
    private static final String ALLOCATOR_VARIABLE = "GLIBC_TUNABLES";

    /** Asks the kernel for large pages under big allocations, such as a buffer pool; the same for every engine. */
    private static final String LARGE_PAGES_OF_GLIBC = "glibc.malloc.hugetlb=1";

    private final TpccPlan plan;
    private final List<String> jvmOptions;
    private final Map<String, String> environment;
    private final Processors processors;
    private final String mainClass;
    private final PrintStream progress;
    private final List<RunReport> runs = new ArrayList<>();
    private final Map<String, Integer> connections = new TreeMap<>();
    private int started;

    /**
     * Prepares.
     *
     * @param jvmOptions of the children, beside the common ones
     * @param url of PostgreSQL, or {@code null}
     * @param mainClass of the children, which knows {@link TpccChildCommand}
     * @param progress where progress is shown
     */
    TpccExperiment(
            TpccPlan plan,
            List<String> jvmOptions,
            String url,
            Processors processors,
            String mainClass,
            PrintStream progress) {
        this.plan = plan;
        this.jvmOptions = jvmOptions;
        Map<String, String> variables = new HashMap<>();
        variables.put(ALLOCATOR_VARIABLE, System.getenv().getOrDefault(ALLOCATOR_VARIABLE, LARGE_PAGES_OF_GLIBC));
        if (url != null) {
            variables.put(Engines.POSTGRESQL_URL, url);
        }
        this.environment = Map.copyOf(variables);
        this.processors = processors;
        this.mainClass = mainClass;
        this.progress = progress;
    }

    /** Runs everything. */
    void run() throws IOException, InterruptedException {
        for (int repeat = 1; repeat <= plan.repeats(); repeat++) {
            for (RunSpec spec : plan.configurations()) {
                runs.add(run(spec, repeat, false));
            }
            if (plan.control()) {
                runs.add(run(plan.configurations().getFirst(), repeat, true));
            }
            for (List<RunSpec> peer : plan.peers()) {
                if (repeat == 1) {
                    tryConnections(peer);
                } else {
                    int best = connections.get(peer.getFirst().engine());
                    for (RunSpec spec : peer) {
                        if (spec.threads() == best) {
                            runs.add(run(spec, repeat, false));
                        }
                    }
                }
            }
        }
    }

    private void tryConnections(List<RunSpec> peer) throws IOException, InterruptedException {
        List<RunReport> tried = new ArrayList<>();
        for (RunSpec spec : peer) {
            tried.add(run(spec, 1, false));
        }
        runs.addAll(tried);
        RunReport best = tried.stream()
                .max(Comparator.comparingDouble(RunReport::txnPerSecond))
                .orElseThrow();
        connections.put(best.engine(), best.threads());
    }

    private RunReport run(RunSpec planned, int repeat, boolean control) throws IOException, InterruptedException {
        started++;
        RunSpec named = planned.withProfileFile(profileFile(planned, repeat, control));
        Path directory = directory(planned);
        RunSpec spec = named.withDirectory(directory.toString());
        String title = "[" + started + "/" + plan.runCount() + "] " + planned.label() + (control ? " (control)" : "");
        RunReport report;
        try (ProgressView view = new ProgressView(progress, title)) {
            report = run(spec, directory, view);
        }
        if (report.ok()) {
            delete(directory);
        } else {
            progress.println("lockstep: " + title + " failed; its files stay in " + directory);
        }
        return report.placed(processors.description(), repeat, control, named, hash(planned));
    }

    /** Of what makes a run what it is; files that it writes do not. */
    private String hash(RunSpec planned) {
        RunSpec settings = planned.withProfileFile(planned.profileFile() == null ? null : "profiled");
        return Json.hash(List.of(
                settings,
                ChildFlags.of(planned, jvmOptions),
                processors.pinned(),
                environment.get(ALLOCATOR_VARIABLE)));
    }

    private RunReport run(RunSpec spec, Path directory, ProgressView view) throws IOException, InterruptedException {
        Path specification = directory.resolve("spec.json");
        Path report = directory.resolve("report.json");
        Json.write(specification, spec);
        List<String> lastLines = new ArrayList<>();
        int exit = ChildJvm.run(
                processors,
                directory,
                environment,
                ChildFlags.of(spec, jvmOptions),
                mainClass,
                List.of(TpccChildCommand.NAME, "--spec", specification.toString(), "--report", report.toString()),
                line -> ProgressLine.parse(line).ifPresentOrElse(view::show, () -> {
                    lastLines.add(line);
                    view.message(line);
                }));
        if (Files.exists(report)) {
            return Json.read(report, RunReport.class);
        }
        return RunReport.failed(
                spec,
                "the child JVM ended without a report exitCode=" + exit
                        + (lastLines.isEmpty() ? "" : " firstLine=" + lastLines.getFirst()));
    }

    private static Path directory(RunSpec spec) throws IOException {
        if (spec.directory() == null) {
            return Files.createTempDirectory("lockstep-tpcc-");
        }
        Path parent = Files.createDirectories(Path.of(spec.directory()));
        return Files.createTempDirectory(parent, "lockstep-tpcc-");
    }

    private String profileFile(RunSpec spec, int repeat, boolean control) {
        if (spec.profileFile() == null || plan.runCount() == 1) {
            return spec.profileFile();
        }
        Path file = Path.of(spec.profileFile());
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String stem = dot < 0 ? name : name.substring(0, dot);
        String extension = dot < 0 ? "" : name.substring(dot);
        return file.resolveSibling(stem + "-" + spec.label().replace('/', '-').replace(' ', '-')
                        + (control ? "-control" : "") + (plan.repeats() == 1 ? "" : "-" + repeat) + extension)
                .toString();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** All runs so far, in their order. */
    List<RunReport> runs() {
        return List.copyOf(runs);
    }

    /** The best connection count of each engine that was tried with several. */
    Map<String, Integer> connections() {
        return Map.copyOf(connections);
    }
}
