package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.RecordBuffer;

/**
 * Inserts several rows that fit into a leaf. Rows with ascending keys that go into the same gap of the same leaf are a
 * run: one search, and one test of the gap. It ends early in front of a row whose key is there, be it as a ghost.
 */
public final class InsertRunOperation extends RunOperation {
    private final NextKeyFinder nextKey = new NextKeyFinder();

    public InsertRunOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    @Override
    int newKeyCount() {
        return rowCount();
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
        if (slot >= 0) {
            return unchanged();
        }
        int at = -slot - 1;
        int valueBytes = rows[next].valueLength();
        int spareBytes = spareBytesAt(at);
        if (!hasRoomFor(valueBytes, spareBytes)) {
            return makeRoomFor(valueBytes, spareBytes);
        }
        boolean alone = false;
        if (tree.gapsMayBeLocked()) {
            int obstacle = testGap(nextKey, at);
            if (obstacle != CONTINUE) {
                return obstacle;
            }
            // Each key cuts a gap of one's own in two; then the next key has another gap.
            alone = isOwnGap(nextKey.name());
        }
        int count = alone ? 1 : runLength(at);
        insert(at, count);
        return goOnBehind(count);
    }

    /** How many rows from the next one on go into the gap in front of slot {@code at}, which has room for the first. */
    private int runLength(int at) {
        int freeBytes = Node.freeBytes(memory, page) - spareBytesAt(at);
        int logBytes = 0;
        int row = next;
        while (row < end && logBytes < LOG_BYTES_PER_RUN && (row == next || isAscending(row))) {
            int rowKeyBytes = rows[row].keyLength();
            int rowValueBytes = rows[row].valueLength();
            freeBytes -= Node.leafBytesNeeded(memory, page, rowKeyBytes, rowValueBytes);
            if (freeBytes < 0) {
                break;
            }
            logBytes += LogRecordLayout.HEADER_BYTES + rowKeyBytes + rowValueBytes;
            row++;
        }
        // The last one is the largest: usually it belongs here, and so all do.
        while (row - next > 1 && !isBelow(at, rows[row - 1])) {
            row--;
        }
        return row - next;
    }

    private boolean isAscending(int row) {
        RecordBuffer before = rows[row - 1];
        return KeyBytes.compare(before.keyBytes(), before.keyLength(), rows[row].keyBytes(), rows[row].keyLength()) < 0;
    }

    /** Whether a row with a key above one of this leaf goes in front of slot {@code at}. */
    private boolean isBelow(int at, RecordBuffer row) {
        byte[] rowKey = row.keyBytes();
        int rowKeyBytes = row.keyLength();
        return at == Node.slotCount(memory, page)
                ? Node.isBelowUpperFence(memory, page, rowKey, rowKeyBytes)
                : Node.hasPrefix(memory, page, rowKey, rowKeyBytes)
                        && Node.compareSlot(memory, page, at, rowKey, rowKeyBytes) > 0;
    }

    private void insert(int at, int count) {
        UndoBuffer undo = context.undo();
        undo.reserve(keyBytesOf(count), count);
        identify();
        keepVersions(count, true);
        LogRecordBuffer record = context.record();
        long previousLsn = context.lastLsn();
        for (int i = 0; i < count; i++) {
            RecordBuffer row = rows[next + i];
            LeafChange.insert(
                    record,
                    context.transactionId(),
                    i == 0 ? previousLsn : LogRecordBuffer.RECORD_BEFORE,
                    tree.treeId(),
                    pageId,
                    row.keyBytes(),
                    row.keyLength(),
                    0,
                    row.valueBytes(),
                    row.valueLength());
        }
        long firstLsn = logRun();
        int offset = 0;
        for (int i = 0; i < count; i++) {
            RecordBuffer row = rows[next + i];
            undo.push(UndoBuffer.INSERT, tree, previousLsn, row.keyBytes(), row.keyLength(), 0, NOTHING, 0);
            NodeEditor.insertRecord(
                    memory,
                    page,
                    at + i,
                    row.keyBytes(),
                    row.keyLength(),
                    row.valueBytes(),
                    0,
                    row.valueLength(),
                    0,
                    context.transactionId());
            previousLsn = lsnAt(firstLsn, offset);
            offset = record.offsetBehind(offset);
        }
        changedRun(firstLsn);
    }

    private int keyBytesOf(int count) {
        int bytes = 0;
        for (int row = next; row < next + count; row++) {
            bytes += rows[row].keyLength();
        }
        return bytes;
    }
}
