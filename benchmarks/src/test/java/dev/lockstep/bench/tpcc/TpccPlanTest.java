package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.MemorySize;
import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class TpccPlanTest {
    private static final long LOG_BYTES = Protection.AS_ENGINE;

    private static final long MEMORY_BYTES = 16L << 30;
    private static final int PROCESSORS = 4;

    @TempDir
    private Path directory;

    @Command
    private static final class Holder {
        @Mixin
        private TpccOptions options;
    }

    private static TpccOptions parse(String... arguments) {
        Holder holder = new Holder();
        new CommandLine(holder).parseArgs(arguments);
        return holder.options;
    }

    static TpccPlan plan(String... arguments) {
        return TpccPlan.of(parse(arguments), MEMORY_BYTES, PROCESSORS);
    }

    private static void assertRefused(String part, String... arguments) {
        TpccOptions options = parse(arguments);
        String message = assertThrows(
                        IllegalArgumentException.class, () -> TpccPlan.of(options, MEMORY_BYTES, PROCESSORS))
                .getMessage();
        assertTrue(message.contains(part), message);
    }

    /** What gets slower with time is no property of the configuration that is always last. */
    @Test
    void everySecondRepetitionRunsBackwards() {
        TpccPlan plan = plan("--scheduler=jdk", "--durability=async,none", "--repeat=3", "--control");
        List<TpccPlan.Turn> first = plan.turns(1);
        assertEquals(
                List.of("async", "none", "async"),
                first.stream().map(turn -> turn.spec().durability()).toList());
        assertEquals(
                List.of(false, false, true),
                first.stream().map(TpccPlan.Turn::control).toList());
        assertEquals(first.reversed(), plan.turns(2));
        assertEquals(first, plan.turns(3));
    }

    /** Short transactions need more of them; one connection is the thread that a core has. */
    @Test
    void simulatedRunsGoByNumbersOfTheirEngines() {
        TpccOptions options = parse("--engine", "lockstep,plain,h2", "--scheduler", "steps");
        options.simulated();
        TpccPlan plan = TpccPlan.of(options, MEMORY_BYTES, 64);
        assertEquals(List.of(), plan.peers());
        assertEquals(
                List.of(8_000L, 200_000L, 2_000L),
                plan.configurations().stream().map(RunSpec::transactions).toList());
        assertEquals(
                List.of(120_000L, 3_000_000L, 6_000L),
                plan.configurations().stream().map(RunSpec::warmUpTransactions).toList());
        assertEquals(1, plan.configurations().getLast().threads());

        TpccOptions own = parse("--engine", "plain", "--transactions", "7", "--warmup-transactions", "9");
        own.simulated();
        RunSpec spec = TpccPlan.of(own, MEMORY_BYTES, 64).configurations().getFirst();
        assertEquals(7, spec.transactions());
        assertEquals(9, spec.warmUpTransactions());
        assertRefused("--unchecked", "--unchecked");
    }

    @Test
    void noProfilerSamplesASimulatedRun() {
        for (List<String> words : List.of(List.of("--profile=flames.html"), List.of("--out=report", "--flame"))) {
            TpccOptions options = parse(words.toArray(String[]::new));
            options.simulated();
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> TpccPlan.of(options, MEMORY_BYTES, 64));
            String option = words.getLast().replaceFirst("=.*", "");
            assertEquals(
                    option + " is not for ./lockstep simulate, where a profiler would sample the emulator.",
                    refused.getMessage());
        }
        TpccOptions reported = parse("--out=report");
        reported.simulated();
        TpccPlan plan = TpccPlan.of(reported, MEMORY_BYTES, 64);
        assertEquals(List.of(), plan.profiled());
        assertEquals(2, plan.runCount());
    }

    @Test
    void oneNumberOfConnectionsIsTriedWhereItIsNamed() {
        TpccPlan plan = plan("--engine", "h2", "--connections", "4");
        assertEquals(
                List.of("h2/4"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(List.of(), plan.peers());
        assertRefused("--connections", "--engine", "h2", "--connections", "-1");
    }

    @Test
    void runsStepsBesideTheJdkUnlessToldOtherwise() {
        TpccPlan plan = plan();
        assertEquals(
                List.of("lockstep/jdk", "lockstep/steps"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(List.of(), plan.peers());
        assertEquals(2, plan.runCount());
        RunSpec steps = plan.configurations().getLast();
        assertEquals(1, steps.warehouses());
        assertEquals(10, steps.terminals());
        assertEquals(10, steps.threads());
        assertEquals(1, steps.cores());
        assertEquals("virtual", steps.sthreads());
        assertEquals("sync", steps.durability());
        assertEquals("tpcc", steps.isolation());
        assertEquals("standard", steps.mix());
        assertEquals(5, steps.warmUpSeconds());
        assertEquals(10, steps.durationSeconds());
        assertEquals(0, steps.transactions());
        assertEquals(512L << 20, steps.heapBytes());
        assertEquals("none", plan.configurations().getFirst().sthreads());
    }

    @Test
    void coresTakeTurnsAndOtherEnginesGetTheFirst() {
        TpccPlan plan = plan("--cores=2,1", "--scheduler=steps", "--engine=lockstep,plain");
        assertEquals(
                List.of("lockstep/steps 2 cores", "lockstep/steps 1 core", "plain"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of(2, 1, 2),
                plan.configurations().stream().map(RunSpec::cores).toList());
        assertRefused("--cores", "--cores=1,100000");
        assertRefused("--cores", "--cores=0,1");
    }

    @Test
    void policiesTakeTurnsWhereThereAreTeams() {
        TpccPlan plan = plan("--teams=off,on", "--team-policy=last-wanted,largest");
        assertEquals(
                List.of(
                        "lockstep/jdk",
                        "lockstep/steps teams off",
                        "lockstep/steps teams on, last-wanted",
                        "lockstep/steps teams on, largest"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of("none", "none", "last-wanted", "largest"),
                plan.configurations().stream().map(RunSpec::teamPolicy).toList());
        assertEquals("last-wanted", plan().configurations().getLast().teamPolicy());
    }

    @Test
    void triesEachWayOfExecutingWhereTeamsForm() {
        TpccPlan plan = plan("--teams=off,on", "--team-execution=switching,staged");
        assertEquals(
                List.of(
                        "lockstep/jdk",
                        "lockstep/steps teams off",
                        "lockstep/steps teams on, switching",
                        "lockstep/steps teams on, staged"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of("none", "none", "switching", "staged"),
                plan.configurations().stream().map(RunSpec::teamExecution).toList());
        assertEquals("switching", plan().configurations().getLast().teamExecution());
    }

    @Test
    void consolidatesTeamsWhereTheyAlwaysForm() {
        TpccPlan plan = plan("--teams=governed,on", "--consolidate=off,on");
        assertEquals(
                List.of(
                        "lockstep/jdk",
                        "lockstep/steps governed teams",
                        "lockstep/steps teams on, consolidation off",
                        "lockstep/steps teams on, consolidation on"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of("none", "none", "off", "on"),
                plan.configurations().stream().map(RunSpec::consolidation).toList());
        assertRefused("--consolidate on needs --teams on", "--teams=governed", "--consolidate=on");
    }

    @Test
    void lendsWhereTeamsAlwaysForm() {
        TpccPlan plan = plan("--teams=governed,on", "--team-execution=switching,staged", "--cores=1,2", "--lend");
        List<RunSpec> lending =
                plan.configurations().stream().filter(RunSpec::lending).toList();
        assertEquals(
                List.of("lockstep/steps 2 cores teams on, staged"),
                lending.stream().map(RunSpec::label).toList());
        assertRefused("--lend needs --teams on", "--teams=on", "--cores=2", "--lend");
        assertRefused("--lend needs --cores 2", "--teams=on", "--team-execution=staged", "--lend");
    }

    @Test
    void runsWhatIsNamedSeveralTimesInEveryCombination() {
        TpccPlan plan = plan("--durability=async,sync", "--terminals=1,50", "--scheduler=jdk", "--scan-beside");
        assertEquals(
                List.of(
                        "lockstep/jdk async 1 terminals",
                        "lockstep/jdk async 1 terminals with scan",
                        "lockstep/jdk async 50 terminals",
                        "lockstep/jdk async 50 terminals with scan",
                        "lockstep/jdk sync 1 terminals",
                        "lockstep/jdk sync 1 terminals with scan",
                        "lockstep/jdk sync 50 terminals",
                        "lockstep/jdk sync 50 terminals with scan"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals("sync", plan.configurations().getLast().durability());
        assertEquals(50, plan.configurations().getLast().threads());
        assertTrue(plan.configurations().getLast().scanBeside());
    }

    @Test
    void checkpointsComeAfterAsMuchLogAsIsAskedFor() {
        Protection protection =
                plan("--checkpoint-log=1g").configurations().getFirst().protection();
        DatabaseOptions options = protection.applyTo(DatabaseOptions.builder()).build();
        assertEquals(1L << 30, options.checkpointLogBytes());
        assertEquals(DatabaseOptions.defaults().checkpointInterval(), options.checkpointInterval());
        DatabaseOptions byPool = plan().configurations()
                .getFirst()
                .protection()
                .applyTo(DatabaseOptions.builder().poolBytes(1L << 30))
                .build();
        assertEquals(512L << 20, byPool.checkpointLogBytes());
        assertEquals(", a checkpoint every 1024 MiB of log", protection.inWords());
        assertEquals("", plan().configurations().getFirst().protection().inWords());
    }

    @Test
    void mechanismsAreLeftOutInTurn() {
        TpccPlan plan = plan(
                "--scheduler=jdk",
                "--checkpoint-seconds=60",
                "--without=checksums,torn-pages,checkpoints,pacing,uncached-writes,all");
        assertEquals(
                List.of(
                        "lockstep/jdk",
                        "lockstep/jdk without checksums",
                        "lockstep/jdk without torn-pages",
                        "lockstep/jdk without checkpoints",
                        "lockstep/jdk without pacing",
                        "lockstep/jdk without uncached-writes",
                        "lockstep/jdk without all three"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of(
                        new Protection("60", LOG_BYTES, true, "double-write", true, true),
                        new Protection("60", LOG_BYTES, false, "double-write", true, true),
                        new Protection("60", LOG_BYTES, true, "none", true, true),
                        new Protection("off", LOG_BYTES, true, "double-write", true, true),
                        new Protection("60", LOG_BYTES, true, "double-write", false, true),
                        new Protection("60", LOG_BYTES, true, "double-write", true, false),
                        new Protection("off", LOG_BYTES, false, "none", true, true)),
                plan.configurations().stream().map(RunSpec::protection).toList());
        DatabaseOptions options = plan.configurations()
                .get(1)
                .protection()
                .applyTo(DatabaseOptions.builder())
                .build();
        assertEquals(Duration.ofSeconds(60), options.checkpointInterval());
        assertEquals(DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX, options.checkpointLogBytes());
        assertFalse(options.pageChecksums());
        TpccPlan both = plan("--scheduler=jdk", "--torn-pages=double-write,log-images", "--engine=lockstep,plain");
        assertEquals(
                List.of("lockstep/jdk double-write", "lockstep/jdk log-images", "plain"),
                both.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                DatabaseOptions.defaults().toString(),
                plan().configurations()
                        .getFirst()
                        .protection()
                        .applyTo(DatabaseOptions.builder())
                        .build()
                        .toString());
        assertRefused("--checkpoint-seconds", "--checkpoint-seconds=0");
        assertRefused("--checkpoint-seconds", "--checkpoint-seconds=NaN");
        assertRefused("--checkpoint-seconds", "--checkpoint-seconds=never");
    }

    @Test
    void triesPeersWithSeveralConnectionCounts() {
        TpccPlan plan = plan("--engine", "plain,h2,sqlite", "--warehouses=2", "--repeat=3");
        assertEquals(
                List.of("plain", "sqlite"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of("h2/1", "h2/2", "h2/4", "h2/10"),
                plan.peers().getFirst().stream().map(RunSpec::label).toList());
        assertEquals(4 + 2 + 3 * 2, plan.runCount());
        assertTrue(plan.configurations().getFirst().heapBytes() > 512L << 20);
    }

    @Test
    void allEnginesWithoutAServerAreSeven() {
        TpccPlan plan = plan("--engine", "all");
        assertEquals(
                List.of("lockstep/jdk", "lockstep/steps", "plain", "ordered", "sqlite"),
                plan.configurations().stream().map(RunSpec::label).toList());
        assertEquals(
                List.of("h2", "hsqldb", "derby"),
                plan.peers().stream().map(peer -> peer.getFirst().engine()).toList());
    }

    @Test
    void warmsUpByAsManyTransactionsAsTheTimesAreToEachOther() {
        RunSpec spec = plan("--transactions=1000", "--warmup=2", "--duration=8")
                .configurations()
                .getFirst();
        assertEquals(1000, spec.transactions());
        assertEquals(250, spec.warmUpTransactions());
    }

    @Test
    void spellsMixesAndLevelsInAnyCase() {
        RunSpec spec = plan("--mix=New-Order", "--isolation=READ_COMMITTED", "--scheduler=STEPS")
                .configurations()
                .getFirst();
        assertEquals("new-order", spec.mix());
        assertEquals("read-committed", spec.isolation());
        assertEquals("steps", spec.scheduler());
    }

    /** The child would end with a stack trace, long after the command was given. */
    @Test
    void refusesWhatWouldChangeNothing() {
        assertRefused("--without torn-pages", "--torn-pages=none", "--without=torn-pages");
        assertRefused("--without checkpoints", "--checkpoint-seconds=off", "--without=checkpoints");
        assertRefused("--without pacing", "--checkpoint-seconds=off", "--without=pacing");
        assertRefused("--scheduler needs --engine lockstep", "--engine=h2", "--scheduler=steps");
        assertRefused("--scheduler needs --engine lockstep", "--engine=h2", "--scheduler=both");
        assertRefused("more than one value of --teams", "--scheduler=jdk", "--teams=off,governed");
        assertRefused("--flame is for engines beside Lockstep", "--engine=lockstep", "--out=report", "--flame");
        assertEquals(
                2,
                plan("--torn-pages=none", "--scheduler=jdk", "--without=checksums")
                        .runCount());
    }

    @Test
    void refusesMoreWarehousesThanAnEngineHolds() {
        assertEquals(
                89,
                plan("--engine=plain", "--warehouses=89")
                        .configurations()
                        .getFirst()
                        .warehouses());
        assertRefused("--warehouses is 1 to 89 with --engine plain", "--engine=lockstep,plain", "--warehouses=90");
        assertEquals(
                90,
                plan("--engine=plain", "--warehouses=90", "--shrink=2")
                        .configurations()
                        .getFirst()
                        .warehouses());
        assertEquals(90, plan("--warehouses=90").configurations().getFirst().warehouses());
        assertRefused("--warehouses is 1 to 32767", "--warehouses=32768", "--terminals=1");
    }

    @Test
    void refusesWhatNoRunWouldHeed() throws IOException {
        Path file = Files.writeString(
                directory.resolve("footprints.txt"),
                "lockstep-code-footprints 2\nworkload tpcc\ndata 8192 fetch stock\nend\n");
        for (List<String> given : List.of(
                List.of("--teams=on"),
                List.of("--teams=on", "--consolidate=on"),
                List.of("--teams=on", "--team-execution=staged", "--cores=2", "--lend"),
                List.of("--sthreads=continuation"),
                List.of("--team-policy=waves"),
                List.of("--team-execution=staged"),
                List.of("--switch-points"),
                List.of("--team-data=" + file, "--team-l2=256k"),
                List.of("--team-limit=5"))) {
            for (String without : List.of("--scheduler=jdk", "--engine=h2")) {
                assertRefused(" needs --engine lockstep and --scheduler steps or both", with(given, without));
            }
            plan(with(given, "--engine=plain,lockstep"));
            plan(with(given, "--scheduler=steps"));
        }
        for (String given : List.of(
                "--without=checksums",
                "--torn-pages=none",
                "--checkpoint-seconds=60",
                "--fsync-delay=5",
                "--durability=async",
                "--batches=off",
                "--pool=64m")) {
            assertRefused(given.substring(0, given.indexOf('=')) + " needs --engine lockstep", "--engine=h2", given);
            plan("--engine=plain,lockstep", "--scheduler=jdk", given);
        }
        for (String option : List.of("--cores", "--terminals")) {
            assertRefused(
                    "more than one value of " + option + " needs --engine lockstep", "--engine=h2", option + "=1,2");
            plan("--engine=plain,lockstep", "--scheduler=jdk", option + "=1,2");
        }
    }

    @Test
    void refusesWhatNoTeamWouldHeed() {
        for (String given : List.of("--switch-points", "--team-limit=5", "--team-policy=waves")) {
            assertRefused(" needs --teams on or governed", "--teams=off", given);
            plan("--teams=off,governed", given);
        }
        assertRefused(" needs --teams on or governed", "--teams=off", "--team-execution=staged");
    }

    @Test
    void refusesWhatNoPeerWouldHeed() {
        assertRefused("--connections needs", "--engine=lockstep,sqlite", "--connections=4");
        assertRefused("--connections has no --think", "--engine=h2", "--connections=4", "--think");
        assertRefused(
                "each terminal has a thread of its own, which borrows a connection for each transaction",
                "--engine=h2",
                "--connections=4",
                "--think");
        assertRefused("--scheduler needs --engine lockstep", "--engine=plain", "--scheduler=jdk");
        assertRefused("--scheduler needs --engine lockstep", "--engine=h2", "--scheduler=steps");
        assertRefused("--url needs --engine postgresql", "--engine=h2", "--url=jdbc:postgresql://localhost/test");
        assertRefused("--fsync-delay needs --durability", "--durability=none", "--fsync-delay=5");
        plan("--durability=none,sync", "--fsync-delay=5");
    }

    /** The first transactions of all terminals would still be keyed in when the run ends. */
    @Test
    void usersWhoThinkNeedTimeToKeyInATransaction() {
        assertRefused("more than 18 s together, since a New-Order takes so long to be keyed in", "--think");
        assertRefused("more than 18 s together", "--think", "--warmup=8", "--duration=10");
        assertRefused("more than 3 s together", "--think", "--mix=payment", "--warmup=1", "--duration=2");
        assertRefused("more than 2 s together", "--think", "--mix=stock-level", "--warmup=0", "--duration=2");
        plan("--think", "--warmup=8", "--duration=10.1");
        plan("--think", "--mix=payment", "--warmup=1", "--duration=2.5");
        plan("--think", "--transactions=10");
    }

    @Test
    void refusesAnIsolationThatNoEngineHas() {
        String needs = "--isolation needs an engine that has such levels: lockstep, h2, hsqldb, derby or postgresql";
        assertRefused(needs, "--engine=plain,ordered", "--isolation=read-committed");
        assertRefused(needs, "--engine=plain", "--isolation=serializable");
        assertRefused(needs, "--engine=plain,sqlite", "--isolation=read-committed");
        plan("--engine=sqlite", "--isolation=serializable");
        plan("--engine=plain,hsqldb", "--isolation=read-committed");
        plan("--engine=all", "--isolation=read-committed");
    }

    /** It forces its log, or not, as it was started; nothing else here would say that it is not in memory. */
    @Test
    void theDurabilityOfAServerIsItsOwn() {
        TpccPlan plan = plan("--engine=sqlite,postgresql", "--url=jdbc:postgresql://localhost/test", "--connections=4");
        assertEquals(
                List.of("none", "server"),
                plan.configurations().stream().map(RunSpec::durability).toList());
    }

    @Test
    void refusesConnectionsThatWouldNotBe() {
        assertRefused("--connections is at least 1", "--engine=h2", "--connections=0");
        assertRefused("--connections is at least 1", "--engine=h2", "--connections=-1");
        assertRefused(
                "--connections is at most --warehouses times --terminals, here 10", "--engine=h2", "--connections=11");
        plan("--engine=h2", "--connections=10");
        TpccOptions simulated = parse("--engine=h2", "--terminals=1", "--cores=2");
        simulated.simulated();
        assertEquals(
                1,
                TpccPlan.of(simulated, MEMORY_BYTES, 64)
                        .configurations()
                        .getFirst()
                        .threads());
    }

    private static String[] with(List<String> arguments, String more) {
        return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void whatIsNamedTwiceRunsOnce() {
        TpccPlan plan = plan(
                "--scheduler=steps",
                "--terminals=10,10",
                "--cores=1,1",
                "--durability=async,ASYNC",
                "--without=checksums,checksums",
                "--teams=on,on");
        assertEquals(
                List.of("lockstep/steps", "lockstep/steps without checksums"),
                plan.configurations().stream().map(RunSpec::label).toList());
    }

    @Test
    void refusesWhatContradictsItself() {
        assertRefused("--warehouses", "--warehouses=0");
        assertRefused("--terminals", "--terminals=0");
        assertRefused("--cores", "--cores=100000");
        assertRefused("--repeat", "--repeat=0");
        assertRefused("--repeat 2", "--control");
        assertRefused("--control", "--control", "--repeat=2", "--engine=h2");
        assertRefused("--duration", "--duration=0");
        assertRefused("--warmup", "--warmup=-1");
        assertRefused("--transactions", "--transactions=-1");
        assertRefused("--transactions", "--transactions=0");
        assertRefused("--warmup-transactions", "--transactions=1", "--warmup-transactions=-1");
        assertRefused("--fsync-delay", "--fsync-delay=-1");
        assertRefused("--url", "--engine=postgresql");
        assertRefused("--url 'localhost'", "--engine=postgresql", "--url=localhost");
        assertRefused("--scan-beside", "--engine=plain", "--scan-beside");
        assertRefused("--think", "--engine=plain", "--think");
        assertRefused("--pool", "--pool=4k");
        assertRefused("--checkpoint-log", "--checkpoint-log=4k");
        assertRefused("--checkpoint-log", "--checkpoint-log=64m", "--checkpoint-seconds=60");
        assertRefused("--checkpoint-log", "--checkpoint-log=64m", "--engine=plain");
        assertRefused("--team-limit", "--team-limit=0");
        assertRefused("--team-l2 needs --team-data", "--team-l2=256k");
    }

    @Test
    void takesTheLimitsOfTeamsFromAFile() throws IOException {
        Path file = Files.writeString(
                directory.resolve("footprints.txt"),
                "lockstep-code-footprints 2\nworkload tpcc\ndata 8192 fetch stock\nend\n");
        List<RunSpec> specs = plan("--team-data=" + file, "--team-l2=256k").configurations();
        assertEquals(
                Set.of("jdk", "steps"), specs.stream().map(RunSpec::scheduler).collect(Collectors.toSet()));
        for (RunSpec spec : specs) {
            boolean steps = spec.scheduler().equals("steps");
            assertEquals(steps ? Map.of("fetch stock", 8192L) : Map.of(), spec.teamDataBytes());
            assertEquals(steps ? 256 << 10 : 0, spec.teamL2Bytes());
        }
        assertRefused("--team-data", "--team-data=" + directory.resolve("missing.txt"));
        assertRefused("l2Bytes=4096", "--team-data=" + file, "--team-l2=4k");
        Files.writeString(file, "lockstep-code-footprints 1\nworkload tpcc\nend\n");
        assertRefused("codemap --footprints", "--team-data=" + file, "--team-l2=256k");
        Files.writeString(file, "lockstep-code-footprints 1\n");
        assertRefused("cut short", "--team-data=" + file, "--team-l2=256k");
        String measured = "lockstep-code-footprints 2\njvm JVM\nworkload tpcc\ndata 8192 fetch stock\nend\n";
        Files.writeString(file, measured.replace("JVM", CodeFootprints.thisJvm()));
        plan("--team-data=" + file, "--team-l2=256k");
        Files.writeString(file, measured.replace("JVM", "Another JVM 99"));
        assertRefused(
                "--team-data " + file + " is of another JVM: jvm=\"Another JVM 99\" here=\"" + CodeFootprints.thisJvm()
                        + "\"; remedy: make it anew",
                "--team-data=" + file,
                "--team-l2=256k");
    }

    @Test
    void reportsAskForFurtherRunsWithTheProfiler() {
        TpccPlan plan = plan("--out=report", "--engine=lockstep,plain", "--repeat=2");
        assertEquals(3 * 2 + 2, plan.runCount());
        assertEquals(
                List.of("lockstep-jdk", "lockstep-steps"),
                plan.profiled().stream().map(TpccExperiment::fileName).toList());
        assertTrue(plan.profiled().stream().allMatch(RunSpec::profiled));
        assertTrue(plan.configurations().stream().noneMatch(RunSpec::profiled));
        assertEquals(List.of(), plan("--out=report", "--engine=plain").profiled());
        assertTrue(plan("--profile=flames.html").configurations().getFirst().profiled());
        assertRefused("--profile", "--out=report", "--profile=flames.html");
        TpccPlan all = plan("--out=report", "--flame", "--engine=lockstep,plain,h2");
        assertEquals(
                List.of("lockstep-jdk", "lockstep-steps", "plain", "h2-1", "h2-2", "h2-4", "h2-10"),
                all.profiled().stream().map(TpccExperiment::fileName).toList());
        assertEquals(3 + 4 + 4, all.runCount(), "h2 is drawn with one number of connections");
        assertRefused("--flame", "--flame");
    }

    /** A database that waits for its turn must do nothing, and two do not write the same keys. */
    @Test
    void turnsInOneJvmAreForDatabasesThatCanRest() {
        TpccPlan plan = plan("--slices=2", "--checkpoint-seconds=once", "--without=checksums,checkpoints");
        assertEquals(2, plan.sliceSeconds());
        assertEquals(1, plan.runCount(), "one JVM");
        assertEquals(
                List.of(true, true, false),
                plan.configurations().stream()
                        .filter(spec -> spec.scheduling() == Scheduling.JDK)
                        .map(spec -> spec.protection().asksForOne())
                        .toList());
        assertEquals(
                DatabaseOptions.builder().build().checkpointInterval(),
                plan.configurations()
                        .getFirst()
                        .protection()
                        .applyTo(DatabaseOptions.builder())
                        .build()
                        .checkpointInterval(),
                "none by time");
        assertRefused("needs --slices", "--checkpoint-seconds=once");
        assertRefused("--slices is 0, or 1 to a week", "--slices=0.5");
        assertRefused("--slices is 0, or 1 to a week", "--slices=-1");
        assertRefused("--duration is more than 0 and up to a week", "--duration=0");
        assertRefused("--engine lockstep", "--slices=2", "--engine=plain");
        assertRefused("--cores", "--slices=2", "--cores=1,2");
        assertRefused("--duration", "--slices=2", "--duration=1");
        assertRefused("--transactions", "--slices=2", "--transactions=9");
        assertRefused("--scan-beside", "--slices=2", "--scan-beside");
        assertRefused("--think", "--slices=2", "--think");
        assertRefused("no --profile", "--slices=2", "--profile=flames.html");
        assertRefused("no --flame", "--slices=2", "--out=report", "--flame");
        assertEquals(List.of(), plan("--slices=2", "--out=report").profiled());
        assertRefused("once, off or by-log", "--slices=2", "--checkpoint-seconds=60");
    }

    @Test
    void turnsOnOneDatabaseDifferInTeamsAlone() {
        String[] onOne = {
            "--slices=1", "--one-database", "--scheduler=steps", "--warehouses=100", "--control", "--repeat=2"
        };
        TpccPlan plan = plan(concat(onOne, "--teams=off,governed"));
        assertEquals(2, plan.configurations().size());
        for (RunSpec spec : plan.configurations()) {
            assertTrue(spec.sharesDatabase());
            assertEquals(MEMORY_BYTES / 2, spec.poolBytes(), "of one database");
            assertEquals(ChildFlags.LOCKSTEP_HEAP_BYTES, spec.heapBytes());
        }
        assertFalse(plan("--slices=1").configurations().getFirst().sharesDatabase());
        assertRefused("needs --slices", "--one-database", "--scheduler=steps", "--teams=off,on");
        assertRefused("--scheduler steps", "--one-database", "--slices=1", "--teams=off,on");
        assertRefused("off or by-log", concat(onOne, "--teams=off,on", "--checkpoint-seconds=once"));
        assertRefused("--teams off and one other", concat(onOne, "--teams=off"));
        assertRefused("--teams off and one other", concat(onOne, "--teams=on,governed"));
        assertRefused("--teams off and one other", concat(onOne, "--teams=off,on,governed"));
        assertRefused("one value of each option but --teams", concat(onOne, "--teams=off,on", "--batches=off,on"));
        assertRefused("one value of each option but --teams", concat(onOne, "--teams=off,on", "--terminals=1,10"));
        assertRefused(
                "one value of each option but --teams",
                concat(onOne, "--teams=off,on", "--team-execution=switching,staged"));
    }

    private static String[] concat(String[] first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void theReasonOfAChildIsNoNoticeOfItsJvm() {
        assertEquals(
                "lockstep: no room",
                TpccExperiment.reason(List.of(
                        "Picked up JAVA_TOOL_OPTIONS: -Dx=1",
                        "OpenJDK 64-Bit Server VM warning: Option UseOld was deprecated in version 25.0",
                        "lockstep: no room",
                        "more")));
        assertEquals("", TpccExperiment.reason(List.of("Picked up JAVA_TOOL_OPTIONS: -Dx=1")));
    }

    /** Half of the memory is for all of them together, and the heap that is said is that of their JVM. */
    @Test
    void databasesThatTakeTurnsShareMemoryAndHeap() {
        List<RunSpec> alone = plan("--warehouses=100", "--teams=off,on").configurations();
        TpccPlan plan = plan("--warehouses=100", "--teams=off,on", "--slices=2", "--repeat=2", "--control");
        assertEquals(3, plan.configurations().size());
        for (RunSpec spec : plan.configurations()) {
            assertEquals(MEMORY_BYTES / 4 / 2, spec.poolBytes());
            assertEquals(4 * ChildFlags.LOCKSTEP_HEAP_BYTES, spec.heapBytes());
            assertTrue(ChildFlags.of(spec, List.of()).contains("-Xmx" + 4 * ChildFlags.LOCKSTEP_HEAP_BYTES));
        }
        assertEquals(MEMORY_BYTES / 2, alone.getFirst().poolBytes());
        assertEquals(ChildFlags.LOCKSTEP_HEAP_BYTES, alone.getFirst().heapBytes());
        assertEquals(
                (1L << 30) + (160L << 20),
                plan("--slices=2").configurations().getFirst().poolBytes(),
                "as much as it wants, where there is room");
        plan("--slices=2", "--pool=8g");
        assertRefused(
                "--pool is at most 5461m with --slices and 3 databases", "--slices=2", "--teams=off,on", "--pool=6g");
        plan("--teams=off,on", "--pool=6g");
    }

    @Test
    void refusesTimesThatNoRunGoesBy() {
        for (String option : List.of("--warmup=5", "--duration=10")) {
            TpccOptions options = parse(option);
            options.simulated();
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> TpccPlan.of(options, MEMORY_BYTES, PROCESSORS));
            assertTrue(refused.getMessage().contains("not for ./lockstep simulate"), refused::getMessage);
            assertRefused("leave out", "--transactions=9", "--warmup-transactions=0", option);
            plan("--transactions=9", option);
        }
    }

    @Test
    void enginesWithRowsInTheHeapGetAnotherCollector() {
        TpccPlan plan = plan("--engine=lockstep,ordered");
        List<String> lockstep = ChildFlags.of(plan.configurations().getFirst(), List.of());
        List<String> ordered = ChildFlags.of(plan.configurations().getLast(), List.of("-Xmx1g"));
        assertTrue(lockstep.contains("-XX:+UseSerialGC"), lockstep::toString);
        assertTrue(lockstep.contains("-Xmx" + (512L << 20)), lockstep::toString);
        assertTrue(ordered.contains("-XX:+UseParallelGC"), ordered::toString);
        assertEquals("-Xmx1g", ordered.getLast(), "the user's come last, and so win");
    }

    /** Each run has its own in its report. */
    @Test
    void flagsThatDifferByCoresAreNotSharedByAll() {
        List<String> one = ChildFlags.shared(List.of(2));
        assertEquals(ChildFlags.common(2), one);
        List<String> two = ChildFlags.shared(List.of(1, 2));
        assertEquals(
                one.stream().filter(flag -> !flag.endsWith("=2")).toList(),
                two,
                "parallelism and pool of the JDK's scheduler are as many as the cores");
        assertEquals(2, one.size() - two.size());
    }

    @Test
    void hashesDifferWithEverySetting() {
        RunSpec base = plan().configurations().getFirst();
        assertEquals(Json.hash(base), Json.hash(plan().configurations().getFirst()));
        assertNotEquals(
                Json.hash(base), Json.hash(plan("--seed=2").configurations().getFirst()));
        assertNotEquals(
                Json.hash(base), Json.hash(plan("--pool=1g").configurations().getFirst()));
    }

    @Test
    void readsSizes() {
        assertEquals(512, MemorySize.parse("512").bytes());
        assertEquals(64L << 20, MemorySize.parse("64m").bytes());
        assertEquals(2L << 30, MemorySize.parse("2GiB").bytes());
        for (String wrong : List.of("", "0", "-1", "12x", "1.5g", "999999999999t")) {
            assertThrows(IllegalArgumentException.class, () -> MemorySize.parse(wrong), wrong);
        }
    }

    @Test
    void progressSurvivesTheWayToTheParent() {
        ProgressLine line = new ProgressLine(dev.lockstep.tpcc.TpccProgress.Phase.MEASURE, 12, 34, 56);
        assertEquals(line, ProgressLine.parse(line.text()).orElseThrow());
        assertFalse(ProgressLine.parse("some other line of five words").isPresent());
    }
}
