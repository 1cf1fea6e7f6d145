package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;

/**
 * Inserts a record: lock the key, reach the leaf, test the gap that the key goes into, insert. A ghost with the same
 * key is brought back to life; its gap needs no test, because whoever relies on the ghost's absence holds its key lock.
 *
 * <p>Keys often come in ascending order, as the lines of an order do. So the operation remembers where its last record
 * went, and goes there at once if nobody has changed that leaf since and the new key belongs right behind it.
 *
 * <p>A ghost that the same transaction has left still holds the value to which a rollback has to return. Bringing it
 * back is therefore logged, and taken back, as an update from a ghost to a record.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A new key goes in only after the gap it goes into was found free under the leaf's latch, or when nobody could
 *       have locked it.
 *   <li>{@code value} belongs to the caller and is read until the insert is done; {@code ghostValue} is used within
 *       one stage.
 * </ul>
 */
public final class InsertOperation extends ChangeOperation {
    private static final int NO_STAMP = -1;

    private final NextKeyFinder nextKey = new NextKeyFinder();
    private byte[] value;
    private int valueBytes;
    private int slotFlags;
    private int lastTreeStamp = NO_STAMP;
    private int lastPageId;
    private int lastFrame;
    private int lastSlot;
    private long lastVersion;

    public InsertOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at a new entry of an index.
     *
     * @param distinctKeyBytes how many bytes of the key tell it from all others
     */
    public void startEntry(
            BTree target, byte[] newKey, int newKeyBytes, int distinctKeyBytes, byte[] newValue, int newValueBytes) {
        start(target, newKey, newKeyBytes, newValue, newValueBytes, 0);
        putKeyBytes = distinctKeyBytes;
    }

    /** Aims at a new record. {@code flags} are the slot flags: 0, or overflow with a stub as the value. */
    public void start(BTree target, byte[] newKey, int newKeyBytes, byte[] newValue, int newValueBytes, int flags) {
        startChange(target, newKey, newKeyBytes);
        value = newValue;
        valueBytes = newValueBytes;
        slotFlags = flags;
    }

    @Override
    int newKeyCount() {
        return 1;
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
    int slotBehindLastChange() {
        if (lastTreeStamp != tree.stamp()) {
            return UNKNOWN_SLOT;
        }
        lastTreeStamp = NO_STAMP;
        if (!returnTo(lastPageId, lastFrame, lastVersion)) {
            return UNKNOWN_SLOT;
        }
        int next = lastSlot + 1;
        boolean belongsHere = Node.hasPrefix(memory, page, key, keyBytes)
                && Node.compareSlot(memory, page, lastSlot, key, keyBytes) < 0
                && (next < Node.slotCount(memory, page)
                        ? Node.compareSlot(memory, page, next, key, keyBytes) > 0
                        : Node.isBelowUpperFence(memory, page, key, keyBytes));
        if (!belongsHere) {
            pageId = NO_PAGE;
            return UNKNOWN_SLOT;
        }
        return -next - 1;
    }

    @Override
    void leafChanged(int slot, long changedVersion) {
        lastTreeStamp = tree.stamp();
        lastPageId = pageId;
        lastFrame = frame;
        lastSlot = slot >= 0 ? slot : -slot - 1;
        lastVersion = changedVersion;
    }

    @Override
    int change(int slot) {
        if (slot >= 0 && !isGhost(Node.slotFlags(memory, page, slot))) {
            return unchanged();
        }
        int spareBytes = slot >= 0 ? 0 : spareBytesAt(-slot - 1);
        if (!hasRoomFor(valueBytes, spareBytes)) {
            return makeRoomFor(valueBytes, spareBytes);
        }
        if (slot < 0 && tree.gapsMayBeLocked()) {
            int obstacle = testGap(nextKey, -slot - 1);
            if (obstacle != CONTINUE) {
                return obstacle;
            }
        }
        boolean ownGhost = slot >= 0
                && context.transactionId() != 0
                && Node.version(memory, page, slot) == context.transactionId();
        return ownGhost ? reviveOwn(slot) : insert(slot);
    }

    private int reviveOwn(int slot) {
        int flagsBefore = Node.slotFlags(memory, page, slot);
        int ghostBytes = Node.valueBytes(memory, page, slot);
        byte[] ghostValue = context.replacedValue(ghostBytes);
        Node.copyOut(memory, Node.valueAddress(memory, page, slot), ghostValue, 0, ghostBytes);
        UndoBuffer undo = context.undo();
        undo.reserve(keyBytes + ghostBytes);
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
                ghostValue,
                ghostBytes,
                value,
                valueBytes);
        long lsn = logChange();
        undo.push(UndoBuffer.UPDATE, tree, previousLsn, key, keyBytes, flagsBefore, ghostValue, ghostBytes);
        NodeEditor.replaceValue(memory, page, slot, value, 0, valueBytes, slotFlags, context.transactionId());
        return changed(lsn);
    }

    private int insert(int slot) {
        UndoBuffer undo = context.undo();
        int stubBytes = (slotFlags & NodeLayout.SLOT_OVERFLOW) != 0 ? valueBytes : 0;
        undo.reserve(keyBytes + stubBytes);
        identify();
        keepVersion(key, keyBytes, slot);
        long previousLsn = context.lastLsn();
        LeafChange.insert(
                context.record(),
                context.transactionId(),
                previousLsn,
                tree.treeId(),
                pageId,
                key,
                keyBytes,
                slotFlags,
                value,
                valueBytes);
        long lsn = logChange();
        undo.push(UndoBuffer.INSERT, tree, previousLsn, key, keyBytes, slotFlags, value, stubBytes);
        if (slot >= 0) {
            NodeEditor.replaceValue(memory, page, slot, value, 0, valueBytes, slotFlags, context.transactionId());
        } else {
            NodeEditor.insertRecord(
                    memory, page, -slot - 1, key, keyBytes, value, 0, valueBytes, slotFlags, context.transactionId());
        }
        return changed(lsn);
    }
}
