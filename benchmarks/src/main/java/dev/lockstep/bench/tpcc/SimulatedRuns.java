package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.codemap.SteadyStateReader;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.JvmtiAgents;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.bench.report.ProgressView;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.tpcc.TpccProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs on a simulated processor, each beside the same run on the machine's, with the same flags of the JVM: the
 * control, from which follows whether the simulated JVM was in the same steady state. The database is loaded once for
 * both, on the machine. Used by one thread.
 */
final class SimulatedRuns {
    /** The machine's processors for the control: as a simulated JVM has one real one for each thread that runs. */
    private static final int MACHINE_PROCESSORS = 1;

    /** Threads that run terminals on virtual threads and S-threads, as the plugin calls their class. */
    private static final Set<String> CARRIERS = Set.of("carrier");

    /** Threads that run terminals where there are no carriers; the others are few then. */
    private static final Set<String> CLIENTS = Set.of("client");

    private static final String DATABASE = "database";
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Emulation emulation;
    private final Path agent;
    private final Children children;
    private final List<String> jvmOptions;

    /** Whether the consistency conditions are checked. */
    private final boolean checked;

    private final Map<List<String>, SameProcessor> flags = new HashMap<>();
    private final List<SimulationCheck> checks = new ArrayList<>();

    /** Starts child JVMs. */
    interface Children {
        /**
         * Runs a child to its end.
         *
         * @return its report; one of a failure if it wrote none, but {@code null} for parts that write none
         */
        RunReport run(
                RunRequest request,
                Path directory,
                Processors processors,
                List<String> options,
                Consumer<ProgressLine> lines,
                ProgressView view)
                throws IOException, InterruptedException;
    }

    /**
     * Prepares.
     *
     * @param checked whether the consistency conditions are checked
     */
    SimulatedRuns(Simulated simulated, Children children, List<String> jvmOptions, boolean checked) {
        this.emulation = simulated.emulation();
        this.agent = simulated.agent();
        this.children = children;
        this.jvmOptions = jvmOptions;
        this.checked = checked;
    }

    /** Runs one configuration, simulated, after its control. */
    RunReport run(RunRequest request, Path directory, ProgressView view) throws IOException, InterruptedException {
        RunSpec spec = request.configuration();
        List<String> common = ChildFlags.of(spec, chosen(spec));
        SameProcessor same = same(common);
        List<String> options = new ArrayList<>(common);
        options.addAll(GuestOptions.both(same));
        options.addAll(emulation.options());
        Processors machine = Processors.choose(MACHINE_PROCESSORS);
        boolean onDisk = spec.engineName() == EngineName.LOCKSTEP;
        RunPart part = onDisk ? RunPart.LOADED : checked ? RunPart.WHOLE : RunPart.UNCHECKED;
        Path control = Files.createDirectory(directory.resolve("control"));
        if (onDisk) {
            RunReport loaded = children.run(
                    request.with(RunPart.LOAD, null, null, machine.description()),
                    directory,
                    machine,
                    common,
                    line -> {},
                    view);
            if (loaded != null) {
                return loaded;
            }
            copy(directory.resolve(DATABASE), control.resolve(DATABASE));
            if (checked) {
                copy(
                        directory.resolve(DATABASE),
                        directory.resolve(TpccChildRun.AS_LOADED).resolve(DATABASE));
            }
        }
        Path samples = control.resolve("samples.txt");
        Path machineState = control.resolve("state.json");
        RunReport machineReport = children.run(
                request.with(part, samples.toString(), machineState.toString(), machine.description())
                        .of(spec, control),
                control,
                machine,
                sampled(options),
                line -> {},
                view);
        if (!machineReport.ok()) {
            return machineReport;
        }
        Guest guest = guest(request, part, directory, options, view);
        if (guest.report().ok()) {
            judge(guest, samples, machineState, machineReport, same);
        }
        return onDisk && checked && guest.report().ok()
                ? check(request, directory, machine, common, guest, view)
                : guest.report();
    }

