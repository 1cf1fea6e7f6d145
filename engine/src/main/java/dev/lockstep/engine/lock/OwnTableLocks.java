package dev.lockstep.engine.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The locks on {@linkplain OpenTable open tables} that one owner holds without the lock table knowing. Who closes the
 * table moves them there.
 *
 * <pre>
 *   three longs per lock
 *     word   number of its use | state: 0 free, a lock mode, MOVING or MOVED
 *                high 56 bits     low 8 bits
 *     name   of the table's lock
 *     grant  once moved: entry | grant, of the stripe of that name
 * </pre>
 *
 * <p>Invariants:
 * <ul>
 *   <li>A word changes by its owner's stores while it is free, and by compare-and-set while it is not: either its owner
 *       gives it back, or somebody else moves it. The number of the use keeps who wants to move a lock from moving
 *       another one that took its place.
 *   <li>Bit {@code i} of {@code free} is set while lock {@code i} is free; it is the owner's own.
 *   <li>{@code name} is written before the word says that the lock is held. {@code grant} is written by who has made
 *       the state {@code MOVING}, before it makes it {@code MOVED}; it waits for nothing in between.
 * </ul>
 *
 * <p>Thread-safety: {@link #moveTo}, {@link #hold} and {@link #releasedLsnOpaque} may be called by any thread, the
 * others by the thread that uses the owner.
 */
final class OwnTableLocks {
    /** Locks that fit: a New-Order of TPC-C has eight tables. Further ones go to the lock table. */
    static final int LOCKS = 8;

    /** What {@link #take} returns when none is free. */
    static final int FULL = -1;

    private static final int WORD = 0;
    private static final int NAME = 1;
    private static final int GRANT = 2;
    private static final int LOCK_LONGS = 3;

    private static final int STATE_BITS = 8;
    private static final int STATE_MASK = (1 << STATE_BITS) - 1;
    private static final int FREE = LockMode.NONE;
    private static final int MOVING = STATE_MASK - 1;
    private static final int MOVED = STATE_MASK;

    /** Longs in front of the first lock, which owners of other processors then do not share a line with. */
    private static final int PADDING_LONGS = 8;

    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle RELEASED_LSN;

    static {
        try {
            RELEASED_LSN = MethodHandles.lookup().findVarHandle(OwnTableLocks.class, "releasedLsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] locks = new long[PADDING_LONGS + LOCKS * LOCK_LONGS];
    private int free = (1 << LOCKS) - 1;

    @SuppressWarnings("unused")
    private long releasedLsn;

    /**
     * Says that the owner holds a lock. Others see it, but only a look at whether the table is open, behind this and a
     * full fence, tells whether it is so.
     *
     * @return the number of the lock, or {@link #FULL}
     */
    int take(long name, int mode) {
        if (free == 0) {
            return FULL;
        }
        int lock = Integer.numberOfTrailingZeros(free);
        free &= free - 1;
        int at = at(lock);
        locks[at + NAME] = name;
        LONG.setRelease(locks, at + WORD, nextUse(locks[at + WORD]) | mode);
        return lock;
    }

    private static long nextUse(long word) {
        return (word | STATE_MASK) + 1;
    }

    /**
     * Gives a lock back.
     *
     * @return false if it was moved; {@link #takeGrant} then says where to
     */
    boolean giveBack(int lock) {
        if (!change(lock, FREE)) {
            return false;
        }
        free |= 1 << lock;
        return true;
    }

    /**
     * Gives a lock back under which something may have been written.
     *
     * @param commitLsn as of {@link LockManager#releaseAll}
     */
    boolean giveBack(int lock, long commitLsn) {
        if (commitLsn > releasedLsnOpaque()) {
            RELEASED_LSN.setOpaque(this, commitLsn);
        }
        return giveBack(lock);
    }

    /** Makes a lock one of another mode; returns false if it was moved. */
    boolean change(int lock, int mode) {
        int at = at(lock) + WORD;
        long word = (long) LONG.getAcquire(locks, at);
        if (state(word) < MOVING && LONG.compareAndSet(locks, at, word, word - state(word) + mode)) {
            return true;
        }
        // Ends: who moves a lock waits for nothing before it is done.
        while (state((long) LONG.getAcquire(locks, at)) != MOVED) {
            Thread.onSpinWait();
        }
        return false;
    }

    /** Where a lock was moved to: entry and grant. It is the lock table's from now on. */
    long takeGrant(int lock) {
        int at = at(lock);
        long grant = locks[at + GRANT];
        LONG.setRelease(locks, at + WORD, (long) LONG.getAcquire(locks, at + WORD) - MOVED + FREE);
        free |= 1 << lock;
        return grant;
    }

    /** Whether a lock on a table is here and was not moved; another thread may ask, and may see one of a moment ago. */
    boolean hold(long name) {
        for (int lock = 0; lock < LOCKS; lock++) {
            int state = state((long) LONG.getAcquire(locks, at(lock) + WORD));
            if (state != FREE && state < MOVING && locks[at(lock) + NAME] == name) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves what the owner holds on a table into the lock table.
     *
     * @param stripe of the name, latched
     * @param owner the index of the owner
     * @param modes which modes, as in {@link OpenTable#modes()}. A lock of another one is none: its owner has looked
     *     at the table while that was open for other modes, has not looked again, and will give it back
     */
    void moveTo(LockStripe stripe, int owner, long name, int modes) {
        for (int lock = 0; lock < LOCKS; lock++) {
            boolean isDone = false;
            // Ends: each turn in vain means that the owner has given this lock back or raised its mode.
            while (!isDone) {
                isDone = move(lock, stripe, owner, name, modes);
            }
        }
    }

    private boolean move(int lock, LockStripe stripe, int owner, long name, int modes) {
        int at = at(lock);
        long word = (long) LONG.getAcquire(locks, at + WORD);
        int mode = state(word);
        if (mode == FREE || mode >= MOVING || locks[at + NAME] != name || (modes >>> mode & 1) == 0) {
            return true;
        }
        long grant = stripe.adopt(owner, name, mode);
        if (!LONG.compareAndSet(locks, at + WORD, word, word - mode + MOVING)) {
            stripe.disown(name, grant, mode);
            return false;
        }
        locks[at + GRANT] = grant;
        LONG.setRelease(locks, at + WORD, word - mode + MOVED);
        return true;
    }

    /** The largest commit LSN with which the owner has given a lock back here. */
    long releasedLsnOpaque() {
        return (long) RELEASED_LSN.getOpaque(this);
    }

    private static int at(int lock) {
        return PADDING_LONGS + lock * LOCK_LONGS;
    }

    private static int state(long word) {
        return (int) word & STATE_MASK;
    }
}
