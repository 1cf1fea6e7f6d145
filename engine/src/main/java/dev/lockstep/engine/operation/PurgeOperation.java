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
import dev.lockstep.engine.transaction.VersionStore;

/**
 * Removes a ghost after the transaction that left it has ended, as a system change. A ghost whose key or gap somebody
 * still locks stays: the next scan that meets it tries again.
 */
public final class PurgeOperation extends ChangeOperation {
    private boolean leafUnderfull;

    public PurgeOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /** Whether the removal has left so little in the leaf that it may be merged with a neighbour. */
    public boolean leafUnderfull() {
        return leafUnderfull;
    }

    /** Aims at a ghost. */
    public void start(BTree target, byte[] ghostKey) {
        leafUnderfull = false;
        startChange(target, ghostKey, ghostKey.length);
        stage = STAGE_DESCEND;
    }

    @Override
    int change(int slot) {
        if (slot < 0 || !isGhost(Node.slotFlags(memory, page, slot))) {
            return unchanged();
        }
        long name = LockName.ofKey(tree.treeId(), key, 0, keyBytes);
        if (!locks.tryLockInstant(context.lockOwner(), name, LockMode.KEY_X_GAP_X)) {
            return unchanged();
        }
        VersionStore versions = transactions.versionsVolatile();
        if (versions != null) {
            versions.keepGhost(tree, key, keyBytes, memory, page, slot);
        }
        GhostRemoval.log(context.record(), pageId, key, keyBytes);
        long lsn = logSystemChange();
        tree.purging(lsn);
        GhostRemoval.apply(memory, page, slot);
        leafUnderfull = StructureModification.isUnderfull(memory, page);
        return changed(lsn);
    }
}
