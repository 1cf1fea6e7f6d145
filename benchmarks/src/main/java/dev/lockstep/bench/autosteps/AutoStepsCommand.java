package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.SpelledConstant;
import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Finds switch points in the traces of operations. */
@Command(
        name = "autosteps",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "[COMMAND]",
        description = {
            "Finds the places where the members of a team should take turns, from the instructions that operations"
                    + " execute (STEPS, section 5.2): before a segment of code evicts what it has itself brought into"
                    + " the instruction cache, the next member runs the same segment.",
            "Prints for each operation what it misses alone, in a cache warmed by itself; what each further member of"
                + " a team is promised to miss; and what a team of that many members misses when its trace is"
                + " replayed, without the code of a switch between two members, as in a staged team, and with it; and"
                + " what members miss that run one after the other with as many switches. Beside the points found"
                + " stand those that the agent can insert into bytecode, and those that are found by hand: the end of"
                + " a fragment moves forward while a second thread, switch included, adds less than 5 %% (section"
                + " 3.3). Points name the code as it was compiled in the traced JVM, innermost method first, each with"
                + " @ its bytecode index and : its line. There is no --flame: traces are evaluated, and nothing is run"
                + " that it could draw."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:searched", "2:wrong call, or TRACE is no trace"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep simulate --l1i 32K,8,64 --operations --code code.txt --trace trace.txt -- tpcc \\",
            "    --scheduler jdk --durability async --terminals 1 --transactions 2000",
            "      Records the operations of TPC-C in their steady state.",
            "  ./lockstep autosteps trace.txt --operation fetch",
            "      Switch points of all fetches, for this machine's instruction cache.",
            "  ./lockstep autosteps trace.txt --l1i 16K,4,32 --operation fetch --sweep --out report",
            "      For a smaller cache, with several knees side by side and placement by hand, drawn as the paper's"
                    + " Figures 15 to 17.",
            "  ./lockstep autosteps trace.txt --placement manual --points points.txt",
            "      The points found by hand, for the agent.",
            "  ./lockstep autosteps loop --help",
            "      Inserts the points, traces again, and sees whether they do what was predicted."
        })
public final class AutoStepsCommand implements Callable<Integer>, SimulatedAs.Told {
    /** Figure 16 of the paper. */
    private static final List<Integer> WIDTHS = List.of(50, 100, 200, 400, 800);

    private static final ClassBytes CLASSES = ClassBytes.ofProgram();

    private static final List<Integer> HEIGHTS = List.of(2, 4, 8, 16);

    /** Who places points, as it is spelled. */
    enum By {
        AUTO,
        MANUAL
    }

    /** Converts {@code --placement}. */
    static final class OfPlacement extends SpelledConstant<By> {
        OfPlacement() {
            super(By.class);
        }
    }

    @Spec
    private CommandSpec command;

    @Parameters(arity = "0..1", paramLabel = "TRACE", description = "What ./lockstep simulate --trace has written.")
    private Path file;

    @Option(
            names = "--width",
            split = ",",
            paramLabel = "N",
            description = "Instructions between two misses of a knee at most. Several are searched side by side."
                    + " Default: 200.")
    private List<Integer> widths = List.of();

    @Option(
            names = "--height",
            split = ",",
            paramLabel = "N",
            description = "Misses that make a knee; likewise. Default: 4.")
    private List<Integer> heights = List.of();

    @Option(
            names = "--sweep",
            description = "Searches widths of 50, 100, 200, 400 and 800 and heights of 2, 4, 8 and 16, unless --width"
                    + " or --height say otherwise; with --out drawn as the paper's Figure 16, with placement by hand.")
    private boolean sweep;

    @Option(
            names = "--placement",
            paramLabel = "auto|manual",
            defaultValue = "auto",
            converter = OfPlacement.class,
            description = "Whose points --points writes: those of autoSTEPS, or those found by hand. Both are printed."
                    + " Default: ${DEFAULT-VALUE}.")
    private By placement;

    @Option(
            names = "--points",
            paramLabel = "FILE",
            description = "Writes the points, as far as they can be inserted, for the Java agent: a JVM with"
                    + " -javaagent:JAR=FILE, where JAR is that of Lockstep's benchmarks, has them in its bytecode."
                    + " Needs a trace that says what lies at each address, and one knee.")
    private Path pointsFile;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Kept with the result; nothing here is random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private SearchOptions search;

