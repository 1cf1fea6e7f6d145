package dev.lockstep.scheduler;

import java.util.Arrays;

/**
 * The S-threads that wait for a turn, those of one part of the data one after the other ({@link Scheduler#start(String,
 * int, int, Runnable)}), so that each finds in the caches what the one before has read.
 *
 * <p>Parts are visited in the order in which they came to have somebody who waits. A visit gives one turn to each who
 * waited when it began; who comes later, or comes back, waits for the next one. So nobody waits for more than one turn
 * of each of the others, as in a queue without parts, though it may be that of one who came later. S-threads without a
 * part are a part of their own, and where all are, this is a plain queue.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code size} is the number of those in {@code interrupted} and in all parts.
 *   <li>A part is linked, from {@code head} by {@code next} to {@code tail}, exactly while somebody waits in it and it
 *       is not visited; {@code visited} is linked nowhere.
 *   <li>{@code left} S-threads are to have their turns in this visit; they are the first in {@code visited}.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class TurnQueue {
    /**
     * Parts that a carrier tells apart; others share the place of the one that they are equal to modulo this, which
     * costs nothing but the order. All places are made at once, 20 KB for each carrier, because whoever appends may be
     * on the stack of an S-thread, at a moment when memory is short.
     */
    static final int PLACES = 256;

    private static final class Part {
        private final SThreadQueue waiting = new SThreadQueue();
        private Part next;
        private boolean linked;

        private Part() {}
    }

    private final Part[] parts = new Part[PLACES];
    private final Part withoutPart = new Part();
    private final SThreadQueue interrupted = new SThreadQueue();
    private Part head;
    private Part tail;
    private Part visited = withoutPart;
    private int left;
    private int size;

    TurnQueue() {
        Arrays.setAll(parts, place -> new Part());
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Has an S-thread wait for a turn, behind all that wait for the same part. */
    void append(SThread sThread) {
        Part part = partOf(sThread.dataPart);
        part.waiting.append(sThread);
        size++;
        if (part != visited) {
            link(part);
        }
    }

    /** Has an S-thread go on with its turn, which was interrupted, before all others. */
    void prepend(SThread sThread) {
        interrupted.prepend(sThread);
        size++;
    }

    /** Takes whoever has the next turn, or null if nobody waits. */
    SThread poll() {
        if (size == 0) {
            return null;
        }
        size--;
        if (!interrupted.isEmpty()) {
            return interrupted.poll();
        }
        if (left == 0) {
            visitNext();
        }
        left--;
        return visited.waiting.poll();
    }

    private void visitNext() {
        if (!visited.waiting.isEmpty()) {
            link(visited);
        }
        visited = head;
        head = visited.next;
        tail = head == null ? null : tail;
        visited.next = null;
        visited.linked = false;
        left = visited.waiting.size();
    }

    private void link(Part part) {
        if (!part.linked) {
            part.linked = true;
            if (tail == null) {
                head = part;
            } else {
                tail.next = part;
            }
            tail = part;
        }
    }

    private Part partOf(int dataPart) {
        return dataPart == Scheduler.NO_PART ? withoutPart : parts[dataPart % PLACES];
    }
}
