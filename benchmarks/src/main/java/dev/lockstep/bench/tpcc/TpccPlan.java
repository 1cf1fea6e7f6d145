package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.FootprintsFile;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.ThisMachine;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.scheduler.CodeFootprints;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamLimits;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
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
    private static final String POSTGRESQL_URL = "jdbc:postgresql:";

    /** Terminals that start in the same second would write rows of HISTORY with the same keys. */
    private static final double SLICE_SECONDS_MIN = 1;

    /** Longest run: deadlines in nanoseconds stay far from overflow. */
    private static final double SECONDS_MAX = 7 * 86_400;

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
        check(options, engines, processorsMax);
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
        require(
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

    private static void check(TpccOptions options, List<EngineName> engines, int processorsMax) {
        require(
                options.warehouses >= 1 && options.warehouses <= TpccScale.WAREHOUSES_MAX,
                "--warehouses is 1 to " + TpccScale.WAREHOUSES_MAX);
        require(
                options.shrink >= 1 && options.shrink <= TpccScale.SHRINK_MAX,
                "--shrink is 1 to " + TpccScale.SHRINK_MAX);
        require(
                !engines.contains(EngineName.PLAIN) || options.warehouses <= PlainAdapter.warehousesMax(options.shrink),
                "--warehouses is 1 to " + PlainAdapter.warehousesMax(options.shrink)
                        + " with --engine plain, whose rows lie in arrays, and --shrink " + options.shrink);
        require(options.terminals.stream().allMatch(count -> count >= 1), "--terminals is at least 1");
        require(options.repeat >= 1, "--repeat is at least 1");
        require(options.teamLimit >= 1, "--team-limit is at least 1");
        require(
                !options.consolidations.contains(Choice.OfSwitch.ON)
                        || options.teams.contains(Spelling.of(TeamMode.ON)),
                "--consolidate on needs --teams on");
        require(
                !options.lend
                        || (options.teams.contains(Spelling.of(TeamMode.ON))
                                && options.teamExecutions.contains(Spelling.of(TeamExecution.STAGED))),
                "--lend needs --teams on and --team-execution staged");
        require(options.teamL2 == null || options.teamData != null, "--team-l2 needs --team-data FILE");
        require(options.transactions == null || options.transactions >= 1, "--transactions is at least 1");
        require(
                options.warmUpTransactions == null || options.warmUpTransactions >= 0,
                "--warmup-transactions is at least 0");
        require(options.warmUpTransactions == null || options.byCount(), "--warmup-transactions needs --transactions");
        long fsyncDelayMillisMax = DatabaseOptions.EXTRA_FORCE_DELAY_MAX.toMillis();
        require(
                options.fsyncDelayMillis >= 0 && options.fsyncDelayMillis <= fsyncDelayMillisMax,
                "--fsync-delay is 0 to " + fsyncDelayMillisMax);
        require(
                options.pool == null
                        || (options.pool.bytes() >= DatabaseOptions.POOL_BYTES_MIN
                                && options.pool.bytes() <= DatabaseOptions.POOL_BYTES_MAX),
                "--pool is 1m to 1t");
        require(options.warmUpSeconds >= 0 && options.warmUpSeconds <= SECONDS_MAX, "--warmup is 0 to a week");
        require(options.durationSeconds > 0 && options.durationSeconds <= SECONDS_MAX, "--duration is up to a week");
        require(
                options.cores.stream().allMatch(count -> count >= 1 && count <= processorsMax),
                "--cores is 1 to " + processorsMax + ", the processors that this process may use");
        require(!options.unchecked || options.isSimulated(), "--unchecked is for ./lockstep simulate");
        require(
                options.profile == null || !options.isSimulated(),
                "--profile is not for ./lockstep simulate, where a profiler would sample the emulator");
        require(
                !options.flame || !options.isSimulated(),
                "--flame is not for ./lockstep simulate, where a profiler would sample the emulator");
        require(options.connections >= 0, "--connections is at least 1");
        checkCheckpoints(options);
        checkSlices(options, engines);
        require(!options.control || options.repeat >= 2, "--control needs --repeat 2 or more, to show a spread");
        require(
                options.url != null || !engines.contains(EngineName.POSTGRESQL),
                "--engine postgresql needs --url, for example jdbc:postgresql://localhost/test?user=u&password=p");
        require(
                options.url == null || options.url.startsWith(POSTGRESQL_URL),
                "--url '" + options.url + "' is no address of a PostgreSQL server: it begins with " + POSTGRESQL_URL);
        require(
                options.out == null || options.profile == null,
                "--out makes flame graphs of its own, in runs that count for no figure: leave out --profile");
        require(!options.flame || options.out != null, "--flame needs --out DIR, where the flame graphs go");
        checkEffect(options, engines);
        boolean lockstepOnly = engines.equals(List.of(EngineName.LOCKSTEP));
        require(
                lockstepOnly || !options.scanBeside,
                "--scan-beside needs --engine lockstep alone: other engines cannot be scanned while terminals run");
        require(
                !options.think || engines.stream().noneMatch(EngineName::oneThread),
                "--think needs a thread for each terminal, which plain, ordered and sqlite do not have");
        require(
                options.terminals.stream()
                        .allMatch(count -> (long) options.warehouses * count <= Terminal.TERMINALS_MAX),
                "--warehouses times --terminals is at most " + Terminal.TERMINALS_MAX);
    }

    private static void checkCheckpoints(TpccOptions options) {
        require(
                Protection.isCheckpoints(options.checkpoints),
                "--checkpoint-seconds is 0.01 to 86400, " + Protection.OFF + ", " + Protection.ONCE + " or "
                        + Protection.BY_LOG);
        require(
                options.checkpointLog == null
                        || (options.checkpointLog.bytes() >= DatabaseOptions.CHECKPOINT_LOG_BYTES_MIN
                                && options.checkpointLog.bytes() <= DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX),
                "--checkpoint-log is 1m to 1024t");
        require(
                options.checkpointLog == null || options.checkpoints.equals(Protection.BY_LOG),
                "--checkpoint-log needs --checkpoint-seconds " + Protection.BY_LOG);
    }

    /** What no run would heed is refused, since whoever reads the figures would believe that it was. */
    private static void checkEffect(TpccOptions options, List<EngineName> engines) {
        boolean lockstep = engines.contains(EngineName.LOCKSTEP);
        boolean steps = lockstep && !options.scheduler.equals(Spelling.of(Scheduling.JDK));
        String needsSteps = " needs --engine lockstep and --scheduler steps or both";
        require(steps || !options.teams.contains(Spelling.of(TeamMode.ON)), "--teams on" + needsSteps);
        require(steps || !options.lend, "--lend" + needsSteps);
        require(steps || !options.switchPoints, "--switch-points" + needsSteps);
        require(steps || options.teamData == null, "--team-data" + needsSteps);
        require(steps || options.teamLimit == SchedulerOptions.TEAM_LIMIT_DEFAULT, "--team-limit" + needsSteps);
        String needsLockstep = " needs --engine lockstep, alone or among others";
        require(lockstep || options.without.isEmpty(), "--without" + needsLockstep);
        require(
                lockstep || options.tornPages.equals(List.of(Spelling.of(TornPageProtection.DOUBLE_WRITE))),
                "--torn-pages" + needsLockstep);
        require(lockstep || options.checkpoints.equals(Protection.BY_LOG), "--checkpoint-seconds" + needsLockstep);
        require(lockstep || options.checkpointLog == null, "--checkpoint-log" + needsLockstep);
        require(lockstep || options.fsyncDelayMillis == 0, "--fsync-delay" + needsLockstep);
        require(lockstep || options.pool == null, "--pool" + needsLockstep);
    }

    /** Databases that are not worked on must do nothing, or it would be counted to another one's turn. */
    private static void checkSlices(TpccOptions options, List<EngineName> engines) {
        if (options.sliceSeconds == 0) {
            require(!options.checkpoints.equals(Protection.ONCE), "--checkpoint-seconds once needs --slices SECONDS");
            return;
        }
        require(
                options.sliceSeconds >= SLICE_SECONDS_MIN && options.sliceSeconds <= SECONDS_MAX,
                "--slices is at least 1, because terminals that start in one second would write rows of the same keys");
        require(
                engines.equals(List.of(EngineName.LOCKSTEP)),
                "--slices needs --engine lockstep alone, since other engines do not share a JVM");
        require(options.cores.size() == 1, "--slices needs one number of --cores, since all runs share a JVM");
        require(options.durationSeconds >= options.sliceSeconds, "--duration is at least as long as --slices");
        require(!options.byCount(), "--slices goes by time: leave out --transactions");
        require(
                !options.think,
                "--slices has no --think: in a turn shorter than the keying time of a transaction none would be"
                        + " measured");
        require(
                !options.scanBeside && options.profile == null && !options.flame,
                "--slices has no --scan-beside, no --profile and no --flame");
        require(
                List.of(Protection.ONCE, Protection.OFF, Protection.BY_LOG).contains(options.checkpoints),
                "--slices needs --checkpoint-seconds " + Protection.ONCE + ", " + Protection.OFF + " or "
                        + Protection.BY_LOG + ", since time passes for a database that waits for its turn too");
    }

    private static TeamLimits teamLimits(TpccOptions options) {
        if (options.teamData == null) {
            return TeamLimits.NONE;
        }
        Collection<CodeFootprints> measured = FootprintsFile.read("--team-data", options.teamData);
        require(
                measured.stream().anyMatch(each -> !each.dataBytes().isEmpty()),
                "--team-data " + options.teamData + " says of no operation what data it touches: make it anew with"
                        + " ./lockstep codemap --footprints FILE");
        return TeamLimits.of(options.teamL2 == null ? ThisMachine.l2Bytes() : options.teamL2.bytes(), measured);
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence + ".");
        }
    }

    private static List<RunSpec> lockstep(TpccOptions options, long memoryBytes, boolean profiled) {
        long pool = options.pool != null ? options.pool.bytes() : PoolSize.byDefault(options.warehouses, memoryBytes);
        return LockstepVariant.all(options).stream()
                .map(variant -> lockstep(options, variant, pool, profiled))
                .toList();
    }

    private static RunSpec lockstep(TpccOptions options, LockstepVariant variant, long pool, boolean profiled) {
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
                ChildFlags.LOCKSTEP_HEAP_BYTES);
    }

    private static List<RunSpec> peer(TpccOptions options, EngineName engine, long memoryBytes, boolean profiled) {
        int terminals = options.warehouses * options.terminals.getFirst();
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
                        NONE,
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
        return options.connections == 0 || counts.size() == 1
                ? counts
                : List.of(Math.min(options.connections, terminals));
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
                options.lend && teams.equals(Spelling.of(TeamMode.ON)),
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
