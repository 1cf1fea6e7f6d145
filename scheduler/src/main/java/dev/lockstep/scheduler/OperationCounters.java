package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one carrier has counted for one operation.
 *
 * <p>Invariants: only the carrier's thread adds, so a sum never loses an addition; counters only grow.
 *
 * <p>Thread-safety: {@link #add} by the carrier's thread, {@link #countOpaque} by any thread. A reader may see one
 * counter ahead of another by what happens within a few nanoseconds; statistics need no more.
 */
final class OperationCounters {
    /** Kept in {@link OperationList}, beside what else {@code beginOperation} touches. */
    static final int STRAIGHT = 0;

    static final int TEAMS = 1;
    static final int MEMBERS_IN = 2;
    static final int MEMBERS_OUT = 3;
    static final int SWITCHES = 4;
    static final int SWITCHES_SKIPPED = 5;
    static final int TEAM_NANOS = 6;
    static final int STRAIGHT_SAMPLES = 7;
    static final int STRAIGHT_SAMPLE_NANOS = 8;
    static final int STRAYS_LOCK = 9;
    static final int STRAYS_IO = 10;
    static final int STRAYS_LOG = 11;
    static final int STRAYS_YIELD = 12;
    static final int STRAYS_OTHER = 13;
    static final int STAGED = 14;
    static final int READY = 15;
    static final int TEAMS_CONSOLIDATED = 16;
    static final int MEMBERS_BESIDE = 17;
    static final int LENT = 18;
    static final int COUNTERS = 19;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[COUNTERS];

    OperationCounters() {}

    static int strays(WaitReason reason) {
        return switch (reason) {
            case LOCK -> STRAYS_LOCK;
            case IO -> STRAYS_IO;
            case LOG -> STRAYS_LOG;
            case YIELD -> STRAYS_YIELD;
            case OTHER -> STRAYS_OTHER;
        };
    }

    void add(int counter, long amount) {
        COUNT.setOpaque(counts, counter, counts[counter] + amount);
    }

    long countOpaque(int counter) {
        return (long) COUNT.getOpaque(counts, counter);
    }
}
