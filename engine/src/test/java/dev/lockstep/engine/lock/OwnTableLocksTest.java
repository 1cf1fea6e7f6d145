package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What an owner does with its locks on tables while somebody is about to move one of them. */
class OwnTableLocksTest {
    private static final long TABLE = LockName.ofTable(1);
    private static final long OTHER = LockName.ofTable(2);
    private static final int OWNER = 7;

    private final OwnTableLocks own = new OwnTableLocks();

    /** Lets the owner do something once, when the first of its locks is about to be moved. */
    private static final class Interrupted extends LockStripe {
        private final Runnable meanwhile;
        private boolean isDone;

        Interrupted(Runnable meanwhile) {
            super(new LockManager(1));
            this.meanwhile = meanwhile;
        }

        @Override
        long adopt(int owner, long name, int mode) {
            if (!isDone) {
                isDone = true;
                meanwhile.run();
            }
            return super.adopt(owner, name, mode);
        }
    }

    @Test
    void whatWasMovedIsTheStripes() {
        int lock = own.take(TABLE, LockMode.IX);
        LockStripe stripe = new Interrupted(() -> {});
        own.moveTo(stripe, OWNER, TABLE, OpenTable.ALL);
        assertFalse(own.giveBack(lock));
        long grant = own.takeGrant(lock);
        assertEquals(1, stripe.entryCount());
        stripe.validate();
        stripe.disown(TABLE, grant, LockMode.IX);
        assertEquals(0, stripe.entryCount());
    }

    @Test
    void whatIsGivenBackMeanwhileIsNotMoved() {
        int lock = own.take(TABLE, LockMode.IX);
        LockStripe stripe = new Interrupted(() -> assertTrue(own.giveBack(lock)));
        own.moveTo(stripe, OWNER, TABLE, OpenTable.ALL);
        assertEquals(0, stripe.entryCount());
        stripe.validate();
    }

    /** It takes the place of the one that was to be moved, in the same mode. */
    @Test
    void anotherLockInItsPlaceIsNotMoved() {
        int lock = own.take(TABLE, LockMode.IX);
        LockStripe stripe = new Interrupted(() -> {
            assertTrue(own.giveBack(lock));
            assertEquals(lock, own.take(OTHER, LockMode.IX));
        });
        own.moveTo(stripe, OWNER, TABLE, OpenTable.ALL);
        assertEquals(0, stripe.entryCount());
        assertTrue(own.giveBack(lock));
    }

    @Test
    void whatIsRaisedMeanwhileIsMovedAsWhatItIsNow() {
        int lock = own.take(TABLE, LockMode.IS);
        LockStripe stripe = new Interrupted(() -> assertTrue(own.change(lock, LockMode.IX)));
        own.moveTo(stripe, OWNER, TABLE, OpenTable.ALL);
        assertFalse(own.change(lock, LockMode.IX));
        LockListing listing = new LockListing(2);
        stripe.list(listing, TABLE);
        assertEquals(1, listing.count());
        assertEquals(LockMode.IX, listing.mode(0));
        assertEquals(OWNER, listing.owner(0));
    }

    /** Its owner saw the table open for writers, and was then held up until it was open for readers, and closed. */
    @Test
    void aLockTakenTooLateIsNotMoved() {
        int lock = own.take(TABLE, LockMode.IX);
        LockStripe stripe = new Interrupted(() -> {});
        own.moveTo(stripe, OWNER, TABLE, OpenTable.READS);
        assertEquals(0, stripe.entryCount());
        assertTrue(own.giveBack(lock));
    }

    @Test
    void locksOfOtherTablesStay() {
        int lock = own.take(OTHER, LockMode.IX);
        own.moveTo(new Interrupted(() -> {}), OWNER, TABLE, OpenTable.ALL);
        assertTrue(own.giveBack(lock));
    }
}
