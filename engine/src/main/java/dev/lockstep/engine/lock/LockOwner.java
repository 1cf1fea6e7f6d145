package dev.lockstep.engine.lock;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who holds locks: one transaction at a time. Reused for the next transaction after
 * {@link LockManager#releaseAll(LockOwner, long)}, without allocation.
 *
 * <p>An owner belongs to the first {@link LockManager} it locks with, where it occupies a place until {@link #close()}.
 *
 * <p>The held locks lie in one array in the order of acquisition; a small hash table of positions finds the own lock of
 * a given name without a latch. The table needs no clearing: position {@code p} in slot {@code s} counts only while
 * {@code p < heldEnd} and {@code p} names slot {@code s} (the sparse sets of Briggs and Torczon, 1993).
 *
 * <pre>
 *   three longs per lock, at position p:
 *     p      name
 *     p + 1  entry           | grant
 *     p + 2  slot            | mode
 *            high 32 bits      low 32 bits
 * </pre>
 *
 * <p>Invariants:
 * <ul>
 *   <li>Every multiple {@code p} of {@link #LOCK_LONGS} below {@code heldEnd} is the position of one lock: its name,
 *       the mode in which it is held, its entry in the stripe of that name and its grant there (0: in the entry
 *       itself); or {@link #OWN_TABLE} and its number in {@code ownTables}.
 *   <li>{@code stamp} was never that of another owner, nor of this one before it released all locks.
 *   <li>{@code slots} at the slot of {@code p} is {@code p} for every position, and no slot between the home of its
 *       name and that slot is empty.
 *   <li>{@code slots} has at least {@link #SLOTS_PER_LOCK} places for each lock that fits.
 *   <li>The owner waits for at most one lock. While {@code waitState} is {@link #WAITING}, the fields {@code wait*},
 *       {@code queue*}, {@code entitled}, {@code invited} and {@code vainClaims} describe the wait and are guarded by
 *       the latch of the stripe of {@code waitName}; whoever ends the wait under that latch sets {@code waitState}
 *       last. While it is {@link #GRANTING}, or {@code inviting} is set, {@code wakeNext} belongs to the granting or
 *       inviting thread, and the owner does not leave its wait.
 * </ul>
 *
 * <p>Thread-safety: used by one thread at a time. Other threads touch only the fields of a wait, as above, and read
 * who the owner is, when it began and what it holds while it waits and they hold that latch.
 */
public final class LockOwner implements AutoCloseable {
    /** Not waiting, or the owner ended its wait itself. */
    static final int IDLE = 0;
    /** In the queue of a lock. */
    static final int WAITING = 1;
    /** A conversion or an instant request was granted by another thread, which has yet to come by and signal. */
    static final int GRANTING = 2;
    /** The lock was granted, by the owner itself or by a thread that is done with this owner. */
    static final int GRANTED = 3;
    /** Taken out of the queue in order to break a deadlock. */
    static final int VICTIM = 4;

    /**
     * Stamps that an owner draws at once, so that owners hardly ever meet at {@link #STAMPS}: as many transactions of
     * it. A power of two.
     */
    private static final int STAMPS_PER_DRAW = 1_024;

    /** The last stamp that was drawn by any owner in this JVM. */
    private static final AtomicLong STAMPS = new AtomicLong();

    /** Locks that fit without growing: a short transaction; ten thousand idle owners then cost about 18 MB. */
    private static final int LOCKS_INITIAL = 32;
    /** At a load of a quarter an unsuccessful probe, the usual one, looks at 1.4 slots on average. */
    private static final int SLOTS_PER_LOCK = 4;

    /** In place of an entry: the lock is among {@link #ownTables()}. */
    static final int OWN_TABLE = -1;

    private static final int LOCK_LONGS = 3;

    private static final int NAME = 0;
    private static final int GRANT = 1;
    private static final int SLOT = 2;

    /** The bits of a name that choose the slot; stripe and bucket use lower ones. */
    private static final int SLOT_SHIFT = 40;

    private static final VarHandle WAIT_STATE;
    private static final VarHandle WAIT_NAME;
    private static final VarHandle INVITING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WAIT_STATE = lookup.findVarHandle(LockOwner.class, "waitState", int.class);
            WAIT_NAME = lookup.findVarHandle(LockOwner.class, "waitName", long.class);
            INVITING = lookup.findVarHandle(LockOwner.class, "inviting", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Waiter waiter;
    private LockManager manager;
    private int index = -1;
    private long transactionId;
    private long stamp = drawStamp();
    private long beginNanos;
    private Object runner;
    private Object waitPlace;
    private long dependsOnLsn;
    private boolean trackingDependency = true;

    private final OwnTableLocks ownTables = new OwnTableLocks();
    private int heldEnd;
    private long[] locks = new long[LOCKS_INITIAL * LOCK_LONGS];
    private int[] slots = new int[LOCKS_INITIAL * SLOTS_PER_LOCK];

    @SuppressWarnings("unused")
    private int waitState;

    @SuppressWarnings("unused")
    private long waitName;
    /** The mode held once granted; for an instant request, the mode asked for. */
    int waitTarget;
    /** The mode held while waiting; {@link LockMode#NONE} if the request is no conversion. */
    int waitHeld;
    /** Whether the lock is not kept when granted. */
    boolean waitInstant;
    /** The entry waited for. */
    int waitEntry;
    /** The grant that is converted, or the one reserved for when the wait ends. */
    int waitGrant;
    /** Whether the request stands before all that arrived earlier, because they wait for its owner anyway. */
    boolean entitled;
    /** Whether the owner was told to come and take the lock, and has not come since. */
    boolean invited;
    /** How often the owner came and could not take the lock any more. */
    int vainClaims;

    /** Whether a thread that invites this owner still needs {@code wakeNext}, and has yet to signal. */
    @SuppressWarnings("unused")
    private boolean inviting;

    LockOwner queueNext;
    LockOwner queuePrevious;
    /** The next owner to wake. */
    LockOwner wakeNext;
    /** The deadlock whose victim this owner is. */
    DeadlockReport deadlock;
    /** Whether the owner was chosen to break a deadlock and has not released its locks since. */
    boolean isVictim;
    /** The last search that came by; guarded by the latch of the deadlock detector. */
    int searchStamp;

    /**
     * Creates an owner without locks.
     *
     * @param waiter where the owner waits; no other owner that may wait at the same time uses it
     */
    public LockOwner(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Returns the transaction for which locks are held; 0 before the first. */
    public long transactionId() {
        return transactionId;
    }

    /** Sets the transaction for which locks will be held; of two that began at the same time the larger is younger. */
    public void setTransactionId(long transactionId) {
        this.transactionId = transactionId;
    }

    /**
     * A transaction begins that holds no lock and has no id yet.
     *
     * @param nanos when it began, in {@link InstalledTime#nanoTime}; later is younger
     * @param by the {@link Thread} or {@link SThread} that runs it, for messages, or null
     */
    public void begin(long nanos, Object by) {
        transactionId = 0;
        beginNanos = nanos;
        runner = by;
    }

    /**
     * Identifies within this JVM the time from one {@link LockManager#releaseAll} to the next: a lock on a key that was
     * taken in {@link LockMode#KEY_X} is still held while the stamp is the same.
     *
     * @return a positive number
     */
    public long stamp() {
        return stamp;
    }

    /** All locks are released. */
    void releasedAll() {
        isVictim = false;
        stamp = stamp % STAMPS_PER_DRAW == STAMPS_PER_DRAW - 1 ? drawStamp() : stamp + 1;
    }

    private static long drawStamp() {
        return STAMPS.addAndGet(STAMPS_PER_DRAW);
    }

    /** When the transaction began; another thread may see a stale time. */
    public long beginNanos() {
        return beginNanos;
    }

    /** Whether the transaction began after another; of two that began at once, exactly one is younger. */
    boolean isYoungerThan(LockOwner other) {
        if (beginNanos != other.beginNanos) {
            return beginNanos - other.beginNanos > 0;
        }
        return transactionId != other.transactionId ? transactionId > other.transactionId : index > other.index;
    }

    /**
     * What the lock belongs to that is about to be waited for, a table or a tree: for messages. Kept until the next
     * wait.
     */
    public void setWaitPlace(Object place) {
        waitPlace = place;
    }

    Object waitPlace() {
        return waitPlace;
    }

    /**
     * The transaction for messages: its id and its thread, as in {@code 17(worker-3)}. One that has changed nothing has
     * no id, and is named by the place of its session in the lock table: {@code s4(worker-3)}.
     */
    String label() {
        String id = transactionId == 0 ? "s" + index : Long.toString(transactionId);
        String name = runnerName();
        return name.isEmpty() ? id : id + "(" + name + ")";
    }

    /** The name of the thread or S-thread that runs the transaction; another thread may see that of an earlier one. */
    public String runnerName() {
        Object by = runner;
        return by instanceof Thread thread ? threadName(thread) : by instanceof SThread sThread ? sThread.name() : "";
    }

    private static String threadName(Thread thread) {
        return thread.getName().isEmpty() ? "thread-" + thread.threadId() : thread.getName();
    }

    /**
     * Returns the largest commit LSN among the transactions that released a lock early which this owner took since the
     * last {@link #clearDependsOnLsn()}; 0 if there is none. Hash collisions may make it larger than necessary, never
     * smaller.
     */
    public long dependsOnLsn() {
        return dependsOnLsn;
    }

    /** Forgets on whom this owner depends. {@link LockManager#releaseAll} keeps it for whoever answers the commit. */
    public void clearDependsOnLsn() {
        dependsOnLsn = 0;
    }

    /** Returns the number of locks held. */
    public int heldCount() {
        return heldEnd / LOCK_LONGS;
    }

    /** Returns the position of the lock that was taken last, negative if none is held. */
    int lastPosition() {
        return heldEnd - LOCK_LONGS;
    }

    /**
     * Gives up the place in the lock manager. Without effect if there is none.
     *
     * @throws IllegalStateException if locks are held
     */
    @Override
    public void close() {
        if (manager != null) {
            manager.deregister(this);
        }
    }

    /** Whether {@link #dependsOnLsn()} is kept up. */
    boolean isTrackingDependency() {
        return trackingDependency;
    }

    /**
     * Says whether the transaction has to know on which commits it depends: only if its own commit is answered when it
     * is durable. It does unless told otherwise.
     *
     * @param track whether to keep {@link #dependsOnLsn()} up
     */
    public void trackDependency(boolean track) {
        trackingDependency = track;
    }

    /** The owner has seen what a log record did that may not be durable yet. */
    public void raiseDependsOnLsn(long lsn) {
        if (lsn > dependsOnLsn) {
            dependsOnLsn = lsn;
        }
    }

    LockManager manager() {
        return manager;
    }

    /** The number of its place in the lock manager, -1 before its first lock; another thread may see a stale one. */
    public int index() {
        return index;
    }

    /** The lock waited for, or 0; another thread may ask, and may see a wait that has just ended. */
    public long waitsForOpaque() {
        return isWaitingAcquire() ? waitNameOpaque() : 0;
    }

    void register(LockManager registrar, int place) {
        manager = registrar;
        index = place;
    }

    /** Returns the position of the lock if it is held, otherwise the complement of the slot where it belongs. */
    int find(long name) {
        int[] table = slots;
        long[] held = locks;
        int mask = table.length - 1;
        int slot = home(name, mask);
        // Ends because at most a quarter of the slots is occupied.
        while (true) {
            int position = table[slot];
            // One branch, which is nearly always taken: a slot tells the last lock that was there, held or not.
            int otherSlot = (int) (held[position + SLOT] >>> Integer.SIZE) ^ slot;
            int notHeld = ~((position - heldEnd) >> (Integer.SIZE - 1));
            if ((otherSlot | notHeld) != 0) {
                return ~slot;
            }
            if (held[position + NAME] == name) {
                return position;
            }
            slot = slot + 1 & mask;
        }
    }

    /** Makes room for one more lock, so that adding it cannot fail. Positions stay, slots may change. */
    void reserve() {
        if (heldEnd == locks.length) {
            grow();
        }
    }

    /** Adds a lock at the slot that {@link #find} named; {@link #reserve()} was called before that. */
    void add(long name, int mode, int entry, int grant, int slot) {
        int position = heldEnd;
        long[] held = locks;
        held[position + NAME] = name;
        held[position + GRANT] = (long) entry << Integer.SIZE | grant;
        held[position + SLOT] = (long) slot << Integer.SIZE | mode;
        slots[slot] = position;
        heldEnd = position + LOCK_LONGS;
    }

    /** Removes one lock; the last one takes its position. */
    void remove(int position) {
        int mask = slots.length - 1;
        int hole = slot(position);
        int slot = hole;
        // Backward-shift deletion. Ends because at most a quarter of the slots is occupied.
        while (true) {
            slot = slot + 1 & mask;
            int follower = slots[slot];
            if (follower >= heldEnd || slot(follower) != slot) {
                break;
            }
            if ((slot - home(name(follower), mask) & mask) >= (slot - hole & mask)) {
                slots[hole] = follower;
                setSlot(follower, hole);
                hole = slot;
            }
        }
        int last = heldEnd - LOCK_LONGS;
        if (position != last) {
            System.arraycopy(locks, last, locks, position, LOCK_LONGS);
            slots[slot(position)] = position;
        }
        heldEnd = last;
    }

    /** Removes the last lock; {@link #find} must not be called before all are removed in this way. */
    void removeLast() {
        heldEnd -= LOCK_LONGS;
    }

    long name(int position) {
        return locks[position + NAME];
    }

    int entry(int position) {
        return (int) (locks[position + GRANT] >>> Integer.SIZE);
    }

    int grant(int position) {
        return (int) locks[position + GRANT];
    }

    /** Where the owner says which open tables it has locked. */
    OwnTableLocks ownTables() {
        return ownTables;
    }

    /** Whether a lock is on an open table, or was when it was taken: its grant is a number in {@link #ownTables()}. */
    boolean isOwnTable(int position) {
        return entry(position) == OWN_TABLE;
    }

    /** Notes that the lock table has a lock now that was on an open table. */
    void adopted(int position) {
        locks[position + GRANT] = ownTables.takeGrant(grant(position));
    }

    int mode(int position) {
        return (int) locks[position + SLOT];
    }

    void setMode(int position, int mode) {
        locks[position + SLOT] = (long) slot(position) << Integer.SIZE | mode;
    }

    private int slot(int position) {
        return (int) (locks[position + SLOT] >>> Integer.SIZE);
    }

    private void setSlot(int position, int slot) {
        locks[position + SLOT] = (long) slot << Integer.SIZE | mode(position);
    }

    /** Whether the owner waits for a lock; another thread may ask. */
    public boolean isWaitingAcquire() {
        return waitStateAcquire() == WAITING;
    }

    int waitStateAcquire() {
        return (int) WAIT_STATE.getAcquire(this);
    }

    void setWaitStateRelease(int state) {
        WAIT_STATE.setRelease(this, state);
    }

    /** Whether somebody who invited this owner has yet to come by and signal. */
    boolean isInvitingAcquire() {
        return (boolean) INVITING.getAcquire(this);
    }

    void setInvitingRelease(boolean value) {
        INVITING.setRelease(this, value);
    }

    /**
     * The lock waited for. Read without the latch only by the deadlock detector, which then takes the latch of that
     * stripe and reads again; a stale name costs that one latch.
     */
    long waitNameOpaque() {
        return (long) WAIT_NAME.getOpaque(this);
    }

    void setWaitNameOpaque(long name) {
        WAIT_NAME.setOpaque(this, name);
    }

    private static int home(long name, int mask) {
        return (int) (name >>> SLOT_SHIFT) & mask;
    }

    private void grow() {
        int capacity = 2 * locks.length;
        // All allocation first: a failure leaves the owner as it was.
        long[] newLocks = Arrays.copyOf(locks, capacity);
        int[] newSlots = new int[capacity / LOCK_LONGS * SLOTS_PER_LOCK];
        locks = newLocks;
        slots = newSlots;
        int end = heldEnd;
        heldEnd = 0;
        for (int position = 0; position < end; position += LOCK_LONGS) {
            int slot = ~find(name(position));
            setSlot(position, slot);
            slots[slot] = position;
            heldEnd = position + LOCK_LONGS;
        }
    }
}
