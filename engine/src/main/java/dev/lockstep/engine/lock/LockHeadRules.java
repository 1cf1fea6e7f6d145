package dev.lockstep.engine.lock;

/** The rules that hold for a lock with a {@link LockHead} while its stripe is latched and at rest. */
final class LockHeadRules {
    private LockHeadRules() {}

    /**
     * Checks a head against the grants and requests that it counts.
     *
     * @param grants of the stripe
     * @param entry of the lock, to be named in messages
     * @param holderMode of the grant in the entry, {@link LockMode#NONE} if there is none
     * @return how many grants the lock uses or has reserved
     * @throws IllegalStateException if something does not agree
     */
    static int validate(LockHead head, GrantPool grants, int entry, int holderMode) {
        int[] counts = new int[LockMode.PARTS];
        int used = 0;
        boolean inEntry = holderMode != LockMode.NONE;
        require(
                inEntry || head.firstGrant != 0 || (head.first != null && head.first.invited),
                "an entry has no holder",
                entry);
        if (inEntry) {
            count(counts, holderMode, 1);
        }
        int previous = 0;
        for (int grant = head.firstGrant; grant != 0; grant = grants.next(grant)) {
            used++;
            require(used <= grants.count(), "a list of grants has a cycle", entry);
            require(grants.previous(grant) == previous, "a list of grants is torn", entry);
            previous = grant;
            count(counts, grants.mode(grant), 1);
            int parts = head.grantedPartsWithout(grants.mode(grant));
            require((LockMode.conflictsOf(grants.mode(grant)) & parts) == 0, "two grants of a lock conflict", entry);
        }
        if (inEntry) {
            require(
                    (LockMode.conflictsOf(holderMode) & head.grantedPartsWithout(holderMode)) == 0,
                    "two grants of a lock conflict",
                    entry);
        }
        for (int part = 0; part < LockMode.PARTS; part++) {
            require(head.grantedCount(part) == counts[part], "grants are miscounted", entry);
            require((head.grantedParts >> part & 1) == (counts[part] > 0 ? 1 : 0), "granted parts are wrong", entry);
        }
        int[] waitingCounts = new int[LockMode.PARTS];
        int conversions = 0;
        int invitations = 0;
        boolean entitledAllowed = true;
        LockOwner before = null;
        for (LockOwner owner = head.first; owner != null; owner = owner.queueNext) {
            require(owner.queuePrevious == before, "a queue is torn", entry);
            require(owner.isWaitingAcquire() && owner.waitEntry == entry, "a queued owner waits elsewhere", entry);
            require(entitledAllowed || !owner.entitled, "an entitled request stands behind others", entry);
            entitledAllowed = owner.entitled;
            before = owner;
            count(waitingCounts, owner.waitTarget, 1);
            conversions += owner.waitHeld != LockMode.NONE ? 1 : 0;
            used += owner.waitHeld == LockMode.NONE && owner.waitGrant != 0 ? 1 : 0;
            int parts = head.grantedPartsWithout(owner.waitHeld);
            require(
                    owner.invited
                            || invitations >= LockStripe.INVITATIONS_MAX
                            || (LockMode.conflictsOf(owner.waitTarget) & parts) != 0
                            || head.isBlockedByQueue(owner),
                    "a queued request is neither blocked nor invited",
                    entry);
            require(
                    !owner.invited || (owner.waitHeld == LockMode.NONE && !owner.waitInstant),
                    "a conversion or an instant request is invited",
                    entry);
            invitations += owner.invited ? 1 : 0;
        }
        require(head.last == before, "a queue has the wrong end", entry);
        require(head.conversions == conversions, "conversions are miscounted", entry);
        for (int part = 0; part < LockMode.PARTS; part++) {
            require(head.waitingCount(part) == waitingCounts[part], "requests are miscounted", entry);
            require(
                    (head.waitingParts >> part & 1) == (waitingCounts[part] > 0 ? 1 : 0),
                    "waiting parts are wrong",
                    entry);
        }
        return used;
    }

    private static void count(int[] counts, int mode, int by) {
        for (int rest = LockMode.partsOf(mode); rest != 0; rest &= rest - 1) {
            counts[Integer.numberOfTrailingZeros(rest)] += by;
        }
    }

    /** Throws if a rule of the lock table is broken; {@code where} is an index in it. */
    static void require(boolean condition, String broken, int where) {
        if (!condition) {
            throw new IllegalStateException("lock table: " + broken + ", where=" + where);
        }
    }
}
