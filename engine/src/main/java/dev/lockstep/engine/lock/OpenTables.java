package dev.lockstep.engine.lock;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToIntBiFunction;

/**
 * The tables whose locks are open. Nearly every statement locks its table in an intention mode, which hardly ever
 * conflicts with anything: in the lock table all processors would write to the same few stripes for that. So the lock
 * of a table is open as long as nobody wants it in a mode that conflicts: its holders say so at their own place ({@link
 * OwnTableLocks}), and look here. Who wants another mode closes the table first, which moves all these locks into the
 * lock table, where the request then waits like any other and deadlocks are found like any others.
 *
 * <p>After the fast-path locking of PostgreSQL (Robert Haas, 2011), which counts strong requests where we close and
 * open.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A table is opened and closed under the latch of its stripe.
 *   <li>While it is open nobody waits for its lock, and all grants in the stripe are of modes that it is open for.
 *   <li>While it is closed, no owner holds its lock at its own place, but for one that has not looked yet and will find
 *       out. Who takes a lock there writes first and then looks, who closes writes first and then looks: one sees the
 *       other.
 * </ul>
 *
 * <p>Thread-safe; the methods that take a stripe are called with it latched.
 */
final class OpenTables {
    /** Places for tables, by a hash of their names; of two with one place only one is open. A power of two. */
    private static final int PLACES = 1 << 12;

    /** The bits of a name that choose the place. */
    private static final int PLACE_SHIFT = 48;

    private final LockManager manager;
    private final AtomicReferenceArray<OpenTable> places = new AtomicReferenceArray<>(PLACES);

    /**
     * Grants in the lock table that are still to come before a table of the place is opened again. A guess, changed
     * without order: closing costs a look at every owner, and so many grants pay for it.
     */
    private final int[] grantsUntilOpen = new int[PLACES];

    OpenTables(LockManager manager) {
        this.manager = manager;
    }

    /** The table if its lock is open, or null. */
    private OpenTable openAcquire(long name) {
        OpenTable table = places.getAcquire(place(name));
        return table != null && table.name() == name ? table : null;
    }

    /** Whether the lock is open for a mode. */
    private boolean admits(long name, int mode) {
        OpenTable table = openAcquire(name);
        return table != null && table.admits(mode);
    }

    /**
     * Takes a lock on a table, or raises its mode, without the lock table.
     *
     * @param position the position of the lock among those of the owner, or the complement of the slot that takes it
     * @return false if the table is not open for the mode, or the owner has no place for it; the lock is then as it was
     */
    boolean lock(LockOwner owner, long name, int mode, int position) {
        if (!admits(name, mode)) {
            return false;
        }
        OwnTableLocks own = owner.ownTables();
        if (position >= 0) {
            boolean isRaised = owner.isOwnTable(position) && own.change(owner.grant(position), mode);
            if (isRaised) {
                owner.setMode(position, mode);
            }
            return isRaised;
        }
        int lock = own.take(name, mode);
        if (lock == OwnTableLocks.FULL) {
            return false;
        }
        VarHandle.fullFence();
        OpenTable table = openAcquire(name);
        boolean isOpen = table != null && table.admits(mode);
        if (!isOpen && own.giveBack(lock)) {
            return false;
        }
        owner.add(name, mode, LockOwner.OWN_TABLE, lock, ~position);
        if (!isOpen) {
            // Who closed the table took it for granted.
            adopted(owner, name, mode);
        } else if (owner.isTrackingDependency()) {
            owner.raiseDependsOnLsn(table.dependsOnLsn());
        }
        return true;
    }

    private void adopted(LockOwner owner, long name, int mode) {
        owner.adopted(owner.lastPosition());
        LockStripe stripe = manager.stripe(name);
        stripe.latch();
        try {
            stripe.raiseDependsOnLsn(owner, name, mode);
        } finally {
            stripe.unlatch();
        }
    }

