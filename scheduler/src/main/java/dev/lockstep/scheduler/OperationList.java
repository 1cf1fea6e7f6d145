package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The S-threads of one carrier that are about to run one operation (STEPS, 4.1.1), and what the carrier knows about
 * that operation.
 *
 * <p>Invariants: {@code waiting} is set exactly while {@code members} is not empty, and the list is then linked in the
 * carrier's {@link WaitingLists}.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread. Other threads read the counters only.
 */
final class OperationList {
    private static final VarHandle STRAIGHT_COUNT;

    static {
        try {
            STRAIGHT_COUNT = MethodHandles.lookup().findVarHandle(OperationList.class, "straightCount", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int operation;

    /** Members of one of its teams. */
    final int teamLimit;

    final SThreadQueue members = new SThreadQueue();
    final OperationCounters counters = new OperationCounters();
    final Governor governor;

    /** Whether S-threads run this operation without forming teams. */
    boolean straight;

    private long straightCount;

    boolean waiting;
    long waitingSinceTeam;
    OperationList nextWaiting;
    OperationList previousWaiting;

    OperationList(int operation, int teamLimit, TeamMode mode) {
        this.operation = operation;
        this.teamLimit = teamLimit;
        this.governor = new Governor(this, mode);
        this.straight = mode != TeamMode.ON;
    }

    /** By the carrier's thread alone, so no addition is lost. */
    void countStraight() {
        STRAIGHT_COUNT.setOpaque(this, straightCount + 1);
    }

    /** Returns a counter; by any thread, to whom it may be some nanoseconds old. */
    long countOpaque(int counter) {
        return counter == OperationCounters.STRAIGHT
                ? (long) STRAIGHT_COUNT.getOpaque(this)
                : counters.countOpaque(counter);
    }
}
