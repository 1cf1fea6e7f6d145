package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.FootprintsFile;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.ThisMachine;
import dev.lockstep.scheduler.CodeFootprints;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamLimits;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which runs a command consists of.
 *
 * @param configurations of Lockstep and of engines with one way to run them, in the order of {@link #turns}
 * @param peers for each engine over JDBC its configurations, one for each number of connections
 * @param profiled run once at the end for their flame graphs alone, those over JDBC with the best number of connections
 *     only; their figures count nowhere
 * @param repeats how often
 * @param control whether the first configuration runs against itself
 * @param sliceSeconds length of a turn where all configurations take turns in one JVM; 0 where each run has its own
 */
record TpccPlan(
        List<RunSpec> configurations,
        List<List<RunSpec>> peers,
        List<RunSpec> profiled,
        int repeats,
        boolean control,
        double sliceSeconds) {
    private static final String NONE = LockstepVariant.NONE;

    private static final int MIB_SHIFT = 20;

    /**
     * One run of a repetition.
     *
     * @param control whether it is the control
     */
    record Turn(RunSpec spec, boolean control) {}

    /**
     * The configurations of one repetition, the control last; in every second repetition backwards, so that what
     * changes with time, or is left by the run before, does not always meet the same one.
     *
     * @param repeat number of the repetition, from 1
     */
    List<Turn> turns(int repeat) {
        List<Turn> turns = new ArrayList<>();
        configurations.forEach(spec -> turns.add(new Turn(spec, false)));
        if (control) {
            turns.add(new Turn(configurations.getFirst(), true));
        }
        return List.copyOf(repeat % 2 == 0 ? turns.reversed() : turns);
    }

    /**
     * Lays out the runs.
     *
     * @param memoryBytes of the machine, or less than 1 if unknown
     * @param processorsMax that a run may have
     * @throws IllegalArgumentException if options contradict each other, with a sentence for the user
     */
    static TpccPlan of(TpccOptions options, long memoryBytes, int processorsMax) {
        options.nameOnce();
        List<EngineName> engines = engines(options);
        TpccOptionsCheck.check(options, engines, processorsMax);
        List<RunSpec> configurations = new ArrayList<>();
        List<List<RunSpec>> peers = new ArrayList<>();
        for (EngineName engine : engines) {
            if (engine == EngineName.LOCKSTEP) {
                configurations.addAll(lockstep(options, memoryBytes, options.profile != null));
                continue;
            }
            List<RunSpec> specs = peer(options, engine, memoryBytes, options.profile != null);
            if (specs.size() == 1) {
                configurations.add(specs.getFirst());
            } else {
                peers.add(specs);
            }
        }
        TpccOptionsCheck.require(
                !options.control || !configurations.isEmpty(),
                "--control needs an engine with one configuration, such as lockstep or plain");
        return new TpccPlan(
                List.copyOf(configurations),
                List.copyOf(peers),
                profiled(options, engines, memoryBytes),
                options.repeat,
                options.control,
                options.sliceSeconds);
    }

    /** Configurations of Lockstep for any report; the others are much alike from run to run, and drawn if asked for. */
    private static List<RunSpec> profiled(TpccOptions options, List<EngineName> engines, long memoryBytes) {
        List<RunSpec> profiled = new ArrayList<>();
        // A profiler would sample the emulator, or the turns of others.
        if (options.out != null && !options.isSimulated() && options.sliceSeconds == 0) {
            for (EngineName engine : engines) {
                if (engine == EngineName.LOCKSTEP) {
                    profiled.addAll(lockstep(options, memoryBytes, true));
                } else if (options.flame) {
                    profiled.addAll(peer(options, engine, memoryBytes, true));
                }
            }
        }
        return List.copyOf(profiled);
    }

    private static List<EngineName> engines(TpccOptions options) {
        Set<EngineName> engines = new LinkedHashSet<>();
        for (String name : options.engines) {
            if (!name.equals(EngineName.ALL)) {
                engines.add(Spelling.parse(EngineName.class, name));
                continue;
            }
            for (EngineName engine : EngineName.values()) {
                if (engine != EngineName.POSTGRESQL || options.url != null) {
                    engines.add(engine);
                }
            }
        }
        return List.copyOf(engines);
    }

    private static TeamLimits teamLimits(TpccOptions options) {
        if (options.teamData == null) {
            return TeamLimits.NONE;
        }
        Collection<CodeFootprints> measured = FootprintsFile.read("--team-data", options.teamData);
        TpccOptionsCheck.require(
                measured.stream().anyMatch(each -> !each.dataBytes().isEmpty()),
                "--team-data " + options.teamData + " says of no operation what data it touches: make it anew with"
                        + " ./lockstep codemap --footprints FILE");
        return TeamLimits.of(options.teamL2 == null ? ThisMachine.l2Bytes() : options.teamL2.bytes(), measured);
    }

    private static List<RunSpec> lockstep(TpccOptions options, long memoryBytes, boolean profiled) {
        List<LockstepVariant> variants = LockstepVariant.all(options);
        int databases =
                options.sliceSeconds == 0 || options.oneDatabase ? 1 : variants.size() + (options.control ? 1 : 0);
        long memoryOfEach = memoryBytes / databases;
        TpccOptionsCheck.require(
                options.pool == null || databases == 1 || memoryBytes <= 0 || options.pool.bytes() <= memoryOfEach,
                "--pool is at most " + (memoryOfEach >> MIB_SHIFT) + "m with --slices and " + databases
                        + " databases, which are open at once and share the memory");
        long pool = options.pool != null ? options.pool.bytes() : PoolSize.byDefault(options.warehouses, memoryOfEach);
        return variants.stream()
                .map(variant -> lockstep(options, variant, pool, profiled, databases))
                .toList();
    }

    private static RunSpec lockstep(
            TpccOptions options, LockstepVariant variant, long pool, boolean profiled, int databases) {
        int terminals = options.warehouses * variant.terminals();
        return spec(
                options,
                EngineName.LOCKSTEP,
                variant.name(options),
                variant.grouping(options),
                variant.cores(),
                terminals,
                terminals,
                variant.scheduling(),
                variant.scheduling() == Scheduling.STEPS ? options.sthreads : NONE,
                variant.teams(),
                variant.teamPolicy(),
                variant.teamExecution(),
                variant.consolidation(),
                variant.batches(),
                variant.durability(),
                pool,
                options.fsyncDelayMillis,
                variant.protection().protection(),
                variant.scanBeside(),
                profiled,
                databases * ChildFlags.LOCKSTEP_HEAP_BYTES);
    }

    /** Between several carriers, lists of what runs stage by stage in teams that always form. */
    private static boolean lends(String teams, String teamExecution, int cores) {
        return cores > 1
                && teams.equals(Spelling.of(TeamMode.ON))
                && teamExecution.equals(Spelling.of(TeamExecution.STAGED));
    }

    private static List<RunSpec> peer(TpccOptions options, EngineName engine, long memoryBytes, boolean profiled) {
        int terminals = options.terminals();
        return connections(options, engine, terminals).stream()
                .map(connections -> spec(
                        options,
                        engine,
                        "",
                        "",
                        options.cores.getFirst(),
                        terminals,
                        connections,
                        Scheduling.PLATFORM,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        false,
                        engine.durability(),
                        0,
                        0,
                        null,
                        false,
                        profiled,
                        ChildFlags.peerHeapBytes(memoryBytes)))
                .toList();
    }

    private static List<Integer> connections(TpccOptions options, EngineName engine, int terminals) {
        if (options.think) {
            return List.of(terminals);
        }
        List<Integer> counts = engine.connectionCounts(terminals);
        OptionalInt one = options.connections();
        return one.isEmpty() || counts.size() == 1 ? counts : List.of(one.getAsInt());
    }

    private static RunSpec spec(
            TpccOptions options,
            EngineName engine,
            String variant,
            String grouping,
            int cores,
            int terminals,
            int threads,
            Scheduling scheduling,
            String sthreads,
            String teams,
            String teamPolicy,
            String teamExecution,
            String consolidation,
            boolean batches,
            String durability,
            long poolBytes,
            int fsyncDelayMillis,
            Protection protection,
            boolean scanBeside,
            boolean profiled,
            long heapBytes) {
        Path directory = options.directory;
        TeamLimits limits = sthreads.equals(NONE) ? TeamLimits.NONE : teamLimits(options);
        return new RunSpec(
                Spelling.of(engine),
                variant,
                grouping,
                options.warehouses,
                options.shrink,
                terminals,
                threads,
                cores,
                Spelling.of(scheduling),
                sthreads,
                teams,
                teamPolicy,
                teamExecution,
                consolidation,
                options.lend && lends(teams, teamExecution, cores),
                sthreads.equals(NONE) ? 0 : options.teamLimit,
                limits.l2Bytes(),
                // Sorted, since what a result is compared by is a hash of its text.
                new TreeMap<>(limits.dataBytes()),
                !sthreads.equals(NONE) && options.switchPoints,
                batches,
                durability,
                options.isolation,
                options.warmUpSeconds,
                options.durationSeconds,
                options.warmUpTransactions(engine),
                options.transactions(engine),
                options.mix,
                options.think,
                poolBytes,
                directory == null ? null : directory.toAbsolutePath().toString(),
                options.seed,
                fsyncDelayMillis,
                protection,
                scanBeside,
                profiled,
                options.sliceSeconds,
                options.oneDatabase,
                heapBytes);
    }

    /** How many runs there are in all. */
    int runCount() {
        if (sliceSeconds > 0) {
            return 1;
        }
        int tried = peers.stream().mapToInt(List::size).sum();
        return tried
                + (repeats - 1) * peers.size()
                + repeats * (configurations.size() + (control ? 1 : 0))
                + (int) profiled.stream()
                        .map(spec -> spec.engineName() == EngineName.LOCKSTEP ? spec.label() : spec.engine())
                        .distinct()
                        .count();
    }
}
