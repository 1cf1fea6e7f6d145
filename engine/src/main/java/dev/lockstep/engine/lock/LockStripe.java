package dev.lockstep.engine.lock;

import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.Arrays;

/**
 * One part of the lock table: a chained hash table of lock entries, in arrays of numbers.
 *
 * <pre>
 *   three longs per entry, at index e:
 *     e      name
 *     e + 1  owner of the grant in the entry | mode
 *     e + 2  next entry of the bucket        | head
 *                   high 32 bits         low 32 bits
 * </pre>
 *
 * <p>The usual lock has one holder and nobody waits: it is an entry and nothing else. A second holder or a first waiter
 * gives it a {@link LockHead}, and further grants are linked from there ({@link GrantPool}). An index of 0 means none.
 * Entries never move while they are in use, so that a release finds its entry without searching.
 *
 * <p>The stripe also remembers who has released locks early ({@link EarlyReleases}).
 *
 * <p>Invariants:
 * <ul>
 *   <li>Every entry is either in exactly one bucket's chain, that of its name, or in the free list; no two entries of
 *       the chains have the same name.
 *   <li>An entry without a head has a grant in it. An entry with a head has a grant in it, a further grant, or a queue
 *       whose first owner is invited.
 *   <li>No two grants of one entry conflict, and no two have the same owner.
 *   <li>While the stripe is not latched, every request in a queue is blocked ({@link LockHead}), or its owner is
 *       invited, or stands behind {@link #INVITATIONS_MAX} that are.
 *   <li>Ending a wait and releasing allocate nothing: a queued request has its grant reserved.
 * </ul>
 *
 * <p>Thread-safety: every method but {@link #latch()} is called with the stripe latched.
 */
class LockStripe {
    /** What {@link #acquire} and {@link #convert} return when the caller has to wait. */
    static final boolean BLOCKED = false;

    private static final int NAME = 0;
    private static final int HOLDER = 1;
    private static final int LINKS = 2;
    private static final int ENTRY_LONGS = 3;

    private static final int NO_OWNER = -1;

    /** Entries that fit at first; a power of two. What a few transactions lock then fits without growing. */
    private static final int ENTRIES_INITIAL = 32;

    private static final int HEADS_INITIAL = 4;

    /**
     * Owners that are invited to one lock at a time. They stay in the queue until they come, and every release in
     * between goes through them; each that comes makes room for another. More than there are processors need not come
     * at once.
     */
    static final int INVITATIONS_MAX = 16;

    /** The bits of a name that choose the bucket; lower ones choose group and stripe, higher ones the owner's slot. */
    private static final int BUCKET_SHIFT = 16;

    private final SpinLatch latch;
    private final LockManager manager;

    private long[] entries = new long[(ENTRIES_INITIAL + 1) * ENTRY_LONGS];
    private int entriesEnd = ENTRY_LONGS;
    private int freeEntry;
    private int entryCount;
    private int[] buckets = new int[ENTRIES_INITIAL];

    private final GrantPool grants = new GrantPool();

    private LockHead[] heads = new LockHead[HEADS_INITIAL];
    private int headsEnd = 1;
    private int freeHead;

    private final EarlyReleases releases;

    private long waits;
    private long conversionWaits;

    LockStripe(LockManager manager) {
        this.manager = manager;
        latch = new SpinLatch(manager.watch());
        releases = new EarlyReleases(manager.stripeCount());
    }

    /**
     * Latches the stripe. A virtual thread spins and does not yield: the caller may hold other latches, and once it is
     * off its carrier, threads that spin and yield for those may keep it off for good. Spinning ends, because nobody
     * waits or yields while a stripe is latched.
     */
    void latch() {
        if (!latch.tryLatch()) {
            latchContended();
        }
    }

    private void latchContended() {
        boolean yields = !Thread.currentThread().isVirtual();
        int round = 0;
        while (!latch.tryLatch()) {
            if (yields) {
                round = Backoff.pause(round, manager.watch());
            } else {
                Thread.onSpinWait();
                round++;
                if (round % Backoff.ROUNDS_PER_LOOK == 0) {
                    manager.watch().look();
                }
            }
        }
    }

    void unlatch() {
        latch.unlatch();
    }

    // ---- requests

