package dev.lockstep.engine.salvage;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.OlderFormatException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.CleanMark;
import dev.lockstep.engine.instance.CopyTarget;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of a database that nobody has open, opened to be read only, as far as they are there.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The directory is locked until {@link #close}, so nobody changes what is read here.
 *   <li>Nothing is written but the lock file.
 *   <li>{@code problems} has one sentence for each file that cannot be used.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class SourceFiles implements AutoCloseable {
    private final Storage storage;
    private final Path directory;
    private final Storage.DirectoryLock lock;
    private final BlockFile pages;
    private final DatabaseId databaseIdOrNull;
    private final Checkpoint checkpointOrNull;
    private final CleanMark cleanMark;
    private final boolean leftUnlogged;
    private final List<String> problems = new ArrayList<>();

    /**
     * Opens the files.
     *
     * @throws MissingFileException if there is no file of pages
     * @throws dev.lockstep.engine.DatabaseInUseException if somebody has the database open
     * @throws dev.lockstep.engine.IncompleteCopyException if it is a copy that was not finished
     * @throws NewerFormatException if a newer version has written the file of pages
     * @throws OlderFormatException if its version is no longer read
     */
    SourceFiles(Storage storage, Path directory) {
        this.storage = storage;
        this.directory = directory;
        Path pagesPath = directory.resolve(PageFile.PAGES_FILE);
        if (!storage.exists(pagesPath)) {
            throw new MissingFileException(Message.of("there is no database in the directory")
                    .with("directory", directory)
                    .with("file", PageFile.PAGES_FILE)
                    .remedy("correct the path"));
        }
        CopyTarget.requireComplete(storage, directory);
        lock = storage.lockDirectory(directory);
        BlockFile opened = null;
        try {
            opened = storage.open(pagesPath, Storage.OpenMode.READ_ONLY);
            pages = opened;
            databaseIdOrNull = readDatabaseId();
            checkpointOrNull = readCheckpoint();
            cleanMark = CleanMark.readAsFarAsPossible(storage, directory);
            leftUnlogged = !cleanMark.isPresent() && storage.exists(directory.resolve(FixedPlaces.UNLOGGED_FILE));
        } catch (RuntimeException | Error failure) {
            try {
                if (opened != null) {
                    opened.close();
                }
            } finally {
                lock.close();
            }
            throw failure;
        }
    }

    private DatabaseId readDatabaseId() {
        try {
            return FileHeader.read(pages, FileFormat.PAGES, null).databaseId();
        } catch (NewerFormatException | OlderFormatException unreadable) {
            throw unreadable;
        } catch (LockstepException damaged) {
            problems.add(damaged.getMessage());
        }
        Map<Path, FileFormat> others = new LinkedHashMap<>();
        others.put(directory.resolve(CheckpointLayout.FILE_NAME), FileFormat.CHECKPOINT);
        others.put(directory.resolve(PageFile.DOUBLE_WRITE_FILE), FileFormat.DOUBLE_WRITE);
        for (long startLsn : LogReader.segments(storage, directory)) {
            others.put(LogSegmentLayout.path(directory, startLsn), FileFormat.LOG);
        }
        for (Map.Entry<Path, FileFormat> other : others.entrySet()) {
            DatabaseId found = databaseIdOf(other.getKey(), other.getValue());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Null where it cannot be read; whoever needs that file will tell. */
    private DatabaseId databaseIdOf(Path path, FileFormat format) {
        try (BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY)) {
            return FileHeader.read(file, format, null).databaseId();
        } catch (LockstepException unreadable) {
            return null;
        }
    }

    private Checkpoint readCheckpoint() {
        try {
            return databaseIdOrNull == null ? null : new CheckpointFile(storage, directory).read(databaseIdOrNull);
        } catch (LockstepException damaged) {
            problems.add(damaged.getMessage());
            return null;
        }
    }

    Storage storage() {
        return storage;
    }

    Path directory() {
        return directory;
    }

    /** The file of the pages. */
    BlockFile pages() {
        return pages;
    }

    /** Pages in the file, page 0 and a last one that is cut off included. */
    int pageCount() {
        return Math.toIntExact((pages.size() + PageLayout.PAGE_BYTES - 1) >>> PageLayout.PAGE_SHIFT);
    }

    /** Whose files they are; null if none of them can tell. */
    DatabaseId databaseIdOrNull() {
        return databaseIdOrNull;
    }

    /** The checkpoint; null if it is lost. */
    Checkpoint checkpointOrNull() {
        return checkpointOrNull;
    }

    /** Whether the database was closed in order, so that nothing is to be recovered. */
    boolean closedInOrder() {
        return cleanMark.isPresent();
    }

    /** Whether it was used without a log and not closed in order, so that no log has what was not written. */
    boolean leftUnlogged() {
        return leftUnlogged;
    }

    /**
     * The LSN from which recovery would repeat the log: what was logged before is in the pages. Behind every use
     * without a log too, which ends with a checkpoint. The largest number if the checkpoint is lost.
     */
    long redoScanLsn() {
        return checkpointOrNull == null ? Long.MAX_VALUE : checkpointOrNull.redoScanLsn();
    }

    /** Whether the checkpoint says exactly which pages are in use. */
    boolean isBitmapExact() {
        return cleanMark.isBitmapExact();
    }

    /** What is wrong with files as a whole; to be added to. */
    List<String> problems() {
        return problems;
    }

    @Override
    public void close() {
        try {
            pages.close();
        } finally {
            lock.close();
        }
    }
}
