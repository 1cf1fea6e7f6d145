package dev.lockstep.scheduler.latch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A latch whose holder was cut short keeps nobody waiting once its owner has failed. */
class LatchWatchTest {
    private final IllegalStateException failure = new IllegalStateException("failed");
    private final AtomicInteger looks = new AtomicInteger();

    /** Lets the first look pass, as an owner does that learns of its failure a moment later. */
    private final LatchWatch watch = () -> {
        if (looks.incrementAndGet() > 1) {
            throw failure;
        }
    };

    @Test
    void endsTheWaitForASpinLatch() {
        SpinLatch latch = new SpinLatch(watch);
        latch.latch();
        assertSame(failure, assertThrows(IllegalStateException.class, latch::latch));
        assertEquals(2, looks.get());
        assertTrue(latch.isLatched());
    }

    @Test
    void endsEveryWaitForALatchOfATable() {
        LatchTable latches = new LatchTable(2, watch);
        latches.latchExclusive(1);
        for (Runnable wait : List.<Runnable>of(
                () -> latches.latchExclusive(1),
                () -> latches.latchShared(1),
                () -> assertTrue(latches.optimisticVersionAcquire(1) >= 0))) {
            looks.set(0);
            assertSame(failure, assertThrows(IllegalStateException.class, wait::run));
            assertEquals(2, looks.get());
        }
        assertTrue(latches.isExclusive(1));
        assertEquals(0, latches.sharedCount(1));
        assertTrue(latches.atRest(0));
    }

    /** A writer that was cut short must not keep readers out for a turn that it does not take. */
    @Test
    void leavesNoWishForAnExclusiveHold() {
        LatchTable latches = new LatchTable(1, watch);
        latches.latchShared(0);
        assertSame(failure, assertThrows(IllegalStateException.class, () -> latches.latchExclusive(0)));
        assertTrue(latches.tryLatchShared(0));
        assertEquals(2, latches.sharedCount(0));
        latches.unlatchShared(0);
        latches.unlatchShared(0);
        assertTrue(latches.atRest(0));
    }

    @Test
    void isNotAskedWhereNobodyWaits() {
        LatchTable latches = new LatchTable(1, watch);
        for (int i = 0; i < 3 * Backoff.ROUNDS_PER_LOOK; i++) {
            latches.latchExclusive(0);
            assertFalse(latches.tryLatchShared(0));
            latches.unlatchExclusive(0);
        }
        assertEquals(0, looks.get());
    }
}
