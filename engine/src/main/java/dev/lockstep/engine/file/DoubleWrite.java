package dev.lockstep.engine.file;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
 *   <li>Batches are written to a file of the current version only, and of its full length, so that writing one needs no
 *       room later: see {@link #upgrade}.
 *   <li>A file of the current version has {@code lsnMax} where this version has it.
 * </ul>
 *
 * <p>Thread-safety: guarded by the lock of {@link PageFile}.
 */
final class DoubleWrite implements AutoCloseable {
    private final BlockFile file;
    private FileHeader header;
    private long batchNumber;
    private long lsnMax;

    private DoubleWrite(BlockFile file, FileHeader header) {
        this.file = file;
        this.header = header;
    }

    /** Makes the file in its full length. */
    static DoubleWrite create(Storage storage, Path path, DatabaseId databaseId) {
        BlockFile file = storage.open(path, Storage.OpenMode.CREATE);
        FileHeader header = FileHeader.of(FileFormat.DOUBLE_WRITE, databaseId, 0);
        try {
            header.write(file);
            fillUp(file, FileHeaderLayout.HEADER_BYTES);
            file.force(true);
        } catch (RuntimeException | Error e) {
            Closing.quietly(file, e);
            throw e;
        }
        return new DoubleWrite(file, header);
    }

    /** Writes zeros from there to the full length, out of memory that is free on return, not when it is collected. */
    private static void fillUp(BlockFile file, long fromBytes) {
        try (Arena arena = Arena.ofShared()) {
            file.write(arena.allocate(DoubleWriteLayout.FILE_BYTES - fromBytes).asByteBuffer(), fromBytes);
        }
    }

    static DoubleWrite open(Storage storage, Path path, DatabaseId databaseId) {
        BlockFile file = storage.open(path, Storage.OpenMode.READ_WRITE);
        try {
            return new DoubleWrite(file, FileHeader.read(file, FileFormat.DOUBLE_WRITE, databaseId));
        } catch (RuntimeException | Error e) {
            Closing.quietly(file, e);
            throw e;
        }
    }

    /**
     * Gives a file that is too short its length, and one of an earlier version the layout of this one, once what it
     * holds is in place and forced. Each step is forced before the next: the room, {@code lsnMax} in the place of this
     * version beside that of the earlier one, the header. So a crash or a full disk in between leaves a file that says
     * all that it said, and the next open goes on. Nothing can be torn: the last two steps change one sector each. The
     * batch stays, since its directory is the same in all versions but for {@code lsnMax}; with it stays the batch
     * number, which both places of {@code lsnMax} are checked with, and the next batch counts on from there.
     *
     * @throws dev.lockstep.engine.DiskFullException if there is no room for the length
     */
    void upgrade() {
        long sizeBytes = file.size();
        if (sizeBytes < DoubleWriteLayout.FILE_BYTES) {
            fillUp(file, sizeBytes);
            file.force(true);
        }
        if (header.version() == FileFormat.DOUBLE_WRITE.version()) {
            return;
        }
        ByteBuffer field = ByteBuffer.allocateDirect(DoubleWriteLayout.LSN_MAX_CHECKSUM_BEHIND + Integer.BYTES);
        setLsnMax(NativeMemory.checked(MemorySegment.ofBuffer(field)), 0);
        file.write(field, DoubleWriteLayout.DIRECTORY_POSITION + DoubleWriteLayout.LSN_MAX_OFFSET);
        file.force(false);
        FileHeader current = FileHeader.of(FileFormat.DOUBLE_WRITE, header.databaseId(), 0);
        current.write(file);
        file.force(false);
        header = current;
    }

    /** Returns when the batch, whose pages are sealed, is on the medium. */
    void write(PageBatch batch) {
        fillDirectory(batch, batch.pageCount());
        file.writeUncached(batch.directoryAndPages(), DoubleWriteLayout.DIRECTORY_POSITION);
        file.force(false);
    }

    /**
     * Notes how far the log must reach for a batch of which no copy is made. Not forced: the note says less than it
     * could after a power failure, but nothing wrong.
     */
    void note(PageBatch batch) {
        fillDirectory(batch, 0);
        file.writeUncached(batch.directory(), DoubleWriteLayout.DIRECTORY_POSITION);
    }

    /**
     * Forgets the copies: pages are written in place without any from now on, and an open that put these back would
     * bring old pages back.
     */
    void forget() {
        try (PageBatch empty = new PageBatch()) {
            fillDirectory(empty, 0);
            file.writeUncached(empty.directory(), DoubleWriteLayout.DIRECTORY_POSITION);
        }
        file.force(false);
    }

    private void fillDirectory(PageBatch batch, int copyCount) {
        batchNumber++;
        NativeMemory directory = batch.staging();
        directory.clear(0, PageLayout.PAGE_BYTES);
        directory.setLong(DoubleWriteLayout.MAGIC_OFFSET, DoubleWriteLayout.MAGIC);
        directory.setLong(DoubleWriteLayout.BATCH_NUMBER_OFFSET, batchNumber);
        directory.setInt(DoubleWriteLayout.PAGE_COUNT_OFFSET, copyCount);
        for (int i = 0; i < batch.pageCount(); i++) {
            lsnMax = Math.max(lsnMax, batch.lsn(i));
        }
        for (int i = 0; i < copyCount; i++) {
            long entry = DoubleWriteLayout.entryOffset(i);
            directory.setInt(entry + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET, batch.pageId(i));
            directory.setInt(entry + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET, batch.pageChecksum(i));
        }
        directory.setInt(
                DoubleWriteLayout.CHECKSUM_OFFSET,
                directoryChecksum(batch.directory().slice(), copyCount));
        setLsnMax(directory, DoubleWriteLayout.LSN_MAX_OFFSET);
    }

    private void setLsnMax(NativeMemory memory, int offset) {
        memory.setLong(offset, lsnMax);
        memory.setInt(offset + DoubleWriteLayout.LSN_MAX_CHECKSUM_BEHIND, lsnMaxChecksum(batchNumber, lsnMax));
    }

    /** The highest LSN of a page of any batch up to the last one, as far as the file tells; 0 if it does not. */
    long lsnMax() {
        return lsnMax;
    }

    private static int lsnMaxChecksum(long batchNumber, long lsnMax) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(batchNumber)
                .putLong(lsnMax)
                .flip());
        return (int) crc.getValue();
    }

    /**
     * Puts back what a crash or a full disk left half written: every damaged page that has a copy in the last batch.
     * May be run any number of times.
     *
     * @param pages the file of the pages, not forced by this method
     * @param again whether pages that look well are written too, as at open: after a failed force the system may show
     *     what never gets to the medium unless it is written again. A page that is newer than its copy stays, and so
     *     does one behind the end of the file: the log knows what it lacks
     * @return number of pages that were damaged
     */
    int restore(BlockFile pages, boolean again) {
        try (Arena arena = Arena.ofShared()) {
            NativeMemory memory = NativeMemory.allocate(
                    arena,
                    DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION + PageLayout.PAGE_BYTES,
                    PageLayout.PAGE_BYTES);
            PageWindows windows = new PageWindows(memory);
            int lengthBytes = DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION;
            int count = file.read(windows.at(0, lengthBytes), DoubleWriteLayout.DIRECTORY_POSITION);
            if (count < PageLayout.PAGE_BYTES) {
                return 0;
            }
            int lsnMaxOffset = DoubleWriteLayout.lsnMaxOffset(header.version());
            long storedNumber = memory.getLong(DoubleWriteLayout.BATCH_NUMBER_OFFSET);
            long storedLsnMax = memory.getLong(lsnMaxOffset);
            // Also of a directory without copies: the log was durable up to there before the directory was written.
            if (memory.getLong(DoubleWriteLayout.MAGIC_OFFSET) == DoubleWriteLayout.MAGIC
                    && memory.getInt(lsnMaxOffset + DoubleWriteLayout.LSN_MAX_CHECKSUM_BEHIND)
                            == lsnMaxChecksum(storedNumber, storedLsnMax)) {
                lsnMax = Math.max(lsnMax, storedLsnMax);
                batchNumber = Math.max(batchNumber, storedNumber);
            }
            if (!isWhole(memory, windows)) {
                return 0;
            }
            batchNumber = storedNumber;
            return restorePages(pages, memory, windows, again);
        }
    }

    private static boolean isWhole(NativeMemory memory, PageWindows windows) {
        int pageCount = memory.getInt(DoubleWriteLayout.PAGE_COUNT_OFFSET);
        if (memory.getLong(DoubleWriteLayout.MAGIC_OFFSET) != DoubleWriteLayout.MAGIC
                || pageCount < 1
                || pageCount > DoubleWriteLayout.PAGES_MAX
                || memory.getInt(DoubleWriteLayout.CHECKSUM_OFFSET)
                        != directoryChecksum(
                                windows.at(0, PageLayout.PAGE_BYTES).slice(), pageCount)) {
            return false;
        }
        PageChecksum checksum = new PageChecksum(windows);
        for (int i = 0; i < pageCount; i++) {
            int stored = memory.getInt(DoubleWriteLayout.entryOffset(i) + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET);
            // Without checksums nothing tells whether a copy is whole; a page in place may be, so it stays. Nor does a
            // right checksum make it a page of the file, whose page 0 is the header.
            if (PageLayout.format(memory, copyAddress(i)) == PageLayout.FORMAT_UNCHECKED
                    || entryPageId(memory, i) < 1
                    || PageLayout.checksum(memory, copyAddress(i)) != stored
                    || !checksum.matches(copyAddress(i), entryPageId(memory, i))) {
                return false;
            }
        }
        return true;
    }

    private static int restorePages(BlockFile pages, NativeMemory memory, PageWindows windows, boolean again) {
        int scratch = DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION;
        PageChecksum checksum = new PageChecksum(windows);
        int pageCount = memory.getInt(DoubleWriteLayout.PAGE_COUNT_OFFSET);
        int damagedCount = 0;
        for (int i = 0; i < pageCount; i++) {
            int pageId = entryPageId(memory, i);
            memory.clear(scratch, PageLayout.PAGE_BYTES);
            int count = pages.read(windows.at(scratch, PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
            boolean isDamaged = !checksum.matches(scratch, pageId);
            boolean isNewer = PageLayout.lsn(memory, scratch) > PageLayout.lsn(memory, copyAddress(i));
            if (isDamaged || (again && count > 0 && !isNewer)) {
                pages.write(windows.at(copyAddress(i), PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
                damagedCount += isDamaged ? 1 : 0;
            }
        }
        return damagedCount;
    }

    private static int entryPageId(NativeMemory memory, int index) {
        return memory.getInt(DoubleWriteLayout.entryOffset(index) + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET);
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
