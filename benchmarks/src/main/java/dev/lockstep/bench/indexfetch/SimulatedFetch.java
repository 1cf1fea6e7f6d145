package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.Branches;
import dev.lockstep.bench.simulate.SimulationResult.Counts;
import dev.lockstep.bench.simulate.SimulationResult.LevelCounts;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Counts misses: a simulated JVM for each kind, which executes the rounds of all sizes. */
final class SimulatedFetch {
    private static final Set<String> EXECUTING = Set.of("client", "carrier");
    private static final String HEAP = "256m";

    /** The predictor that {@code ./lockstep simulate --branches} has. */
    private static final String BRANCHES = "16384:4096:1024:16";

    private static final int LINE_BYTES = 64;

    private final FetchSpec plan;
    private final List<FetchKind> kinds;
    private final FetchCaches caches;
    private final InsertedPoints points;
    private final Path scratch;
    private final String mainClass;
    private final Consumer<String> progress;
    private final List<TeamMisses> misses = new ArrayList<>();
    private final List<Footprint> footprints = new ArrayList<>();

    /**
     * The code that one operation executes.
     *
     * @param kind how operations were executed, by a team of one
     * @param usualBytes lines that at least every other operation executes
     * @param allBytes lines of all operations
     * @param instructions of one operation
     * @param switches of one operation in the largest team
     */
    record Footprint(FetchKind kind, long usualBytes, long allBytes, double instructions, double switches) {}

    /** Prepares it, for what {@link FetchExperiment} takes the time of. */
    SimulatedFetch(
            FetchSpec plan,
            List<FetchKind> kinds,
            FetchCaches caches,
            InsertedPoints points,
            Path scratch,
            String mainClass,
            Consumer<String> progress) {
        this.plan = plan;
        this.kinds = List.copyOf(kinds);
        this.caches = caches;
        this.points = points;
        this.scratch = scratch;
        this.mainClass = mainClass;
        this.progress = progress;
    }

    /** Runs all kinds. */
    TeamMissesReport run() throws IOException, InterruptedException, SimulationException {
        FetchTimes continuation = null;
        for (FetchKind kind : kinds) {
            progress.accept("simulates " + kind.name().toLowerCase(Locale.ROOT) + ", which takes minutes");
            FetchTimes counted = run(kind, continuation);
            continuation = kind == FetchKind.CONTINUATION ? counted : continuation;
        }
        return new TeamMissesReport(caches.names(), caches.dataNames(), footprints, misses);
    }

