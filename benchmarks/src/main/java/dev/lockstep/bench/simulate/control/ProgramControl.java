package dev.lockstep.bench.simulate.control;

import dev.lockstep.bench.process.AgentJar;
import dev.lockstep.bench.process.NativeProcess;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.NativeProfile;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The control of one Java program. What takes seconds on a simulated processor takes milliseconds on a real one, so
 * the program runs there again until there are samples enough. Used by one thread.
 */
public final class ProgramControl {
    /** So many samples tell a share of 95 % to one and a half points, of three that are allowed. */
    static final int SAMPLES_MIN = 200;

    /** A program whose measured phases are too short for {@link #SAMPLES_MIN} even so is judged by what there is. */
    static final int RUNS_MAX = 20;

    /** Options of the launcher whose value is the next word. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--add-exports",
            "--add-opens",
            "--add-reads",
            "--enable-native-access");

    /** Options behind which the program's own words begin. */
    private static final Set<String> PROGRAM = Set.of("-jar", "-m", "--module");

    private final List<String> words;
    private final SameProcessor same;
    private final Path directory;
    private final PhaseFiles simulated;
    private final Path jar;

    private ProgramControl(List<String> words, SameProcessor same, Path directory, PhaseFiles simulated, Path jar) {
        this.words = List.copyOf(words);
        this.same = same;
        this.directory = directory;
        this.simulated = simulated;
        this.jar = jar;
    }

    /** Tells the steady state of a simulated JVM from what its control and the agents of both have left. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Tells it.
         *
         * @param compiled what the simulated JVM had compiled when its measured phase began
         * @param samples file of the control's stacks
         * @param control what the control had compiled
         */
        SteadyState read(List<CompiledMethod> compiled, Path samples, List<CompiledMethod> control) throws IOException;
    }

    /**
     * Finds the flags of both JVMs.
     *
     * @param words the JVM, this one's, and its arguments
     * @param emulator the words before a command that run it on the emulated processor
     * @param directory for files, which exists
     */
    public static ProgramControl prepare(List<String> words, List<String> emulator, Path directory)
            throws IOException, InterruptedException {
        Path jar = directory.resolve("phases.jar").toAbsolutePath();
        AgentJar.write(jar, PhaseAgent.class);
        return new ProgramControl(
                words,
                SameProcessor.find(List.of(), emulator, jvmOptions(words)),
                directory,
                files(directory, "simulated"),
                jar);
    }

    /** The command to be simulated. */
    public List<String> simulated() {
        return command(simulated, false, List.of());
    }

    /**
     * Runs the control, and says how far to believe the simulated run, which has ended.
     *
     * @param name of the simulated run
     * @throws SimulationException if the program marked no measured phase, or fails on the machine's processor
     */
    public Verdict judge(String name, Reader reader) throws SimulationException, IOException, InterruptedException {
        List<CompiledMethod> compiled = compiled(simulated);
        Path all = directory.resolve("control-samples.txt");
        Files.createFile(all);
        PhaseFiles first = files(directory, "control-1");
        long samples = run(first, all);
        int runs = 1;
        while (samples < SAMPLES_MIN && runs < RUNS_MAX) {
            runs++;
            samples = run(files(directory, "control-" + runs), all);
        }
        SteadyState steady = reader.read(compiled, all, compiled(first));
        List<String> sentences = new ArrayList<>(steady.sentences());
        sentences.add("The control ran on the machine's processor with the same flags, times=" + runs + ".");
        sentences.add(same.sentence());
        return new Verdict(name, steady.counts(), sentences);
    }

    /** Runs the program once, and returns how many samples there are by then. */
    private long run(PhaseFiles files, Path all) throws SimulationException, IOException, InterruptedException {
        ProcessBuilder builder = NativeProcess.builder(command(files, true, GuestOptions.sampled()))
                .redirectErrorStream(true)
                .redirectOutput(files.printed().toFile());
        int exitCode = NativeProcess.run(builder);
        if (exitCode != 0) {
            throw new SimulationException("The control failed on the machine's processor: exitCode=" + exitCode
                    + "; it printed: " + String.join(" | ", Files.readAllLines(files.printed())));
        }
        if (!Files.exists(files.samples())) {
            throw new SimulationException("The control left its measured phase with no mark; call Markers.phaseEnd.");
        }
        List<String> stacks = new ArrayList<>(Files.readAllLines(all));
        stacks.addAll(Files.readAllLines(files.samples()));
        Files.write(all, stacks);
        return NativeProfile.parse(stacks.stream()).samples();
    }

    private static List<CompiledMethod> compiled(PhaseFiles files) throws SimulationException, IOException {
        if (!Files.exists(files.compiled())) {
            throw new SimulationException("--control needs a program that marks a measured phase, by"
                    + " Markers.phaseBegin(Markers.PHASE_MEASURED); this one marked none.");
        }
        return List.of(Json.read(files.compiled(), CompiledMethod[].class));
    }

    private static PhaseFiles files(Path directory, String name) throws IOException {
        return new PhaseFiles(Files.createDirectory(directory.resolve(name)).toAbsolutePath());
    }

    private List<String> command(PhaseFiles files, boolean samples, List<String> options) {
        List<String> command = new ArrayList<>(List.of(words.getFirst()));
        command.addAll(same.forced());
        command.add(GuestOptions.COMPILE_AT_ONCE);
        command.add(GuestOptions.logCompilations(files.compilations().toString()));
        command.addAll(options);
        command.add(PhaseAgent.option(jar, files, samples));
        command.addAll(words.subList(1, words.size()));
        return command;
    }

    /** The words by which a user has set flags of the JVM. */
    static List<String> jvmOptions(List<String> words) {
        List<String> options = new ArrayList<>();
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            if (PROGRAM.contains(word) || !word.startsWith("-")) {
                break;
            }
            if (WITH_VALUE.contains(word)) {
                i++;
            } else if (Stream.of("-X", "-server", "-client").anyMatch(word::startsWith)) {
                options.add(word);
            }
        }
        return options;
    }
}
