package dev.lockstep.scheduler;

/**
 * An intrusive queue of S-threads, linked by {@code next}: first in, first out, but for those put back in front. Its
 * size is bounded by the number of S-threads of the carrier.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code size} elements lie between {@code head} and {@code tail}; both are null when it is 0.
 *   <li>{@code tail.next} is null, and an S-thread that was taken out has no {@code next}.
 *   <li>Who is in this queue is in no other place that uses the links (see {@link SThread}).
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class SThreadQueue {
    private SThread head;
    private SThread tail;
    private int size;

    SThreadQueue() {}

    int size() {
        return size;
    }

    boolean isEmpty() {
        return head == null;
    }

    void append(SThread sThread) {
        sThread.next = null;
        if (tail == null) {
            head = sThread;
        } else {
            tail.next = sThread;
        }
        tail = sThread;
        size++;
    }

    /** Puts one in front that has been here before and was interrupted. */
    void prepend(SThread sThread) {
        sThread.next = head;
        if (head == null) {
            tail = sThread;
        }
        head = sThread;
        size++;
    }

    SThread poll() {
        SThread first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
            size--;
        }
        return first;
    }

    /** Whoever is the next to be taken out, or null. */
    SThread first() {
        return head;
    }

    /** Takes out the first that conflicts on no part of the data or on one with a count of 0; null if there is none. */
    SThread pollApart(int[] countOfPart) {
        SThread before = null;
        SThread each = head;
        while (each != null
                && each.conflictPart != Scheduler.NO_PART
                && countOfPart[each.conflictPart % countOfPart.length] != 0) {
            before = each;
            each = each.next;
        }
        if (each == null || before == null) {
            return each == null ? null : poll();
        }
        before.next = each.next;
        if (tail == each) {
            tail = before;
        }
        each.next = null;
        size--;
        return each;
    }

    /** Whether each of the first so many, which are there, has offered a work. */
    boolean haveWorks(int count) {
        SThread each = head;
        int left = count;
        while (left > 0 && each.offered != null) {
            each = each.next;
            left--;
        }
        return left == 0;
    }

    /** Takes the newest element out again; in linear time, for the rare case that it could not be suspended. */
    void removeNewest(SThread newest) {
        if (newest != tail) {
            throw new IllegalStateException("not the newest in the queue: sThread=" + newest.name());
        }
        SThread before = null;
        for (SThread each = head; each != newest; each = each.next) {
            before = each;
        }
        tail = before;
        if (before == null) {
            head = null;
        } else {
            before.next = null;
        }
        size--;
    }
}
