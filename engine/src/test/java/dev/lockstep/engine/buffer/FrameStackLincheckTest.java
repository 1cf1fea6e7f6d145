package dev.lockstep.engine.buffer;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checking of {@link FrameStack}: who has taken a frame has it alone. The stack is not compared with a plain one,
 * since it is none to others during a push, which counts its frame afterwards. The same check on a copy without the tag
 * must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class FrameStackLincheckTest {
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 1_000);

    /** One more than one thread takes at a time, so that the other is never refused its first. */
    private static final int FRAMES = 3;

    @Test
    void nobodyTakesAFrameOfAnother() {
        options().check(RealStack.class);
    }

    @Test
    void aHeadWithoutATagIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(UntaggedStack.class));
    }

    /** There is one operation, and so one scenario. */
    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(1)
                .invocationsPerIteration(INVOCATIONS)
                .threads(2)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false);
    }

    /** Frames that are marked while somebody has them. */
    public abstract static class Frames {
        private final AtomicIntegerArray taken = new AtomicIntegerArray(FRAMES);

        /** Takes two and gives them back, first the one taken first; returns whether one was another's. */
        @Operation
        public boolean takeAndGive() {
            int[] frames = new int[2];
            boolean isDisturbed = false;
            for (int i = 0; i < frames.length; i++) {
                frames[i] = pop();
                isDisturbed |= frames[i] != FrameStack.NONE && taken.getAndIncrement(frames[i]) != 0;
            }
            for (int frame : frames) {
                if (frame != FrameStack.NONE) {
                    taken.decrementAndGet(frame);
                    push(frame);
                }
            }
            return isDisturbed;
        }

        abstract int pop();

        abstract void push(int frame);
    }

    public static class RealStack extends Frames {
        private final FrameStack stack = new FrameStack(new int[FRAMES]);

        public RealStack() {
            for (int frame = 0; frame < FRAMES; frame++) {
                stack.push(frame);
            }
        }

        @Override
        int pop() {
            return stack.pop(0);
        }

        @Override
        void push(int frame) {
            stack.push(frame);
        }
    }

    /** The weakened copy: a pop that rested is misled if its old top is back on top of other frames. */
    public static class UntaggedStack extends Frames {
        private final AtomicIntegerArray next = new AtomicIntegerArray(FRAMES);
        private final AtomicLong head = new AtomicLong();
        private final AtomicInteger count = new AtomicInteger();

        public UntaggedStack() {
            for (int frame = 0; frame < FRAMES; frame++) {
                push(frame);
            }
        }

        @Override
        int pop() {
            int seen = count.get();
            while (seen > 0 && !count.compareAndSet(seen, seen - 1)) {
                seen = count.get();
            }
            if (seen == 0) {
                return FrameStack.NONE;
            }
            // Ends as in the original.
            while (true) {
                int link = (int) head.get();
                if (link != 0 && head.compareAndSet(link, next.get(link - 1))) {
                    return link - 1;
                }
            }
        }

        @Override
        void push(int frame) {
            long top;
            do {
                top = head.get();
                next.set(frame, (int) top);
            } while (!head.compareAndSet(top, frame + 1));
            count.getAndIncrement();
        }
    }
}
