package dev.lockstep.bench.restart;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The time of recovery by the length of the log and the size of the database. */
@Command(
        name = "restart",
        mixinStandardHelpOptions = true,
        description = "Kills processes that run TPC-C, each when so much log has come together since its last"
                + " checkpoint, and takes the time until the database is open again, in a process of its own.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every database opened", "1:one did not", "2:wrong call"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep restart",
            "      The curve at one and at four warehouses, each point five times.",
            "  ./lockstep restart --log-mb 16,64,256,1024 --warehouses 1,4,10 --out report",
            "      A page with the table and the plot.",
            "  ./lockstep restart --out report --flame",
            "      With flame graphs of the process that writes log, and of the opening, at the largest database and"
                    + " the longest log; recovery is drawn below " + OpeningChild.OPERATION + "."
        })
public final class RestartCommand implements Callable<Integer>, SimulatedAs.Told {
    /** More log than this is hours of work for nothing new. */
    private static final long LOG_MEBI_MAX = 1 << 16;

    private static final int BYTES_SHIFT = 20;

    @Option(
            names = "--log-mb",
            split = ",",
            paramLabel = "N",
            defaultValue = "16,64,256",
            description = "MiB of log since the last checkpoint, 0 to 65536, separated by commas; 0 shows what an"
                    + " opening takes anyway. Default: ${DEFAULT-VALUE}.")
    private List<Long> logMebi;

    @Option(
            names = "--warehouses",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,4",
            description = "Up to 8 sizes of the database, 1 to " + RestartExperiment.WAREHOUSES_MAX
                    + " warehouses, about 100 MB each. Default: ${DEFAULT-VALUE}.")
    private List<Integer> warehouses;

    @Option(
            names = "--pool-mb",
            paramLabel = "N",
            description =
                    "MiB of the pool of every database, 1 to 1048575, small or large: making it is part of opening."
                            + " Default: 256 and 160 for each warehouse of the largest.")
    private Long poolMebi;

    @Mixin
    private FlameOption flame;

    @Mixin
    private MeasurementOptions options = new MeasurementOptions(5);

    /** For picocli. */
    public RestartCommand() {}

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.require(logMebi.stream().allMatch(each -> each >= 0 && each <= LOG_MEBI_MAX), "--log-mb is 0 to 65536");
        options.require(
                warehouses.stream().allMatch(each -> each >= 1 && each <= RestartExperiment.WAREHOUSES_MAX),
                "--warehouses is 1 to " + RestartExperiment.WAREHOUSES_MAX);
        options.require(warehouses.stream().distinct().count() <= Series.COUNT_MAX, "--warehouses takes up to 8 sizes");
        options.require(
                poolMebi == null || (poolMebi >= 1 && poolMebi <= DatabaseOptions.POOL_BYTES_MAX >> BYTES_SHIFT),
                "--pool-mb is 1 to " + (DatabaseOptions.POOL_BYTES_MAX >> BYTES_SHIFT));
        flame.require(options);
        List<TpccScale> scales =
                warehouses.stream().distinct().map(TpccScale::standard).toList();
        long poolBytes = poolMebi == null ? RestartExperiment.poolBytes(scales) : poolMebi << BYTES_SHIFT;
        options.prepare();
        RestartPoints points;
        Optional<FlameGraphs> graphs = flame.graphs(options);
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "restart")) {
            RestartExperiment experiment = new RestartExperiment(
                    scratch.path(), poolBytes, options.seed(), options.repeat(), options::progress);
            try {
                points = experiment.run(
                        scales,
                        logMebi.stream().map(each -> each << BYTES_SHIFT).toList());
            } catch (RuntimeException | IOException e) {
                // What could not be recovered is there to be looked at.
                scratch.keep();
                options.say("keeps the databases, directory=" + scratch.path());
                throw e;
            }
            if (graphs.isPresent()) {
                experiment.draw(
                        graphs.get(),
                        Collections.max(scales, Comparator.comparingInt(TpccScale::warehouses)),
                        Collections.max(logMebi) << BYTES_SHIFT);
            }
        }
        List<Section> printed = new ArrayList<>(List.of(points.section()));
        List<Section> page = new ArrayList<>(List.of(points.section().with(List.of(points.plot()))));
        graphs.map(FlameGraphs::section).ifPresent(section -> {
            printed.add(section);
            page.add(section);
        });
        options.write(
                points, "Restart after a kill", "Every database opened.", true, settings(poolBytes), printed, page);
        return 0;
    }

    private SequencedMap<String, String> settings(long poolBytes) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("log since the checkpoint, MiB", joined(logMebi));
        settings.put("warehouses", joined(warehouses));
        settings.put("pool, MiB", Long.toString(poolBytes >> BYTES_SHIFT));
        settings.put("repetitions", Integer.toString(options.repeat()));
        return settings;
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
