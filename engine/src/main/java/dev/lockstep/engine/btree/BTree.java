package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One clustered B+tree: a table, or one of its indexes. Leaves hold encoded keys and values; what the bytes mean is
 * the business of the layers above.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The root stays in its page when the tree grows: one that is full hands its contents to a new child. Only a
 *       {@link Relocation} moves it; {@code rootPageId} then changes while the page that the root leaves is latched
 *       exclusively, and the catalog with it.
 *   <li>Keys of a node lie within its fences; fences of neighbours touch; all leaves have the same depth.
 *   <li>A page is changed under its exclusive latch only, after its log record is in the log buffer, and latches are
 *       taken parent before child and left before right.
 *   <li>{@code rangeScanCount} is above zero while a transaction that locks gaps may hold a lock in this tree.
 *   <li>{@code purgedLsn} is not below the LSN of the removal of any ghost that a reader of the tree no longer meets.
 * </ul>
 *
 * Thread-safe.
 */
public final class BTree {
    private static final VarHandle RANGE_SCAN_COUNT;
    private static final VarHandle PURGED_LSN;

    static {
        try {
            RANGE_SCAN_COUNT = MethodHandles.lookup().findVarHandle(BTree.class, "rangeScanCount", int.class);
            PURGED_LSN = MethodHandles.lookup().findVarHandle(BTree.class, "purgedLsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final AtomicInteger NEXT_STAMP = new AtomicInteger(1);

    private final int stamp = NEXT_STAMP.getAndIncrement();
    private final TreeEnvironment environment;
    private final int treeId;
    private volatile int rootPageId;
    private final int lockTreeId;
    private final int leadingBytes;
    private final int hintGroupShift;
    private boolean hasMetPrefix;
    private volatile int rangeScanCount;
    private volatile boolean dropped;
    private volatile boolean abandoned;
    private volatile long readableFromId;

    @SuppressWarnings("unused")
    private long purgedLsn;

    /**
     * @param lockTreeId the tree whose id names the table lock: the table's own for a table and all its indexes
     * @param leadingBytes the bytes that keys which belong together begin with, or 0
     */
    public BTree(TreeEnvironment environment, int treeId, int rootPageId, int lockTreeId, int leadingBytes) {
        this(environment, treeId, rootPageId, lockTreeId, leadingBytes, 0);
    }

    /**
     * @param lockTreeId the tree whose id names the table lock: the table's own for a table and all its indexes
     * @param leadingBytes the bytes that keys which belong together begin with, or 0
     * @param rowBytes how long a row is with its key, to go by where hints are shared; 0 where nothing is known
     */
    public BTree(
            TreeEnvironment environment, int treeId, int rootPageId, int lockTreeId, int leadingBytes, int rowBytes) {
        this.environment = environment;
        this.treeId = treeId;
        this.rootPageId = rootPageId;
        this.lockTreeId = lockTreeId;
        this.leadingBytes = leadingBytes;
        hintGroupShift = LeafHints.groupShift(rowBytes);
    }

    /** The tree whose id names the table lock. */
    public int lockTreeId() {
        return lockTreeId;
    }

    /** The bytes that keys which belong together begin with, those of a tenant or a warehouse; 0 if none are known. */
    public int leadingBytes() {
        return leadingBytes;
    }

    /**
     * Whether the fences of a leaf that a hint names should be read ahead: once a leaf had a prefix that was entered
     * so. It is a part of the lower fence, at the end of the page, in a cache line that nobody needs otherwise. Leaves
     * that were filled in order have none. Any thread may ask; a stale answer costs time only.
     */
    boolean touchesFences() {
        return hasMetPrefix;
    }

    /** A leaf that a hint has named has a prefix. Written once: all walks of all processors read this cache line. */
    void metPrefix() {
        if (!hasMetPrefix) {
            hasMetPrefix = true;
        }
    }

    /** How many low bits the keys differ in that share a hint, see {@link LeafHints}. */
    int hintGroupShift() {
        return hintGroupShift;
    }

    /** Whether the tree was dropped; changes while its table lock is held exclusively. */
    public boolean isDropped() {
        return dropped;
    }

    public void markDropped() {
        dropped = true;
    }

    /**
     * To be called where a walk without a table lock comes to nothing and would begin anew.
     *
     * @throws CorruptionException if the tree was dropped: its pages are those of others by now
     */
    public void requireNotDropped() {
        if (dropped) {
            throw new CorruptionException(Message.of("the tree was dropped")
                    .with("treeId", treeId)
                    .remedy("read a table before it is dropped"));
        }
    }

    /** Whether the tree belongs to an index that could not be finished and is still to be dropped. */
    public boolean isAbandoned() {
        return abandoned;
    }

    public void markAbandoned() {
        abandoned = true;
    }

    /** A snapshot reads the tree only if it sees this transaction, which has made the tree known; 0 for any. */
    public long readableFromId() {
        return readableFromId;
    }

    /** The tree becomes known with the commit of a transaction, while the catalog is locked exclusively. */
    public void readableFrom(long transactionId) {
        readableFromId = transactionId;
    }

    public TreeEnvironment environment() {
        return environment;
    }

    public int treeId() {
        return treeId;
    }

    /** A number that no other tree object of this JVM has, of whatever database. */
    public int stamp() {
        return stamp;
    }

    /** The page of the root. It can be another as soon as it was read: who enters the page asks again behind that. */
    public int rootPageId() {
        return rootPageId;
    }

    /** The root is in another page; the one that it leaves is latched exclusively. */
    void rootMoved(int toPageId) {
        rootPageId = toPageId;
    }

    /**
     * Announces a transaction that will lock gaps. Called before its first visit to a leaf, so that an insert either
     * sees the announcement, and tests the gap, or has its leaf latched before the scan reads it, and the scan then
     * meets the inserted key and its lock.
     */
    public void rangeScanStarted() {
        RANGE_SCAN_COUNT.getAndAdd(this, 1);
    }

    /** The transaction that announced itself has released its locks. */
    public void rangeScanEnded() {
        RANGE_SCAN_COUNT.getAndAdd(this, -1);
    }

    /** Whether an insert has to test the gap that it goes into; read under the leaf's exclusive latch. */
    public boolean gapsMayBeLocked() {
        return rangeScanCount != 0;
    }

    /**
     * A ghost is about to be removed from its latched leaf. Who reads the leaf afterwards cannot learn from the ghost's
     * lock that it depends on the delete; it depends on the removal instead, which lies behind the delete's commit.
     */
    public void purging(long lsn) {
        long seen = purgedLsnAcquire();
        // Ends: the LSN only rises, and whoever raised it in between got ahead.
        while (seen < lsn && !PURGED_LSN.compareAndSet(this, seen, lsn)) {
            seen = purgedLsnAcquire();
        }
    }

    /** The LSN of the latest removal of a ghost since the open; 0 without one. Read after the leaf was read. */
    public long purgedLsnAcquire() {
        return (long) PURGED_LSN.getAcquire(this);
    }

    /** Makes the empty root of a new tree in an allocated page. */
    public void create(TreeContext context) {
        StructureModification.createRoot(this, context);
    }
}
