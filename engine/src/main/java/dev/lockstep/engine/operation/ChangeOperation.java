package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.VersionStore;
import dev.lockstep.engine.type.RecordBuffer;

/**
 * What insert, update and delete share: an exclusive key lock, a latched leaf, and a change that is logged before the
 * page is touched. A failure before the log record leaves everything as it was; one after it marks the instance failed.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The leaf's exclusive latch is held inside one stage only, never between two.
 *   <li>{@code applied} is set by the change and by nothing else; until then the page and the undo buffer are
 *       untouched.
 *   <li>{@code changing} is set from the log record on until the page has its change.
 *   <li>{@code seenPageId} is {@link #NO_POSITION} or where the record was read; a position that no longer holds costs
 *       a descent.
 * </ul>
 */
public abstract class ChangeOperation extends RecordOperation {
    /** No slot, and no answer of a search: those go down to minus the number of slots. */
    static final int UNKNOWN_SLOT = Integer.MIN_VALUE;

    private static final int NO_POSITION = -1;

    private boolean applied;
    private boolean changing;
    private int seenPageId;
    private int seenFrame;
    private int seenSlot;
    private long seenVersion;
    private boolean atSeenSlot;
    private boolean leafAsSeen;
    private boolean changedAsSeen;
    private boolean mayBeginAtHint;
    /** Where one like the key was put last is asked of so many of its bytes. */
    int putKeyBytes;

    ChangeOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    final void startChange(BTree target, byte[] searched, int searchedBytes) {
        aim(target, searched, searchedBytes, 0);
        applied = false;
        seenPageId = NO_POSITION;
        atSeenSlot = false;
        leafAsSeen = false;
        changedAsSeen = false;
        mayBeginAtHint = newKeyCount() > 0;
        putKeyBytes = searchedBytes;
        stage = STAGE_LOCK;
    }

    /**
     * How many keys that are usually not there yet are put, one behind the other, of which this is the first; 0 if they
     * usually are there. For new ones the leaf is looked for where one like them was put last.
     */
    int newKeyCount() {
        return 0;
    }

    /**
     * The record was read from there, or null: the change looks there first, and takes no lock that the read has taken.
     */
    final void seenAt(RecordBuffer record) {
        if (record == null || record.positionTreeStamp() != tree.stamp()) {
            return;
        }
        seenPageId = record.positionPageId();
        seenFrame = record.positionFrame();
        seenSlot = record.positionSlot();
        seenVersion = record.positionVersion();
        if (record.isLockedBy(tree.stamp(), context.lockOwner().stamp())) {
            stage = STAGE_DESCEND;
        }
    }

    /** Whether the change was made: false where an update or delete found no record, or an insert found one. */
    public final boolean applied() {
        return applied;
    }

    /** Whether nobody had changed the record, nor its leaf, between reading it and this change. */
    public final boolean isChangedAsSeen() {
        return changedAsSeen;
    }

    @Override
    public final int step() {
        return switch (stage) {
            case STAGE_LOCK -> takeLocks();
            case STAGE_DESCEND -> reachLeaf();
            default -> changeLeaf();
        };
    }

    // ---- as one of a team, whose leader brings it to its leaf

    /** Says whether stages of other walks run between those of this one, as {@link #addNextLines} wants it. */
    public final void walkBesideOthers(boolean beside) {
        walksBesideOthers(beside);
    }

    /** Whether what comes next is the change of the leaf. */
    public final boolean isAtLeaf() {
        return stage == STAGE_LEAF;
    }

    /** Whether a single lock, that of the key, is what comes next. */
    public final boolean isBeforeLock() {
        return stage == STAGE_LOCK && hasOneLock();
    }

    /** Whether the change is of a single row. */
    boolean hasOneLock() {
        return true;
    }

