package dev.lockstep.bench.prove;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Terminal;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs one of the proofs on the user's own machine. */
@Command(
        name = "prove",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Proves on this machine what Lockstep claims: tries to break a database many times over, and says what was"
                    + " tried, what was survived, and for each failure the command that replays it."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:everything that was tried was survived",
            "1:something was not survived; its line of replay is printed",
            "2:wrong call"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep prove kill --points 100",
            "      A hundred times: a process under TPC-C load is killed, and what it was told is committed is looked"
                    + " for.",
            "  ./lockstep prove crash --seed 7 --point 1234:torn",
            "      One point again: the machine stops at operation 1,234, and what was not forced is torn.",
            "  ./lockstep prove kill --dir /data --json kill.json --seed 7",
            "      On the disk of /data, with other random choices, the result in a file.",
            "  ./lockstep prove isolation --out report --flame",
            "      With a flame graph of a further quarter of a minute, or of the same --point or --input. It shows the"
                    + " process that proves, not those that prove kill and prove fuzz start."
        })
public final class ProveCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final long MILLIS_PER_MINUTE = 60_000;

    /** Ten thousand samples and more. */
    private static final double DRAWN_MINUTES = 0.25;

    @Spec
    private CommandSpec command;

    @Parameters(
            index = "0",
            paramLabel = "PROOF",
            completionCandidates = Proofs.Names.class,
            description = "Which: ${COMPLETION-CANDIDATES}.")
    private String name;

    @Option(
            names = "--points",
            paramLabel = "N",
            description =
                    "How many points to try; of prove overload, how many numbers of terminals to measure; of prove"
                            + " soak, how many looks to take at the process. Default: the proof's own.")
    private Long points;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "How long to go on, in place of a number of points; fractions are fine. Prove crash tries"
                    + " every point of its seed once before it goes on to the next seed.")
    private Double minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of everything random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--point",
            paramLabel = "POINT",
            description = "Tries this one alone: its number among those that --points and --seed make, from 0; of prove"
                    + " crash OPERATION:FAULT, as a failure prints it.")
    private String point;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Tries the input in this file again, which the fuzz proof has kept because it failed.")
    private Path input;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the databases lie, on the disk that is to be proved, and where one that failed is"
                    + " kept. Default: the system's directory for temporary files.")
    private Path directory;

    @Mixin
    private FlameOption flame;

    @Mixin
    private ResultOptions results;

    private final PrintStream terminal;
    private final String mainClass;

    private ProveCommand(PrintStream terminal, String mainClass) {
        this.terminal = terminal;
        this.mainClass = mainClass;
    }

    /**
     * A command line with this command, whose help tells of all proofs.
     *
     * @param terminal where progress is shown; stays open
     * @param mainClass of child JVMs, which knows this command
     */
    public static CommandLine commandLine(PrintStream terminal, String mainClass) {
        CommandLine line = new CommandLine(new ProveCommand(terminal, mainClass));
        List<String> description =
                new ArrayList<>(List.of(line.getCommandSpec().usageMessage().description()));
        for (Proof proof : Proofs.ALL) {
            String amount = proof.pointsDefault() > 0
                    ? String.format(Locale.ROOT, "%,d points", proof.pointsDefault())
                    : proof.timeDefault().toMinutes() + " minutes";
            description.add("");
            description.add("prove " + proof.name() + " (" + amount + " unless said otherwise): "
                    + proof.description().replace("%", "%%"));
        }
        description.addAll(List.of("", "Options:"));
        line.getCommandSpec().usageMessage().description(description.toArray(String[]::new));
        return line;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Proof proof = Proofs.named(name)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "no such proof: " + name + "; there are: " + String.join(", ", new Proofs.Names())));
        ProofOptions options = options(proof);
        flame.require(results);
        results.prepare();
        Optional<FlameGraphs> graphs = flame.graphs(results);
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        ProofReport report;
        try (ProgressBarView progress = new ProgressBarView(terminal, proof.name());
                FlameRun _ = FlameRun.start("prove " + proof.name())) {
            report = proof.run(options, progress);
        } catch (IllegalArgumentException e) {
            if (point == null) {
                throw e;
            }
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        if (graphs.isPresent()) {
            draw(graphs.get(), options);
        }
        List<Section> sections = new ArrayList<>(report.sections());
        graphs.map(FlameGraphs::section).ifPresent(sections::add);
        print(report, sections);
        ProofResult result = new ProofResult(
                origin, Machine.here(), options.points(), options.time().toSeconds(), report.ok(), report);
        results.write(
                result,
                () -> new Report(
                        "Proof: " + proof.name(),
                        report.summary(),
                        report.ok(),
                        origin,
                        configuration(options, report),
                        sections));
        return report.ok() ? 0 : 1;
    }

    private ProofOptions options(Proof proof) {
        if (points != null && minutes != null) {
            throw wrong("--points and --minutes exclude each other");
        }
        if (point != null && minutes != null) {
            throw wrong("--point and --minutes exclude each other: give the --points of the run in which it failed");
        }
        if (input != null && !proof.takesInput()) {
            throw wrong("prove " + proof.name() + " keeps no inputs in files: leave --input out");
        }
        if (input != null && (point != null || points != null || minutes != null)) {
            throw wrong("--input is tried alone: leave --point, --points and --minutes out");
        }
        if (minutes != null && (minutes.isNaN() || minutes <= 0 || minutes > Integer.MAX_VALUE)) {
            throw wrong("--minutes is more than 0: minutes=" + minutes);
        }
        if (points != null && points < proof.pointsMin()) {
            throw wrong(
                    "--points of prove " + proof.name() + " is " + proof.pointsMin() + " or more: points=" + points);
        }
        if (points != null && points > proof.pointsMax()) {
            throw wrong(
                    "--points of prove " + proof.name() + " is at most " + proof.pointsMax() + ": points=" + points);
        }
        if (point != null && proof.pointsDefault() == 0) {
            throw wrong("prove " + proof.name() + " has no points that can be tried alone: leave --point out");
        }
        if (input != null && !InputFile.isReadable(input)) {
            throw wrong("--input " + input + " cannot be read: name the file that the failure named");
        }
        Path where = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
        ResultFile.requireDirectory(command.commandLine(), "--dir", where);
        long count = minutes != null ? 0 : points != null ? points : proof.pointsDefault();
        Duration time = minutes != null
                ? Duration.ofMillis(Math.max(Math.round(minutes * MILLIS_PER_MINUTE), 1))
                : points != null ? Duration.ZERO : proof.timeDefault();
        try {
            OptionalLong number = point == null ? OptionalLong.empty() : OptionalLong.of(proof.pointNumber(point));
            if (number.isPresent() && count > 0 && proof.isPointIndependent()) {
                count = Math.max(count, number.getAsLong() + 1);
            }
            ProofOptions options = new ProofOptions(count, time, seed, number, where.toAbsolutePath());
            return input == null ? options : options.withInput(input);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** From one more run for a short time, or of the same point or input, whose verdict is no part of this one's. */
    private void draw(FlameGraphs graphs, ProofOptions options) throws IOException, InterruptedException {
        PrintWriter err = command.commandLine().getErr();
        Terminal.progress(err, "prove: draws a flame graph");
        List<String> words = new ArrayList<>(List.of("prove", name));
        if (input != null) {
            words.addAll(List.of("--input", input.toAbsolutePath().toString()));
        } else if (point != null) {
            words.addAll(List.of("--point", point));
            if (points != null) {
                words.addAll(List.of("--points", points.toString()));
            }
        } else {
            words.addAll(List.of("--minutes", Double.toString(DRAWN_MINUTES)));
        }
        words.addAll(List.of(
                "--seed", Long.toString(seed), "--dir", options.directory().toString()));
        List<String> said = new ArrayList<>();
        int exitCode = ChildJvm.run(
                Processors.choose(Processors.available()),
                options.directory(),
                Map.of(),
                graphs.options(name),
                mainClass,
                words,
                said::add);
        if (!Files.exists(graphs.file(name))) {
            throw new IllegalStateException(
                    "the run with the profiler drew nothing exitCode=" + exitCode + ": " + String.join(" | ", said));
        }
        if (exitCode != 0) {
            err.println("lockstep: the run with the profiler, which counts for nothing, ended otherwise:");
            said.forEach(err::println);
            err.flush();
        }
        graphs.add(name);
    }

    private void print(ProofReport report, List<Section> sections) {
        PrintWriter printed = command.commandLine().getOut();
        printed.println(report.summary());
        for (Map.Entry<String, Long> count : report.counts().entrySet()) {
            printed.println(String.format(Locale.ROOT, "  %s: %,d", count.getKey(), count.getValue()));
        }
        printed.print(ReportText.of(sections));
        for (ProofFailure failure : report.failures()) {
            printed.println("FAILED point " + failure.point() + ": " + failure.what());
            printed.println("  replay: " + failure.replay());
        }
        printed.flush();
    }

    private static SequencedMap<String, String> configuration(ProofOptions options, ProofReport report) {
        SequencedMap<String, String> configuration = new LinkedHashMap<>();
        configuration.put("points", options.points() > 0 ? Long.toString(options.points()) : "by time");
        configuration.put(
                "time", options.time().isZero() ? "by points" : options.time().toString());
        configuration.put("directory", options.directory().toString());
        report.counts().forEach((name, value) -> configuration.put(name, Long.toString(value)));
        return configuration;
    }
}
