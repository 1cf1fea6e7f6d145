package dev.lockstep.bench.restart;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportOption;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The time of recovery by the length of the log and the size of the database. */
@Command(
        name = "restart",
        mixinStandardHelpOptions = true,
        description = "Kills processes that run TPC-C, each when so much log has come together since its last"
                + " checkpoint, and takes the time until the database is open again.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every database opened", "1:one did not", "2:wrong call"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep restart",
            "      The curve at one and at four warehouses, each point five times.",
            "  ./lockstep restart --log-mb 16,64,256,1024 --warehouses 1,4,10 --out report",
            "      A page with the table and the plot."
        })
public final class RestartCommand implements Callable<Integer> {
    /** More log than this is hours of work for nothing new. */
    private static final long LOG_MEBI_MAX = 1 << 16;

    private static final int BYTES_SHIFT = 20;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--log-mb",
            split = ",",
            paramLabel = "N",
            defaultValue = "16,64,256",
            description = "MiB of log since the last checkpoint, separated by commas; 0 shows what an opening takes"
                    + " anyway. Default: ${DEFAULT-VALUE}.")
    private List<Long> logMebi;

    @Option(
            names = "--warehouses",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,4",
            description = "Sizes of the database, about 100 MB for each warehouse. Default: ${DEFAULT-VALUE}.")
    private List<Integer> warehouses;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often each database is opened. Default: ${DEFAULT-VALUE}.")
    private int repeat;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the databases lie, in a directory that is removed afterwards. Default: the system's"
                    + " directory for temporary files.")
    private Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes all points.")
    private Path json;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of everything random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private ReportOption reportOption;

    /** For picocli. */
    public RestartCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        require(logMebi.stream().allMatch(each -> each >= 0 && each <= LOG_MEBI_MAX), "--log-mb is 0 to 65536");
        require(warehouses.stream().allMatch(each -> each >= 1), "--warehouses is at least 1");
        require(warehouses.stream().distinct().count() <= Series.COUNT_MAX, "--warehouses takes up to 8 sizes");
        require(repeat >= 1, "--repeat is at least 1");
        Path parent = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
        require(Files.isDirectory(parent) && Files.isWritable(parent), "--dir is a directory to write to");
        ResultFile.require(command.commandLine(), "--json", json);
        reportOption.prepare();
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        PrintWriter err = command.commandLine().getErr();
        RestartPoints points;
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "restart")) {
            RestartExperiment experiment = new RestartExperiment(scratch.path(), seed, repeat, line -> {
                err.println("lockstep: " + line);
                err.flush();
            });
            points = experiment.run(
                    warehouses.stream().distinct().map(TpccScale::standard).toList(),
                    logMebi.stream().map(each -> each << BYTES_SHIFT).toList());
        }
        if (json != null) {
            Json.write(json, points);
        }
        Section section = points.section();
        if (reportOption.directory() != null) {
            Json.write(reportOption.json(), points);
            reportOption.write(new Report(
                    "Restart after a kill",
                    "Every database opened.",
                    true,
                    origin,
                    settings(),
                    List.of(section.with(List.of(points.plot())))));
        }
        PrintWriter out = command.commandLine().getOut();
        out.print(ReportText.of(List.of(section)));
        out.flush();
        return 0;
    }

    private SequencedMap<String, String> settings() {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("log since the checkpoint, MiB", joined(logMebi));
        settings.put("warehouses", joined(warehouses));
        settings.put("repetitions", Integer.toString(repeat));
        return settings;
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private void require(boolean condition, String sentence) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), sentence + ".");
        }
    }
}
