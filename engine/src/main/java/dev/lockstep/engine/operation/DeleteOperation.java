package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.RecordBuffer;

/**
 * Makes a record a ghost. Its place is kept until the transaction has ended, so that undo needs no room, and removed
 * after that by a system change. The value goes to the undo all the same: a snapshot may need it longer than that.
 */
public final class DeleteOperation extends ChangeOperation {
    public DeleteOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at a record.
     *
     * @param seen the record as it was read, so that the delete looks there first; null if it was not
     */
    public void start(BTree target, byte[] deletedKey, int deletedKeyBytes, RecordBuffer seen) {
        startChange(target, deletedKey, deletedKeyBytes);
        seenAt(seen);
    }

    @Override
    int change(int slot) {
        if (slot < 0) {
            return unchanged();
        }
        int flagsBefore = Node.slotFlags(memory, page, slot);
        if (isGhost(flagsBefore)) {
            return unchanged();
        }
        int valueBytes = Node.valueBytes(memory, page, slot);
        byte[] value = context.replacedValue(valueBytes);
        Node.copyOut(memory, Node.valueAddress(memory, page, slot), value, 0, valueBytes);
        UndoBuffer undo = context.undo();
        undo.reserve(keyBytes + valueBytes);
        identify();
        keepVersion(key, keyBytes, slot);
        long previousLsn = context.lastLsn();
        LeafChange.delete(
                context.record(), false, context.transactionId(), previousLsn, 0, tree.treeId(), pageId, key, keyBytes);
        if ((flagsBefore & NodeLayout.SLOT_OVERFLOW) != 0) {
            OverflowChain.departs(tree, value);
        }
        long lsn = logChange();
        undo.pushDelete(tree, previousLsn, key, keyBytes, flagsBefore, value, valueBytes, frame);
        NodeEditor.setSlotFlags(memory, page, slot, flagsBefore | NodeLayout.SLOT_GHOST);
        NodeEditor.setVersion(memory, page, slot, context.transactionId());
        return changed(lsn);
    }
}