    /**
     * Grants a lock that the owner does not hold, if nothing blocks the request.
     *
     * @param slot where the owner's set of locks takes it
     * @return {@link #BLOCKED}, or true
     */
    boolean acquire(LockOwner owner, long name, int mode, int slot) {
        int entry = find(name);
        int grant = 0;
        if (entry == 0) {
            entry = insert(name, owner.index(), mode);
        } else {
            int place = headOf(entry);
            if (place == 0) {
                if (!LockMode.isCompatible(mode, modeOf(entry))) {
                    return BLOCKED;
                }
                place = inflate(entry);
            }
            LockHead head = heads[place];
            if (head.blocks(mode)) {
                return BLOCKED;
            }
            if ((LockMode.conflictsOf(mode) & head.waitingParts) != 0) {
                head.passes++;
            }
            if (ownerOf(entry) == NO_OWNER) {
                setHolder(entry, owner.index(), mode);
            } else {
                grant = grants.reserve();
                grants.link(head, grant, owner.index(), mode);
            }
            head.addGranted(mode);
        }
        raiseDependsOnLsn(owner, name, mode);
        owner.add(name, mode, entry, grant, slot);
        return true;
    }

    /**
     * Raises the mode of a lock that the owner holds, if nothing blocks the conversion.
     *
     * @param position the position of the lock among those of the owner
     * @param target the supremum of the mode held and the mode wanted
     * @return {@link #BLOCKED}, or true
     */
    boolean convert(LockOwner owner, int position, int target) {
        int entry = owner.entry(position);
        int held = owner.mode(position);
        LockHead head = heads[headOf(entry)];
        if (head != null) {
            if (head.blocks(target, held)) {
                return BLOCKED;
            }
            head.removeGranted(held);
            head.addGranted(target);
        }
        setMode(entry, owner.grant(position), target);
        raiseDependsOnLsn(owner, owner.name(position), target);
        owner.setMode(position, target);
        return true;
    }

    /**
     * Tells whether a request would be granted now, without keeping anything.
     *
     * @param position the position of the lock among those of the owner, or negative if it is not held
     */
    boolean isFree(LockOwner owner, long name, int mode, int position) {
        boolean isFree;
        if (position >= 0) {
            LockHead head = heads[headOf(owner.entry(position))];
            isFree = head == null || !head.blocks(mode, owner.mode(position));
        } else {
            int entry = find(name);
            LockHead head = heads[headOf(entry)];
            isFree = head == null ? LockMode.isCompatible(mode, modeOf(entry)) : !head.blocks(mode);
        }
        if (isFree) {
            raiseDependsOnLsn(owner, name, mode);
        }
        return isFree;
    }

    /**
     * Puts a blocked request into the queue of its lock. The caller has prepared the owner's waiter.
     *
     * @param position the position of the lock among those of the owner, or negative if it is not held
     * @param target the mode held when granted; for an instant request, the mode asked for
     */
    void enqueue(LockOwner owner, long name, int target, int position, boolean instant) {
        int entry = find(name);
        int place = headOf(entry);
        if (place == 0) {
            place = inflate(entry);
        }
        boolean held = position >= 0;
        owner.waitGrant = held ? owner.grant(position) : instant ? 0 : grants.reserve();
        owner.waitHeld = held ? owner.mode(position) : LockMode.NONE;
        owner.setWaitNameOpaque(name);
        owner.waitTarget = target;
        owner.waitInstant = instant;
        owner.waitEntry = entry;
        owner.invited = false;
        owner.vainClaims = 0;
        heads[place].enqueue(owner);
        waits++;
        conversionWaits += held && !instant ? 1 : 0;
        owner.setWaitStateRelease(LockOwner.WAITING);
    }

    /**
     * Grants the request of an owner that was invited, unless others were faster.
     *
     * @return the first of the owners to wake, see {@link LockManager#wake}
     */
    LockOwner claim(LockOwner owner) {
        int entry = owner.waitEntry;
        LockHead head = heads[headOf(entry)];
        owner.invited = false;
        if ((LockMode.conflictsOf(owner.waitTarget) & head.grantedParts) != 0 || head.isBlockedByQueue(owner)) {
            owner.vainClaims++;
        } else {
            head.dequeue(owner);
            head.passes = 0;
            grant(owner, entry, head, LockOwner.GRANTED);
        }
        // In its place another can be invited.
        LockOwner woken = head.first == null ? null : grantWaiting(entry, head);
        deflate(entry, head);
        return woken;
    }

