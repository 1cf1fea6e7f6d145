package dev.lockstep.engine.operation;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
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
    private int changedFrom;
    private int flagsBefore;
    private long undoNextLsn;
    private byte[] replacedStub;
    private boolean repeated;
    private NativeMemory logBody;

    public UndoOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at a change.
     *
     * @param changeKind {@link UndoBuffer#INSERT}, UPDATE or DELETE
     * @param valueBefore the value before an update, or the changed bytes of it
     * @param bytesFrom where those belong in the value, or {@link UndoBuffer#WHOLE_VALUE}
     * @param nextLsn the log record of the transaction to undo after this one, 0 if none
     */
    public void start(
            BTree target,
            byte changeKind,
            byte[] changedKey,
            byte[] valueBefore,
            int bytesFrom,
            int slotFlagsBefore,
            long nextLsn) {
        startChange(target, changedKey, changedKey.length);
        stage = STAGE_DESCEND;
        kind = changeKind;
        before = valueBefore;
        changedFrom = bytesFrom;
        flagsBefore = slotFlagsBefore;
        undoNextLsn = nextLsn;
        replacedStub = null;
        repeated = false;
        logBody = null;
    }

    /**
     * Aims at a change that recovery takes back.
     *
     * @param body the body of its log record
     */
    public void startFromLog(BTree target, byte changeKind, NativeMemory body, long nextLsn) {
        start(
                target,
                changeKind,
                LeafChange.key(body),
                NOTHING,
                UndoBuffer.WHOLE_VALUE,
                LeafChange.slotFlagsBefore(body),
                nextLsn);
        logBody = body;
    }

    /** The overflow stub that undoing an update has replaced, or null. */
    public byte[] replacedStub() {
        return replacedStub;
    }

    /**
     * Whether the record was as before the change already: an earlier attempt has taken it back, and was cut short
     * before its entry went.
     */
    public boolean isRepeated() {
        return repeated;
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
        int flagsNow = Node.slotFlags(memory, page, slot);
        int flags = flagsNow & ~NodeLayout.SLOT_GHOST;
        repeated = isGhost(flagsNow) == ghost;
        NodeEditor.setSlotFlags(memory, page, slot, ghost ? flags | NodeLayout.SLOT_GHOST : flags);
        NodeEditor.setVersion(memory, page, slot, context.transactionId());
        return changed(lsn);
    }

    private int undoUpdate(int slot) {
        int valueBytes = Node.valueBytes(memory, page, slot);
        byte[] restored = valueToRestore(slot, valueBytes);
        if (restored.length - valueBytes > Node.freeBytes(memory, page)) {
            return makeRoomFor(restored.length);
        }
        int flags = Node.slotFlags(memory, page, slot);
        byte[] replaced = context.replacedValue(valueBytes);
        Node.copyOut(memory, Node.valueAddress(memory, page, slot), replaced, 0, valueBytes);
        repeated = flags == flagsBefore && Arrays.equals(replaced, 0, valueBytes, restored, 0, restored.length);
        if ((flags & NodeLayout.SLOT_OVERFLOW) != 0 && !repeated) {
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
                restored,
                restored.length);
        long lsn = logChange();
        NodeEditor.replaceValue(memory, page, slot, restored, 0, restored.length, flagsBefore, context.transactionId());
        return changed(lsn);
    }

    private byte[] valueToRestore(int slot, int valueBytes) {
        if (logBody == null && changedFrom == UndoBuffer.WHOLE_VALUE) {
            return before;
        }
        byte[] value = Node.bytes(memory, Node.valueAddress(memory, page, slot), valueBytes);
        if (logBody != null) {
            return LeafChange.valueBefore(logBody, value);
        }
        System.arraycopy(before, 0, value, changedFrom, before.length);
        return value;
    }
}
