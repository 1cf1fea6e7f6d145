package dev.lockstep.engine.lock;

import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.InterruptedOperationException;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Message;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.LatchWatch;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * The lock table: two-phase locks on hashed names, with conversions, queues, deadlock detection and early release.
 *
 * <p>After the lock managers of Gray and Reuter (Transaction Processing, 1993, 8.4), with names hashed to 64 bits,
 * key and gap locked separately ({@link LockMode}), and early lock release after Johnson, Pandis, Stoica, Athanassoulis
 * and Ailamaki (Aether, VLDB 2010): see {@link #releaseAll}.
 *
 * <p>The table is divided into stripes, each under one short latch, and the stripes into groups ({@link LockName}):
 * keys that begin alike are in the stripes of one group. Where each processor serves other tenants or warehouses than
 * the others do, each then has stripes of its own most of the time, whose cache lines stay with it. A lock that nobody
 * else wants costs two passes through its stripe, one to take and one to release it, which it shares with its
 * neighbours in the same stripe where several are taken or released together; asking again for a lock that is
 * held touches nothing but the owner. Neither allocates, once the arrays have reached their size. The rules of the
 * queue are those of {@link LockHead}; what is known about deadlocks is at {@link DeadlockDetector}.
 *
 * <p>Locks are never escalated: a transaction holds exactly the locks that it asked for, however many.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A lock is in the set of its owner exactly while the stripe of its name has a grant with the index of that
 *       owner, or, of a table, while the owner holds it at its own place ({@link OpenTables}).
 *   <li>Only the deadlock detector holds more than one stripe latch, and it takes them in ascending order.
 *   <li>No latch is held while waiting or signalling.
 * </ul>
 *
 * <p>Thread-safety: any number of threads, each with an owner of its own.
 */
public final class LockManager {
    /** Stripes above this number cost memory and make breaking a deadlock slow, and win nothing on today's machines. */
    public static final int STRIPES_MAX = 1 << 12;

    /** Stripes of one group: as many as the lowest bits of a name tell apart. */
    public static final int STRIPES_PER_GROUP_MAX = 1 << LockName.GROUP_SHIFT;

    /**
     * How often a queue can be passed between two claims, see {@link LockHead}: a hundred threads with turns of 40
     * transactions on one processor, all before the owner that was invited gets its turn.
     */
    static final int PASSES_MAX = 1 << 12;

    /**
     * How many locks are released under one hold of a stripe's latch, for which others spin meanwhile: as many as most
     * transactions have in one stripe, and less than a microsecond.
     */
    static final int RUN_MAX = 32;

    private final LockStripe[] stripes;
    private final int groupMask;
    private final int groupShift;
    private final int placeMask;
    private final int passesMax;
    private final LatchWatch watch;
    private final DeadlockDetector detector;
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder interrupts = new LongAdder();

    private final LockOwners owners;
    private final OpenTables openTables = new OpenTables(this);
    private volatile Function<Object, String> placeNames = String::valueOf;

    /**
     * Creates an empty lock table of one group of stripes.
     *
     * @param stripeCount number of stripes, a power of two from 1 to {@link #STRIPES_PER_GROUP_MAX}
     */
    public LockManager(int stripeCount) {
        this(1, stripeCount, LatchWatch.NONE);
    }

    /**
     * Creates an empty lock table.
     *
     * @param groupCount number of groups of stripes, a power of two; as many times the processors as make it rare that
     *     two processors work in one
     * @param stripesPerGroup a power of two up to {@link #STRIPES_PER_GROUP_MAX}, a few times the number of threads
     *     that run at once, all of which may be in one group; both together at most {@link #STRIPES_MAX} stripes
     * @param watch throws once the locks will never be released in order: that ends every wait, for latches and, after
     *     {@link #wakeAll}, for locks
     */
    public LockManager(int groupCount, int stripesPerGroup, LatchWatch watch) {
        this(groupCount, stripesPerGroup, watch, PASSES_MAX, LockFault.stripeMaker());
    }

    /** For tests: with stripes of their own making, and queues that can be passed so often between two claims. */
    LockManager(int stripeCount, int passesMax, Function<LockManager, LockStripe> maker) {
        this(1, stripeCount, LatchWatch.NONE, passesMax, maker);
    }

    private LockManager(
            int groupCount,
            int stripesPerGroup,
            LatchWatch watch,
            int passesMax,
            Function<LockManager, LockStripe> maker) {
        checkStripes(groupCount, stripesPerGroup);
        this.watch = watch;
        this.passesMax = passesMax;
        owners = new LockOwners(watch);
        detector = new DeadlockDetector(this);
        groupMask = groupCount - 1;
        groupShift = Integer.numberOfTrailingZeros(stripesPerGroup);
        placeMask = stripesPerGroup - 1;
        stripes = new LockStripe[groupCount * stripesPerGroup];
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = maker.apply(this);
        }
    }

    /** Says how messages name what {@link LockOwner#setWaitPlace} was given; asked with no latch held. */
    public void namePlacesBy(Function<Object, String> names) {
        placeNames = names;
    }

    int stripeCount() {
        return stripes.length;
    }

    int passesMax() {
        return passesMax;
    }

    private static void checkStripes(int groupCount, int stripesPerGroup) {
        if (Integer.bitCount(groupCount) != 1
                || Integer.bitCount(stripesPerGroup) != 1
                || groupCount < 1
                || groupCount > LockName.GROUPS_MAX
                || stripesPerGroup < 1
                || stripesPerGroup > STRIPES_PER_GROUP_MAX
                || groupCount * stripesPerGroup > STRIPES_MAX) {
            throw new IllegalArgumentException("the numbers of groups and of their stripes must be powers of two:"
                    + " groupCount=" + groupCount + " groupCountMax=" + LockName.GROUPS_MAX + " stripesPerGroup="
                    + stripesPerGroup + " stripesPerGroupMax=" + STRIPES_PER_GROUP_MAX + " stripeCountMax="
                    + STRIPES_MAX + "; remedy: choose 64 and 8");
        }
    }

    /**
     * Takes a lock and keeps it until it is released. If the owner holds it in another mode, the mode is raised to the
     * supremum of both. Waits if it must; the caller then holds no latch.
     *
     * @param owner who takes the lock
     * @param name what is locked, see {@link LockName}
     * @param mode a valid mode of {@link LockMode}
     * @param deadlineNanos a point in {@link InstalledTime#nanoTime} up to which to wait, or {@link Long#MAX_VALUE}
     * @return the mode in which the owner held the lock before, {@link LockMode#NONE} if it did not
     * @throws DeadlockException if the owner was chosen to break a deadlock
     * @throws LockTimeoutException if the deadline passed
     * @throws InterruptedOperationException if the thread was interrupted while it waited; the flag stays set
     * @throws IllegalArgumentException if the mode is not valid, or the owner belongs to another lock manager
     */
    public int lock(LockOwner owner, long name, int mode, long deadlineNanos) {
        int held = request(owner, name, mode);
        if (held == BLOCKED) {
            await(owner, deadlineNanos);
            return owner.waitHeld;
        }
        return held;
    }

    /**
     * Takes a lock like {@link #lock}, but only if that is possible at once. Never waits, except for the latch of a
     * stripe, so it may be called with page latches held.
     *
     * @return whether the owner holds the lock at least in this mode now; if not, nothing has changed
     * @throws IllegalArgumentException if the mode is not valid, or the owner belongs to another lock manager
     */
    public boolean tryLock(LockOwner owner, long name, int mode) {
        admit(owner, mode);
        int position = owner.find(name);
        int target = position < 0 ? mode : LockMode.supremum(owner.mode(position), mode);
        if (position >= 0 && target == owner.mode(position)) {
            return true;
        }
        if (LockName.isTable(name) && openTables.lock(owner, name, target, position)) {
            return true;
        }
        LockStripe stripe = stripe(name);
        stripe.latch();
        try {
            return grant(stripe, owner, name, target, position);
        } finally {
            stripe.unlatch();
        }
    }

    /**
     * Takes several locks on keys like {@link #tryLock}, in their order, and those of one stripe that follow each other
     * in one pass through it. Ends in front of the first that is not to be had.
     *
     * @param names of locks on keys or gaps
     * @param from index of the first
     * @param end index behind the last; a few dozen more, since others spin while all of them are taken in one stripe
     * @return index of the first lock that the owner does not hold in this mode now, {@code end} if it holds all
     * @throws IllegalArgumentException if the mode is not valid, or the owner belongs to another lock manager
     */
    public int tryLockKeys(LockOwner owner, long[] names, int from, int end, int mode) {
        LockStripe latched = null;
        int next = from;
        try {
            for (; next < end; next++) {
                long name = names[next];
                admit(owner, mode);
                int position = owner.find(name);
                int target = position < 0 ? mode : LockMode.supremum(owner.mode(position), mode);
                if (position >= 0 && target == owner.mode(position)) {
                    continue;
                }
                LockStripe stripe = stripe(name);
                if (stripe != latched) {
                    if (latched != null) {
                        latched.unlatch();
                        latched = null;
                    }
                    stripe.latch();
                    latched = stripe;
                }
                if (!grant(stripe, owner, name, target, position)) {
                    break;
                }
            }
        } finally {
            if (latched != null) {
                latched.unlatch();
            }
        }
        return next;
    }

    /**
     * Takes locks on keys for several owners like {@link #tryLock}, in one pass through each stripe.
     *
     * @param requests take which were granted
     * @return whether all were
     * @throws IllegalArgumentException if a mode is not valid, or an owner belongs to another lock manager
     */
    public boolean tryLockKeys(LockRequests requests) {
        return requests.tryIn(this);
    }

    /** Whether an owner holds a lock at least in that mode. */
    static boolean isHeld(LockOwner owner, long name, int mode) {
        int position = owner.find(name);
        return position >= 0 && LockMode.supremum(owner.mode(position), mode) == owner.mode(position);
    }

    /** As {@link #tryLock}, of an owner that was {@linkplain #admit admitted} and a stripe that is latched. */
    boolean tryLockLatched(LockStripe stripe, LockOwner owner, long name, int mode) {
        owner.reserve();
        int position = owner.find(name);
        int target = position < 0 ? mode : LockMode.supremum(owner.mode(position), mode);
        return (position >= 0 && target == owner.mode(position)) || grant(stripe, owner, name, target, position);
    }

    /**
     * Tells whether {@link #tryLock} would succeed, without keeping anything; the modes in which the owner itself holds
     * the lock do not stand in the way. May be called with page latches held. If true, {@link LockOwner#dependsOnLsn()}
     * has been raised as by a lock.
     *
     * @throws IllegalArgumentException if the mode is not valid, or the owner belongs to another lock manager
     */
    public boolean tryLockInstant(LockOwner owner, long name, int mode) {
        admit(owner, mode);
        int position = owner.find(name);
        LockStripe stripe = stripe(name);
        stripe.latch();
        try {
            openTables.prepare(stripe, owner, name, mode, position);
            return stripe.isFree(owner, name, mode, position);
        } finally {
            stripe.unlatch();
        }
    }

    /**
     * Waits, in the same queue as {@link #lock} and with the same exceptions, until the lock could be granted, and does
     * not keep it. By the time of the return another owner may have taken it.
     *
     * @param owner who waits
     * @param name what is locked
     * @param mode a valid mode of {@link LockMode}
     * @param deadlineNanos a point in {@link InstalledTime#nanoTime} up to which to wait, or {@link Long#MAX_VALUE}
     */
    public void lockInstant(LockOwner owner, long name, int mode, long deadlineNanos) {
        if (!requestInstant(owner, name, mode)) {
            await(owner, deadlineNanos);
        }
    }

    /** Returns the mode in which the owner holds the lock, {@link LockMode#NONE} if it does not. */
    public int heldMode(LockOwner owner, long name) {
        int position = owner.find(name);
        return position < 0 ? LockMode.NONE : owner.mode(position);
    }

    /**
     * Releases one lock before the end of the transaction: a read lock at READ COMMITTED. A lock under which something
     * may have been written stays. Whoever had the lock before a conversion must not call this; {@link #lock} tells.
     *
     * @return whether the lock was held and is released
     */
    public boolean unlock(LockOwner owner, long name) {
        int position = owner.find(name);
        if (position < 0 || LockMode.permitsWriting(owner.mode(position))) {
            return false;
        }
        if (owner.isOwnTable(position) && openTables.giveBack(owner, position, 0)) {
            owner.remove(position);
            return true;
        }
        LockStripe stripe = stripe(name);
        LockOwner woken;
        stripe.latch();
        try {
            woken = stripe.release(name, owner.entry(position), owner.grant(position), owner.mode(position));
        } finally {
            stripe.unlatch();
        }
        owner.remove(position);
        wake(woken);
        return true;
    }

    /**
     * Releases all locks of an owner, which can then serve the next transaction.
     *
     * <p>With a commit LSN, this is early lock release: the commit record is in the log buffer, but not yet on disk.
     * The lock table remembers the LSN for every name under which something may have been written, in a table of fixed
     * size that hash collisions can only make more cautious, and raises {@link LockOwner#dependsOnLsn()} of whoever
     * locks that name later. Such a transaction must not be answered before the log is durable up to there, even if it
     * only read.
     *
     * @param owner whose locks are released; it must not wait
     * @param commitLsn where the commit record is in the log, or 0 if nobody needs to know
     */
    public void releaseAll(LockOwner owner, long commitLsn) {
        // Children before their parents; and a lock that is released is no longer in the set if a later step fails.
        for (int position = owner.lastPosition(); position >= 0; position = owner.lastPosition()) {
            if (owner.isOwnTable(position) && openTables.giveBack(owner, position, commitLsn)) {
                owner.removeLast();
            } else {
                wake(releaseRun(owner, commitLsn));
            }
        }
        owner.releasedAll();
    }

    /**
     * Releases the last lock of an owner, and in the same pass those before it that are in the same stripe, up to one
     * for which somebody is to be woken.
     *
     * @return the first of the owners to wake
     */
    private LockOwner releaseRun(LockOwner owner, long commitLsn) {
        int position = owner.lastPosition();
        LockStripe stripe = stripe(owner.name(position));
        LockOwner woken;
        int left = RUN_MAX;
        stripe.latch();
        try {
            do {
                long name = owner.name(position);
                int mode = owner.mode(position);
                if (commitLsn != 0) {
                    stripe.releases().remember(name, mode, commitLsn);
                }
                if (owner.isVictim) {
                    stripe.keepForQueue(owner.entry(position));
                }
                woken = stripe.release(name, owner.entry(position), owner.grant(position), mode);
                owner.removeLast();
                position = owner.lastPosition();
                left--;
            } while (woken == null
                    && left > 0
                    && position >= 0
                    && !owner.isOwnTable(position)
                    && stripe(owner.name(position)) == stripe);
        } finally {
            stripe.unlatch();
        }
        return woken;
    }

    /** Returns whether no lock is held and nobody waits. */
    public boolean isEmpty() {
        return statistics().locks() == 0;
    }

    /** Returns counts; stripe by stripe, so not of one moment while others run. */
    public LockStatistics statistics() {
        long waits = 0;
        long conversionWaits = 0;
        long locks = 0;
        long waiting = 0;
        for (LockStripe stripe : stripes) {
            stripe.latch();
            try {
                waits += stripe.waits();
                conversionWaits += stripe.conversionWaits();
                locks += stripe.entryCount();
                waiting += stripe.countWaiting();
            } finally {
                stripe.unlatch();
            }
        }
        locks += openTables.countOutsideOfStripes();
        return new LockStatistics(
                waits,
                conversionWaits,
                detector.deadlocks(),
                timeouts.sum(),
                interrupts.sum(),
                locks,
                waiting,
                owners.count());
    }

    /**
     * Writes down who holds and who waits for locks, those that somebody waits for first; stripe by stripe, so not of
     * one moment while others run. A lock for which a wait begins or ends meanwhile may stand there twice or not.
     *
     * @param into empty; takes as many requests as it has room for
     */
    public void list(LockListing into) {
        openTables.closeAll();
        for (int pass = 0; pass < 2; pass++) {
            for (LockStripe stripe : stripes) {
                stripe.latch();
                try {
                    stripe.list(into, pass == 0);
                } finally {
                    stripe.unlatch();
                }
            }
        }
    }

    /**
     * Checks the invariants of every stripe, each under its latch. May be called while others run.
     *
     * @throws IllegalStateException if one is broken
     */
    public void validate() {
        openTables.validate();
        for (LockStripe stripe : stripes) {
            stripe.latch();
            try {
                stripe.validate();
            } finally {
                stripe.unlatch();
            }
        }
    }

    // ---- tables whose locks are open

    /**
     * Grants a lock in the lock table, or raises its mode there.
     *
     * @param stripe of the name, latched
     * @param position the position of the lock among those of the owner, or the complement of the slot that takes it
     * @return false if the owner has to wait
     */
    private boolean grant(LockStripe stripe, LockOwner owner, long name, int target, int position) {
        openTables.prepare(stripe, owner, name, target, position);
        boolean isGranted =
                position < 0 ? stripe.acquire(owner, name, target, ~position) : stripe.convert(owner, position, target);
        if (isGranted && LockName.isTable(name)) {
            openTables.granted(stripe, name);
        }
        return isGranted;
    }

    LockOwners owners() {
        return owners;
    }

    // ---- requests and waits; the tests call these one by one

    /** What {@link #request} returns when the owner was put into a queue. */
    static final int BLOCKED = -1;

    /** Grants the request, or puts it into the queue; returns the mode held before, or {@link #BLOCKED}. */
    int request(LockOwner owner, long name, int mode) {
        admit(owner, mode);
        int position = owner.find(name);
        int held = LockMode.NONE;
        int target = mode;
        if (position >= 0) {
            held = owner.mode(position);
            target = LockMode.supremum(held, mode);
            if (target == held) {
                return held;
            }
        }
        if (LockName.isTable(name) && openTables.lock(owner, name, target, position)) {
            return held;
        }
        LockStripe stripe = stripe(name);
        stripe.latch();
        try {
            if (grant(stripe, owner, name, target, position)) {
                return held;
            }
            owner.waiter.prepare();
            stripe.enqueue(owner, name, target, position, false);
        } finally {
            stripe.unlatch();
        }
        return BLOCKED;
    }

    /** Returns whether the lock could be granted; otherwise the request is in the queue. */
    boolean requestInstant(LockOwner owner, long name, int mode) {
        admit(owner, mode);
        int position = owner.find(name);
        LockStripe stripe = stripe(name);
        stripe.latch();
        try {
            openTables.prepare(stripe, owner, name, mode, position);
            if (stripe.isFree(owner, name, mode, position)) {
                return true;
            }
            owner.waiter.prepare();
            stripe.enqueue(owner, name, mode, position, true);
        } finally {
            stripe.unlatch();
        }
        return false;
    }

    /** Searches for deadlocks that the waiting owner closes; returns whether the owner is the victim of one. */
    boolean breakDeadlocks(LockOwner owner) {
        return owner.heldCount() > 0 && detector.breakDeadlocks(owner);
    }

    /**
     * Ends the wait of an owner: takes it out of the queue if it is still there, and adds what was granted to its
     * locks.
     *
     * @return how the wait ended: {@link LockOwner#GRANTED}, {@link LockOwner#VICTIM}, or {@link LockOwner#IDLE} if the
     *     owner had to be taken out
     */
    int settle(LockOwner owner) {
        long name = owner.waitNameOpaque();
        if (owner.isWaitingAcquire()) {
            LockStripe stripe = stripe(name);
            LockOwner woken = null;
            stripe.latch();
            try {
                if (owner.isWaitingAcquire()) {
                    woken = stripe.withdraw(owner, LockOwner.IDLE);
                }
            } finally {
                stripe.unlatch();
            }
            wake(woken);
        }
        int round = 0;
        // Who grants or invites still needs this owner as a link of its list. Ends because it does not park before it
        // is done; where it was cut short, the watch ends it.
        while (owner.waitStateAcquire() == LockOwner.GRANTING || owner.isInvitingAcquire()) {
            round = Backoff.pause(round, watch);
        }
        int state = owner.waitStateAcquire();
        if (state == LockOwner.GRANTED && !owner.waitInstant) {
            int position = owner.find(name);
            if (position >= 0) {
                owner.setMode(position, owner.waitTarget);
            } else {
                owner.add(name, owner.waitTarget, owner.waitEntry, owner.waitGrant, ~position);
            }
        }
        owner.setWaitStateRelease(LockOwner.IDLE);
        return state;
    }

    /** Lets an owner that was invited take the lock it waits for, if it still can. */
    void claim(LockOwner owner) {
        if (!owner.isWaitingAcquire()) {
            return;
        }
        LockStripe stripe = stripe(owner.waitNameOpaque());
        LockOwner woken = null;
        stripe.latch();
        try {
            if (owner.isWaitingAcquire() && owner.invited) {
                woken = stripe.claim(owner);
            }
        } finally {
            stripe.unlatch();
        }
        wake(woken);
    }

    private void await(LockOwner owner, long deadlineNanos) {
        Waiter.Outcome outcome = Waiter.Outcome.SIGNALLED;
        int state = LockOwner.IDLE;
        boolean cutShort = false;
        try {
            if (deadlineNanos == Waiter.NO_DEADLINE || InstalledTime.nanoTime() - deadlineNanos < 0) {
                // Who does not wait closes no circle, and must not cost another its transaction.
                breakDeadlocks(owner);
            }
            // Ends with the wait: every pass consumes a signal. Late signals of earlier waits are finite, and so are
            // invitations that others anticipate.
            while (owner.isWaitingAcquire() && outcome == Waiter.Outcome.SIGNALLED) {
                watch.look();
                outcome = owner.waiter.await(deadlineNanos, WaitReason.LOCK);
                if (outcome == Waiter.Outcome.SIGNALLED) {
                    owner.waiter.prepare();
                    // Who ends the wait writes the state and then signals; this is the other half of that handshake. An
                    // invitation that comes after the look under the latch signals once more.
                    VarHandle.fullFence();
                    watch.look();
                    claim(owner);
                }
            }
        } catch (StackOverflowError full) {
            // It may have struck with latches held, for which settling would wait.
            cutShort = true;
            throw full;
        } finally {
            if (!cutShort) {
                state = settle(owner);
            }
        }
        if (state == LockOwner.VICTIM) {
            DeadlockReport deadlock = owner.deadlock;
            owner.deadlock = null;
            owner.isVictim = true;
            Message message =
                    describe("The transaction was chosen to break a deadlock, as the youngest of its members", owner);
            throw new DeadlockException(
                    deadlock.addTo(message, placeNames).remedy("Roll back and run the transaction again."));
        }
        if (state == LockOwner.IDLE && outcome == Waiter.Outcome.TIMED_OUT) {
            timeouts.increment();
            throw new LockTimeoutException(holders(describe("A lock was not granted in time", owner), owner)
                    .remedy("Roll back and run the transaction again, keep transactions short, or raise the timeout."));
        }
        if (state == LockOwner.IDLE) {
            interrupts.increment();
            throw new InterruptedOperationException(describe(
                            "The thread was interrupted while it waited for a lock", owner)
                    .remedy("Clear the interrupt flag if the work shall go on, and run the transaction again."));
        }
    }

    /**
     * Adds who stands in the way of a request that was given up. They are looked up after its end, so somebody may have
     * come or gone.
     */
    private Message holders(Message message, LockOwner owner) {
        long name = owner.waitNameOpaque();
        LockListing requests = new LockListing(DeadlockReport.MEMBERS_NAMED_MAX);
        LockStripe stripe = stripe(name);
        stripe.latch();
        try {
            stripe.list(requests, name);
        } finally {
            stripe.unlatch();
        }
        Message whole = message;
        for (int line = 0; line < requests.count(); line++) {
            LockOwner other = owner(requests.owner(line));
            int mode = requests.mode(line);
            if (other != null && other != owner && !LockMode.isCompatible(owner.waitTarget, mode)) {
                whole = whole.with(
                        (requests.isWaiting(line) ? "wantedBy" : "heldBy") + (line + 1),
                        other.label() + " in " + LockMode.toString(mode));
            }
        }
        return whole;
    }

    private static Message describe(String sentence, LockOwner owner) {
        return Message.of(sentence)
                .with("transaction", owner.transactionId())
                .with("lock", LockName.toString(owner.waitNameOpaque()))
                .with("mode", LockMode.toString(owner.waitTarget))
                .with("heldMode", LockMode.toString(owner.waitHeld))
                .with("locksHeld", owner.heldCount());
    }

    /**
     * Wakes owners that were invited or whose requests were granted.
     *
     * @param first the first of a list that is linked by {@code wakeNext}, or null; no latch is held
     */
    static void wake(LockOwner first) {
        LockOwner next;
        for (LockOwner owner = first; owner != null; owner = next) {
            next = owner.wakeNext;
            owner.wakeNext = null;
            // From here on the owner may go its way.
            if (owner.isInvitingAcquire()) {
                owner.setInvitingRelease(false);
            } else {
                owner.setWaitStateRelease(LockOwner.GRANTED);
            }
            owner.waiter.signal();
        }
    }

    /**
     * Has everybody who waits for a lock look at the watch. It takes no latch, since one may be held for good; an owner
     * that begins to wait later looks by itself.
     */
    public void wakeAll() {
        owners.wakeAll();
    }

    LatchWatch watch() {
        return watch;
    }

    // ---- stripes and owners

    LockStripe stripe(long name) {
        LockStripe[] all = stripes;
        int group = (int) name >>> LockName.GROUP_SHIFT & groupMask;
        // With the length of the array itself as a mask, the compiled code needs no check of its bounds.
        return all[((group << groupShift) | ((int) name & placeMask)) & (all.length - 1)];
    }

    void latchAll() {
        for (LockStripe stripe : stripes) {
            stripe.latch();
        }
    }

    void unlatchAll() {
        for (LockStripe stripe : stripes) {
            stripe.unlatch();
        }
    }

    /** Returns the owner with an index that was read under a stripe latch, or null if it was closed since. */
    LockOwner owner(int index) {
        return owners.get(index);
    }

    /** Requires a valid mode, registers an owner that is new, and makes room for one more lock. */
    void admit(LockOwner owner, int mode) {
        if (!LockMode.isValid(mode)) {
            throw new IllegalArgumentException(
                    "not a lock mode: mode=" + mode + "; remedy: use a constant of LockMode, or the supremum of two");
        }
        if (owner.manager() != this) {
            register(owner);
        }
        owner.reserve();
    }

    private void register(LockOwner owner) {
        if (owner.manager() != null) {
            throw new IllegalArgumentException("the owner belongs to another lock manager: transaction="
                    + owner.transactionId() + "; remedy: make an owner for each lock manager");
        }
        owners.register(owner, this);
    }

    void deregister(LockOwner owner) {
        if (owner.heldCount() != 0) {
            throw new IllegalStateException("the owner still holds locks: transaction=" + owner.transactionId()
                    + " locksHeld=" + owner.heldCount() + "; remedy: release them with releaseAll first");
        }
        owners.deregister(owner);
    }
}
