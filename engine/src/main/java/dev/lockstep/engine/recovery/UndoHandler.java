package dev.lockstep.engine.recovery;

import dev.lockstep.engine.log.LogRecordView;

/** Takes back what a transaction did that did not commit. */
@FunctionalInterface
public interface UndoHandler {
    /**
     * Takes one record back and appends its compensation record, even if there is nothing left to change: begun by
     * {@code beginCompensation(type, record.transactionId(), lastLsn, record.previousLsn())}.
     *
     * @param record what to take back, in a view that moves on afterwards
     * @param lastLsn the last record that the transaction has written
     * @return LSN of the compensation record
     */
    long undo(LogRecordView record, long lastLsn);
}
