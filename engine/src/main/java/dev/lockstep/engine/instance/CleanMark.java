package dev.lockstep.engine.instance;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The mark that a database was closed in order: a file that is written last at a close and deleted first at the next
 * open for writing.
 *
 * <pre>
 *  0                                               128
 *  +-----------------------------------------------+
 *  | file header; its parameter is the LSN at which |     or nothing at all, where the page bitmap that was
 *  | the log ended, 0 in files of former versions   |     saved may have pages too many
 *  +-----------------------------------------------+
 * </pre>
 *
 * <p>A mark may lie. Its removal may have failed to be forced, on a disk that did not take the mark back either: the
 * system shows none from then on, until a crash brings it back over a database that has been in use. So it is believed
 * only beside the checkpoint of the same close, and if the log does not go on behind that. Nothing is on disk then that
 * is not in the log: no page is written before its log records.
 *
 * <p>Thread-safety: immutable.
 *
 * @param isPresent whether there is one
 * @param isWhole whether it can be read; otherwise it says nothing but that it is there
 * @param endLsn where the log ended, 0 if it does not say
 */
public record CleanMark(boolean isPresent, boolean isWhole, long endLsn) {
    private static final CleanMark NONE = new CleanMark(false, false, 0);

    /** Reads the mark of a directory. */
    public static CleanMark read(Storage storage, Path directory) {
        Path path = directory.resolve(FixedPlaces.CLEAN_CLOSE_FILE);
        if (!storage.exists(path)) {
            return NONE;
        }
        try (BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY)) {
            return new CleanMark(
                    true,
                    true,
                    FileHeader.read(file, FileFormat.CLEAN_CLOSE, null).parameter());
        } catch (LockstepException unreadable) {
            return new CleanMark(true, false, 0);
        }
    }

    /**
     * Reads the mark of a directory, if it is to be believed.
     *
     * @return one that is not present if it is not to be believed; where files are damaged it is, and whoever reads
     *     these tells
     * @throws StorageException if the system refuses to read what would say so
     */
    public static CleanMark readBelieved(Storage storage, Path directory) {
        CleanMark mark = read(storage, directory);
        if (!mark.isPresent) {
            return NONE;
        }
        DatabaseId databaseId;
        Checkpoint checkpoint;
        try (BlockFile pages = storage.open(directory.resolve(PageFile.PAGES_FILE), Storage.OpenMode.READ_ONLY)) {
            databaseId = FileHeader.read(pages, FileFormat.PAGES, null).databaseId();
            checkpoint = new CheckpointFile(storage, directory).read(databaseId);
        } catch (StorageException refused) {
            throw refused;
        } catch (LockstepException damaged) {
            return mark;
        }
        return mark.isBelieved(storage, directory, databaseId, checkpoint) ? mark : NONE;
    }

    /** As {@link #readBelieved}, for who wants to know what there is: believed as well where the system refuses. */
    public static CleanMark readAsFarAsPossible(Storage storage, Path directory) {
        try {
            return readBelieved(storage, directory);
        } catch (StorageException refused) {
            return new CleanMark(true, false, 0);
        }
    }

    private boolean isBelieved(Storage storage, Path directory, DatabaseId databaseId, Checkpoint checkpoint) {
        long closeLsn = checkpoint.durableLsn();
        // A checkpoint beside running transactions may need log in front of its end.
        boolean isOfClose = checkpoint.redoScanLsn() == closeLsn && (endLsn == 0 || endLsn == closeLsn);
        return isOfClose && !logGoesOn(storage, directory, databaseId, closeLsn);
    }

    /** Whether the log has a record behind the close. Every open begins a segment where the log had ended. */
    private boolean logGoesOn(Storage storage, Path directory, DatabaseId databaseId, long closeLsn) {
        long[] segments = LogReader.segments(storage, directory);
        boolean mayGoOn = Arrays.stream(segments).anyMatch(startLsn -> startLsn >= closeLsn);
        if (!mayGoOn && endLsn != 0) {
            return false;
        }
        try (LogReader reader = new LogReader(storage, directory, databaseId, closeLsn, 0, true)) {
            return reader.next() != null;
        } catch (StorageException refused) {
            throw refused;
        } catch (LockstepException missing) {
            // Without a log in front of it, or with one that is damaged there, nothing proves that it goes on.
            return false;
        }
    }

    /** Whether the page bitmap that was saved has exactly the pages in use. */
    public boolean isBitmapExact() {
        return isPresent && isWhole;
    }

    /** Writes the mark; it is on the medium on return. */
    static void write(Storage storage, Path directory, DatabaseId databaseId, boolean isBitmapExact, long endLsn) {
        try (BlockFile file = create(storage, directory, databaseId, isBitmapExact, endLsn)) {
            file.force(true);
        }
        storage.forceDirectory(directory);
    }

    /** Makes the mark; to be forced, with its directory, and closed by the caller. */
    static BlockFile create(
            Storage storage, Path directory, DatabaseId databaseId, boolean isBitmapExact, long endLsn) {
        BlockFile file = storage.open(directory.resolve(FixedPlaces.CLEAN_CLOSE_FILE), Storage.OpenMode.CREATE);
        try {
            if (isBitmapExact) {
                FileHeader.of(FileFormat.CLEAN_CLOSE, databaseId, endLsn).write(file);
            }
        } catch (RuntimeException | Error failure) {
            file.close();
            throw failure;
        }
        return file;
    }
}
