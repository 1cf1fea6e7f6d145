package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.Terminal;
import dev.lockstep.tpcc.workload.TransactionMix;
import dev.lockstep.tpcc.workload.UserDelays;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Refuses options that are out of range, that contradict each other, or that no run would heed. */
final class TpccOptionsCheck {
    private static final String POSTGRESQL_URL = "jdbc:postgresql:";

    /** Terminals that start in the same second would write rows of HISTORY with the same keys. */
    private static final double SLICE_SECONDS_MIN = 1;

    /** Longest run: deadlines in nanoseconds stay far from overflow. */
    private static final double SECONDS_MAX = 7 * 86_400;

    private TpccOptionsCheck() {}

    /**
     * Looks at all of them, and at no file but those that {@link TpccPlan} reads.
     *
     * @param processorsMax that a run may have
     * @throws IllegalArgumentException if options contradict each other, with a sentence for the user
     */
    static void check(TpccOptions options, List<EngineName> engines, int processorsMax) {
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
        require(
                options.terminals.stream()
                        .allMatch(count -> (long) options.warehouses * count <= Terminal.TERMINALS_MAX),
                "--warehouses times --terminals is at most " + Terminal.TERMINALS_MAX);
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
        require(
                !options.lend || options.cores.stream().anyMatch(count -> count > 1),
                "--lend needs --cores 2 or more, since one carrier lends to another");
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
                "--pool is 1m to 1048575m");
        require(options.warmUpSeconds >= 0 && options.warmUpSeconds <= SECONDS_MAX, "--warmup is 0 to a week");
        require(
                options.durationSeconds > 0 && options.durationSeconds <= SECONDS_MAX,
                "--duration is more than 0 and up to a week");
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
        require(options.connections == null || options.connections >= 1, "--connections is at least 1");
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
        checkThink(options, engines);
    }

    /** Users must be able to end a transaction of each type before the run does. */
    private static void checkThink(TpccOptions options, List<EngineName> engines) {
        if (!options.think) {
            return;
        }
        require(
                engines.stream().noneMatch(EngineName::oneThread),
                "--think needs a thread for each terminal, which plain, ordered and sqlite do not have");
        TransactionMix mix = Spelling.parse(TransactionMix.class, options.mix);
        TransactionType slowest = Arrays.stream(TransactionType.values())
                .filter(type -> mix.count(type) > 0)
                .max(Comparator.comparingLong(UserDelays::keyingSeconds))
                .orElseThrow();
        long seconds = UserDelays.keyingSeconds(slowest);
        require(
                options.byCount() || options.warmUpSeconds + options.durationSeconds > seconds,
                "--think needs --warmup and --duration of more than " + seconds + " s together, since a "
                        + slowest.title() + " takes so long to be keyed in; for figures, --warmup 30 --duration 120"
                        + " or more");
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
        checkTimes(options);
        checkScheduling(options, lockstep);
        String needsLockstep = " needs --engine lockstep, alone or among others";
        require(lockstep || options.without.isEmpty(), "--without" + needsLockstep);
        checkWithout(options);
        require(
                lockstep || options.tornPages.equals(List.of(Spelling.of(TornPageProtection.DOUBLE_WRITE))),
                "--torn-pages" + needsLockstep);
        require(lockstep || options.checkpoints.equals(Protection.BY_LOG), "--checkpoint-seconds" + needsLockstep);
        require(lockstep || options.checkpointLog == null, "--checkpoint-log" + needsLockstep);
        require(lockstep || options.fsyncDelayMillis == 0, "--fsync-delay" + needsLockstep);
        require(lockstep || options.pool == null, "--pool" + needsLockstep);
        require(
                lockstep || options.durabilities.equals(List.of(Spelling.of(Durability.SYNC))),
                "--durability" + needsLockstep);
        require(lockstep || options.cores.size() == 1, "more than one value of --cores" + needsLockstep);
        require(lockstep || options.terminals.size() == 1, "more than one value of --terminals" + needsLockstep);
        require(lockstep || options.batches().equals(List.of(true)), "--batches" + needsLockstep);
        require(
                options.fsyncDelayMillis == 0 || !options.durabilities.equals(List.of(Spelling.of(Durability.NONE))),
                "--fsync-delay needs --durability sync or async, which force a log");
        require(
                !options.flame || !engines.equals(List.of(EngineName.LOCKSTEP)),
                "--flame is for engines beside Lockstep, of which --out draws flame graphs anyway");
        require(options.url == null || engines.contains(EngineName.POSTGRESQL), "--url needs --engine postgresql");
        checkJdbc(options, engines);
    }

    /** Runs that go by numbers heed times only where the one number follows from the other by them. */
    private static void checkTimes(TpccOptions options) {
        for (String option : List.of("--warmup", "--duration")) {
            require(
                    !options.isSimulated() || !options.isGiven(option),
                    option + " is not for ./lockstep simulate, where runs go by --transactions and"
                            + " --warmup-transactions");
            require(
                    options.warmUpTransactions == null || !options.isGiven(option),
                    option + " says nothing beside --transactions and --warmup-transactions: leave out one or the"
                            + " other");
        }
    }

    private static void checkJdbc(TpccOptions options, List<EngineName> engines) {
        boolean manyConnections = engines.stream().anyMatch(engine -> engine.peer() != null && !engine.oneThread());
        boolean serializable = options.isolation.equals(Spelling.of(IsolationLevel.SERIALIZABLE));
        require(
                options.isolation.equals(RunSpec.ISOLATION_TPCC)
                        || engines.contains(EngineName.LOCKSTEP)
                        || manyConnections
                        || (serializable && engines.contains(EngineName.SQLITE)),
                "--isolation needs an engine that has such levels: lockstep, h2, hsqldb, derby or postgresql; sqlite"
                        + " is serializable, plain and ordered have one thread");
        if (options.connections == null) {
            return;
        }
        require(manyConnections, "--connections needs --engine h2, hsqldb, derby or postgresql");
        require(
                !options.think,
                "--connections has no --think, with which each terminal has a thread of its own, which borrows a"
                        + " connection for each transaction");
        int terminals = options.terminals();
        require(
                options.connections <= terminals,
                "--connections is at most --warehouses times --terminals, here " + terminals
                        + ": a connection serves one terminal or several");
    }

    /** A run without what it does not have would be its own control, and look like a cost of nothing. */
    private static void checkWithout(TpccOptions options) {
        List<String> without = options.without;
        require(
                !without.contains(Spelling.of(Protection.Mechanism.TORN_PAGES))
                        || !options.tornPages.getFirst().equals(Spelling.of(TornPageProtection.NONE)),
                "--without torn-pages needs a protection that it can leave out, as the first of --torn-pages");
        require(
                !options.checkpoints.equals(Protection.OFF)
                        || (!without.contains(Spelling.of(Protection.Mechanism.CHECKPOINTS))
                                && !without.contains(Spelling.of(Protection.Mechanism.PACING))),
                "--without checkpoints and --without pacing need checkpoints, which --checkpoint-seconds off has not");
    }

    private static void checkScheduling(TpccOptions options, boolean lockstep) {
        require(
                lockstep || !options.isGiven("--scheduler"),
                "--scheduler needs --engine lockstep, alone or among others");
        boolean steps = lockstep && !options.scheduler.equals(Spelling.of(Scheduling.JDK));
        String needsSteps = " needs --engine lockstep and --scheduler steps or both";
        require(steps || !options.teams.contains(Spelling.of(TeamMode.ON)), "--teams on" + needsSteps);
        require(steps || options.teams.size() == 1, "more than one value of --teams" + needsSteps);
        require(steps || !options.lend, "--lend" + needsSteps);
        require(steps || options.sthreads.equals(Spelling.of(SThreadKind.VIRTUAL)), "--sthreads" + needsSteps);
        boolean teams = !options.teams.equals(List.of(Spelling.of(TeamMode.OFF)));
        Map<String, Boolean> ofTeams = new LinkedHashMap<>();
        ofTeams.put("--switch-points", options.switchPoints);
        ofTeams.put("--team-data", options.teamData != null);
        ofTeams.put("--team-limit", options.teamLimit != SchedulerOptions.TEAM_LIMIT_DEFAULT);
        ofTeams.put("--team-policy", !options.teamPolicies.equals(List.of(Spelling.of(NamedPolicy.LAST_WANTED))));
        ofTeams.put("--team-execution", !options.teamExecutions.equals(List.of(Spelling.of(TeamExecution.SWITCHING))));
        ofTeams.forEach((option, given) -> {
            require(steps || !given, option + needsSteps);
            require(teams || !given, option + " needs --teams on or governed");
        });
    }

    /** Databases that are not worked on must do nothing, or it would be counted to another one's turn. */
    private static void checkSlices(TpccOptions options, List<EngineName> engines) {
        if (options.sliceSeconds == 0) {
            require(!options.checkpoints.equals(Protection.ONCE), "--checkpoint-seconds once needs --slices SECONDS");
            require(!options.oneDatabase, "--one-database needs --slices SECONDS");
            return;
        }
        require(
                options.sliceSeconds >= SLICE_SECONDS_MIN && options.sliceSeconds <= SECONDS_MAX,
                "--slices is 0, or 1 to a week, since terminals that start in one second would write rows of the same"
                        + " keys");
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
        checkOneDatabase(options);
    }

    /** What turns on one database can differ in is what its scheduler can change while it is open. */
    private static void checkOneDatabase(TpccOptions options) {
        if (!options.oneDatabase) {
            return;
        }
        require(
                options.scheduler.equals(Spelling.of(Scheduling.STEPS)),
                "--one-database needs --scheduler steps, whose teams are what its turns differ in");
        require(
                options.teams.size() == 2 && options.teams.contains(Spelling.of(TeamMode.OFF)),
                "--one-database needs --teams off and one other, since a scheduler has one way to form teams, and"
                        + " can be told not to");
        require(
                LockstepVariant.all(options).size() == options.teams.size(),
                "--one-database has one value of each option but --teams");
        require(
                !options.checkpoints.equals(Protection.ONCE),
                "--one-database needs --checkpoint-seconds " + Protection.OFF + " or " + Protection.BY_LOG
                        + ": of three checkpoints in a row the first writes what all have changed, and the others"
                        + " little");
    }

    /** Refuses by a sentence what is not so. */
    static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence + ".");
        }
    }
}
