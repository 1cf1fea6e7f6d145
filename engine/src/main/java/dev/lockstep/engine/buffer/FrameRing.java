package dev.lockstep.engine.buffer;

/**
 * A first-in, first-out queue of frames in a circular array.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The {@code size} frames begin at {@code frames[head]}, the oldest first, and go on at index 0 behind the end.
 *   <li>{@code head < frames.length}, and {@code size <= frames.length}: who adds frames has each in one queue only.
 * </ul>
 *
 * <p>Thread-safety: for one thread.
 */
final class FrameRing {
    static final int NONE = -1;

    private final int[] frames;
    private int head;
    private int size;

    FrameRing(int capacity) {
        frames = new int[capacity];
    }

    int size() {
        return size;
    }

    /** Adds a frame at the end. There is room, because a frame is in one queue only. */
    void add(int frame) {
        int tail = head + size;
        frames[tail < frames.length ? tail : tail - frames.length] = frame;
        size++;
    }

    /** Takes the oldest frame, or {@link #NONE}. */
    int poll() {
        if (size == 0) {
            return NONE;
        }
        int frame = frames[head];
        head = head + 1 == frames.length ? 0 : head + 1;
        size--;
        return frame;
    }

    int get(int index) {
        int at = head + index;
        return frames[at < frames.length ? at : at - frames.length];
    }
}
