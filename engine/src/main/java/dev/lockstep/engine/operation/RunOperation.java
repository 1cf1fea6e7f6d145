package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.transaction.VersionStore;
import dev.lockstep.engine.type.RecordBuffer;

/**
 * Changes several rows. Those that follow each other in the same leaf are a run: they are changed under one hold of the
 * leaf's latch, and their log records lie behind each other and are appended at once. Each row has a log record and an
 * undo entry of its own all the same, so redo and undo need not know about runs.
 *
 * <p>The operation ends early in front of a row that it is not made for. The caller changes that one alone, and begins
 * again behind it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code rows[from, next)} are changed, {@code rows[next, end)} are not. All of them are the caller's, who leaves
 *       them alone meanwhile.
 *   <li>Behind {@code STAGE_LOCK} the keys of all rows are locked; {@code rows[from, locked)} are before. Those that
 *       were read under an exclusive lock of the transaction are not locked again.
 *   <li>Either all rows of a run are changed or none: what may fail comes before their log records.
 * </ul>
 */
public abstract class RunOperation extends ChangeOperation {
    /**
     * Most rows of one operation: enough that what is done once an operation costs little a row, and few enough that
     * whoever calls can look after the log's free room in between.
     */
    public static final int ROWS_MAX = TransactionContext.LOCK_NAMES_MAX;

    /**
     * A run ends when its log records take that much. Ten rows of a few columns take less; beyond it the one copy would
     * keep others from the log's tail for long, and every session its large buffer.
     */
    static final int LOG_BYTES_PER_RUN = 4_096;

    static final byte[] NOTHING = new byte[0];

    private static final int NO_SLOT = -1;

    RecordBuffer[] rows;
    int next;
    int end;
    private int locked;

    RunOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /**
     * Aims at rows.
     *
     * @param source holds them
     * @param from index of the first
     * @param to index behind the last, at most {@link #ROWS_MAX} more
     */
    public final void start(BTree target, RecordBuffer[] source, int from, int to) {
        rows = source;
        next = from;
        end = to;
        locked = from;
        startChange(target, source[from].keyBytes(), source[from].keyLength());
    }

    /** How many rows are left to change. */
    final int rowCount() {
        return end - next;
    }

    /** Index of the first row that is not changed. */
    public final int next() {
        return next;
    }

    @Override
    final int takeLocks() {
        long stamp = context.lockOwner().stamp();
        int treeStamp = tree.stamp();
        // Ends: each turn passes a row at least.
        while (true) {
            while (locked < end && rows[locked].isLockedBy(treeStamp, stamp)) {
                locked++;
            }
            if (locked == end) {
                stage = STAGE_DESCEND;
                return CONTINUE;
            }
            long[] names = context.lockNames();
            int count = 0;
            for (int i = locked; i < end && !rows[i].isLockedBy(treeStamp, stamp); i++) {
                RecordBuffer row = rows[i];
                names[count++] = LockName.ofKey(tree.treeId(), tree.leadingBytes(), row.keyBytes(), 0, row.keyLength());
            }
            int taken = locks.tryLockKeys(context.lockOwner(), names, 0, count, LockMode.KEY_X);
            locked += taken;
            if (taken < count) {
                locked++;
                return waitForLock(names[taken], LockMode.KEY_X, false);
            }
        }
    }

    @Override
    final boolean hasOneLock() {
        return end - next == 1;
    }

    @Override
    public final void lockGranted() {
        locked = end;
        stage = STAGE_DESCEND;
    }

    /** Keeps what the next {@code count} rows are about to change, if a snapshot may need it. */
    final void keepVersions(int count, boolean inserted) {
        VersionStore versions = transactions.versionsVolatile();
        if (versions == null) {
            return;
        }
        for (int i = next; i < next + count; i++) {
            RecordBuffer row = rows[i];
            int slot = inserted ? NO_SLOT : row.positionSlot();
            versions.keep(context, tree, row.keyBytes(), row.keyLength(), memory, page, slot);
        }
    }

    /** A run is changed; goes on with the row behind it. */
    final int goOnBehind(int count) {
        next += count;
        if (next == end) {
            return DONE;
        }
        aim(tree, rows[next].keyBytes(), rows[next].keyLength(), 0);
        stage = STAGE_DESCEND;
        return CONTINUE;
    }
}
