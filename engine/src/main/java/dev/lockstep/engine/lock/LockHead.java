package dev.lockstep.engine.lock;

/**
 * What a lock needs beyond its entry once it is shared or waited for: how often each part of a mode is granted and
 * waited for, the list of further grants, and the queue. Pooled by its stripe.
 *
 * <p>The queue is in the order of arrival, but for conversions. Some of the waiting requests wait for the converting
 * owner already: those that conflict with the mode it holds, and those that conflict with such a request before them.
 * To stand behind them would be a deadlock, and to stand before them takes nothing from anybody. So a conversion stands
 * right behind the last request that conflicts with it and does not wait for its owner. If there is none it is
 * <em>entitled</em>: it stands before all others, behind earlier entitled ones, and the queue does not concern it. A
 * request is blocked
 * <ul>
 *   <li>by the grants of other owners that conflict with it, and
 *   <li>unless it is entitled, by the requests before it in the queue that conflict with it, except those that conflict
 *       with the mode its owner holds.
 * </ul>
 * As soon as nothing blocks it, a conversion or an instant request is granted. The owner of any other is
 * <em>invited</em>: its request keeps its place in the queue, and the owner is woken to claim the lock. Had it been
 * granted, the lock would be held by an owner that does not run, everybody who runs would have to queue up at it, and a
 * queue, once formed, would never dissolve: the convoy of Blasgen, Gray, Mitchell and Price (The Convoy Phenomenon,
 * 1979), who mend it in this way. While the first of the queue is invited and has not come, a new request that only
 * the queue blocks may <em>pass</em> it. Who comes and finds the lock taken keeps its place, and is invited again. The
 * queue can be passed a limited number of times between two claims, and not at all once the first of it has come in
 * vain {@link #VAIN_CLAIMS_MAX} times; from then on the lock is as good as granted to it. What the
 * victim of a deadlock releases is kept for it at once.
 *
 * <p>Therefore:
 * <ul>
 *   <li>A waiting request is blocked by an owner for which it did not wait before, directly or through others, only if
 *       that owner passed it, and that happens a limited number of times: any other later request that goes first is
 *       compatible with it, or it waited for its owner anyway. So no request starves while transactions end.
 *   <li>A waiting request becomes blocked by another owner only at a moment when that owner runs, or begins to wait. So
 *       a deadlock arises only at the moment when its last member begins to wait.
 * </ul>
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code grantedCounts[i]} is the number of grants whose mode has part {@code i}, those in the entry included;
 *       {@code waitingCounts[i]} the same for the targets of the queue. Bit {@code i} of {@code grantedParts} and
 *       {@code waitingParts} says whether the count is positive.
 *   <li>{@code conversions} is the number of queued requests whose owner holds the lock.
 *   <li>Entitled requests stand before all others.
 *   <li>{@code passes} is at most {@code passesMax}. Conversions and instant requests are never invited.
 * </ul>
 *
 * <p>Thread-safety: guarded by the latch of the stripe.
 */
final class LockHead {
    /**
     * How often an owner comes in vain before the lock is kept for it. Each time costs it a wake-up, and whoever passed
     * it held the lock when it came, perhaps for long.
     */
    static final int VAIN_CLAIMS_MAX = 8;

    private final int[] grantedCounts = new int[LockMode.PARTS];
    private final int[] waitingCounts = new int[LockMode.PARTS];
    int grantedParts;
    int waitingParts;
    /** The first of the grants that are not in the entry; 0 if there is none. */
    int firstGrant;

    LockOwner first;
    LockOwner last;
    int conversions;
    /** How many requests have passed the queue since it arose, or since one of its requests was last claimed. */
    int passes;

    private final int passesMax;
    /** Where the stripe keeps this head. */
    final int place;
    /** The next free head of the stripe. */
    int nextFree;

    LockHead(int place, int passesMax) {
        this.place = place;
        this.passesMax = passesMax;
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
        int conflicts = LockMode.conflictsOf(mode);
        return (conflicts & grantedParts) != 0 || ((conflicts & waitingParts) != 0 && !canBePassed());
    }

    /** Whether a new request may be granted before those of the queue. */
    private boolean canBePassed() {
        LockOwner next = first;
        return next.invited && passes < passesMax && next.vainClaims < VAIN_CLAIMS_MAX;
    }

    /** Whether a request of an owner that holds the lock has to wait. */
    boolean blocks(int target, int held) {
        return (LockMode.conflictsOf(target) & grantedPartsWithout(held)) != 0 || findLastBlocker(target, held) != null;
    }

    /** Whether a request that is not entitled is blocked by one that stands before it. */
    static boolean isBlockedBy(int target, int held, int targetBefore) {
        return !LockMode.isCompatible(target, targetBefore) && LockMode.isCompatible(held, targetBefore);
    }

    /** Whether a waiting request is blocked by one that stands before it. */
    boolean isBlockedByQueue(LockOwner owner) {
        if (owner.entitled) {
            return false;
        }
        for (LockOwner other = owner.queuePrevious; other != null; other = other.queuePrevious) {
            if (isBlockedBy(owner.waitTarget, owner.waitHeld, other.waitTarget)) {
                return true;
            }
        }
        return false;
    }

    /** The last request of the queue that conflicts with a conversion and does not wait for its owner; null if none. */
    private LockOwner findLastBlocker(int target, int held) {
        int suspects = LockMode.conflictsOf(target) & waitingParts;
        // What the owner holds, and what those want that wait for it.
        int parts = LockMode.partsOf(held);
        LockOwner blocker = null;
        for (LockOwner other = first; other != null; other = other.queueNext) {
            if ((suspects & ~LockMode.conflictsOfSet(parts)) == 0) {
                // All the rest is compatible with the conversion or waits for its owner.
                break;
            }
            if ((LockMode.conflictsOf(other.waitTarget) & parts) != 0) {
                parts |= LockMode.partsOf(other.waitTarget);
            } else if (!LockMode.isCompatible(target, other.waitTarget)) {
                blocker = other;
            }
        }
        return blocker;
    }

    void enqueue(LockOwner owner) {
        if (first == null) {
            passes = 0;
        }
        boolean conversion = owner.waitHeld != LockMode.NONE;
        LockOwner previous = conversion ? findLastBlocker(owner.waitTarget, owner.waitHeld) : last;
        owner.entitled = conversion && previous == null;
        if (owner.entitled) {
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
