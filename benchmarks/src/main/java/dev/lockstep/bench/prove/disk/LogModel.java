package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The batches of a database's log by the writes that made them, and where the log ends of which a disk still has some.
 * It knows a batch by its bytes and not by its checksum, and where it lies by the operations and not by what is on the
 * disk. Not thread-safe.
 */
final class LogModel {
    private static final Path CHECKPOINT = Host.HOME.resolve(CheckpointLayout.FILE_NAME);

    private static final int NO_SEAL = -1;

    /** By where they begin: several where a recovery was cut short and another one went on at the same place. */
    private final Map<Long, List<byte[]>> batches = new HashMap<>();

    /** What was written to each segment, by where it starts. */
    private final Map<Long, FileImage> written = new HashMap<>();

    private long endLsn;

    /** A copy to which more can be added apart from this. */
    LogModel with(List<DiskOperation> operations) {
        LogModel copy = new LogModel();
        batches.forEach((lsn, its) -> copy.batches.put(lsn, new ArrayList<>(its)));
        written.forEach((lsn, image) -> copy.written.put(lsn, image.copy()));
        copy.endLsn = endLsn;
        operations.forEach(copy::add);
        return copy;
    }

    /** Adds what an operation has written, if it was to the log. */
    void add(DiskOperation operation) {
        OptionalLong startLsn = LogSegmentLayout.startLsn(operation.path());
        byte[] data = operation.data();
        if (operation.kind() != DiskOperation.Kind.WRITE
                || startLsn.isEmpty()
                || !operation.path().startsWith(Host.HOME)) {
            return;
        }
        FileImage image = written.computeIfAbsent(startLsn.getAsLong(), lsn -> new FileImage());
        image.write(operation.position(), data, 0, data.length);
        ByteBuffer bytes = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        int sealAt = lastSeal(bytes);
        if (sealAt == NO_SEAL) {
            return;
        }
        long fromLsn = bytes.getLong(sealAt + LogRecordLayout.SEAL_FROM_LSN_OFFSET);
        long from = LogSegmentLayout.HEADER_BYTES + fromLsn - startLsn.getAsLong();
        byte[] batch = new byte[(int) (operation.position() + sealAt + LogRecordLayout.SEAL_BYTES - from)];
        image.read(ByteBuffer.wrap(batch), from);
        batches.computeIfAbsent(fromLsn, lsn -> new ArrayList<>()).add(batch);
        endLsn = Math.max(endLsn, fromLsn + batch.length);
    }

    /** Where the seal begins with which a write ends, but for zeros that fill up its last block. */
    private static int lastSeal(ByteBuffer bytes) {
        int lastWord = (bytes.limit() - Long.BYTES) & -Long.BYTES;
        while (lastWord >= 0 && bytes.getLong(lastWord) == 0) {
            lastWord -= Long.BYTES;
        }
        // A seal begins with its length, which is not zero, and may end with zeros.
        int last = Math.min(lastWord, bytes.limit() - LogRecordLayout.SEAL_BYTES);
        for (int at = Math.max(0, lastWord + Long.BYTES - LogRecordLayout.SEAL_BYTES); at <= last; at += Long.BYTES) {
            if (bytes.get(at + LogRecordLayout.TYPE_OFFSET) == LogRecordType.SEAL
                    && bytes.getInt(at + LogRecordLayout.LENGTH_OFFSET) == LogRecordLayout.SEAL_BYTES) {
                return at;
            }
        }
        return NO_SEAL;
    }

    /** Where the last batch ends that was written. */
    long endLsn() {
        return endLsn;
    }

    /**
     * Where a recovery has to find the end of the log.
     *
     * @param image what is on the disk before it
     * @return empty if there is no checkpoint to begin with, or something is missing before the last segment, which has
     *     to be noticed
     */
    OptionalLong endLsn(DiskImage image) {
        NavigableMap<Long, Path> segments = segments(image);
        if (image.file(CHECKPOINT) == 0) {
            return OptionalLong.empty();
        }
        Long startLsn = segments.floorKey(inCheckpoint(image, CheckpointLayout.REDO_SCAN_LSN_OFFSET));
        long lsn = -1;
        while (startLsn != null && (lsn < 0 || lsn == startLsn)) {
            Long nextLsn = segments.higherKey(startLsn);
            long limitLsn = nextLsn == null ? Long.MAX_VALUE : nextLsn;
            lsn = endInSegment(image.bytes(image.file(segments.get(startLsn))), startLsn, limitLsn);
            if (nextLsn == null) {
                return OptionalLong.of(lsn);
            }
            startLsn = nextLsn;
        }
        return OptionalLong.empty();
    }

    /**
     * Up to where something on the disk says that the log was on the medium: the checkpoint, or a batch in its place in
     * the last segment, behind a gap or not. A log that ends before has to be noticed.
     */
    long provenLsn(DiskImage image) {
        long provenLsn = inCheckpoint(image, CheckpointLayout.DURABLE_LSN_OFFSET);
        Map.Entry<Long, Path> last = segments(image).lastEntry();
        if (last == null) {
            return provenLsn;
        }
        FileImage file = image.bytes(image.file(last.getValue()));
        for (long lsn : batches.keySet()) {
            int bytes = lsn < last.getKey() ? 0 : bytesOfBatch(file, last.getKey(), lsn, Long.MAX_VALUE);
            if (bytes > 0) {
                ByteBuffer durableLsn = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                long sealLsn = lsn + bytes - LogRecordLayout.SEAL_BYTES;
                file.read(
                        durableLsn,
                        LogSegmentLayout.HEADER_BYTES
                                + sealLsn
                                - last.getKey()
                                + LogRecordLayout.SEAL_DURABLE_LSN_OFFSET);
                provenLsn = Math.max(provenLsn, durableLsn.getLong(0));
            }
        }
        return provenLsn;
    }

    private static NavigableMap<Long, Path> segments(DiskImage image) {
        NavigableMap<Long, Path> segments = new TreeMap<>();
        for (Path path : image.list(Host.HOME)) {
            LogSegmentLayout.startLsn(path).ifPresent(lsn -> segments.put(lsn, path));
        }
        return segments;
    }

    private static long inCheckpoint(DiskImage image, int offset) {
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (image.file(CHECKPOINT) != 0) {
            image.bytes(image.file(CHECKPOINT)).read(value, offset);
        }
        return value.getLong(0);
    }

    private long endInSegment(FileImage file, long startLsn, long limitLsn) {
        long lsn = startLsn;
        // Ends because batches are longer than nothing, and there are so many.
        for (int bytes = 1; bytes > 0; lsn += bytes) {
            bytes = bytesOfBatch(file, startLsn, lsn, limitLsn);
        }
        return lsn;
    }

    /** Length of the batch that is there, as it was written; 0 if there is none. */
    private int bytesOfBatch(FileImage file, long startLsn, long lsn, long limitLsn) {
        for (byte[] batch : batches.getOrDefault(lsn, List.of())) {
            byte[] found = new byte[batch.length];
            file.read(ByteBuffer.wrap(found), LogSegmentLayout.HEADER_BYTES + lsn - startLsn);
            if (lsn + batch.length <= limitLsn && Arrays.equals(batch, found)) {
                return batch.length;
            }
        }
        return 0;
    }
}
