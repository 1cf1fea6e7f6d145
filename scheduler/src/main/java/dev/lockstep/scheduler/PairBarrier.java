package dev.lockstep.scheduler;

import dev.lockstep.scheduler.latch.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;

/**
 * Where two S-threads meet that execute the same operation on two hardware threads of one core: a barrier in place of a
 * switch (STEPS, section 6). What one of them has brought into the core's caches, the other finds there.
 *
 * <p>Who is ahead waits at a switch point until the other has come as far. Where an operation begins, each waits for
 * the other to begin it too. As in all teams nobody waits for good: for who does something else not at all, and for who
 * does not come only for so many rounds. So an operation that ends early, a stray and a latch cost a wait and no more.
 *
 * <p>Invariants: {@code positions} holds for each side the operation under way and the number of switch points passed
 * in it, or {@link #NOWHERE}. Each side writes its own.
 *
 * <p>Thread-safety: one thread for each side.
 */
final class PairBarrier {
    /**
     * Rounds of waiting for who is behind, each at least a spin hint and, after some, an offer of the processor: some
     * hundred microseconds, in which a stage of an operation ends unless its hardware thread does something else.
     */
    static final int ROUNDS_MAX = 1 << 10;

    /** Where an operation begins the other may have none to begin, and is waited for in each of them in vain. */
    static final int ROUNDS_AT_BEGIN_MAX = 1 << 8;

    private static final long NOWHERE = 0;
    private static final int SIDES = 2;

    /** Elements from one side's to the next: two cache lines, since processors fetch lines in pairs. */
    private static final int STRIDE = 16;

    private static final VarHandle POSITION = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] positions = new long[(SIDES + 1) * STRIDE];

    private final IntConsumer pause;

    PairBarrier() {
        this(PairBarrier::spinOrYield);
    }

    /** @param pause what who is ahead does in each round of waiting, which it is told the number of */
    PairBarrier(IntConsumer pause) {
        this.pause = pause;
    }

    /**
     * Waits for the other side, if it is behind.
     *
     * @param side of the caller, 0 or 1
     * @param point switch points passed in this operation with this one, 0 at its begin
     * @return whether the other is as far in the same operation
     */
    boolean pass(int side, int operation, int point) {
        POSITION.setRelease(positions, index(side), position(operation, point));
        int other = index(1 - side);
        int roundsMax = point == 0 ? ROUNDS_AT_BEGIN_MAX : ROUNDS_MAX;
        for (int round = 0; round < roundsMax; round++) {
            long there = (long) POSITION.getAcquire(positions, other);
            if ((there >> Integer.SIZE) == operation + 1L) {
                if ((int) there >= point) {
                    return true;
                }
            } else if (point > 0) {
                return false;
            }
            pause.accept(round);
        }
        return false;
    }

    /** The side is in no operation, or no longer. */
    void leave(int side) {
        POSITION.setRelease(positions, index(side), NOWHERE);
    }

    /** A virtual thread that yields leaves its carrier, and its team. */
    private static void spinOrYield(int round) {
        if (round < Backoff.SPINS_MAX || Thread.currentThread().isVirtual()) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private static long position(int operation, int point) {
        return ((operation + 1L) << Integer.SIZE) | point;
    }

    private static int index(int side) {
        return (side + 1) * STRIDE;
    }
}
