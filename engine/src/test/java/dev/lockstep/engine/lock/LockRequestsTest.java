package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.Waiter;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Passes through the lock table for several owners at once; what is granted is compared in LockManagerModelTest. */
class LockRequestsTest {
    private static final int STRIPES = 4;
    private static final int OWNERS = 16;

    private final CountedStripes stripes = new CountedStripes();
    private final LockManager manager = stripes.newManager(STRIPES);
    private final LockOwner[] owners = IntStream.range(0, OWNERS)
            .mapToObj(_ -> new LockOwner(new Waiter()))
            .toArray(LockOwner[]::new);
    private final long[] names = LongStream.range(0, OWNERS)
            .map(i -> LockName.ofKey(1, new byte[] {(byte) i}, 0, 1))
            .toArray();
    private final LockRequests requests = new LockRequests(LockRequests.REQUESTS_MAX);

    private void releaseAll() {
        for (LockOwner owner : owners) {
            manager.releaseAll(owner, 0);
        }
        assertTrue(manager.isEmpty());
        manager.validate();
    }

    @Test
    void ownersShareAPassThroughAStripe() {
        for (int i = 0; i < OWNERS; i++) {
            requests.add(owners[i], names[i], LockMode.KEY_X);
        }
        assertEquals(STRIPES, CountedStripes.stripesOf(manager, names), "names of each stripe");
        assertTrue(manager.tryLockKeys(requests));
        assertEquals(STRIPES, stripes.passes());
        for (int i = 0; i < OWNERS; i++) {
            assertTrue(requests.isGranted(i));
            assertEquals(LockMode.KEY_X, manager.heldMode(owners[i], names[i]));
        }
        assertTrue(manager.tryLockKeys(requests));
        assertEquals(STRIPES, stripes.passes(), "what is held needs no pass");
        releaseAll();
    }

    @Test
    void aRefusalIsOfOneOwnerAlone() {
        assertTrue(manager.tryLock(owners[0], names[1], LockMode.KEY_X));
        requests.add(owners[1], names[1], LockMode.KEY_S);
        requests.add(owners[1], names[2], LockMode.KEY_S);
        requests.add(owners[2], names[2], LockMode.KEY_X);
        requests.add(owners[3], names[2], LockMode.KEY_S);
        assertFalse(manager.tryLockKeys(requests));
        assertEquals(0, owners[1].heldCount(), "it would hold the second while it waits for the first");
        assertTrue(requests.isGranted(2));
        assertFalse(requests.isGranted(3), "the one before it has it");
        releaseAll();
    }

    @Test
    void anInvalidModeChangesNothing() {
        requests.add(owners[0], names[0], LockMode.KEY_X);
        requests.add(owners[1], names[1], LockMode.NONE);
        assertThrows(IllegalArgumentException.class, () -> manager.tryLockKeys(requests));
        assertTrue(manager.isEmpty());
        requests.clear();
        assertEquals(0, requests.count());
        assertTrue(manager.tryLockKeys(requests));
        releaseAll();
    }
}
