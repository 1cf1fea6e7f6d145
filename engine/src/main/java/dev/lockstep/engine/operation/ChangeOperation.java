package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
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
        stage = STAGE_LOCK;
    }

    /** The record was read from there, or null: the change looks there first. */
    final void seenAt(RecordBuffer record) {
        if (record == null || record.positionTreeStamp() != tree.stamp()) {
            return;
        }
        seenPageId = record.positionPageId();
        seenFrame = record.positionFrame();
        seenSlot = record.positionSlot();
        seenVersion = record.positionVersion();
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
            case STAGE_LOCK -> lockKey(LockMode.KEY_X);
            case STAGE_DESCEND -> jumpOrDescend();
            default -> changeLeaf();
        };
    }

    private int jumpOrDescend() {
        if (seenPageId != NO_POSITION) {
            leafAsSeen = returnTo(seenPageId, seenFrame, seenVersion);
            boolean there = leafAsSeen || jumpTo(seenPageId, seenFrame, seenSlot);
            seenPageId = NO_POSITION;
            if (there) {
                atSeenSlot = true;
                stage = STAGE_LEAF;
                return CONTINUE;
            }
            restart();
        }
        int known = slotBehindLastChange();
        if (known != UNKNOWN_SLOT) {
            context.pageAccesses().countAccess();
            seenSlot = known;
            atSeenSlot = true;
            stage = STAGE_LEAF;
            return CONTINUE;
        }
        return descendToLeaf();
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
        if (!latchLeaf()) {
            return descendAgain();
        }
        boolean pageChanged = false;
        int slot = UNKNOWN_SLOT;
        try {
            slot = slotKnown ? seenSlot : Node.find(memory, page, key, keyBytes);
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

    /** Appends the finished log record. From here to {@link #changed} a failure cannot be taken back. */
    final long logChange() {
        long lsn = append();
        changing = true;
        return lsn;
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

    /** There is nothing to change. */
    static int unchanged() {
        return DONE;
    }

    /** Leaves the leaf as it is and asks for room in it. */
    final int makeRoomFor(int valueBytes) {
        return makeRoom(Node.leafBytesNeeded(memory, page, keyBytes, valueBytes) + Node.prefixBytes(memory, page));
    }

    final boolean hasRoomFor(int valueBytes) {
        return Node.freeBytes(memory, page) >= Node.leafBytesNeeded(memory, page, keyBytes, valueBytes);
    }
}
