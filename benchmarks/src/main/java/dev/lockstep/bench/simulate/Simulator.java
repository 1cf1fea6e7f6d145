package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.NativeProcess;
import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.NodeLayout;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs programs of x86-64 under user-mode QEMU with the plugin that simulates a machine. Opening one finds what is
 * needed and tries it on a program that does nothing, so that what is wrong is told before a long run. Immutable.
 */
public final class Simulator {
    /** The program of user-mode QEMU. */
    public static final String QEMU = "qemu-x86_64";

    /**
     * The processor that the program sees: all that QEMU has, and the name by which a JVM uses it as it would natively.
     */
    private static final List<String> PROCESSOR = List.of("-cpu", "max,vendor=GenuineIntel");

    private static final List<String> HARMLESS = List.of("/bin/true", "/usr/bin/true");
    private static final long TRIAL_SECONDS_MAX = 60;
    private static final String COMPLAINT = "lockstep: ";
    private static final int MIB_SHIFT = 20;

    private final Path qemu;
    private final Path plugin;
    private final Path machineFile;

    /** Null for a machine that is not divided. */
    private final Path nodesFile;

    private final MachineDescription machine;
    private final SimulatorSettings settings;

    private Simulator(
            Path qemu,
            Path plugin,
            Path machineFile,
            Path nodesFile,
            MachineDescription machine,
            SimulatorSettings settings) {
        this.qemu = qemu;
        this.plugin = plugin;
        this.machineFile = machineFile;
        this.nodesFile = nodesFile;
        this.machine = machine;
        this.settings = settings;
    }

    /**
     * Finds QEMU and the plugin, and tries them.
     *
     * @param machine lines of a machine file, {@code key=value}
     * @param directory where the machine file is written and trials leave their results, which exists
     * @throws SimulationException if QEMU or the plugin is missing, the plugin does not load, or the machine cannot be
     */
    public static Simulator open(List<String> machine, SimulatorSettings settings, Path directory)
            throws SimulationException, IOException, InterruptedException {
        return open(MachineDescription.parse(machine), settings, directory);
    }

    static Simulator open(MachineDescription machine, SimulatorSettings settings, Path directory)
            throws SimulationException, IOException, InterruptedException {
        Path machineFile = directory.resolve("machine.txt").toAbsolutePath();
        Files.write(machineFile, machine.lines());
        NodeLayout nodes = nodes(machine);
        Path nodesFile = nodes.nodes().isEmpty()
                ? null
                : Files.write(directory.resolve("nodes.txt").toAbsolutePath(), nodes.lines());
        Simulator simulator = new Simulator(
                qemu().orElseThrow(() -> new SimulationException(missing())),
                plugin(),
                machineFile,
                nodesFile,
                machine,
                settings);
        simulator.tryOut(directory);
        return simulator;
    }

    /** Where user-mode QEMU is on this machine, if it is. */
    public static Optional<Path> qemu() {
        return find(QEMU);
    }

    /** What to do where {@link #qemu} finds nothing, one sentence. */
    public static String missing() {
        return "User-mode QEMU is not there: no " + QEMU + " is in PATH; install it (Debian and Ubuntu: apt-get install"
                + " qemu-user; Fedora: dnf install qemu-user), version 7.2 to 8.2, on x86-64 Linux.";
    }

