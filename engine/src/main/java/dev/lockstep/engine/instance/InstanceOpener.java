package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.UncleanShutdownException;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.TreeEnvironment;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.catalog.Catalog;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.Waiter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntConsumer;

/**
 * Opens databases: creates the files of a new one, or reads the checkpoint, repeats the log, rolls back what had not
 * committed. Not thread-safe; one object opens one database.
 */
public final class InstanceOpener {
    /**
     * I/O threads of an instance. Two keep one read and one write-back in flight; more only pay on devices with deep
     * queues, where the reads of a pool that is too small would be the smaller problem.
     */
    private static final int IO_THREADS = 2;

    private final DatabaseOptions options;
    private final Scheduler scheduler;
    private final LogOptions logOptions;
    private final Health health = new Health();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private boolean looksLater;
    private IntConsumer beforeFree = pageId -> {};

    /**
     * @param scheduler whose S-threads will run transactions, or null
     */
    public InstanceOpener(DatabaseOptions options, Scheduler scheduler) {
        this(options, scheduler, defaultLogOptions(options));
    }

    /** For experiments and tests, with a log that behaves as they want. */
    public InstanceOpener(DatabaseOptions options, Scheduler scheduler, LogOptions logOptions) {
        this.options = options;
        this.scheduler = scheduler;
        this.logOptions = logOptions;
    }

    /** The log as the options of the database ask for it. */
    public static LogOptions defaultLogOptions(DatabaseOptions options) {
        LogOptions base = options.durability() == Durability.SYNC ? LogOptions.sync() : LogOptions.async();
        return base.withSegmentBytes(options.logSegmentBytes())
                .withRecycledBytes(options.checkpointLogBytes())
                .withExtraForceDelayMillis((int) options.extraForceDelay().toMillis());
    }

    private int frameCount() {
        return (int) Math.max(BufferPool.FRAMES_MIN, options.poolBytes() / PageLayout.PAGE_BYTES);
    }

    private static IoThreads ioThreads(Storage storage) {
        return new IoThreads(storage.answersAtOnce() ? 0 : IO_THREADS);
    }

    private BufferPool newPool(PageFile pageFile, PoolFence fence, IoThreads ioThreads) {
        return new BufferPool(frameCount(), options.nodeLayout(), pageFile, fence, ioThreads, health, health::check);
    }

    /** With an empty catalog. */
    private Instance newInstance(TreeEnvironment environment, InstanceFiles filesOrNull) {
        Instance instance = new Instance(
                options,
                scheduler,
                health,
                environment,
                new TransactionTable(1),
                new Catalog(CatalogStore.TREE_ID + 1),
                filesOrNull);
        createCatalog(instance);
        return instance;
    }

    /** A database that lives in memory only. */
    public Instance openInMemory() {
        try {
            BufferPool pool = opened(newPool(null, new PoolFence(health), null));
            TreeEnvironment environment = new TreeEnvironment(pool, newAllocator(), null, health::fail);
            return newInstance(environment, null);
        } catch (Throwable failure) {
            closeOpened(failure);
            throw failure;
        }
    }

    private PageAllocator newAllocator() {
        PageAllocator allocator = new PageAllocator(health::check, beforeFree);
        allocator.markAllocated(0);
        allocator.markAllocated(CatalogStore.ROOT_PAGE_ID);
        return allocator;
    }

    private static void createCatalog(Instance instance) {
        SessionCore session = new SessionCore(instance);
        try {
            instance.catalogTree().create(session.context());
        } finally {
            session.close();
        }
    }

    /** Opens or creates the database of a directory. */
    public Instance open(Storage storage, Path directory) {
        boolean exists = storage.exists(directory.resolve(PageFile.PAGES_FILE));
        if (!exists) {
            requireMayCreate(directory);
            storage.createDirectories(directory);
        }
        Storage.DirectoryLock lock = storage.lockDirectory(directory);
        try {
            requireMayWrite(lock, directory);
            // Looked for again: between the first look and the lock another process may have made it.
            return openLocked(
                    storage, directory, lock, exists || storage.exists(directory.resolve(PageFile.PAGES_FILE)));
        } catch (Throwable failure) {
            closeOpened(failure);
            lock.close();
            throw failure;
        }
    }

