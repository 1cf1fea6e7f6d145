package dev.lockstep.bench.flame;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a thread does, as a number that fits an event: the operation's number, above 0, in the low 32 bits, and above it
 * 1 plus the members of the team, or 0 on a thread that is no S-thread. Nothing is 0.
 */
final class Work {
    static final long NONE = 0;

    private static final int TEAM_SHIFT = Integer.SIZE;
    private static final long OPERATION_MASK = 0xFFFF_FFFFL;

    private Work() {}

    /** An operation of a thread that is no S-thread. */
    static long of(int operation) {
        return operation;
    }

    /**
     * An operation of an S-thread.
     *
     * @param members of its team, 0 outside any
     */
    static long of(int operation, int members) {
        return (members + 1L) << TEAM_SHIFT | operation;
    }

    /** The operation's name; empty for {@link #NONE}. */
    static Optional<String> operation(long work, List<String> operations) {
        int operation = (int) (work & OPERATION_MASK);
        return operation == 0 ? Optional.empty() : Optional.of(operations.get(operation - 1));
    }

    /** The frames that say it, the outer one first; empty for {@link #NONE}. */
    static List<String> frames(long work, List<String> operations) {
        int operation = (int) (work & OPERATION_MASK);
        if (operation == 0) {
            return List.of();
        }
        List<String> frames = new ArrayList<>(List.of("operation " + operations.get(operation - 1)));
        long team = work >>> TEAM_SHIFT;
        if (team == 1) {
            frames.add("straight");
        } else if (team > 1) {
            frames.add("team of " + (team - 1));
        }
        return frames;
    }
}
