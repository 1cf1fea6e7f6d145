package dev.lockstep.bench.disk;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DatabaseStatistics;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Durable commits a second against the rate at which the disk can force. */
@Command(
        name = "disk",
        mixinStandardHelpOptions = true,
        description =
                "Takes the rate at which a disk forces single blocks of 4 KiB, and runs TPC-C with durable commits on"
                        + " the same disk: commits a second, forces a second, commits that share a force, and their"
                        + " ratios. Both take turns. The transactions run in this process, on all its processors:"
                        + " ./lockstep tpcc has the comparable runs.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:a run failed", "2:wrong call"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep disk --dir /var/lib/shop",
            "      One, ten and a hundred terminals at one warehouse.",
            "  ./lockstep disk --dir . --terminals 1,10,100,1000 --repeat 5 --out report",
            "      More of them, five times, with a page and a plot."
        })
public final class DiskCommand implements Callable<Integer> {
    private static final long POOL_BYTES = 1L << 30;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double SECONDS_MAX = 3_600;

    /** More threads than the population of one warehouse can tell apart say nothing. */
    private static final int TERMINALS_MAX = 10_000;

    @Option(
            names = "--terminals",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,10,100",
            description = "Emulated users, several numbers for as many runs. Default: ${DEFAULT-VALUE}.")
    private List<Integer> terminals;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Time of each measurement. Default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Mixin
    private MeasurementOptions options = new MeasurementOptions(3);

    private TpccScale scale = TpccScale.standard(1);

    /** For picocli. */
    public DiskCommand() {}

    /** For tests: a population of another size. */
    DiskCommand(TpccScale scale) {
        this.scale = scale;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.require(
                terminals.stream().allMatch(each -> each >= 1 && each <= TERMINALS_MAX), "--terminals is 1 to 10000");
        options.require(seconds > 0 && seconds <= SECONDS_MAX, "--seconds is up to an hour");
        options.prepare();
        DiskReport report;
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "disk")) {
            report = measure(scratch.path());
        }
        options.write(
                report, "Durable commits and raw forces", "Measured.", settings(), report.section(), report.plot());
        return 0;
    }

    private SequencedMap<String, String> settings() {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("terminals", terminals.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        settings.put("seconds of each measurement", Double.toString(seconds));
        settings.put("repetitions", Integer.toString(options.repeat()));
        return settings;
    }

    private DiskReport measure(Path scratch) throws IOException, InterruptedException {
        Duration time = Duration.ofNanos(Math.round(seconds * NANOS_PER_SECOND));
        List<Double> raw = new ArrayList<>();
        List<DiskRun> runs = new ArrayList<>();
        for (int i = 0; i < options.repeat(); i++) {
            raw.add(ForceProbe.forcesPerSecond(scratch, time));
            for (int count : terminals) {
                options.progress("repetition " + (i + 1) + " of " + options.repeat() + ", " + count + " terminals");
                Path home = scratch.resolve("database");
                runs.add(run(home, count, time));
                ScratchDirectory.remove(home);
            }
        }
        return new DiskReport(raw, runs);
    }

    private DiskRun run(Path home, int count, Duration time) throws InterruptedException {
        DatabaseOptions database = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(POOL_BYTES)
                .build();
        TpccConfiguration configuration = TpccConfiguration.builder(scale)
                .terminals(count)
                .threads(count)
                .warmUp(time.dividedBy(2))
                .duration(time)
                .seed(options.seed())
                .check(false)
                .dumpDirectory(home)
                .build();
        try (LockstepAdapter adapter =
                new LockstepAdapter(Database.open(home, database), null, Durability.SYNC, TIMEOUT)) {
            Forces forces = new Forces(adapter.database());
            TpccResult result = TpccRun.execute(configuration, adapter, TerminalThreads.virtual(), forces);
            if (!result.failure().isEmpty()) {
                throw new IllegalStateException("a run failed terminals=" + count + ": " + result.failure());
            }
            double measured = result.measuredNanos() / NANOS_PER_SECOND;
            return new DiskRun(
                    count,
                    result.transactionsPerSecond(),
                    forces.count() / measured,
                    (double) forces.commits() / Math.max(1, forces.count()));
        }
    }

    /** Counts forces of the log and commits of the measured phase. */
    private static final class Forces implements TpccProgress {
        private final Database database;
        private DatabaseStatistics before;
        private DatabaseStatistics after;

        Forces(Database database) {
            this.database = database;
            before = database.statistics();
            after = before;
        }

        @Override
        public void phase(Phase phase) {
            if (phase == Phase.MEASURE) {
                before = database.statistics();
            }
        }

        @Override
        public void measured() {
            after = database.statistics();
        }

        long count() {
            return after.logForces() - before.logForces();
        }

        long commits() {
            return after.commits() - before.commits();
        }
    }
}
