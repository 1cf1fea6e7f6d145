package dev.lockstep.engine.lock;

import java.util.Arrays;

/**
 * Requests of several owners for locks on keys, to be granted {@linkplain LockManager#tryLockKeys(LockRequests)
 * together} as far as that is possible at once: what as many calls of {@link LockManager#tryLock} would grant, but in
 * one pass through each stripe of the lock table for all names in it.
 *
 * <p>As nobody waits, it does not matter which owner comes first. Those of one owner are granted in their order, and
 * none behind one that is not to be had: for that the owner is about to wait, holding nothing that comes behind.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The first {@code count} elements of the arrays are the requests; those of one owner follow each other.
 *   <li>{@code done} has a bit for each request that was tried or is behind a refused one of its owner, {@code granted}
 *       for each whose lock is held now; {@code granted} is a part of {@code done}.
 * </ul>
 *
 * <p>Used by one thread at a time, which may use all owners; reusable, without allocation.
 */
public final class LockRequests {
    /** Most requests: others spin for a stripe while all of them are granted there. */
    public static final int REQUESTS_MAX = LockManager.RUN_MAX;

    private final LockOwner[] owners;
    private final long[] names;
    private final int[] modes;
    private final LockStripe[] stripes;
    private int count;
    private int done;
    private int granted;

    /**
     * Makes room for requests.
     *
     * @param capacity how many there are at most, 1 to {@link #REQUESTS_MAX}
     */
    public LockRequests(int capacity) {
        owners = new LockOwner[capacity];
        names = new long[capacity];
        modes = new int[capacity];
        stripes = new LockStripe[capacity];
    }

    /** Forgets all requests, and whose they were. */
    public void clear() {
        Arrays.fill(owners, 0, count, null);
        count = 0;
        done = 0;
        granted = 0;
    }

    /**
     * Adds a request.
     *
     * @param owner who asks; all that it asks for follows each other
     * @param name of a lock on a key or a gap
     * @param mode a valid mode of {@link LockMode}
     */
    public void add(LockOwner owner, long name, int mode) {
        owners[count] = owner;
        names[count] = name;
        modes[count++] = mode;
    }

    /** How many requests were added. */
    public int count() {
        return count;
    }

    /**
     * Whether the owner holds the lock at least in that mode, as of when all were tried.
     *
     * @param request its number, in the order in which they were added
     */
    public boolean isGranted(int request) {
        return isIn(granted, request);
    }

    private static boolean isIn(int bits, int request) {
        return (bits >>> request & 1) != 0;
    }

    /** Tries all; see {@link LockManager#tryLockKeys(LockRequests)}. */
    boolean tryIn(LockManager manager) {
        done = 0;
        granted = 0;
        // Registering takes a latch of its own, and may fail: before any stripe is latched.
        for (int i = 0; i < count; i++) {
            manager.admit(owners[i], modes[i]);
            stripes[i] = manager.stripe(names[i]);
        }
        boolean allGranted = true;
        for (int i = 0; i < count; i++) {
            if (!isIn(done, i) && isNext(i)) {
                if (LockManager.isHeld(owners[i], names[i], modes[i])) {
                    granted |= 1 << i;
                } else {
                    pass(manager, i);
                }
            }
            // What is not next, now that all before it are done, is behind a refused one.
            done |= 1 << i;
            allGranted &= isIn(granted, i);
        }
        return allGranted;
    }

    /** Whether the owner holds all that it asks for before this. */
    private boolean isNext(int request) {
        return request == 0 || owners[request] != owners[request - 1] || isIn(granted, request - 1);
    }

    /** Grants what can be granted in the stripe of a request, from that on. */
    private void pass(LockManager manager, int first) {
        LockStripe stripe = stripes[first];
        stripe.latch();
        try {
            for (int i = first; i < count; i++) {
                if (stripes[i] == stripe && !isIn(done, i) && isNext(i)) {
                    if (manager.tryLockLatched(stripe, owners[i], names[i], modes[i])) {
                        granted |= 1 << i;
                    }
                    done |= 1 << i;
                }
            }
        } finally {
            stripe.unlatch();
        }
    }
}
