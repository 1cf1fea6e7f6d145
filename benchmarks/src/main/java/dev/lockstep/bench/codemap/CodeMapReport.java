package dev.lockstep.bench.codemap;

import dev.lockstep.bench.codemap.CodeMap.ContextCode;
import dev.lockstep.bench.codemap.CodeMap.MethodCode;
import dev.lockstep.bench.codemap.CodeMap.OperationCode;
import dev.lockstep.bench.codemap.CodeMap.PartCode;
import dev.lockstep.bench.codemap.CodeMap.UnitCode;
import dev.lockstep.bench.codemap.CodeMap.WorkloadCode;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/** The code map as tables and plots. */
final class CodeMapReport {
    /** What the reader has to know of the figures. */
    private static final List<String> NOTES = List.of(
            "Executed code is counted in distinct cache lines of 64 bytes, of user mode. Regular lines are those that"
                + " at least one execution in a hundred needs, and at least three (of fewer than five, half); the rest"
                + " are slow paths. The kernel is not seen.",
            "An operation begins and ends where the engine's gate tells the probe, which executes an instruction that"
                    + " does nothing and that the simulator knows. It is a call that the compiler neither moves nor"
                    + " removes, so all that runs between two of them belongs to the operation, wherever it was inlined"
                    + " to; computations without side effects may be moved across it. Methods are told apart by the"
                    + " compiler's own debug information; plain arithmetic may count as its caller's.",
            "Data is counted in distinct cache lines too, for each execution by itself; nine of ten touch no more than"
                    + " is told. Stacks, and what the probe touches, are in it; what an execution touches after it was"
                    + " suspended and goes on counts as another's.",
            "The code of the probe stands inside the operation: lines of OperationMarkers and Markers in the tables."
                    + " What it costs is told by a second run without it (--control). Without a probe the engine's code"
                    + " holds nothing of it.");

    private static final double BYTES_PER_KILOBYTE = 1024;
    private static final int PERCENT = 100;

    private final CodeMap map;
    private final int methodsMax;

    CodeMapReport(CodeMap map, int methodsMax) {
        this.map = map;
        this.methodsMax = methodsMax;
    }

    Report report() {
        List<Section> sections = new ArrayList<>();
        if (!map.matchesThisJvm()) {
            sections.add(otherJvm());
        }
        for (WorkloadCode workload : map.workloads()) {
            sections.add(belief(workload));
            sections.add(Section.of(
                    workload.name() + ": switches of continuations",
                    new Paragraph(workload.continuations().sentence())));
            if (operations(workload).isEmpty()) {
                sections.add(Section.of(
                        workload.name() + ": what an operation executes",
                        new Paragraph("No operation of a database was executed.")));
                continue;
            }
            sections.add(footprints(workload));
            sections.add(overlaps(workload));
            sections.add(growth(workload));
            sections.add(methods(workload));
        }
        sections.add(new Section(
                "How to read it", NOTES.stream().<Part>map(Paragraph::new).toList()));
        SequencedMap<String, String> configuration = new LinkedHashMap<>();
        configuration.put("JVM", map.jvm());
        configuration.put("flags of the JVM", String.join(" ", map.jvmFlags()));
        for (WorkloadCode workload : map.workloads()) {
            configuration.put(
                    workload.name(),
                    workload.verdict() != null
                            ? String.format(Locale.ROOT, "%,d transactions", workload.transactions())
                            : String.format(
                                    Locale.ROOT,
                                    "%,d transactions after %,d, scheduling %s",
                                    workload.transactions(),
                                    workload.warmUpTransactions(),
                                    workload.scheduling()));
        }
        return new Report("Code map", summary(), isSteady(), map.origin(), configuration, sections);
    }

    private Section otherJvm() {
        return Section.of(
                "Of another JVM",
                new Paragraph("MARKED: the compiler of the JVM that runs here makes other code: jvm=\"" + map.jvm()
                        + "\" here=\"" + CodeMap.thisJvm()
                        + "\"; remedy: make a map anew with ./lockstep codemap --json"
                        + " FILE, or read it on that JVM."));
    }

    private boolean isSteady() {
        return map.workloads().stream().allMatch(CodeMapReport::isSteady);
    }

    /** Whether the figures are those of code that stays. */
    static boolean isSteady(WorkloadCode workload) {
        return (workload.verdict() != null
                        ? workload.verdict().counts()
                        : workload.steady() != null && workload.steady().counts())
                && (workload.plain() == null || workload.plain().counts())
                && workload.unresolvedShare() <= CodeMapCommand.UNRESOLVED_SHARE_MAX;
    }

