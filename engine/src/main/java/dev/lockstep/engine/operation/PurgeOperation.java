package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GhostRemoval;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.StructureModification;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.transaction.VersionStore;
import java.util.function.BooleanSupplier;

/**
 * Removes a ghost after the transaction that left it has ended, as a system change. A ghost whose key or gap somebody
 * still locks stays: the next scan that meets it tries again.
 */
public final class PurgeOperation extends ChangeOperation {
    private final BooleanSupplier isFailed;
    private boolean mayBeMerged;

    /**
     * Makes an operation.
     *
     * @param isFailed whether the instance is marked failed; its transactions then end without being undone
     */
    public PurgeOperation(
            LockManager locks, TransactionTable transactions, TransactionContext context, BooleanSupplier isFailed) {
        super(locks, transactions, context);
        this.isFailed = isFailed;
    }

    /** Whether the removal has left so little in the leaf that a merge with a neighbour is to be tried. */
    public boolean mayBeMerged() {
        return mayBeMerged;
    }

    /**
     * Aims at a ghost.
     *
     * @param frame where it may lie, or {@link UndoBuffer#NO_FRAME}
     */
    public void start(BTree target, byte[] ghostKey, int frame) {
        mayBeMerged = false;
        startChange(target, ghostKey, ghostKey.length);
        if (frame != UndoBuffer.NO_FRAME) {
            beginAtFrame(frame);
        }
        stage = STAGE_DESCEND;
    }

    @Override
    int change(int slot) {
        if (slot < 0 || !isGhost(Node.slotFlags(memory, page, slot))) {
            return unchanged();
        }
        long name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes);
        if (!locks.tryLockInstant(context.lockOwner(), name, LockMode.KEY_X_GAP_X)) {
            return unchanged();
        }
        if (isFailed.getAsBoolean()) {
            // Asked for behind the lock: who has given it up without undoing its delete had failed before. Recovery
            // will undo that, and has to find the ghost.
            return unchanged();
        }
        VersionStore versions = transactions.versionsVolatile();
        if (versions != null) {
            versions.keepGhost(tree, key, keyBytes, memory, page, slot);
        }
        GhostRemoval.log(context.record(), pageId, key, keyBytes);
        long lsn = logSystemChange();
        tree.purging(lsn);
        int freeBytesBefore = Node.freeBytes(memory, page);
        GhostRemoval.apply(memory, page, slot);
        mayBeMerged = StructureModification.isMergeDue(memory, page, freeBytesBefore);
        return changed(lsn);
    }
}
