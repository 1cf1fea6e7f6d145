package dev.lockstep.engine.recovery;

import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.scheduler.Waiter;

/** What a {@link Checkpointer} has to know of the database. All methods are called on its thread. */
public interface CheckpointSource {
    /** As an LSN: there is none. */
    long NO_LSN = Long.MAX_VALUE;

    /**
     * Finds the transactions that hold more log than they may: a checkpoint begins, which could cut it without them.
     */
    default void checkLogLimits() {}

    /**
     * Hears that a checkpoint begins.
     *
     * @param tailLsn the log's tail
     * @return where recovery from this checkpoint has to begin at the latest, whatever the state is; {@link #NO_LSN} to
     *     leave that to the state
     */
    default long begin(long tailLsn) {
        return NO_LSN;
    }

    /**
     * The lowest LSN of a record that a running transaction has written or is writing, or that work left to do by a
     * committed one refers to; {@link #NO_LSN} if there is none. A transaction must count from before its first append:
     * noting the tail of the log before appending is enough.
     */
    long oldestActiveLsn();

    /**
     * Refuses a checkpoint of what has failed. Called after {@link #oldestActiveLsn}: a transaction that ends without
     * being undone, because of a failure, was counted there or is told of here.
     *
     * @throws dev.lockstep.engine.DatabaseFailedException if transactions may have ended so
     */
    default void requireIntact() {}

    /**
     * The lowest LSN of a change that is in the buffer pool and may not be in the page file; {@link #NO_LSN} if there
     * is none. A page that is being changed right now, its record appended and itself not marked dirty yet, must count.
     */
    long oldestRecoveryLsn();

    /**
     * Writes the pages back whose oldest change lies before an LSN, and forces the page file.
     *
     * @param upToRecoveryLsn pages first changed at or behind it may be left
     * @param pace how fast
     * @param waiter the checkpointer's own
     */
    void flushDirty(long upToRecoveryLsn, FlushPace pace, Waiter waiter);

    /**
     * The checkpoint to write, made of the state as it is now. Changes beside the call are fine: everything behind
     * {@code redoScanLsn} is repeated by recovery.
     *
     * @param redoScanLsn where recovery is to begin
     * @return the state, with any {@code durableLsn}
     */
    Checkpoint snapshot(long redoScanLsn);
}
