package dev.lockstep.bench.process;

import dev.lockstep.counters.NativeCallException;
import dev.lockstep.counters.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Keeps a child process, with all its threads, on some processors: by {@code taskset} where there is one, else by the
 * native helper, whose pinned thread hands its processor down to the process it starts, else not at all; or hands it to
 * a {@link Launcher}. Immutable, if the launcher is.
 */
public final class Processors {
    private static final String TASKSET = "taskset";
    private static final String ALLOWED = "Cpus_allowed_list:";

    private final List<Integer> chosen;
    private final Path taskset;
    private final NativeLibrary library;
    private final String notPinnedReason;

    /** What starts a child on processors that are not of this machine, or null. */
    private final Launcher launcher;

    private Processors(List<Integer> chosen, Path taskset, NativeLibrary library, String notPinnedReason) {
        this.chosen = chosen;
        this.taskset = taskset;
        this.library = library;
        this.notPinnedReason = notPinnedReason;
        this.launcher = null;
    }

    private Processors(Launcher launcher) {
        this.chosen = List.of();
        this.taskset = null;
        this.library = null;
        this.notPinnedReason = "";
        this.launcher = launcher;
    }

    /** Where children run that another program starts, such as one that simulates a machine. */
    public interface Launcher {
        /** What is run in place of the command of a child, which this is asked for once. */
        List<String> command(List<String> command);

        /** Variables that the child gets. */
        Map<String, String> environment();

        /** Where children run, in a few words. */
        String description();
    }

    /** Hands children to a program that starts them. */
    public static Processors of(Launcher launcher) {
        return new Processors(launcher);
    }

    /** Returns the number of processors that this process may use. */
    public static int available() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * Chooses the last of the processors that this process may use, since the first one serves most interrupts.
     *
     * @param count how many, 1 to {@link #available()}
     */
    public static Processors choose(int count) {
        List<Integer> allowed = allowed();
        if (count < 1 || count > allowed.size()) {
            throw new IllegalArgumentException(
                    "number of processors out of range: count=" + count + " available=" + allowed.size());
        }
        List<Integer> chosen = List.copyOf(allowed.subList(allowed.size() - count, allowed.size()));
        Path taskset = find(TASKSET);
        if (taskset != null) {
            return new Processors(chosen, taskset, null, "");
        }
        if (count > 1) {
            return new Processors(
                    chosen, null, null, "taskset was not found and the native helper pins to one processor only");
        }
        return switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Available(NativeLibrary library) -> new Processors(chosen, null, library, "");
            case NativeLibrary.Result.Missing(String reason) ->
                new Processors(chosen, null, null, "taskset was not found. " + reason);
        };
    }

    /** The numbers of the processors that this process may use; counted from 0 where the system does not tell. */
    static List<Integer> allowed() {
        Path status = Path.of("/proc/self/status");
        if (Files.isReadable(status)) {
            try {
                for (String line : Files.readAllLines(status)) {
                    if (line.startsWith(ALLOWED)) {
                        return parse(line.substring(ALLOWED.length()).trim());
                    }
                }
            } catch (IOException e) {
                // Fall back on the count alone: the numbers matter only where the system tells them.
                return counted();
            }
        }
        return counted();
    }

    private static List<Integer> counted() {
        return IntStream.range(0, available()).boxed().toList();
    }

    /** Reads a list like {@code 0-3,8,10-11}. */
    static List<Integer> parse(String list) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            int dash = part.indexOf('-');
            int from = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int to = Integer.parseInt(dash < 0 ? part : part.substring(dash + 1));
            for (int number = from; number <= to; number++) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private static Path find(String program) {
        String path = System.getenv("PATH");
        if (path == null) {
            return null;
        }
        for (String directory : path.split(File.pathSeparator, -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
                return Path.of(directory, program);
            }
        }
        return null;
    }

    /** Whether children are pinned. */
    public boolean pinned() {
        return taskset != null || library != null;
    }

    /** Variables that children need beside those of this process. */
    Map<String, String> environment() {
        return launcher == null ? Map.of() : launcher.environment();
    }

    /** Says where children run, in a few words. */
    public String description() {
        if (launcher != null) {
            return launcher.description();
        }
        String list = chosen.stream().map(String::valueOf).collect(Collectors.joining(","));
        return pinned()
                ? "pinned to processor" + (chosen.size() == 1 ? " " : "s ") + list
                : "not pinned: " + notPinnedReason;
    }

    /** The words before a command that keep it there; none where it takes more than words. */
    public List<String> prefix() {
        return launcher == null ? pinning(List.of()) : List.of();
    }

    /** Puts what pins a process before its command. */
    List<String> pinning(List<String> command) {
        if (launcher != null) {
            return launcher.command(command);
        }
        if (taskset == null) {
            return command;
        }
        List<String> pinned = new ArrayList<>();
        pinned.add(taskset.toString());
        pinned.add("-c");
        pinned.add(chosen.stream().map(String::valueOf).collect(Collectors.joining(",")));
        pinned.addAll(command);
        return pinned;
    }

    /** Pins the calling platform thread if that is how children are pinned; it must end after starting the child. */
    void pinStarter() throws IOException {
        if (library != null) {
            try {
                library.pinCurrentThread(chosen.getFirst());
            } catch (NativeCallException e) {
                throw new IOException("cannot pin a child process", e);
            }
        }
    }
}
