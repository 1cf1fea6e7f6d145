package dev.lockstep.engine.instance;

import dev.lockstep.engine.BackupReport;
import dev.lockstep.engine.CompactionReport;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import dev.lockstep.engine.recovery.CheckpointLayout;
import dev.lockstep.engine.recovery.CheckpointSchedule;
import dev.lockstep.engine.recovery.CheckpointSource;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The files of an open database, and the order in which they are written and closed.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code cleanclose.lockstep} is believed ({@link CleanMark}) exactly while the database is closed and was closed
 *       in order: it is the last file written at close and the first one deleted at the next open for writing.
 *   <li>{@code released} is set once the files are closed, whether in order or not.
 *   <li>{@code unlogged.lockstep} exists exactly from an open with durability NONE to the end of its close. Found at an
 *       open, it means that pages were lost and no log can bring them back.
 * </ul>
 */
final class InstanceFiles {
    static final String CLEAN_CLOSE_FILE = FixedPlaces.CLEAN_CLOSE_FILE;
    static final String UNLOGGED_FILE = FixedPlaces.UNLOGGED_FILE;

    private final Storage storage;
    private final Path directory;
    private final DatabaseId databaseId;
    private final Storage.DirectoryLock directoryLock;
    private final PageFile pageFile;
    private final CheckpointFile checkpointFile;
    private final IoThreads ioThreads;
    private final PoolFence fence;
    private final long endLsnWithoutLog;
    /** Held while everything is written without a log: one at a time replaces the checkpoint. */
    private final ReentrantLock unloggedCheckpoint = new ReentrantLock();

    private Checkpointer checkpointer;
    private boolean released;

    InstanceFiles(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            Storage.DirectoryLock directoryLock,
            PageFile pageFile,
            CheckpointFile checkpointFile,
            IoThreads ioThreads,
            PoolFence fence,
            long endLsnWithoutLog) {
        this.storage = storage;
        this.directory = directory;
        this.databaseId = databaseId;
        this.directoryLock = directoryLock;
        this.pageFile = pageFile;
        this.checkpointFile = checkpointFile;
        this.ioThreads = ioThreads;
        this.fence = fence;
        this.endLsnWithoutLog = endLsnWithoutLog;
    }

    /**
     * Begins to write checkpoints as the log grows.
     *
     * @param countsFromLsn behind the last checkpoint: from there on log is counted for the next one
     */
    void startCheckpointer(Instance instance, long countsFromLsn) {
        if (instance.log() != null && !instance.options().readOnly()) {
            checkpointer = Checkpointer.start(
                    instance.log(),
                    checkpointFile,
                    databaseId,
                    source(instance),
                    CheckpointSchedule.of(instance.options()),
                    countsFromLsn,
                    instance.health());
        }
    }

    private CheckpointSource source(Instance instance) {
        return new CheckpointSource() {
            @Override
            public void checkLogLimits() {
                instance.transactions().checkLogLimits(instance.log().tailLsn());
            }

            @Override
            public long begin(long tailLsn) {
                return fence.beginCheckpoint(tailLsn);
            }

            @Override
            public long oldestActiveLsn() {
                return instance.transactions().oldestFirstLsn();
            }

            @Override
            public void requireIntact() {
                instance.health().check();
            }

            @Override
            public long oldestRecoveryLsn() {
                return instance.pool().oldestRecoveryLsn();
            }

            @Override
            public void flushDirty(long upToRecoveryLsn, FlushPace pace, Waiter waiter) {
                instance.pool().flushDirty(upToRecoveryLsn, pace, waiter);
            }

            @Override
            public Checkpoint snapshot(long redoScanLsn) {
                return InstanceFiles.this.snapshot(instance, redoScanLsn, redoScanLsn);
            }
        };
    }

    private Checkpoint snapshot(Instance instance, long redoScanLsn, long durableLsn) {
        PageAllocator allocator = instance.environment().allocator();
        long[] bitmap = allocator.bitmap();
        return new Checkpoint(
                redoScanLsn,
                durableLsn,
                instance.transactions().nextTransactionId(),
                instance.catalog().nextTreeId(),
                CatalogStore.ROOT_PAGE_ID,
                allocator.allocatedCount(),
                bitmap,
                pageFile.pageLsns(bitmap, CheckpointLayout.PAGE_LSN_COUNT_MAX));
    }

    /** The thread that writes checkpoints, or null. */
    Checkpointer checkpointer() {
        return checkpointer;
    }

    /** Writes a checkpoint now. */
    void checkpoint(Instance instance) {
        if (checkpointer != null) {
            checkpointer.checkpoint(true, new Waiter());
        } else if (!instance.options().readOnly()) {
            checkpointWithoutLog(instance);
        }
    }

    private void checkpointWithoutLog(Instance instance) {
        unloggedCheckpoint.lock();
        try {
            instance.health().check();
            writeEverything(instance, endLsnWithoutLog);
        } catch (RuntimeException failure) {
            if (failure instanceof DatabaseFailedException || pageFile.isFailed()) {
                // Nobody knows what is on the medium, and no log would bring it back.
                instance.health().fail(failure);
            }
            throw failure;
        } finally {
            unloggedCheckpoint.unlock();
        }
    }

    /** Copies everything into another directory; see {@link Backup}. */
    BackupReport backup(Instance instance, Path target, ProgressListener progress) {
        Backup backup = new Backup(storage, directory, target, progress);
        if (instance.options().readOnly()) {
            boolean isBitmapExact = CleanMark.read(storage, directory).isBitmapExact();
            return backup.copyAtRest(pageFile, checkpointFile.read(databaseId), isBitmapExact);
        }
        return backup.copy(pageFile, instance.log(), checkpointer);
    }

