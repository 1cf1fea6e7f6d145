package dev.lockstep.engine.log;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.Storage;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Copies a part of the log into the directory of another database, beside the writer, which no longer touches what is
 * durable. Without state.
 */
public final class LogCopy {
    /** Bytes copied at a time: 1 MiB, beyond which larger writes are no faster. */
    private static final int COPY_BYTES = 1 << 20;

    private LogCopy() {}

    /**
     * Copies the segments that hold a part of the log, the first one from its beginning. The copy is on the medium when
     * this returns.
     *
     * @param storage the file system
     * @param from the directory of the database
     * @param to the directory of the copy
     * @param databaseId what the copy is marked with
     * @param fromLsn where recovery of the copy is to begin; the log must be kept from there on
     * @param endLsn where the copy ends: a position up to which the log is durable, behind a seal
     * @param progress hears how far it is
     * @return bytes of the log copied
     * @throws CorruptionException if the segment that contains {@code fromLsn} is missing
     */
    public static long copy(
            Storage storage,
            Path from,
            Path to,
            DatabaseId databaseId,
            long fromLsn,
            long endLsn,
            ProgressListener progress) {
        long[] startLsns = storage.list(from).stream()
                .map(LogSegmentLayout::startLsn)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .filter(startLsn -> startLsn <= endLsn)
                .sorted()
                .toArray();
        // One that begins at the end has nothing of the log, but an opening of the copy wants a segment to begin at.
        boolean isLastNeedless = startLsns.length > 1 && startLsns[startLsns.length - 1] == endLsn;
        int count = isLastNeedless ? startLsns.length - 1 : startLsns.length;
        int first = count - 1;
        while (first > 0 && startLsns[first] > fromLsn) {
            first--;
        }
        if (fromLsn < endLsn && (first < 0 || startLsns[first] > fromLsn)) {
            throw new CorruptionException(Message.of("The log segment where a backup begins is missing")
                    .with("directory", from)
                    .with("lsn", fromLsn)
                    .remedy("Close the database and check it with verify."));
        }
        long copiedBytes = 0;
        try (Arena arena = Arena.ofShared()) {
            ByteBuffer buffer = arena.allocate(COPY_BYTES).asByteBuffer();
            for (int i = Math.max(first, 0); i < count; i++) {
                long segmentEndLsn = i + 1 < count ? startLsns[i + 1] : endLsn;
                copySegment(storage, from, to, databaseId, startLsns[i], segmentEndLsn, buffer);
                copiedBytes += segmentEndLsn - startLsns[i];
                if (copiedBytes > 0) {
                    progress.progressed(Stage.COPY_LOG, copiedBytes, endLsn - startLsns[Math.max(first, 0)]);
                }
            }
        }
        return copiedBytes;
    }

    private static void copySegment(
            Storage storage, Path from, Path to, DatabaseId databaseId, long startLsn, long endLsn, ByteBuffer buffer) {
        try (BlockFile source = storage.open(LogSegmentLayout.path(from, startLsn), Storage.OpenMode.READ_ONLY);
                BlockFile target = storage.open(LogSegmentLayout.path(to, startLsn), Storage.OpenMode.CREATE)) {
            FileHeader header = FileHeader.of(FileFormat.LOG, databaseId, startLsn);
            target.write(header.encode(LogSegmentLayout.HEADER_BYTES), 0);
            long end = LogSegmentLayout.filePosition(startLsn, endLsn);
            long position = LogSegmentLayout.HEADER_BYTES;
            // Ends because every turn copies at least one byte or leaves: a segment may be shorter than it was at most.
            while (position < end) {
                buffer.clear().limit((int) Math.min(COPY_BYTES, end - position));
                int count = source.read(buffer, position);
                if (count == 0) {
                    break;
                }
                target.write(buffer.flip(), position);
                position += count;
            }
            target.force(true);
        }
    }
}
