package dev.lockstep.engine.instance;

import dev.lockstep.engine.BackupReport;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.PageFileCopy;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogCopy;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;

/**
 * Makes a copy of an open database in another directory, beside its transactions. The copy is what a crash would leave:
 * pages of different times and the log that brings them to one state, which its first open does.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The page file lacks no change from before {@code redoScanLsn} of the checkpoint when its first page is copied,
 *       the log is kept from there on, and holds every change that a copied page may have: a page is written only after
 *       its log.
 *   <li>The copy is whole, or no database ({@link CopyTarget}).
 *   <li>The copy has a database id of its own, so that no file of one is ever taken for one of the other.
 * </ul>
 *
 * <p>Not thread-safe; one object makes one copy.
 */
final class Backup {
    private final Storage storage;
    private final Path from;
    private final Path to;
    private final DatabaseId databaseId = DatabaseId.random();
    private final CopyTarget target;
    private final ProgressListener progress;

    Backup(Storage storage, Path from, Path to, ProgressListener progress) {
        this.storage = storage;
        this.from = from;
        this.to = to;
        this.progress = progress;
        target = new CopyTarget(storage, to, databaseId);
    }

    /** Copies a database that has a log. */
    BackupReport copy(PageFile pageFile, Log log, Checkpointer checkpointer) {
        return target.fill(() -> {
            Waiter waiter = new Waiter();
            Checkpoint checkpoint = checkpointer.holdLog(waiter);
            try {
                int pageCount = PageFileCopy.copy(pageFile, storage, to, databaseId, progress);
                log.awaitDurable(log.tailLsn() - 1, waiter);
                long endLsn = log.durableLsn();
                long logBytes = LogCopy.copy(storage, from, to, databaseId, checkpoint.redoScanLsn(), endLsn, progress);
                new CheckpointFile(storage, to).write(databaseId, checkpoint.withDurableLsn(endLsn));
                return new BackupReport(pageCount, logBytes, endLsn);
            } finally {
                checkpointer.releaseLog();
            }
        });
    }

    /**
     * Copies a database that nobody changes and that was closed in order.
     *
     * @param isBitmapExact whether the checkpoint's page bitmap has no pages too many
     */
    BackupReport copyAtRest(PageFile pageFile, Checkpoint checkpoint, boolean isBitmapExact) {
        return target.fill(() -> {
            int pageCount = PageFileCopy.copy(pageFile, storage, to, databaseId, progress);
            new CheckpointFile(storage, to).write(databaseId, checkpoint);
            CleanMark.write(storage, to, databaseId, isBitmapExact, checkpoint.durableLsn());
            return new BackupReport(pageCount, 0, checkpoint.redoScanLsn());
        });
    }
}
