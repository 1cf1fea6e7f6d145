package dev.lockstep.bench.codemap;

import dev.lockstep.bench.codemap.CodeMap.ContextCode;
import dev.lockstep.bench.codemap.CodeMap.OperationCode;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.ContinuationSwitches;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.simulate.WorkloadThreads;
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
import java.util.TreeMap;

/** Makes a part of the code map from what one child JVM, the plugin and the agent have left. Used by one thread. */
final class WorkloadCodeBuilder {
    private final CodeLines lines;
    private final CodeEvents events;
    private final List<MarkedOperation> operations;
    private final int phase;
    private final CodeResolver.Found[] found;
    private final Map<Integer, MarkedOperation> marked = new HashMap<>();

    /**
     * For one process.
     *
     * @param operations what was marked, and how often it began in the phase
     * @param phase which part of the run counts
     */
    WorkloadCodeBuilder(CodeLines lines, CodeEvents events, List<MarkedOperation> operations, int phase) {
        this.lines = lines;
        this.events = events;
        this.operations = operations;
        this.phase = phase;
        CodeResolver resolver = new CodeResolver(events);
        found = new CodeResolver.Found[lines.blockCount()];
        for (int block = 0; block < found.length; block++) {
            found[block] = resolver.find(lines.address(block), lines.epoch(block));
        }
        operations.forEach(each -> marked.put(each.number(), each));
    }

    /**
     * Makes it for a workload of code maps.
     *
     * @param child what the process told
     * @param plain what the same workload executes without a probe, or null if nobody knows
     * @param steady whether the JVM was in the steady state of its control, or null where there was none
     * @param flags of the JVM that differed from the control's all the same
     */
    CodeMap.WorkloadCode build(
            CodeMapSpec spec,
            CodeMapChildReport child,
            CodeMap.PlainRun plain,
            SteadyState steady,
            List<SameProcessor.Difference> flags) {
        InstructionShares shares = shares();
        Parts parts = parts(spec.rounds());
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
                null,
                continuations(),
                parts.operations(),
                parts.contexts(),
                parts.pairs());
    }

    /**
     * Makes it for a run of any command, whose transactions are what its contexts executed.
     *
     * @param name of the run
     * @param verdict how far to believe it
     */
    CodeMap.WorkloadCode build(String name, Verdict verdict) {
        InstructionShares shares = shares();
        long transactions = operations.stream()
                .filter(each -> !each.context().equals(OperationMarkers.NO_CONTEXT)
                        && each.operation().equals(OperationMarkers.OUTSIDE))
                .mapToLong(MarkedOperation::executions)
                .sum();
        Parts parts = parts(transactions);
        return new CodeMap.WorkloadCode(
                name,
                "",
                transactions,
                0,
                0,
                transactions == 0 ? 0 : (double) shares.total() / transactions,
                null,
                shares.c2OfJava(),
                shares.unresolved(),
                null,
                List.of(),
                "",
                verdict,
                continuations(),
                parts.operations(),
                parts.contexts(),
                parts.pairs());
    }

    private InstructionShares shares() {
        return InstructionShares.of(lines, events, this::counts);
    }

    private ContinuationSwitches continuations() {
        return ContinuationCounter.count(lines, events, this::counts);
    }

    private boolean counts(CodeLines.Context context) {
        return isSimulated(context) && context.phase() == phase;
    }

    private record Parts(List<OperationCode> operations, List<ContextCode> contexts, List<OperationCode> pairs) {}

    private Parts parts(long transactions) {
        Map<String, OperationFootprint> byOperation = new TreeMap<>();
        Map<String, Map<String, OperationFootprint>> byContext = new TreeMap<>();
        lines.contexts().forEach((context, counts) -> {
            MarkedOperation what = marked.get(context.operation());
            if (counts(context) && context.operation() != Markers.OPERATION_NONE && what != null) {
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
        List<OperationCode> all = new ArrayList<>();
        byOperation.forEach((operation, footprint) ->
                all.add(footprint.code("", operation, executions(null, operation), transactions)));
        all.sort(Comparator.comparing(OperationCode::operation));
        List<OperationCode> pairs = new ArrayList<>();
        byContext.forEach((context, footprints) -> footprints.forEach((operation, footprint) ->
                pairs.add(footprint.code(context, operation, executions(context, operation), transactions))));
        return new Parts(all, contexts(pairs), pairs);
    }

    static double perTransaction(InstructionShares shares, CodeMapSpec spec) {
        return (double) shares.total() / spec.rounds();
    }

    static boolean isMeasured(CodeLines.Context context) {
        return context.phase() == Markers.PHASE_MEASURED && isSimulated(context);
    }

    private static boolean isSimulated(CodeLines.Context context) {
        return WorkloadThreads.KINDS.contains(context.threadKind());
    }

    private OperationFootprint footprint(Map<String, OperationFootprint> footprints, String operation) {
        return footprints.computeIfAbsent(operation, each -> new OperationFootprint(lines, events, found));
    }

    /** Of a pair; of the operation in all contexts where none is given. */
    private long executions(String context, String operation) {
        return operations.stream()
                .filter(each -> each.operation().equals(operation)
                        && (context == null || each.context().equals(context)))
                .mapToLong(MarkedOperation::executions)
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
