package dev.lockstep.bench;

import dev.lockstep.bench.jmh.ControlFiles;
import dev.lockstep.bench.jmh.SimulatedProfiler;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.counters.CounterObstacle;
import dev.lockstep.counters.HardwareCounters;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import one.profiler.AsyncProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.profile.ProfilerFactory;
import org.openjdk.jmh.runner.options.ProfilerConfig;

/**
 * Gives JMH's profilers what they need here: {@code -prof async} the library that comes with this program, {@code -prof
 * simulated} the results of simulated forks, which it is added for where they are simulated.
 */
final class JmhProfilers {
    private static final List<String> OPTIONS = List.of("-prof", "--prof");
    private static final String ASYNC = "async";
    private static final String LIBRARY = "libPath=";
    private static final String PERF = "perf";

    private JmhProfilers() {}

    /** The arguments of JMH with complete profilers, of runs that are compared with no control. */
    static List<String> complete(List<String> arguments, Placement placement) throws IOException {
        return complete(arguments, placement, null);
    }

    /**
     * The arguments of JMH with complete profilers.
     *
     * @param control files of the control of simulated forks, or null where there is none
     */
    static List<String> complete(List<String> arguments, Placement placement, ControlFiles control) throws IOException {
        List<String> completed = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            int equals = argument.indexOf('=');
            String option = equals < 0 ? argument : argument.substring(0, equals);
            if (!OPTIONS.contains(option)) {
                completed.add(argument);
            } else if (equals >= 0) {
                completed.add(option + "=" + complete(argument.substring(equals + 1), placement, control));
            } else {
                completed.add(argument);
                if (i + 1 < arguments.size()) {
                    i++;
                    completed.add(complete(arguments.get(i), placement, control));
                }
            }
        }
        boolean marks = completed.stream().anyMatch(argument -> argument.contains(SimulatedProfiler.class.getName()));
        if (placement.java().isPresent() && !marks) {
            // It marks what is measured, and nothing else is simulated.
            completed.add(OPTIONS.getFirst());
            completed.add(complete(SimulatedProfiler.NAME, placement, control));
        }
        return completed;
    }

    /** The arguments without their profilers. */
    static List<String> without(List<String> arguments) {
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (OPTIONS.contains(argument)) {
                // Its value is the next one.
                i++;
            } else if (OPTIONS.stream().noneMatch(option -> argument.startsWith(option + "="))) {
                rest.add(argument);
            }
        }
        return rest;
    }

    private static String complete(String profiler, Placement placement, ControlFiles control) throws IOException {
        int colon = profiler.indexOf(':');
        String name = colon < 0 ? profiler : profiler.substring(0, colon);
        String options = colon < 0 ? "" : profiler.substring(colon + 1);
        if (name.equals(SimulatedProfiler.NAME) || name.equals(SimulatedProfiler.class.getName())) {
            return simulated(placement, control);
        }
        if (name.equals(ASYNC) && !options.contains(LIBRARY)) {
            Optional<Path> library = asyncProfilerLibrary();
            if (library.isPresent()) {
                return name + ":" + LIBRARY + library.get() + (options.isEmpty() ? "" : ";" + options);
            }
        }
        return profiler;
    }

    private static String simulated(Placement placement, ControlFiles control) {
        List<String> options = new ArrayList<>();
        placement.javaResult(SimulatedProfiler.PROCESS).ifPresent(file -> options.add(SimulatedProfiler.RESULT + file));
        if (control != null) {
            placement
                    .emulation()
                    .ifPresent(emulation -> options.addAll(List.of(
                            SimulatedProfiler.CODE + emulation.javaCode(SimulatedProfiler.PROCESS),
                            SimulatedProfiler.CONTROL + control.directory())));
        }
        String name = SimulatedProfiler.class.getName();
        return options.isEmpty() ? name : name + ":" + String.join(SimulatedProfiler.SEPARATOR, options);
    }

    /** A copy of async-profiler's library for this platform, which goes when this JVM ends; empty where it has none. */
    static Optional<Path> asyncProfilerLibrary() throws IOException {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String architecture = System.getProperty("os.arch");
        String directory = system.startsWith("mac")
                ? "macos"
                : system + (architecture.equals("amd64") || architecture.equals("x86_64") ? "-x64" : "-arm64");
        try (InputStream library = AsyncProfiler.class.getResourceAsStream("/" + directory + "/libasyncProfiler.so")) {
            if (library == null) {
                return Optional.empty();
            }
            Path copy = Files.createTempFile("lockstep-async-profiler-", ".so");
            copy.toFile().deleteOnExit();
            Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
            return Optional.of(copy);
        }
    }

    /**
     * Tries the profilers before JMH does, which would say less.
     *
     * @return what is wrong with one, a sentence for the user; empty if nothing is
     */
    static Optional<String> obstacle(List<ProfilerConfig> profilers) {
        return obstacle(profilers, HardwareCounters::open);
    }

    static Optional<String> obstacle(List<ProfilerConfig> profilers, Supplier<HardwareCounters.Result> counters) {
        for (ProfilerConfig profiler : profilers) {
            try {
                ProfilerFactory.getProfilerOrException(profiler);
            } catch (ProfilerException e) {
                String message =
                        e.getMessage() == null ? e.toString() : e.getMessage().strip();
                if (profiler.getKlass().startsWith(PERF)
                        && counters.get() instanceof HardwareCounters.Result.Missing(var obstacles)) {
                    message = "-prof " + profiler.getKlass() + " needs hardware counters. "
                            + obstacles.stream().map(CounterObstacle::reason).collect(Collectors.joining(" "));
                }
                return Optional.of(message);
            }
        }
        return Optional.empty();
    }
}