    /**
     * Takes a waiting request out of its queue.
     *
     * @param state what the owner's wait ends as
     * @return the first of the owners to wake, see {@link LockManager#wake}
     */
    LockOwner withdraw(LockOwner owner, int state) {
        int entry = owner.waitEntry;
        LockHead head = heads[headOf(entry)];
        head.dequeue(owner);
        if (owner.waitHeld == LockMode.NONE && owner.waitGrant != 0) {
            grants.free(owner.waitGrant);
        }
        LockOwner woken = grantWaiting(entry, head);
        deflate(entry, head);
        owner.setWaitStateRelease(state);
        return woken;
    }

    /**
     * Keeps the lock of an entry for those who wait for it: nobody passes them before the first of them has come. To be
     * called before the release by the victim of a deadlock, which would otherwise take the lock again before they
     * wake, and be the victim again.
     */
    void keepForQueue(int entry) {
        LockHead head = heads[headOf(entry)];
        if (head != null) {
            head.passes = manager.passesMax();
        }
    }

    /**
     * Releases one grant.
     *
     * @return the first of the owners to wake, see {@link LockManager#wake}
     */
    LockOwner release(long name, int entry, int grant, int mode) {
        long links = entries[entry + LINKS];
        int place = (int) links;
        if (place == 0) {
            remove(name, entry, (int) (links >>> Integer.SIZE));
            return null;
        }
        LockHead head = heads[place];
        head.removeGranted(mode);
        if (grant == 0) {
            setHolder(entry, NO_OWNER, LockMode.NONE);
        } else {
            grants.unlink(head, grant);
            grants.free(grant);
        }
        LockOwner woken = head.first == null ? null : grantWaiting(entry, head);
        deflate(entry, head);
        return woken;
    }

    // ---- tables whose locks owners hold at their own places, see OpenTables

    /**
     * Takes over a lock that conflicts with nothing here.
     *
     * @return its entry and its grant
     */
    long adopt(int owner, long name, int mode) {
        int entry = find(name);
        int grant = 0;
        if (entry == 0) {
            entry = insert(name, owner, mode);
        } else {
            int place = headOf(entry);
            if (place == 0) {
                place = inflate(entry);
            }
            LockHead head = heads[place];
            if (ownerOf(entry) == NO_OWNER) {
                setHolder(entry, owner, mode);
            } else {
                grant = grants.reserve();
                grants.link(head, grant, owner, mode);
            }
            head.addGranted(mode);
        }
        return (long) entry << Integer.SIZE | grant;
    }

    /** Takes back an {@link #adopt} under the same latch. Nobody waits. */
    void disown(long name, long grant, int mode) {
        release(name, (int) (grant >>> Integer.SIZE), (int) grant, mode);
    }

    /** The modes that a table's lock can be open for, as it is granted now; {@link OpenTable#CLOSED} if for none. */
    int modesToOpenFor(long name) {
        return mayBeOpen(name, OpenTable.INTENTIONS)
                ? OpenTable.INTENTIONS
                : mayBeOpen(name, OpenTable.READS) ? OpenTable.READS : OpenTable.CLOSED;
    }

    /** Whether nobody waits for a table's lock and all its grants are of some modes. */
    boolean mayBeOpen(long name, int modes) {
        int entry = find(name);
        LockHead head = heads[headOf(entry)];
        if (head == null) {
            return entry == 0 || (modes >>> modeOf(entry) & 1) != 0;
        }
        // Key part k is bit k - 1 of a set of parts.
        return head.first == null && (head.grantedParts & ~(modes >>> 1)) == 0;
    }

    /** Who has released locks of this stripe early. */
    EarlyReleases releases() {
        return releases;
    }

    /** Raises what an owner depends on, which now holds a lock in a mode. */
    void raiseDependsOnLsn(LockOwner owner, long name, int mode) {
        if (owner.isTrackingDependency()) {
            owner.raiseDependsOnLsn(releases.lsn(name, mode));
        }
    }

