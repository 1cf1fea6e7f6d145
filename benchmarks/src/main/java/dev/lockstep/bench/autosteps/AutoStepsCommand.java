package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportOption;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.simulate.ThisMachine;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
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
        description = {
            "Finds the places where the members of a team should take turns, from the instructions that operations"
                    + " execute (STEPS, section 5.2): before a segment of code evicts what it has itself brought into"
                    + " the instruction cache, the next member runs the same segment.",
            "Prints for each operation what it misses alone, in a cache warmed by itself; what each further member of"
                + " a team is promised to miss; and what a team of that many members misses when its trace is"
                + " replayed, without and with the code of a switch between two members. Beside the points found stand"
                + " those that the agent can insert into bytecode, and those that are found by hand: the end of a"
                + " fragment moves forward while a second thread, switch included, adds less than 5 % (section 3.3)."
                + " Points name the code as it was compiled in the traced JVM, innermost method first, each with @ its"
                + " bytecode index and : its line."
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
            "  ./lockstep autosteps trace.txt --l1i 16K,4,32 --width 50,200,800 --height 2,4,16 --out report",
            "      For a smaller cache, with several knees side by side (Figure 16), and the curves (Figure 15)."
        })
public final class AutoStepsCommand implements Callable<Integer> {
    /** What a continuation switch of this JVM executes takes up to so many bytes of code (ARCHITECTURE.md). */
    private static final String SWITCH_BYTES = "7168";

    private static final int SWITCH_BYTES_MAX = 1 << 20;
    private static final int MEMBERS_MAX = 1000;

    @Spec
    private CommandSpec command;

    @Parameters(paramLabel = "TRACE", description = "What ./lockstep simulate --trace has written.")
    private Path file;

    @Option(
            names = "--operation",
            paramLabel = "NAME",
            description = "Only operations whose name contains NAME; may be repeated. Default: all.")
    private List<String> wanted = List.of();

    @Option(
            names = "--l1i",
            paramLabel = "GEOMETRY",
            description = "L1 instruction cache: SIZE,WAYS,LINE, like 32K,8,64; ways may be direct or full. Default:"
                    + " this machine's.")
    private String geometry;

    @Option(
            names = "--width",
            split = ",",
            paramLabel = "N",
            defaultValue = "200",
            description = "Instructions between two misses of a knee at most. Several are searched side by side."
                    + " Default: ${DEFAULT-VALUE}.")
    private List<Integer> widths;

    @Option(
            names = "--height",
            split = ",",
            paramLabel = "N",
            defaultValue = "4",
            description = "Misses that make a knee; likewise. Default: ${DEFAULT-VALUE}.")
    private List<Integer> heights;

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "10",
            description = "Members of the team that is replayed, 2 to 1000. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(
            names = "--switch-bytes",
            paramLabel = "N",
            defaultValue = SWITCH_BYTES,
            description = "Executed code of one switch in the replay that has it, in bytes. Default: ${DEFAULT-VALUE},"
                    + " the most that a continuation switch takes.")
    private int switchBytes;

    @Option(
            names = "--points",
            paramLabel = "FILE",
            description = "Writes the points, as far as they can be inserted, for the Java agent: a JVM with"
                    + " -javaagent:JAR=FILE, where JAR is that of Lockstep's benchmarks, has them in its bytecode."
                    + " Needs a trace that says what lies at each address, and one knee.")
    private Path pointsFile;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes everything that was found.")
    private Path json;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Kept with the result; nothing here is random. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private ReportOption report;

    /** For picocli. */
    public AutoStepsCommand() {}

    @Override
    public Integer call() throws IOException {
        require(Files.isReadable(file), "TRACE cannot be read: file=" + file);
        require(members >= 2 && members <= MEMBERS_MAX, "--members is 2 to " + MEMBERS_MAX);
        require(switchBytes >= 0 && switchBytes <= SWITCH_BYTES_MAX, "--switch-bytes is 0 to " + SWITCH_BYTES_MAX);
        ResultFile.require(command.commandLine(), "--json", json);
        ResultFile.require(command.commandLine(), "--points", pointsFile);
        require(
                pointsFile == null || (widths.size() == 1 && heights.size() == 1),
                "--points takes one --width and one --height");
        report.prepare();
        CacheShape shape;
        List<Knee> knees = new ArrayList<>();
        TraceFile traces;
        try {
            shape = geometry == null ? ThisMachine.instructionCache() : CacheShape.parse(geometry);
            for (int width : widths) {
                for (int height : heights) {
                    knees.add(new Knee(width, height));
                }
            }
            traces = TraceFile.read(file);
        } catch (IllegalArgumentException | TraceFormatException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        List<Integer> operations = operations(traces);
        AutoStepsResult result = search(traces, operations, shape, knees);
        List<Section> sections = new ArrayList<>(result.sections());
        PrintWriter out = command.commandLine().getOut();
        out.print(ReportText.of(sections));
        out.flush();
        if (json != null) {
            Json.write(json, result);
        }
        if (report.directory() != null) {
            Json.write(report.json(), result);
            report.write(page(traces, operations, shape, knees.getFirst(), sections));
        }
        return CommandLine.ExitCode.OK;
    }

    private List<Integer> operations(TraceFile traces) {
        List<Integer> operations = traces.operations().stream()
                .filter(operation -> wanted.isEmpty() || wanted.stream().anyMatch(traces.name(operation)::contains))
                .toList();
        require(
                !operations.isEmpty(),
                "--operation fits none of: "
                        + String.join(
                                ", ",
                                traces.operations().stream().map(traces::name).toList()));
        return operations;
    }

    private AutoStepsResult search(TraceFile traces, List<Integer> operations, CacheShape shape, List<Knee> knees)
            throws IOException {
        AutoStepsResult.Searches searches =
                new AutoStepsResult.Searches(traces, PointMapper.of(traces), shape, members, switchBytes);
        List<AutoStepsResult.Operation> found = new ArrayList<>();
        for (int operation : operations) {
            for (Knee knee : knees) {
                found.add(searches.of(operation, knee));
            }
        }
        if (pointsFile != null) {
            SwitchPoints.of(shape.text(), ClassBytes.ofProgram(), searches.inserted())
                    .write(pointsFile);
        }
        return new AutoStepsResult(AutoStepsResult.FORMAT, shape.text(), members, switchBytes, found);
    }

    /** With the curves of the operation that executes most. */
    private Report page(
            TraceFile traces, List<Integer> operations, CacheShape shape, Knee knee, List<Section> sections) {
        int longest = operations.stream()
                .max(Comparator.comparingInt(
                        operation -> traces.typical(operation).count()))
                .orElseThrow();
        InstructionTrace trace = traces.typical(longest);
        SwitchPlacement placement = new SwitchPointSearch(trace, shape, knee).place();
        List<Section> all = new ArrayList<>(sections);
        all.add(Section.of("Misses, instruction by instruction")
                .with(List.of(AutoStepsResult.curves(traces.name(longest), trace, placement))));
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("trace", file.toString());
        settings.put("L1 instruction cache", shape.text());
        settings.put("members", Integer.toString(members));
        settings.put("code of a switch, bytes", Integer.toString(switchBytes));
        return new Report(
                "Switch points",
                operations.size() + " operations were searched.",
                true,
                Origin.here(command.commandLine().getParseResult().originalArgs(), seed),
                settings,
                all);
    }

    private void require(boolean condition, String sentence) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), sentence + ".");
        }
    }
}
