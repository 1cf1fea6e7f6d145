package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.JvmOption;
import dev.lockstep.bench.report.MemorySize;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of {@code tpcc}, checked one by one by picocli and together by {@link TpccPlan}. */
final class TpccOptions {
    @Option(
            names = "--engine",
            split = ",",
            paramLabel = "ENGINE",
            defaultValue = "lockstep",
            converter = Choice.OfEngine.class,
            completionCandidates = Choice.OfEngine.class,
            description = {
                "Engines to run, separated by commas: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.",
                "plain: dense arrays, one thread, no locks, no log; the ceiling. ordered: maps of java.util, likewise."
                        + " h2, hsqldb, derby, sqlite: over JDBC, in memory; the best of 1, 2, 4 and 10 connections"
                        + " counts; sqlite has one connection, since in memory others fail where they would have to"
                        + " wait. all: every one of them, postgresql if --url is given."
            })
    List<String> engines;

    @Option(
            names = "--warehouses",
            paramLabel = "N",
            defaultValue = "1",
            description = "Size of the database, 1 to " + TpccScale.WAREHOUSES_MAX + "; about 100 MB each. Default:"
                    + " ${DEFAULT-VALUE}.")
    int warehouses;

    @Option(
            names = "--shrink",
            paramLabel = "N",
            defaultValue = "1",
            description = "Loads one Nth of each warehouse's items, customers and orders, 1 to 100: to try things out,"
                    + " or where loading takes long. With more than 1 it is not TPC-C, and figures compare only with"
                    + " those of the same size. Default: ${DEFAULT-VALUE}.")
    int shrink;

    @Option(
            names = "--terminals",
            split = ",",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Emulated users of each warehouse, 1 or more. Several numbers make as many runs of Lockstep, each"
                            + " compared with the first; other engines get the first. Default: ${DEFAULT-VALUE}.")
    List<Integer> terminals;

    @Option(
            names = "--cores",
            split = ",",
            paramLabel = "N",
            defaultValue = "1",
            description = "Processors that each run is pinned to, with its log writer, GC and JIT threads: 1 to those"
                    + " that this process may use. Several numbers make as many runs of Lockstep, each compared with"
                    + " the first; other engines get the first. Default: ${DEFAULT-VALUE}.")
    List<Integer> cores;

    @Option(
            names = "--scheduler",
            paramLabel = "NAME",
            defaultValue = "both",
            converter = Choice.OfScheduler.class,
            completionCandidates = Choice.OfScheduler.class,
            description = "What schedules Lockstep's terminals: ${COMPLETION-CANDIDATES}. jdk: one ordinary virtual"
                    + " thread each. steps: one S-thread each, in teams. Default: ${DEFAULT-VALUE}.")
    String scheduler;

