package dev.lockstep.engine.recovery;

import java.util.List;

/**
 * What a recovery did.
 *
 * @param redoScanLsn where the scan began
 * @param endLsn where the log ended; what was behind had never been acknowledged
 * @param scannedRecordCount records handed to redo
 * @param committedCount transactions whose commit was found
 * @param rolledBackCount transactions whose complete rollback was found
 * @param loserCount transactions that recovery rolled back
 * @param undoneRecordCount records that recovery took back
 * @param transactionIdMax the highest transaction id in the scan, 0 if there was none
 * @param purgePending the committed transactions that left work to do, in the order of their commits
 */
public record RecoveryReport(
        long redoScanLsn,
        long endLsn,
        long scannedRecordCount,
        long committedCount,
        long rolledBackCount,
        long loserCount,
        long undoneRecordCount,
        long transactionIdMax,
        List<PurgePending> purgePending) {
    /**
     * A transaction that committed with {@link dev.lockstep.engine.log.LogRecordType#FLAG_PURGE_PENDING} and without a
     * later PURGE_DONE.
     *
     * @param transactionId the transaction
     * @param commitLsn LSN of its commit record, whose chain of previous LSNs leads through all its records
     */
    public record PurgePending(long transactionId, long commitLsn) {}
}
