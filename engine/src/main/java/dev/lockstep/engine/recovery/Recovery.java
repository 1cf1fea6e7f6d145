package dev.lockstep.engine.recovery;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.scheduler.Waiter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Brings a database back after a crash, as ARIES does (Mohan et al. 1992, sections 3 and 6): one scan of the log that
 * repeats history and learns which transactions were running, then the rollback of those, newest record first.
 *
 * <p>Analysis and redo are one pass: redo needs no dirty page table, because a page knows the LSN of its last change.
 *
 * <p>Use: {@link #redo()}, then {@link Log#open} at the LSN that it returns, then {@link #undo}.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code running} holds the transactions that wrote a record which may have to be undone and whose end was not
 *       seen. {@code lastLsn} is their latest record, {@code undoNextLsn} the latest one not compensated yet.
 *   <li>Undo appends a compensation record for every record it takes back and ABORT_END when a transaction has none
 *       left; so a crash during undo repeats nothing that reached the log, and a second recovery goes on where the
 *       first one was.
 *   <li>Undo only goes back: every step's LSN is lower than the one before of the same transaction.
 * </ul>
 *
 * <p>Not thread-safe.
 */
public final class Recovery {
    private static final long NO_LSN = 0;

    private final LogReader reader;
    private final RedoHandler redoHandler;
    private final long redoScanLsn;
    private final long aheadBytes;
    private final Map<Long, Progress> running = new HashMap<>();

    private long endLsn;
    private long scannedRecordCount;
    private long committedCount;
    private long rolledBackCount;
    private long undoneRecordCount;
    private long transactionIdMax;

    /** How far a transaction has come. */
    private static final class Progress {
        private final long transactionId;
        private long lastLsn;
        private long undoNextLsn;

        Progress(long transactionId) {
            this.transactionId = transactionId;
        }

        long undoNextLsn() {
            return undoNextLsn;
        }
    }

    /**
     * Prepares a recovery.
     *
     * @param reader the log, positioned at the checkpoint's {@code redoScanLsn} and not read from yet
     * @param redoScanLsn that position
     * @param redoHandler repeats records
     * @param aheadBytes how far in front of the record that it repeats it is told what to expect, in bytes of the log;
     *     0 if it needs not know
     */
    public Recovery(LogReader reader, long redoScanLsn, RedoHandler redoHandler, long aheadBytes) {
        this.reader = reader;
        this.redoScanLsn = redoScanLsn;
        this.redoHandler = redoHandler;
        this.aheadBytes = aheadBytes;
    }

    /**
     * Scans the log and repeats everything in it.
     *
     * @return where the log ends
     * @throws CorruptionException if the log is damaged
     */
    public long redo() {
        // Ends with the log.
        for (LogRecordView record = reader.next(); record != null; record = reader.next()) {
            scannedRecordCount++;
            expectNext();
            follow(record);
            redo(record);
        }
        endLsn = reader.endLsn();
        return endLsn;
    }

    private void expectNext() {
        long limitLsn = reader.positionLsn() + aheadBytes;
        // Ends: each turn moves on towards the limit.
        for (LogRecordView next = reader.nextAhead(limitLsn); next != null; next = reader.nextAhead(limitLsn)) {
            redoHandler.expect(next);
        }
    }

    private void redo(LogRecordView record) {
        try {
            redoHandler.redo(record);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NegativeArraySizeException misfit) {
            throw misfit(record, misfit);
        }
    }

    /** Whether transactions are to be rolled back; known after {@link #redo()}. */
    public boolean hasLosers() {
        return !running.isEmpty();
    }

    /**
     * Rolls back the transactions that were running. What it appends need not be durable on return: until it is,
     * another recovery would do the same again.
     *
     * @param log opened where {@link #redo()} said
     * @param undoHandler takes records back
     * @param waiter the caller's own
     * @return what was done
     * @throws CorruptionException if a chain of records is broken
     */
    public RecoveryReport undo(Log log, UndoHandler undoHandler, Waiter waiter) {
        long loserCount = running.size();
        PriorityQueue<Progress> losers = new PriorityQueue<>(
                Comparator.comparingLong(Progress::undoNextLsn).reversed());
        losers.addAll(running.values());
        LogRecordBuffer buffer = new LogRecordBuffer();
        // Ends because every round brings a transaction back to a lower LSN or ends it.
        while (!losers.isEmpty()) {
            log.throttle(waiter);
            Progress loser = losers.remove();
            if (loser.undoNextLsn == NO_LSN) {
                log.append(buffer.begin(LogRecordType.ABORT_END, 0, loser.transactionId, loser.lastLsn));
                running.remove(loser.transactionId);
            } else {
                step(loser, undoHandler);
                losers.add(loser);
            }
        }
        return report(loserCount);
    }

    /**
     * Names the records that {@link #undo} would take back, of each transaction the newest first, and changes nothing.
     *
     * @return how many transactions were running
     * @throws CorruptionException if a chain of records is broken
     */
    public long visitUndoable(Consumer<LogRecordView> visitor) {
        for (Progress loser : running.values()) {
            // Ends: every step goes back to a lower LSN.
            for (long lsn = loser.undoNextLsn; lsn != NO_LSN; ) {
                LogRecordView record = reader.read(lsn);
                long next = record.isCompensation() ? record.undoNextLsn() : record.previousLsn();
                if (record.transactionId() != loser.transactionId || next >= lsn) {
                    throw brokenChain(loser, lsn, next);
                }
                if (LogRecordType.isUndoable(record.type(), record.flags())) {
                    visitor.accept(record);
                }
                lsn = next;
            }
        }
        return running.size();
    }

    /**
     * What was done so far; for a database that needs no undo, or may not write.
     *
     * @return a report without losers
     */
    public RecoveryReport report() {
        return report(0);
    }

    private void step(Progress loser, UndoHandler undoHandler) {
        long lsn = loser.undoNextLsn;
        LogRecordView record = reader.read(lsn);
        if (record.transactionId() != loser.transactionId) {
            throw brokenChain(loser, lsn, record.transactionId());
        }
        boolean isCompensation = record.isCompensation();
        long next = isCompensation ? record.undoNextLsn() : record.previousLsn();
        if (next >= lsn) {
            throw brokenChain(loser, lsn, next);
        }
        if (!isCompensation && LogRecordType.isUndoable(record.type(), record.flags())) {
            long compensationLsn = undo(record, loser.lastLsn, undoHandler);
            if (compensationLsn <= loser.lastLsn) {
                throw new IllegalStateException("undo appended no compensation record: lsn=" + lsn
                        + ", compensationLsn=" + compensationLsn + ", lastLsn=" + loser.lastLsn);
            }
            loser.lastLsn = compensationLsn;
            undoneRecordCount++;
        }
        loser.undoNextLsn = next;
    }

    private static long undo(LogRecordView record, long lastLsn, UndoHandler undoHandler) {
        try {
            return undoHandler.undo(record, lastLsn);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NegativeArraySizeException misfit) {
            throw misfit(record, misfit);
        }
    }

    /** Checksums say that a record is as it was written, not by whom: its numbers may point anywhere. */
    private static CorruptionException misfit(LogRecordView record, RuntimeException cause) {
        return new CorruptionException(
                Message.of("A log record does not fit what it changes")
                        .with("lsn", record.lsn())
                        .with("type", record.type())
                        .with("transactionId", record.transactionId())
                        .remedy("Restore the database from a backup."),
                cause);
    }

    private void follow(LogRecordView record) {
        long transactionId = record.transactionId();
        if (transactionId == 0) {
            return;
        }
        transactionIdMax = Math.max(transactionIdMax, transactionId);
        switch (record.type()) {
            case LogRecordType.COMMIT -> {
                running.remove(transactionId);
                committedCount++;
            }
            case LogRecordType.ABORT_END -> {
                running.remove(transactionId);
                rolledBackCount++;
            }
            case LogRecordType.SYSTEM -> {
                // Nothing to undo, and it may come from what is done for a transaction after its end.
                Progress progress = running.get(transactionId);
                if (progress != null) {
                    progress.lastLsn = record.lsn();
                }
            }
            default -> {
                Progress progress = running.computeIfAbsent(transactionId, Progress::new);
                progress.lastLsn = record.lsn();
                progress.undoNextLsn = record.isCompensation() ? record.undoNextLsn() : record.lsn();
            }
        }
    }

    private RecoveryReport report(long loserCount) {
        return new RecoveryReport(
                redoScanLsn,
                endLsn,
                scannedRecordCount,
                committedCount,
                rolledBackCount,
                loserCount,
                undoneRecordCount,
                transactionIdMax);
    }

    private static CorruptionException brokenChain(Progress loser, long lsn, long found) {
        return new CorruptionException(Message.of("The chain of a transaction's log records is broken")
                .with("transactionId", loser.transactionId)
                .with("lsn", lsn)
                .with("found", found)
                .remedy("Restore the database from a backup."));
    }
}
