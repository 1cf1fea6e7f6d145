package dev.lockstep.bench;

import dev.lockstep.bench.flame.FlameProfiler;
import dev.lockstep.bench.jmh.BenchmarkSeed;
import dev.lockstep.bench.jmh.FlameGraphProfiler;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Benchmarks of single parts, by JMH. */
@Command(
        name = "jmh",
        mixinStandardHelpOptions = true,
        description = "Runs JMH benchmarks of single parts of Lockstep: each in three JVMs, with its error.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all ran", "1:a benchmark failed", "2:wrong call, no benchmark fits, or a profiler cannot run"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep jmh -- -l",
            "      Lists them.",
            "  ./lockstep jmh NewOrder -- -prof gc",
            "      Time and allocation of a New-Order.",
            "  ./lockstep jmh Operation -- -prof async:output=flamegraph;dir=flames",
            "      A flame graph of each, by async-profiler. Where counters exist: -prof perfnorm.",
            "  ./lockstep simulate --l1i 32K,8,64 --l1d 32K,8,64 -- jmh Key -- -f 1 -prof simulated",
            "      Simulated instructions and misses of an operation, after a control on the machine's processor, by",
            "      which is known whether the simulated JVM was steady; if not, the exit code is 1.",
            "  ./lockstep simulate --l1i 32K,8,64 --l1d 32K,8,64 --operations -- jmh planRow -- -f 1 -prof"
                    + " simulated",
            "      Misses of each operator of a plan, and of the scan that it reads.",
            "  ./lockstep jmh Switch --json switches.json -- -f 5",
            "      What a switch costs, in five JVMs, the result in a file.",
            "  ./lockstep jmh Operation --out report --flame",
            "      A page with plots and flame graphs.",
            "  ./lockstep jmh planRow -- -bm ss -bs 200 -i 1 -wi 1",
            "      By a number of calls in place of seconds.",
            "  ./lockstep jmh -- -h",
            "      All options of JMH."
        })
final class JmhCommand implements Callable<Integer>, SimulatedAs.Told {
    @Spec
    private CommandSpec command;

    @Parameters(
            arity = "0..*",
            paramLabel = "REGEX... -- JMH-OPTION...",
            description = "Benchmarks whose names fit one of the regular expressions, all without any; after -- come"
                    + " options of JMH.")
    private final List<String> arguments = new ArrayList<>();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Of everything random: the same seed makes the same rows and keys. Default:" + " ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private ResultOptions report;

    @Option(
            names = "--flame",
            description =
                    "With --out: runs each benchmark once more, in one JVM with async-profiler, and adds its flame"
                        + " graph, whose frames show operation, team and transaction where it runs operations of the"
                        + " engine; the event is the best that the machine allows.")
    private boolean flame;

    private final Placement placement;

    /** For one command line, whose forks run where the placement says. */
    JmhCommand(Placement placement) {
        this.placement = placement;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.CHILDREN;
    }

    @Override
    public Integer call() throws Exception {
        CommandLineOptions options = parsed(JmhProfilers.complete(arguments, placement));
        requireExpressions(options);
        if (options.shouldHelp()) {
            options.showHelp();
            return 0;
        }
        if (options.shouldList()) {
            new Runner(withSeed(options, List.of()).build()).list();
            return 0;
        }
        if (options.shouldListWithParams()) {
            new Runner(withSeed(options, List.of()).build()).listWithParams(options);
            return 0;
        }
        if (options.shouldListProfilers()) {
            options.listProfilers();
            return 0;
        }
        if (options.shouldListResultFormats()) {
            options.listResultFormats();
            return 0;
        }
        if (flame && report.directory() == null) {
            throw new ParameterException(command.commandLine(), "--flame needs --out DIR, where the flame graphs go");
        }
        if (flame && placement.emulation().isPresent()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--flame is not for ./lockstep simulate, where a profiler would sample the emulator");
        }
        report.prepare();
        Optional<String> obstacle = JmhProfilers.obstacle(options.getProfilers());
        if (obstacle.isPresent()) {
            throw new ParameterException(command.commandLine(), obstacle.get());
        }
        try {
            Optional<Emulation> emulation = placement.emulation();
            return emulation.isPresent() ? runSimulated(emulation.get()) : run(options, List.of(), List::of);
        } catch (NoBenchmarksException e) {
            throw new ParameterException(
                    command.commandLine(), "no benchmark fits " + arguments + "; ./lockstep jmh -- -l lists them", e);
        } catch (RunnerException e) {
            command.commandLine().getErr().println("lockstep: " + e.getMessage());
            return 1;
        }
    }

