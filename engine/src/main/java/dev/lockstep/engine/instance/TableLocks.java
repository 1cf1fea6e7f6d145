package dev.lockstep.engine.instance;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import java.util.Arrays;

/**
 * The locks that one transaction after another holds on whole tables, known without asking the lock table: a statement
 * asks for its table's lock again and again.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A mode that is noted is held.
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

    /** By {@linkplain TableReference#number() number} of the table. */
    private byte[] modes = new byte[TABLES_INITIAL];

    /** The numbers of those that are locked, which are few of many. */
    private int[] locked = new int[TABLES_INITIAL];

    private int lockedCount;

    TableLocks(LockManager locks, TransactionContext context, OperationDriver driver) {
        this.locks = locks;
        this.context = context;
        this.driver = driver;
    }

    /** Whether a table, known here or not, is held at least in a mode. */
    boolean cover(int tableNumber, int mode) {
        return tableNumber < modes.length && LockMode.covers(modes[tableNumber], mode);
    }

    /** Whether any table is held. */
    boolean holdAny() {
        return lockedCount > 0;
    }

    /** Takes a table's lock, or makes the one that is held stronger; may wait. */
    void lock(TableReference table, int mode) {
        lockOrWait(table, name(table), mode);
        note(table.number(), mode);
    }

    /** As {@link #lock}, but does not wait: false where it would have to. */
    boolean tryLock(TableReference table, int mode) {
        if (!locks.tryLock(context.lockOwner(), name(table), mode)) {
            return false;
        }
        note(table.number(), mode);
        return true;
    }

    private static long name(TableReference table) {
        return LockName.ofTable(table.state().tree().treeId());
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
        modes[number] = (byte) LockMode.supremum(modes[number], mode);
    }

    /** Takes a lock that belongs to no table handle, of which nothing is noted; may wait. */
    void lock(long name, int mode) {
        lockOrWait(null, name, mode);
    }

    private void lockOrWait(Object place, long name, int mode) {
        if (!locks.tryLock(context.lockOwner(), name, mode)) {
            driver.waitForLock(place, name, mode, false);
        }
    }

    /** Notes that all locks of the transaction were released. */
    void released() {
        for (int i = 0; i < lockedCount; i++) {
            modes[locked[i]] = LockMode.NONE;
        }
        lockedCount = 0;
    }
}
