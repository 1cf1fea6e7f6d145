package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.flame.FlameOption;
import dev.lockstep.bench.process.Emulation;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.bench.report.MemorySize;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.SpelledConstant;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The index fetch of STEPS, section 3.4. */
@Command(
        name = "indexfetch",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Executes one operation, the fetch, the update or the insert of a row, by teams of many sizes, on a table"
                    + " of 25 integers and 100,000 rows: the experiments of sections 3.4 and 3.5 of the STEPS paper.",
            "Kinds: original, one operation after the other by one thread; staged, the stages of all members in one"
                + " loop of one thread; led, an S-thread for each member, the first of which runs the stages of all;"
                + " continuation, an S-thread for each member, which take turns after every stage; virtual, the same"
                + " where S-threads are virtual threads and not continuations; serial, the original of continuation,"
                + " the same S-threads one after the other with as many switches; inserted, S-threads that take turns"
                + " at the points of --switch-points alone; barrier and parallel, under ./lockstep simulate --smt 2"
                + " alone, S-threads on two hardware threads, with a barrier after every stage and without.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured",
            "1:a run failed, or simulated counts count for nothing, because the JVM was not steady",
            "2:wrong call, or QEMU or the plugin is missing"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep indexfetch --measure all --out report",
            "      Times and misses of fetches, teams of 1 to 80, staged and by continuations.",
            "  ./lockstep indexfetch --rows 10000000 --members 1,10 --kinds original,staged --out" + " report",
            "      A gigabyte of rows, and a page with plots.",
            "  ./lockstep indexfetch --rows 10000,100000,1000000,10000000 --members 1,10 --kinds staged --out report",
            "      Gain against data size: what teams gain where rows lie in a cache, and where they do not.",
            "  ./lockstep indexfetch --operation-padding 0,16K,64K,256K,1M --members 1,10 --kinds continuation \\",
            "    --out report",
            "      Gain against code footprint: what teams gain where an operation's code fits a cache, and where it"
                    + " does not.",
            "  ./lockstep indexfetch --members 10 --kinds staged,continuation --out report --flame",
            "      Where the time goes in each of them, as flame graphs.",
            "  ./lockstep indexfetch --operation update",
            "      The tuple update.",
            "  ./lockstep indexfetch --operation insert8 --measure misses --members 1,10 --seed 1",
            "      What an insert into nine trees misses.",
            "  ./lockstep indexfetch --measure misses --members 1,10 --kinds inserted --switch-points 14k.txt \\",
            "    --retrained-points 7k.txt,3k.txt",
            "      Figure 10: points trained once, and beside them those trained for two of the caches. Each file is of"
                    + " ./lockstep autosteps loop --operation fetch --l1i 14K,2,64 --points 14k.txt -- indexfetch"
                    + " --kinds inserted --members 1, with the cache that it is for. Where the code fits a cache there"
                    + " is no point to be found: take caches that are to it as the paper's 64, 32 and 16 KB are to 45.",
            "  ./lockstep simulate --l1i 32K,8,64 -- indexfetch --kinds inserted --members 1 --rows 10000",
            "      One kind on a simulated machine, marked in phases.",
            "  ./lockstep simulate --l1i 32K,8,64 --smt 2 -- indexfetch --kinds barrier --members 2,10",
            "      A team on the two hardware threads of a core, with barriers in place of switches."
        })