    /**
     * Grants every conversion and every instant request of the queue that nothing blocks, and invites the owners of
     * the others that nothing blocks; returns them all as a list for {@link LockManager#wake}.
     */
    private LockOwner grantWaiting(int entry, LockHead head) {
        LockOwner firstWoken = null;
        LockOwner lastWoken = null;
        int partsBefore = 0;
        int conversionsAhead = head.conversions;
        int invitations = 0;
        LockOwner next;
        for (LockOwner owner = head.first; owner != null; owner = next) {
            next = owner.queueNext;
            int target = owner.waitTarget;
            int held = owner.waitHeld;
            int conflicts = LockMode.conflictsOf(target);
            boolean free;
            if (held == LockMode.NONE) {
                free = (conflicts & (head.grantedParts | partsBefore)) == 0;
            } else {
                conversionsAhead--;
                free = (conflicts & head.grantedPartsWithout(held)) == 0
                        && ((conflicts & partsBefore) == 0 || !head.isBlockedByQueue(owner));
            }
            boolean kept = !free || (held == LockMode.NONE && !owner.waitInstant);
            boolean woken = free;
            if (kept) {
                partsBefore |= LockMode.partsOf(target);
                if (free) {
                    invitations++;
                    woken = invite(owner);
                }
            } else {
                head.dequeue(owner);
                grant(owner, entry, head, LockOwner.GRANTING);
            }
            if (woken) {
                owner.wakeNext = null;
                if (lastWoken == null) {
                    firstWoken = owner;
                } else {
                    lastWoken.wakeNext = owner;
                }
                lastWoken = owner;
            }
            // Once every waiting part conflicts with something granted or passed over, the rest of the queue is
            // blocked.
            if (conversionsAhead == 0
                    && (invitations >= INVITATIONS_MAX
                            || (head.waitingParts & ~LockMode.conflictsOfSet(head.grantedParts | partsBefore)) == 0)) {
                break;
            }
        }
        return firstWoken;
    }

    /** Tells the owner of a free request to come; returns whether it has to be woken for that. */
    private static boolean invite(LockOwner owner) {
        if (owner.invited) {
            return false;
        }
        owner.invited = true;
        if (owner.isInvitingAcquire()) {
            // Somebody who invited it earlier has yet to signal; that signal will do. To say so once more might come
            // behind what that one takes back, and be taken back by nobody.
            return false;
        }
        owner.setInvitingRelease(true);
        return true;
    }

    private void grant(LockOwner owner, int entry, LockHead head, int state) {
        int target = owner.waitTarget;
        if (!owner.waitInstant) {
            if (owner.waitHeld != LockMode.NONE) {
                head.removeGranted(owner.waitHeld);
                setMode(entry, owner.waitGrant, target);
            } else if (ownerOf(entry) == NO_OWNER) {
                setHolder(entry, owner.index(), target);
                grants.free(owner.waitGrant);
                owner.waitGrant = 0;
            } else {
                grants.link(head, owner.waitGrant, owner.index(), target);
            }
            head.addGranted(target);
        }
        raiseDependsOnLsn(owner, owner.waitNameOpaque(), target);
        owner.setWaitStateRelease(state);
    }

    // ---- deadlock detection

    /**
     * Hands the detector owners that are waiting and block the given one, which waits in this stripe, such that
     * whoever is reachable over all its blockers is reachable over these. For a plain request it leaves out
     * <ul>
     *   <li>earlier plain requests that conflict with no more than this one does: what blocks them blocks this one, and
     *   <li>everything before an earlier plain request that conflicts with all that this one conflicts with: it is
     *       among the blockers of that one.
     * </ul>
     * So a queue of writers behind one holder costs one step and not one per writer.
     */
    void collectBlockers(LockOwner owner, DeadlockDetector detector) {
        int entry = owner.waitEntry;
        LockHead head = heads[headOf(entry)];
        boolean isPlain = owner.waitHeld == LockMode.NONE;
        int conflicts = LockMode.conflictsOf(owner.waitTarget);
        boolean queueMatters =
                !isPlain || head.conversions != 0 || (LockMode.conflictsOfSet(head.waitingParts) & ~conflicts) != 0;
        if (queueMatters && !owner.entitled) {
            for (LockOwner other = owner.queuePrevious; other != null; other = other.queuePrevious) {
                if (LockHead.isBlockedBy(owner.waitTarget, owner.waitHeld, other.waitTarget)) {
                    int otherConflicts = LockMode.conflictsOf(other.waitTarget);
                    boolean bothPlain = isPlain && other.waitHeld == LockMode.NONE;
                    if (!bothPlain || (otherConflicts & ~conflicts) != 0) {
                        detector.addBlocker(other);
                        if (bothPlain && (conflicts & ~otherConflicts) == 0) {
                            return;
                        }
                    }
                }
            }
        }
        addHolder(owner, ownerOf(entry), modeOf(entry), detector);
        for (int grant = head.firstGrant; grant != 0; grant = grants.next(grant)) {
            addHolder(owner, grants.owner(grant), grants.mode(grant), detector);
        }
    }

