package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.Processors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Child JVMs of a command run under the simulator; each leaves its result in a file of its own in one directory.
 * Thread-safe.
 */
final class SimulatedPlacement implements Placement, Emulation {
    /** As many as the simulator has; more carriers than cores take turns. */
    private static final int PROCESSORS_MAX = 64;

    private static final String RESULT = "result-";
    private static final String SUFFIX = ".json";

    private final Simulator simulator;
    private final Path directory;
    private final List<Child> children = new ArrayList<>();
    private final List<String> doNotCount = new ArrayList<>();

    /** A child that was started: what it ran, and where its result will be. */
    private record Child(String command, Path result) {}

    SimulatedPlacement(Simulator simulator, Path directory) {
        this.simulator = simulator;
        this.directory = directory.toAbsolutePath();
    }

    @Override
    public int processorsMax() {
        return PROCESSORS_MAX;
    }

    @Override
    public Processors choose(int count) {
        return processors(this::simulated);
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
        return processors(command -> simulator.command(nextResult(command), code, command));
    }

    @Override
    public Path code(Path proposed) {
        Path asked = simulator.settings().code();
        return asked == null ? proposed : asked.toAbsolutePath();
    }

    @Override
    public synchronized void doesNotCount(String sentence) {
        doNotCount.add(sentence);
    }

    /** Why measurements count for nothing. */
    synchronized List<String> doNotCount() {
        return List.copyOf(doNotCount);
    }

    private Processors processors(UnaryOperator<List<String>> launched) {
        return Processors.of(new Processors.Launcher() {
            @Override
            public List<String> command(List<String> command) {
                return launched.apply(command);
            }

            @Override
            public Map<String, String> environment() {
                return simulator.environment();
            }

            @Override
            public String description() {
                return "simulated: " + String.join(" ", simulator.machine());
            }
        });
    }

    /** The command that runs another one simulated, with a result of its own. */
    List<String> simulated(List<String> command) {
        return simulator.command(nextResult(command), command);
    }

    private synchronized Path nextResult(List<String> command) {
        Path result = directory.resolve(RESULT + (children.size() + 1) + SUFFIX);
        children.add(new Child(shortened(command), result));
        return result;
    }

    /** Without what every JVM of this program is started with. */
    private static String shortened(List<String> command) {
        int classPath = command.indexOf("-cp");
        List<String> told = classPath >= 0 && classPath + 2 < command.size()
                ? command.subList(classPath + 2, command.size())
                : command;
        return String.join(" ", told);
    }

    /** A script that starts a JVM under the simulator, for programs that take only the name of one. */
    @Override
    public Optional<Path> java() {
        Path script = directory.resolve("java");
        List<String> command = simulator.command(
                directory.resolve(RESULT + "PROCESS" + SUFFIX),
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        String line = command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "))
                // Each JVM's own: the number of its process.
                .replace(RESULT + "PROCESS", RESULT + "'\"$$\"'");
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

    /** The results of all children, in the order they were started, then those of JVMs that the script started. */
    List<SimulatedProcess> processes() throws SimulationException, IOException {
        List<Child> started;
        synchronized (this) {
            started = List.copyOf(children);
        }
        List<SimulatedProcess> processes = new ArrayList<>();
        for (Child child : started) {
            processes.add(new SimulatedProcess(child.command(), Simulator.read(child.result())));
        }
        List<Path> known = started.stream().map(Child::result).toList();
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> others = files.filter(
                            file -> file.getFileName().toString().startsWith(RESULT))
                    .filter(file -> !known.contains(file))
                    .sorted(Comparator.comparingLong(file -> file.toFile().lastModified()))
                    .toList();
            for (Path file : others) {
                processes.add(new SimulatedProcess("java, process " + processNumber(file), Simulator.read(file)));
            }
        }
        return processes;
    }

    private static String processNumber(Path file) {
        String name = file.getFileName().toString();
        return name.substring(RESULT.length(), name.length() - SUFFIX.length());
    }
}
