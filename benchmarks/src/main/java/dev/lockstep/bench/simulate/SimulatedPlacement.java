package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.JvmtiAgents;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.ShownArguments;
import dev.lockstep.bench.switchpoints.AgentOptions;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.InstalledProbe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Child JVMs of a command run under the simulator; each leaves its result in a file of its own in one directory.
 * Thread-safe.
 */
final class SimulatedPlacement implements Placement, Emulation {
    /** As many as the simulator has; more carriers than cores take turns. */
    private static final int PROCESSORS_MAX = 64;

    /** Stands for the number of a process in the names of files of JVMs that the script starts. */
    private static final String PROCESS = "PROCESS";

    private static final String RESULT = "result-";
    private static final String SUFFIX = ".json";
    private static final String OPERATIONS = "operations-";
    private static final String CODE = "code-";
    private static final String CODE_SUFFIX = ".txt";
    private static final String AGENT = "-agentpath:";
    private static final String CLASS_PATH = "-cp";

    private final Simulator simulator;
    private final Path directory;
    private final CodeInstruments instruments;
    private final boolean operations;
    private final List<String> agent;
    private final List<Child> children = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();
    private final List<CodeRun> codeRuns = new ArrayList<>();

    /**
     * A child that was started: what it ran, by a JVM with which options, and where its result will be, and what its
     * numbers stand for; and its executed code, or null.
     */
    private record Child(String command, List<String> flags, Path result, Path operations, Path code) {}

    /**
     * For one command.
     *
     * @param operations whether children of this program mark their operations
     * @param points what is inserted into the bytecode of JVMs
     * @throws IOException if that cannot be prepared
     */
    SimulatedPlacement(
            Simulator simulator, Path directory, CodeInstruments instruments, boolean operations, AgentOptions points)
            throws IOException {
        this.simulator = simulator;
        this.directory = directory.toAbsolutePath();
        this.instruments = instruments;
        this.operations = operations;
        this.agent = points.write(directory);
    }

    @Override
    public int processorsMax() {
        return PROCESSORS_MAX;
    }

    @Override
    public Processors choose(int count) {
        return simulator.processors(command -> simulated(command, true));
    }

    @Override
    public Optional<Emulation> emulation() {
        return Optional.of(this);
    }

    @Override
    public List<String> emulator() {
        return simulator.emulator();
    }

    @Override
    public Processors choose(int count, Path code) {
        return simulator.processors(command -> {
            Child child = next(command, asked() == null ? null : code);
            return simulator.command(child.result(), code, instrumented(command, child, true));
        });
    }

    @Override
    public Path code(Path proposed) {
        return asked() == null ? proposed : numbered(Integer.toString(nextNumber()));
    }

    @Override
    public List<String> options() {
        return operations ? List.of("-D" + InstalledProbe.PROPERTY + "=" + instruments.probe()) : List.of();
    }

    /** The user's file for executed code, or null. */
    private Path asked() {
        return simulator.settings().code();
    }

    private synchronized int nextNumber() {
        return children.size() + 1;
    }

    /** The user's file for the first child, and beside it one for each further. */
    private Path numbered(String number) {
        Path asked = asked().toAbsolutePath();
        return number.equals("1") ? asked : asked.resolveSibling(asked.getFileName() + "-" + number);
    }

    @Override
    public synchronized void judged(Verdict verdict) {
        verdicts.add(verdict);
    }

    /** How far to believe the runs, in the order in which they were judged. */
    synchronized List<Verdict> verdicts() {
        return List.copyOf(verdicts);
    }

    /**
     * The command that runs another one simulated, with a result of its own.
     *
     * @param ours whether it is a JVM of this program
     */
    List<String> simulated(List<String> command, boolean ours) {
        Child child = next(command, asked() == null ? null : code(null));
        List<String> whole = instrumented(command, child, ours);
        return child.code() == null
                ? simulator.command(child.result(), whole)
                : simulator.command(child.result(), child.code(), whole);
    }

    private synchronized Child next(List<String> command, Path code) {
        int number = nextNumber();
        Child child = new Child(
                shortened(command),
                flags(command),
                directory.resolve(RESULT + number + SUFFIX),
                directory.resolve(OPERATIONS + number + SUFFIX),
                code);
        children.add(child);
        return child;
    }

    /** A JVM with what tells of its operations and its compiled code; other programs as they are. */
    private List<String> instrumented(List<String> command, Child child, boolean ours) {
        if (!Path.of(command.getFirst()).endsWith("java")) {
            return command;
        }
        List<String> options = new ArrayList<>(options(child.operations().toString(), child.code(), ours));
        if (!ours && !command.getFirst().equals(ownJava().toString())) {
            // Of another release, for all we know, that may not know these.
            options.removeAll(JvmtiAgents.OUT_OF_SWITCHES);
        }
        if (command.stream().anyMatch(word -> word.startsWith(AGENT))) {
            options.removeIf(option -> option.startsWith(AGENT));
        }
        List<String> whole = new ArrayList<>(command);
        whole.addAll(1, options);
        return whole;
    }