    private void requireMayWrite(Storage.DirectoryLock lock, Path directory) {
        if (lock.isShared() && !options.readOnly()) {
            throw new StorageException(Message.of("nothing can be written in the directory of the database")
                    .with("directory", directory)
                    .remedy("open it for reading only, or correct the permissions of the directory and its files"));
        }
    }

    /**
     * Makes a database in a directory that holds none and that the caller has locked.
     *
     * @param directory exists
     */
    public Instance createLocked(Storage storage, Path directory) {
        Storage.DirectoryLock keptLock = () -> {};
        try {
            return create(storage, directory, keptLock, new CheckpointFile(storage, directory));
        } catch (Throwable failure) {
            closeOpened(failure);
            throw failure;
        }
    }

    private void requireMayCreate(Path directory) {
        if (options.readOnly() || !options.createIfMissing()) {
            throw new MissingFileException(Message.of("there is no database in the directory")
                    .with("directory", directory)
                    .with("file", PageFile.PAGES_FILE)
                    .remedy("correct the path, or open with createIfMissing"));
        }
    }

    /** Closes what a failed open has opened so far, newest first. */
    private void closeOpened(Throwable failure) {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception suppressed) {
                failure.addSuppressed(suppressed);
            }
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    private Instance openLocked(Storage storage, Path directory, Storage.DirectoryLock lock, boolean exists) {
        CopyTarget.requireComplete(storage, directory);
        CheckpointFile checkpointFile = new CheckpointFile(storage, directory);
        boolean unlogged = storage.exists(directory.resolve(InstanceFiles.UNLOGGED_FILE));
        boolean clean = CleanMark.readBelieved(storage, directory).isPresent();
        if (!exists && checkpointFile.exists() && (clean || !unlogged)) {
            // Not a creation or a deletion that was cut short: one writes the checkpoint last, the other is marked.
            throw new MissingFileException(
                    Message.of("the file of the pages is missing beside the others of its database")
                            .with("directory", directory)
                            .with("file", PageFile.PAGES_FILE)
                            .remedy("restore it from a backup, or move the other files away to begin anew"));
        }
        boolean recoverFirst = options.durability() == Durability.NONE && !options.readOnly() && !unlogged && !clean;
        if (exists && recoverFirst && checkpointFile.exists()) {
            recoverWithLog(storage, directory, checkpointFile);
            return reopen(storage, directory, lock, checkpointFile, true);
        }
        if (exists && unlogged && !clean) {
            // A crash during the creation has lost nothing: there is nothing to be asked about.
            boolean finished = checkpointFile.exists() || !isUnfinishedCreation(storage, directory);
            if (finished && !options.startEmptyAfterUncleanClose()) {
                throw new UncleanShutdownException(
                        Message.of("the database was used without a log and not closed in order")
                                .with("directory", directory)
                                .with("file", InstanceFiles.UNLOGGED_FILE)
                                .remedy("its contents are lost; open with startEmptyAfterUncleanClose to begin anew"));
            }
            if (!finished) {
                requireMayCreate(directory);
            }
            deleteAll(storage, directory);
            return create(storage, directory, lock, checkpointFile);
        }
        // The first checkpoint is the last step of a creation: without it there never was a database.
        if (!exists || (!checkpointFile.exists() && isUnfinishedCreation(storage, directory))) {
            requireMayCreate(directory);
            deleteAll(storage, directory);
            return create(storage, directory, lock, checkpointFile);
        }
        return reopen(storage, directory, lock, checkpointFile, clean);
    }

