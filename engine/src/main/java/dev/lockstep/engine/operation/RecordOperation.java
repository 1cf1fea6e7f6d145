package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockOwner;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.RecordTarget;

/**
 * An operation on records as a stage machine: {@link #step()} runs one stage and says what comes next. No latch is held
 * between stages. Used by one thread at a time; reusable, without allocation in the steady state.
 *
 * <p>Stages: {@code STAGE_LOCK} → {@code STAGE_DESCEND} → {@code STAGE_LEAF} → done; every failed validation leads back
 * to {@code STAGE_DESCEND}. Invariants:
 * <ul>
 *   <li>Behind {@code STAGE_LOCK} the key's lock is held in the mode asked for, or the operation only tests locks.
 *   <li>In {@code STAGE_LEAF}, {@code page}, {@code frame} and {@code version} are of a leaf that covered the key when
 *       {@code version} was read.
 *   <li>{@code neededLockName}, {@code neededLockMode} and {@code neededLockInstant} are of the last
 *       {@code WAIT_FOR_LOCK}, {@code neededBytes} of the last {@code MAKE_ROOM}; each result tells what of it counts.
 * </ul>
 */
public abstract class RecordOperation extends TreeDescent {
    static final int STAGE_LOCK = 0;
    static final int STAGE_DESCEND = 1;
    static final int STAGE_LEAF = 2;

    final LockManager locks;
    final TransactionTable transactions;
    final TransactionContext context;
    int stage;
    private long neededLockName;
    /** A byte, as a session has a dozen operations. */
    private byte neededLockMode;

    private boolean neededLockInstant;
    private int neededBytes;

    RecordOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        this.locks = locks;
        this.transactions = transactions;
        this.context = context;
    }

    /**
     * Runs one stage.
     *
     * @return one of the results that {@link TreeDescent} names
     */
    public abstract int step();

    /**
     * Runs one stage behind one of another operation, together with which it {@linkplain #enterBehind visits a node}
     * where both come to the same.
     *
     * @param other between two of its stages, or null
     * @return as {@link #step()}
     */
    public final int stepBehind(RecordOperation other) {
        context.goBehind(other);
        try {
            return step();
        } finally {
            context.goBehind(null);
        }
    }

    /**
     * Runs stage after stage for as long as they say {@link TreeDescent#CONTINUE}. The operations of every transaction
     * have a loop of their own: in this one each stage would be a call that no compiler can resolve.
     *
     * @return the first other result
     */
    public int stepOn() {
        int result;
        do {
            result = step();
        } while (result == CONTINUE);
        return result;
    }

    /** The lock to wait for after {@link TreeDescent#WAIT_FOR_LOCK}. */
    public final long neededLockName() {
        return neededLockName;
    }

    public final int neededLockMode() {
        return neededLockMode;
    }

    /** Whether the lock is to be given back as soon as it was granted. */
    public final boolean neededLockInstant() {
        return neededLockInstant;
    }

    /** Free bytes wanted in the leaf after {@link TreeDescent#MAKE_ROOM}. */
    public final int neededBytes() {
        return neededBytes;
    }

    public final BTree tree() {
        return tree;
    }

    public final byte[] key() {
        return key;
    }

    public final int keyBytes() {
        return keyBytes;
    }

    /**
     * What a record remembers of the lock under which it was read, so that a change of it need not take the lock again:
     * {@link LockOwner#stamp} under an exclusive lock, which is kept to the end, else 0.
     */
    static long lockStamp(TransactionContext context, int mode, boolean instant) {
        return mode == LockMode.KEY_X && !instant ? context.lockOwner().stamp() : 0;
    }

    final int waitForLock(long name, int mode, boolean instant) {
        neededLockName = name;
        neededLockMode = (byte) mode;
        neededLockInstant = instant;
        return WAIT_FOR_LOCK;
    }

    final int makeRoom(int bytes) {
        neededBytes = bytes;
        restart();
        stage = STAGE_DESCEND;
        return MAKE_ROOM;
    }

    /** Takes the key lock, or says that it has to be waited for; the next stage is the descent in both cases. */
    final int lockKey(int mode) {
        stage = STAGE_DESCEND;
        long name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes);
        return locks.tryLock(context.lockOwner(), name, mode) ? CONTINUE : waitForLock(name, mode, false);
    }

    /** One node visit, counted unless it is another's; goes on to the leaf stage on arrival. */
    final int descendToLeaf() {
        TreeDescent ahead = context.walkAhead();
        int result;
        if (ahead != null && canEnterBehind(ahead)) {
            result = enterBehind(ahead);
        } else {
            context.pageAccesses().countAccess();
            result = descend();
        }
        if (arrived()) {
            stage = STAGE_LEAF;
        }
        return result;
    }

    final int descendAgain() {
        stage = STAGE_DESCEND;
        return restart();
    }

    /** Latches the leaf that the walk has reached, if nothing of it has changed. */
    final boolean latchLeaf() {
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            return false;
        }
        context.latched();
        return true;
    }

    /** Releases the changed leaf, and returns its new version. */
    final long unlatchLeaf() {
        long changedVersion = latches.unlatchExclusive(frame);
        context.unlatched();
        return changedVersion;
    }

    final void unlatchLeafUnchanged() {
        latches.unlatchExclusiveUnchanged(frame);
        context.unlatched();
    }

    /** Gives the transaction its id, before its first change. */
    final void identify() {
        if (context.transactionId() == 0) {
            var log = tree.environment().log();
            long id = transactions.takeTransactionId(context);
            context.identify(id, log == null ? TransactionContext.NO_LSN : log.tailLsn());
        }
    }

    /** Appends the record being built and chains it to the transaction. */
    final long append() {
        long lsn = tree.environment().append(context.record());
        context.appended(lsn);
        return lsn;
    }

    static boolean isGhost(int flags) {
        return (flags & NodeLayout.SLOT_GHOST) != 0;
    }

    /** How many bytes of a record's value a target takes: all of a stub, which is not the value. */
    static int valueBytesWanted(long slotWord, RecordTarget target) {
        int bytes = Node.valueBytesOf(slotWord);
        return (Node.flagsOf(slotWord) & NodeLayout.SLOT_OVERFLOW) != 0
                ? bytes
                : Math.min(bytes, target.valueBytesWanted());
    }

    /** Copies what a target takes of the value of a leaf's record; to be validated before it is believed. */
    static void copyValue(NativeMemory memory, long page, long slotWord, RecordTarget target) {
        int bytes = valueBytesWanted(slotWord, target);
        Node.copyOut(memory, Node.valueAddressOf(page, slotWord), target.ensureValueCapacity(bytes), 0, bytes);
        target.setValueLength(bytes);
    }

    /**
     * Moves straight back to a leaf of which nothing has changed since it had {@code seenVersion}.
     *
     * @return whether the walk stands on that leaf
     */
    final boolean returnTo(int seenPageId, int seenFrame, long seenVersion) {
        if (!latches.validateAcquire(seenFrame, seenVersion)) {
            return false;
        }
        standOn(seenPageId, seenFrame, seenVersion);
        return true;
    }

    private void standOn(int leafPageId, int leafFrame, long leafVersion) {
        parentFrame = PARENT_UNKNOWN;
        pageId = leafPageId;
        nextPageId = NO_PAGE;
        frame = leafFrame;
        version = leafVersion;
        page = BufferPool.address(leafFrame);
    }

    /**
     * Moves straight to the leaf where the key was seen last, if it is still there.
     *
     * @return whether the walk stands on that leaf
     */
    final boolean jumpTo(int seenPageId, int seenFrame, int seenSlot) {
        if (seenPageId < 0 || pool.pageIdOpaque(seenFrame) != seenPageId) {
            return false;
        }
        long seenVersion = latches.tryOptimisticVersionAcquire(seenFrame);
        long seenPage = BufferPool.address(seenFrame);
        if (seenVersion < 0
                || pool.pageIdOpaque(seenFrame) != seenPageId
                || !Node.isNode(memory, seenPage)
                || PageLayout.treeId(memory, seenPage) != tree.treeId()
                || Node.level(memory, seenPage) != 0
                || seenSlot >= Node.slotCount(memory, seenPage)
                || !Node.hasKey(memory, seenPage, seenSlot, key, keyBytes)) {
            return false;
        }
        standOn(seenPageId, seenFrame, seenVersion);
        return validate();
    }
}
