package dev.lockstep.engine.lock;

import java.util.Arrays;

/**
 * The grants of a stripe that do not fit into entries, in lists linked in both directions.
 *
 * <pre>
 *   four ints per grant, at index g:
 *     g      index of the owner
 *     g + 1  mode
 *     g + 2  next grant of the lock, or next free grant
 *     g + 3  previous grant of the lock
 * </pre>
 *
 * <p>Index 0 means none. Grants never move, so that a release finds its grant without searching, however many owners
 * share the lock.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Every index that is a multiple of {@link #INTS} from the first to {@code end} is free, or reserved, or in the
 *       list of one lock.
 * </ul>
 *
 * <p>Thread-safety: guarded by the latch of the stripe.
 */
final class GrantPool {
    private static final int OWNER = 0;
    private static final int MODE = 1;
    private static final int NEXT = 2;
    private static final int PREVIOUS = 3;
    private static final int INTS = 4;

    /** Grants that fit at first; the array then is about as long as a cache line pair. */
    private static final int GRANTS_INITIAL = 8;

    private int[] grants = new int[(GRANTS_INITIAL + 1) * INTS];
    private int end = INTS;
    private int firstFree;

    /** Takes a grant out of the pool. */
    int reserve() {
        int grant = firstFree;
        if (grant != 0) {
            firstFree = grants[grant + NEXT];
            return grant;
        }
        if (end == grants.length) {
            grants = Arrays.copyOf(grants, 2 * grants.length);
        }
        grant = end;
        end += INTS;
        return grant;
    }

    /** Gives a grant back that is in no list. */
    void free(int grant) {
        grants[grant + NEXT] = firstFree;
        firstFree = grant;
    }

    /** Puts a reserved grant into the list of a lock. */
    void link(LockHead head, int grant, int owner, int mode) {
        int next = head.firstGrant;
        grants[grant + OWNER] = owner;
        grants[grant + MODE] = mode;
        grants[grant + NEXT] = next;
        grants[grant + PREVIOUS] = 0;
        if (next != 0) {
            grants[next + PREVIOUS] = grant;
        }
        head.firstGrant = grant;
    }

    /** Takes a grant out of the list of a lock. */
    void unlink(LockHead head, int grant) {
        int next = grants[grant + NEXT];
        int previous = grants[grant + PREVIOUS];
        if (previous == 0) {
            head.firstGrant = next;
        } else {
            grants[previous + NEXT] = next;
        }
        if (next != 0) {
            grants[next + PREVIOUS] = previous;
        }
    }

    int owner(int grant) {
        return grants[grant + OWNER];
    }

    int mode(int grant) {
        return grants[grant + MODE];
    }

    void setMode(int grant, int mode) {
        grants[grant + MODE] = mode;
    }

    int next(int grant) {
        return grants[grant + NEXT];
    }

    int previous(int grant) {
        return grants[grant + PREVIOUS];
    }

    /** Returns how many grants there are, free, reserved and linked ones. */
    int count() {
        return end / INTS - 1;
    }

    /** Returns how many grants are free, or -1 if their list has a cycle. */
    int countFree() {
        int free = 0;
        for (int grant = firstFree; grant != 0; grant = grants[grant + NEXT]) {
            free++;
            if (free > count()) {
                return -1;
            }
        }
        return free;
    }
}