    private String summary() {
        List<String> words = new ArrayList<>();
        for (WorkloadCode workload : map.workloads()) {
            words.add(String.format(
                    Locale.ROOT,
                    "%s: %.1f %% of the Java instructions from C2 (at least %.0f %%), %.2f %% of all not resolved (at"
                            + " most %.0f %%)%s%s",
                    workload.name(),
                    workload.c2Share() * PERCENT,
                    SteadyState.C2_SHARE_MIN * PERCENT,
                    workload.unresolvedShare() * PERCENT,
                    CodeMapCommand.UNRESOLVED_SHARE_MAX * PERCENT,
                    compilers(workload),
                    instructions(workload)));
        }
        return String.join("; ", words) + ".";
    }

    private static String compilers(WorkloadCode workload) {
        return workload.verdict() != null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", %,d ms of work of the compilers in the measured phase",
                        workload.compileMillis());
    }

    private static String instructions(WorkloadCode workload) {
        if (workload.transactions() == 0) {
            // Of a run that names none.
            return "";
        }
        double marked = workload.instructionsPerTransaction();
        CodeMap.PlainRun plain = workload.plain();
        return plain == null
                ? String.format(Locale.ROOT, ", %,.0f instructions a transaction", marked)
                : String.format(
                        Locale.ROOT,
                        ", %,.0f instructions a transaction, %,.0f without the probe, which costs %.1f %%",
                        marked,
                        plain.instructionsPerTransaction(),
                        (marked / plain.instructionsPerTransaction() - 1) * PERCENT);
    }

    private static Section belief(WorkloadCode workload) {
        List<String> sentences = new ArrayList<>();
        if (workload.verdict() != null) {
            sentences.addAll(workload.verdict().sentences());
        } else {
            sentences.addAll(belief(workload.steady()));
            if (workload.steady() != null) {
                sentences.add(SameProcessor.sentence(workload.flags()));
            }
            sentences.add(SimulatedTime.sentence(workload.time()));
        }
        if (workload.plain() != null) {
            belief(workload.plain().steady()).forEach(each -> sentences.add("Without the probe: " + each));
        }
        return new Section(
                workload.name() + ": how far to believe it",
                sentences.stream().<Part>map(Paragraph::new).toList());
    }

    private static List<String> belief(SteadyState steady) {
        return steady == null ? List.of("NOT STEADY, counts for nothing: nothing was warmed up.") : steady.sentences();
    }

    private static String kilobytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f", bytes / BYTES_PER_KILOBYTE);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static List<OperationCode> operations(WorkloadCode workload) {
        return workload.operations().stream().filter(OperationCode::isOfEngine).toList();
    }

    private Section footprints(WorkloadCode workload) {
        Table.Builder table = Table.of(
                1,
                "operation",
                "executions",
                "instructions each",
                "regular KB",
                "ever KB",
                "data KB",
                "compiled KB",
                "C2 KB",
                "C1 KB",
                "interpreter KB",
                "stubs KB",
                "JVM KB",
                "libraries KB");
        for (OperationCode code : workload.operations()) {
            table.row(List.of(
                    code.operation(),
                    count(code.executions()),
                    Figures.plain(code.instructionsPerExecution()),
                    kilobytes(code.regularLines().bytes()),
                    kilobytes(code.lines().bytes()),
                    code.dataBytes() == 0 ? "-" : kilobytes(code.dataBytes()),
                    kilobytes(code.compiledBytes()),
                    part(code, CodePart.C2),
                    part(code, CodePart.C1, CodePart.COMPILED),
                    part(code, CodePart.INTERPRETER),
                    part(code, CodePart.STUB),
                    part(code, CodePart.JVM),
                    part(code, CodePart.LIBC, CodePart.LIBRARY, CodePart.UNKNOWN)));
        }
        List<Part> parts = new ArrayList<>(List.of(
                new Paragraph("The columns behind compiled KB, the size of all methods of which the operation executes"
                        + " anything, are regular lines by part of the JVM."),
                table.build()));
        parts.add(plot(workload));
        return new Section(workload.name() + ": what an operation executes", parts);
    }

    private static String part(OperationCode code, CodePart... parts) {
        return kilobytes(bytes(code, parts));
    }

    private static long bytes(OperationCode code, CodePart... parts) {
        long bytes = 0;
        for (CodePart part : parts) {
            PartCode of = code.parts().get(part);
            bytes += of == null ? 0 : of.regularLineBytes();
        }
        return bytes;
    }

    private static Part plot(WorkloadCode workload) {
        List<OperationCode> operations = operations(workload);
        List<String> bars = operations.stream().map(OperationCode::operation).toList();
        return new BarPlot(
                new PlotFrame(
                        "footprint-" + workload.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-"),
                        workload.name() + ": regular code of each operation",
                        "Code of distinct cache lines that one execution in a hundred needs, and at least three, by"
                                + " part of the JVM.",
                        "operation",
                        "KB of code lines",
                        false),
                true,
                bars,
                List.of(
                        series("C2", operations, CodePart.C2),
                        series("C1", operations, CodePart.C1, CodePart.COMPILED),
                        series("interpreter", operations, CodePart.INTERPRETER),
                        series("stubs", operations, CodePart.STUB),
                        series("JVM, C++", operations, CodePart.JVM),
                        series("libraries", operations, CodePart.LIBC, CodePart.LIBRARY, CodePart.UNKNOWN)));
    }

    private static Series series(String name, List<OperationCode> operations, CodePart... parts) {
        return new Series(
                name,
                operations.stream()
                        .map(code -> bytes(code, parts) / BYTES_PER_KILOBYTE)
                        .toList());
    }

    private static Section overlaps(WorkloadCode workload) {
        SequencedMap<String, LineSet> operations = new LinkedHashMap<>();
        operations(workload).forEach(code -> operations.put(code.operation(), code.regularLines()));
        SequencedMap<String, LineSet> contexts = new LinkedHashMap<>();
        for (OperationCode pair : workload.pairs()) {
            if (!pair.context().equals(OperationMarkers.NO_CONTEXT)) {
                contexts.merge(pair.context(), pair.regularLines(), LineSet::union);
            }
        }
        return Section.of(
                workload.name() + ": regular code that two share",
                new Paragraph("Operations:"),
                overlaps(operations),
                new Paragraph("What they run within, with its own code:"),
                overlaps(contexts));
    }

    private static Table overlaps(SequencedMap<String, LineSet> lines) {
        List<String> headers = new ArrayList<>(List.of("KB shared", "KB"));
        for (int i = 1; i <= lines.size(); i++) {
            headers.add("[" + i + "]");
        }
        Table.Builder table = Table.of(1, headers);
        int number = 1;
        for (Map.Entry<String, LineSet> one : lines.entrySet()) {
            List<String> row = new ArrayList<>(List.of(
                    "[" + number++ + "] " + one.getKey(),
                    kilobytes(one.getValue().bytes())));
            lines.forEach((name, other) -> row.add(
                    name.equals(one.getKey()) ? "-" : kilobytes(one.getValue().sharedBytes(other))));
            table.row(row);
        }
        return table.build();
    }

    private static Section growth(WorkloadCode workload) {
        Table.Builder table = Table.of(
                1,
                "within",
                "executions",
                "instructions each",
                "operations",
                "largest KB",
                "all operations KB",
                "with its own code KB",
                "with the scheduler KB");
        for (ContextCode context : workload.contexts()) {
            table.row(List.of(
                    context.context(),
                    count(context.executions()),
                    Figures.plain(
                            context.executions() == 0
                                    ? Double.NaN
                                    : (double) context.instructions() / context.executions()),
                    count(context.operations()),
                    kilobytes(context.largestOperationBytes()),
                    kilobytes(context.operationsBytes()),
                    kilobytes(context.allBytes()),
                    kilobytes(context.withSchedulerBytes())));
        }
        return Section.of(workload.name() + ": from operation to transaction, regular code", table.build());
    }

    private Section methods(WorkloadCode workload) {
        Table.Builder methods = Table.of(2, "operation", "method", "executed bytes", "compiled methods it is in");
        Table.Builder units =
                Table.of(2, "operation", "compiled method", "level", "executed lines KB", "executed KB", "compiled KB");
        for (OperationCode code : operations(workload)) {
            String operation = code.operation();
            for (MethodCode method : code.methods().stream().limit(methodsMax).toList()) {
                methods.row(List.of(
                        operation, shortened(method.method()), count(method.executedBytes()), count(method.places())));
            }
            for (UnitCode unit : code.units().stream().limit(methodsMax).toList()) {
                units.row(List.of(
                        operation,
                        shortened(unit.method()),
                        Integer.toString(unit.level()),
                        kilobytes(unit.lineBytes()),
                        kilobytes(unit.executedBytes()),
                        kilobytes(unit.compiledBytes())));
            }
        }
        return Section.of(
                workload.name() + ": methods that make up an operation, the " + methodsMax + " largest",
                new Paragraph("Methods of the source, inlined or not, by the bytes of code that were executed at all:"),
                methods.build(),
                new Paragraph("Compiled methods, each with all that was inlined into it:"),
                units.build());
    }

    /** Class without package, and name. */
    private static String shortened(String method) {
        int end = method.indexOf('(');
        String named = end < 0 ? method : method.substring(0, end);
        int name = named.lastIndexOf('.');
        return named.substring(named.lastIndexOf('.', name - 1) + 1);
    }
}