public final class IndexFetchCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final int ROWS_MAX = 100_000_000;
    private static final int MEMBERS_MAX = 1_000;
    private static final int SECONDS_MAX = 3_600;

    /** Some steps of straight code. */
    private static final int PADDING_BYTES_MIN = 128;

    /** More than second-level caches hold. */
    private static final int PADDING_BYTES_MAX = 4 << 20;

    /** Those that need nothing but the command. */
    private static final List<FetchKind> KINDS =
            List.of(FetchKind.ORIGINAL, FetchKind.STAGED, FetchKind.CONTINUATION, FetchKind.SERIAL);

    /** What says how often operations run that are timed: those that are counted run in rounds. */
    private static final String[] OF_TIMES = {"--operations", "--seconds", "--transactions", "--repeat"};

    /** Enough for C2 to compile what a child executes. */
    private static final double WARM_UP_SECONDS = 2;

    /** What can be measured, as it is spelled. */
    enum Measured {
        TIME,
        MISSES,
        ALL
    }

    /** Converts {@code --measure}. */
    static final class OfMeasured extends SpelledConstant<Measured> {
        OfMeasured() {
            super(Measured.class);
        }
    }

    /** Converts {@code --kinds}. */
    static final class OfKind extends SpelledConstant<FetchKind> {
        OfKind() {
            super(FetchKind.class);
        }
    }

    /** Converts {@code --operation}. */
    static final class OfOperation extends SpelledConstant<RowOperation> {
        OfOperation() {
            super(RowOperation.class);
        }
    }

    /** Converts {@code --operation-padding}: a size, or 0. */
    static final class OfPadding implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.equals("0")) {
                return 0;
            }
            long bytes = new MemorySize.Converter().convert(text).bytes();
            if (bytes < PADDING_BYTES_MIN || bytes > PADDING_BYTES_MAX) {
                throw new TypeConversionException("0, or " + PADDING_BYTES_MIN + " to " + PADDING_BYTES_MAX);
            }
            return (int) bytes;
        }
    }

    @Option(
            names = "--operation",
            paramLabel = "fetch|update|insert8",
            defaultValue = "fetch",
            converter = OfOperation.class,
            description = "What each member does: a fetch, from a table in memory; or a fetch and an update of one"
                    + " column; or the insert of a row and of its entries in eight secondary indexes, which has no kind"
                    + " staged; both with a log. Default: fetch.")
    private RowOperation operation;

    @Option(
            names = "--kinds",
            split = ",",
            paramLabel = "KIND",
            converter = OfKind.class,
            description = "Which kinds are measured. The original of each is added. Default: all that the operation"
                    + " has, but led, virtual, inserted, barrier and parallel.")
    private List<FetchKind> kinds = List.of();

    @Option(
            names = "--members",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,3,4,5,6,7,8,9,10,20,40,80",
            description = "Sizes of the teams, 1 to 1000. Default: ${DEFAULT-VALUE}.")
    private List<Integer> members;

    @Option(
            names = "--rows",
            split = ",",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Rows of the table, from the largest of --members to 100000000, 100 bytes of values each;"
                    + " 10000000 are a gigabyte. With several the times are taken with each, and the report has the"
                    + " gain against data size: how many times as fast as one by one teams are with each number of"
                    + " rows. Default: ${DEFAULT-VALUE}.")
    private List<Integer> rows;

    @Option(
            names = "--operation-padding",
            split = ",",
            paramLabel = "SIZE",
            converter = OfPadding.class,
            description = "Straight code that each operation executes before its own, like 0,16K,64K,256K,1M: 0, or 128"
                    + " bytes to 4M. Members of a team take turns behind each piece of about 16 KB, or each piece is a"
                    + " stage; its code is the same for all of them. The times are taken with each, and the report has"
                    + " the gain against code footprint: how many times as fast as one by one teams are with each. With"
                    + " --measure misses one size, which the simulated operations execute. Default: none.")
    private List<Integer> operationPaddings = List.of();

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "100",
            description = "Operations of each member's transaction, 1 or more. Default: ${DEFAULT-VALUE}, as in the"
                    + " paper.")
    private int operations;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "0.3",
            description = "For how long each size is measured in each run, more than 0 and up to 3600. Default:"
                    + " ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            defaultValue = "0",
            description = "Transactions of each member that each size is measured for, in place of --seconds. Misses"
                    + " are of a number of transactions in any case. Default: none.")
    private long transactions;

    @Option(
            names = "--measure",
            paramLabel = "time|misses|all",
            defaultValue = "time",
            converter = OfMeasured.class,
            description = "time: on this machine's processor; misses: in a simulated AthlonXP, the paper's, with"
                + " instruction caches of other geometries that observe the same run, which needs qemu-x86_64 and"
                + " takes some minutes for each kind; all: both, the times in JVMs with the heap and the flags of the"
                + " simulated ones. Default: time.")
    private Measured measured;

    @Option(
            names = "--switch-points",
            paramLabel = "FILE",
            description = "The points of --kinds inserted, as ./lockstep autosteps --points FILE has written them.")
    private Path switchPoints;

    @Mixin
    private MissesOptions missesOptions;

    @Mixin
    private FlameOption flame;

    @Mixin
    private MeasurementOptions options = new MeasurementOptions(5);

    private final String mainClass;
    private final Placement placement;
    private double warmUpSeconds = WARM_UP_SECONDS;

    /**
     * For one command line.
     *
     * @param mainClass of child JVMs, which knows {@link IndexFetchChildCommand}
     * @param placement where they run
     */
    public IndexFetchCommand(String mainClass, Placement placement) {
        this.mainClass = mainClass;
        this.placement = placement;
    }

    /** For tests: children that are hardly warmed up. */
    IndexFetchCommand(String mainClass, double warmUpSeconds) {
        this(mainClass, Placement.ofMachine());
        this.warmUpSeconds = warmUpSeconds;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.CHILDREN;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (kinds.isEmpty()) {
            kinds = KINDS.stream()
                    .filter(each -> each != FetchKind.STAGED || operation.isStaged())
                    .toList();
        }
        requireSizesAndKinds();
        Optional<Emulation> emulation = placement.emulation();
        if (emulation.isPresent()) {
            return runSimulated(emulation.get());
        }
        options.require(
                kinds.stream().allMatch(each -> each.carriers() == 1),
                "--kinds parallel and barrier need ./lockstep simulate --smt 2 -- indexfetch");
        options.require(
                kinds.contains(FetchKind.INSERTED) == (switchPoints != null),
                "--kinds inserted and --switch-points need each other");
        requirePoints();
        if (measured == Measured.TIME) {
            options.refuse("With --measure time", "--l1i", "--l1d");
        } else if (measured == Measured.MISSES) {
            options.refuse("With --measure misses", OF_TIMES);
        }
        missesOptions.require(options, measured != Measured.TIME, withOriginals());
        options.require(
                rows.size() == 1 || measured == Measured.TIME,
                "--measure misses and all are of one of --rows, since each simulated run takes minutes: give several"
                        + " to --measure time");
        options.require(
                !flame.isAsked() || (measured != Measured.MISSES && rows.size() == 1 && operationPaddings.isEmpty()),
                "--flame needs --measure time or all, one of --rows and no --operation-padding, as well as --out");
        flame.require(options);
        options.prepare();
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "indexfetch")) {
            FetchPlan plan = new FetchPlan(
                    spec(),
                    withOriginals(),
                    new InsertedPoints(switchPoints),
                    scratch.path(),
                    mainClass,
                    options::progress);
            IndexFetchResult result = measure(plan);
            List<Section> sections = new ArrayList<>(result.sections());
            if (flame.isAsked()) {
                FlameGraphs graphs = new FlameGraphs(options.directory());
                new FetchExperiment(plan, options.repeat(), result.beside()).draw(graphs);
                sections.add(graphs.section());
            }
            options.write(
                    result,
                    "Index fetch by teams",
                    result.counts() ? "Measured." : "Measured, but simulated counts COUNT FOR NOTHING.",
                    result.counts(),
                    settings(),
                    sections,
                    sections);
            return result.counts() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (SimulationException e) {
            options.say(e.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
    }

    /** All figures: first the simulated ones, beside which times are taken like them. */
    private IndexFetchResult measure(FetchPlan plan) throws IOException, InterruptedException, SimulationException {
        TeamMissesReport misses = null;
        List<PaddedMisses> padded = List.of();
        List<RetrainedMisses> retrained = List.of();
        List<Verdict> verdicts = List.of();
        if (measured != Measured.TIME) {
            // With times too, they are taken with each padding, and misses counted without any.
            FetchPlan counted = measured == Measured.MISSES && !operationPaddings.isEmpty()
                    ? plan.with(plan.spec().padded(operationPaddings.getFirst()))
                    : plan;
            SimulatedFetch simulated = new SimulatedFetch(counted, missesOptions.caches());
            misses = simulated.run();
            padded = simulated.runPadded(missesOptions.paddings());
            retrained = simulated.runRetrained(missesOptions.retrained());
            verdicts = simulated.verdicts();
        }
        BesideSimulated beside = measured == Measured.ALL ? BesideSimulated.find(plan, missesOptions.caches()) : null;
        GainExperiment gains = new GainExperiment(plan, options.repeat(), beside);
        FetchTimesReport times = null;
        DataSizeCurve dataSizes = null;
        CodeFootprintCurve codeFootprints = null;
        if (rows.size() > 1) {
            dataSizes = gains.overRows(rows);
        } else if (!operationPaddings.isEmpty() && measured != Measured.MISSES) {
            codeFootprints = gains.overPaddings(operationPaddings, misses == null ? null : misses.operationBytes());
            times = codeFootprints.plainTimesOrNull();
        } else if (measured != Measured.MISSES) {
            times = new FetchExperiment(plan, options.repeat(), beside).run();
        }
        return new IndexFetchResult(times, dataSizes, codeFootprints, beside, misses, padded, retrained, verdicts);
    }

    /** What must hold wherever this runs. */
    private void requireSizesAndKinds() {
        options.require(members.stream().allMatch(each -> each >= 1 && each <= MEMBERS_MAX), "--members is 1 to 1000");
        options.require(
                rows.stream().allMatch(each -> each >= Collections.max(members) && each <= ROWS_MAX),
                "--rows is --members to 100000000");
        rows = rows.stream().distinct().sorted().toList();
        operationPaddings = operationPaddings.stream().distinct().sorted().toList();
        options.require(operationPaddings.isEmpty() || rows.size() == 1, "--operation-padding needs one of --rows");
        options.require(
                operationPaddings.isEmpty() || measured != Measured.MISSES || isOfOnePaddedRun(),
                "--operation-padding with --measure misses is one size, and goes without --switch-padding and"
                        + " --retrained-points");
        options.require(operations >= 1, "--operations is at least 1");
        options.require(seconds > 0 && seconds <= SECONDS_MAX, "--seconds is more than 0 and up to an hour");
        options.require(transactions >= 0, "--transactions is 1 or more, or 0 for --seconds");
        options.require(
                measured == Measured.TIME || (members.contains(1) && members.size() <= FetchPhases.sizesMax()),
                "--members contains 1, which misses are compared with, and at most " + FetchPhases.sizesMax()
                        + " sizes");
        options.require(
                operation.isStaged() || !kinds.contains(FetchKind.STAGED),
                "--kinds staged is of operations that begin with a fetch; S-threads insert together by --kinds led");
        options.require(
                operation != RowOperation.INSERT8 || kinds.stream().allMatch(each -> each.carriers() == 1),
                "--kinds parallel and barrier are of fetch and update, whose members want rows of their own");
    }

    /** Before an experiment of minutes whose last JVM would refuse them. */
    private void requirePoints() throws IOException {
        if (switchPoints == null) {
            return;
        }
        options.require(InputFile.isReadable(switchPoints), "--switch-points cannot be read: file=" + switchPoints);
        try {
            SwitchPoints.readForThisJvm(switchPoints);
        } catch (SwitchPointException e) {
            options.require(false, "--switch-points: " + e.getMessage());
        }
    }

    private boolean isOfOnePaddedRun() {
        return operationPaddings.size() == 1 && missesOptions.areOfOneRun();
    }

    /** Under {@code ./lockstep simulate}, which counts and prints. */
    private int runSimulated(Emulation emulation) throws IOException, InterruptedException {
        options.refuse("Under ./lockstep simulate", OF_TIMES);
        options.refuse("Under ./lockstep simulate, which has caches of its own,", "--measure", "--l1i", "--l1d");
        options.require(
                kinds.size() == 1 && rows.size() == 1 && members.size() <= FetchPhases.sizesMax(),
                "Under ./lockstep simulate name one of --kinds, one of --rows, and at most " + FetchPhases.sizesMax()
                        + " of --members");
        options.require(
                switchPoints == null
                        && !flame.isAsked()
                        && missesOptions.areOfOneRun()
                        && operationPaddings.isEmpty()
                        && options.jsonFiles().isEmpty(),
                "Under ./lockstep simulate leave out --switch-points, --switch-padding, --operation-padding,"
                        + " --retrained-points, --flame, --json and --out: give simulate itself --json and --out");
        options.prepare();
        try (ScratchDirectory scratch = ScratchDirectory.make(options.parent(), "indexfetch")) {
            FetchSpec spec = spec().simulated(kinds.getFirst(), spec().members());
            return FetchSimulator.runPlaced(spec, emulation, scratch.path(), mainClass, options::say);
        } catch (SimulationException e) {
            options.say(e.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
    }

    private FetchSpec spec() {
        return new FetchSpec(
                FetchKind.ORIGINAL,
                operation,
                rows.getFirst(),
                members.stream().distinct().sorted().toList(),
                operations,
                seconds,
                transactions,
                warmUpSeconds,
                options.seed(),
                0,
                null);
    }

    private List<FetchKind> withOriginals() {
        return Stream.of(FetchKind.values())
                .filter(each -> kinds.contains(each) || kinds.stream().anyMatch(kind -> kind.original() == each))
                .toList();
    }

    private SequencedMap<String, String> settings() {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("operation", Spelling.of(operation));
        settings.put("kinds", withOriginals().stream().map(Spelling::of).collect(Collectors.joining(", ")));
        settings.put("rows", joined(rows.stream().map(each -> (long) each)));
        settings.put("bytes of their values", joined(rows.stream().map(each -> each * FetchTable.ROW_BYTES)));
        if (!operationPaddings.isEmpty()) {
            settings.put(
                    "bytes of further code", joined(operationPaddings.stream().map(each -> (long) each)));
        }
        if (measured != Measured.MISSES) {
            addSettingsOfTimes(settings);
        }
        return settings;
    }

    private void addSettingsOfTimes(SequencedMap<String, String> settings) {
        settings.put("operations of a transaction", Integer.toString(operations));
        if (transactions > 0) {
            settings.put("transactions of each member", Long.toString(transactions));
        } else {
            settings.put("seconds of each measurement", Double.toString(seconds));
        }
        settings.put("repetitions", Integer.toString(options.repeat()));
    }

    private static String joined(Stream<Long> numbers) {
        return numbers.map(String::valueOf).collect(Collectors.joining(", "));
    }
}
