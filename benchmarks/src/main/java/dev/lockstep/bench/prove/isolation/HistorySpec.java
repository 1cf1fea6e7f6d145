package dev.lockstep.bench.prove.isolation;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.lock.LockFault;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a history is made of.
 *
 * @param level the isolation level of all its transactions; none where each draws its own
 * @param threads what runs them
 * @param threadCount how many of them at a time
 * @param transactionsPerThread how many transactions each runs, one after the other
 * @param seed of what they do; how they meet differs from run to run
 * @param indexed whether keys are looked for by a secondary index too
 * @param fault what is broken in the lock table, for a history that must fail
 * @param directory an empty directory for a database on disk with durable commits; none for one in memory
 */
public record HistorySpec(
        Optional<Isolation> level,
        ThreadKind threads,
        int threadCount,
        int transactionsPerThread,
        long seed,
        boolean indexed,
        Optional<LockFault> fault,
        Optional<Path> directory) {
    /** What reports call histories without one level. */
    static final String MIXED = "mixed";

    /** In one line, for reports. */
    public String describe() {
        return level.map(Isolation::name).orElse(MIXED) + ", " + threadCount + " " + threads.title() + " with "
                + transactionsPerThread
                + " transactions each, " + (directory.isPresent() ? "on disk" : "in memory")
                + (indexed ? ", with an index" : "") + ", seed " + seed
                + fault.map(broken -> ", broken: " + broken).orElse("");
    }
}
