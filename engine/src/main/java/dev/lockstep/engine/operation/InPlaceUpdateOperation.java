package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeLines;
import dev.lockstep.engine.btree.TreeEnvironment;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.RecordBuffer;
import dev.lockstep.scheduler.SThread;

/**
 * Updates rows of which only columns of fixed width were set, in leaves that nobody has changed since the rows were
 * read from them. Then the value in the page is the one that was read, and so only the bytes from the first column set
 * to the last are logged, kept for undo and written: no search, no copy of the value, no comparison.
 *
 * <p>Rows that follow each other in the order of their leaf's slots are a run. The operation ends early in front of a
 * row of another kind, or whose leaf was changed.
 *
 * <p>With a single row it can be one of a team, whose rows {@link TeamUpdate} changes leaf by leaf. It is then left
 * where it is changed, or at the stage from which it goes on by itself.
 */
public class InPlaceUpdateOperation extends RunOperation {
    public InPlaceUpdateOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
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
    int reachLeaf() {
        RecordBuffer row = rows[next];
        if (row.positionTreeStamp() != tree.stamp()
                || !returnTo(row.positionPageId(), row.positionFrame(), row.positionVersion())) {
            return DONE;
        }
        context.pageAccesses().countAccess();
        return arriveAt(row.positionSlot());
    }

    @Override
    int missedLeaf() {
        return DONE;
    }

    @Override
    int change(int slot) {
        int undoBytes = 0;
        int count = 0;
        int logBytes = 0;
        while (next + count < end && logBytes < LOG_BYTES_PER_RUN && isOfRun(count)) {
            RecordBuffer row = rows[next + count++];
            int changedBytes = row.changedTo() - row.changedFrom();
            undoBytes += row.keyLength() + changedBytes;
            logBytes += LogRecordLayout.HEADER_BYTES + row.keyLength() + 2 * changedBytes;
        }
        if (count == 0) {
            return unchanged();
        }
        update(count, undoBytes);
        return goOnBehind(count);
    }

    /**
     * Whether the row {@code count} behind the next one can be changed under the latch that is held. Slots have to
     * ascend: a row that is there twice has changed since it was read the second time.
     */
    private boolean isOfRun(int count) {
        RecordBuffer row = rows[next + count];
        int slot = row.positionSlot();
        if (count > 0) {
            RecordBuffer before = rows[next + count - 1];
            boolean sameLeaf = row.positionVersion() == before.positionVersion()
                    && row.positionFrame() == before.positionFrame()
                    && row.positionPageId() == before.positionPageId()
                    && row.positionTreeStamp() == before.positionTreeStamp();
            if (!sameLeaf || slot <= before.positionSlot()) {
                return false;
            }
        }
        if (!row.isChangedInPlace()) {
            return false;
        }
        long slotWord = Node.slotWord(memory, page, slot);
        return Node.flagsOf(slotWord) == 0 && Node.valueBytesOf(slotWord) == row.valueLength();
    }

    // ---- as one of a team, with a single row each

    /** Whether the row is changed. */
    public boolean isDone() {
        return next == end;
    }

    /** Says which lines tell whether the row is where it was read. */
    public void addPlaceLines(GroupPrefetch prefetch) {
        addPlaceLines(prefetch, row().positionFrame(), row().positionSlot());
    }

    /** Says which lines the row lies in, of an operation that has arrived. */
    public void addRowLines(GroupPrefetch prefetch) {
        long slotWord = Node.slotWord(memory, page, row().positionSlot());
        NodeLines.addCellLines(prefetch, page, slotWord, row().changedTo());
    }

    /**
     * Goes to the leaf where the locked row was read, if nobody has changed it since.
     *
     * @return false if the operation is to go on by itself
     */
    public boolean arrive() {
        RecordBuffer row = row();
        if (row.positionTreeStamp() != tree.stamp()
                || !returnTo(row.positionPageId(), row.positionFrame(), row.positionVersion())) {
            return false;
        }
        context.pageAccesses().countAccess();
        return true;
    }

