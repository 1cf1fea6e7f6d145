package dev.lockstep.engine.lock;

/**
 * What a lock needs beyond its entry once it is shared or waited for: how often each part of a mode is granted and
 * waited for, the list of further grants, and the queue. Pooled by its stripe.
 *
 * <p>The queue is in the order of arrival, with one exception. A conversion that conflicts with no waiting request, except
 * with such as wait for the converting owner anyway, is <em>entitled</em>: it stands before all others, behind earlier
 * entitled ones. Making it wait behind those who wait for it would be a deadlock, and going before them takes nothing from
 * anybody. A request is blocked
 * <ul>
 *   <li>by the grants of other owners that conflict with it, and
 *   <li>by the requests before it in the queue that conflict with it, except those that conflict with the mode its owner
 *       already holds.
 * </ul>
 * It is granted as soon as nothing blocks it. So what blocks a waiting request never grows while it waits: a
 * later request passes it only if the two are compatible, or if its owner blocked the waiting one already. From this
 * follow that no request starves while transactions end, and that a deadlock arises only at the moment when its last
 * member begins to wait.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code grantedCounts[i]} is the number of grants whose mode has part {@code i}, those in the entry included;
 *       {@code waitingCounts[i]} the same for the targets of the queue. Bit {@code i} of {@code grantedParts} and
 *       {@code waitingParts} says whether the count is positive.
 *   <li>{@code conversions} is the number of queued requests whose owner holds the lock.
 *   <li>Entitled requests stand before all others.
 * </ul>
 *
 * <p>Thread-safety: guarded by the latch of the stripe.
 */
final class LockHead {
    private final int[] grantedCounts = new int[LockMode.PARTS];
    private final int[] waitingCounts = new int[LockMode.PARTS];
    int grantedParts;
    int waitingParts;
    /** The first of the grants that are not in the entry; 0 if there is none. */
    int firstGrant;

    LockOwner first;
    LockOwner last;
    int conversions;
    /** Where the stripe keeps this head. */
    final int place;
    /** The next free head of the stripe. */
    int nextFree;

    LockHead(int place) {
        this.place = place;
    }

    void addGranted(int mode) {
        grantedParts = add(grantedCounts, grantedParts, mode);
    }

    void removeGranted(int mode) {
        grantedParts = subtract(grantedCounts, grantedParts, mode);
    }

    /** The granted parts without one grant of the given mode. */
    int grantedPartsWithout(int mode) {
        int parts = grantedParts;
        for (int rest = LockMode.partsOf(mode); rest != 0; rest &= rest - 1) {
            int part = Integer.numberOfTrailingZeros(rest);
            if (grantedCounts[part] == 1) {
                parts &= ~(1 << part);
            }
        }
        return parts;
    }

    /** Whether a new request in this mode has to wait. */
    boolean blocks(int mode) {
        return ((grantedParts | waitingParts) & LockMode.conflictsOf(mode)) != 0;
    }

    /** Whether a request of an owner that holds the lock has to wait, because of a grant or of any waiting request. */
    boolean blocks(int target, int held) {
        return (LockMode.conflictsOf(target) & grantedPartsWithout(held)) != 0 || isBlockedByQueue(target, held, null);
    }

    /** Whether a request is blocked by one that stands before it. */
    static boolean isBlockedBy(int target, int held, int targetBefore) {
        return !LockMode.isCompatible(target, targetBefore) && LockMode.isCompatible(held, targetBefore);
    }

    /** Whether a request is blocked by one of the queue before {@code end}; null means the whole queue. */
    boolean isBlockedByQueue(int target, int held, LockOwner end) {
        if ((LockMode.conflictsOf(target) & waitingParts & ~LockMode.conflictsOf(held)) == 0) {
            return false;
        }
        for (LockOwner other = first; other != end; other = other.queueNext) {
            if (isBlockedBy(target, held, other.waitTarget)) {
                return true;
            }
        }
        return false;
    }

    void enqueue(LockOwner owner) {
        boolean conversion = owner.waitHeld != LockMode.NONE;
        owner.entitled = conversion && !isBlockedByQueue(owner.waitTarget, owner.waitHeld, null);
        LockOwner previous = last;
        if (owner.entitled) {
            previous = null;
            for (LockOwner other = first; other != null && other.entitled; other = other.queueNext) {
                previous = other;
            }
        }
        LockOwner next = previous == null ? first : previous.queueNext;
        owner.queuePrevious = previous;
        owner.queueNext = next;
        if (previous == null) {
            first = owner;
        } else {
            previous.queueNext = owner;
        }
        if (next == null) {
            last = owner;
        } else {
            next.queuePrevious = owner;
        }
        conversions += conversion ? 1 : 0;
        waitingParts = add(waitingCounts, waitingParts, owner.waitTarget);
    }

    void dequeue(LockOwner owner) {
        LockOwner previous = owner.queuePrevious;
        LockOwner next = owner.queueNext;
        if (previous == null) {
            first = next;
        } else {
            previous.queueNext = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.queuePrevious = previous;
        }
        owner.queuePrevious = null;
        owner.queueNext = null;
        conversions -= owner.waitHeld != LockMode.NONE ? 1 : 0;
        waitingParts = subtract(waitingCounts, waitingParts, owner.waitTarget);
    }

    /** Whether nothing but a sole grant, or none at all, is left. */
    boolean isIdle() {
        return first == null && firstGrant == 0;
    }

    /** Back to the state of a new head; to be called when the head goes back to the pool. */
    void reset() {
        // The grant in the entry, if any, is the only one still counted.
        for (int rest = grantedParts; rest != 0; rest &= rest - 1) {
            grantedCounts[Integer.numberOfTrailingZeros(rest)] = 0;
        }
        grantedParts = 0;
    }

    int grantedCount(int part) {
        return grantedCounts[part];
    }

    int waitingCount(int part) {
        return waitingCounts[part];
    }

    private static int add(int[] counts, int parts, int mode) {
        int changed = LockMode.partsOf(mode);
        for (int rest = changed; rest != 0; rest &= rest - 1) {
            counts[Integer.numberOfTrailingZeros(rest)]++;
        }
        return parts | changed;
    }

    private static int subtract(int[] counts, int parts, int mode) {
        int remaining = parts;
        for (int rest = LockMode.partsOf(mode); rest != 0; rest &= rest - 1) {
            int part = Integer.numberOfTrailingZeros(rest);
            if (--counts[part] == 0) {
                remaining &= ~(1 << part);
            }
        }
        return remaining;
    }
}
