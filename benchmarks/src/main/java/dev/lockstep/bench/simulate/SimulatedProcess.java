package dev.lockstep.bench.simulate;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * One simulated process. Immutable.
 *
 * @param command what it ran
 * @param result what was counted
 * @param operations what the numbers of its operations stand for; empty where none were marked
 * @param code which code missed in {@link SimulationResult#reported}; null where that was not asked for
 * @param continuations how often continuations were switched in it; null where {@code code} is
 */
public record SimulatedProcess(
        String command,
        SimulationResult result,
        List<MarkedOperation> operations,
        MissedCode code,
        ContinuationSwitches continuations) {
    private static final String NONE = "none";
    private static final String ENGINE = "the engine's threads";

    /** Copies the operations. */
    public SimulatedProcess {
        operations = List.copyOf(operations);
    }

    /** Counts of what has a name, such as an operation or a transaction type. */
    public record Named(String name, SimulationResult.Counts counts) {}

    /** Counts by operation, whatever transaction it is part of; by number where the process told no names. */
    public List<Named> byOperation(SimulationResult.Phase phase) {
        return named(phase, MarkedOperation::operation);
    }

    /** Counts by the transaction type or call that the operations were part of; empty where none was told. */
    public List<Named> byContext(SimulationResult.Phase phase) {
        return operations.stream().allMatch(operation -> operation.context().isEmpty())
                ? List.of()
                : named(phase, operation -> operation.context().isEmpty() ? NONE : operation.context());
    }

    /** Counts by both. */
    public List<Named> byPair(SimulationResult.Phase phase) {
        return named(
                phase,
                operation -> operation.context().isEmpty()
                        ? operation.operation()
                        : operation.context() + ": " + operation.operation());
    }

    private List<Named> named(SimulationResult.Phase phase, Function<MarkedOperation, String> name) {
        Map<Integer, MarkedOperation> byNumber = new HashMap<>();
        operations.forEach(operation -> byNumber.put(operation.number(), operation));
        Map<String, SimulationResult.Counts> sums = new HashMap<>();
        for (SimulationResult.OperationCounts counted : phase.operations()) {
            MarkedOperation known = byNumber.get(counted.operation());
            String called = known != null
                    ? name.apply(known)
                    : counted.operation() == 0 ? NONE : Integer.toString(counted.operation());
            sums.merge(called, counted.counts(), SimulationResult.Counts::plus);
        }
        if (phase.engine() != null) {
            sums.put(ENGINE, phase.engine());
        }
        return sums.entrySet().stream()
                .map(entry -> new Named(entry.getKey(), entry.getValue()))
                .filter(named -> named.counts().instructions() > 0)
                .sorted(Comparator.comparingLong((Named named) -> named.counts().instructions())
                        .reversed()
                        .thenComparing(Named::name))
                .toList();
    }
}
