package dev.lockstep.engine.instance;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.SThread;
import java.util.Arrays;

/**
 * The locks that one transaction after another holds on whole tables, known without asking the lock table: a statement
 * asks for its table's lock again and again.
 *
 * <p>The lock on a table has as many partitions as processors may take it side by side, each a lock of its own with its
 * own cache lines. Every transaction takes intention locks on all tables that it uses, but few conflict with those: so
 * an intention mode is taken in one partition, that of the carrier, and every other mode in all of them, in ascending
 * order. Two modes that conflict are never both intention modes, so they meet in a partition. (Intent locks of
 * Microsoft SQL Server are partitioned so.)
 *
 * <p>Invariants:
 * <ul>
 *   <li>A mode that is noted is held: an intention mode in one partition at least, another in all.
 *   <li>Between transactions nothing is noted.
 * </ul>
 *
 * <p>Used by one thread at a time; reused without allocation.
 */
final class TableLocks {
    private static final int TABLES_INITIAL = 16;

    private final LockManager locks;
    private final TransactionContext context;
    private final OperationDriver driver;
    private final int partitions;

    /** By {@linkplain TableReference#number() number} of the table. */
    private byte[] modes = new byte[TABLES_INITIAL];

    /** The numbers of those that are locked, which are few of many. */
    private int[] locked = new int[TABLES_INITIAL];

    private int lockedCount;

    /** @param partitions of the lock on each table, a power of two */
    TableLocks(LockManager locks, TransactionContext context, OperationDriver driver, int partitions) {
        this.locks = locks;
        this.context = context;
        this.driver = driver;
        this.partitions = partitions;
    }

    /** Whether a table, known here or not, is held at least in a mode. */
    boolean cover(int tableNumber, int mode) {
        return LockMode.covers(noted(tableNumber), mode);
    }

    /** Whether any table is held. */
    boolean holdAny() {
        return lockedCount > 0;
    }

    /** Takes a table's lock, or makes the one that is held stronger; may wait. */
    void lock(TableReference table, int mode) {
        int target = LockMode.supremum(noted(table.number()), mode);
        lock(table, treeId(table), target);
        note(table.number(), target);
    }

    /** Takes the lock of a table that has no handle, of which nothing is noted; may wait. */
    void lock(int treeId, int mode) {
        lock(null, treeId, mode);
    }

    private void lock(Object place, int treeId, int mode) {
        int last = last(mode);
        for (int partition = first(mode); partition <= last; partition++) {
            long name = LockName.ofTable(treeId, partition);
            if (!locks.tryLock(context.lockOwner(), name, mode)) {
                driver.waitForLock(place, name, mode, false);
            }
        }
    }

    /** As {@link #lock}, but does not wait: false where it would have to. Partitions that it has taken stay locked. */
    boolean tryLock(TableReference table, int mode) {
        return tryLock(table.number(), treeId(table), mode);
    }

    boolean tryLock(int tableNumber, int treeId, int mode) {
        int target = LockMode.supremum(noted(tableNumber), mode);
        if (!tryLock(treeId, target)) {
            return false;
        }
        note(tableNumber, target);
        return true;
    }

    /** As {@link #tryLock(TableReference, int)}, of a table that has no handle, of which nothing is noted. */
    boolean tryLock(int treeId, int mode) {
        int last = last(mode);
        for (int partition = first(mode); partition <= last; partition++) {
            if (!locks.tryLock(context.lockOwner(), LockName.ofTable(treeId, partition), mode)) {
                return false;
            }
        }
        return true;
    }

    private int noted(int tableNumber) {
        return tableNumber < modes.length ? modes[tableNumber] : LockMode.NONE;
    }

    private int first(int mode) {
        return isIntention(mode) ? ownPartition() : 0;
    }

    private int last(int mode) {
        return isIntention(mode) ? ownPartition() : partitions - 1;
    }

    private static boolean isIntention(int mode) {
        return mode == LockMode.IS || mode == LockMode.IX;
    }

    /** S-threads of one carrier share a partition; other threads, which no processor is known of, spread. */
    private int ownPartition() {
        SThread sThread = context.sThread();
        return (sThread == null ? context.lockOwner().index() : sThread.carrierIndex()) & (partitions - 1);
    }

    private static int treeId(TableReference table) {
        return table.state().tree().treeId();
    }

    private void note(int number, int mode) {
        if (number >= modes.length) {
            modes = Arrays.copyOf(modes, Math.max(number + 1, modes.length * 2));
        }
        if (modes[number] == LockMode.NONE) {
            if (lockedCount == locked.length) {
                locked = Arrays.copyOf(locked, lockedCount * 2);
            }
            locked[lockedCount++] = number;
        }
        modes[number] = (byte) mode;
    }

    /** Notes that all locks of the transaction were released. */
    void released() {
        for (int i = 0; i < lockedCount; i++) {
            modes[locked[i]] = LockMode.NONE;
        }
        lockedCount = 0;
    }
}
