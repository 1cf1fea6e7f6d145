package dev.lockstep.scheduler;

/**
 * The S-threads of a carrier that can run and are in no list: newcomers and strays, who wait for a turn; before them
 * those who go on in the middle of what others may wait for, and those of high priority that have waited.
 *
 * <p>Invariants: who is here is {@code READY}, and in one of the three queues. Of those in {@code urgent} and
 * {@code resumed} as long as there are both, one is taken of each in turn, so that neither waits for ever.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class ReadyQueue {
    private final SThreadQueue urgent = new SThreadQueue();
    private final SThreadQueue resumed = new SThreadQueue();
    private final TurnQueue turns = new TurnQueue();
    private boolean resumedIsNext;

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

    /** Has an S-thread go on before those that wait for a turn, in the middle of what others may wait for. */
    void appendResumed(SThread sThread) {
        sThread.state = SThread.State.READY;
        resumed.append(sThread);
    }

    /** Has an S-thread of high priority go on before those that wait for a turn. */
    void appendUrgent(SThread sThread) {
        sThread.state = SThread.State.READY;
        urgent.append(sThread);
    }

    boolean isEmpty() {
        return turns.isEmpty() && !hasResumed();
    }

    int size() {
        return turns.size() + resumed.size() + urgent.size();
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

    /** Whether somebody goes on before those that wait for a turn. */
    boolean hasResumed() {
        return !resumed.isEmpty() || !urgent.isEmpty();
    }

    SThread pollResumed() {
        boolean takesResumed = urgent.isEmpty() || (resumedIsNext && !resumed.isEmpty());
        resumedIsNext = !takesResumed;
        return takesResumed ? resumed.poll() : urgent.poll();
    }

    boolean hasUrgent() {
        return !urgent.isEmpty();
    }

    SThread pollUrgent() {
        return urgent.poll();
    }
}
