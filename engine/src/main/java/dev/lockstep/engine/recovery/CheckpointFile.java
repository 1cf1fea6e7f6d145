package dev.lockstep.engine.recovery;

import static dev.lockstep.engine.recovery.CheckpointLayout.ALLOCATED_PAGE_COUNT_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.BITMAP_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.BITMAP_WORD_COUNT_MAX;
import static dev.lockstep.engine.recovery.CheckpointLayout.BITMAP_WORD_COUNT_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.CATALOG_ROOT_PAGE_ID_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.CHECKSUM_BYTES;
import static dev.lockstep.engine.recovery.CheckpointLayout.DURABLE_LSN_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.NEXT_TRANSACTION_ID_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.NEXT_TREE_ID_OFFSET;
import static dev.lockstep.engine.recovery.CheckpointLayout.PAGE_LSN_COUNT_MAX;
import static dev.lockstep.engine.recovery.CheckpointLayout.REDO_SCAN_LSN_OFFSET;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.file.Storage;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The file that holds the latest {@link Checkpoint}.
 *
 * <p>Invariant: the file is replaced as a whole. A new one is written under another name, forced, and renamed; a crash
 * at any moment leaves either the old checkpoint or the new one.
 *
 * <p>Thread-safety: {@link #write} by one thread at a time.
 */
public final class CheckpointFile {
    private final Storage storage;
    private final Path directory;
    private final Path path;
    private final Path temporaryPath;

    /** Names the file; nothing is read or written yet. */
    public CheckpointFile(Storage storage, Path directory) {
        this.storage = storage;
        this.directory = directory;
        path = directory.resolve(CheckpointLayout.FILE_NAME);
        temporaryPath = directory.resolve(CheckpointLayout.TEMPORARY_FILE_NAME);
    }

    /** Whether there is a checkpoint. */
    public boolean exists() {
        return storage.exists(path);
    }

    /**
     * Replaces the checkpoint; the new one is on the medium on return.
     *
     * @throws dev.lockstep.engine.DiskFullException if there is no room; the old one is kept
     * @throws StorageException if the system refuses; the old one is kept
     * @throws DatabaseFailedException if a force failed, and it is unknown which of them is on the medium
     */
    public void write(DatabaseId databaseId, Checkpoint checkpoint) {
        long[] bitmap = checkpoint.pageBitmap();
        long[] pageLsns = checkpoint.pageLsns();
        FileHeader header = FileHeader.of(
                FileFormat.CHECKPOINT, databaseId, CheckpointLayout.fileBytes(bitmap.length, pageLsns.length));
        try (BlockFile file = storage.open(temporaryPath, Storage.OpenMode.CREATE);
                CheckpointWriter writer = new CheckpointWriter(file, header)) {
            writer.putLong(checkpoint.redoScanLsn());
            writer.putLong(checkpoint.durableLsn());
            writer.putLong(checkpoint.nextTransactionId());
            writer.putInt(checkpoint.nextTreeId());
            writer.putInt(checkpoint.catalogRootPageId());
            writer.putInt(checkpoint.allocatedPageCount());
            writer.putInt(bitmap.length);
            writer.putLongs(bitmap);
            writer.putLongs(pageLsns);
            writer.finish();
            force(() -> file.force(true));
        }
        storage.atomicReplace(temporaryPath, path);
        force(() -> storage.forceDirectory(directory));
    }

    /** A disk that does not force is not asked a second time, whatever it says: see {@link BlockFile#force}. */
    private void force(Runnable force) {
        try {
            force.run();
        } catch (StorageException e) {
            throw new DatabaseFailedException(
                    Message.of("The checkpoint could not be forced to the medium")
                            .with("file", path)
                            .with("cause", e)
                            .remedy("Check the medium, then open the database again; its log is replayed."),
                    e);
        }
    }

    /**
     * Reads the checkpoint.
     *
     * @param databaseId the database that it must belong to
     * @throws dev.lockstep.engine.MissingFileException if there is none
     * @throws TruncatedFileException if the file is shorter than it says
     * @throws CorruptionException if its checksum is wrong
     */
    public Checkpoint read(DatabaseId databaseId) {
        try (Arena arena = Arena.ofShared();
                BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY)) {
            FileHeader header = FileHeader.read(file, FileFormat.CHECKPOINT, databaseId);
            long fileBytes = header.parameter();
            if (fileBytes < CheckpointLayout.fileBytes(0, 0)
                    || fileBytes > CheckpointLayout.fileBytes(BITMAP_WORD_COUNT_MAX, PAGE_LSN_COUNT_MAX)) {
                throw corrupt("fileBytes", fileBytes);
            }
            if (file.size() < fileBytes) {
                throw new TruncatedFileException(Message.of("The checkpoint file is cut off")
                        .with("file", path)
                        .with("sizeBytes", file.size())
                        .with("expectedBytes", fileBytes)
                        .remedy("Restore the database from a backup."));
            }
            ByteBuffer buffer =
                    arena.allocate(fileBytes, Long.BYTES).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            file.read(buffer, 0);
            return decode(buffer, (int) fileBytes);
        }
    }

    private Checkpoint decode(ByteBuffer buffer, int fileBytes) {
        int wordCount = buffer.getInt(BITMAP_WORD_COUNT_OFFSET);
        if (buffer.getInt(fileBytes - CHECKSUM_BYTES) != checksum(buffer, fileBytes)) {
            throw corrupt("checksum", buffer.getInt(fileBytes - CHECKSUM_BYTES));
        }
        if (wordCount < 0
                || wordCount > BITMAP_WORD_COUNT_MAX
                || CheckpointLayout.fileBytes(wordCount, 0) > fileBytes) {
            throw corrupt("bitmapWordCount", wordCount);
        }
        int pageLsnsBytes = fileBytes - CheckpointLayout.fileBytes(wordCount, 0);
        if (pageLsnsBytes % Long.BYTES != 0) {
            throw corrupt("pageLsnsBytes", pageLsnsBytes);
        }
        long[] pageLsns = new long[pageLsnsBytes / Long.BYTES];
        buffer.slice(CheckpointLayout.pageLsnsOffset(wordCount), pageLsnsBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(pageLsns);
        long[] bitmap = new long[wordCount];
        for (int i = 0; i < wordCount; i++) {
            bitmap[i] = buffer.getLong(BITMAP_OFFSET + i * Long.BYTES);
        }
        return new Checkpoint(
                buffer.getLong(REDO_SCAN_LSN_OFFSET),
                buffer.getLong(DURABLE_LSN_OFFSET),
                buffer.getLong(NEXT_TRANSACTION_ID_OFFSET),
                buffer.getInt(NEXT_TREE_ID_OFFSET),
                buffer.getInt(CATALOG_ROOT_PAGE_ID_OFFSET),
                buffer.getInt(ALLOCATED_PAGE_COUNT_OFFSET),
                bitmap,
                pageLsns);
    }

    private static int checksum(ByteBuffer buffer, int fileBytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(buffer.duplicate()
                .clear()
                .position(FileHeaderLayout.HEADER_BYTES)
                .limit(fileBytes - CHECKSUM_BYTES));
        return (int) checksum.getValue();
    }

    private CorruptionException corrupt(String field, long value) {
        return new CorruptionException(Message.of("The checkpoint file is damaged")
                .with("file", path)
                .with(field, value)
                .remedy("Restore the database from a backup."));
    }
}
