package dev.lockstep.bench.codemap;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.report.JvmOption;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.SpelledConstant;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.report.Terminal;
import dev.lockstep.bench.simulate.SimulationException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows which code each operation of the engine executes. */
@Command(
        name = "codemap",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Shows which code each database operation executes: the Java methods that make it up, the bytes of compiled"
                    + " code that were really executed, in distinct cache lines, beside the size of the compiled"
                    + " methods, what two operations share, and how it grows from operation to transaction.",
            "Runs workloads in JVMs under user-mode QEMU, with a plugin that counts executed blocks and an agent that"
                    + " logs compiled code. Needs qemu-x86_64 (Debian and Ubuntu: apt-get install qemu-user) and takes"
                    + " two minutes for the operations and four for TPC-C, with --control twice as long.",
            "Says of each workload, too, how often stacks of continuations, which S-threads are here, were frozen and"
                + " thawed, and how many of these the JVM did slowly, since a frame was interpreted or the collector"
                + " had moved them.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all is well",
            "1:the code is not that of the steady state: less than 95 %% of the Java instructions came from C2, or not"
                    + " within 3 points of what a profiler sees in the same run without QEMU, or the JVM compiled for"
                    + " more than a quarter of the workload's instructions, with --control in either run; or the place"
                    + " of more than 2 %% of all was not found",
            "2:wrong call; QEMU, the plugin or the agent is missing; or a workload failed"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep codemap",
            "      Both workloads, under STEPS.",
            "  ./lockstep codemap --workload operations --scheduler jdk --json map.json --out report",
            "      One, without scheduler; the map in a file, and a page with plots.",
            "  ./lockstep codemap --workload tpcc --out report --flame",
            "      With a flame graph of the same transactions on this machine's processor.",
            "  ./lockstep codemap --read map.json --methods 20",
            "      Prints a map that was made before.",
            "  ./lockstep simulate --l1d 32K,8,64 --operations --code code.txt --code-map map.json -- COMMAND",
            "      Makes a map of any other run of ./lockstep, to be printed by --read."
        })
public final class CodeMapCommand implements Callable<Integer>, SimulatedAs.Told {
    /** Part of all instructions whose place may stay unknown. */
    static final double UNRESOLVED_SHARE_MAX = 0.02;

    /** What says what is run, and how. */
    private static final String[] OF_RUNS = {
        "--workload",
        "--scheduler",
        "--rows",
        "--transactions",
        "--warmup-transactions",
        "--control",
        "--terminals",
        "--jvm-option",
        "--seed"
    };

    /** What can be run, as it is spelled. */
    enum Choice {
        OPERATIONS,
        TPCC,
        ALL
    }

    /** Who runs it, as it is spelled. */
    enum Scheduling {
        JDK,
        STEPS
    }

    /** Converts {@code --workload}. */
    static final class OfChoice extends SpelledConstant<Choice> {
        OfChoice() {
            super(Choice.class);
        }
    }

    /** Converts {@code --scheduler}. */
    static final class OfScheduling extends SpelledConstant<Scheduling> {
        OfScheduling() {
            super(Scheduling.class);
        }
    }

    @Spec
    private CommandSpec command;

    @Option(
            names = "--workload",
            paramLabel = "operations|tpcc|all",
            defaultValue = "all",
            converter = OfChoice.class,
            description =
                    "operations: transactions with one operation of each kind, on a table of --rows; tpcc: the five"
                            + " transactions of TPC-C, on a database of a tenth of the usual size. Default: all.")
    private Choice workload;

