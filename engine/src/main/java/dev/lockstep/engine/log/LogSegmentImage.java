package dev.lockstep.engine.log;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.memory.NativeMemory;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * One segment in memory, checked: which part of it is the log.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code memory} holds {@code dataBytes} of the stream from {@code startLsn} on, as they are in the file.
 *   <li>{@code [startLsn, validEndLsn)} consists of whole batches whose seals name their place and whose checksums
 *       agree. Nothing behind it is ever handed out.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class LogSegmentImage implements AutoCloseable {
    private static final long NOT_VALID = -1;

    private final CRC32C checksum = new CRC32C();
    private Arena arena = Arena.ofShared();
    private NativeMemory memory = NativeMemory.NONE;
    private ByteBuffer view = ByteBuffer.allocate(0);
    private long dataBytes;
    private long startLsn;
    private long validEndLsn;

    /** Where the segment starts. */
    long startLsn() {
        return startLsn;
    }

    /** Where the log ends in this segment. */
    long validEndLsn() {
        return validEndLsn;
    }

    /** Whether a position lies in the part that counts. */
    boolean contains(long lsn) {
        return lsn >= startLsn && lsn < validEndLsn;
    }

    /**
     * Reads and checks a segment.
     *
     * @param startLsn where it starts
     * @param limitLsn where the next segment starts, or {@link Long#MAX_VALUE}; nothing from there on counts here
     * @param readOnly whether the file must not be touched; otherwise it is forced before this returns, so that what
     *     was read cannot get lost later
     */
    void load(Storage storage, Path directory, DatabaseId databaseId, long startLsn, long limitLsn, boolean readOnly) {
        Path path = LogSegmentLayout.path(directory, startLsn);
        Storage.OpenMode mode = readOnly ? Storage.OpenMode.READ_ONLY : Storage.OpenMode.READ_WRITE;
        try (BlockFile file = storage.open(path, mode)) {
            FileHeader header = FileHeader.read(file, FileFormat.LOG, databaseId);
            if (header.parameter() != startLsn) {
                throw new CorruptionException(Message.of("The name of a log segment contradicts its header")
                        .with("file", path)
                        .with("startLsn", header.parameter())
                        .remedy("Restore the database from a backup."));
            }
            long fileBytes = Math.max(0, file.size() - LogSegmentLayout.HEADER_BYTES);
            // Options may have changed since the file was made, but never allowed a larger one.
            long bytes = Math.min(fileBytes, Math.min(LogOptions.SEGMENT_BYTES_MAX, limitLsn - startLsn));
            reserve(bytes);
            view.clear().limit((int) bytes);
            dataBytes = file.read(view, LogSegmentLayout.HEADER_BYTES);
            this.startLsn = startLsn;
            validEndLsn = startLsn;
            // Ends because every batch is longer than nothing.
            for (long end = batchEnd(0); end != NOT_VALID; end = batchEnd(end)) {
                validEndLsn = startLsn + end;
            }
            if (!readOnly) {
                keep(file, limitLsn == Long.MAX_VALUE);
            }
        }
    }

    /**
     * Has what was read on the medium for good. The last segment is written once more before it is forced: if the force
     * of a former process failed, the system may show what it will never write by itself.
     */
    private void keep(BlockFile file, boolean isLast) {
        if (isLast && validEndLsn > startLsn) {
            view.clear().limit((int) (validEndLsn - startLsn));
            file.write(view, LogSegmentLayout.HEADER_BYTES);
        }
        file.force(true);
    }

    /** Moves {@code target} to the record at {@code lsn}, which {@link #contains} holds for. */
    void view(long lsn, LogRecordView target) {
        target.moveTo(memory, lsn - startLsn, lsn);
    }

    /** Type of the record at {@code lsn}. */
    byte type(long lsn) {
        return memory.getByte(lsn - startLsn + LogRecordLayout.TYPE_OFFSET);
    }

    /** Where the record behind the one at {@code lsn} begins. */
    long nextLsn(long lsn) {
        return lsn + LogRecordLayout.alignedBytes(length(lsn - startLsn));
    }

    /**
     * Looks behind the end of the log for a seal that says that the log was durable beyond it. There is one only if
     * the medium lost or damaged what had been forced; batches that were merely on their way when the machine stopped
     * name no such position.
     *
     * @return the durable position that is contradicted, or 0
     */
    long contradictedDurableLsn() {
        long end = validEndLsn - startLsn;
        for (long at = end; at <= dataBytes - LogRecordLayout.SEAL_BYTES; at += LogRecordLayout.ALIGNMENT_BYTES) {
            if (typeAt(at) != LogRecordType.SEAL || length(at) != LogRecordLayout.SEAL_BYTES) {
                continue;
            }
            long fromLsn = sealFromLsn(at);
            long durableLsn = sealDurableLsn(at);
            if (fromLsn >= startLsn + end
                    && fromLsn <= startLsn + at
                    && durableLsn > validEndLsn
                    && durableLsn <= fromLsn
                    && isChecksumValid(fromLsn - startLsn, at)) {
                return durableLsn;
            }
        }
        return 0;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
        validEndLsn = startLsn;
    }

    /** The end of the batch that begins at offset {@code from}, or {@link #NOT_VALID} if there is none. */
    private long batchEnd(long from) {
        long at = from;
        // Ends because every record is longer than nothing.
        while (at <= dataBytes - LogRecordLayout.PAD_BYTES_MIN) {
            int length = length(at);
            byte type = typeAt(at);
            if (type == LogRecordType.SEAL) {
                boolean valid = length == LogRecordLayout.SEAL_BYTES
                        && at <= dataBytes - LogRecordLayout.SEAL_BYTES
                        && sealFromLsn(at) == startLsn + from
                        && isChecksumValid(from, at);
                return valid ? at + LogRecordLayout.SEAL_BYTES : NOT_VALID;
            }
            boolean isPad = type == LogRecordType.PAD;
            int lengthMin = isPad ? LogRecordLayout.PAD_BYTES_MIN : LogRecordLayout.HEADER_BYTES;
            boolean plausible = length >= lengthMin
                    && length <= LogRecordLayout.RECORD_BYTES_MAX
                    && (isPad || (type > 0 && type <= LogRecordType.APPLICATION_MAX));
            if (!plausible) {
                return NOT_VALID;
            }
            at += LogRecordLayout.alignedBytes(length);
        }
        return NOT_VALID;
    }

    private boolean isChecksumValid(long from, long sealAt) {
        checksum.reset();
        view.clear().position((int) from).limit((int) sealAt + LogRecordLayout.SEAL_CHECKSUM_OFFSET);
        checksum.update(view);
        int stored = memory.getInt(sealAt + LogRecordLayout.SEAL_CHECKSUM_OFFSET);
        return stored == (int) checksum.getValue();
    }

    private int length(long at) {
        return memory.getInt(at + LogRecordLayout.LENGTH_OFFSET);
    }

    private byte typeAt(long at) {
        return memory.getByte(at + LogRecordLayout.TYPE_OFFSET);
    }

    private long sealFromLsn(long at) {
        return memory.getLong(at + LogRecordLayout.SEAL_FROM_LSN_OFFSET);
    }

    private long sealDurableLsn(long at) {
        return memory.getLong(at + LogRecordLayout.SEAL_DURABLE_LSN_OFFSET);
    }

    private void reserve(long bytes) {
        if (memory.byteSize() >= bytes && bytes > 0) {
            return;
        }
        arena.close();
        arena = Arena.ofShared();
        memory = NativeMemory.allocate(
                arena, Math.max(bytes, LogRecordLayout.SEAL_BYTES), LogRecordLayout.ALIGNMENT_BYTES);
        view = memory.asByteBuffer();
    }
}
