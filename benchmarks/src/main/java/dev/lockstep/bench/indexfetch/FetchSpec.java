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
 * @param seconds that each size is measured for, where {@code transactions} is 0
 * @param transactions of each member that each size is measured for, in place of seconds
 * @param warmUpSeconds before the first
 * @param seed of the keys
 * @param paddingBytes of straight code that each operation executes before its own, 0 for none
 * @param samples file for the stacks of a control, which executes on the machine what another JVM does simulated; null
 *     for all others
 */
record FetchSpec(
        FetchKind kind,
        RowOperation operation,
        long rows,
        List<Integer> members,
        int operationsEach,
        double seconds,
        long transactions,
        double warmUpSeconds,
        long seed,
        int paddingBytes,
        String samples) {
    FetchSpec {
        if (kind == FetchKind.STAGED && !operation.isStaged()) {
            throw new IllegalArgumentException("no such operation is staged: operation=" + operation);
        }
        members = List.copyOf(members);
    }

    /** The same of another kind, its sizes in another order, with another seed. */
    FetchSpec with(FetchKind newKind, List<Integer> newMembers, long newSeed) {
        return new FetchSpec(
                newKind,
                operation,
                rows,
                newMembers,
                operationsEach,
                seconds,
                transactions,
                warmUpSeconds,
                newSeed,
                paddingBytes,
                samples);
    }

    /** The same on a table with so many rows. */
    FetchSpec withRows(long newRows) {
        return new FetchSpec(
                kind,
                operation,
                newRows,
                members,
                operationsEach,
                seconds,
                transactions,
                warmUpSeconds,
                seed,
                paddingBytes,
                samples);
    }

    /** The same with so many bytes of straight code in each operation. */
    FetchSpec padded(int newPaddingBytes) {
        return new FetchSpec(
                kind,
                operation,
                rows,
                members,
                operationsEach,
                seconds,
                transactions,
                warmUpSeconds,
                seed,
                newPaddingBytes,
                samples);
    }

    /** The same by rounds that are counted, not timed. */
    FetchSpec simulated(FetchKind newKind, List<Integer> newMembers) {
        return new FetchSpec(
                newKind, operation, rows, newMembers, FetchPhases.ROUNDS, 0, 0, 0, seed, paddingBytes, samples);
    }

    /** The same as the control of a simulated JVM. */
    FetchSpec sampled(String newSamples) {
        return new FetchSpec(
                kind,
                operation,
                rows,
                members,
                operationsEach,
                seconds,
                transactions,
                warmUpSeconds,
                seed,
                paddingBytes,
                newSamples);
    }

    int membersMax() {
        return members.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
