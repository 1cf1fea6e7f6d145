package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.JvmNotices;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.bench.report.ProgressView;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Runs a plan, each run in a fresh JVM, configurations taking turns. Of a peer's connection counts all run in the first
 * repetition, the best one in the others. Used by one thread.
 */
final class TpccExperiment {
    /** What glibc reads its settings from; other C libraries ignore it. */
    private static final String ALLOCATOR_VARIABLE = "GLIBC_TUNABLES";

    /** Asks the kernel for large pages under big allocations, such as a buffer pool; the same for every engine. */
    private static final String LARGE_PAGES_OF_GLIBC = "glibc.malloc.hugetlb=1";

    /** Where a child writes what it found, in the directory of its run. */
    static final String REPORT = "report.json";

    private static final String SCRATCH = "tpcc";

    private final TpccPlan plan;
    private final List<String> jvmOptions;

    /** Flame graphs of all runs, or {@code null}. */
    private final Path profile;

    /** The directory of the report, or {@code null}. */
    private final Path out;

    private final Map<String, String> environment;
    private final IntFunction<Processors> placement;

    /** Where runs are simulated, else {@code null}. */
    private final SimulatedRuns simulated;

    private final String mainClass;
    private final PrintStream progress;
    private final List<RunReport> runs = new ArrayList<>();
    private final List<FlameGraphReport> flameGraphs = new ArrayList<>();
    private final Map<String, Integer> connections = new TreeMap<>();
    private int started;

    /**
     * Prepares.
     *
     * @param placement where a child runs, by the number of its processors
     * @param simulated by what they are simulated, {@code null} where they are not
     * @param options of the command: where the flame graphs go, the options of the children beside the common ones, the
     *     URL of PostgreSQL
     * @param mainClass of the children, which knows {@link TpccChildCommand}
     * @param progress where progress is shown
     */
    TpccExperiment(
            TpccPlan plan,
            TpccOptions options,
            IntFunction<Processors> placement,
            Simulated simulated,
            String mainClass,
            PrintStream progress) {
        this.plan = plan;
        this.jvmOptions = options.jvmOptions;
        this.profile = options.profile == null ? null : options.profile.toAbsolutePath();
        this.out = options.out == null ? null : options.out.toAbsolutePath();
        Map<String, String> variables = new HashMap<>();
        variables.put(ALLOCATOR_VARIABLE, System.getenv().getOrDefault(ALLOCATOR_VARIABLE, LARGE_PAGES_OF_GLIBC));
        if (options.url != null) {
            variables.put(Engines.POSTGRESQL_URL, options.url);
        }
        this.environment = Map.copyOf(variables);
        this.placement = placement;
        this.simulated =
                simulated == null ? null : new SimulatedRuns(simulated, this::run, jvmOptions, !options.unchecked);
        this.mainClass = mainClass;
        this.progress = progress;
    }