    private void addHolder(LockOwner owner, int holder, int mode, DeadlockDetector detector) {
        if (holder != NO_OWNER && holder != owner.index() && !LockMode.isCompatible(owner.waitTarget, mode)) {
            LockOwner other = manager.owner(holder);
            if (other.isWaitingAcquire()) {
                detector.addBlocker(other);
            }
        }
    }

    // ---- entries

    private int find(long name) {
        long[] table = entries;
        int[] chains = buckets;
        int entry = chains[bucket(name, chains)];
        // Ends because a chain has no cycle.
        while (entry != 0 && table[entry + NAME] != name) {
            entry = (int) (table[entry + LINKS] >>> Integer.SIZE);
        }
        return entry;
    }

    private static int bucket(long name, int[] chains) {
        return (int) (name >>> BUCKET_SHIFT) & chains.length - 1;
    }

    private int insert(long name, int owner, int mode) {
        int entry = freeEntry;
        if (entry != 0) {
            freeEntry = nextOf(entry);
        } else {
            if (entriesEnd == entries.length) {
                growEntries();
            }
            entry = entriesEnd;
            entriesEnd += ENTRY_LONGS;
        }
        entryCount++;
        long[] table = entries;
        int[] chains = buckets;
        int bucket = bucket(name, chains);
        table[entry + NAME] = name;
        table[entry + HOLDER] = (long) owner << Integer.SIZE | mode;
        table[entry + LINKS] = (long) chains[bucket] << Integer.SIZE;
        chains[bucket] = entry;
        return entry;
    }

    private void remove(long name, int entry, int next) {
        int[] chains = buckets;
        int bucket = bucket(name, chains);
        int previous = chains[bucket];
        if (previous == entry) {
            chains[bucket] = next;
        } else {
            // Ends because the entry is in this chain.
            while (nextOf(previous) != entry) {
                previous = nextOf(previous);
            }
            entries[previous + LINKS] = (long) next << Integer.SIZE | headOf(previous);
        }
        entries[entry + LINKS] = (long) freeEntry << Integer.SIZE;
        freeEntry = entry;
        entryCount--;
    }

    /** Doubles entries and buckets, so that there is at least one bucket for every entry. */
    private void growEntries() {
        int capacity = 2 * (entries.length / ENTRY_LONGS - 1);
        long[] newEntries = Arrays.copyOf(entries, (capacity + 1) * ENTRY_LONGS);
        int[] newBuckets = new int[capacity];
        int[] oldBuckets = buckets;
        entries = newEntries;
        buckets = newBuckets;
        for (int first : oldBuckets) {
            int next;
            for (int entry = first; entry != 0; entry = next) {
                next = nextOf(entry);
                int bucket = bucket(entries[entry + NAME], newBuckets);
                entries[entry + LINKS] = (long) newBuckets[bucket] << Integer.SIZE | headOf(entry);
                newBuckets[bucket] = entry;
            }
        }
    }

    private int nextOf(int entry) {
        return (int) (entries[entry + LINKS] >>> Integer.SIZE);
    }

    private int headOf(int entry) {
        return (int) entries[entry + LINKS];
    }

    private int ownerOf(int entry) {
        return (int) (entries[entry + HOLDER] >>> Integer.SIZE);
    }

    private int modeOf(int entry) {
        return (int) entries[entry + HOLDER];
    }

    private void setHolder(int entry, int owner, int mode) {
        entries[entry + HOLDER] = (long) owner << Integer.SIZE | mode;
    }

    private void setMode(int entry, int grant, int mode) {
        if (grant == 0) {
            setHolder(entry, ownerOf(entry), mode);
        } else {
            grants.setMode(grant, mode);
        }
    }

    // ---- heads and further grants

    private int inflate(int entry) {
        int place = freeHead;
        if (place != 0) {
            freeHead = heads[place].nextFree;
        } else {
            if (headsEnd == heads.length) {
                heads = Arrays.copyOf(heads, 2 * headsEnd);
            }
            place = headsEnd;
            heads[place] = new LockHead(place, manager.passesMax());
            headsEnd++;
        }
        heads[place].addGranted(modeOf(entry));
        entries[entry + LINKS] |= place;
        return place;
    }

    /** Takes the head away from an entry that needs none any more, and removes the entry if nobody holds it. */
    private void deflate(int entry, LockHead head) {
        if (head.isIdle()) {
            head.reset();
            head.nextFree = freeHead;
            freeHead = head.place;
            entries[entry + LINKS] = (long) nextOf(entry) << Integer.SIZE;
            if (ownerOf(entry) == NO_OWNER) {
                remove(entries[entry + NAME], entry, nextOf(entry));
            }
        }
    }