    /**
     * Gives back a lock that {@link #lock} has taken.
     *
     * @param commitLsn as of {@link LockManager#releaseAll}
     * @return false if it is the lock table's by now, where it has to be released
     */
    boolean giveBack(LockOwner owner, int position, long commitLsn) {
        boolean isWritten = LockMode.permitsWriting(owner.mode(position));
        boolean isBack = owner.ownTables().giveBack(owner.grant(position), isWritten ? commitLsn : 0);
        if (!isBack) {
            owner.adopted(position);
        }
        return isBack;
    }

    /**
     * Before the stripe is asked for a lock: sees to it that what conflicts with the mode is there, and the owner's own
     * lock, if it has one.
     */
    void prepare(LockStripe stripe, LockOwner owner, long name, int mode, int position) {
        if (!LockName.isTable(name)) {
            return;
        }
        if (!admits(name, mode)) {
            close(stripe, name);
        }
        if (position >= 0 && owner.isOwnTable(position)) {
            owner.ownTables().moveTo(stripe, owner.index(), name, OpenTable.ALL);
            owner.adopted(position);
        }
    }

    /** Opens a table, of whose lock the stripe has just granted a mode, if it may be and it is worth it. */
    void granted(LockStripe stripe, long name) {
        int place = place(name);
        if (places.getAcquire(place) != null || grantsUntilOpen[place]-- > 0) {
            return;
        }
        int modes = stripe.modesToOpenFor(name);
        if (modes != OpenTable.CLOSED) {
            places.compareAndSet(place, null, new OpenTable(name, modes, dependsOnLsn(stripe, name, modes)));
        }
    }

    private static long dependsOnLsn(LockStripe stripe, long name, int modes) {
        // Of modes that a table can be open for S alone heeds releases of intentions.
        return stripe.releases().lsn(name, modes == OpenTable.READS ? LockMode.S : LockMode.IX);
    }

    /** Closes a table, if it is open: moves the locks of all owners into its stripe. */
    void close(LockStripe stripe, long name) {
        OpenTable table = openAcquire(name);
        if (table == null) {
            return;
        }
        int place = place(name);
        places.set(place, null);
        VarHandle.fullFence();
        boolean isDone = false;
        try {
            grantsUntilOpen[place] = manager.owners().moveTableLocks(stripe, name, table.modes());
            isDone = true;
        } finally {
            if (!isDone) {
                // What was moved is of modes that the table is open for.
                places.set(place, table);
            }
        }
    }

    /** Closes all, so that the lock table knows of every lock at some moment of this call. */
    void closeAll() {
        sumOverStripes((table, stripe) -> {
            close(stripe, table.name());
            return 0;
        });
    }

    /** Counts the tables that are locked by owners at their own places alone; closes none. */
    int countOutsideOfStripes() {
        return sumOverStripes((table, stripe) ->
                !stripe.hasEntry(table.name()) && manager.owners().holdAtOwnPlace(table.name()) ? 1 : 0);
    }

    /**
     * Checks that the stripe of an open table holds nothing that it must not.
     *
     * @throws IllegalStateException if it does
     */
    void validate() {
        sumOverStripes((table, stripe) -> {
            OpenTable now = openAcquire(table.name());
            LockHeadRules.require(
                    now == null || stripe.mayBeOpen(table.name(), now.modes()),
                    "the lock of an open table has a grant or a waiter that keeps it closed",
                    place(table.name()));
            return 0;
        });
    }

    /**
     * Asks something of every open table, with its stripe latched, one after the other; returns the sum of the answers.
     */
    private int sumOverStripes(ToIntBiFunction<OpenTable, LockStripe> question) {
        int sum = 0;
        for (int place = 0; place < PLACES; place++) {
            OpenTable table = places.getAcquire(place);
            if (table != null) {
                LockStripe stripe = manager.stripe(table.name());
                stripe.latch();
                try {
                    sum += question.applyAsInt(table, stripe);
                } finally {
                    stripe.unlatch();
                }
            }
        }
        return sum;
    }

    private static int place(long name) {
        return (int) (name >>> PLACE_SHIFT) & PLACES - 1;
    }
}
