package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** A double-write area whose checksums are all right, though it holds a page that no file has. */
class ForgedDoubleWriteTest {
    private static final Path DIRECTORY = Path.of("database");
    private static final Path DOUBLE_WRITE = DIRECTORY.resolve(PageFile.DOUBLE_WRITE_FILE);
    private static final DatabaseId ID = new DatabaseId(1, 2);
    private static final int PAGE_ID = 1;

    /** Page 0 is the header of the file: a copy of it would make the file somebody else's. */
    @Test
    void isNotRestored() {
        for (int forgedPageId : new int[] {0, -1, Integer.MIN_VALUE}) {
            FaultyStorage storage = withOnePage();
            forge(storage, forgedPageId);
            try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
                assertEquals(0, file.restoredPageCount(), "pageId=" + forgedPageId);
            }
            PageFile.open(storage, DIRECTORY, ID, false).close();
        }
    }

    /** The forgery changes what it says, and nothing else that would make the copies useless. */
    @Test
    void isRestoredWhereTheFileHasThePage() {
        FaultyStorage storage = withOnePage();
        forge(storage, PAGE_ID);
        storage.corrupt(DIRECTORY.resolve(PageFile.PAGES_FILE), PageLayout.fileOffset(PAGE_ID) + 5000, 1);
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            assertEquals(1, file.restoredPageCount());
        }
    }

    private static FaultyStorage withOnePage() {
        FaultyStorage storage = new FaultyStorage(1);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID);
                Arena arena = Arena.ofConfined();
                PageBatch batch = new PageBatch()) {
            NativeMemory page = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES);
            PageLayout.initialise(page, 0, PageLayout.TYPE_NODE, PAGE_ID, 1);
            batch.add(page, 0);
            file.write(batch);
        }
        return storage;
    }

    private static void forge(FaultyStorage storage, int pageId) {
        try (BlockFile file = storage.open(DOUBLE_WRITE, Storage.OpenMode.READ_WRITE);
                Arena arena = Arena.ofShared()) {
            NativeMemory memory = NativeMemory.allocate(arena, 2 * PageLayout.PAGE_BYTES);
            ByteBuffer bytes = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            file.read(bytes.duplicate(), DoubleWriteLayout.DIRECTORY_POSITION);
            PageLayout.setPageId(memory, PageLayout.PAGE_BYTES, pageId);
            new PageChecksum(new PageWindows(memory)).seal(PageLayout.PAGE_BYTES);
            int entry = DoubleWriteLayout.entryOffset(0);
            bytes.putInt(entry + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET, pageId);
            bytes.putInt(
                    entry + DoubleWriteLayout.ENTRY_CHECKSUM_OFFSET,
                    PageLayout.checksum(memory, PageLayout.PAGE_BYTES));
            CRC32C crc = new CRC32C();
            crc.update(bytes.slice(0, DoubleWriteLayout.CHECKSUM_OFFSET));
            crc.update(bytes.slice(DoubleWriteLayout.ENTRIES_OFFSET, DoubleWriteLayout.ENTRY_BYTES));
            bytes.putInt(DoubleWriteLayout.CHECKSUM_OFFSET, (int) crc.getValue());
            file.write(bytes, DoubleWriteLayout.DIRECTORY_POSITION);
        }
    }
}
