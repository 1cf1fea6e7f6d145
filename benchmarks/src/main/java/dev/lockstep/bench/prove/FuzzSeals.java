package dev.lockstep.bench.prove;

import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Makes the checksums of damaged files right again, so that the damage gets past them. */
final class FuzzSeals {
    private FuzzSeals() {}

    static boolean isLog(String name) {
        return LogSegmentLayout.startLsn(Path.of(name)).isPresent();
    }

    static boolean isPages(String name) {
        return name.equals(PageFile.PAGES_FILE);
    }

    /** Where records begin, as their lengths say. */
    static List<Integer> records(byte[] bytes) {
        List<Integer> records = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = LogSegmentLayout.HEADER_BYTES;
        while (at + LogRecordLayout.HEADER_BYTES <= bytes.length) {
            int length = buffer.getInt(at + LogRecordLayout.LENGTH_OFFSET);
            if (length < LogRecordLayout.PAD_BYTES_MIN || length > bytes.length - at) {
                break;
            }
            records.add(at);
            at += LogRecordLayout.alignedBytes(length);
        }
        return records;
    }

    /**
     * Makes the checksums of a file right where it is as it was but for damage in place.
     *
     * @param before what it was
     * @return {@code bytes}, changed
     */
    static byte[] seal(String name, byte[] bytes, byte[] before) {
        if (isPages(name)) {
            for (int page = 1; page < bytes.length / PageLayout.PAGE_BYTES; page++) {
                sealPage(bytes, page * PageLayout.PAGE_BYTES);
            }
        } else if (isLog(name)) {
            sealBatches(bytes, before);
        } else if (name.equals(CheckpointLayout.FILE_NAME) && bytes.length > CheckpointLayout.BITMAP_OFFSET) {
            checksum(bytes, FileHeaderLayout.HEADER_BYTES, bytes.length - CheckpointLayout.CHECKSUM_BYTES);
        } else if (name.equals(PageFile.DOUBLE_WRITE_FILE) && bytes.length >= DoubleWriteLayout.PAGES_POSITION) {
            sealDoubleWrite(bytes);
        }
        if (bytes.length >= FileHeaderLayout.HEADER_BYTES) {
            checksum(bytes, 0, FileHeaderLayout.CHECKSUM_OFFSET);
        }
        return bytes;
    }

    /** Puts zeros in the place of the id in the header, if there is one. Returns {@code bytes}, changed. */
    static byte[] withoutId(byte[] bytes) {
        if (bytes.length >= FileHeaderLayout.HEADER_BYTES
                && buffer(bytes).getLong(FileHeaderLayout.MAGIC_OFFSET) == FileHeaderLayout.MAGIC) {
            Arrays.fill(bytes, FileHeaderLayout.DATABASE_ID_HIGH_OFFSET, FileHeaderLayout.PARAMETER_OFFSET, (byte) 0);
            checksum(bytes, 0, FileHeaderLayout.CHECKSUM_OFFSET);
        }
        return bytes;
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void checksum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        buffer(bytes).putInt(to, (int) crc.getValue());
    }

    /** Makes the checksum of a page right unless the page was never written. */
    static void sealPage(byte[] bytes, int at) {
        boolean isEmpty = true;
        for (int i = 0; i < PageLayout.PAGE_BYTES && isEmpty; i++) {
            isEmpty = bytes[at + i] == 0;
        }
        if (isEmpty) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES);
            memory.copyFrom(bytes, at, 0, PageLayout.PAGE_BYTES);
            new PageChecksum(new PageWindows(memory)).seal(0);
            memory.copyTo(0, bytes, at, PageLayout.PAGE_BYTES);
        }
    }

    /** Where the seals were before the damage, and say so still. */
    private static void sealBatches(byte[] bytes, byte[] before) {
        ByteBuffer buffer = buffer(bytes);
        int from = LogSegmentLayout.HEADER_BYTES;
        for (int at : records(before)) {
            boolean isSeal = before[at + LogRecordLayout.TYPE_OFFSET] == LogRecordType.SEAL;
            if (isSeal && at + LogRecordLayout.SEAL_BYTES <= bytes.length) {
                CRC32C crc = new CRC32C();
                crc.update(bytes, from, at + LogRecordLayout.SEAL_CHECKSUM_OFFSET - from);
                buffer.putInt(at + LogRecordLayout.SEAL_CHECKSUM_OFFSET, (int) crc.getValue());
                from = at + LogRecordLayout.SEAL_BYTES;
            }
        }
    }

    /** Copies, the entries that repeat their checksums, and the directory, as far as it names pages of the file. */
    private static void sealDoubleWrite(byte[] bytes) {
        ByteBuffer buffer = buffer(bytes);
        int directory = DoubleWriteLayout.DIRECTORY_POSITION;
        int room = (bytes.length - DoubleWriteLayout.PAGES_POSITION) / PageLayout.PAGE_BYTES;
        int count = buffer.getInt(directory + DoubleWriteLayout.PAGE_COUNT_OFFSET);
        if (count < 0 || count > Math.min(room, DoubleWriteLayout.PAGES_MAX)) {
            return;
        }
        for (int i = 0; i < count; i++) {
            int at = DoubleWriteLayout.PAGES_POSITION + i * PageLayout.PAGE_BYTES;
            sealPage(bytes, at);
            buffer.putInt(
                    directory + DoubleWriteLayout.entryOffset(i) + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET,
                    buffer.getInt(at + PageLayout.CHECKSUM_OFFSET));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, directory, DoubleWriteLayout.CHECKSUM_OFFSET);
        crc.update(bytes, directory + DoubleWriteLayout.ENTRIES_OFFSET, count * DoubleWriteLayout.ENTRY_BYTES);
        buffer.putInt(directory + DoubleWriteLayout.CHECKSUM_OFFSET, (int) crc.getValue());
        crc.reset();
        crc.update(bytes, directory + DoubleWriteLayout.BATCH_NUMBER_OFFSET, Long.BYTES);
        crc.update(bytes, directory + DoubleWriteLayout.LSN_MAX_OFFSET, Long.BYTES);
        int lsnMaxChecksum = (int) crc.getValue();
        int lsnMaxAt = directory + DoubleWriteLayout.LSN_MAX_OFFSET;
        buffer.putInt(lsnMaxAt + DoubleWriteLayout.LSN_MAX_CHECKSUM_BEHIND, lsnMaxChecksum);
    }
}