    /** What a run on disk has left is checked on the machine; the other engines do it where they ran. */
    private RunReport check(
            RunRequest request,
            Path directory,
            Processors machine,
            List<String> options,
            Guest guest,
            ProgressView view)
            throws IOException, InterruptedException {
        RunReport failed = children.run(
                request.with(RunPart.CHECK, null, guest.state().toString(), machine.description()),
                directory,
                machine,
                options,
                line -> {},
                view);
        return failed != null
                ? failed
                : guest.report().with(Json.read(directory.resolve(TpccExperiment.REPORT), ChildVerdict.class));
    }

    /** The user's options, and before them, so that they take precedence, what the engine needs to become steady. */
    private List<String> chosen(RunSpec spec) {
        List<String> chosen = new ArrayList<>();
        if (spec.engineName().peer() != null) {
            chosen.add(GuestOptions.WITHOUT_C1);
        }
        chosen.addAll(jvmOptions);
        return chosen;
    }

    private SameProcessor same(List<String> options) throws IOException, InterruptedException {
        SameProcessor found = flags.get(options);
        if (found == null) {
            found = SameProcessor.find(Processors.choose(MACHINE_PROCESSORS).prefix(), emulation.emulator(), options);
            flags.put(options, found);
        }
        return found;
    }

    private static List<String> sampled(List<String> options) {
        List<String> sampled = new ArrayList<>(options);
        sampled.addAll(GuestOptions.sampled());
        return sampled;
    }

    /** What a simulated child leaves. */
    private record Guest(
            RunReport report, double realSeconds, double warmUpSeconds, Path code, Path events, Path state) {}

    private Guest guest(RunRequest request, RunPart part, Path directory, List<String> options, ProgressView view)
            throws IOException, InterruptedException {
        Path code = emulation.code(directory.resolve("code.txt"));
        Path events = Emulation.events(code);
        Path state = directory.resolve("state.json");
        Processors simulated = emulation.choose(request.configuration().cores(), code);
        List<String> guestOptions = new ArrayList<>(options);
        guestOptions.addAll(GuestOptions.simulated());
        guestOptions.addAll(JvmtiAgents.options(agent, events));
        long beginNanos = System.nanoTime();
        Map<TpccProgress.Phase, Long> begunNanos = new EnumMap<>(TpccProgress.Phase.class);
        RunReport report = children.run(
                request.with(part, null, state.toString(), simulated.description()),
                directory,
                simulated,
                guestOptions,
                line -> begunNanos.putIfAbsent(line.phase(), System.nanoTime()),
                view);
        long measuredNanos = begunNanos.getOrDefault(TpccProgress.Phase.MEASURE, beginNanos);
        long warmedNanos = begunNanos.getOrDefault(TpccProgress.Phase.WARM_UP, measuredNanos);
        return new Guest(
                report,
                (measuredNanos - beginNanos) / NANOS_PER_SECOND,
                (measuredNanos - warmedNanos) / NANOS_PER_SECOND,
                code,
                events,
                state);
    }

    private void judge(Guest guest, Path samples, Path machineState, RunReport machineReport, SameProcessor same)
            throws IOException {
        boolean carried = guest.report().configuration().engineName() == EngineName.LOCKSTEP;
        ChildState state = Json.read(guest.state(), ChildState.class);
        SteadyState steady = SteadyStateReader.read(
                CodeLines.read(guest.code()),
                CodeEvents.read(guest.events()),
                carried ? CARRIERS : CLIENTS,
                state.compiled(),
                new SteadyStateReader.Control(
                        samples, Json.read(machineState, ChildState.class).compiled()));
        RunReport report = guest.report();
        SimulationCheck check = new SimulationCheck(
                report.label(),
                report.repeat(),
                state.time(),
                guest.realSeconds(),
                guest.warmUpSeconds(),
                carried,
                machineReport,
                same,
                steady);
        checks.add(check);
        emulation.judged(check.verdict());
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    /** What was found out about each run, in the order in which they ran. */
    List<SimulationCheck> checks() {
        return List.copyOf(checks);
    }
}