    private List<String> options(String operationsFile, Path code, boolean ours) {
        List<String> options = new ArrayList<>(agent);
        if (operations && ours) {
            options.addAll(options());
            options.add("-D" + MarkedOperation.PROPERTY + "=" + operationsFile);
        }
        if (code != null && NativePart.AGENT.find() instanceof NativePart.Result.Available(Path agent)) {
            options.addAll(JvmtiAgents.options(agent, Emulation.events(code)));
        }
        return options;
    }

    private static Path ownJava() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** What a JVM of this program is told before its class path, but for what stands there for the instruments. */
    private static List<String> flags(List<String> command) {
        return command.subList(1, Math.max(1, command.indexOf(CLASS_PATH))).stream()
                .filter(flag -> !flag.startsWith(AGENT))
                .toList();
    }

    /** Without what every JVM of this program is started with. */
    private static String shortened(List<String> command) {
        int classPath = command.indexOf(CLASS_PATH);
        List<String> told = classPath >= 0 && classPath + 2 < command.size()
                ? command.subList(classPath + 2, command.size())
                : command;
        return String.join(" ", ShownArguments.of(told));
    }

    /** A script that starts a JVM under the simulator, for programs that take only the name of one. */
    @Override
    public Optional<Path> java() {
        Path script = directory.resolve("java");
        // Told always, because by it is known whether a benchmark's JVM was steady.
        Path code = Path.of(javaCode(PROCESS));
        List<String> java = new ArrayList<>();
        java.add(ownJava().toString());
        java.addAll(options(directory.resolve(OPERATIONS + PROCESS + SUFFIX).toString(), code, true));
        Path result = directory.resolve(RESULT + PROCESS + SUFFIX);
        List<String> command = simulator.command(result, code, java);
        String line = command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "))
                // Each JVM's own: the number of its process.
                .replace("-" + PROCESS, "-'\"$$\"'");
        String variables = simulator.environment().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue() + " ")
                .collect(Collectors.joining());
        try {
            Files.writeString(script, "#!/bin/sh\nexport " + variables.strip() + "\nexec " + line + " \"$@\"\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a script file=" + script, e);
        }
        if (!script.toFile().setExecutable(true)) {
            throw new UncheckedIOException(new IOException("cannot make executable file=" + script));
        }
        return Optional.of(script);
    }

    @Override
    public Optional<String> javaResult(String process) {
        return Optional.of(directory.resolve(RESULT + process + SUFFIX).toString());
    }

    @Override
    public String javaCode(String process) {
        Path file = asked() == null ? directory.resolve(CODE + process + CODE_SUFFIX) : numbered(process);
        return file.toString();
    }

    /** The results of all children, in the order they were started, then those of JVMs that the script started. */
    List<SimulatedProcess> processes() throws SimulationException, IOException {
        List<Child> started;
        synchronized (this) {
            started = List.copyOf(children);
        }
        List<SimulatedProcess> processes = new ArrayList<>();
        for (Child child : started) {
            processes.add(process(child));
        }
        List<Path> known = started.stream().map(Child::result).toList();
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> others = files.filter(
                            file -> file.getFileName().toString().startsWith(RESULT))
                    .filter(file -> !known.contains(file))
                    .sorted(Comparator.comparingLong(file -> file.toFile().lastModified()))
                    .toList();
            for (Path file : others) {
                String number = processNumber(file);
                processes.add(process(new Child(
                        "java, process " + number,
                        List.of(),
                        file,
                        directory.resolve(OPERATIONS + number + SUFFIX),
                        asked() == null ? null : numbered(number))));
            }
        }
        return processes;
    }

    private SimulatedProcess process(Child child) throws SimulationException, IOException {
        SimulationResult result = Simulator.read(child.result());
        List<MarkedOperation> marked = Files.exists(child.operations())
                ? List.of(Json.read(child.operations(), MarkedOperation[].class))
                : List.of();
        ExecutedCode code = null;
        if (child.code() != null && Files.exists(Emulation.events(child.code()))) {
            Path events = Emulation.events(child.code());
            int phase = result.reported().phase();
            code = instruments.executed(child.code(), events, phase);
            if (!marked.isEmpty()) {
                codeRuns.add(new CodeRun(child.command(), null, child.code(), events, phase, marked, child.flags()));
            }
        }
        return new SimulatedProcess(
                child.command(),
                result,
                marked,
                code == null ? null : code.missed(),
                code == null ? null : code.continuations());
    }

    /**
     * The {@link #processes} that have marked operations and noted what they executed. They are judged in the order in
     * which they were started.
     */
    List<CodeRun> codeRuns() {
        List<Verdict> all = verdicts();
        return all.size() != codeRuns.size()
                ? List.copyOf(codeRuns)
                : IntStream.range(0, all.size())
                        .mapToObj(i -> codeRuns.get(i).judged(all.get(i)))
                        .toList();
    }

    private static String processNumber(Path file) {
        String name = file.getFileName().toString();
        return name.substring(RESULT.length(), name.length() - SUFFIX.length());
    }
}