    // ---- counts and validation

    int entryCount() {
        return entryCount;
    }

    boolean hasEntry(long name) {
        return find(name) != 0;
    }

    long waits() {
        return waits;
    }

    long conversionWaits() {
        return conversionWaits;
    }

    /** Returns the number of requests in all queues. */
    int countWaiting() {
        int count = 0;
        for (int first : buckets) {
            for (int entry = first; entry != 0; entry = nextOf(entry)) {
                LockHead head = heads[headOf(entry)];
                for (LockOwner owner = head == null ? null : head.first; owner != null; owner = owner.queueNext) {
                    count++;
                }
            }
        }
        return count;
    }

    /** Writes down the requests of this stripe: those for locks that somebody waits for, or those for the others. */
    void list(LockListing into, boolean waitedFor) {
        for (int first : buckets) {
            for (int entry = first; entry != 0; entry = nextOf(entry)) {
                LockHead head = heads[headOf(entry)];
                if ((head != null && head.first != null) == waitedFor) {
                    list(into, entry);
                }
            }
        }
    }

    /** Writes down the requests for one lock. */
    void list(LockListing into, long name) {
        int entry = find(name);
        if (entry != 0) {
            list(into, entry);
        }
    }

    private void list(LockListing into, int entry) {
        long name = entries[entry + NAME];
        LockHead head = heads[headOf(entry)];
        if (ownerOf(entry) != NO_OWNER) {
            into.add(name, ownerOf(entry), modeOf(entry), false);
        }
        for (int grant = head == null ? 0 : head.firstGrant; grant != 0; grant = grants.next(grant)) {
            into.add(name, grants.owner(grant), grants.mode(grant), false);
        }
        for (LockOwner owner = head == null ? null : head.first; owner != null; owner = owner.queueNext) {
            into.add(name, owner.index(), owner.waitTarget, true);
        }
    }

    /**
     * Checks the invariants of this stripe.
     *
     * @throws IllegalStateException if one is broken
     */
    void validate() {
        int entriesSeen = 0;
        int headsSeen = 0;
        int grantsSeen = 0;
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            for (int entry = buckets[bucket]; entry != 0; entry = nextOf(entry)) {
                entriesSeen++;
                LockHeadRules.require(entriesSeen <= entryCount, "a bucket's chain has a cycle", entry);
                LockHeadRules.require(
                        bucket(entries[entry + NAME], buckets) == bucket, "an entry is in the wrong bucket", entry);
                LockHeadRules.require(find(entries[entry + NAME]) == entry, "a name has two entries", entry);
                LockHead head = heads[headOf(entry)];
                if (head == null) {
                    LockHeadRules.require(ownerOf(entry) != NO_OWNER, "an entry without a head has no holder", entry);
                    LockHeadRules.require(LockMode.isValid(modeOf(entry)), "an entry has an invalid mode", entry);
                } else {
                    headsSeen++;
                    grantsSeen += LockHeadRules.validate(
                            head, grants, entry, ownerOf(entry) == NO_OWNER ? LockMode.NONE : modeOf(entry));
                }
            }
        }
        LockHeadRules.require(entriesSeen == entryCount, "entries are missing from the chains", entriesSeen);
        int entriesFree = 0;
        for (int entry = freeEntry; entry != 0; entry = nextOf(entry)) {
            entriesFree++;
            LockHeadRules.require(
                    entriesFree * ENTRY_LONGS < entriesEnd, "the list of free entries has a cycle", entry);
        }
        LockHeadRules.require(
                (entriesSeen + entriesFree + 1) * ENTRY_LONGS == entriesEnd, "entries are lost", entriesFree);
        int headsFree = 0;
        for (int place = freeHead; place != 0; place = heads[place].nextFree) {
            headsFree++;
            LockHeadRules.require(headsFree < headsEnd, "the list of free heads has a cycle", place);
            LockHeadRules.require(
                    heads[place].grantedParts == 0 && heads[place].waitingParts == 0, "a free head counts", place);
        }
        LockHeadRules.require(headsSeen + headsFree + 1 == headsEnd, "heads are lost", headsFree);
        int grantsFree = grants.countFree();
        LockHeadRules.require(grantsSeen + grantsFree == grants.count(), "grants are lost", grantsFree);
    }
}
