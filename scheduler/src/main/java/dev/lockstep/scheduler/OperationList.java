package dev.lockstep.scheduler;

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
    final int operation;
    final SThreadQueue members = new SThreadQueue();
    final OperationCounters counters = new OperationCounters();
    final Governor governor;

    /** Whether S-threads run this operation without forming teams. */
    boolean straight;

    boolean waiting;
    long waitingSinceTeam;
    OperationList nextWaiting;
    OperationList previousWaiting;

    OperationList(int operation, TeamMode mode) {
        this.operation = operation;
        this.governor = new Governor(this, mode);
        this.straight = mode != TeamMode.ON;
    }

    void countStraight() {
        counters.add(OperationCounters.STRAIGHT, 1);
    }
}
