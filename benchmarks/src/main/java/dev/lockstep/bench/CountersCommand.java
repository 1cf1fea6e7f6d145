package dev.lockstep.bench;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.ReportOption;
import dev.lockstep.bench.report.ResultFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What this machine has to measure with. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        description = "Says what this machine has to measure with: hardware counters, or why there are none and what"
            + " would help; processors, cores and memory nodes; caches and who shares them. Nothing here is at random,"
            + " so it takes no seed.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered, also where there are no counters", "2:wrong call"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep counters",
            "      Prints it.",
            "  ./lockstep counters --json machine.json",
            "      Writes it into a file as well.",
            "  ./lockstep counters --out report",
            "      A page with tables and a plot of the caches.",
            "  LOCKSTEP_JAVA_OPTIONS=-Dlockstep.papi.library=FILE ./lockstep counters",
            "      Takes PAPI from a file."
        })
final class CountersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the answer, the JVM and the machine.")
    private Path json;

    @Mixin
    private ReportOption reportOption;

    /** For picocli. */
    CountersCommand() {}

    @Override
    public Integer call() throws IOException {
        ResultFile.require(command.commandLine(), "--json", json);
        reportOption.prepare();
        // Nothing here is at random.
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), 0);
        CountersReport report = CountersReport.here();
        if (json != null) {
            Json.write(json, report);
        }
        if (reportOption.directory() != null) {
            Json.write(reportOption.json(), report);
            reportOption.write(report.page(origin));
        }
        PrintWriter out = command.commandLine().getOut();
        out.print(report.text());
        out.flush();
        return 0;
    }
}
