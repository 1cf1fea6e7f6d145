package dev.lockstep.scheduler;

/**
 * The operation lists of a carrier that have members, the one that has waited longest first.
 *
 * <p>Invariants: a list is linked here exactly while it has members; lists are in the order in which they became
 * non-empty or last gave a team.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class WaitingLists implements TeamPolicy.WaitingOperations {
    /** All lists of the carrier, by operation. */
    private final OperationList[] lists;

    private OperationList oldest;
    private OperationList newest;

    WaitingLists(OperationList[] lists) {
        this.lists = lists;
    }

    boolean isEmpty() {
        return oldest == null;
    }

    OperationList oldest() {
        return oldest;
    }

    /** The list that has waited longest of those consolidated with one; some of them have members. */
    OperationList oldestWith(OperationList list) {
        OperationList each = oldest;
        while (!each.isConsolidatedWith(list)) {
            each = each.nextWaiting;
        }
        return each;
    }

    @Override
    public int waitingCount(int operation) {
        // A policy may ask for, and choose, whatever it likes.
        OperationList list = operation < 0 || operation >= lists.length ? null : lists[operation];
        return list == null ? 0 : list.sizeTogether();
    }

    @Override
    public int longestWaiting() {
        return oldest.operation;
    }

    /** The list that has waited longest of those that no transaction begins with, null if there is none. */
    OperationList oldestUnderWay() {
        OperationList each = oldest;
        while (each != null && each.begins) {
            each = each.nextWaiting;
        }
        return each;
    }

    @Override
    public int largest() {
        return largest(true).operation;
    }

    @Override
    public int largestUnderWay() {
        OperationList largest = largest(false);
        return largest == null ? -1 : largest.operation;
    }

    private OperationList largest(boolean begins) {
        OperationList largest = null;
        for (OperationList list = oldest; list != null; list = list.nextWaiting) {
            if ((begins || !list.begins) && (largest == null || list.sizeTogether() > largest.sizeTogether())) {
                largest = list;
            }
        }
        return largest;
    }

    void append(OperationList list, long team) {
        list.waiting = true;
        list.waitingSinceTeam = team;
        list.nextWaiting = null;
        list.previousWaiting = newest;
        if (newest == null) {
            oldest = list;
        } else {
            newest.nextWaiting = list;
        }
        newest = list;
    }

    void remove(OperationList list) {
        list.waiting = false;
        if (list.previousWaiting == null) {
            oldest = list.nextWaiting;
        } else {
            list.previousWaiting.nextWaiting = list.nextWaiting;
        }
        if (list.nextWaiting == null) {
            newest = list.previousWaiting;
        } else {
            list.nextWaiting.previousWaiting = list.previousWaiting;
        }
        list.nextWaiting = null;
        list.previousWaiting = null;
    }
}
