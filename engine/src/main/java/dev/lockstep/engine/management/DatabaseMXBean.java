package dev.lockstep.engine.management;

import dev.lockstep.engine.DatabaseStatus;
import java.util.List;

/** What goes on in a database, over JMX: the parts of {@link DatabaseStatus}, each looked at when it is asked for. */
public interface DatabaseMXBean {
    /** Open transactions, the one that has been open longest first. */
    List<DatabaseStatus.OpenTransaction> getTransactions();

    /** Locks with those who hold and await them; those that somebody waits for first. */
    List<DatabaseStatus.Lock> getLocks();

    /** Whether the lists of locks leave none out: they end at {@link DatabaseStatus#LOCK_REQUESTS_MAX} requests. */
    boolean isLocksComplete();

    /** Locks that somebody waits for. */
    List<DatabaseStatus.Lock> getContendedLocks();

    /** Snapshots that are open, and what is kept for them. */
    DatabaseStatus.SnapshotStatus getSnapshots();

    /** What log is kept, and why. */
    DatabaseStatus.LogStatus getLog();

    /** How far checkpoints are. */
    DatabaseStatus.CheckpointStatus getCheckpoint();

    /** The buffer pool. */
    DatabaseStatus.PoolStatus getPool();

    /** What the open of the database had to recover. */
    DatabaseStatus.RecoveryStatus getRecovery();

    /** What failed in the background. */
    DatabaseStatus.HealthStatus getHealth();
}
