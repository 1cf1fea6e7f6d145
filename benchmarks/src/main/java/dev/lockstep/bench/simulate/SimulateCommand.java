package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.NativeProcess;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.SourceVersion;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.ShownArguments;
import dev.lockstep.bench.simulate.control.ProgramControl;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.bench.switchpoints.AgentOptions;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import dev.lockstep.counters.NativePart;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a command on a simulated machine and says what its caches did. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        customSynopsis = {
            "./lockstep simulate [--machine PRESET|FILE] [--l1i GEOMETRY]...",
            "    [--l1d GEOMETRY]... [--l2 GEOMETRY]... [--llc GEOMETRY]...",
            "    [--cores N]",
            "    [--nodes N] [--smt 1|2] [--seed N]",
            "    [--set KEY=VALUE]... [--step N] [--turn N] [--no-buffers] [--engine-threads]",
            "    [--jvm-threads] [--branches[=C:T:I:R]] [--whole-run|--phases-only]",
            "    [--operations] [--code FILE] [--code-map FILE] [--trace FILE]",
            "    [--switch-points FILE [--check-points REPORT]] [--json FILE] [--out DIR]",
            "    -- COMMAND..."
        },
        description = {
            "Runs COMMAND under user-mode QEMU (" + Simulator.QEMU
                    + ") with a plugin that feeds every executed block and"
                    + " every access to a model of caches, and prints what they did.",
            "COMMAND is a command of ./lockstep, whose child JVMs are simulated, but for those of restart and prove,"
                    + " which run on the real processor, and of commands that simulate by themselves, which run where"
                    + " these put them; java and its arguments; or another program of x86-64. Give workload commands"
                    + " --transactions N: seconds pass more slowly here.",
            "Threads are classed by name. Carriers and clients run on the simulated cores, fewest first; those that"
                    + " share a core take turns. The engine's own threads, which write its log and its pages, and the"
                    + " JVM's are counted apart.",
            "There is no --flame: the profiler would see the emulator. Give it to COMMAND outside simulate.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the command ran, and its figures are printed",
            "1:a measurement that counts for nothing, because the JVM had not reached its steady state, which its"
                + " control tells, or had no control, or collected and compiled for more than a quarter of the"
                + " workload's instructions in a measured phase that it marked, or, with --code, too many misses lie"
                + " where nobody knows the code; an exception",
            "2:wrong call or geometry; no user-mode QEMU; the plugin does not load; the command failed"
        },
        footerHeading = "%nPresets:%n",
        footer = {
            "  this: this machine's caches, one core",
            "  alpha: the simulated Alpha server of Barroso and others (1998), section 5.1; 4 cores",
            "  alphaserver-4100: the one they measured, section 3.1; 4 cores",
            "  pentium-4, athlon-xp, pentium-iii: the processors of the STEPS paper, table 1",
            "  itanium-2: the server of Saylor and Khessib (2006); 32 cores on 8 nodes",
            "The report says where each figure comes from. Latencies that a machine does not state are those of a",
            "server of the 2020s, in cycles: 14 to L2, 50 to the last level, 250 to memory (400 to another node's),"
                    + " 120",
            "to what another core of the node has modified (350 on another node), 60 to become the only owner of a",
            "line, 7 to the second level of TLB.",
            "",
            "Not observable in user mode, and so in no figure:",
            "  code of the kernel, and its time; I/O, but for the buffers of read and write calls; physical addresses;",
            "  speculation; prefetching by hardware, unless the model's own is switched on; prefetch and flush",
            "  instructions. Shares of user, kernel and idle time come from native runs.",
            "",
            "Examples:",
            "  ./lockstep simulate --l1i 32K,8,64 -- java -version",
            "      One L1-I.",
            "  ./lockstep simulate --l1i 32K,8,64 --l1i 16K,8,64 --l1i 64K,8,64 -- java -cp classes Main",
            "      Three geometries in one run; the last two only watch.",
            "  ./lockstep simulate --machine alpha --json result.json -- tpcc --cores 4 --transactions 2000",
            "      TPC-C on four coherent cores, with classes of misses.",
            "  ./lockstep simulate --l1i 32K,8,64 --l1d 32K,8,64 --operations --code code.txt --out report \\",
            "    -- tpcc --transactions 2000 --warmup-transactions 20000",
            "      The methods and lines that miss most, and misses and cycles by operation and transaction type.",
            "  ./lockstep simulate --l1i 32K,8,64 --code code.txt \\",
            "    -- indexfetch --kinds continuation --members 10",
            "      How often continuations switched, and how many of these went the slow way.",
            "  ./lockstep simulate --l1i 32K,8,64 --l1d 32K,8,64 --operations --code code.txt --code-map map.json \\",
            "    -- tpcc --scheduler steps --transactions 8000 --warmup-transactions 40000",
            "  ./lockstep codemap --read map.json",
            "      Which code each operation of that run executes."
        })
