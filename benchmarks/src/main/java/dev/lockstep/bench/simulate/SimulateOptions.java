package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.report.Spelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options that say which machine is simulated, and how; for every command that simulates. */
public final class SimulateOptions {
    private static final String SEED = "page.seed";
    private static final String COHERENCE = "coherence";
    private static final String CLASSES = "classes";

    private static final Pattern BRANCHES = Pattern.compile("(\\d{1,9}):(\\d{1,9}):(\\d{1,9}):(\\d{1,9})");

    /** Most entries of a table of the branch predictor, and ways of its target buffer: {@code branches.h}. */
    private static final int BRANCH_ENTRIES_MAX = 1 << 24;

    private static final int BRANCH_TARGET_WAYS = 4;

    @Option(
            names = "--machine",
            paramLabel = "PRESET|FILE",
            completionCandidates = Presets.class,
            description = {
                "The machine: ${COMPLETION-CANDIDATES}, or a file of key=value lines (keys: see --set). Without it and"
                        + " without caches of your own: the L1s of this machine, on one core.",
                "Other options change what it says."
            })
    String machine;

    @Option(
            names = "--l1i",
            paramLabel = "GEOMETRY",
            description = "L1 instruction cache: SIZE,WAYS,LINE, like 32K,8,64; ways may be direct or full, lines have"
                    + " 16 to 256 bytes. Given several times: the first one drives the clocks, the others watch.")
    List<String> l1i = new ArrayList<>();

    @Option(names = "--l1d", paramLabel = "GEOMETRY", description = "L1 data cache, likewise; or none.")
    List<String> l1d = new ArrayList<>();

    @Option(names = "--l2", paramLabel = "GEOMETRY", description = "Second level, likewise, of each core; or none.")
    List<String> l2 = new ArrayList<>();

    @Option(
            names = "--llc",
            paramLabel = "GEOMETRY",
            description = "Last level, likewise, or none; of all cores together, unless the machine says how many share"
                    + " one.")
    List<String> llc = new ArrayList<>();

