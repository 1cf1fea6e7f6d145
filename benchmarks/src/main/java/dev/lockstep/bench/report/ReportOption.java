package dev.lockstep.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option {@code --out} of every experiment, to be mixed into its command. */
public class ReportOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Makes DIR, if need be, and writes a report into it: report.html, one page with tables and"
                    + " plots that needs nothing else; the plots, as SVG and PNG, below plots/; result.json, what"
                    + " --json writes.")
    private Path directory;

    /** For picocli. */
    public ReportOption() {}

    /** The line of the command that this is mixed into. */
    final CommandLine commandLine() {
        return command.commandLine();
    }

    /** The directory as the user named it, or {@code null} where no report is asked for. */
    public final Path directory() {
        return directory;
    }

    /** Where the JSON of the result goes, beside the page. */
    public final Path json() {
        return directory.resolve("result.json");
    }

    /**
     * Makes the directory, as what cannot be written is better known before an experiment than after. Does nothing
     * where no report is asked for.
     *
     * @throws ParameterException if it cannot be made or written to, with a sentence for the user
     */
    public void prepare() {
        if (directory == null) {
            return;
        }
        CommandLine line = commandLine();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ParameterException(line, "--out " + directory + " cannot be made: " + e.getMessage(), e);
        }
        if (!Files.isWritable(directory)) {
            throw new ParameterException(line, "--out " + directory + " cannot be written to: choose another one");
        }
    }

    /**
     * Writes the page and the plots, and says so, and if plots are missing why, on standard error.
     *
     * @throws IOException if a file cannot be written
     */
    public final void write(Report report) throws IOException {
        PrintWriter err = commandLine().getErr();
        ReportWriter.write(directory, report)
                .ifPresent(obstacle -> err.println("lockstep: the report has no plots, because " + obstacle));
        err.println("lockstep: report: " + directory.resolve(ReportWriter.PAGE));
        err.flush();
    }
}
