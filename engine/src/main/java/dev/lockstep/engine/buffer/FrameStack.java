package dev.lockstep.engine.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A stack of frames without locks and without allocation (Treiber 1986), linked through one array. A frame is on at
 * most one of the stacks that share the array.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code head} holds the top frame plus one in its low half, 0 if there is none, and a tag in its high half that
 *       grows by one with each change. A pop that saw an old top fails on the tag; it is misled only if its thread
 *       rests for exactly 2^32 changes.
 *   <li>{@code count} is at most the number of frames on the stack: push adds the frame first and counts it afterwards,
 *       pop takes one from the count first and the frame afterwards. So whoever lowered the count finds a frame.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
final class FrameStack {
    static final int NONE = -1;

    private static final int TAG_SHIFT = 32;
    private static final int END = 0;
    private static final VarHandle NEXT = MethodHandles.arrayElementVarHandle(int[].class);

    private final int[] next;
    private final AtomicLong head = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();

    /** Makes an empty stack over links that may be shared with others. */
    FrameStack(int[] next) {
        this.next = next;
    }

    int countAcquire() {
        return count.getAcquire();
    }

    void push(int frame) {
        // Ends because a failed attempt means that another thread changed the stack.
        while (true) {
            long top = head.get();
            setNextOpaque(frame, (int) top);
            if (head.compareAndSet(top, tagged(top, frame + 1))) {
                count.getAndIncrement();
                return;
            }
        }
    }

    /**
     * Takes a frame if more than a number of them would be left.
     *
     * @param leaveMin how many must be left
     * @return a frame, or {@link #NONE}
     */
    int pop(int leaveMin) {
        int seen = count.get();
        // Ends because a failed attempt means that another thread changed the count.
        while (seen > leaveMin) {
            int witness = count.compareAndExchange(seen, seen - 1);
            if (witness == seen) {
                return popCounted();
            }
            seen = witness;
        }
        return NONE;
    }

    private int popCounted() {
        // Ends because there is a frame for everybody who lowered the count, and a failed attempt means that another
        // thread changed the stack.
        while (true) {
            long top = head.get();
            int link = (int) top;
            if (link != END && head.compareAndSet(top, tagged(top, nextOpaque(link - 1)))) {
                return link - 1;
            }
        }
    }

    /**
     * Takes all frames at once, oldest first.
     *
     * @param target receives the frames; long enough for all
     * @return the number of frames
     */
    int popAll(int[] target) {
        long top = head.get();
        while (!head.compareAndSet(top, tagged(top, END))) {
            top = head.get();
        }
        int taken = 0;
        for (int link = (int) top; link != END; link = nextOpaque(link - 1)) {
            target[taken++] = link - 1;
        }
        count.getAndAdd(-taken);
        for (int i = 0, j = taken - 1; i < j; i++, j--) {
            int swapped = target[i];
            target[i] = target[j];
            target[j] = swapped;
        }
        return taken;
    }

    /** The frames on the stack, top first; exact only while nobody changes it. */
    int[] snapshot() {
        int[] frames = new int[next.length];
        int length = 0;
        for (int link = (int) head.get(); link != END && length < frames.length; link = nextOpaque(link - 1)) {
            frames[length++] = link - 1;
        }
        return Arrays.copyOf(frames, length);
    }

    private static long tagged(long top, int link) {
        return ((top >>> TAG_SHIFT) + 1) << TAG_SHIFT | link;
    }

    /** A stale link is never used: the compare-and-set on the head, which orders it, fails on the tag. */
    private int nextOpaque(int frame) {
        return (int) NEXT.getOpaque(next, frame);
    }

    private void setNextOpaque(int frame, int link) {
        NEXT.setOpaque(next, frame, link);
    }
}
