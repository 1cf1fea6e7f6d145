package dev.lockstep.bench;

import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.ResultOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What this machine has to measure with. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        description = "Says what this machine has to measure with: hardware counters, or why there are none and what"
            + " would help; processors, cores and memory nodes; caches and who shares them. Nothing here is at random,"
            + " so it takes no seed, and nothing is run that --flame could draw.",
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

    @Mixin
    private ResultOptions results;

    /** For picocli. */
    CountersCommand() {}

    @Override
    public Integer call() throws IOException {
        results.prepare();
        // Nothing here is at random.
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), 0);
        CountersReport report = CountersReport.here();
        results.write(report, () -> report.page(origin));
        PrintWriter out = command.commandLine().getOut();
        out.print(report.text());
        out.flush();
        return 0;
    }
}