    private static Optional<Path> find(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path plugin() throws SimulationException {
        return switch (NativePart.SIMULATOR.find()) {
            case NativePart.Result.Available(Path file) -> file;
            case NativePart.Result.Missing(String reason) -> throw new SimulationException(reason);
        };
    }

    private void tryOut(Path directory) throws SimulationException, IOException, InterruptedException {
        Path result = directory.resolve("trial.json").toAbsolutePath();
        Path output = directory.resolve("trial.txt").toAbsolutePath();
        String program = HARMLESS.stream()
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse(QEMU);
        Process process =
                start(NativeProcess.builder(prefix(settings.withCode(null).withTrace(null), result, List.of(program)))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile()));
        if (!process.waitFor(TRIAL_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new SimulationException("The simulator hangs: " + program + " did not end within " + TRIAL_SECONDS_MAX
                    + " s under " + qemu + ".");
        }
        if (process.exitValue() != 0 || !Files.exists(result)) {
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            throw new SimulationException(lines.stream()
                    .filter(line -> line.startsWith(COMPLAINT))
                    .findFirst()
                    .map(line -> ofTheMachine(line.substring(COMPLAINT.length())))
                    .orElse("The simulator's plugin does not load: "
                            + (lines.isEmpty() ? "exitCode=" + process.exitValue() : lines.getFirst())
                            + "; it needs QEMU with plugins, version 7.2 to 8.2: " + qemu + "."));
        }
        Files.delete(result);
        Files.delete(output);
    }

    private Process start(ProcessBuilder trial) throws SimulationException {
        try {
            return trial.start();
        } catch (IOException e) {
            throw new SimulationException(
                    "QEMU cannot be started: " + e.getMessage() + "; install one that this machine can run, version 7.2"
                            + " to 8.2: " + qemu + ".",
                    e);
        }
    }

    /** Names no file and line that the user has never seen: whatever was given, the key says which part of it. */
    private String ofTheMachine(String complaint) {
        String place = machineFile.toString();
        return complaint.startsWith(place)
                ? complaint
                        .substring(place.length())
                        .replaceFirst("^(, line \\d+)?: ", "The machine cannot be simulated: ")
                : complaint;
    }

    /** The lines of the machine file. */
    public List<String> machine() {
        return machine.lines();
    }

    /** What is run, and how. */
    public SimulatorSettings settings() {
        return settings;
    }

    /**
     * The command that runs another one under the simulator.
     *
     * @param result where the plugin writes its {@link SimulationResult} when the program ends
     */
    public List<String> command(Path result, List<String> command) {
        return prefix(settings, result, command);
    }

    /**
     * The command that runs another one under the simulator and notes what it executes.
     *
     * @param code file for the code that it executes
     */
    List<String> command(Path result, Path code, List<String> command) {
        return prefix(settings.withCode(code), result, command);
    }

    /**
     * Where one child process runs that is simulated.
     *
     * @param result where the plugin writes its {@link SimulationResult} when the child ends
     */
    public Processors processors(Path result) {
        return processors(command -> command(result, command));
    }

    /**
     * Where child processes run that are simulated.
     *
     * @param launched the command that runs another one under this simulator
     */
    Processors processors(UnaryOperator<List<String>> launched) {
        return Processors.of(new Processors.Launcher() {
            @Override
            public List<String> command(List<String> command) {
                return launched.apply(command);
            }

            @Override
            public Map<String, String> environment() {
                return Simulator.this.environment();
            }

            @Override
            public String description() {
                return "simulated: " + String.join(" ", machine());
            }
        });
    }

    /**
     * The words before a command that run it on the emulated processor, at {@link FixedAddresses}, and simulate
     * nothing.
     */
    public List<String> emulator() {
        List<String> words = new ArrayList<>(FixedAddresses.words());
        words.add(qemu.toString());
        words.addAll(PROCESSOR);
        return words;
    }

    private List<String> prefix(SimulatorSettings used, Path result, List<String> command) {
        List<String> whole = new ArrayList<>(emulator());
        whole.add("-plugin");
        List<String> arguments = new ArrayList<>();
        arguments.add(plugin.toString());
        arguments.add("config=" + machineFile);
        arguments.add("out=" + result.toAbsolutePath());
        arguments.addAll(used.arguments());
        // A comma in a value is written twice.
        whole.add(String.join(
                ",",
                arguments.stream().map(argument -> argument.replace(",", ",,")).toList()));
        whole.addAll(command);
        return whole;
    }

    /** Variables by which a program knows that it is simulated, and where the machine's nodes are described. */
    public Map<String, String> environment() {
        return nodesFile == null
                ? Map.of(Markers.ENVIRONMENT, "1")
                : Map.of(Markers.ENVIRONMENT, "1", NodesFile.ENVIRONMENT, nodesFile.toString());
    }

    /** Cores are dealt to nodes as the simulator does, in equal consecutive runs; a processor is a core. */
    static NodeLayout nodes(MachineDescription machine) {
        int cores = machine.number(MachineDescription.CORES, 1);
        int nodes = machine.number(MachineDescription.NODES, 1);
        if (nodes < 2 || cores % nodes != 0) {
            // What the simulator refuses is told by its trial.
            return NodeLayout.NONE;
        }
        return new NodeLayout(IntStream.range(0, nodes)
                .mapToObj(node -> new NodeLayout.Node(
                        node,
                        IntStream.range(node * (cores / nodes), (node + 1) * (cores / nodes))
                                .boxed()
                                .toList()))
                .toList());
    }

    /**
     * Reads what a simulated program left.
     *
     * @throws SimulationException if it left nothing, something else, or counts of a machine whose memory ran out
     */
    public static SimulationResult read(Path result) throws SimulationException {
        if (!Files.exists(result)) {
            throw new SimulationException("The simulated program left no result: file=" + result
                    + "; it was killed, or replaced itself by another program.");
        }
        try {
            SimulationResult read = Json.read(result, SimulationResult.class);
            if (read.format() != SimulationResult.FORMAT) {
                throw new SimulationException("The plugin is of another build: format=" + read.format()
                        + " formatExpected=" + SimulationResult.FORMAT + "; build Lockstep again.");
            }
            if (read.memory().exhausted()) {
                throw new SimulationException("The model ran out of memory for what it knows of lines and pages:"
                        + " memoryBytes=" + read.memory().bytesMax() + "; give it more (--set memory="
                        + (read.memory().bytesMax() >> MIB_SHIFT) * 2 + "M), a shorter run, or a machine that does not"
                        + " class its misses (--set classes=no).");
            }
            return read;
        } catch (IOException e) {
            throw new SimulationException("The result of a simulated program cannot be read: " + e.getMessage(), e);
        }
    }
}
