package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks on tables, which owners take at their own places while nobody wants a mode that conflicts. */
class OpenTablesTest {
    private static final long TABLE = LockName.ofTable(1);
    private static final long OTHER = LockName.ofTable(2);

    private final LockManager manager = new LockManager(4);
    private final List<LockOwner> owners = new ArrayList<>();
    private final LockOwner first = newOwner();
    private final LockOwner second = newOwner();
    private final LockOwner third = newOwner();

    private LockOwner newOwner() {
        LockOwner owner = new LockOwner(new Waiter());
        owner.setTransactionId(owners.size() + 1);
        owners.add(owner);
        return owner;
    }

    @AfterEach
    void leavesNothing() {
        manager.validate();
        for (LockOwner owner : owners) {
            manager.releaseAll(owner, 0);
            owner.close();
        }
        manager.validate();
        assertTrue(manager.isEmpty());
        assertEquals(0, manager.statistics().waiting());
    }

    private static boolean isAtOwnPlace(LockOwner owner, long name) {
        return owner.isOwnTable(owner.find(name));
    }

    /** Of both tables one grant in the lock table, with which they open. */
    private void open() {
        assertTrue(manager.tryLock(first, TABLE, LockMode.IX));
        assertTrue(manager.tryLock(first, OTHER, LockMode.IX));
        assertFalse(isAtOwnPlace(first, TABLE));
    }

    @Test
    void intentionsAreTakenAtTheOwnersPlace() {
        open();
        assertTrue(manager.tryLock(second, TABLE, LockMode.IS));
        assertTrue(isAtOwnPlace(second, TABLE));
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        assertTrue(isAtOwnPlace(second, TABLE));
        assertEquals(LockMode.IX, manager.heldMode(second, TABLE));
        assertEquals(LockMode.NONE, manager.request(third, TABLE, LockMode.IX));
        assertTrue(isAtOwnPlace(third, TABLE));
    }

    @Test
    void whoWantsAllFindsThem() {
        open();
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        assertTrue(isAtOwnPlace(second, TABLE));
        assertFalse(manager.tryLock(third, TABLE, LockMode.S));
        assertFalse(manager.tryLockInstant(third, TABLE, LockMode.X));
        assertTrue(manager.tryLockInstant(third, TABLE, LockMode.IS));
        manager.releaseAll(second, 0);
        assertTrue(manager.tryLock(third, TABLE, LockMode.X));
        assertFalse(manager.tryLock(second, TABLE, LockMode.IS));
    }

