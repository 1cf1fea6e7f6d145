package dev.lockstep.bench.steps;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.process.FootprintsFile;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.JvmOption;
import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.SpelledConstant;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.engine.Durability;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.workload.Terminal;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The transactions of TPC-C with STEPS and without, section 4.3. */
@Command(
        name = "steps",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Runs each transaction type of TPC-C alone, and the interactive mix, with teams and batches and with"
                    + " neither, at several numbers of warehouses: the experiments of section 4.3 of the STEPS paper,"
                    + " Figures 13 and 14 and Table 4.",
            "Variants, all under STEPS' scheduler: neither, the plain call path; batches, rows that a statement names"
                    + " together go to the engine together; teams; both; governed, both, where teams form for those"
                    + " operations alone that were measured to gain by it; staged, both, where a team's first member"
                    + " fetches the rows of all and does their changes at least up to the leaf; waves, both, where"
                    + " transactions of one type begin together and all members, continuations, end an operation before"
                    + " the first goes on; continuation, both, where members take turns at switch points inside"
                    + " operations; serial, its original, where they take the same turns behind each operation;"
                    + " staged-alone and continuation-alone, such teams without batches.",
            "Times are measured on this machine's processor, uninstrumented; instructions, misses and mispredictions"
                    + " are counted on a simulated one, in runs of their own. Each run is one of ./lockstep tpcc, on"
                    + " one core, in a JVM of its own; --json has its command. Where both are asked for, the JVMs whose"
                    + " times are taken have the flags forced that a JVM chooses on the simulated processor.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured; what cannot run here is NOT RUN, with the reason",
            "1:a run failed on this machine's processor, or was not steady under the simulator; the figures of the"
                    + " others stand",
            "2:wrong call; a run under the simulator failed, of which the same is true; or --simulate, and QEMU, the"
                    + " plugin or the agent is missing"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep steps --out report",
            "      All of it, and a page.",
            "  ./lockstep steps --native --warehouses 10 --mixes payment --repeat 5 --control",
            "      The time of one column of Figure 13, and what a difference must exceed to mean anything.",
            "  ./lockstep steps --variants both,staged,waves,continuation --out report",
            "      With a row for each way of executing teams.",
            "  ./lockstep steps --native --variants batches,teams,staged-alone,continuation-alone,both,staged",
            "      What each part contributes, alone and together.",
            "  ./lockstep codemap --workload tpcc --footprints code.txt",
            "  ./lockstep steps --footprints code.txt --out report",
            "      What each operation executes stands first.",
            "  ./lockstep steps --native --warehouses 10 --mixes payment --out report --flame",
            "      With a flame graph of each mix, size and variant.",
            "  ./lockstep steps --simulate --warehouses 10 --mixes payment --l1i 64K,2,64 --l1i 32K,8,64",
            "      Its misses, in a second L1-I as well."
        })