    @Option(
            names = "--scheduler",
            paramLabel = "jdk|steps",
            defaultValue = "steps",
            converter = OfScheduling.class,
            description = "What runs them: threads of the JDK, or S-threads (continuations). Default: steps.")
    private Scheduling scheduler;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Rows of the table of operations, " + OperationWorkload.ROWS_MIN
                    + " or more, ${DEFAULT-VALUE} by default: so few that all lies in the caches, so many that the tree"
                    + " has two levels.")
    private int rows;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            description = "Transactions measured, 1 or more. Default: 2,000 of operations and 8,000 of TPC-C.")
    private Long transactions;

    @Option(
            names = "--warmup-transactions",
            paramLabel = "N",
            description = "Transactions before, 0 or more. Default: what brings the JVM to its steady state, 60,000 of"
                    + " operations and 40,000 of TPC-C.")
    private Long warmUpTransactions;

    @Option(
            names = "--control",
            description = "Runs each workload once more, without a probe, and says how many instructions a transaction"
                    + " the probe costs. Takes as long again.")
    private boolean control;

    @Option(
            names = "--terminals",
            paramLabel = "N",
            defaultValue = "10",
            description = "Threads of TPC-C, 1 or more. Default: ${DEFAULT-VALUE}.")
    private int terminals;

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            converter = JvmOption.class,
            description = "One more option of the simulated JVMs; may be repeated. The map names all of them.")
    private List<String> jvmOptions = List.of();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of everything random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--methods",
            paramLabel = "N",
            defaultValue = "8",
            description = "How many methods of each operation are printed, 0 or more. Default: ${DEFAULT-VALUE}.")
    private int methods;

    @Option(
            names = "--footprints",
            paramLabel = "FILE",
            description =
                    "Writes the footprint of each operation, what each two share, and what it touches of data, as text"
                            + " that the scheduler and the engine read at run time"
                            + " (dev.lockstep.scheduler.CodeFootprints).")
    private Path footprints;

    @Option(
            names = "--read",
            paramLabel = "FILE",
            description = "Runs nothing, and prints the code map of a file that --json wrote, with where it comes from,"
                    + " and MARKED if that was another JVM than runs here.")
    private Path read;

    @Mixin
    private FlameOption flame;

    @Mixin
    private ResultOptions results;

    private final String mainClass;

    /**
     * For one command line.
     *
     * @param mainClass of child JVMs, which knows {@link CodeMapChildCommand}
     */
    public CodeMapCommand(String mainClass) {
        this.mainClass = mainClass;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireSense();
        results.prepare();
        Optional<FlameGraphs> graphs = flame.graphs(results);
        CodeMap map;
        try {
            map = read == null ? measure(graphs) : CodeMap.read(read);
        } catch (SimulationException | CodeFormatException | WorkloadFailedException e) {
            command.commandLine().getErr().println("lockstep: " + e.getMessage());
            return 2;
        }
        Report figures = new CodeMapReport(map, methods).report();
        Report report = graphs.map(FlameGraphs::section).map(figures::with).orElse(figures);
        PrintWriter printed = command.commandLine().getOut();
        printed.println(report.summary());
        report.configuration().forEach((name, value) -> printed.println(name + ": " + value));
        printed.print(ReportText.of(report.sections()));
        printed.flush();
        if (footprints != null) {
            map.writeFootprints(footprints);
        }
        results.write(map, () -> report);
        return report.ok() ? 0 : 1;
    }

    private void requireSense() {
        if (rows < OperationWorkload.ROWS_MIN
                || (transactions != null && transactions < 1)
                || (warmUpTransactions != null && warmUpTransactions < 0)
                || terminals < 1
                || methods < 0) {
            throw new ParameterException(
                    command.commandLine(),
                    "--rows is " + OperationWorkload.ROWS_MIN
                            + " or more, --transactions and --terminals are 1 or more,"
                            + " --warmup-transactions and --methods 0 or more: rows=" + rows
                            + " transactions=" + transactions + " warmupTransactions=" + warmUpTransactions
                            + " terminals=" + terminals + " methods=" + methods);
        }
        if (read != null && !InputFile.isReadable(read)) {
            throw new ParameterException(command.commandLine(), "--read " + read + " cannot be read: is it there?");
        }
        results.require(!flame.isAsked() || read == null, "--flame runs the workloads once more: leave --read out");
        if (read != null) {
            results.refuse("With --read, which runs nothing,", OF_RUNS);
        }
        if (workload == Choice.TPCC) {
            results.refuse("With --workload tpcc", "--rows");
        } else if (workload == Choice.OPERATIONS) {
            results.refuse("With --workload operations", "--terminals");
        }
        flame.require(results);
        ResultFile.require(command.commandLine(), "--footprints", footprints);
    }

    private CodeMap measure(Optional<FlameGraphs> graphs)
            throws IOException, InterruptedException, SimulationException, WorkloadFailedException {
        List<CodeMap.WorkloadCode> workloads = new ArrayList<>();
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        String jvm = CodeMap.thisJvm();
        List<String> flags = List.of();
        for (CodeMapSpec.Workload each : CodeMapSpec.Workload.values()) {
            if (workload == Choice.ALL || workload.name().equals(each.name())) {
                CodeMapSpec spec = new CodeMapSpec(
                        each,
                        scheduler == Scheduling.STEPS,
                        rows,
                        transactions == null ? each.rounds() : transactions,
                        warmUpTransactions == null ? each.warmUpRounds() : warmUpTransactions,
                        terminals,
                        seed,
                        true,
                        null);
                Terminal.progress(
                        command.commandLine().getErr(),
                        "codemap: " + Spelling.of(each) + ": runs under QEMU, which takes minutes ...");
                CodeMap.PlainRun plain = null;
                if (control) {
                    try (CodeMapExperiment experiment = new CodeMapExperiment(spec.unmarked(), jvmOptions)) {
                        experiment.run(this::runChild);
                        plain = experiment.plain();
                    }
                }
                try (CodeMapExperiment experiment = new CodeMapExperiment(spec, jvmOptions)) {
                    experiment.run(this::runChild);
                    workloads.add(experiment.code(plain));
                    if (graphs.isPresent()) {
                        experiment.draw(graphs.get(), this::runChild);
                    }
                    jvm = experiment.child().jvm();
                    flags = experiment.child().flags();
                }
            }
        }
        return new CodeMap(
                CodeMap.KIND,
                CodeMap.FORMAT_VERSION,
                jvm,
                flags.stream().filter(flag -> !flag.startsWith("-agentpath:")).toList(),
                origin,
                workloads);
    }

    private int runChild(
            Processors processors, Path directory, List<String> options, List<String> arguments, List<String> printed)
            throws IOException, InterruptedException {
        return ChildJvm.run(processors, directory, Map.of(), options, mainClass, arguments, printed::add);
    }
}