    RecordBuffer row() {
        return rows[next];
    }

    long leaf() {
        return page;
    }

    TreeEnvironment environment() {
        return tree.environment();
    }

    int compareByPlace(InPlaceUpdateOperation other) {
        RecordBuffer one = row();
        RecordBuffer two = other.row();
        int byFrame = Integer.compare(one.positionFrame(), two.positionFrame());
        return byFrame != 0 ? byFrame : Integer.compare(one.positionSlot(), two.positionSlot());
    }

    boolean isOnLeafOf(InPlaceUpdateOperation other) {
        RecordBuffer one = row();
        RecordBuffer two = other.row();
        return one.positionFrame() == two.positionFrame()
                && one.positionVersion() == two.positionVersion()
                && one.positionPageId() == two.positionPageId()
                && one.positionTreeStamp() == two.positionTreeStamp();
    }

    /**
     * Latches the leaf for a team, if nothing of it has changed.
     *
     * @param leaderOrNull the S-thread that runs this, whose transaction may be another
     */
    boolean tryLatchFor(SThread leaderOrNull) {
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            return false;
        }
        if (leaderOrNull != null) {
            leaderOrNull.latchAcquired();
        }
        return true;
    }

    void unlatchFor(SThread leaderOrNull, boolean isChanged) {
        if (isChanged) {
            latches.unlatchExclusive(frame);
        } else {
            latches.unlatchExclusiveUnchanged(frame);
        }
        if (leaderOrNull != null) {
            leaderOrNull.latchReleased();
        }
    }

    /** Whether the row can be changed in its place; the leaf is latched. */
    boolean isStillInPlace() {
        return isOfRun(0);
    }

    /** All that may fail; the leaf is latched. */
    void prepareInTeam() {
        RecordBuffer row = row();
        context.undo().reserve(row.keyLength() + row.changedTo() - row.changedFrom());
        identify();
        keepVersions(1, false);
    }

    /** Changes the row and keeps what was there; its log record is appended. */
    void applyInTeam(long previousLsn) {
        RecordBuffer row = row();
        long slotWord = Node.slotWord(memory, page, row.positionSlot());
        int from = row.changedFrom();
        int to = row.changedTo();
        long value = Node.valueAddressOf(page, slotWord);
        context.undo().pushBytes(tree, previousLsn, row.keyBytes(), row.keyLength(), 0, memory, value, from, to);
        NodeEditor.replaceBytes(memory, page, slotWord, row.valueBytes(), from, to, context.transactionId());
    }

    private void update(int count, int undoBytes) {
        UndoBuffer undo = context.undo();
        undo.reserve(undoBytes, count);
        identify();
        keepVersions(count, false);
        LogRecordBuffer record = context.record();
        long previousLsn = context.lastLsn();
        for (int i = 0; i < count; i++) {
            RecordBuffer row = rows[next + i];
            LeafChange.updateInPlace(
                    record,
                    context.transactionId(),
                    i == 0 ? previousLsn : LogRecordBuffer.RECORD_BEFORE,
                    tree.treeId(),
                    pageId,
                    row.keyBytes(),
                    row.keyLength(),
                    0,
                    row.valueLength(),
                    row.changedFrom(),
                    row.changedTo(),
                    memory,
                    Node.valueAddress(memory, page, row.positionSlot()),
                    row.valueBytes());
        }
        long firstLsn = logRun();
        int offset = 0;
        for (int i = 0; i < count; i++) {
            RecordBuffer row = rows[next + i];
            long slotWord = Node.slotWord(memory, page, row.positionSlot());
            int from = row.changedFrom();
            int to = row.changedTo();
            long value = Node.valueAddressOf(page, slotWord);
            undo.pushBytes(tree, previousLsn, row.keyBytes(), row.keyLength(), 0, memory, value, from, to);
            NodeEditor.replaceBytes(memory, page, slotWord, row.valueBytes(), from, to, context.transactionId());
            previousLsn = lsnAt(firstLsn, offset);
            offset = record.offsetBehind(offset);
        }
        changedRun(firstLsn);
    }
}
