package dev.lockstep.bench.indexfetch;

import java.util.List;

/**
 * What a child JVM runs.
 *
 * @param kind how operations are executed
 * @param operation what each of them does
 * @param rows of the table, at least as many as the largest team has members
 * @param members sizes of the teams, in the order in which they are measured
 * @param switches for each size, how many switches {@link FetchKind#SERIAL} has behind each operation
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
        List<Integer> switches,
        int operationsEach,
        double seconds,
        double warmUpSeconds,
        long seed) {
    FetchSpec {
        if (kind == FetchKind.STAGED && !operation.isStaged()) {
            throw new IllegalArgumentException("no such operation is staged: operation=" + operation);
        }
        members = List.copyOf(members);
        switches = List.copyOf(switches);
    }

    int membersMax() {
        return members.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
