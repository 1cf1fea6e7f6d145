package dev.lockstep.engine.instance;

import dev.lockstep.engine.BackupReport;
import dev.lockstep.engine.IncompleteCopyException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TargetNotEmptyException;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DiskStorage;
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
import java.util.List;

/**
 * Makes a copy of an open database in another directory, beside its transactions. The copy is what a crash would leave:
 * pages of different times and the log that brings them to one state, which its first open does.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The page file lacks no change from before {@code redoScanLsn} of the checkpoint when its first page is copied,
 *       the log is kept from there on, and holds every change that a copied page may have: a page is written only after
 *       its log.
 *   <li>{@code incomplete.lockstep} is the first file of a copy and the last one deleted. While it is there, nobody
 *       opens the directory as a database.
 *   <li>The copy has a database id of its own, so that no file of one is ever taken for one of the other.
 * </ul>
 *
 * <p>Not thread-safe; one object makes one copy.
 */
final class Backup {
    /** Says that a copy is not finished. */
    static final String INCOMPLETE_FILE = FixedPlaces.INCOMPLETE_FILE;

    private final Storage storage;
    private final Path from;
    private final Path to;
    private final DatabaseId databaseId = DatabaseId.random();

    Backup(Storage storage, Path from, Path to) {
        this.storage = storage;
        this.from = from;
        this.to = to;
    }

    /** What fills the directory of a copy. */
    @FunctionalInterface
    private interface Filling {
        BackupReport fill();
    }

    /**
     * Refuses a directory that holds the beginning of a copy.
     *
     * @throws IncompleteCopyException if it does
     */
    static void requireComplete(Storage storage, Path directory) {
        if (storage.exists(directory.resolve(INCOMPLETE_FILE))) {
            throw new IncompleteCopyException(
                    Message.of("the directory holds a copy of a database that was not finished")
                            .with("directory", directory)
                            .with("file", INCOMPLETE_FILE)
                            .remedy("delete the directory and make the copy again"));
        }
    }

    /** Copies a database that has a log. */
    BackupReport copy(PageFile pageFile, Log log, Checkpointer checkpointer) {
        return make(() -> {
            Waiter waiter = new Waiter();
            Checkpoint checkpoint = checkpointer.holdLog(waiter);
            try {
                int pageCount = PageFileCopy.copy(pageFile, storage, to, databaseId);
                log.awaitDurable(log.tailLsn() - 1, waiter);
                long endLsn = log.durableLsn();
                long logBytes = LogCopy.copy(storage, from, to, databaseId, checkpoint.redoScanLsn(), endLsn);
                new CheckpointFile(storage, to).write(databaseId, checkpoint.withDurableLsn(endLsn));
                return new BackupReport(pageCount, logBytes, endLsn);
            } finally {
                checkpointer.releaseLog();
            }
        });
    }

    /** Copies a database that nobody changes and that was closed in order. */
    BackupReport copyAtRest(PageFile pageFile, Checkpoint checkpoint) {
        return make(() -> {
            int pageCount = PageFileCopy.copy(pageFile, storage, to, databaseId);
            new CheckpointFile(storage, to).write(databaseId, checkpoint);
            InstanceFiles.writeMarker(storage, to, InstanceFiles.CLEAN_CLOSE_FILE, databaseId);
            return new BackupReport(pageCount, 0, checkpoint.redoScanLsn());
        });
    }

    private BackupReport make(Filling filling) {
        if (storage.exists(to)) {
            requireEmpty();
        }
        storage.createDirectories(to);
        Storage.DirectoryLock lock = storage.lockDirectory(to);
        try {
            // Looked at again: between the first look and the lock another process may have put something there.
            requireEmpty();
            return makeLocked(filling);
        } finally {
            lock.close();
        }
    }

    private BackupReport makeLocked(Filling filling) {
        try {
            InstanceFiles.writeMarker(storage, to, INCOMPLETE_FILE, databaseId);
            BackupReport report = filling.fill();
            storage.forceDirectory(to);
            removeMark();
            return report;
        } catch (RuntimeException | Error failure) {
            deleteAll(failure);
            throw failure;
        }
    }

    /** Goes last, when everything else in the directory is on the medium. */
    private void removeMark() {
        storage.delete(to.resolve(INCOMPLETE_FILE));
        storage.forceDirectory(to);
    }

    private void requireEmpty() {
        List<Path> found = files();
        if (!found.isEmpty()) {
            throw new TargetNotEmptyException(Message.of("the directory for a copy of the database is not empty")
                    .with("directory", to)
                    .with("file", found.getFirst().getFileName())
                    .remedy("name a directory that does not exist or is empty"));
        }
    }

    private List<Path> files() {
        return storage.list(to).stream()
                .filter(file -> !file.getFileName().toString().equals(DiskStorage.LOCK_FILE))
                .toList();
    }

    /** What cannot be deleted stays beside the mark that keeps everybody from opening it. */
    private void deleteAll(Throwable failure) {
        try {
            for (Path file : files()) {
                if (!file.getFileName().toString().equals(INCOMPLETE_FILE)) {
                    storage.delete(to.resolve(file.getFileName()));
                }
            }
            storage.forceDirectory(to);
            removeMark();
        } catch (LockstepException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }
}