    /** Asks for the lock of the key together with others. */
    public final void requestLock(LockRequests requests) {
        long name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes);
        requests.add(context.lockOwner(), name, LockMode.KEY_X);
    }

    /** The lock of the key is held now. */
    public void lockGranted() {
        stage = STAGE_DESCEND;
    }

    // ---- stages

    /** Takes the key lock; the next stage is the descent. */
    int takeLocks() {
        return lockKey(LockMode.KEY_X);
    }

    /** Comes a node closer to the leaf, or goes straight to it; on arrival the next stage is the leaf. */
    int reachLeaf() {
        if (seenPageId != NO_POSITION) {
            leafAsSeen = returnTo(seenPageId, seenFrame, seenVersion);
            boolean there = leafAsSeen || jumpTo(seenPageId, seenFrame, seenSlot);
            seenPageId = NO_POSITION;
            if (there) {
                return arriveAt(seenSlot);
            }
            restart();
        }
        int known = slotBehindLastChange();
        if (known != UNKNOWN_SLOT) {
            context.pageAccesses().countAccess();
            return arriveAt(known);
        }
        if (mayBeginAtHint) {
            mayBeginAtHint = false;
            tryHintOfPut(putKeyBytes, newKeyCount());
            if (isBesideOthers()) {
                // What is read there has still to be brought from memory.
                return CONTINUE;
            }
        }
        return descendToLeaf();
    }

    /** The walk stands on the leaf, and a search in it would answer with {@code slot}. */
    final int arriveAt(int slot) {
        seenSlot = slot;
        atSeenSlot = true;
        stage = STAGE_LEAF;
        return CONTINUE;
    }

    /** Somebody has changed the leaf, or holds its latch. */
    int missedLeaf() {
        return descendAgain();
    }

    /**
     * Moves straight to the leaf that this operation has changed last, if the key belongs there.
     *
     * @return what {@link Node#find} would answer, or {@link #UNKNOWN_SLOT} where the walk has to begin at the root
     */
    int slotBehindLastChange() {
        return UNKNOWN_SLOT;
    }

    /** The leaf was released after a change. */
    void leafChanged(int slot, long changedVersion) {}

    /**
     * Changes the latched leaf, where the key is at {@code slot} or would go to {@code -slot - 1}.
     *
     * @return {@link #changed} after the change, {@link #unchanged} where there is nothing to change, or what has to
     *     happen before another attempt
     */
    abstract int change(int slot);

    private int changeLeaf() {
        boolean slotKnown = atSeenSlot;
        boolean asSeen = slotKnown && leafAsSeen;
        atSeenSlot = false;
        applied = false;
        if (!latchLeaf()) {
            return missedLeaf();
        }
        boolean pageChanged = false;
        int slot = UNKNOWN_SLOT;
        try {
            slot = slotKnown ? seenSlot : findInLeaf();
            if (!slotKnown && !isRightLeaf(slot)) {
                return descendAgain();
            }
            int result = change(slot);
            pageChanged = applied;
            changedAsSeen = applied && asSeen;
            return result;
        } catch (Throwable failure) {
            if (changing) {
                pageChanged = true;
                changing = false;
                tree.environment().failInsideChange(failure);
            }
            throw failure;
        } finally {
            if (pageChanged) {
                leafChanged(slot, unlatchLeaf());
            } else {
                unlatchLeafUnchanged();
            }
        }
    }

    /**
     * Keeps what is about to be changed, if a snapshot may need it. To be called under the leaf's latch, once the
     * transaction has its id and before the log record.
     *
     * @param slot negative where there is no record
     */
    final void keepVersion(byte[] changedKey, int changedKeyBytes, int slot) {
        VersionStore versions = transactions.versionsVolatile();
        if (versions != null) {
            versions.keep(context, tree, changedKey, changedKeyBytes, memory, page, slot);
        }
    }

    /** Appends the finished log record. From here to {@link #changed} a failure cannot be taken back. */
    final long logChange() {
        long lsn = append();
        changing = true;
        return lsn;
    }

    /**
     * Appends the finished records of a run, like {@link #logChange}.
     *
     * @return the LSN of the first; 0 where the database writes no log
     */
    final long logRun() {
        LogRecordBuffer record = context.record();
        long firstLsn = tree.environment().append(record);
        context.appended(lsnAt(firstLsn, record.lastOffset()));
        changing = true;
        return firstLsn;
    }

    /** The LSN of a record of a run. */
    static long lsnAt(long firstLsn, int offset) {
        return firstLsn == 0 ? 0 : firstLsn + offset;
    }

    /** Appends the finished record of a system change, which belongs to no transaction. */
    final long logSystemChange() {
        long lsn = tree.environment().append(context.record());
        changing = true;
        return lsn;
    }

    /** The page and the undo buffer hold the change. */
    final int changed(long lsn) {
        pool.markDirty(frame, lsn);
        changing = false;
        applied = true;
        return DONE;
    }

    /** The page and the undo buffer hold all changes of a run. */
    final void changedRun(long firstLsn) {
        // Recovery begins to read at the first of the records; the page has all up to the last.
        if (firstLsn != context.lastLsn()) {
            pool.markDirty(frame, firstLsn);
        }
        changed(context.lastLsn());
    }

    /** There is nothing to change. */
    static int unchanged() {
        return DONE;
    }

    /** Leaves the leaf as it is and asks for room in it. */
    final int makeRoomFor(int valueBytes) {
        return makeRoomFor(valueBytes, 0);
    }

    /** As above, with some bytes more that are to stay free. */
    final int makeRoomFor(int valueBytes, int spareBytes) {
        int cellBytes = Node.leafBytesNeeded(memory, page, keyBytes, valueBytes) + Node.prefixBytes(memory, page);
        return makeRoom(cellBytes + spareBytes);
    }

    final boolean hasRoomFor(int valueBytes) {
        return hasRoomFor(valueBytes, 0);
    }

    final boolean hasRoomFor(int valueBytes, int spareBytes) {
        return Node.freeBytes(memory, page) >= Node.leafBytesNeeded(memory, page, keyBytes, valueBytes) + spareBytes;
    }

    /**
     * Bytes that an insert in front of slot {@code at} leaves free: behind the last key as many as the fence takes that
     * a split there gives the leaf, so that the split moves nothing ({@link NodeEditor#truncate}). Rows of one size
     * leave the same rest in each leaf; where that was too short for the fence, each leaf was written anew.
     */
    final int spareBytesAt(int at) {
        return at == Node.slotCount(memory, page) ? keyBytes : 0;
    }

    /**
     * Tests whether the gap in front of slot {@code successor} of the latched leaf is free for the key.
     *
     * @return {@link #CONTINUE} if it is, and {@code nextKey} has its name
     */
    final int testGap(NextKeyFinder nextKey, int successor) {
        if (!nextKey.findBehind(tree, page, successor)) {
            neededPageId = nextKey.neededPageId();
            descendAgain();
            return LOAD_PAGE;
        }
        long name = nextKey.name();
        if (!locks.tryLockInstant(context.lockOwner(), name, LockMode.GAP_IX)) {
            descendAgain();
            return waitForLock(name, LockMode.GAP_IX, true);
        }
        return isOwnGap(name) ? inheritGap() : CONTINUE;
    }

    /** Whether this transaction itself has read the gap. */
    final boolean isOwnGap(long name) {
        return LockMode.covers(locks.heldMode(context.lockOwner(), name), LockMode.GAP_S);
    }

    /** A gap that this transaction itself has read is cut in two by the new key: both halves stay locked. */
    private int inheritGap() {
        long newName = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes);
        if (locks.tryLock(context.lockOwner(), newName, LockMode.GAP_S)) {
            return CONTINUE;
        }
        descendAgain();
        return waitForLock(newName, LockMode.GAP_S, false);
    }
}
