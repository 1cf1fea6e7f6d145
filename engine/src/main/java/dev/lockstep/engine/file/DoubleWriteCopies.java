package dev.lockstep.engine.file;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * The copies of pages in the double-write file of a database that is not open, whole batch or not: a copy that is whole
 * is a state that its page had, or was about to have when its log was on the medium. Stateless.
 */
public final class DoubleWriteCopies {
    private DoubleWriteCopies() {}

    /** Receives copies. */
    @FunctionalInterface
    public interface Visitor {
        /** A whole copy, {@link PageLayout#PAGE_BYTES} bytes at an address. It is gone after the call. */
        void copy(int pageId, NativeMemory memory, long address);
    }

    /**
     * Reads the file, without touching it.
     *
     * @param databaseId the database that it must belong to
     * @throws dev.lockstep.engine.LockstepException as {@link FileHeader#read} and {@link Storage#open}
     */
    public static void visit(Storage storage, Path directory, DatabaseId databaseId, Visitor visitor) {
        Path path = directory.resolve(PageFile.DOUBLE_WRITE_FILE);
        try (BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY);
                Arena arena = Arena.ofShared()) {
            FileHeader.read(file, FileFormat.DOUBLE_WRITE, databaseId);
            NativeMemory memory = NativeMemory.allocate(arena, 2L * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            PageWindows windows = new PageWindows(memory);
            PageChecksum checksum = new PageChecksum(windows);
            int directoryBytes = file.read(windows.at(0, PageLayout.PAGE_BYTES), DoubleWriteLayout.DIRECTORY_POSITION);
            int pageCount = memory.getInt(DoubleWriteLayout.PAGE_COUNT_OFFSET);
            if (directoryBytes < PageLayout.PAGE_BYTES
                    || memory.getLong(DoubleWriteLayout.MAGIC_OFFSET) != DoubleWriteLayout.MAGIC) {
                return;
            }
            for (int i = 0; i < Math.min(pageCount, DoubleWriteLayout.PAGES_MAX); i++) {
                long entry = DoubleWriteLayout.entryOffset(i);
                int pageId = memory.getInt(entry + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET);
                long position = DoubleWriteLayout.PAGES_POSITION + PageLayout.fileOffset(i);
                int bytes = file.read(windows.at(PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES), position);
                if (bytes == PageLayout.PAGE_BYTES
                        && pageId > 0
                        && PageLayout.type(memory, PageLayout.PAGE_BYTES) != PageLayout.TYPE_NONE
                        && checksum.matches(PageLayout.PAGE_BYTES, pageId)) {
                    visitor.copy(pageId, memory, PageLayout.PAGE_BYTES);
                }
            }
        }
    }
}
