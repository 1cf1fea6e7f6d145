package dev.lockstep.engine.file;

import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Copies the pages of a database into the directory of another one, beside those who write them. Without state. */
public final class PageFileCopy {
    /** Pages written at a time: 1 MiB, beyond which larger writes are no faster. */
    private static final int PAGES_PER_WRITE = (1 << 20) / PageLayout.PAGE_BYTES;

    private PageFileCopy() {}

    /**
     * Writes a page file and an empty double-write file, which are on the medium when this returns. Each page is copied
     * whole and checked, some earlier and some later: who wants one state of all of them needs the log.
     *
     * @param source the pages
     * @param storage the file system
     * @param directory where the copy goes; files of these names are replaced
     * @param databaseId what the copy is marked with
     * @param progress hears how far it is
     * @return number of pages copied, page 0 included: those that the file had when this was called
     * @throws dev.lockstep.engine.CorruptionException if a page is damaged
     * @throws dev.lockstep.engine.DiskFullException if there is no room
     */
    public static int copy(
            PageFile source, Storage storage, Path directory, DatabaseId databaseId, ProgressListener progress) {
        int pageCount = source.pageCount();
        try (Arena arena = Arena.ofShared();
                BlockFile target = storage.open(directory.resolve(PageFile.PAGES_FILE), Storage.OpenMode.CREATE)) {
            target.write(FileHeader.of(FileFormat.PAGES, databaseId, 0).encode(PageLayout.PAGE_BYTES), 0);
            NativeMemory memory =
                    NativeMemory.allocate(arena, (long) PAGES_PER_WRITE * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            PageWindows windows = new PageWindows(memory);
            PageReader reader = source.newReader(memory);
            for (int first = 1; first < pageCount; first += PAGES_PER_WRITE) {
                int count = Math.min(PAGES_PER_WRITE, pageCount - first);
                for (int i = 0; i < count; i++) {
                    reader.readWhole(first + i, (long) i * PageLayout.PAGE_BYTES);
                }
                target.write(windows.at(0, count * PageLayout.PAGE_BYTES), PageLayout.fileOffset(first));
                progress.progressed(Stage.COPY_PAGES, first + count, pageCount);
            }
            target.force(true);
        }
        DoubleWrite.create(storage, directory.resolve(PageFile.DOUBLE_WRITE_FILE), databaseId)
                .close();
        return pageCount;
    }
}
