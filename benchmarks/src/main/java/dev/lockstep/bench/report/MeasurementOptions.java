package dev.lockstep.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SequencedMap;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The options of an experiment that measures on a disk and has one table and one plot to show, to be mixed into its
 * command, and what is done with its result.
 */
public final class MeasurementOptions extends ResultOptions {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "A directory on the disk that is to be measured; what is made in it is removed. Default: the"
                    + " system's directory for temporary files.")
    private Path directory;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "How often each is measured. Default: ${DEFAULT-VALUE}.")
    private int repeat;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of everything random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    private Origin origin;

    /** @param repeatDefault how often each is measured unless the user says otherwise */
    public MeasurementOptions(int repeatDefault) {
        repeat = repeatDefault;
    }

    /** How often each is measured. */
    public int repeat() {
        return repeat;
    }

    /** Of everything random. */
    public long seed() {
        return seed;
    }

    /** A directory that exists, on the disk that is to be measured. */
    public Path parent() {
        return directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    }

    /**
     * Requires what these options need and makes ready what they write to; notes when the experiment begins.
     *
     * @throws ParameterException if an option is out of range, or something cannot be written to
     */
    @Override
    public void prepare() {
        require(repeat >= 1, "--repeat is at least 1");
        require(!Files.isRegularFile(parent()), "--dir " + parent() + " is a file: name a directory");
        require(Files.isDirectory(parent()) && Files.isWritable(parent()), "--dir is a directory to write to");
        super.prepare();
        origin = Origin.here(commandLine().getParseResult().originalArgs(), seed);
    }

    /** Says on standard error how the experiment gets on, if somebody watches. */
    public void progress(String what) {
        Terminal.progress(commandLine().getErr(), what);
    }

    /** Says something on standard error that is more than progress. */
    public void say(String what) {
        PrintWriter err = commandLine().getErr();
        err.println("lockstep: " + what);
        err.flush();
    }

    /**
     * Writes the result to wherever the user wants it, and the section to standard output. After {@link #prepare}.
     *
     * @param result all figures, for JSON, an object there
     * @param title of the page
     * @param summary the outcome, a good one, in one sentence
     * @param settings name and value of whatever the figures depend on, in order
     * @param section the figures
     * @param plot the same as a picture
     * @throws IOException if a file cannot be written
     */
    public void write(
            Object result,
            String title,
            String summary,
            SequencedMap<String, String> settings,
            Section section,
            Plot plot)
            throws IOException {
        write(result, title, summary, true, settings, List.of(section), List.of(section.with(List.of(plot))));
    }

    /**
     * The same of several sections, which have their plots in them. After {@link #prepare}.
     *
     * @param sections the figures and plots
     * @throws IOException if a file cannot be written
     */
    public void write(
            Object result, String title, String summary, SequencedMap<String, String> settings, List<Section> sections)
            throws IOException {
        write(result, title, summary, true, settings, sections, sections);
    }

    /**
     * The same of an outcome that need not be a good one, and a page that need not have what is printed. After
     * {@link #prepare}.
     *
     * @param ok whether the outcome is good
     * @param printed the figures for standard output
     * @param page the figures and plots for the page
     * @throws IOException if a file cannot be written
     */
    public void write(
            Object result,
            String title,
            String summary,
            boolean ok,
            SequencedMap<String, String> settings,
            List<Section> printed,
            List<Section> page)
            throws IOException {
        write(origin, result, () -> new Report(title, summary, ok, origin, settings, page));
        PrintWriter out = commandLine().getOut();
        out.print(ReportText.of(printed));
        out.flush();
    }
}
