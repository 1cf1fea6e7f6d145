package dev.lockstep.scheduler;

/**
 * The running team of a carrier: a ring of S-threads that execute one operation in turns.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code size} members are linked in a ring by {@code next} and {@code previous}; {@code turn} is one of them, or
 *       {@code null} with size 0.
 *   <li>{@code turn} is whose turn it is now, or next if nobody is mounted. When that member leaves, its successor
 *       is next: a departing stray hints the next member (STEPS, 4.1.3), before which only the carrier's tasks go.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class Team {
    private SThread turn;
    private int size;
    private OperationList list;

    Team() {}

    int size() {
        return size;
    }

    SThread turn() {
        return turn;
    }

    OperationList list() {
        return list;
    }

    /** Starts an empty team. */
    void start(OperationList of) {
        if (size != 0) {
            throw new IllegalStateException("team still has members: size=" + size);
        }
        list = of;
    }

    /** Adds a member whose turn comes after all others'. */
    void add(SThread sThread) {
        if (turn == null) {
            sThread.next = sThread;
            sThread.previous = sThread;
            turn = sThread;
        } else {
            SThread last = turn.previous;
            sThread.next = turn;
            sThread.previous = last;
            last.next = sThread;
            turn.previous = sThread;
        }
        sThread.member = true;
        size++;
    }

    void remove(SThread sThread) {
        if (size == 1) {
            turn = null;
        } else {
            if (turn == sThread) {
                turn = sThread.next;
            }
            sThread.previous.next = sThread.next;
            sThread.next.previous = sThread.previous;
        }
        sThread.next = null;
        sThread.previous = null;
        sThread.member = false;
        size--;
    }

    /** Hands the turn to the next member. */
    void pass() {
        turn = turn.next;
    }

    /** Hands the turn to this member; the order of the others stays. */
    void lead(SThread member) {
        turn = member;
    }
}
