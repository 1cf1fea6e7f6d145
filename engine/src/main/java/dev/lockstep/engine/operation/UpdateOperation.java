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

/** Replaces the value of a record; the key stays. */
public final class UpdateOperation extends ChangeOperation {
    private byte[] value;
    private int valueBytes;
    private int slotFlags;
    private int beforeBytes;
    private int flagsBefore;

    public UpdateOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at a record.
     *
     * @param flags the slot flags after the change: 0, or overflow with a stub as the value
     * @param seen where the record was read, if it was
     */
    public void start(
            BTree target,
            byte[] changedKey,
            int changedKeyBytes,
            byte[] newValue,
            int newValueBytes,
            int flags,
            RecordBuffer seen) {
        startChange(target, changedKey, changedKeyBytes);
        seenAt(seen);
        value = newValue;
        valueBytes = newValueBytes;
        slotFlags = flags;
    }

    /**
     * Copies the value that the applied update has replaced: the stub, where it is in overflow pages. To be called
     * before the session's next change.
     */
    public void copyValueBefore(RecordBuffer into) {
        byte[] before = context.replacedValue(beforeBytes);
        System.arraycopy(before, 0, into.ensureValueCapacity(beforeBytes), 0, beforeBytes);
        into.setValueLength(beforeBytes);
    }

    /** Whether the value that the applied update has replaced is in overflow pages. */
    public boolean isOverflowBefore() {
        return (flagsBefore & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    @Override
    public int stepOn() {
        int result;
        do {
            result = step();
        } while (result == CONTINUE);
        return result;
    }

    @Override
    int change(int slot) {
        if (slot < 0) {
            return unchanged();
        }
        flagsBefore = Node.slotFlags(memory, page, slot);
        if (isGhost(flagsBefore)) {
            return unchanged();
        }
        beforeBytes = Node.valueBytes(memory, page, slot);
        if (valueBytes > beforeBytes && !hasRoomFor(valueBytes)) {
            return makeRoomFor(valueBytes);
        }
        byte[] before = context.replacedValue(beforeBytes);
        Node.copyOut(memory, Node.valueAddress(memory, page, slot), before, 0, beforeBytes);
        UndoBuffer undo = context.undo();
        undo.reserve(keyBytes + beforeBytes);
        identify();
        keepVersion(key, keyBytes, slot);
        long previousLsn = context.lastLsn();
        LeafChange.update(
                context.record(),
                false,
                context.transactionId(),
                previousLsn,
                0,
                tree.treeId(),
                pageId,
                key,
                keyBytes,
                flagsBefore,
                slotFlags,
                before,
                beforeBytes,
                value,
                valueBytes);
        if (isOverflowBefore()) {
            OverflowChain.departs(tree, before);
        }
        long lsn = logChange();
        undo.push(UndoBuffer.UPDATE, tree, previousLsn, key, keyBytes, flagsBefore, before, beforeBytes);
        NodeEditor.replaceValue(memory, page, slot, value, 0, valueBytes, slotFlags, context.transactionId());
        return changed(lsn);
    }
}
