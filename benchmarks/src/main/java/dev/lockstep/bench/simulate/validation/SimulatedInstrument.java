package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.LevelCounts;
import dev.lockstep.bench.simulate.SimulationResult.Phase;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Lockstep's simulator. Counts are of the measured phase, over all cores. Not thread-safe. */
final class SimulatedInstrument implements Instrument {
    private static final double NANOS_PER_SECOND = 1e9;

    /** What comes before the measured phase, such as a JVM's start, need not be simulated. */
    private static final SimulatorSettings SETTINGS = SimulatorSettings.DEFAULT.withFromFirstPhase(true);

    private final Path directory;

    /** By the lines of their machine; opening one takes longer than a short program. */
    private final Map<List<String>, Simulator> simulators = new HashMap<>();

    /**
     * For one validation.
     *
     * @param directory where its files go, which exists
     */
    SimulatedInstrument(Path directory) {
        this.directory = directory;
    }

    /**
     * Finds out whether there is a simulator.
     *
     * @throws SimulationException if something is missing, or does not work
     */
    void tryOut() throws SimulationException, IOException, InterruptedException {
        simulator(List.of("cores=1"));
    }

    @Override
    public Counts count(List<String> command, Geometry geometry) throws IOException, InterruptedException {
        return count(command, geometry, List.of());
    }

    /**
     * The same with further lines of the machine's description.
     *
     * @param lines each {@code key=value}
     */
    Counts count(List<String> command, Geometry geometry, List<String> lines) throws IOException, InterruptedException {
        List<String> machine = new ArrayList<>(description(geometry));
        machine.addAll(lines);
        Path file = Files.createTempFile(directory, "result", ".json");
        try {
            Simulator simulator = simulator(machine);
            String said = Tool.run(simulator.command(file, command), directory, simulator.environment());
            Phase phase = Simulator.read(file).phases().stream()
                    .filter(one -> one.phase() == Markers.PHASE_MEASURED)
                    .findFirst()
                    .orElseThrow(() -> new ToolException(
                            "marked no measured phase command=" + String.join(" ", command) + " said=" + said.strip()));
            return counts(phase);
        } catch (SimulationException e) {
            throw new ToolException(e.getMessage(), e);
        } finally {
            Files.delete(file);
        }
    }

    private Simulator simulator(List<String> machine) throws SimulationException, IOException, InterruptedException {
        Simulator simulator = simulators.get(machine);
        if (simulator == null) {
            simulator = Simulator.open(machine, SETTINGS, Files.createTempDirectory(directory, "machine"));
            simulators.put(machine, simulator);
        }
        return simulator;
    }

    /** The machine as the simulator reads it. */
    private static List<String> description(Geometry geometry) {
        List<String> lines = new ArrayList<>();
        lines.add("cores=" + geometry.cores());
        lines.add("l1i=" + geometry.l1i().text());
        add(lines, "l1d", geometry.l1d());
        add(lines, "l2", geometry.l2());
        add(lines, "llc", geometry.last());
        if (geometry.inclusive()) {
            lines.add("l2.inclusive=" + (geometry.l2() == null ? "no" : "yes"));
            lines.add("llc.inclusive=" + (geometry.last() == null ? "no" : "yes"));
        }
        if (geometry.cores() > 1) {
            addUnlessGiven(lines, "coherence", "mesi", geometry);
            addUnlessGiven(lines, "classes", "merged", geometry);
        }
        lines.addAll(geometry.further());
        return lines;
    }

    private static void addUnlessGiven(List<String> lines, String key, String value, Geometry geometry) {
        String begin = key + "=";
        if (geometry.further().stream().noneMatch(line -> line.startsWith(begin))) {
            lines.add(begin + value);
        }
    }

    private static void add(List<String> lines, String key, CacheShape shape) {
        if (shape != null) {
            lines.add(key + "=" + shape.text());
        }
    }

    private static Counts counts(Phase phase) {
        SimulationResult.Counts total = phase.total();
        Map<Quantity, Long> values = new EnumMap<>(Quantity.class);
        values.put(Quantity.INSTRUCTIONS, total.instructions());
        values.put(Quantity.LOADS, total.loads());
        values.put(Quantity.STORES, total.stores());
        values.put(Quantity.CYCLES, total.cycles());
        values.put(Quantity.UPGRADES, total.upgrades());
        values.put(Quantity.DTLB_MISSES, total.dtlbMisses());
        values.put(Quantity.ITLB_MISSES, total.itlbMisses());
        values.put(Quantity.STLB_MISSES, total.stlbMisses());
        values.put(Quantity.WALK_READS, total.walkAccesses());
        values.put(Quantity.MEMORY_LOCAL, total.memoryLocal());
        values.put(Quantity.MEMORY_REMOTE, total.memoryRemote());
        values.put(Quantity.TRANSFERS_REMOTE, total.transfersRemote());
        values.put(Quantity.PREFETCHES, sum(total, LevelCounts::prefetches));
        values.put(Quantity.PREFETCHES_USEFUL, sum(total, LevelCounts::prefetchesUseful));
        Map<String, Quantity> misses = Map.of(
                "l1i", Quantity.L1I_MISSES,
                "l1d", Quantity.L1D_MISSES,
                "l2", Quantity.L2_MISSES,
                "llc", Quantity.LAST_MISSES);
        misses.forEach((level, quantity) -> {
            LevelCounts counts = total.levels().get(level);
            if (counts != null) {
                values.put(quantity, counts.misses());
            }
        });
        LevelCounts data = total.levels().get("l1d");
        if (data != null) {
            values.put(Quantity.L1D_WRITES, data.writebacks());
        }
        if (data != null && data.classes() != null) {
            values.put(Quantity.TRUE_SHARING, data.classes().get("trueSharing"));
            values.put(Quantity.FALSE_SHARING, data.classes().get("falseSharing"));
        }
        return new Counts(values, phase.nanos() / NANOS_PER_SECOND);
    }

    private static long sum(SimulationResult.Counts counts, ToLongFunction<LevelCounts> part) {
        return counts.levels().values().stream().mapToLong(part).sum();
    }
}
