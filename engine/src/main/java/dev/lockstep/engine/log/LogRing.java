package dev.lockstep.engine.log;

import dev.lockstep.engine.file.BlockAppender;
import dev.lockstep.engine.memory.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The log's memory: the latest part of the stream, the byte of position {@code lsn} at {@code lsn} modulo the size.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The size is a power of two and records begin at multiples of 8, so no 8-byte field crosses the end.
 *   <li>{@code copyIn}, {@code pad} and {@code seal} are told positions that nobody reads meanwhile; who may write
 *       where is decided by {@link LogTail}.
 *   <li>{@code view} and {@code checksum} belong to the writer thread.
 * </ul>
 */
final class LogRing implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /** The same, for records: they end within it by the computation of where they begin. */
    private final NativeMemory records;

    private final ByteBuffer view;
    private final CRC32C checksum = new CRC32C();
    private final long mask;

    LogRing(int ringBytes) {
        if (Integer.bitCount(ringBytes) != 1) {
            throw new IllegalArgumentException("the size of the log's ring is not a power of two: bytes=" + ringBytes);
        }
        // Aligned to a cache line, which spares the copies of small records a second line.
        memory = arena.allocate(ringBytes, 64);
        records = NativeMemory.trusted(memory);
        view = memory.asByteBuffer();
        mask = ringBytes - 1L;
    }

    int ringBytes() {
        return (int) (mask + 1);
    }

    /** Copies a finished record, padding included, to {@code lsn}. */
    void copyIn(long lsn, byte[] record, int alignedBytes) {
        long at = lsn & mask;
        long untilEnd = mask + 1 - at;
        if (alignedBytes <= untilEnd) {
            records.copyFrom(record, 0, at, alignedBytes);
        } else {
            int first = (int) untilEnd;
            records.copyFrom(record, 0, at, first);
            records.copyFrom(record, first, 0, alignedBytes - first);
        }
    }

    /** Stores a PAD record at {@code lsn}, or nothing when there is nothing to fill. */
    void pad(long lsn, int padBytes) {
        if (padBytes == 0) {
            return;
        }
        fillZero(lsn, padBytes);
        memory.set(LogRecordLayout.INT, (lsn & mask) + LogRecordLayout.LENGTH_OFFSET, padBytes);
        memory.set(LogRecordLayout.BYTE, (lsn & mask) + LogRecordLayout.TYPE_OFFSET, LogRecordType.PAD);
    }

    /** Stores the seal of the batch {@code [fromLsn, sealLsn)} behind it. */
    void seal(long fromLsn, long sealLsn, long durableLsn) {
        fillZero(sealLsn, LogRecordLayout.SEAL_BYTES);
        putInt(sealLsn, LogRecordLayout.LENGTH_OFFSET, LogRecordLayout.SEAL_BYTES);
        memory.set(LogRecordLayout.BYTE, (sealLsn & mask) + LogRecordLayout.TYPE_OFFSET, LogRecordType.SEAL);
        putLong(sealLsn, LogRecordLayout.SEAL_FROM_LSN_OFFSET, fromLsn);
        putLong(sealLsn, LogRecordLayout.SEAL_DURABLE_LSN_OFFSET, durableLsn);
        int value = checksum(fromLsn, sealLsn + LogRecordLayout.SEAL_CHECKSUM_OFFSET);
        putInt(sealLsn, LogRecordLayout.SEAL_CHECKSUM_OFFSET, value);
    }

    /** Hands {@code [fromLsn, endLsn)} over to be written. */
    void write(BlockAppender appender, long fromLsn, long endLsn) {
        long lsn = fromLsn;
        // Two rounds at most: a batch is no longer than the ring.
        while (lsn < endLsn) {
            int bytes = select(lsn, endLsn);
            appender.append(view);
            lsn += bytes;
        }
    }

    /** Frees the memory; a second call does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private int checksum(long fromLsn, long endLsn) {
        checksum.reset();
        long lsn = fromLsn;
        while (lsn < endLsn) {
            int bytes = select(lsn, endLsn);
            checksum.update(view);
            lsn += bytes;
        }
        return (int) checksum.getValue();
    }

    /** Sets {@code view} to the bytes from {@code lsn} on that lie in one piece; returns how many they are. */
    private int select(long lsn, long endLsn) {
        int at = (int) (lsn & mask);
        int bytes = (int) Math.min(endLsn - lsn, mask + 1 - at);
        view.clear().position(at).limit(at + bytes);
        return bytes;
    }

    private void fillZero(long lsn, int bytes) {
        long at = lsn & mask;
        long first = Math.min(bytes, mask + 1 - at);
        memory.asSlice(at, first).fill((byte) 0);
        memory.asSlice(0, bytes - first).fill((byte) 0);
    }

    private void putInt(long lsn, int offset, int value) {
        memory.set(LogRecordLayout.INT, (lsn + offset) & mask, value);
    }

    private void putLong(long lsn, int offset, long value) {
        memory.set(LogRecordLayout.LONG, (lsn + offset) & mask, value);
    }
}