    @Option(
            names = "--cores",
            paramLabel = "N",
            description =
                    "Simulated cores, 1 to 64. Several with data caches keep them coherent and class their misses,"
                            + " so they go in step, unless the machine or --set coherence=none says otherwise.")
    Integer cores;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description =
                    "Nodes that the cores are dealt to; a divisor of them. A file that describes them is named in the"
                            + " environment of what is simulated, as " + NodesFile.ENVIRONMENT
                            + "; tpcc on Lockstep deals its carriers and its buffer pool to them. Memory is of the node"
                            + " whose core touches it first while caches are simulated, unless the program tells of"
                            + " another, as it does for buffer pools.")
    Integer nodes;

    @Option(
            names = "--smt",
            paramLabel = "1|2",
            description =
                    "Hardware threads of a core. Only with 2 do two threads run on a core at once; else threads of"
                            + " one core take turns.")
    Integer smt;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description =
                    "Anything else of the machine, for example --set itlb=128,8 --set dtlb=64,4 --set stlb=1536,12"
                        + " --set l2.inclusive=yes --set l1d.write=through --set classes=split --set page.map=random"
                        + " --set latency.memory=300 --set prefetch.next_line=l1i --set prefetch.stream=8,4. All keys:"
                        + " native/src/main/c/simulator/machine.h.")
    Map<String, String> values = new LinkedHashMap<>();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of everything random, which is where --set page.map=random puts pages. The command's own"
                    + " --seed stands behind --. Default: 1.")
    Long seed;

    @Option(
            names = "--step",
            paramLabel = "N",
            defaultValue = "200",
            description = "Cores, and hardware threads of a core, that share anything are kept in step: one that is N"
                    + " instructions ahead of the slowest waits; 0 lets them run. Default: ${DEFAULT-VALUE}.")
    long stepInstructions;

    @Option(
            names = "--turn",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Instructions after which a thread gives its core to another one that wants it; it also does"
                    + " at every system call. Default: ${DEFAULT-VALUE}.")
    long turnInstructions;

    @Option(
            names = "--no-buffers",
            description = "Leaves alone the buffers of read and write calls, which the kernel would touch.")
    boolean noBuffers;

    @Option(
            names = "--engine-threads",
            description = "Simulates the database's own threads, which write its log and its pages, on the cores too,"
                    + " as on a server; the report then says what of the total is theirs. Without it their instructions"
                    + " are counted apart.")
    boolean engineThreads;

    @Option(
            names = "--jvm-threads",
            description = "Simulates the JVM's own threads (collector, compilers, others) on the cores too. Without it"
                    + " their instructions are counted apart.")
    boolean jvmThreads;

    @Option(
            names = "--branches",
            arity = "0..1",
            paramLabel = "C:T:I:R",
            fallbackValue = "16384:4096:1024:16",
            description = "Predicts branches: gshare with C two-bit counters, a branch target buffer of T entries, I"
                    + " indirect targets by history (powers of two), R return addresses. Without numbers:"
                    + " ${FALLBACK-VALUE}.")
    String branches;

    /** For picocli. */
    public SimulateOptions() {}

    /** The names of all presets. */
    static final class Presets implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(MachinePreset.values()).map(Spelling::of).iterator();
        }
    }

    /** How programs are run. */
    public SimulatorSettings settings() {
        requireBranches();
        return new SimulatorSettings(
                stepInstructions, turnInstructions, !noBuffers, engineThreads, jvmThreads, false, branches, null, null);
    }

    private void requireBranches() {
        if (branches == null) {
            return;
        }
        Matcher numbers = BRANCHES.matcher(branches);
        if (!numbers.matches()) {
            throw new IllegalArgumentException(
                    "--branches '" + branches + "' is not understood: give four numbers, like 16384:4096:1024:16");
        }
        for (int table = 1; table <= numbers.groupCount(); table++) {
            int entries = Integer.parseInt(numbers.group(table));
            boolean returns = table == numbers.groupCount();
            boolean possible = entries >= (table == 2 ? BRANCH_TARGET_WAYS : 1)
                    && entries <= BRANCH_ENTRIES_MAX
                    && (returns || Integer.bitCount(entries) == 1);
            if (!possible) {
                throw new IllegalArgumentException("--branches '" + branches + "': " + entries + " entries cannot be"
                        + " simulated: counters, targets (" + BRANCH_TARGET_WAYS + " or more) and indirect targets are"
                        + " powers of two, none is larger than " + BRANCH_ENTRIES_MAX);
            }
        }
    }

    /**
     * The lines of the machine file.
     *
     * @throws IllegalArgumentException if the options make no machine, with a sentence for the user
     */
    public List<String> machineLines() {
        return machine().lines();
    }

    MachineDescription machine() {
        MachineDescription described = base();
        if (cores != null) {
            described = described.with(MachineDescription.CORES, cores.toString());
            if (nodes == null && described.number(MachineDescription.NODES, 1) > 1) {
                described = described.with(MachineDescription.NODES, "1");
            }
        }
        described = withNumber(described, MachineDescription.NODES, nodes);
        described = withNumber(described, MachineDescription.SMT, smt);
        if (seed != null) {
            if (seed < 0) {
                throw new IllegalArgumentException("--seed is 0 or more: seed=" + seed);
            }
            described = described.with(SEED, seed.toString());
        }
        described = withCache(described, MachineDescription.L1I, l1i);
        described = withCache(described, MachineDescription.L1D, l1d);
        described = withCache(described, MachineDescription.L2, l2);
        described = withCache(described, MachineDescription.LLC, llc);
        for (Map.Entry<String, String> entry : values.entrySet()) {
            described = described.with(entry.getKey(), entry.getValue());
        }
        return shared(described);
    }

    private MachineDescription base() {
        if (machine == null) {
            return namesCaches()
                    ? MachineDescription.empty()
                    : ThisMachine.describe()
                            .with(MachineDescription.L2, MachineDescription.NONE)
                            .with(MachineDescription.LLC, MachineDescription.NONE);
        }
        for (MachinePreset preset : MachinePreset.values()) {
            if (Spelling.of(preset).equalsIgnoreCase(machine)) {
                return preset.description();
            }
        }
        Path file = Path.of(machine);
        if (!InputFile.isReadable(file)) {
            throw new IllegalArgumentException("--machine " + machine
                    + " is neither a file that can be read nor one of: " + Spelling.all(MachinePreset.class));
        }
        try {
            return MachineDescription.parse(Files.readAllLines(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("--machine " + machine + " cannot be read: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--machine " + machine + ": " + e.getMessage(), e);
        }
    }

    private boolean namesCaches() {
        return !l1i.isEmpty() || !l1d.isEmpty() || !l2.isEmpty() || !llc.isEmpty();
    }

    /** Where the figures of the machine come from; empty for machines of the user's own. */
    String source() {
        if (machine == null && namesCaches()) {
            return "";
        }
        for (MachinePreset preset : MachinePreset.values()) {
            if (machine == null
                    ? preset == MachinePreset.THIS
                    : Spelling.of(preset).equalsIgnoreCase(machine)) {
                return preset.source();
            }
        }
        return "";
    }

    private static MachineDescription withNumber(MachineDescription described, String key, Integer number) {
        return number == null ? described : described.with(key, number.toString());
    }

    private static MachineDescription withCache(MachineDescription described, String cache, List<String> geometries) {
        MachineDescription changed = described;
        for (int i = 0; i < geometries.size(); i++) {
            String geometry = geometries.get(i);
            try {
                changed = i == 0
                        ? changed.with(
                                cache,
                                geometry.equals(MachineDescription.NONE)
                                        ? geometry
                                        : CacheShape.parse(geometry).text())
                        : changed.with(
                                "observe",
                                cache + ":" + CacheShape.parse(geometry).text());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("--" + cache + " " + e.getMessage(), e);
            }
        }
        return changed;
    }

    /** Several cores with data caches keep them coherent and class their misses, unless the machine says otherwise. */
    private static MachineDescription shared(MachineDescription described) {
        if (described.number(MachineDescription.CORES, 1) == 1 || !described.has(MachineDescription.L1D)) {
            return described;
        }
        MachineDescription changed = described;
        if (changed.value(COHERENCE).isEmpty()) {
            changed = changed.with(COHERENCE, "mesi");
        }
        // Cores that share nothing at all need not go in step, and classes alone would make them.
        boolean sharing = changed.has(MachineDescription.L2)
                || changed.has(MachineDescription.LLC)
                || !changed.value(COHERENCE).equals(Optional.of(MachineDescription.NONE));
        if (sharing && changed.value(CLASSES).isEmpty()) {
            changed = changed.with(CLASSES, "merged");
        }
        return changed;
    }
}