    @Mixin
    private ResultOptions results;

    private AutoStepsCommand() {}

    /**
     * The command line, with what belongs to it.
     *
     * @param simulate makes the command line of {@code ./lockstep simulate}, which runs what is traced
     */
    public static CommandLine commandLine(Supplier<CommandLine> simulate) {
        return new CommandLine(new AutoStepsCommand())
                .addSubcommand(new LoopCommand(run -> run.simulated(simulate), ClassBytes.ofProgram()));
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException {
        search.require(file != null, "Missing required parameter: 'TRACE'");
        ResultFile.require(command.commandLine(), "--points", pointsFile);
        List<Knee> knees = knees();
        search.require(
                pointsFile == null || placement == By.MANUAL || knees.size() == 1,
                "--points takes one --width and one --height");
        results.prepare();
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        CacheShape shape = search.shape();
        TraceFile traces = search.read(file);
        if (pointsFile != null) {
            requireThisJvm(traces);
        }
        List<Integer> operations = search.operations(traces);
        AutoStepsResult result = search(traces, operations, shape, knees);
        List<Section> sections = new ArrayList<>(result.sections());
        PrintWriter out = command.commandLine().getOut();
        out.print(ReportText.of(sections));
        out.flush();
        results.write(origin, result, () -> page(traces, operations, shape, knees, result, origin));
        return CommandLine.ExitCode.OK;
    }

    private void requireThisJvm(TraceFile traces) {
        try {
            traces.origin().requireThisJvm();
        } catch (SwitchPointException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private List<Knee> knees() {
        List<Knee> knees = new ArrayList<>();
        for (int width : asked(widths, WIDTHS, Knee.DEFAULT.widthInstructions())) {
            for (int height : asked(heights, HEIGHTS, Knee.DEFAULT.heightMisses())) {
                knees.add(search.knee(width, height));
            }
        }
        return knees;
    }

    private List<Integer> asked(List<Integer> named, List<Integer> all, int usual) {
        return !named.isEmpty() ? named : sweep ? all : List.of(usual);
    }

    private AutoStepsResult search(TraceFile traces, List<Integer> operations, CacheShape shape, List<Knee> knees)
            throws IOException {
        AutoStepsResult.Searches searches = new AutoStepsResult.Searches(
                traces, PointMapper.of(traces, CLASSES), shape, search.members(), search.switchBytes());
        List<AutoStepsResult.Operation> found = searches.of(operations, knees);
        if (pointsFile != null) {
            List<SwitchPoint> points = placement == By.MANUAL ? searches.insertedByHand() : searches.inserted();
            SwitchPoints.of(shape.text(), CLASSES, points).write(pointsFile);
        }
        return new AutoStepsResult(AutoStepsResult.FORMAT, shape.text(), search.members(), search.switchBytes(), found);
    }

    /** With plots; of several operations the curves and knees of the one that executes most. */
    private Report page(
            TraceFile traces,
            List<Integer> operations,
            CacheShape shape,
            List<Knee> knees,
            AutoStepsResult result,
            Origin origin) {
        int longest = operations.stream()
                .max(Comparator.comparingInt(
                        operation -> traces.typical(operation).count()))
                .orElseThrow();
        InstructionTrace trace = traces.typical(longest);
        SwitchPlacement curves = new SwitchPointSearch(trace, shape, knees.getFirst()).place();
        List<Section> all = new ArrayList<>(result.sections());
        all.add(Section.of(
                "Misses, instruction by instruction",
                AutoStepsPlots.curves(
                        traces.name(longest),
                        trace,
                        curves,
                        new TeamReplay(trace, shape, search.switchBytes()),
                        new TeamReplay(trace, shape, 0),
                        search.members())));
        if (knees.size() > 1) {
            all.add(Section.of("Knees", AutoStepsPlots.knees(result.of(traces.name(longest)))));
        }
        all.add(Section.of(
                "Placed by autoSTEPS and by hand", AutoStepsPlots.placements(result.with(knees.getFirst()))));
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("trace", file.toString());
        settings.put("L1 instruction cache", shape.text());
        settings.put("members", Integer.toString(search.members()));
        settings.put("code of a switch, bytes", Integer.toString(search.switchBytes()));
        return new Report(
                "Switch points", operations.size() + " operations were searched.", true, origin, settings, all);
    }
}
