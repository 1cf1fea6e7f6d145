package dev.lockstep.engine.file;

import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Protects pages against being written halfway. A power failure in the middle of a page's write leaves a part of the
 * old page and a part of the new; the log holds changes and not pages, so it could not mend that. Therefore a copy of
 * each page is on the medium before the page itself is touched (the doublewrite buffer of InnoDB; Gray and Reuter,
 * Transaction Processing, 1993, section 11.4.4, on duplexed writes).
 *
 * <p>Invariants:
 * <ul>
 *   <li>While pages of a batch are written in place, the file holds the whole batch, forced.
 *   <li>A batch is overwritten only after its pages were written and forced in place, so at most one batch can have
 *       damaged pages, and it is the one in the file.
 *   <li>A batch that is not whole in the file was not begun in place.
 * </ul>
 *
 * <p>Thread-safety: guarded by the lock of {@link PageFile}.
 */
final class DoubleWrite implements AutoCloseable {
    private final BlockFile file;
    private long batchNumber;

    private DoubleWrite(BlockFile file) {
        this.file = file;
    }

    /** Makes the file in its full length, so that writing a batch needs no room later. */
    static DoubleWrite create(Storage storage, Path path, DatabaseId databaseId) {
        BlockFile file = storage.open(path, Storage.OpenMode.CREATE);
        try {
            file.write(FileHeader.of(FileFormat.DOUBLE_WRITE, databaseId, 0).encode(DoubleWriteLayout.FILE_BYTES), 0);
            file.force(true);
        } catch (RuntimeException | Error e) {
            Closing.quietly(file, e);
            throw e;
        }
        return new DoubleWrite(file);
    }

    static DoubleWrite open(Storage storage, Path path, DatabaseId databaseId) {
        BlockFile file = storage.open(path, Storage.OpenMode.READ_WRITE);
        try {
            FileHeader.read(file, FileFormat.DOUBLE_WRITE, databaseId);
        } catch (RuntimeException | Error e) {
            Closing.quietly(file, e);
            throw e;
        }
        return new DoubleWrite(file);
    }

    /** Returns when the batch is on the medium. The pages of the batch carry their checksums afterwards. */
    void write(PageBatch batch) {
        batch.sealPages();
        batchNumber++;
        fillDirectory(batch);
        file.write(batch.directoryAndPages(), DoubleWriteLayout.DIRECTORY_POSITION);
        file.force(false);
    }

    private void fillDirectory(PageBatch batch) {
        MemorySegment directory = batch.staging();
        directory.asSlice(0, PageLayout.PAGE_BYTES).fill((byte) 0);
        directory.set(PageLayout.LONG, DoubleWriteLayout.MAGIC_OFFSET, DoubleWriteLayout.MAGIC);
        directory.set(PageLayout.LONG, DoubleWriteLayout.BATCH_NUMBER_OFFSET, batchNumber);
        directory.set(PageLayout.INT, DoubleWriteLayout.PAGE_COUNT_OFFSET, batch.pageCount());
        for (int i = 0; i < batch.pageCount(); i++) {
            long entry = DoubleWriteLayout.entryOffset(i);
            directory.set(PageLayout.INT, entry + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET, batch.pageId(i));
            directory.set(PageLayout.INT, entry + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET, batch.pageChecksum(i));
        }
        directory.set(
                PageLayout.INT,
                DoubleWriteLayout.CHECKSUM_OFFSET,
                directoryChecksum(batch.directoryAndPages().slice(), batch.pageCount()));
    }

    /**
     * Puts back what a crash left half written: every damaged page that has a copy in the last batch. Pages that are
     * whole stay as they are, old or new, since the log knows what they lack. May be run any number of times.
     *
     * @param pages the file of the pages, not forced by this method
     * @return number of pages put back
     */
    int restore(BlockFile pages) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(
                    DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION + PageLayout.PAGE_BYTES,
                    PageLayout.PAGE_BYTES);
            PageWindows windows = new PageWindows(memory);
            int lengthBytes = DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION;
            int count = file.read(windows.at(0, lengthBytes), DoubleWriteLayout.DIRECTORY_POSITION);
            if (count < PageLayout.PAGE_BYTES || !isWhole(memory, windows)) {
                return 0;
            }
            batchNumber = memory.get(PageLayout.LONG, DoubleWriteLayout.BATCH_NUMBER_OFFSET);
            return restoreDamaged(pages, memory, windows, lengthBytes);
        }
    }

    private static boolean isWhole(MemorySegment memory, PageWindows windows) {
        int pageCount = memory.get(PageLayout.INT, DoubleWriteLayout.PAGE_COUNT_OFFSET);
        if (memory.get(PageLayout.LONG, DoubleWriteLayout.MAGIC_OFFSET) != DoubleWriteLayout.MAGIC
                || pageCount < 1
                || pageCount > DoubleWriteLayout.PAGES_MAX
                || memory.get(PageLayout.INT, DoubleWriteLayout.CHECKSUM_OFFSET)
                        != directoryChecksum(
                                windows.at(0, PageLayout.PAGE_BYTES).slice(), pageCount)) {
            return false;
        }
        PageChecksum checksum = new PageChecksum(windows);
        for (int i = 0; i < pageCount; i++) {
            int stored = memory.get(
                    PageLayout.INT, DoubleWriteLayout.entryOffset(i) + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET);
            if (PageLayout.checksum(memory, copyAddress(i)) != stored
                    || !checksum.matches(copyAddress(i), entryPageId(memory, i))) {
                return false;
            }
        }
        return true;
    }

    private static int restoreDamaged(BlockFile pages, MemorySegment memory, PageWindows windows, int scratch) {
        PageChecksum checksum = new PageChecksum(windows);
        int pageCount = memory.get(PageLayout.INT, DoubleWriteLayout.PAGE_COUNT_OFFSET);
        int restoredCount = 0;
        for (int i = 0; i < pageCount; i++) {
            int pageId = entryPageId(memory, i);
            memory.asSlice(scratch, PageLayout.PAGE_BYTES).fill((byte) 0);
            pages.read(windows.at(scratch, PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
            if (!checksum.matches(scratch, pageId)) {
                pages.write(windows.at(copyAddress(i), PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
                restoredCount++;
            }
        }
        return restoredCount;
    }

    private static int entryPageId(MemorySegment memory, int index) {
        return memory.get(
                PageLayout.INT, DoubleWriteLayout.entryOffset(index) + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET);
    }

    private static long copyAddress(int index) {
        return DoubleWriteLayout.PAGES_POSITION
                - DoubleWriteLayout.DIRECTORY_POSITION
                + (long) index * PageLayout.PAGE_BYTES;
    }

    private static int directoryChecksum(ByteBuffer directory, int pageCount) {
        CRC32C crc = new CRC32C();
        crc.update(directory.slice(0, DoubleWriteLayout.CHECKSUM_OFFSET));
        crc.update(directory.slice(DoubleWriteLayout.ENTRIES_OFFSET, pageCount * DoubleWriteLayout.ENTRY_BYTES));
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        file.close();
    }
}
