package dev.lockstep.bench.indexfetch;

import java.util.List;

/**
 * What a child JVM runs.
 *
 * @param kind how operations are executed
 * @param operation what each of them does
 * @param rows of the table, at least as many as the largest team has members
 * @param members sizes of the teams, in the order in which they are measured
 * @param operationsEach of one member's transaction
 * @param seconds that each size is measured for
 * @param warmUpSeconds before the first
 * @param seed of the keys
 */
record FetchSpec(
        FetchKind kind,
        RowOperation operation,
        long rows,
        List<Integer> members,
        int operationsEach,
        double seconds,
        double warmUpSeconds,
        long seed) {
    FetchSpec {
        if (kind == FetchKind.STAGED && !operation.isStaged()) {
            throw new IllegalArgumentException("no such operation is staged: operation=" + operation);
        }
        members = List.copyOf(members);
    }

    /** The same of another kind, its sizes in another order, with another seed. */
    FetchSpec with(FetchKind newKind, List<Integer> newMembers, long newSeed) {
        return new FetchSpec(newKind, operation, rows, newMembers, operationsEach, seconds, warmUpSeconds, newSeed);
    }

    /** The same by rounds that are counted, not timed. */
    FetchSpec simulated(FetchKind newKind, List<Integer> newMembers) {
        return new FetchSpec(newKind, operation, rows, newMembers, FetchPhases.ROUNDS, 0, 0, seed);
    }

    int membersMax() {
        return members.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