    /** Moves pages into free ones and cuts the end of the page file off; see {@link Compaction}. */
    CompactionReport compact(Instance instance, ProgressListener progress) {
        return new Compaction(instance, pageFile, checkpointer, progress).run();
    }

    private void writeEverything(Instance instance, long redoScanLsn) {
        instance.pool().flushAll(new Waiter());
        pageFile.force();
        checkpointFile.write(databaseId, snapshot(instance, redoScanLsn, redoScanLsn));
    }

    /**
     * Notes that the database is in use. The mark of a clean close goes last: with it the other one means nothing, so a
     * crash in between leaves a database that was closed in order.
     */
    void markInUse(boolean unlogged) {
        if (unlogged) {
            writeMarker(UNLOGGED_FILE);
        } else {
            removeMarker(UNLOGGED_FILE);
        }
        removeMarker(CLEAN_CLOSE_FILE);
    }

    /**
     * The marker is gone for good on return. If the removal cannot be forced, the marker is made again: else the next
     * open would see none and remove none, and a crash could bring it back over a database in use.
     */
    private void removeMarker(String name) {
        Path path = directory.resolve(name);
        if (storage.exists(path)) {
            storage.delete(path);
            try {
                storage.forceDirectory(directory);
            } catch (RuntimeException e) {
                try {
                    storage.open(path, Storage.OpenMode.CREATE).close();
                } catch (RuntimeException suppressed) {
                    e.addSuppressed(suppressed);
                }
                throw e;
            }
        }
    }

    private void writeMarker(String name) {
        writeMarker(storage, directory, name, databaseId);
    }

    static void writeMarker(Storage storage, Path directory, String name, DatabaseId databaseId) {
        try (BlockFile file = storage.open(directory.resolve(name), Storage.OpenMode.CREATE)) {
            FileHeader.of(FileFormat.CLEAN_CLOSE, databaseId, 0).write(file);
            file.force(true);
        }
        storage.forceDirectory(directory);
    }

    /**
     * Writes everything back and closes, so that the next open has nothing to recover. Where a page cannot be read, and
     * lost pages are therefore not found, the next open looks for them again.
     *
     * @throws DiskFullException if there is no room
     * @throws StorageException if the system refuses; as with a full disk the files stay open where there is no log,
     *     which would bring back what is not written, and this may be called again
     * @throws DatabaseFailedException if a force failed; the files are closed
     */
    void close(Instance instance) {
        boolean isMarked = false;
        boolean staysOpen = false;
        try {
            if (!instance.options().readOnly() && !instance.health().isFailed()) {
                LostPages lostPages = instance.lostPagesOrNull();
                boolean isBitmapExact = (lostPages == null || lostPages.tryEnd()) && !instance.hasLostPages();
                closeCheckpointer();
                long endLsn = endLsnWithoutLog;
                Log log = instance.log();
                if (fence.logsImages()) {
                    // While there is a log for their images.
                    instance.pool().flushAll(new Waiter());
                }
                if (log != null) {
                    log.requestFlush(log.tailLsn());
                    log.close();
                    endLsn = log.durableLsn();
                }
                writeEverything(instance, endLsn);
                try (BlockFile mark = CleanMark.create(storage, directory, databaseId, isBitmapExact, endLsn)) {
                    isMarked = true;
                    mark.force(true);
                }
                storage.forceDirectory(directory);
                removeMarker(UNLOGGED_FILE);
            }
        } catch (RuntimeException | OutOfMemoryError failure) {
            // Beside its mark it is closed in order, whatever could not be forced or removed.
            if (!isMarked && mayBeClosedLater(instance, failure)) {
                takeMarkBack(instance, failure);
                staysOpen = true;
            }
            throw failure;
        } finally {
            if (!staysOpen) {
                release(instance);
            }
        }
    }

    /** Nothing else has what is not written; but after a failed force another one proves nothing. */
    private boolean mayBeClosedLater(Instance instance, Throwable failure) {
        return instance.log() == null
                && !(failure instanceof DatabaseFailedException)
                && !pageFile.isFailed()
                && !instance.health().isFailed();
    }

    /** A database in use beside a mark that it was closed in order must not go on. */
    private void takeMarkBack(Instance instance, Throwable refusal) {
        try {
            removeMarker(CLEAN_CLOSE_FILE);
        } catch (RuntimeException | Error failure) {
            failure.addSuppressed(refusal);
            instance.health().fail(failure);
            throw failure;
        }
    }

    /** Whether the files are closed. */
    boolean released() {
        return released;
    }

    /** Closes without writing anything. */
    void abandon(Instance instance) {
        release(instance);
    }

    /** Ends the thread that writes checkpoints; the files stay open. */
    void closeCheckpointer() {
        if (checkpointer != null) {
            try {
                checkpointer.close();
            } finally {
                checkpointer = null;
            }
        }
    }

    /** Whatever fails, what lies below is closed as well, and the directory is given back last. */
    private void release(Instance instance) {
        released = true;
        BufferPool pool = instance.pool();
        Log log = instance.log();
        try (directoryLock;
                pageFile;
                ioThreads;
                pool;
                log) {
            try {
                if (instance.lostPagesOrNull() != null) {
                    instance.lostPagesOrNull().stop();
                }
            } finally {
                closeCheckpointer();
            }
        }
    }
}
