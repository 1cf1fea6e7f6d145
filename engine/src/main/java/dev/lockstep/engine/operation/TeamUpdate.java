package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeEnvironment;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.type.RecordBuffer;
import dev.lockstep.scheduler.SThread;
import java.util.Arrays;

/**
 * Changes rows of several transactions, one each, that lie in the same leaf: under one hold of its latch, and with log
 * records that lie behind each other and are appended at once. Each record belongs to its own transaction and to the
 * chain of that, and each transaction has its undo entry; so redo, undo and rollback need not know about teams.
 *
 * <p>What may fail for one transaction comes before the log records: that one is left as it was, and is to go on by
 * itself, where it fails again. Behind them a failure cannot be taken back.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code changing[0, changingCount)} are the operations whose rows are being changed, in the order of their
 *       slots, which are all different; {@code previousLsns} has the same order.
 *   <li>{@code isLogged} is set from the log records on until the page has all changes.
 * </ul>
 *
 * <p>Used by one thread at a time, which is that of all transactions; reusable, without allocation.
 */
public final class TeamUpdate {
    private final InPlaceUpdateOperation[] changing;
    private final long[] previousLsns;
    private int changingCount;
    private int logBytes;
    private boolean isLogged;

    /**
     * Makes room for operations.
     *
     * @param capacity how many change one leaf at most
     */
    public TeamUpdate(int capacity) {
        changing = new InPlaceUpdateOperation[capacity];
        previousLsns = new long[capacity];
    }

    /** Sorts operations that {@linkplain InPlaceUpdateOperation#arrive have arrived} by leaf and slot. */
    public static void sort(InPlaceUpdateOperation[] team, int count) {
        // As many as a team has: insertion sort.
        for (int i = 1; i < count; i++) {
            InPlaceUpdateOperation operation = team[i];
            int at = i;
            while (at > 0 && operation.compareByPlace(team[at - 1]) < 0) {
                team[at] = team[at - 1];
                at--;
            }
            team[at] = operation;
        }
    }

    /**
     * Index behind the operations from {@code first} on that {@link #change} may take together.
     *
     * @param team {@linkplain #sort sorted}
     */
    public static int endOfLeaf(InPlaceUpdateOperation[] team, int first, int count) {
        int end = first + 1;
        while (end < count && team[end].isOnLeafOf(team[first])) {
            end++;
        }
        return end;
    }

    /**
     * Changes the rows of operations that stand on one leaf, as far as that is as they have seen it. The others are
     * left where they stand.
     *
     * @param team {@linkplain #sort sorted}
     * @param record takes the log records
     * @throws RuntimeException what has struck where nobody is to blame; nothing is changed then, unless {@link
     *     #hasFailedInside}
     */
    public void change(InPlaceUpdateOperation[] team, int from, int end, LogRecordBuffer record) {
        InPlaceUpdateOperation first = team[from];
        isLogged = false;
        if (!first.tryLatchFor(SThread.current())) {
            return;
        }
        boolean isChanged = false;
        try {
            prepare(team, from, end);
            if (changingCount > 0) {
                log(record);
                isChanged = true;
                apply();
                isLogged = false;
            }
        } catch (Throwable failure) {
            if (isLogged) {
                first.environment().failInsideChange(failure);
            }
            throw failure;
        } finally {
            first.unlatchFor(SThread.current(), isChanged);
            Arrays.fill(changing, 0, changingCount, null);
        }
    }

    /** Whether the last failure struck behind the log records: what is logged is not in the page. */
    public boolean hasFailedInside() {
        return isLogged;
    }

    /** Finds out whose rows can be changed, and does for each what may fail. */
    private void prepare(InPlaceUpdateOperation[] team, int from, int end) {
        changingCount = 0;
        logBytes = 0;
        int slotBefore = -1;
        for (int i = from; i < end && logBytes < RunOperation.LOG_BYTES_PER_RUN; i++) {
            InPlaceUpdateOperation operation = team[i];
            RecordBuffer row = operation.row();
            if (row.positionSlot() != slotBefore && operation.isStillInPlace() && prepare(operation)) {
                slotBefore = row.positionSlot();
                changing[changingCount++] = operation;
                int changedBytes = row.changedTo() - row.changedFrom();
                logBytes += LogRecordLayout.HEADER_BYTES + row.keyLength() + 2 * changedBytes;
            }
        }
    }

    /**
     * Returns false where it fails: it will again when the transaction tries by itself. Not so where the stack was
     * full, at a place that nobody knows.
     */
    private static boolean prepare(InPlaceUpdateOperation operation) {
        try {
            operation.prepareInTeam();
            return true;
        } catch (StackOverflowError misplaced) {
            throw misplaced;
        } catch (RuntimeException | Error failure) {
            return false;
        }
    }

    private void log(LogRecordBuffer record) {
        for (int i = 0; i < changingCount; i++) {
            InPlaceUpdateOperation operation = changing[i];
            RecordBuffer row = operation.row();
            TransactionContext context = operation.context;
            previousLsns[i] = context.lastLsn();
            if (i > 0) {
                record.goBehind();
            }
            LeafChange.updateInPlace(
                    record,
                    context.transactionId(),
                    previousLsns[i],
                    operation.tree().treeId(),
                    row.positionPageId(),
                    row.keyBytes(),
                    row.keyLength(),
                    0,
                    row.valueLength(),
                    row.changedFrom(),
                    row.changedTo(),
                    operation.environment().memory(),
                    Node.valueAddress(operation.environment().memory(), operation.leaf(), row.positionSlot()),
                    row.valueBytes());
        }
        TreeEnvironment environment = changing[0].environment();
        long firstLsn = environment.append(record);
        isLogged = true;
        int offset = 0;
        for (int i = 0; i < changingCount; i++) {
            changing[i].context.appended(ChangeOperation.lsnAt(firstLsn, offset));
            offset = record.offsetBehind(offset);
        }
    }

    private void apply() {
        BufferPool pool = changing[0].environment().pool();
        int frame = changing[0].row().positionFrame();
        long firstLsn = changing[0].context.lastLsn();
        long lastLsn = changing[changingCount - 1].context.lastLsn();
        for (int i = 0; i < changingCount; i++) {
            changing[i].applyInTeam(previousLsns[i]);
        }
        // Recovery begins to read at the first of the records; the page has all up to the last.
        if (firstLsn != lastLsn) {
            pool.markDirty(frame, firstLsn);
        }
        pool.markDirty(frame, lastLsn);
        for (int i = 0; i < changingCount; i++) {
            changing[i].next = changing[i].end;
        }
    }
}
