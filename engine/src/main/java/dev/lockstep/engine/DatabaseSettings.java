package dev.lockstep.engine;

import dev.lockstep.scheduler.NodeLayout;
import java.time.Duration;

/**
 * The value of every option of a database, at first its default. {@link DatabaseOptions} and its builder each have a
 * copy of their own, so that an option is named in one place besides its setter and its getter.
 *
 * <p>Thread-safety: none; safe to read once published and no longer changed.
 */
final class DatabaseSettings implements Cloneable {
    Durability durability = Durability.SYNC;
    Isolation isolation = Isolation.SERIALIZABLE;
    long poolBytes = DatabaseOptions.POOL_BYTES_DEFAULT;
    boolean readOnly;
    boolean createIfMissing;
    boolean startEmptyAfterUncleanClose;
    Duration lockTimeout = DatabaseOptions.LOCK_TIMEOUT_DEFAULT;
    Duration transactionTimeout = DatabaseOptions.TRANSACTION_TIMEOUT_DEFAULT;
    long transactionUndoBytes = DatabaseOptions.TRANSACTION_UNDO_BYTES_DEFAULT;
    long transactionLogBytes = DatabaseOptions.TRANSACTION_LOG_BYTES_DEFAULT;
    int logSegmentBytes = DatabaseOptions.LOG_SEGMENT_BYTES_DEFAULT;
    Duration extraForceDelay = Duration.ZERO;
    NodeLayout nodeLayout = NodeLayout.NONE;
    long snapshotBytesMax = DatabaseOptions.SNAPSHOT_BYTES_DEFAULT;
    boolean durableSnapshots = true;
    int openTransactionCountMax = DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED;

    /** 0 says that nobody has set it, so that it follows the pool. */
    long checkpointLogBytesOrZero;

    Duration checkpointInterval = DatabaseOptions.TIMEOUT_MAX;
    double checkpointSpread = DatabaseOptions.CHECKPOINT_SPREAD_DEFAULT;
    TornPageProtection tornPageProtection = TornPageProtection.DOUBLE_WRITE;
    boolean pageChecksums = true;
    boolean uncachedWrites = true;

    /** Returns settings of the same values. */
    DatabaseSettings copy() {
        try {
            return (DatabaseSettings) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("Object.clone refuses a Cloneable", e);
        }
    }

    /** Returns what {@link DatabaseOptions#checkpointLogBytes()} does. */
    long checkpointLogBytes() {
        return checkpointLogBytesOrZero == 0
                ? Math.clamp(
                        poolBytes / 2,
                        DatabaseOptions.CHECKPOINT_LOG_BYTES_DEFAULT_MIN,
                        DatabaseOptions.CHECKPOINT_LOG_BYTES_DEFAULT_MAX)
                : checkpointLogBytesOrZero;
    }

    /** Returns what {@link DatabaseOptions#durableSnapshots()} does. */
    boolean durableSnapshots() {
        return durableSnapshots && durability != Durability.NONE;
    }

    @Override
    public String toString() {
        return "durability=" + durability + ", isolation=" + isolation + ", poolBytes=" + poolBytes + ", readOnly="
                + readOnly + ", createIfMissing=" + createIfMissing + ", startEmptyAfterUncleanClose="
                + startEmptyAfterUncleanClose + ", lockTimeout=" + lockTimeout + ", transactionTimeout="
                + transactionTimeout + ", transactionUndoBytes=" + transactionUndoBytes + ", transactionLogBytes="
                + transactionLogBytes + ", logSegmentBytes=" + logSegmentBytes + ", extraForceDelay="
                + extraForceDelay + ", nodes=" + nodeLayout.nodes().size() + ", snapshotBytesMax="
                + snapshotBytesMax + ", durableSnapshots=" + durableSnapshots() + ", openTransactionCountMax="
                + (openTransactionCountMax == DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED
                        ? "unlimited"
                        : openTransactionCountMax)
                + ", checkpointLogBytes=" + checkpointLogBytes() + ", checkpointInterval=" + checkpointInterval
                + ", checkpointSpread=" + checkpointSpread
                + ", tornPageProtection=" + tornPageProtection + ", pageChecksums=" + pageChecksums
                + ", uncachedWrites=" + uncachedWrites;
    }
}
