package dev.lockstep.engine.operation;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Takes one change back, at rollback or at recovery, and logs a compensation record for it. The record is found by its
 * key in the tree, for splits may have moved it; it is there, because its key is still locked.
 *
 * <p>Undoing an insert leaves a ghost, so undo never has to remove a record and never meets a missing one.
 */
public final class UndoOperation extends ChangeOperation {
    private static final byte[] NOTHING = new byte[0];

    private byte kind;
    private byte[] before;
    private int flagsBefore;
    private long undoNextLsn;
    private byte[] replacedStub;
    private MemorySegment logBody;

    public UndoOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at a change.
     *
     * @param changeKind {@link UndoBuffer#INSERT}, UPDATE or DELETE
     * @param valueBefore the value before an update
     * @param nextLsn the log record of the transaction to undo after this one, 0 if none
     */
    public void start(
            BTree target, byte changeKind, byte[] changedKey, byte[] valueBefore, int slotFlagsBefore, long nextLsn) {
        startChange(target, changedKey, changedKey.length);
        stage = STAGE_DESCEND;
        kind = changeKind;
        before = valueBefore;
        flagsBefore = slotFlagsBefore;
        undoNextLsn = nextLsn;
        replacedStub = null;
        logBody = null;
    }

    /**
     * Aims at a change that recovery takes back.
     *
     * @param body the body of its log record
     */
    public void startFromLog(BTree target, byte changeKind, MemorySegment body, long nextLsn) {
        start(target, changeKind, LeafChange.key(body), NOTHING, LeafChange.slotFlagsBefore(body), nextLsn);
        logBody = body;
    }

    /** The overflow stub that undoing an update has replaced, or null. */
    public byte[] replacedStub() {
        return replacedStub;
    }

    @Override
    int change(int slot) {
        if (slot < 0) {
            throw new CorruptionException(Message.of("a record to roll back is missing")
                    .with("treeId", tree.treeId())
                    .with("transactionId", context.transactionId())
                    .remedy("run validate(); restore the database from a backup if it reports damage"));
        }
        return kind == UndoBuffer.UPDATE ? undoUpdate(slot) : setGhost(slot, kind == UndoBuffer.INSERT);
    }

    private int setGhost(int slot, boolean ghost) {
        if (ghost) {
            LeafChange.delete(
                    context.record(),
                    true,
                    context.transactionId(),
                    context.lastLsn(),
                    undoNextLsn,
                    tree.treeId(),
                    pageId,
                    key,
                    keyBytes);
        } else {
            LeafChange.restore(
                    context.record(),
                    context.transactionId(),
                    context.lastLsn(),
                    undoNextLsn,
                    tree.treeId(),
                    pageId,
                    key,
                    keyBytes);
        }
        long lsn = logChange();
        int flags = Node.slotFlags(memory, page, slot) & ~NodeLayout.SLOT_GHOST;
        NodeEditor.setSlotFlags(memory, page, slot, ghost ? flags | NodeLayout.SLOT_GHOST : flags);
        NodeEditor.setVersion(memory, page, slot, context.transactionId());
        return changed(lsn);
    }

    private int undoUpdate(int slot) {
        int valueBytes = Node.valueBytes(memory, page, slot);
        if (logBody != null) {
            before = LeafChange.valueBefore(
                    logBody, Node.bytes(memory, Node.valueAddress(memory, page, slot), valueBytes));
        }
        if (before.length > valueBytes && !hasRoomFor(before.length)) {
            return makeRoomFor(before.length);
        }
        int flags = Node.slotFlags(memory, page, slot);
        byte[] replaced = context.replacedValue(valueBytes);
        Node.copyOut(memory, Node.valueAddress(memory, page, slot), replaced, 0, valueBytes);
        if ((flags & NodeLayout.SLOT_OVERFLOW) != 0) {
            replacedStub = Arrays.copyOf(replaced, valueBytes);
        }
        LeafChange.update(
                context.record(),
                true,
                context.transactionId(),
                context.lastLsn(),
                undoNextLsn,
                tree.treeId(),
                pageId,
                key,
                keyBytes,
                flags,
                flagsBefore,
                replaced,
                valueBytes,
                before,
                before.length);
        long lsn = logChange();
        NodeEditor.replaceValue(memory, page, slot, before, 0, before.length, flagsBefore, context.transactionId());
        return changed(lsn);
    }
}