    @Test
    void anOwnLockIsRaisedBeyondWhatTheTableIsOpenFor() {
        open();
        assertTrue(manager.tryLock(second, OTHER, LockMode.IX));
        assertFalse(manager.tryLock(second, OTHER, LockMode.X));
        assertEquals(LockMode.IX, manager.heldMode(second, OTHER));
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, OTHER, LockMode.X));
        assertEquals(LockMode.X, manager.heldMode(second, OTHER));
        assertFalse(manager.tryLock(first, OTHER, LockMode.IS));
    }

    @Test
    void aReleaseOfWhatWasMovedWakesWhoWaits() {
        open();
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        assertEquals(LockManager.BLOCKED, manager.request(third, TABLE, LockMode.X));
        manager.validate();
        manager.releaseAll(second, 0);
        manager.claim(third);
        assertEquals(LockOwner.GRANTED, manager.settle(third));
        assertEquals(LockMode.X, manager.heldMode(third, TABLE));
    }

    @Test
    void deadlocksOverOwnLocksAreFound() {
        open();
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        assertTrue(manager.tryLock(third, OTHER, LockMode.IX));
        assertTrue(isAtOwnPlace(second, TABLE) && isAtOwnPlace(third, OTHER));
        assertEquals(LockManager.BLOCKED, manager.request(second, OTHER, LockMode.S));
        assertFalse(manager.breakDeadlocks(second));
        assertEquals(LockManager.BLOCKED, manager.request(third, TABLE, LockMode.S));
        manager.breakDeadlocks(third);
        assertEquals(1, manager.statistics().deadlocks());
        boolean secondLost = manager.settle(second) == LockOwner.VICTIM;
        boolean thirdLost = manager.settle(third) == LockOwner.VICTIM;
        assertTrue(secondLost ^ thirdLost);
    }

    @Test
    void whoReadsTheTableDependsOnWhoReleasedItEarly() {
        open();
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        manager.releaseAll(second, 500);
        second.close();
        owners.remove(second);
        assertTrue(manager.tryLock(third, TABLE, LockMode.S));
        assertEquals(500, third.dependsOnLsn());
        LockOwner reader = newOwner();
        for (int i = 0; i < owners.size() && !isHeldAtOwnPlace(reader); i++) {
            manager.releaseAll(reader, 0);
            reader.clearDependsOnLsn();
            assertTrue(manager.tryLock(reader, TABLE, LockMode.S));
        }
        assertTrue(isHeldAtOwnPlace(reader));
        assertEquals(500, reader.dependsOnLsn());
    }

    private static boolean isHeldAtOwnPlace(LockOwner owner) {
        return owner.heldCount() > 0 && isAtOwnPlace(owner, TABLE);
    }

    @Test
    void readersOfKeysDoNotDependOnWritersOfOthers() {
        open();
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        manager.releaseAll(second, 500);
        assertTrue(manager.tryLock(third, TABLE, LockMode.IS));
        assertEquals(0, third.dependsOnLsn());
    }

    /** Closing costs a look at every owner: so many grants later the table is open again, and not before. */
    @Test
    void aClosedTableOpensAgain() {
        open();
        assertTrue(manager.tryLock(second, OTHER, LockMode.IX));
        assertTrue(manager.tryLock(third, OTHER, LockMode.IX));
        manager.releaseAll(first, 0);
        assertTrue(manager.tryLock(first, TABLE, LockMode.X));
        manager.releaseAll(first, 0);
        int grants = 0;
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        while (!isAtOwnPlace(second, TABLE) && grants <= 10) {
            grants++;
            manager.releaseAll(second, 0);
            assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        }
        assertTrue(isAtOwnPlace(second, TABLE));
        assertTrue(grants >= 2, () -> "open at once");
    }

    @Test
    void moreTablesThanHaveAPlaceGoToTheLockTable() {
        int tables = 2 * OwnTableLocks.LOCKS;
        for (int table = 0; table < tables; table++) {
            assertTrue(manager.tryLock(first, LockName.ofTable(100 + table), LockMode.IX));
        }
        int atOwnPlace = 0;
        for (int table = 0; table < tables; table++) {
            long name = LockName.ofTable(100 + table);
            assertTrue(manager.tryLock(second, name, LockMode.IX));
            atOwnPlace += isAtOwnPlace(second, name) ? 1 : 0;
        }
        assertEquals(OwnTableLocks.LOCKS, atOwnPlace);
        assertFalse(manager.tryLock(third, LockName.ofTable(100), LockMode.S));
        assertFalse(manager.tryLock(third, LockName.ofTable(100 + tables - 1), LockMode.S));
    }

    /** Who counts does not disturb: what a monitor asks for again and again must not close tables. */
    @Test
    void ownLocksAreCountedWhereTheyAre() {
        open();
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        assertEquals(2, manager.statistics().locks());
        manager.releaseAll(first, 0);
        assertEquals(1, manager.statistics().locks());
        assertTrue(manager.tryLock(third, TABLE, LockMode.IS));
        assertTrue(isAtOwnPlace(second, TABLE) && isAtOwnPlace(third, TABLE));
        assertEquals(1, manager.statistics().locks());
        assertFalse(manager.isEmpty());
    }

    /** They are not of the table alone, so they are found by who lists what is held. */
    @Test
    void ownLocksAreListed() {
        open();
        assertTrue(manager.tryLock(second, TABLE, LockMode.IX));
        LockListing listing = new LockListing(10);
        manager.list(listing);
        assertEquals(3, listing.count());
    }

    /** Each gets a head of the stripe, which had made room for three. */
    @Test
    void manyTablesOfOneStripeAreClosed() {
        LockManager one = new LockManager(1);
        try (LockOwner inTable = new LockOwner(new Waiter());
                LockOwner atOwnPlace = new LockOwner(new Waiter())) {
            for (int table = 0; table < OwnTableLocks.LOCKS; table++) {
                assertTrue(one.tryLock(inTable, LockName.ofTable(table), LockMode.IX));
                assertTrue(one.tryLock(atOwnPlace, LockName.ofTable(table), LockMode.IX));
            }
            one.list(new LockListing(2 * OwnTableLocks.LOCKS));
            assertEquals(OwnTableLocks.LOCKS, one.statistics().locks());
            one.validate();
            one.releaseAll(inTable, 0);
            one.releaseAll(atOwnPlace, 0);
            assertTrue(one.isEmpty());
        }
    }

    @Test
    void aReadLockIsGivenBackEarly() {
        open();
        assertTrue(manager.tryLock(second, TABLE, LockMode.IS));
        assertTrue(manager.tryLock(third, TABLE, LockMode.IX));
        assertFalse(manager.unlock(third, TABLE));
        assertTrue(manager.unlock(second, TABLE));
        assertEquals(LockMode.NONE, manager.heldMode(second, TABLE));
    }
}