    /** Recovery needs the log, which the database will then be used without. */
    private void recoverWithLog(Storage storage, Path directory, CheckpointFile checkpointFile) {
        DatabaseOptions logged = options.toBuilder().durability(Durability.SYNC).build();
        Storage.DirectoryLock keptLock = () -> {};
        InstanceOpener opener = new InstanceOpener(logged, null);
        try {
            opener.reopen(storage, directory, keptLock, checkpointFile, false).close();
        } catch (Throwable failure) {
            opener.closeOpened(failure);
            throw failure;
        }
        // One that has failed beside the recovery is closed without a word: the log still has what it has not written.
        opener.health.check();
    }

    /**
     * Whether a creation was cut short: nothing but the header, which may have been lost, and the root of the catalog.
     *
     * @throws LockstepException if the file is somebody else's
     */
    private static boolean isUnfinishedCreation(Storage storage, Path directory) {
        try (var pages = storage.open(directory.resolve(PageFile.PAGES_FILE), Storage.OpenMode.READ_ONLY)) {
            ByteBuffer header = ByteBuffer.allocateDirect(FileHeaderLayout.HEADER_BYTES);
            pages.read(header, 0);
            header.flip();
            boolean empty = true;
            while (header.hasRemaining()) {
                empty &= header.get() == 0;
            }
            if (!empty) {
                FileHeader.read(pages, FileFormat.PAGES, null);
            }
            return pages.size() <= PageLayout.PAGE_BYTES * 2L;
        }
    }

    /** Deletes the files of a database; the one last that says that its contents are lost. */
    private static void deleteAll(Storage storage, Path directory) {
        for (Path file : storage.list(directory)) {
            String name = file.getFileName().toString();
            if (name.endsWith(".lockstep")
                    && !name.equals(DiskStorage.LOCK_FILE)
                    && !name.equals(InstanceFiles.UNLOGGED_FILE)) {
                storage.delete(directory.resolve(name));
            }
        }
        storage.forceDirectory(directory);
        storage.delete(directory.resolve(InstanceFiles.UNLOGGED_FILE));
        storage.forceDirectory(directory);
    }

    private Instance create(
            Storage storage, Path directory, Storage.DirectoryLock lock, CheckpointFile checkpointFile) {
        DatabaseId databaseId = DatabaseId.random();
        PageFile pageFile = opened(PageFile.create(storage, directory, databaseId, options.pageChecksums()));
        IoThreads ioThreads = opened(ioThreads(storage));
        Log log = options.durability() == Durability.NONE
                ? null
                : opened(Log.open(
                        storage, directory, databaseId, logOptions, LogRecordLayout.LSN_FIRST, health, health::check));
        PoolFence fence = new PoolFence(health);
        fence.set(log);
        BufferPool pool = opened(newPool(pageFile, fence, ioThreads));
        protect(pageFile, fence, pool);
        TreeEnvironment environment = new TreeEnvironment(pool, newAllocator(), log, health::fail);
        InstanceFiles files = new InstanceFiles(
                storage,
                directory,
                databaseId,
                lock,
                pageFile,
                checkpointFile,
                ioThreads,
                fence,
                LogRecordLayout.LSN_FIRST);
        Instance instance = newInstance(environment, files);
        files.markInUse(log == null);
        files.startCheckpointer(instance, LogRecordLayout.LSN_FIRST);
        opened.push(files::closeCheckpointer);
        instance.checkpoint();
        return instance;
    }

    /** From here on pages are protected as the options say; up to here, which is redo, by copies. */
    private void protect(PageFile pageFile, PoolFence fence, BufferPool pool) {
        if (pageFile.isReadOnly() || options.tornPageProtection() == TornPageProtection.DOUBLE_WRITE) {
            return;
        }
        if (options.tornPageProtection() == TornPageProtection.LOG_IMAGES) {
            fence.startImages();
        }
        // Until the page writer has ended a batch that it began without images.
        pool.flushDirty(0, FlushPace.AT_ONCE, new Waiter());
        pageFile.endCopies();
    }

    /** Has nobody look for lost pages before a test does, or somebody who needs the end of that. */
    InstanceOpener lookingLater() {
        looksLater = true;
        return this;
    }

    /** Has something done for a test before each page is given back, between the two ends of a change. */
    InstanceOpener beforeFree(IntConsumer action) {
        beforeFree = action;
        return this;
    }

