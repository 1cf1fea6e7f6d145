package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.NodeLines;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.RecordTarget;

/**
 * Fetches the record of one key: lock, node visits, copy. A key that is not there stays absent for as long as the lock
 * is held, because the lock names the key, not the record.
 *
 * <p>With an instant lock (READ COMMITTED) the leaf's version is taken first, then the lock is tested, then the record
 * is copied, then the version is validated: at the test nobody held an uncommitted change of the record, and nothing
 * of the page has changed around it. Where the record's version tells that its writer has ended, the lock is not even
 * tested.
 */
public final class FetchOperation extends RecordOperation {
    private static final int STAGE_COPY = 3;

    private int lockMode;
    private boolean lockInstant;
    private RecordTarget target;
    private int slot;
    private long slotWord;
    private boolean found;

    public FetchOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /** Makes an operation whose stages run in turn with those of others. */
    public static FetchOperation besideOthers(
            LockManager locks, TransactionTable transactions, TransactionContext context) {
        FetchOperation fetch = new FetchOperation(locks, transactions, context);
        fetch.walksBesideOthers(true);
        return fetch;
    }

    /**
     * Aims at a key. An operation {@linkplain #besideOthers beside others} is then to {@link #followHint}, when all of
     * them were aimed.
     *
     * @param mode the key lock, or {@link LockMode#NONE}
     * @param instant whether the lock is only tested
     * @param into takes the value; its key is not touched
     */
    public void start(BTree source, byte[] searched, int searchedBytes, int mode, boolean instant, RecordTarget into) {
        aim(source, searched, searchedBytes, 0);
        findHint(true);
        if (!isBesideOthers()) {
            followHint(true);
        }
        lockMode = mode;
        lockInstant = instant;
        target = into;
        found = false;
        stage = mode == LockMode.NONE || instant ? STAGE_DESCEND : STAGE_LOCK;
    }

    /** As {@link #start}, but the key is locked in that mode already, unless the lock is only tested. */
    void startLocked(BTree source, byte[] searched, int searchedBytes, int mode, boolean instant, RecordTarget into) {
        start(source, searched, searchedBytes, mode, instant, into);
        stage = STAGE_DESCEND;
    }

    /**
     * Has the hint to the leaf on its way from memory: before {@link #followHint}, while those of others are on theirs.
     *
     * @return something to add up, so that no compiler leaves the read out
     */
    public long touchHint() {
        return readHint();
    }

    /** Begins at the leaf where a key like this one was found last. */
    public void followHint() {
        followHint(true);
    }

    /** Whether the lock of the key is what comes next. */
    public boolean isBeforeLock() {
        return stage == STAGE_LOCK;
    }

    /** Asks for the lock of the key together with others. */
    public void requestLock(LockRequests requests) {
        requests.add(context.lockOwner(), lockName(), lockMode);
    }

    /** The lock of the key is held now. */
    public void lockGranted() {
        stage = STAGE_DESCEND;
    }

    /** Whether the key has a record. */
    public boolean found() {
        return found;
    }

    /** Whether the value that was copied is the stub of an overflow chain. */
    public boolean isOverflow() {
        return (Node.flagsOf(slotWord) & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    /**
     * Runs a stage. Beside others it goes as far as what was read ahead for it: the lock and the first node are one
     * stage, and so is the search where that node is a leaf that was guessed.
     */
    @Override
    public int step() {
        if (stage == STAGE_LOCK) {
            int result = lockKey(lockMode);
            if (result != CONTINUE || !isBesideOthers()) {
                return result;
            }
        }
        if (stage == STAGE_DESCEND) {
            int result = descendToLeaf();
            if (stage != STAGE_LEAF || !isBesideOthers() || !isHinted()) {
                return result;
            }
        }
        return stage == STAGE_LEAF ? findSlot() : copyRecord();
    }

    @Override
    public int stepOn() {
        int result;
        do {
            result = step();
        } while (result == CONTINUE);
        return result;
    }

    private int findSlot() {
        slotWord = hintedSlotWord();
        if (slotWord != Node.NO_SLOT_WORD) {
            slot = hintedSlot();
            stage = STAGE_COPY;
            return CONTINUE;
        }
        slot = findInLeaf();
        if (!isRightLeaf(slot)) {
            return descendAgain();
        }
        if (slot >= 0) {
            slotWord = Node.slotWord(memory, page, slot);
            stage = STAGE_COPY;
            return CONTINUE;
        }
        if (lockInstant && !isLockFree()) {
            return waitForKey();
        }
        return validate() ? DONE : descendAgain();
    }

    private boolean isLockFree() {
        return locks.tryLockInstant(context.lockOwner(), lockName(), lockMode);
    }

    private long lockName() {
        return LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes);
    }

    private int waitForKey() {
        descendAgain();
        return waitForLock(lockName(), lockMode, true);
    }

    private int copyRecord() {
        if (lockInstant && Node.versionOf(memory, page, slotWord) >= context.committedBelow() && !isLockFree()) {
            return waitForKey();
        }
        if (isGhost(Node.flagsOf(slotWord))) {
            return validate() ? DONE : descendAgain();
        }
        copyValue(memory, page, slotWord, target);
        target.setPosition(pageId, frame, slot, version, tree.stamp(), lockStamp(context, lockMode, lockInstant));
        if (!validate()) {
            return descendAgain();
        }
        found = true;
        return DONE;
    }

    @Override
    public void addNextLines(GroupPrefetch prefetch) {
        if (stage == STAGE_COPY) {
            NodeLines.addCellLines(prefetch, page, slotWord, target.valueBytesWanted());
        } else {
            super.addNextLines(prefetch);
        }
    }
}
