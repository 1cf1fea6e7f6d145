package dev.lockstep.engine;

import java.util.List;

/**
 * What goes on in a database right now, as {@link Database#status()} found it. Its parts were looked at one after the
 * other while everybody worked on: each number is true of some moment during the call, all of them together perhaps of
 * none. Immutable.
 *
 * @param transactions those that are open, the one that has been open longest first
 * @param locks those that somebody waits for first; as many as {@link #LOCK_REQUESTS_MAX} requests allow
 * @param locksComplete whether no lock is left out
 * @param snapshots those that are open, and what is kept for them
 * @param log what the log keeps, and why
 * @param checkpoint how far checkpoints are
 * @param pool the buffer pool
 * @param recovery what the open had to recover
 * @param health what failed in the background
 */
public record DatabaseStatus(
        List<OpenTransaction> transactions,
        List<Lock> locks,
        boolean locksComplete,
        SnapshotStatus snapshots,
        LogStatus log,
        CheckpointStatus checkpoint,
        PoolStatus pool,
        RecoveryStatus recovery,
        HealthStatus health) {
    /** Requests for locks, held or waited for, that are listed: what a person can read; and bounded memory for it. */
    public static final int LOCK_REQUESTS_MAX = 4_096;

    /** In the place of a number that there is none. */
    public static final long NONE = -1;

    /** Copies the lists. */
    public DatabaseStatus {
        transactions = List.copyOf(transactions);
        locks = List.copyOf(locks);
    }

    /**
     * A transaction that is open.
     *
     * @param owner the number under which it holds locks; {@link #NONE} if its session never has
     * @param id its number; 0 as long as it has changed nothing
     * @param thread the name of the thread that began it
     * @param isolation its isolation
     * @param openNanos how long it has been open
     * @param rollbackOnly whether all that is left to it is a rollback
     * @param lockCount locks that it holds
     * @param undoBytes bytes in memory that a rollback would need
     * @param firstLsn where the log begins that a rollback after a crash would need; {@link #NONE} without changes
     * @param waitsFor the lock that it waits for; the empty string if it does not
     */
    public record OpenTransaction(
            int owner,
            long id,
            String thread,
            Isolation isolation,
            long openNanos,
            boolean rollbackOnly,
            int lockCount,
            long undoBytes,
            long firstLsn,
            String waitsFor) {}

    /**
     * A lock.
     *
     * @param name kind and hash of what is locked, as messages name it
     * @param table the table, of locks on whole tables; the empty string otherwise, since names of keys are hashes
     * @param holders who has it
     * @param waiters who waits for it
     */
    public record Lock(String name, String table, List<LockRequest> holders, List<LockRequest> waiters) {
        /** Copies the lists. */
        public Lock {
            holders = List.copyOf(holders);
            waiters = List.copyOf(waiters);
        }
    }

    /**
     * One who has a lock or waits for it.
     *
     * @param owner the transaction's, as in {@link OpenTransaction}
     * @param mode the mode that is held, or waited for
     */
    public record LockRequest(int owner, String mode) {}

    /**
     * Snapshots of read-only transactions.
     *
     * @param openCount how many are open
     * @param oldestNanos for how long the oldest has been open; 0 without one
     * @param versionBytes roughly what the earlier versions of rows take in the heap that are kept for them, and for
     *     those that may begin before the latest commits are on disk
     */
    public record SnapshotStatus(int openCount, long oldestNanos, long versionBytes) {}

    /** Why the oldest log is kept. */
    public enum LogKeptFor {
        /** There is no log. */
        NO_LOG,
        /** A recovery would begin with it, and the next checkpoint gives it up: nobody else needs it. */
        NEXT_CHECKPOINT,
        /** The oldest change of an open transaction stands there. */
        TRANSACTION,
        /** The oldest change that is not in the page file yet stands there. */
        DIRTY_PAGE,
        /** A backup is being made, and copies the log from there on when it has copied the pages. */
        BACKUP
    }

    /**
     * What log is kept. Positions are LSNs, which count the bytes of the log.
     *
     * @param keptFromLsn where recovery would begin, or before that a backup; nothing behind it is given up
     * @param tailLsn its end
     * @param durableLsn up to where it is on disk
     * @param oldestTransactionLsn the first change of an open transaction; {@link #NONE} without
     * @param oldestDirtyPageLsn the first change that is not in the page file yet; {@link #NONE} without
     * @param keptFor why the oldest of it is kept
     */
    public record LogStatus(
            long keptFromLsn,
            long tailLsn,
            long durableLsn,
            long oldestTransactionLsn,
            long oldestDirtyPageLsn,
            LogKeptFor keptFor) {
        /** Bytes that are kept: what a recovery would read, and what else a backup needs. */
        public long keptBytes() {
            return tailLsn - keptFromLsn;
        }
    }

    /**
     * How far checkpoints are.
     *
     * @param completedCount written since the database was opened
     * @param running whether one is being written
     * @param progress of the one that is being written, 0 to 1: how far it is with the pages that it writes back, by
     *     the log that their changes lie in; 0 without one
     * @param bytesUntilNext bytes of log until the next one is due; 0 while one is written, {@link #NONE} without log
     */
    public record CheckpointStatus(long completedCount, boolean running, double progress, long bytesUntilNext) {}

    /**
     * What the open of the database had to recover.
     *
     * @param wasNeeded whether the database had not been closed in order; all numbers are 0 if it had
     * @param redoScanLsn where in the log recovery began
     * @param endLsn where the log ended: what is there was committed before, and what may have been behind is lost. It
     *     differs from where the log once ended if a crash came before its end was on disk, or if somebody has cut it
     *     off
     * @param recordCount records of the log repeated
     * @param committedCount transactions among them that had committed
     * @param rolledBackCount transactions that had not, and were rolled back
     * @param looksForLostPages whether pages to which nothing leads any more are still being looked for, beside the
     *     running transactions: until then they are not used again; {@code compact()}, {@code validate()} and {@code
     *     close()} wait for the end
     */
    public record RecoveryStatus(
            boolean wasNeeded,
            long redoScanLsn,
            long endLsn,
            long recordCount,
            long committedCount,
            long rolledBackCount,
            boolean looksForLostPages) {}

    /**
     * What failed where no call could be told: in the database's own threads.
     *
     * @param failure why the database is marked failed, so that it must be closed and opened again; the empty string if
     *     it is not
     * @param setbackCount how often something failed that will be tried again and by which nothing was lost, such as a
     *     checkpoint, the writing of a page or the deletion of a file of old log while the disk is full. Page writes
     *     that fail again and again count once until one succeeds
     * @param lastSetback the latest of those; the empty string without any
     */
    public record HealthStatus(String failure, long setbackCount, String lastSetback) {}

    /**
     * The buffer pool.
     *
     * @param bytes of pages that it holds at most
     * @param accesses pages asked for since the database was opened
     * @param misses those of them that were not in the pool
     * @param hitRatio the part of the accesses that found its page, 0 to 1; 1 without any
     */
    public record PoolStatus(long bytes, long accesses, long misses, double hitRatio) {}
}