    private void lookForLostPages(Instance instance) {
        LostPages lostPages = new LostPages(instance);
        instance.looksFor(lostPages);
        if (!looksLater) {
            lostPages.start();
        }
    }

    private Instance reopen(
            Storage storage, Path directory, Storage.DirectoryLock lock, CheckpointFile checkpointFile, boolean clean) {
        PageFile pageFile =
                opened(PageFile.open(storage, directory, null, options.readOnly(), options.pageChecksums()));
        int pageCountFound = pageFile.pageCount();
        DatabaseId databaseId = pageFile.databaseId();
        Checkpoint checkpoint = checkpointFile.read(databaseId);
        pageFile.expectLsns(checkpoint.pageLsns());
        if (!clean && options.readOnly()) {
            throw new ReadOnlyException(Message.of("the database was not closed in order and needs recovery")
                    .with("directory", directory)
                    .remedy("open it once for writing, which recovers it, and close it"));
        }
        IoThreads ioThreads = opened(ioThreads(storage));
        PoolFence fence = new PoolFence(health);
        BufferPool pool = opened(newPool(pageFile, fence, ioThreads));
        PageAllocator allocator = new PageAllocator(health::check, beforeFree);
        if (clean && CleanMark.read(storage, directory).isBitmapExact()) {
            allocator.load(checkpoint.pageBitmap());
        } else {
            allocator.loadSuperset(checkpoint.pageBitmap());
        }
        // Behind where a recovery would begin, if the one that wrote the checkpoint ended beside its own mark.
        long endLsn = checkpoint.durableLsn();
        CrashRecovery recovery = null;
        if (!clean) {
            // A log that ends before the newest page was cut off, and would bring back a state that no longer fits.
            long knownDurableLsn = Math.max(checkpoint.durableLsn(), pageFile.lsnMax() + 1);
            LogReader reader = opened(
                    new LogReader(storage, directory, databaseId, checkpoint.redoScanLsn(), knownDurableLsn, false));
            recovery = new CrashRecovery(reader, checkpoint, pool, storage.readsAhead());
            endLsn = recovery.redo();
            pageFile.expectLsnsBelow(endLsn);
        }
        if (endLsn < LogRecordLayout.LSN_FIRST || endLsn % LogRecordLayout.ALIGNMENT_BYTES != 0) {
            throw new CorruptionException(Message.of("the checkpoint names a place where no log can go on")
                    .with("directory", directory)
                    .with("endLsn", endLsn)
                    .remedy("restore the database from a backup"));
        }
        boolean logged = recovery != null || (options.durability() != Durability.NONE && !options.readOnly());
        Log log = logged
                ? opened(Log.open(storage, directory, databaseId, logOptions, endLsn, health, health::check))
                : null;
        fence.set(log);
        protect(pageFile, fence, pool);
        InstanceFiles files = new InstanceFiles(
                storage, directory, databaseId, lock, pageFile, checkpointFile, ioThreads, fence, endLsn);
        Instance instance = new Instance(
                options,
                scheduler,
                health,
                new TreeEnvironment(pool, allocator, log, health::fail),
                new TransactionTable(checkpoint.nextTransactionId()),
                new Catalog(checkpoint.nextTreeId()),
                files);
        if (recovery != null) {
            recovery.undo(instance);
        }
        CutOffPages.refuse(instance, pageCountFound);
        CatalogLoader.load(instance);
        if (!options.readOnly()) {
            // What recovery has brought back is written by the next checkpoint, so that an opening need not wait for
            // it.
            files.startCheckpointer(instance, recovery == null ? endLsn : checkpoint.durableLsn());
            opened.push(files::closeCheckpointer);
            files.markInUse(log == null);
            if (recovery != null && recovery.wantsCheckpoint()) {
                files.checkpointer().request();
            }
            CatalogLoader.dropUnfinishedIndexes(instance);
        }
        if (allocator.isSuperset()) {
            lookForLostPages(instance);
        }
        return instance;
    }
}
