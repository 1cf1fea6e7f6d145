package dev.lockstep.scheduler;

import java.util.Arrays;

/**
 * The waits of a carrier's S-threads that have a limit, the earliest first: a binary heap that knows each element's
 * place, so that a wait which ends early is removed at once.
 *
 * <p>Invariants: {@code heap[i]} is not due after its children, and {@code heap[i].timerIndex == i}; an S-thread that
 * is not in the heap has {@code timerIndex == ABSENT}. Deadlines are compared by difference, as
 * {@link InstalledTime#nanoTime()} asks for.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class TimerHeap {
    static final int ABSENT = -1;

    private static final int INITIAL_CAPACITY = 64;

    private SThread[] heap = new SThread[INITIAL_CAPACITY];
    private int size;

    TimerHeap() {}

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Returns the element that is due first, or {@code null}. */
    SThread first() {
        return heap[0];
    }

    /** Makes room for one more element. */
    void reserve() {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
    }

    /** Adds an element, for which there is room: allocates nothing. */
    void add(SThread sThread) {
        size++;
        siftUp(size - 1, sThread);
    }

    void remove(SThread sThread) {
        int index = sThread.timerIndex;
        sThread.timerIndex = ABSENT;
        size--;
        SThread last = heap[size];
        heap[size] = null;
        if (index != size) {
            siftDown(index, last);
            if (heap[index] == last) {
                siftUp(index, last);
            }
        }
    }

    private void siftUp(int from, SThread sThread) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (!isDueBefore(sThread, heap[parent])) {
                break;
            }
            place(index, heap[parent]);
            index = parent;
        }
        place(index, sThread);
    }

    private void siftDown(int from, SThread sThread) {
        int index = from;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && isDueBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isDueBefore(heap[child], sThread)) {
                break;
            }
            place(index, heap[child]);
            index = child;
        }
        place(index, sThread);
    }

    private void place(int index, SThread sThread) {
        heap[index] = sThread;
        sThread.timerIndex = index;
    }

    private static boolean isDueBefore(SThread one, SThread other) {
        return one.deadlineNanos - other.deadlineNanos < 0;
    }
}