public final class StepsCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final int SECONDS_MAX = 86_400;
    private static final int REPEATS = 3;

    /** The paper's sizes; of mixes of several types, those up to {@link #MIXED_WAREHOUSES_MAX}. */
    private static final List<Integer> WAREHOUSES = List.of(10, 20, 30);

    private static final int MIXED_WAREHOUSES_MAX = 20;

    /** Converts {@code --mixes}. */
    static final class OfMix extends SpelledConstant<TransactionMix> {
        OfMix() {
            super(TransactionMix.class);
        }
    }

    /** Converts {@code --variants}. */
    static final class OfVariant extends SpelledConstant<StepsVariant> {
        OfVariant() {
            super(StepsVariant.class);
        }
    }

    /** Converts {@code --durability}. */
    static final class OfDurability extends SpelledConstant<Durability> {
        OfDurability() {
            super(Durability.class);
        }
    }

    @Option(
            names = "--warehouses",
            split = ",",
            paramLabel = "N",
            description = "Sizes of the database, about 100 MB for each warehouse. Default: 10,20,30, and 10,20 of"
                    + " mixes of several types, as in the paper.")
    private List<Integer> warehouses = List.of();

    @Option(
            names = "--mixes",
            split = ",",
            paramLabel = "MIX",
            defaultValue = "payment,new-order,order-status,delivery,stock-level,interactive",
            converter = OfMix.class,
            description = "Which transactions: one type alone, or interactive or standard. delivery alone does nothing"
                    + " once every district is empty. Default: ${DEFAULT-VALUE}.")
    private List<TransactionMix> mixes;

    @Option(
            names = "--terminals",
            paramLabel = "N",
            defaultValue = "10",
            description = "Emulated users of each warehouse, who do not think. Default: ${DEFAULT-VALUE}.")
    private int terminals;

    @Option(
            names = "--variants",
            split = ",",
            paramLabel = "VARIANT",
            defaultValue = "neither,both",
            converter = OfVariant.class,
            description = "What is compared; neither is added, and serial to continuation. Default: ${DEFAULT-VALUE}.")
    private List<StepsVariant> variants;

    @Option(
            names = "--shrink",
            paramLabel = "N",
            defaultValue = "1",
            description = "Loads one Nth of each warehouse, 1 to 100, as ./lockstep tpcc does. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int shrink;

    @Option(
            names = "--team-limit",
            paramLabel = "N",
            defaultValue = "" + SchedulerOptions.TEAM_LIMIT_DEFAULT,
            description = "Members of a team at most. A wave has of each warehouse one Payment or Delivery, of each"
                    + " district one New-Order and as many others as there are, so that where these are more than this"
                    + " it has several teams. Default: ${DEFAULT-VALUE}.")
    private int teamLimit;

    @Option(
            names = "--durability",
            paramLabel = "MODE",
            defaultValue = "async",
            converter = OfDurability.class,
            description = "When a commit is answered, as of ./lockstep tpcc. Default: async, as in the paper.")
    private Durability durability;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Time before measuring, so long that the compilers have done most of what batches and teams"
                    + " need. Default: ${DEFAULT-VALUE}.")
    private double warmUpSeconds;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Time measured in each run. Default: ${DEFAULT-VALUE}.")
    private double durationSeconds;

    @Option(
            names = "--control",
            description = "Measures neither once more in each repetition, against itself (A/A): a difference smaller"
                    + " than what this shows is none. Needs --repeat 2 or more.")
    private boolean control;

    @Option(names = "--native", description = "Measures on this machine's processor; both sides unless one is named.")
    private boolean nativeSide;

    @Option(
            names = "--simulate",
            description = "Counts on a simulated machine, which needs qemu-x86_64; both sides unless one is named.")
    private boolean simulatedSide;

    @Option(
            names = "--footprints",
            paramLabel = "FILE",
            description = "What ./lockstep codemap --footprints has written: the report then begins with the code that"
                    + " each operation executes, by which its misses are to be read.")
    private Path footprints;

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            converter = JvmOption.class,
            description = "One more option of every child JVM; may be repeated.")
    private List<String> jvmOptions = List.of();

    @Mixin
    private SimulatedOptions simulatedOptions;

    @Mixin
    private FlameOption flame;

    @Mixin
    private MeasurementOptions options = new MeasurementOptions(REPEATS);

    @Spec
    private CommandSpec command;

    private final Launcher launcher;
    private final Supplier<Optional<String>> simulatorObstacle;

    /**
     * For one command line.
     *
     * @param commands makes a command line that knows {@code tpcc}
     */
    public StepsCommand(Supplier<CommandLine> commands) {
        this(Launcher.of(commands), StepsExperiment::simulatorObstacle);
    }

    /** The same with commands started otherwise, and something else in the way of the simulator. */
    StepsCommand(Launcher launcher, Supplier<Optional<String>> simulatorObstacle) {
        this.launcher = launcher;
        this.simulatorObstacle = simulatorObstacle;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException {
        requireRange();
        List<ExecutedCode> executed = executed();
        if (simulatedSide) {
            Optional<String> obstacle = simulatorObstacle.get();
            if (obstacle.isPresent()) {
                options.say(obstacle.get());
                return CommandLine.ExitCode.USAGE;
            }
        }
        options.prepare();
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "steps")) {
            StepsSpec spec = new StepsSpec(
                    compared(),
                    terminals,
                    shrink,
                    teamLimit,
                    Spelling.of(durability),
                    warmUpSeconds,
                    durationSeconds,
                    options.repeat(),
                    control,
                    List.copyOf(jvmOptions),
                    options.parent(),
                    scratch.path(),
                    options.seed());
            StepsExperiment experiment = new StepsExperiment(
                    spec,
                    nativeSide || !simulatedSide,
                    simulatedSide || !nativeSide ? simulatedOptions.spec() : null,
                    launcher,
                    simulatorObstacle,
                    options::progress);
            List<StepsCell> cells = new ArrayList<>();
            for (TransactionMix mix : mixes.stream().distinct().toList()) {
                for (int size : warehouses(mix)) {
                    cells.add(experiment.run(Spelling.of(mix), size));
                }
            }
            SequencedMap<String, String> undrawn = new LinkedHashMap<>();
            List<Section> graphs = flame.isAsked() ? List.of(draw(experiment, cells, undrawn)) : List.of();
            StepsResult result = new StepsResult(executed, List.copyOf(cells), undrawn);
            List<Section> printed = new ArrayList<>(result.sections());
            printed.addAll(graphs);
            List<Section> page = new ArrayList<>(result.page());
            page.addAll(graphs);
            boolean ok = result.ok();
            options.write(
                    result,
                    "TPC-C with STEPS and without",
                    ok ? "Measured." : "A run failed.",
                    ok,
                    settings(),
                    printed,
                    page);
            if (result.failedCommand().isPresent()) {
                command.commandLine()
                        .getErr()
                        .println("lockstep: " + result.failedCommand().orElseThrow());
                return CommandLine.ExitCode.USAGE;
            }
            return ok ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        }
    }

    private List<ExecutedCode> executed() {
        if (footprints == null) {
            return List.of();
        }
        try {
            return ExecutedCode.of(FootprintsFile.read("--footprints", footprints));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** Tells of each run that was not drawn, and why. */
    private Section draw(StepsExperiment experiment, List<StepsCell> cells, Map<String, String> undrawn)
            throws IOException {
        FlameGraphs graphs = new FlameGraphs(options.directory());
        for (StepsCell cell : cells) {
            undrawn.putAll(experiment.draw(graphs, cell));
        }
        return graphs.section()
                .with(undrawn.entrySet().stream()
                        .map(each -> new Paragraph("FAILED: " + each.getKey() + ": " + each.getValue()))
                        .toList());
    }

    private void requireRange() {
        flame.require(options);
        options.require(
                !flame.isAsked() || nativeSide || !simulatedSide,
                "--flame draws runs on this machine's processor: add --native to --simulate");
        options.require(
                warehouses.stream().allMatch(each -> each >= 1)
                        && terminals >= 1
                        && (long) warehouses.stream().max(Integer::compare).orElse(Collections.max(WAREHOUSES))
                                        * terminals
                                <= Terminal.TERMINALS_MAX,
                "--warehouses and --terminals are at least 1, and their product at most " + Terminal.TERMINALS_MAX);
        options.require(shrink >= 1 && shrink <= TpccScale.SHRINK_MAX, "--shrink is 1 to " + TpccScale.SHRINK_MAX);
        options.require(teamLimit >= 1, "--team-limit is at least 1");
        options.require(warmUpSeconds >= 0 && warmUpSeconds <= SECONDS_MAX, "--warmup is 0 to a day");
        options.require(
                durationSeconds > 0 && durationSeconds <= SECONDS_MAX, "--duration is more than 0 and up to a day");
        simulatedOptions.require(options);
        if (nativeSide && !simulatedSide) {
            options.refuse("With --native alone", SimulatedOptions.NAMES);
        } else if (simulatedSide && !nativeSide) {
            options.refuse("With --simulate alone", "--repeat", "--control", "--warmup", "--duration");
        }
        if (compared().stream().noneMatch(StepsVariant::formsTeams)) {
            options.refuse("With --variants that form no teams", "--team-limit");
        }
        options.require(!control || options.repeat() >= 2, "--control needs --repeat 2 or more, to show a spread");
    }

    /** In one order, the one that others are compared with first. */
    private List<StepsVariant> compared() {
        return Stream.of(StepsVariant.values())
                .filter(each -> each == StepsVariant.NEITHER
                        || variants.contains(each)
                        || variants.stream().anyMatch(variant -> variant.original() == each))
                .toList();
    }

    /** Whether a mix has transactions of several types: Figure 14 in place of Figure 13. */
    static boolean isMixed(TransactionMix mix) {
        return mix == TransactionMix.INTERACTIVE || mix == TransactionMix.STANDARD;
    }

    private List<Integer> warehouses(TransactionMix mix) {
        if (!warehouses.isEmpty()) {
            return warehouses.stream().distinct().sorted().toList();
        }
        return WAREHOUSES.stream()
                .filter(size -> !isMixed(mix) || size <= MIXED_WAREHOUSES_MAX)
                .toList();
    }

    private SequencedMap<String, String> settings() {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("mixes", mixes.stream().map(Spelling::of).collect(Collectors.joining(", ")));
        settings.put("variants", compared().stream().map(Spelling::of).collect(Collectors.joining(", ")));
        settings.put("terminals of a warehouse", Integer.toString(terminals));
        settings.put("part of a warehouse that is loaded", "1/" + shrink);
        settings.put("members of a team at most", Integer.toString(teamLimit));
        settings.put("durability", Spelling.of(durability));
        settings.put("seconds of warming up", Double.toString(warmUpSeconds));
        settings.put("seconds measured", Double.toString(durationSeconds));
        settings.put("repetitions", Integer.toString(options.repeat()));
        settings.put("simulated machine", simulatedOptions.machine());
        return settings;
    }
}
