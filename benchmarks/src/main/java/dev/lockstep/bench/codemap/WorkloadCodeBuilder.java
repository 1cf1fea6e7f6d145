package dev.lockstep.bench.codemap;

import dev.lockstep.bench.codemap.CodeMap.ContextCode;
import dev.lockstep.bench.codemap.CodeMap.OperationCode;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.counters.Markers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Makes a part of the code map from what one child JVM, the plugin and the agent have left. Used by one thread. */
final class WorkloadCodeBuilder {
    /** Threads that run on the simulated processors, as the plugin calls their class. */
    static final Set<String> SIMULATED_KINDS = Set.of("client", "carrier", "engine");

    private final CodeLines lines;
    private final CodeEvents events;
    private final CodeMapChildReport child;
    private final CodeResolver.Found[] found;
    private final Map<Integer, CodeMapChildReport.Marked> marked = new HashMap<>();

    WorkloadCodeBuilder(CodeLines lines, CodeEvents events, CodeMapChildReport child) {
        this.lines = lines;
        this.events = events;
        this.child = child;
        CodeResolver resolver = new CodeResolver(events);
        found = new CodeResolver.Found[lines.blockCount()];
        for (int block = 0; block < found.length; block++) {
            found[block] = resolver.find(lines.address(block), lines.epoch(block));
        }
        child.operations().forEach(each -> marked.put(each.number(), each));
    }

    /**
     * Makes it.
     *
     * @param plain what the same workload executes without a probe, or null if nobody knows
     * @param steady whether the JVM was in the steady state of its control, or null where there was none
     * @param flags of the JVM that differed from the control's all the same
     */
    CodeMap.WorkloadCode build(
            CodeMapSpec spec, CodeMap.PlainRun plain, SteadyState steady, List<SameProcessor.Difference> flags) {
        InstructionShares shares = InstructionShares.of(lines, events, WorkloadCodeBuilder::isMeasured);
        Map<String, OperationFootprint> byOperation = new TreeMap<>();
        Map<String, Map<String, OperationFootprint>> byContext = new TreeMap<>();
        lines.contexts().forEach((context, counts) -> {
            CodeMapChildReport.Marked what = marked.get(context.operation());
            if (isMeasured(context) && context.operation() != Markers.OPERATION_NONE && what != null) {
                OperationFootprint ofOperation = footprint(byOperation, what.operation());
                OperationFootprint ofPair =
                        footprint(byContext.computeIfAbsent(what.context(), each -> new TreeMap<>()), what.operation());
                counts.each((block, count, stays) -> {
                    ofOperation.add(block, count, stays);
                    ofPair.add(block, count, stays);
                });
                ofOperation.addDataStays(counts.dataStays());
                ofPair.addDataStays(counts.dataStays());
            }
        });
        List<OperationCode> operations = new ArrayList<>();
        byOperation.forEach((operation, footprint) ->
                operations.add(footprint.code("", operation, executions(null, operation), spec.rounds())));
        operations.sort(Comparator.comparing(OperationCode::operation));
        List<OperationCode> pairs = new ArrayList<>();
        byContext.forEach((context, footprints) -> footprints.forEach((operation, footprint) ->
                pairs.add(footprint.code(context, operation, executions(context, operation), spec.rounds()))));
        return new CodeMap.WorkloadCode(
                spec.workload().name().toLowerCase(Locale.ROOT),
                spec.steps() ? "steps" : "jdk",
                spec.rounds(),
                spec.warmUpRounds(),
                child.compileMillis(),
                perTransaction(shares, spec),
                plain,
                shares.c2OfJava(),
                shares.unresolved(),
                steady,
                flags,
                child.time(),
                operations,
                contexts(pairs),
                pairs);
    }

    static double perTransaction(InstructionShares shares, CodeMapSpec spec) {
        return (double) shares.total() / spec.rounds();
    }

    static boolean isMeasured(CodeLines.Context context) {
        return context.phase() == Markers.PHASE_MEASURED && SIMULATED_KINDS.contains(context.threadKind());
    }

    private OperationFootprint footprint(Map<String, OperationFootprint> footprints, String operation) {
        return footprints.computeIfAbsent(operation, each -> new OperationFootprint(lines, events, found));
    }

    /** Of a pair; of the operation in all contexts where none is given. */
    private long executions(String context, String operation) {
        return child.operations().stream()
                .filter(each -> each.operation().equals(operation)
                        && (context == null || each.context().equals(context)))
                .mapToLong(CodeMapChildReport.Marked::executions)
                .sum();
    }

    private static List<ContextCode> contexts(List<OperationCode> pairs) {
        LineSet none = LineSet.of(List.of());
        LineSet scheduler = pairs.stream()
                .filter(pair -> pair.operation().equals(OperationMarkers.SCHEDULER))
                .map(OperationCode::regularLines)
                .reduce(none, LineSet::union);
        Map<String, List<OperationCode>> byContext = new LinkedHashMap<>();
        pairs.forEach(pair -> byContext
                .computeIfAbsent(pair.context(), each -> new ArrayList<>())
                .add(pair));
        byContext.remove(OperationMarkers.NO_CONTEXT);
        List<ContextCode> contexts = new ArrayList<>();
        byContext.forEach((context, codes) -> {
            List<OperationCode> operations = codes.stream()
                    .filter(code -> !code.operation().equals(OperationMarkers.OUTSIDE))
                    .toList();
            long executions = codes.stream()
                    .filter(code -> code.operation().equals(OperationMarkers.OUTSIDE))
                    .mapToLong(OperationCode::executions)
                    .sum();
            LineSet inOperations =
                    operations.stream().map(OperationCode::regularLines).reduce(none, LineSet::union);
            LineSet all = codes.stream().map(OperationCode::regularLines).reduce(none, LineSet::union);
            contexts.add(new ContextCode(
                    context,
                    executions,
                    codes.stream().mapToLong(OperationCode::instructions).sum(),
                    operations.size(),
                    operations.stream()
                            .mapToLong(code -> code.regularLines().bytes())
                            .max()
                            .orElse(0),
                    inOperations.bytes(),
                    all.bytes(),
                    all.union(scheduler).bytes()));
        });
        return contexts;
    }
}