    private FetchTimes run(FetchKind kind, FetchTimes continuation)
            throws IOException, InterruptedException, SimulationException {
        List<Integer> switches = plan.members().stream()
                .map(each -> kind == FetchKind.SERIAL
                        ? (int) Math.round(continuation.of(each).switches())
                        : 0)
                .toList();
        FetchSpec spec = new FetchSpec(
                kind, plan.operation(), plan.rows(), plan.members(), switches, FetchPhases.ROUNDS, 0, 0, plan.seed());
        Path directory = Files.createTempDirectory(scratch, "simulated");
        Path lines = directory.resolve("lines.txt");
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
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                simulator.processors(result),
                directory,
                Map.of(),
                options(kind),
                mainClass,
                ChildCommand.words(IndexFetchChildCommand.NAME, specification, report),
                printed::add);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new IllegalStateException("a run failed under QEMU: kind=" + kind + " exitCode=" + exitCode
                    + " printed=" + String.join(" | ", printed));
        }
        FetchTimes counted = Json.read(report, FetchTimes.class);
        read(kind, Simulator.read(result), CodeLines.read(lines), counted);
        return counted;
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

    private List<String> options(FetchKind kind) throws IOException {
        List<String> options = new ArrayList<>(jvmOptions());
        options.addAll(points.options(kind, scratch));
        return options;
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

    private void read(FetchKind kind, SimulationResult result, CodeLines lines, FetchTimes counted) {
        TeamMisses empty = round(kind, 0, true, phase(result, FetchPhases.PHASE_EMPTY));
        for (int size = 0; size < plan.members().size(); size++) {
            for (boolean cold : new boolean[] {true, false}) {
                int members = plan.members().get(size);
                TeamMisses round = round(kind, members, cold, phase(result, FetchPhases.phase(size, cold)));
                misses.add(cold ? minus(round, empty) : round);
            }
        }
        int one = plan.members().indexOf(1);
        footprints.add(new Footprint(
                kind,
                footprint(lines, FetchPhases.phase(one, false), FetchPhases.ROUNDS_WARM / 2),
                footprint(lines, FetchPhases.phase(one, false), 1),
                misses.stream()
                        .filter(each -> each.kind() == kind && each.members() == 1 && !each.cold())
                        .findFirst()
                        .orElseThrow()
                        .instructions(),
                counted.times().getLast().switches()));
    }

    private static SimulationResult.Phase phase(SimulationResult result, int number) {
        return result.phases().stream()
                .filter(phase -> phase.phase() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the simulator has not seen a phase: phase=" + number));
    }

    private TeamMisses round(FetchKind kind, int members, boolean cold, SimulationResult.Phase phase) {
        double rounds = FetchPhases.rounds(cold);
        Counts counts = phase.total();
        Branches branches = phase.branches();
        List<Double> observed = observed(phase, rounds);
        int instructionCaches = caches.names().size() - 1;
        return new TeamMisses(
                kind,
                members,
                cold,
                (counts.instructions() - phase.engine().instructions()) / rounds,
                (counts.cycles() - phase.engine().cycles()) / rounds,
                (branches.conditional() + branches.indirect() + branches.returns()) / rounds,
                (branches.conditionalWrong() + branches.indirectWrong() + branches.returnsWrong()) / rounds,
                misses(phase, "l1i") / rounds,
                misses(phase, "l1d") / rounds,
                misses(phase, "l2") / rounds,
                observed.subList(0, instructionCaches),
                observed.subList(instructionCaches, observed.size()));
    }

    /** Without those of the engine's own threads, which write the log. */
    private static double misses(SimulationResult.Phase phase, String level) {
        LevelCounts all = phase.total().levels().get(level);
        LevelCounts engine = phase.engine().levels().get(level);
        return all == null ? 0 : all.misses() - (engine == null ? 0 : engine.misses());
    }

    private static List<Double> observed(SimulationResult.Phase phase, double rounds) {
        List<Double> observed = new ArrayList<>();
        List<Long> engine = phase.engine().observerMisses();
        for (int i = 0; i < phase.total().observerMisses().size(); i++) {
            observed.add((phase.total().observerMisses().get(i) - (engine.isEmpty() ? 0 : engine.get(i))) / rounds);
        }
        return observed;
    }

    /** Without what the marks of a cold round cost. */
    private static TeamMisses minus(TeamMisses round, TeamMisses empty) {
        return new TeamMisses(
                round.kind(),
                round.members(),
                round.cold(),
                round.instructions() - empty.instructions(),
                round.cycles() - empty.cycles(),
                round.branches() - empty.branches(),
                round.mispredicted() - empty.mispredicted(),
                round.l1i() - empty.l1i(),
                round.l1d() - empty.l1d(),
                round.l2() - empty.l2(),
                minus(round.observed(), empty.observed()),
                minus(round.observedData(), empty.observedData()));
    }

    private static List<Double> minus(List<Double> misses, List<Double> empty) {
        return IntStream.range(0, misses.size())
                .mapToObj(i -> misses.get(i) - empty.get(i))
                .toList();
    }

    /** Bytes of the lines that were executed at least so often. */
    private static long footprint(CodeLines lines, int phase, long countMin) {
        Set<Long> executed = new HashSet<>();
        lines.contexts().forEach((context, counts) -> {
            if (context.phase() == phase && EXECUTING.contains(context.threadKind())) {
                counts.each((block, count, stays) -> {
                    if (count >= countMin) {
                        long first = lines.address(block) / LINE_BYTES;
                        long last = (lines.address(block) + Math.max(1, lines.bytes(block)) - 1) / LINE_BYTES;
                        for (long line = first; line <= last; line++) {
                            executed.add(line);
                        }
                    }
                });
            }
        });
        return executed.size() * (long) LINE_BYTES;
    }
}
