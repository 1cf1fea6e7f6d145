package dev.lockstep.engine.recovery;

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
 */
public record RecoveryReport(
        long redoScanLsn,
        long endLsn,
        long scannedRecordCount,
        long committedCount,
        long rolledBackCount,
        long loserCount,
        long undoneRecordCount,
        long transactionIdMax) {}