    private void requireExpressions(CommandLineOptions options) {
        try {
            options.getIncludes().forEach(Pattern::compile);
            options.getExcludes().forEach(Pattern::compile);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "'" + e.getPattern() + "' is no regular expression: " + e.getDescription(),
                    e);
        }
    }

    private CommandLineOptions parsed(List<String> words) {
        try {
            return new CommandLineOptions(words.toArray(String[]::new));
        } catch (CommandLineOptionException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** After the control, by which is known which figures count. */
    private int runSimulated(Emulation emulation) throws IOException, InterruptedException, RunnerException {
        CommandLineOptions asked = parsed(JmhProfilers.without(arguments));
        List<String> forks = Stream.of(asked.getJvmArgsPrepend(), asked.getJvmArgs(), asked.getJvmArgsAppend())
                .flatMap(each -> each.orElse(List.of()).stream())
                .toList();
        try (JmhControl control = JmhControl.open(emulation, forks)) {
            CommandLineOptions options = parsed(JmhProfilers.complete(arguments, placement, control.files()));
            List<String> sampled = new ArrayList<>(control.jvmOptions());
            sampled.addAll(GuestOptions.sampled());
            control.run(withSeed(parsed(JmhProfilers.without(arguments)), sampled));
            int exitCode = run(options, control.jvmOptions(), control::verdicts);
            control.report(command.commandLine().getOut());
            return exitCode;
        }
    }

    /** Verdicts that are there when the benchmarks have run. */
    @FunctionalInterface
    private interface Judge {
        List<Verdict> verdicts() throws IOException;
    }

    private int run(CommandLineOptions options, List<String> jvmOptions, Judge judge)
            throws IOException, RunnerException {
        ChainedOptionsBuilder builder = withSeed(options, jvmOptions);
        placement.java().ifPresent(java -> builder.jvm(java.toString()));
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        Collection<RunResult> results = new Runner(builder.build()).run();
        List<Verdict> verdicts = judge.verdicts();
        JmhReport found = JmhReport.of(arguments, seed, results, verdicts);
        for (Path file : report.jsonFiles()) {
            found.write(file);
        }
        if (report.directory() != null && !results.isEmpty()) {
            write(origin, options, results, verdicts);
        }
        return results.isEmpty() ? 2 : 0;
    }

    private void write(Origin origin, CommandLineOptions options, Collection<RunResult> results, List<Verdict> verdicts)
            throws IOException, RunnerException {
        Path flames = report.directory().resolve("flames");
        String event = "";
        // Those of an earlier report would pass for this one's.
        ScratchDirectory.remove(flames);
        if (flame) {
            event = FlameProfiler.prepare().event();
            try (ScratchDirectory scratch = ScratchDirectory.make("jmh")) {
                new Runner(new OptionsBuilder()
                                .parent(flameOptions(options))
                                .forks(1)
                                .addProfiler(FlameGraphProfiler.class, FlameGraphProfiler.options(flames))
                                // Else it would write over what the measured run has written where -rff says.
                                .result(scratch.path().resolve("drawn.json").toString())
                                .build())
                        .run();
            }
        }
        Report page = JmhPage.of(origin, results, report.directory(), flames, event, verdicts);
        report.writePage(() -> page);
    }

    private Options flameOptions(CommandLineOptions options) {
        ChainedOptionsBuilder builder = withSeed(options, FlameGraphProfiler.jvmOptions());
        placement.java().ifPresent(java -> builder.jvm(java.toString()));
        return builder.build();
    }

    private ChainedOptionsBuilder withSeed(CommandLineOptions options, List<String> moreJvmOptions) {
        // Without forks the benchmarks run here.
        System.setProperty(BenchmarkSeed.PROPERTY, Long.toString(seed));
        // Before the others: what is appended here would take the place of what a benchmark itself appends.
        List<String> jvmArguments = new ArrayList<>(options.getJvmArgsPrepend().orElse(List.of()));
        jvmArguments.addAll(moreJvmOptions);
        jvmArguments.add("-D" + BenchmarkSeed.PROPERTY + "=" + seed);
        return new OptionsBuilder()
                .parent(options)
                .jvmArgsPrepend(jvmArguments.toArray(String[]::new))
                .shouldFailOnError(true);
    }
}
