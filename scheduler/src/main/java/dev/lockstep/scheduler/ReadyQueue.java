package dev.lockstep.scheduler;

/**
 * The S-threads of a carrier that can run and are in no list: newcomers and strays, who wait for a turn, and before
 * them those who go on in the middle of what others may wait for.
 *
 * <p>Invariants: who is here is {@code READY}, and in one of the two queues.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class ReadyQueue {
    private final SThreadQueue resumed = new SThreadQueue();
    private final TurnQueue turns = new TurnQueue();

    ReadyQueue() {}

    /** Has an S-thread wait for a turn, behind all others of its part of the data. */
    void append(SThread sThread) {
        sThread.state = SThread.State.READY;
        sThread.operationsThisTurn = 0;
        turns.append(sThread);
    }

    /** Has an S-thread go on with its turn, which was interrupted, before all others that wait for one. */
    void prepend(SThread sThread) {
        sThread.state = SThread.State.READY;
        turns.prepend(sThread);
    }

    /** Has an S-thread go on in the middle of what others may wait for. */
    void appendResumed(SThread sThread) {
        sThread.state = SThread.State.READY;
        resumed.append(sThread);
    }

    boolean isEmpty() {
        return turns.isEmpty() && resumed.isEmpty();
    }

    int size() {
        return turns.size() + resumed.size();
    }

    boolean hasTurns() {
        return !turns.isEmpty();
    }

    /** S-threads that wait for a turn. */
    int turnCount() {
        return turns.size();
    }

    SThread pollTurn() {
        return turns.poll();
    }

    boolean hasResumed() {
        return !resumed.isEmpty();
    }

    SThread pollResumed() {
        return resumed.poll();
    }
}
