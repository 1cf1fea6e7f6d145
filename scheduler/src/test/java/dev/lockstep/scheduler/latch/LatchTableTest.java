package dev.lockstep.scheduler.latch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LatchTableTest {
    private static final int LATCHES = 3;

    private final LatchTable latches = new LatchTable(LATCHES);

    @AfterEach
    void allLatchesAreAtRest() {
        for (int latch = 0; latch < LATCHES; latch++) {
            assertTrue(latches.atRest(latch), "latch=" + latch);
        }
    }

    @Test
    void anExclusiveHoldExcludesEverybody() {
        latches.latchExclusive(1);
        assertTrue(latches.isExclusive(1));
        assertFalse(latches.tryLatchExclusive(1));
        assertFalse(latches.tryLatchShared(1));
        assertEquals(LatchTable.HELD_EXCLUSIVELY, latches.tryOptimisticVersionAcquire(1));
        assertTrue(latches.tryLatchExclusive(0), "the neighbours are other latches");
        assertTrue(latches.tryLatchExclusive(2));
        for (int latch = 0; latch < LATCHES; latch++) {
            latches.unlatchExclusive(latch);
        }
    }

    @Test
    void sharedHoldsExcludeExclusiveOnes() {
        latches.latchShared(0);
        assertTrue(latches.tryLatchShared(0));
        assertEquals(2, latches.sharedCount(0));
        assertFalse(latches.tryLatchExclusive(0));
        latches.unlatchShared(0);
        assertEquals(1, latches.sharedCount(0));
        assertFalse(latches.tryLatchExclusive(0));
        latches.unlatchShared(0);
        assertTrue(latches.tryLatchExclusive(0));
        latches.unlatchExclusive(0);
    }

    @Test
    void theVersionChangesWithEveryExclusiveHoldThatModifies() {
        long version = latches.optimisticVersionAcquire(0);
        assertTrue(latches.validateAcquire(0, version));
        latches.latchExclusive(0);
        assertFalse(latches.validateAcquire(0, version), "held exclusively");
        latches.unlatchExclusive(0);
        assertFalse(latches.validateAcquire(0, version), "modified");
        assertNotEquals(version, latches.optimisticVersionAcquire(0));
    }

    @Test
    void theVersionStaysWhenNothingWasModified() {
        long version = latches.optimisticVersionAcquire(0);
        latches.latchExclusive(0);
        latches.unlatchExclusiveUnchanged(0);
        assertTrue(latches.validateAcquire(0, version));
        latches.latchShared(0);
        assertTrue(latches.validateAcquire(0, version), "readers do not disturb each other");
        latches.unlatchShared(0);
        assertTrue(latches.validateAcquire(0, version));
        assertFalse(latches.validateAcquire(0, LatchTable.HELD_EXCLUSIVELY));
    }

    @Test
    void anUpgradeNeedsTheSameVersionAndNoHolder() {
        long stale = latches.optimisticVersionAcquire(0);
        latches.latchExclusive(0);
        latches.unlatchExclusive(0);
        assertFalse(latches.tryUpgradeToExclusive(0, stale));
        long version = latches.optimisticVersionAcquire(0);
        latches.latchShared(0);
        assertFalse(latches.tryUpgradeToExclusive(0, version));
        latches.unlatchShared(0);
        assertTrue(latches.tryUpgradeToExclusive(0, version));
        assertFalse(latches.tryUpgradeToExclusive(0, version));
        latches.unlatchExclusive(0);
    }

    @Test
    void onlyTheSoleSharedHolderIsUpgraded() {
        latches.latchShared(0);
        latches.latchShared(0);
        assertFalse(latches.tryUpgradeSharedToExclusive(0));
        latches.unlatchShared(0);
        assertTrue(latches.tryUpgradeSharedToExclusive(0));
        assertTrue(latches.isExclusive(0));
        assertEquals(0, latches.sharedCount(0));
        latches.unlatchExclusive(0);
    }

    @Test
    void releasingWhatIsNotHeldIsRefused() {
        long version = latches.optimisticVersionAcquire(0);
        assertThrows(IllegalMonitorStateException.class, () -> latches.unlatchShared(0));
        assertThrows(IllegalMonitorStateException.class, () -> latches.unlatchExclusive(0));
        assertThrows(IllegalMonitorStateException.class, () -> latches.unlatchExclusiveUnchanged(0));
        assertTrue(latches.validateAcquire(0, version), "nothing changed");
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertThrows(IndexOutOfBoundsException.class, () -> latches.latchExclusive(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> latches.tryLatchShared(LATCHES));
        assertThrows(IllegalArgumentException.class, () -> new LatchTable(0));
        assertThrows(IllegalArgumentException.class, () -> new LatchTable(LatchTable.LATCHES_MAX + 1));
    }

    @Test
    void companionsAreApartFromLatchesAndFromEachOther() {
        for (int latch = 0; latch < LATCHES; latch++) {
            latches.latchExclusive(latch);
            for (int companion = 0; companion < LatchTable.COMPANIONS; companion++) {
                assertEquals(0, latches.companionOpaque(latch, companion));
                latches.setCompanionRelease(latch, companion, -1L - 10L * latch - companion);
            }
            latches.unlatchExclusive(latch);
        }
        for (int latch = 0; latch < LATCHES; latch++) {
            assertTrue(latches.atRest(latch));
            for (int companion = 0; companion < LatchTable.COMPANIONS; companion++) {
                long value = -1L - 10L * latch - companion;
                assertFalse(latches.compareAndSetCompanion(latch, companion, value + 1, 0));
                assertEquals(value, latches.companionAcquire(latch, companion));
                assertTrue(latches.compareAndSetCompanion(latch, companion, value, latch));
                assertEquals(latch, latches.companionOpaque(latch, companion));
            }
        }
        assertThrows(IndexOutOfBoundsException.class, () -> latches.companionOpaque(0, LatchTable.COMPANIONS));
        assertThrows(IndexOutOfBoundsException.class, () -> latches.setCompanionOpaque(LATCHES, 0, 1));
    }

    @Test
    void moreSharedHoldersThanTheWordCountsAreNotAdmitted() {
        int sharedMax = (1 << LatchWordLayout.SHARED_BITS) - 1;
        for (int i = 0; i < sharedMax; i++) {
            assertTrue(latches.tryLatchShared(0));
        }
        assertFalse(latches.tryLatchShared(0));
        assertEquals(sharedMax, latches.sharedCount(0));
        assertFalse(latches.isExclusive(0));
        for (int i = 0; i < sharedMax; i++) {
            latches.unlatchShared(0);
        }
    }

    /** Two threads relieve each other as shared holders without a gap; a writer must still get in. */
    @Test
    void readersCannotKeepAWriterOut() throws InterruptedException {
        latches.latchShared(0);
        AtomicBoolean written = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            latches.latchExclusive(0);
            written.set(true);
            latches.unlatchExclusive(0);
        });
        // The chain of readers breaks exactly when the waiting writer shuts the door.
        while (latches.tryLatchShared(0)) {
            latches.unlatchShared(0);
            Thread.onSpinWait();
        }
        assertFalse(written.get());
        latches.unlatchShared(0);
        writer.join();
        assertTrue(written.get());
    }

    @Test
    void holdersOfAllModesSeeOneValueUnderLoad() throws InterruptedException {
        long[] pair = new long[2];
        int rounds = 40_000;
        AtomicReference<String> torn = new AtomicReference<>();
        Runnable work = () -> {
            for (int i = 0; i < rounds && torn.get() == null; i++) {
                boolean equal =
                        switch (i % 4) {
                            case 0 -> {
                                latches.latchExclusive(2);
                                pair[0]++;
                                pair[1]++;
                                latches.unlatchExclusive(2);
                                yield true;
                            }
                            case 1 -> {
                                latches.latchShared(2);
                                boolean result = pair[0] == pair[1];
                                latches.unlatchShared(2);
                                yield result;
                            }
                            default -> equalOptimistically(pair);
                        };
                if (!equal) {
                    torn.set("round=" + i);
                }
            }
        };
        Thread other = Thread.ofPlatform().start(work);
        work.run();
        other.join();
        assertEquals(null, torn.get());
        assertEquals(2L * rounds / 4, pair[0]);
        assertEquals(pair[0], pair[1]);
    }

    private boolean equalOptimistically(long[] pair) {
        while (true) {
            long version = latches.optimisticVersionAcquire(2);
            boolean result = pair[0] == pair[1];
            if (latches.validateAcquire(2, version)) {
                return result;
            }
        }
    }
}