    /** Runs everything. */
    void run() throws IOException, InterruptedException {
        if (plan.sliceSeconds() > 0) {
            runs.addAll(runByTurns());
            return;
        }
        for (int repeat = 1; repeat <= plan.repeats(); repeat++) {
            for (TpccPlan.Turn turn : plan.turns(repeat)) {
                runs.add(run(turn.spec(), repeat, turn.control()));
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
        for (RunSpec spec : plan.profiled()) {
            if (connections.getOrDefault(spec.engine(), spec.threads()) != spec.threads()) {
                continue;
            }
            Path file = out.resolve("flames-" + fileName(spec) + ".html");
            Files.deleteIfExists(file);
            RunReport report = run(spec, 1, false, file);
            flameGraphs.add(new FlameGraphReport(
                    spec.label(),
                    file.getFileName().toString(),
                    report.profilerEvent(),
                    report.processorTime(),
                    report.txnPerSecond(),
                    report.failure(),
                    report.ok()));
        }
    }

    private void tryConnections(List<RunSpec> peer) throws IOException, InterruptedException {
        List<RunReport> tried = new ArrayList<>();
        for (RunSpec spec : peer) {
            tried.add(run(spec, 1, false));
        }
        runs.addAll(tried);
        RunReport best = best(tried);
        connections.put(best.engine(), best.threads());
    }

    /** The fastest run of those that went well, or of all where none did. */
    static RunReport best(List<RunReport> tried) {
        return tried.stream()
                .max(Comparator.comparing(RunReport::ok).thenComparingDouble(RunReport::txnPerSecond))
                .orElseThrow();
    }

    private RunReport run(RunSpec spec, int repeat, boolean control) throws IOException, InterruptedException {
        return run(spec, repeat, control, spec.profiled() ? flameGraph(spec, repeat, control) : null);
    }

    private RunReport run(RunSpec spec, int repeat, boolean control, Path flameGraph)
            throws IOException, InterruptedException {
        started++;
        try (ScratchDirectory scratch = scratch(spec)) {
            String title = "[" + started + "/" + plan.runCount() + "] " + spec.label() + (control ? " (control)" : "");
            RunReport report = run(spec, repeat, control, flameGraph, scratch.path(), title);
            if (!report.ok()) {
                scratch.keep();
                progress.println("lockstep: " + title + " failed; its files stay in " + scratch.path());
            }
            return report;
        }
    }

    private RunReport run(RunSpec spec, int repeat, boolean control, Path flameGraph, Path directory, String title)
            throws IOException, InterruptedException {
        Processors processors = placement.apply(spec.cores());
        RunRequest request = new RunRequest(
                spec,
                directory.toString(),
                flameGraph == null ? null : flameGraph.toString(),
                processors.description(),
                repeat,
                control,
                hash(spec, processors));
        try (ProgressView view = new ProgressView(progress, title)) {
            return simulated == null
                    ? run(request, directory, processors, ChildFlags.of(spec, jvmOptions), line -> {}, view)
                    : simulated.run(request, directory, view);
        }
    }

    /** All configurations in one JVM, each with a directory below a common one. */
    private List<RunReport> runByTurns() throws IOException, InterruptedException {
        List<TpccPlan.Turn> turns = plan.turns(1);
        try (ScratchDirectory scratch = scratch(turns.getFirst().spec())) {
            List<RunReport> reports = runByTurns(turns, scratch.path());
            if (!reports.stream().allMatch(RunReport::ok)) {
                scratch.keep();
                progress.println("lockstep: a run by turns failed; its files stay in " + scratch.path());
            }
            return reports;
        }
    }

    private List<RunReport> runByTurns(List<TpccPlan.Turn> turns, Path directory)
            throws IOException, InterruptedException {
        RunSpec first = turns.getFirst().spec();
        Processors processors = placement.apply(first.cores());
        List<RunRequest> requests = new ArrayList<>();
        for (TpccPlan.Turn turn : turns) {
            requests.add(new RunRequest(
                    turn.spec(),
                    Files.createDirectory(directory.resolve("turn-" + requests.size()))
                            .toString(),
                    null,
                    processors.description(),
                    1,
                    turn.control(),
                    hash(turn.spec(), processors)));
        }
        try (ProgressView view = new ProgressView(progress, "[by turns]")) {
            ChildEnd end = call(
                    SlicedChildCommand.NAME,
                    new SlicedRequest(requests, plan.repeats()),
                    directory,
                    processors,
                    ChildFlags.of(first, jvmOptions),
                    line -> {},
                    view);
            return Files.exists(end.report())
                    ? Json.read(end.report(), SlicedReport.class).runs()
                    : requests.stream()
                            .map(request -> RunReport.failed(request, end.failure()))
                            .toList();
        }
    }

    /** Of what makes a run what it is. */
    private String hash(RunSpec spec, Processors processors) {
        return Json.hash(List.of(
                spec, ChildFlags.of(spec, jvmOptions), processors.pinned(), environment.get(ALLOCATOR_VARIABLE)));
    }

    private RunReport run(
            RunRequest request,
            Path directory,
            Processors childProcessors,
            List<String> options,
            Consumer<ProgressLine> lines,
            ProgressView view)
            throws IOException, InterruptedException {
        ChildEnd end = call(TpccChildCommand.NAME, request, directory, childProcessors, options, lines, view);
        boolean writesFailuresOnly = request.part() == RunPart.LOAD || request.part() == RunPart.CHECK;
        if (writesFailuresOnly && end.exitCode() == 0) {
            return null;
        }
        RunReport report = Files.exists(end.report()) ? Json.read(end.report(), RunReport.class) : null;
        return report == null || (writesFailuresOnly && report.ok())
                ? RunReport.failed(request, end.failure())
                : report;
    }

    /**
     * How a child ended.
     *
     * @param report where its report is, if it wrote one
     * @param firstLine of what it said for the user, or empty
     */
    private record ChildEnd(int exitCode, Path report, String firstLine) {
        /** The sentence for a child that wrote none. */
        String failure() {
            return "the child JVM ended without a report exitCode=" + exitCode
                    + (firstLine.isEmpty() ? "" : " firstLine=" + firstLine);
        }
    }

    private ChildEnd call(
            String name,
            Object request,
            Path directory,
            Processors childProcessors,
            List<String> options,
            Consumer<ProgressLine> lines,
            ProgressView view)
            throws IOException, InterruptedException {
        Path specification = directory.resolve("spec.json");
        Path report = directory.resolve(REPORT);
        // That of an earlier child of the same run would pass for this one's.
        Files.deleteIfExists(report);
        Json.write(specification, request);
        List<String> said = new ArrayList<>();
        int exit = ChildJvm.run(
                childProcessors,
                directory,
                environment,
                options,
                mainClass,
                ChildCommand.words(name, specification, report),
                line -> ProgressLine.parse(line)
                        .ifPresentOrElse(
                                told -> {
                                    lines.accept(told);
                                    view.show(told);
                                },
                                () -> {
                                    said.add(line);
                                    view.message(line);
                                }));
        return new ChildEnd(exit, report, reason(said));
    }

    /** The first line for the user, or empty. */
    static String reason(List<String> said) {
        return said.stream()
                .filter(line -> !JvmNotices.contain(line))
                .findFirst()
                .orElse("");
    }

    private static ScratchDirectory scratch(RunSpec spec) throws IOException {
        return spec.directory() == null
                ? ScratchDirectory.make(SCRATCH)
                : ScratchDirectory.make(Files.createDirectories(Path.of(spec.directory())), SCRATCH);
    }

    private Path flameGraph(RunSpec spec, int repeat, boolean control) {
        if (plan.runCount() == 1) {
            return profile;
        }
        String name = profile.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String stem = dot < 0 ? name : name.substring(0, dot);
        String extension = dot < 0 ? "" : name.substring(dot);
        return profile.resolveSibling(stem + "-" + fileName(spec) + (control ? "-control" : "")
                + (plan.repeats() == 1 ? "" : "-" + repeat) + extension);
    }

    /** A configuration's name as part of a file's. */
    static String fileName(RunSpec spec) {
        return spec.label().replace('/', '-').replace(' ', '-');
    }

    /** All runs so far, in their order. */
    List<RunReport> runs() {
        return List.copyOf(runs);
    }

    /** How far to believe simulated runs; none where they ran on the machine. */
    List<SimulationCheck> simulationChecks() {
        return simulated == null ? List.of() : simulated.checks();
    }

    /** The flame graphs of the runs that were made for them. */
    List<FlameGraphReport> flameGraphs() {
        return List.copyOf(flameGraphs);
    }

    /** The best connection count of each engine that was tried with several. */
    Map<String, Integer> connections() {
        return Map.copyOf(connections);
    }
}
