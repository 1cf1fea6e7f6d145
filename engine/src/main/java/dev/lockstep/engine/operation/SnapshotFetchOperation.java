package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.transaction.Snapshot;
import dev.lockstep.engine.transaction.SnapshotRecord;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;

/**
 * Fetches the record of one key as it is in a snapshot: node visits, copy, and then what others have changed since is
 * taken back in the copy. Takes no lock and waits for none.
 */
public final class SnapshotFetchOperation extends RecordOperation {
    private Snapshot snapshot;
    private SnapshotRecord record;

    public SnapshotFetchOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /** Aims at a key; {@code into} then takes what there is. */
    public void start(BTree source, byte[] searched, int searchedBytes, Snapshot seen, SnapshotRecord into) {
        aim(source, searched, searchedBytes, 0);
        tryHint(true);
        snapshot = seen;
        record = into;
        stage = STAGE_DESCEND;
    }

    @Override
    public int step() {
        return stage == STAGE_DESCEND ? descendToLeaf() : copyRecord();
    }

    private int copyRecord() {
        int slot = findInLeaf();
        if (!isRightLeaf(slot)) {
            return descendAgainIfThere();
        }
        record.setKey(key, keyBytes);
        if (slot < 0) {
            record.setAbsent();
        } else {
            copyValue(memory, page, Node.slotWord(memory, page, slot), record);
        }
        if (!validate()) {
            return descendAgainIfThere();
        }
        snapshot.resolve(tree, record);
        return DONE;
    }

    /** A tree that was dropped has pages of others at its place, which would be the wrong ones each time. */
    private int descendAgainIfThere() {
        tree.requireNotDropped();
        return descendAgain();
    }

    /** Copies value, flags and writer of a record, to be validated. */
    static void copyValue(NativeMemory memory, long page, long slotWord, SnapshotRecord into) {
        int bytes = Node.valueBytesOf(slotWord);
        Node.copyOut(memory, Node.valueAddressOf(page, slotWord), into.ensureValue(bytes), 0, bytes);
        into.setFromPage(bytes, Node.flagsOf(slotWord), Node.versionOf(memory, page, slotWord));
    }
}
