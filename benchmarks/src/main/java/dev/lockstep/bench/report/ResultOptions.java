package dev.lockstep.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Where an experiment writes its result to, {@code --json} and {@code --out}, to be mixed into its command. */
public class ResultOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes all that was found, as JSON.")
    private Path json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Makes DIR, if need be, and writes a report into it: report.html, one page with tables and"
                    + " plots that needs nothing else; the plots, as SVG and PNG, below plots/; result.json, what"
                    + " --json writes.")
    private Path directory;

    /** For picocli. */
    public ResultOptions() {}

    /** The line of the command that this is mixed into. */
    final CommandLine commandLine() {
        return command.commandLine();
    }

    /** The directory as the user named it, or {@code null} where no report is asked for. */
    public final Path directory() {
        return directory;
    }

    /** The files that take the result as JSON, one beside the page of the report: none, one or two. */
    public final List<Path> jsonFiles() {
        Path besidePage = directory == null ? null : directory.resolve("result.json");
        return Stream.of(json, besidePage).filter(Objects::nonNull).toList();
    }

    /**
     * Requires something of what the user has asked for.
     *
     * @param sentence what holds of a right call, without its full stop
     * @throws ParameterException if it does not hold
     */
    public final void require(boolean condition, String sentence) {
        if (!condition) {
            throw new ParameterException(commandLine(), sentence + ".");
        }
    }

    /**
     * Refuses options that were given where nothing would heed them.
     *
     * @param where in which case, as the beginning of a sentence, such as "With --measure misses"
     * @param names of the options
     * @throws ParameterException if one of them was given
     */
    public final void refuse(String where, String... names) {
        ParseResult given = commandLine().getParseResult();
        String unheeded = Stream.of(names).filter(given::hasMatchedOption).collect(Collectors.joining(", "));
        require(unheeded.isEmpty(), where + " leave out " + unheeded + ", which nothing would heed");
    }

    /**
     * Makes the directory, as what cannot be written is better known before an experiment than after. Does nothing
     * where nothing is to be written.
     *
     * @throws ParameterException if it cannot be made, or something not be written, with a sentence for the user
     */
    public void prepare() {
        ResultFile.require(commandLine(), "--json", json);
        if (directory != null) {
            ResultFile.requireDirectory(commandLine(), "--out", directory);
        }
    }

    /**
     * Writes a result to wherever the user wants it.
     *
     * @param result as it is to stand in JSON
     * @param page made only where a report is asked for
     * @throws IOException if a file cannot be written
     */
    public final void write(Object result, Supplier<Report> page) throws IOException {
        for (Path file : jsonFiles()) {
            Json.writeResult(file, result);
        }
        writePage(page);
    }

    /**
     * Writes figures, with where they come from, to wherever the user wants them.
     *
     * @param figures that are an object in JSON, without an {@code origin} of its own
     * @param page made only where a report is asked for
     * @throws IOException if a file cannot be written
     */
    public final void write(Origin origin, Object figures, Supplier<Report> page) throws IOException {
        for (Path file : jsonFiles()) {
            Json.writeResult(file, origin, figures);
        }
        writePage(page);
    }

    /**
     * Writes the page and the plots, if a report is asked for, and says so, and if plots are missing why, on standard
     * error.
     *
     * @throws IOException if a file cannot be written
     */
    public final void writePage(Supplier<Report> page) throws IOException {
        if (directory == null) {
            return;
        }
        PrintWriter err = commandLine().getErr();
        ReportWriter.write(directory, page.get())
                .ifPresent(obstacle -> err.println("lockstep: the report has no plots, because " + obstacle));
        err.println("lockstep: report: " + directory.resolve(ReportWriter.PAGE));
        err.flush();
    }
}