public final class SimulateCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final String JAVA = "java";

    @Spec
    private CommandSpec command;

    @Mixin
    private SimulateOptions options;

    @Option(
            names = "--whole-run",
            description =
                    "Simulates children of tpcc, jmh and indexfetch from start to end; without it, only while they"
                            + " measure. Other commands are always simulated from start to end, and other programs are"
                            + " without --phases-only.")
    private boolean wholeRun;

    @Option(
            names = "--phases-only",
            description = "Simulates a program that is none of these commands only in the phases that it marks, where"
                + " its start takes about a third of the time; of one that marks none nothing is counted. For java and"
                + " other programs.")
    private boolean phasesOnly;

    @Option(
            names = "--code",
            paramLabel = "FILE",
            description = "Writes which code was executed, how often, in which phase and operation, and what missed; of"
                    + " further JVMs to FILE-2 and so on. Of JVMs the report then names the methods, lines and"
                    + " chains of inlined calls that miss most or, with --branches, are mispredicted most, and how"
                    + " often stacks of continuations were frozen and thawed, and how many of these the JVM did slowly,"
                    + " since a frame was interpreted or the collector had moved them. Makes the run slower.")
    private Path code;

    @Option(
            names = "--operations",
            description = "Marks the operations of the database in JVMs of ./lockstep, and charges each with its"
                    + " misses, by transaction type too. The marks add instructions of their own to each operation.")
    private boolean operations;

    @Option(
            names = "--code-map",
            paramLabel = "FILE",
            description = "Writes which code each operation executes, for each JVM, as ./lockstep codemap does for its"
                    + " own workloads; ./lockstep codemap --read FILE prints it, and --footprints extracts what the"
                    + " scheduler reads. Needs --operations and --code, and a command of ./lockstep.")
    private Path codeMap;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Writes the instructions of single operations of the measured phase, in the order in which they"
                        + " were executed: what ./lockstep autosteps searches for switch points. Needs marks, as"
                        + " --operations makes them, and a command that starts one JVM; with --code the file says what"
                        + " lies at each address.")
    private Path trace;

    @Option(
            names = "--switch-points",
            paramLabel = "FILE",
            description = "Inserts the points that ./lockstep autosteps --points FILE has written into the bytecode of"
                    + " JVMs. They have Lockstep on their class path.")
    private Path switchPoints;

    @Option(
            names = "--check-points",
            paramLabel = "REPORT",
            description =
                    "Checks the points of --switch-points in place of switching there: REPORT says how often each was"
                        + " passed, and how often with a latch, lock or monitor held. Needs a command that starts one"
                        + " JVM.")
    private Path checkPoints;

    @Option(
            names = "--control",
            description = "Judges the measured phases that a Java program marks: runs it on the machine's processor"
                + " too, with the same flags and a profiler, up to twenty times. They count if C2 had compiled 95 %%"
                + " of the Java instructions on both sides, within 3 points. Needs --code, and java as COMMAND,"
                + " without --switch-points; tpcc, jmh and indexfetch have controls of their own.")
    private boolean control;

    @Mixin
    private ResultOptions results;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "What to run, after --.")
    private List<String> words;

    private final Function<Placement, CommandLine> commands;
    private final String mainClass;
    private final String version;
    private final CodeInstruments instruments;

    /**
     * For one command line.
     *
     * @param commands makes a command line whose child JVMs run where the placement says
     * @param mainClass of this program
     * @param version of this program
     */
    public SimulateCommand(
            Function<Placement, CommandLine> commands, String mainClass, String version, CodeInstruments instruments) {
        this.commands = commands;
        this.mainClass = mainClass;
        this.instruments = instruments;
        this.version = version;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> machine;
        SimulatorSettings settings;
        try {
            machine = options.machineLines();
            settings = code == null ? options.settings() : options.settings().withCode(code);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        ResultFile.require(command.commandLine(), "--code", code);
        ResultFile.require(command.commandLine(), "--trace", trace);
        ResultFile.require(command.commandLine(), "--code-map", codeMap);
        results.require(
                codeMap == null || (operations && code != null),
                "--code-map needs --operations, which tells them apart, and --code, which notes what is executed");
        results.require(
                !control
                        || (code != null
                                && switchPoints == null
                                && words.getFirst().equals(JAVA)),
                "--control needs --code, which notes what is executed, java as the command, and no --switch-points");
        results.require(
                trace == null || operations || own() == null,
                "--trace of a command of ./lockstep needs --operations, which marks what is traced");
        results.require(
                !phasesOnly || (own() == null && !wholeRun),
                "--phases-only is for programs, and not together with --whole-run: commands of ./lockstep know"
                        + " when to begin");
        requirePoints();
        requireAgent();
        results.prepare();
        try (ScratchDirectory directory = ScratchDirectory.make("simulate")) {
            return run(machine, settings, directory.path());
        } catch (SimulationException e) {
            command.commandLine().getErr().println("lockstep: " + e.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
    }

    private int run(List<String> machine, SimulatorSettings settings, Path directory)
            throws SimulationException, IOException, InterruptedException {
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Origin origin =
                Origin.here(command.commandLine().getParseResult().originalArgs(), SimulationPage.seed(machine));
        CommandLine own = own();
        SimulatedAs as = own != null && own.getCommandSpec().userObject() instanceof SimulatedAs.Told told
                ? told.simulatedAs()
                : null;
        boolean placed = as == SimulatedAs.CHILDREN;
        Path traced = trace == null ? null : directory.resolve("trace.txt");
        SimulatorSettings used =
                settings.withFromFirstPhase(phasesOnly || (placed && !wholeRun)).withTrace(traced);
        Simulator simulator = Simulator.open(machine, used, directory);
        SimulatedPlacement placement = new SimulatedPlacement(
                simulator, directory, instruments, operations, new AgentOptions(switchPoints, checkPoints));
        ProgramControl controlled = control ? ProgramControl.prepare(program(), simulator.emulator(), directory) : null;
        CommandLine known = commands.apply(placement);
        requireSuccess(
                placed
                        ? known.execute(words.toArray(String[]::new))
                        : runProgram(simulator, placement, program(own, controlled), own != null));
        List<SimulatedProcess> processes = placement.processes();
        if (processes.isEmpty()) {
            throw new SimulationException(
                    "The command started no process that could be simulated: command=" + shown() + ".");
        }
        if (traced != null) {
            nameTrace(traced, processes);
        }
        if (controlled != null) {
            placement.judged(controlled.judge(processes.getFirst().command(), this::steadyState));
        }
        if (codeMap != null) {
            map(placement, origin);
        }
        List<Verdict> judged = placement.verdicts();
        SimulationReport result = new SimulationReport(
                ShownArguments.of(command.commandLine().getParseResult().originalArgs()),
                time,
                version,
                SourceVersion.commit().orElse(null),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                Machine.here(),
                simulator.machine(),
                options.source(),
                used,
                SimulationReport.notObservable(own != null, as),
                judged.isEmpty() ? UnjudgedPhases.verdicts(processes) : judged,
                processes);
        PrintWriter out = command.commandLine().getOut();
        out.print(new SimulationText(result).text());
        out.flush();
        results.write(result, () -> SimulationPage.of(result, origin));
        List<String> doNotCount = result.doNotCount();
        doNotCount.forEach(sentence -> command.commandLine().getErr().println("lockstep: " + sentence));
        return doNotCount.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** The command of this program that is to run, or null where it is another program. */
    private CommandLine own() {
        return commands.apply(Placement.ofMachine()).getSubcommands().get(words.getFirst());
    }

    private void requireSuccess(int exitCode) throws SimulationException {
        if (exitCode != 0) {
            throw new SimulationException("The command failed: exitCode=" + exitCode + " command=" + shown());
        }
    }

    private SteadyState steadyState(List<CompiledMethod> compiled, Path samples, List<CompiledMethod> ofControl)
            throws IOException {
        Path lines = code.toAbsolutePath();
        return instruments.steadyState(lines, Emulation.events(lines), compiled, samples, ofControl);
    }

    private String shown() {
        return String.join(" ", ShownArguments.of(words));
    }

    private void map(SimulatedPlacement placement, Origin origin) throws SimulationException, IOException {
        List<CodeRun> runs = placement.codeRuns();
        if (runs.isEmpty()) {
            throw new SimulationException("--code-map needs JVMs of ./lockstep, whose operations are marked: command="
                    + shown() + "; it started none.");
        }
        instruments.map(runs, origin, codeMap);
    }

    private void nameTrace(Path traced, List<SimulatedProcess> processes) throws SimulationException, IOException {
        if (processes.size() > 1) {
            throw new SimulationException("--trace needs a command that starts one process: processes="
                    + processes.size() + "; of tpcc name one engine and one scheduler.");
        }
        Path events = code == null ? null : Emulation.events(code.toAbsolutePath());
        boolean isAnyTraced = instruments.nameTrace(
                traced,
                processes.getFirst().operations(),
                events != null && Files.exists(events) ? events : null,
                switchPoints,
                trace);
        if (!isAnyTraced) {
            throw new SimulationException("--trace needs operations that are marked in the measured phase, and there"
                    + " were none: command=" + shown() + ".");
        }
    }

    /**
     * The words that start what is simulated from start to end.
     *
     * @param own the command of this program, or null
     * @param controlled the control, or null
     */
    private List<String> program(CommandLine own, ProgramControl controlled) throws SimulationException {
        if (controlled != null) {
            return controlled.simulated();
        }
        return own == null ? program() : whole();
    }

    private List<String> program() throws SimulationException {
        List<String> program = new ArrayList<>(words);
        program.set(0, program(words.getFirst()).toString());
        return program;
    }

    /** A command of this program in a JVM of its own. */
    private List<String> whole() {
        return ChildJvm.command(GuestOptions.simulated(), mainClass, words);
    }

    private static int runProgram(Simulator simulator, SimulatedPlacement placement, List<String> program, boolean ours)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                NativeProcess.builder(placement.simulated(program, ours)).inheritIO();
        builder.environment().putAll(simulator.environment());
        return NativeProcess.run(builder);
    }

    /** The file of a program: this JVM's for java, else by path or in PATH. */
    private static Path program(String name) throws SimulationException {
        if (name.equals(JAVA)) {
            return Path.of(System.getProperty("java.home"), "bin", JAVA);
        }
        String path = name.contains(File.separator) ? "" : System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, name).toAbsolutePath())
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElseThrow(() -> new SimulationException("There is no such command: " + name
                        + " is neither a command of ./lockstep nor a program; see ./lockstep --help."));
    }

    private void requirePoints() throws IOException {
        if (switchPoints != null && !InputFile.isReadable(switchPoints)) {
            throw new ParameterException(
                    command.commandLine(), "--switch-points cannot be read: file=" + switchPoints + ".");
        }
        try {
            if (switchPoints != null) {
                SwitchPoints.readForThisJvm(switchPoints);
            }
        } catch (SwitchPointException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        results.require(
                checkPoints == null || trace == null,
                "--check-points changes the bytecode otherwise than --switch-points alone, so that places of a --trace"
                        + " could not be found again; leave one of them out");
        if (checkPoints != null && switchPoints == null) {
            throw new ParameterException(command.commandLine(), "--check-points needs --switch-points.");
        }
        if (checkPoints != null && checkPoints.toAbsolutePath().toString().contains(",")) {
            throw new ParameterException(
                    command.commandLine(), "--check-points takes no path with a comma, which ends it for the agent.");
        }
        ResultFile.require(command.commandLine(), "--check-points", checkPoints);
    }

    /** Without it nobody knows what lies where in compiled code. */
    private void requireAgent() {
        if (code != null && NativePart.AGENT.find() instanceof NativePart.Result.Missing(String reason)) {
            throw new ParameterException(command.commandLine(), reason);
        }
    }
}
