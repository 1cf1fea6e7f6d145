package dev.lockstep.engine.lock;

import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The owners that a lock table knows, by the index that stands in its grants.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code owners[i]} is the owner with index {@code i}; free places are {@code freePlaces[0..freePlaceCount)} and
 *       those from {@code placesEnd} on.
 *   <li>They change under {@code latch}, and are read without it: an owner that has a lock was there before.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class LockOwners {
    private static final int PLACES_INITIAL = 64;

    private final SpinLatch latch;
    private LockOwner[] owners = new LockOwner[PLACES_INITIAL];
    private int placesEnd;
    private int[] freePlaces = new int[PLACES_INITIAL];
    private int freePlaceCount;

    /** The largest commit LSN with which owners that are gone released a lock on a table early. */
    private volatile long departedReleasedLsn;

    LockOwners(LatchWatch watch) {
        latch = new SpinLatch(watch);
    }

    /** The owner with an index that was read under a stripe latch, or null if it was closed since. */
    LockOwner get(int index) {
        return owners[index];
    }

    int count() {
        latch.latch();
        try {
            return placesEnd - freePlaceCount;
        } finally {
            latch.unlatch();
        }
    }

    /** Gives an owner a place, and tells it. */
    void register(LockOwner owner, LockManager manager) {
        latch.latch();
        try {
            int place;
            if (freePlaceCount > 0) {
                place = freePlaces[--freePlaceCount];
            } else {
                if (placesEnd == owners.length) {
                    LockOwner[] newOwners = Arrays.copyOf(owners, 2 * placesEnd);
                    freePlaces = new int[newOwners.length];
                    owners = newOwners;
                }
                place = placesEnd++;
            }
            owners[place] = owner;
            owner.register(manager, place);
        } finally {
            latch.unlatch();
        }
    }

    /** Takes the place of an owner that holds nothing, and tells it. */
    void deregister(LockOwner owner) {
        latch.latch();
        try {
            departedReleasedLsn =
                    Math.max(departedReleasedLsn, owner.ownTables().releasedLsnOpaque());
            owners[owner.index()] = null;
            freePlaces[freePlaceCount++] = owner.index();
            owner.register(null, -1);
        } finally {
            latch.unlatch();
        }
    }

    /** Signals all, whether they wait or not. Takes no latch. */
    void wakeAll() {
        LockOwner[] all = owners;
        for (LockOwner owner : all) {
            if (owner != null) {
                owner.waiter.signal();
            }
        }
    }

    /** Whether an owner holds a table at its own place, as far as can be seen without its help. */
    boolean holdAtOwnPlace(long name) {
        LockOwner[] all = owners;
        for (LockOwner owner : all) {
            if (owner != null && owner.ownTables().hold(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the locks that owners hold on a table at their own places into its stripe, which is latched. To be called
     * behind a full fence; an owner that registers meanwhile finds the table closed.
     *
     * @param modes for which the table was open
     * @return how many owners were asked
     */
    int moveTableLocks(LockStripe stripe, long name, int modes) {
        LockOwner[] all = owners;
        int asked = Math.min(placesEnd, all.length);
        long releasedLsn = 0;
        for (int place = 0; place < asked; place++) {
            LockOwner owner = all[place];
            if (owner != null) {
                owner.ownTables().moveTo(stripe, place, name, modes);
                releasedLsn = Math.max(releasedLsn, owner.ownTables().releasedLsnOpaque());
            }
        }
        // Whose place is empty has left its number here before.
        VarHandle.acquireFence();
        stripe.releases().remember(name, LockMode.IX, Math.max(releasedLsn, departedReleasedLsn));
        return asked;
    }
}