    @Option(
            names = "--sthreads",
            paramLabel = "KIND",
            defaultValue = "virtual",
            converter = Choice.OfSThreads.class,
            completionCandidates = Choice.OfSThreads.class,
            description = "What S-threads are made of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    String sthreads;

    @Option(
            names = "--durability",
            split = ",",
            paramLabel = "MODE",
            defaultValue = "sync",
            converter = Choice.OfDurability.class,
            completionCandidates = Choice.OfDurability.class,
            description = "When Lockstep answers a commit: ${COMPLETION-CANDIDATES}. sync: when it is on disk. async:"
                    + " at once, a crash loses at most 100 ms. none: no log. Several modes make as many runs, each"
                    + " compared with the first. Default: ${DEFAULT-VALUE}.")
    List<String> durabilities;

    @Option(
            names = "--isolation",
            paramLabel = "LEVEL",
            defaultValue = RunSpec.ISOLATION_TPCC,
            converter = Choice.OfIsolation.class,
            completionCandidates = Choice.OfIsolation.class,
            description = "Isolation of all transactions: ${COMPLETION-CANDIDATES}. tpcc: what TPC-C requires, which"
                    + " is serializable, and read-committed for Stock-Level. Over JDBC, transactions that change rows"
                    + " would lose updates at a weaker level than read-committed, in hsqldb and derby than"
                    + " repeatable-read: they run at that one then, and all of sqlite are serializable. The report says"
                    + " which level each transaction ran at. Default: ${DEFAULT-VALUE}.")
    String isolation;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "Time before measuring, 0 to a week. Default: ${DEFAULT-VALUE}.")
    double warmUpSeconds;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Time measured, more than 0 and up to a week. Default: ${DEFAULT-VALUE}.")
    double durationSeconds;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            description = "Measures N transactions, 1 or more, in place of a time, after as many as --warmup is to"
                    + " --duration or --warmup-transactions says. Under ./lockstep simulate: 8000 unless said"
                    + " otherwise, of plain 200000, of ordered 20000, over JDBC 2000.")
    Long transactions;

    @Option(
            names = "--warmup-transactions",
            paramLabel = "N",
            description = "Transactions before measuring, 0 or more, with --transactions. Under ./lockstep simulate,"
                    + " unless said otherwise, as many as one warehouse needs to be steady: 120000, of plain 3000000,"
                    + " of ordered 300000, over JDBC 6000 (there without C1).")
    Long warmUpTransactions;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs everything N times, 1 or more, taking turns; 5 or more for a figure that is to be"
                    + " believed. Default: ${DEFAULT-VALUE}.")
    int repeat;

    @Option(
            names = "--control",
            description = "Runs the first configuration once more in each repetition, against itself (A/A): a"
                    + " difference smaller than what this shows is none. Needs --repeat 2 or more.")
    boolean control;

    @Option(
            names = "--mix",
            paramLabel = "MIX",
            defaultValue = "standard",
            converter = Choice.OfMix.class,
            completionCandidates = Choice.OfMix.class,
            description = "Which transactions: ${COMPLETION-CANDIDATES}. interactive: standard without Delivery."
                    + " delivery: after 900 for each warehouse, fewer with --shrink, no order is left to deliver, and"
                    + " what is measured then are empty transactions: say --transactions; the report warns."
                    + " Default: ${DEFAULT-VALUE}.")
    String mix;

    @Option(
            names = "--think",
            description = "Terminals wait for keying and think times, as the specification has it: some 21 s for a"
                    + " transaction, the first New-Orders 18 s. Needs --warmup 30 --duration 120 or more for figures.")
    boolean think;

    @Option(
            names = "--pool",
            paramLabel = "SIZE",
            converter = MemorySize.Converter.class,
            description = "Lockstep's buffer pool, like 256m or 2g, 1m to 1048575m. Default: enough for the whole"
                    + " database and what the run adds, at most half of the memory, of which with --slices all"
                    + " databases have an equal part.")
    MemorySize pool;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where Lockstep's database and log lie during a run, in a directory of their own that is"
                    + " removed afterwards; choose the disk that is to be measured. Default: the system's directory"
                    + " for temporary files.")
    Path directory;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes all results, the configuration, the JVM and the machine. ratios.stepsOverJdk is STEPS"
                    + " with teams and batches over jdk with neither; it is null where no such runs are among them, as"
                    + " without --batches off,on, and ratios.schedulingAlone is STEPS over jdk with the same batches"
                    + " then.")
    Path json;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of everything random: the same seed loads the same rows and deals the same inputs."
                    + " Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(
            names = "--fsync-delay",
            paramLabel = "MILLIS",
            defaultValue = "0",
            showDefaultValue = Visibility.NEVER,
            description = "Adds MILLIS to each force of Lockstep's log, 0 to 10000, as a slower disk would.")
    int fsyncDelayMillis;

    @Option(
            names = "--slices",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "Lockstep's configurations share one JVM, each with a database of its own, and take turns of"
                    + " so many seconds until each has had --warmup, and then --duration as often as --repeat says:"
                    + " what the machine and the JIT compilers do differently from minute to minute and from JVM to JVM"
                    + " meets all of them. SECONDS is 1 to a week; 0: each run has a JVM of its own. Default:"
                    + " ${DEFAULT-VALUE}.")
    double sliceSeconds;

    @Option(
            names = "--one-database",
            description = "With --slices: all configurations, which differ in --teams alone, off and one other, take"
                    + " their turns on one database, with --control as well. Two databases of one JVM can differ by a"
                    + " tenth in what a transaction takes, for as long as they are open; a ratio of turns on one"
                    + " database has nothing of that.")
    boolean oneDatabase;

    @Option(
            names = "--checkpoint-seconds",
            paramLabel = "N",
            defaultValue = Protection.BY_LOG,
            description = "Lockstep writes a checkpoint every N seconds, 0.01 to 86400, whatever the length of the log;"
                    + " off: none while the run lasts; by-log: as --checkpoint-log says; once, with --slices: one at"
                    + " the beginning of each --duration. Default: ${DEFAULT-VALUE}.")
    String checkpoints;

    @Option(
            names = "--checkpoint-log",
            paramLabel = "SIZE",
            converter = MemorySize.Converter.class,
            description = "Lockstep writes a checkpoint whenever so much log has come together, like 64m or 1g, 1m to"
                    + " 1024t. With more of it a page that many transactions change is written less often, and an"
                    + " opening after a crash takes longer: see ./lockstep restart. Default: half of --pool, but at"
                    + " least 256m and at most 1g, as for every database.")
    MemorySize checkpointLog;

    @Option(
            names = "--torn-pages",
            split = ",",
            paramLabel = "HOW",
            defaultValue = "double-write",
            converter = Choice.OfTornPages.class,
            completionCandidates = Choice.OfTornPages.class,
            description = "What protects Lockstep's pages from being torn: ${COMPLETION-CANDIDATES}. Several make as"
                    + " many runs, each compared with the first. Default: ${DEFAULT-VALUE}.")
    List<String> tornPages;

    @Option(
            names = "--without",
            split = ",",
            paramLabel = "WHAT",
            converter = Choice.OfMechanism.class,
            completionCandidates = Choice.OfMechanism.class,
            description = "Runs Lockstep once more without each of these, to be compared with the run that has all:"
                    + " ${COMPLETION-CANDIDATES}. all is checksums, torn-pages and checkpoints together. What it says"
                    + " then of crashes no longer holds.")
    List<String> without = List.of();

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "Writes a flame graph (HTML, by async-profiler) of each measured phase; where there are"
                    + " several, the configuration's name is put before the extension. Figures of such runs include"
                    + " the profiler.")
    Path profile;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Makes DIR, if need be, and writes a report into it: report.html, one page with tables and plots"
                            + " that needs nothing else; the plots, as SVG and PNG, below plots/; report.txt, what is"
                            + " printed; result.json, what --json writes; and a flame graph of each configuration of"
                            + " Lockstep, such as flames-lockstep-jdk.html and flames-lockstep-steps.html, each from a"
                            + " further run with the profiler, which counts for no figure. With --slices, and under"
                            + " ./lockstep simulate, there are none.")
    Path out;

    @Option(
            names = "--flame",
            description = "With --out: draws flame graphs of the other engines too, likewise from further runs. Frames"
                    + " in orange are no methods but say what was done: the transaction, the operation with its index,"
                    + " and the team (straight: outside any).")
    boolean flame;

    @Option(
            names = "--scan-beside",
            description = "Runs each configuration of Lockstep once more with a thread beside it that scans the largest"
                    + " tables again and again during the measured phase.")
    boolean scanBeside;

    @Option(
            names = "--teams",
            split = ",",
            paramLabel = "MODE",
            defaultValue = "governed",
            converter = Choice.OfTeams.class,
            completionCandidates = Choice.OfTeams.class,
            description =
                    "When STEPS forms teams: ${COMPLETION-CANDIDATES}. governed: for operations that were measured"
                            + " to gain by it. Several make as many runs. Default: ${DEFAULT-VALUE}.")
    List<String> teams;

    @Option(
            names = "--team-policy",
            split = ",",
            paramLabel = "POLICY",
            defaultValue = "last-wanted",
            converter = Choice.OfPolicy.class,
            completionCandidates = Choice.OfPolicy.class,
            description = "Which list of waiting threads becomes the next team: ${COMPLETION-CANDIDATES}."
                    + " last-wanted, the paper's: what the last member or stray wants. waves: transactions of one type"
                    + " begin together, and no other while they are under way. Several make as many runs"
                    + " where teams are not off. Default: ${DEFAULT-VALUE}.")
    List<String> teamPolicies;

    @Option(
            names = "--team-execution",
            split = ",",
            paramLabel = "HOW",
            defaultValue = "switching",
            converter = Choice.OfTeamExecution.class,
            completionCandidates = Choice.OfTeamExecution.class,
            description = "How a team executes: ${COMPLETION-CANDIDATES}. switching: each member for itself. serial:"
                    + " likewise, with the turns of --switch-points behind each operation, where they save"
                    + " nothing. apart: with a turn behind each operation, so that all end it before the first goes"
                    + " on. staged: the first member fetches the rows of all by primary key, and does their"
                    + " changes at least up to the leaf, a stage of each in turn. Several make as many runs"
                    + " where teams are not off. Default: ${DEFAULT-VALUE}.")
    List<String> teamExecutions;

    @Option(
            names = "--consolidate",
            split = ",",
            paramLabel = "WHETHER",
            defaultValue = Choice.OfSwitch.OFF,
            converter = Choice.OfSwitch.class,
            completionCandidates = Choice.OfSwitch.class,
            description =
                    "Whether operations of one kind on different indexes, such as fetches, execute in common teams"
                        + " where those of each index stay small, with --teams on: ${COMPLETION-CANDIDATES}. Both make"
                        + " as many runs. Default: ${DEFAULT-VALUE}.")
    List<String> consolidations;

    @Option(
            names = "--lend",
            description = "A core without work does works of the lists of another, with --teams on and"
                    + " --team-execution staged.")
    boolean lend;

    @Option(
            names = "--batches",
            split = ",",
            paramLabel = "WHETHER",
            defaultValue = Choice.OfSwitch.ON,
            converter = Choice.OfSwitch.class,
            completionCandidates = Choice.OfSwitch.class,
            description = "Whether the rows that a statement names together go to Lockstep together:"
                    + " ${COMPLETION-CANDIDATES}. off: one after the other. Both make as many runs, which with"
                    + " --teams on,off show what teams and batches are worth, each alone and together."
                    + " Default: ${DEFAULT-VALUE}.")
    private List<String> batches;

    @Option(
            names = "--team-limit",
            paramLabel = "N",
            defaultValue = "" + SchedulerOptions.TEAM_LIMIT_DEFAULT,
            description = "Largest number of members of a team, 1 or more. Default: ${DEFAULT-VALUE}.")
    int teamLimit;

    @Option(
            names = "--team-data",
            paramLabel = "FILE",
            description = "Limits the team of each operation to as many members as find room for their data in half of"
                    + " the L2 cache. FILE says what an operation touches, as ./lockstep codemap --footprints FILE"
                    + " measures it; operations that it does not name keep --team-limit.")
    Path teamData;

    @Option(
            names = "--team-l2",
            paramLabel = "SIZE",
            converter = MemorySize.Converter.class,
            description = "The L2 cache that --team-data goes by, for example 256k. Default: this machine's.")
    MemorySize teamL2;

    @Option(
            names = "--switch-points",
            description = "Members of a team take turns at the switch points inside operations.")
    boolean switchPoints;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "JDBC URL of a PostgreSQL server, with user and password; an example stands below. Its"
                + " schema lockstep_tpcc is dropped before a run, and after one that was not given up. The server is"
                + " not pinned, and its processor time not counted: start it with taskset where one core is to do all"
                + " the work.")
    String url;

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            converter = JvmOption.class,
            description = "One more option of every child JVM; may be repeated. It takes precedence over the common"
                    + " ones, which are listed below.")
    List<String> jvmOptions = List.of();

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Connections of an engine over JDBC, 1 to its terminals. Default: 1, 2, 4 and 10 are tried;"
                    + " under ./lockstep simulate as many as --cores.")
    Integer connections;

    @Option(
            names = "--unchecked",
            description = "Under ./lockstep simulate: leaves out the consistency conditions and the tally. They are"
                    + " checked by default, outside the measured phase: of Lockstep on the machine, of engines in"
                    + " memory by the simulated JVM itself.")
    boolean unchecked;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    /** Whether runs are simulated: they go by numbers of transactions, since seconds mean nothing there. */
    private boolean simulated;

    /** For picocli. */
    TpccOptions() {}

    /** Runs are simulated. */
    void simulated() {
        simulated = true;
    }

    /** Keeps of each list what is in it once: runs of the same kind would have the same name. */
    void nameOnce() {
        terminals = distinct(terminals);
        cores = distinct(cores);
        durabilities = distinct(durabilities);
        tornPages = distinct(tornPages);
        without = distinct(without);
        teams = distinct(teams);
        teamPolicies = distinct(teamPolicies);
        teamExecutions = distinct(teamExecutions);
        consolidations = distinct(consolidations);
        batches = distinct(batches);
    }

    private static <T> List<T> distinct(List<T> values) {
        return values.stream().distinct().toList();
    }

    /** Whether there are batches, in the order in which the runs take turns. */
    List<Boolean> batches() {
        return batches.stream().map(Choice.OfSwitch.ON::equals).toList();
    }

    /** Emulated users in all, of engines that run with one number of them. */
    int terminals() {
        return warehouses * terminals.getFirst();
    }

    /** The connections of an engine that can have several, or empty where several numbers are tried. */
    OptionalInt connections() {
        if (connections != null) {
            return OptionalInt.of(connections);
        }
        return simulated ? OptionalInt.of(Math.min(cores.getFirst(), terminals())) : OptionalInt.empty();
    }

    /** After how much log a checkpoint begins, or {@link Protection#AS_ENGINE}. */
    long checkpointLogBytes() {
        return checkpointLog == null ? Protection.AS_ENGINE : checkpointLog.bytes();
    }

    boolean isSimulated() {
        return simulated;
    }

    /** How many transactions of an engine are measured, 0 to go by time. */
    long transactions(EngineName engine) {
        if (transactions != null) {
            return transactions;
        }
        return simulated ? engine.simulatedTransactions() : 0;
    }

    /** How many are run before. */
    long warmUpTransactions(EngineName engine) {
        if (warmUpTransactions != null) {
            return warmUpTransactions;
        }
        return simulated
                ? engine.simulatedWarmUpTransactions()
                : Math.round(transactions(engine) * (warmUpSeconds / durationSeconds));
    }

    /** Whether an option stands on the command line, be it with its default. */
    boolean isGiven(String option) {
        return mixee.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Whether runs go by numbers of transactions. */
    boolean byCount() {
        return simulated || transactions != null;
    }
}
