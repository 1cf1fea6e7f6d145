package dev.lockstep.engine.transaction;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TransactionTooLargeException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.TreeContext;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.buffer.PageAccessCounter;
import dev.lockstep.engine.lock.LockOwner;
import dev.lockstep.scheduler.InstalledTime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * The state of one running transaction: identity, log chain, locks, undo.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code transactionId} is 0 until the first change, and never used twice in the life of a database.
 *   <li>{@code firstLsn} is {@link #NO_LSN} or not above the LSN of the first log record of the transaction, from
 *       before that record is appended until its COMMIT or ABORT_END record is in the log buffer. The checkpointer
 *       reads it from another thread.
 *   <li>{@code lastLsn} is the LSN of its newest log record, 0 without one.
 *   <li>{@code idFloor} is {@link #NO_ID}, or not above the id of the transaction, from before that id is taken until
 *       its COMMIT or ABORT_END record is in the log buffer. Readers of other sessions take from it which rows are
 *       committed. It is the complement of a lower bound until the id itself is known.
 *   <li>{@code handedOver} is not null exactly while {@code undo} belongs to others too: from the end of a transaction
 *       until its session has cleaned up. It does not change then.
 *   <li>{@code walkAhead} is null but within a stage that goes behind that of another operation.
 *   <li>{@code joinedVersions} is the store of versions that knows all that the transaction had changed before it first
 *       saw it, or null.
 * </ul>
 *
 * Used by one thread at a time, except for {@code firstLsn}, {@code idFloor} and {@code undo}; reused from one
 * transaction to the next.
 */
public final class TransactionContext extends TreeContext {
    /** The transaction has written no log record. */
    public static final long NO_LSN = Long.MAX_VALUE;

    /** The transaction has no id and is not about to get one. */
    static final long NO_ID = Long.MAX_VALUE;

    /**
     * Ghosts that one transaction takes note of. A few are enough to keep ahead of those left behind, since every
     * transaction that meets them removes some.
     */
    private static final int GHOSTS_MET_MAX = 16;

    /** Locks that are taken together at most: those of the rows that one operation changes. */
    public static final int LOCK_NAMES_MAX = 64;

    /** First size of the array for a value that a change replaces: a usual row. */
    private static final int REPLACED_BYTES_INITIAL = 256;

    private static final VarHandle FIRST_LSN;
    private static final VarHandle ID_FLOOR;
    private static final VarHandle UNDO;

    static {
        try {
            FIRST_LSN = MethodHandles.lookup().findVarHandle(TransactionContext.class, "firstLsn", long.class);
            ID_FLOOR = MethodHandles.lookup().findVarHandle(TransactionContext.class, "idFloor", long.class);
            UNDO = MethodHandles.lookup().findVarHandle(TransactionContext.class, "undo", UndoBuffer.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LockOwner lockOwner = new LockOwner(waiter());

    /** Null before the first operation that needs it, since a session may never have one. */
    private long[] lockNames;

    private final PageAccessCounter pageAccesses;
    /** Here and not with each walk, of which a session has a dozen and runs one at a time. */
    private TreeDescent walkAhead;

    private UndoBuffer undo = new UndoBuffer();
    private UndoBuffer nextUndo;
    private UnforcedEnd handedOver;
    private long undoBytesMax = UndoBuffer.BYTES_MAX;

    @SuppressWarnings("UnusedVariable") // read through FIRST_LSN
    private long firstLsn = NO_LSN;

    @SuppressWarnings("UnusedVariable") // read through ID_FLOOR
    private long idFloor = NO_ID;

    private long committedBelow;
    private int asksSinceRenewal;
    private long lastLsn;
    private long transactionId;
    private Isolation isolation = Isolation.SERIALIZABLE;
    private long lockTimeoutNanos;
    private long deadlineNanos;
    private BTree[] rangeScannedTrees = new BTree[8];
    private int rangeScannedTreeCount;
    private boolean rolledBack;
    private long logBytesMax = Long.MAX_VALUE;
    private volatile LongConsumer logLimitListener;
    private final BTree[] ghostTrees = new BTree[GHOSTS_MET_MAX];
    private byte[] replacedValue = new byte[REPLACED_BYTES_INITIAL];
    private final byte[][] ghostKeys = new byte[GHOSTS_MET_MAX][];
    private int ghostCount;
    private VersionStore joinedVersions;

    /**
     * @param pageAccesses counts the pages that this context's operations visit; closed with it
     */
    public TransactionContext(PageAccessCounter pageAccesses) {
        this.pageAccesses = pageAccesses;
    }

    /** Ends the context: others no longer see its locks or its counts. */
    public void close() {
        lockOwner.close();
        pageAccesses.close();
    }

    /**
     * Has the stage that runs next go behind another operation's walk: see {@link TreeDescent}.
     *
     * @param walk null once the stage has run
     */
    public void goBehind(TreeDescent walk) {
        walkAhead = walk;
    }

    /** The walk behind which the stage goes that runs, or null. */
    public TreeDescent walkAhead() {
        return walkAhead;
    }

    public PageAccessCounter pageAccesses() {
        return pageAccesses;
    }

    /** Prepares for a new transaction. */
    public void begin(Isolation level, long lockWaitNanosMax, long deadline) {
        isolation = level;
        lockTimeoutNanos = lockWaitNanosMax;
        deadlineNanos = deadline;
        transactionId = 0;
        committedBelow = 0;
        lastLsn = 0;
        rolledBack = false;
        joinedVersions = null;
    }

    public LockOwner lockOwner() {
        return lockOwner;
    }

    /**
     * Takes names of locks that are taken together; of {@link #LOCK_NAMES_MAX}. Whoever has them taken fills it anew,
     * and keeps nothing there.
     */
    public long[] lockNames() {
        if (lockNames == null) {
            lockNames = new long[LOCK_NAMES_MAX];
        }
        return lockNames;
    }

    public UndoBuffer undo() {
        return undo;
    }

    /** The undo, for whoever is not the owner: that of the transaction which runs, or of a later one. */
    UndoBuffer undoAcquire() {
        return (UndoBuffer) UNDO.getAcquire(this);
    }

    /**
     * The undo does not change any more, and belongs to others as well from now on.
     *
     * @param end what knows it
     * @param next an empty one, which takes its place once it is not needed here either
     */
    void handOver(UnforcedEnd end, UndoBuffer next) {
        next.limit(undoBytesMax);
        nextUndo = next;
        handedOver = end;
    }

    /** What has the undo of the transaction, which has ended; null where it has stayed here. */
    UnforcedEnd handedOver() {
        return handedOver;
    }

    /** The transaction has ended, and nothing here needs its undo any more. */
    public void dropUndo() {
        UnforcedEnd end = handedOver;
        if (end == null) {
            undo.clear();
            return;
        }
        // Release: who sees the next buffer sees what this transaction had told before.
        UNDO.setRelease(this, nextUndo);
        handedOver = null;
        nextUndo = null;
        end.release();
    }

    /**
     * Room for the value that a change is about to replace. The session's changes share it: one runs at a time, and who
     * wants the value after the change takes it before the next. To be asked for before the change is logged, because
     * growing may fail; what was in the array is then lost.
     *
     * @param bytes at most {@link NodeLayout#INLINE_BYTES_MAX}
     */
    public byte[] replacedValue(int bytes) {
        if (bytes > replacedValue.length) {
            replacedValue = new byte[Math.max(bytes, Math.min(2 * replacedValue.length, NodeLayout.INLINE_BYTES_MAX))];
        }
        return replacedValue;
    }

    public Isolation isolation() {
        return isolation;
    }

    /** When a lock wait that starts now has to end, in {@link InstalledTime#nanoTime} terms. */
    public long lockDeadlineNanos() {
        if (lockTimeoutNanos == Long.MAX_VALUE) {
            return deadlineNanos;
        }
        long lockDeadline = InstalledTime.nanoTime() + lockTimeoutNanos;
        return deadlineNanos == Long.MAX_VALUE || lockDeadline - deadlineNanos < 0 ? lockDeadline : deadlineNanos;
    }

    /** When the whole transaction has to end; {@link Long#MAX_VALUE} is never. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** 0 as long as the transaction has changed nothing. */
    public long transactionId() {
        return transactionId;
    }

    /**
     * Rows that were last written by a transaction with a lower id hold nothing uncommitted, and nothing that an answer
     * has to wait for; 0 tells of none.
     */
    public long committedBelow() {
        return committedBelow;
    }

    public void setCommittedBelow(long id) {
        committedBelow = id;
    }

    /** Whether this context has asked that often for a horizon since this was true last. */
    boolean hasAskedOften(int asks) {
        if (++asksSinceRenewal < asks) {
            return false;
        }
        asksSinceRenewal = 0;
        return true;
    }

    /** The transaction is about to get an id that is not lower. */
    void announceIdRelease(long lowest) {
        ID_FLOOR.setRelease(this, ~lowest);
    }

    /** No id that this context's transaction has or is about to get is lower. */
    long idFloorAcquire() {
        long floor = (long) ID_FLOOR.getAcquire(this);
        return floor < 0 ? ~floor : floor;
    }

    /**
     * The id of the transaction if it has not ended, {@link #NO_ID} if it has none. Negative while it is about to get
     * an id: then that is not below the number's complement.
     */
    long runningIdVolatile() {
        return (long) ID_FLOOR.getVolatile(this);
    }

    /** The transaction is about to change something for the first time. */
    public void identify(long id, long tailLsn) {
        transactionId = id;
        ID_FLOOR.setRelease(this, id);
        lockOwner.setTransactionId(id);
        FIRST_LSN.setVolatile(this, tailLsn);
    }

    /** The LSN from which recovery has to read for this transaction, or {@link #NO_LSN}. */
    public long firstLsnVolatile() {
        return (long) FIRST_LSN.getVolatile(this);
    }

    /**
     * Sets what a transaction may hold.
     *
     * @param undoBytes of undo
     * @param logBytes of log, what its rollback will write included
     */
    public void limit(long undoBytes, long logBytes) {
        undoBytesMax = undoBytes;
        undo.limit(undoBytes);
        logBytesMax = logBytes;
    }

    /**
     * Requires that the log since the first change is not more than half of what the transaction may hold: the other
     * half is for its rollback, which writes as much again as the transaction itself has written.
     *
     * @param tailLsn the end of the log
     * @throws TransactionTooLargeException if it is more
     */
    public void requireLogLimit(long tailLsn) {
        // Without a change so far the difference is negative.
        if (holdsTooMuchLog(tailLsn - firstLsn)) {
            throw new TransactionTooLargeException(
                    Message.of("the transaction holds too much log, its own and that of others since its first change")
                            .with("transaction", transactionId)
                            .with("logBytes", tailLsn - firstLsn)
                            .with("rollbackBytesMax", tailLsn - firstLsn)
                            .with("transactionLogBytes", logBytesMax)
                            .remedy("roll back and commit in smaller batches or sooner, or raise the option"
                                    + " transactionLogBytes"));
        }
    }

    /** Log that is kept for this transaction, for any thread; negative without a change so far. */
    public long logBytesHeld(long tailLsn) {
        return tailLsn - firstLsnVolatile();
    }

    /** Whether a transaction that keeps so much log has to end. */
    public boolean holdsTooMuchLog(long logBytes) {
        return logBytes > logBytesMax >> 1;
    }

    /** Says who is told, on another thread, that the transaction may hold more log than it may. */
    public void onLogLimit(LongConsumer listener) {
        logLimitListener = listener;
    }

    /** Tells the transaction, if it holds more log than it may. Called by another thread; it may be wrong by then. */
    void checkLogLimit(long tailLsn) {
        LongConsumer listener = logLimitListener;
        if (listener != null && holdsTooMuchLog(logBytesHeld(tailLsn))) {
            listener.accept(tailLsn);
        }
    }

    public long lastLsn() {
        return lastLsn;
    }

    public void appended(long lsn) {
        lastLsn = lsn;
    }

    @SuppressWarnings("ReferenceEquality") // one store is never like another
    boolean hasJoined(VersionStore versions) {
        return joinedVersions == versions;
    }

    void joined(VersionStore versions) {
        joinedVersions = versions;
    }

    /** The end record is in the log buffer. */
    public void logEnded() {
        FIRST_LSN.setRelease(this, NO_LSN);
        // Volatile for the look at the snapshots that follows: one of the two sees the other.
        ID_FLOOR.setVolatile(this, NO_ID);
    }

    public boolean isRolledBack() {
        return rolledBack;
    }

    public void markRolledBack() {
        rolledBack = true;
    }

    /** Announces gap locks in a tree, once a transaction and tree. */
    public void rangeScan(BTree tree) {
        for (int i = 0; i < rangeScannedTreeCount; i++) {
            if (rangeScannedTrees[i] == tree) {
                return;
            }
        }
        if (rangeScannedTreeCount == rangeScannedTrees.length) {
            rangeScannedTrees = Arrays.copyOf(rangeScannedTrees, rangeScannedTreeCount * 2);
        }
        rangeScannedTrees[rangeScannedTreeCount++] = tree;
        tree.rangeScanStarted();
    }

    /** The transaction came across a ghost: whoever left it could not remove it then. */
    public void ghostMet(BTree tree, byte[] key, int keyBytes) {
        if (ghostCount < GHOSTS_MET_MAX) {
            ghostTrees[ghostCount] = tree;
            ghostKeys[ghostCount++] = Arrays.copyOf(key, keyBytes);
        }
    }

    /** Ghosts met and to be removed after the end. */
    public int ghostCount() {
        return ghostCount;
    }

    public BTree ghostTree(int index) {
        return ghostTrees[index];
    }

    public byte[] ghostKey(int index) {
        return ghostKeys[index];
    }

    public void forgetGhosts() {
        Arrays.fill(ghostTrees, 0, ghostCount, null);
        Arrays.fill(ghostKeys, 0, ghostCount, null);
        ghostCount = 0;
    }

    /** The locks are released: no gap of this transaction is locked any more. */
    public void endRangeScans() {
        for (int i = 0; i < rangeScannedTreeCount; i++) {
            rangeScannedTrees[i].rangeScanEnded();
            rangeScannedTrees[i] = null;
        }
        rangeScannedTreeCount = 0;
    }
}
