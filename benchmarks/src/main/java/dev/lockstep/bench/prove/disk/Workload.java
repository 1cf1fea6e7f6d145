package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.TornPageProtection;
import java.nio.file.Path;

/**
 * Steps that are taken on a database one after the other, the same in every run, and what it must hold after each. A
 * step commits one transaction or none. Not thread-safe.
 */
interface Workload {
    /** For people. */
    String name();

    /** What lies on the disk before the first step; a copy. */
    DiskImage before();

    /** Number of steps; the first one opens the database. */
    int stepCount();

    /** For people: what a step does. */
    String describe(int step);

    /** How its database protects pages from being torn. */
    default TornPageProtection tornPageProtection() {
        return TornPageProtection.DOUBLE_WRITE;
    }

    /** Whether the nodes of the database must become more (1) or fewer (-1) in a step, or may do both (0). */
    default int nodeTrend(int step) {
        return 0;
    }

    /** Whether the file of the pages becomes shorter now and then. */
    default boolean cutsFile() {
        return false;
    }

    /** Whether a step starts the process: the database is not open before it. */
    boolean opens(int step);

    /** The directory of the copy that a step makes, of the state that it leaves; null if it makes none. */
    Path copyOrNull(int step);

    /**
     * Takes a step, having told the disk what it does. When it throws, the database may be closed.
     *
     * @throws dev.lockstep.engine.LockstepException if the disk failed
     */
    void apply(int step, Host host);

    /**
     * Finds out how many steps have been taken, by reading everything.
     *
     * @param database open, without transactions
     * @param stepsMin the fewest that it may be
     * @param stepsMax the most
     * @return how many
     * @throws MismatchException if the database holds something else than after any of these numbers of steps
     * @throws dev.lockstep.engine.LockstepException if the database finds out by itself that something is wrong
     */
    int stepsFound(Database database, int stepsMin, int stepsMax);
}
