package dev.lockstep.bench.disk;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.bench.report.Section;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
                        + " ratios. Both take turns. The blocks are written as the log writes: past the cache of the"
                        + " operating system where it lets them, which the report says. Order-Status and Stock-Level"
                        + " change no row, so that their commits are among those of a second and share no force. The"
                        + " transactions run in this process, on all its processors: ./lockstep tpcc has the comparable"
                        + " runs.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:a run failed", "2:wrong call"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep disk --dir /var/lib/shop",
            "      One, ten and a hundred terminals at one warehouse.",
            "  ./lockstep disk --dir . --terminals 1,10,100,1000 --repeat 5 --out report",
            "      More of them, five times, with a page and a plot.",
            "  ./lockstep disk --dir . --out report --flame",
            "      With a flame graph for each number of terminals."
        })
public final class DiskCommand implements Callable<Integer> {
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

    @Option(
            names = "--transactions",
            paramLabel = "N",
            defaultValue = "0",
            description = "Transactions of each run, in place of --seconds, by which then only the raw forces are"
                    + " measured; half as many are executed before. Default: none.")
    private long transactions;

    @Mixin
    private FlameOption flame;

    @Mixin
    private MeasurementOptions options = new MeasurementOptions(3);

    private final String mainClass;
    private final TpccScale scale;

    /**
     * For one command line.
     *
     * @param mainClass of child JVMs, which knows {@link DiskChildCommand}
     */
    public DiskCommand(String mainClass) {
        this(mainClass, TpccScale.standard(1));
    }

    /** For tests: a population of another size. */
    DiskCommand(String mainClass, TpccScale scale) {
        this.mainClass = mainClass;
        this.scale = scale;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.require(
                terminals.stream().allMatch(each -> each >= 1 && each <= TERMINALS_MAX), "--terminals is 1 to 10000");
        options.require(seconds > 0 && seconds <= SECONDS_MAX, "--seconds is more than 0 and up to an hour");
        options.require(transactions >= 0, "--transactions is 1 or more, or 0 for --seconds");
        flame.require(options);
        options.prepare();
        Optional<FlameGraphs> graphs = flame.graphs(options);
        DiskReport report;
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "disk")) {
            report = measure(scratch.path());
            if (graphs.isPresent()) {
                for (int count : terminals.stream().distinct().toList()) {
                    draw(graphs.get(), count, scratch.path());
                }
            }
        }
        List<Section> printed = new ArrayList<>(List.of(report.section()));
        List<Section> page = new ArrayList<>(List.of(report.section().with(List.of(report.plot()))));
        graphs.map(FlameGraphs::section).ifPresent(section -> {
            printed.add(section);
            page.add(section);
        });
        options.write(report, "Durable commits and raw forces", "Measured.", true, settings(), printed, page);
        return 0;
    }

    private SequencedMap<String, String> settings() {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("terminals", terminals.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        settings.put("seconds of each measurement", Double.toString(seconds));
        if (transactions > 0) {
            settings.put("transactions of each run", Long.toString(transactions));
        }
        settings.put("repetitions", Integer.toString(options.repeat()));
        return settings;
    }

    private DiskSpec spec(int count) {
        return new DiskSpec(scale, count, seconds, transactions, options.seed());
    }

    /** From one more run, in a JVM that the profiler was started with. */
    private void draw(FlameGraphs graphs, int count, Path scratch) throws IOException, InterruptedException {
        String name = count + (count == 1 ? " terminal" : " terminals");
        options.progress("draws a flame graph of " + name);
        Path directory = Files.createDirectory(scratch.resolve("drawn"));
        Path specification = directory.resolve("spec.json");
        Json.write(specification, spec(count));
        List<String> said = new ArrayList<>();
        int exitCode = ChildJvm.run(
                Processors.choose(Processors.available()),
                directory,
                Map.of(),
                graphs.options(name),
                mainClass,
                ChildCommand.words(DiskChildCommand.NAME, specification, directory.resolve("report.json")),
                said::add);
        if (exitCode != 0) {
            throw new IllegalStateException("a run with the profiler failed terminals=" + count + " exitCode="
                    + exitCode + ": " + String.join(" | ", said));
        }
        graphs.add(name);
        ScratchDirectory.remove(directory);
    }

    private DiskReport measure(Path scratch) throws IOException, InterruptedException {
        Duration time = Duration.ofNanos(Math.round(seconds * NANOS_PER_SECOND));
        List<ForceProbe.RawForces> raw = new ArrayList<>();
        List<DiskRun> runs = new ArrayList<>();
        for (int i = 0; i < options.repeat(); i++) {
            raw.add(ForceProbe.measure(scratch, time));
            for (int count : terminals) {
                options.progress("repetition " + (i + 1) + " of " + options.repeat() + ", " + count + " terminals");
                Path home = scratch.resolve("database");
                runs.add(new DurableCommits(spec(count)).run(home));
                ScratchDirectory.remove(home);
            }
        }
        return new DiskReport(
                raw.stream().map(ForceProbe.RawForces::forcesPerSecond).toList(),
                raw.stream().allMatch(ForceProbe.RawForces::uncachedWrites),
                runs);
    }
}
