package dev.lockstep.engine.salvage;

import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import dev.lockstep.engine.recovery.Checkpoint;
import java.lang.foreign.Arena;

/**
 * The pages of a file, each with what it is worth. Nothing that a page holds makes a call fail. Not thread-safe.
 */
final class SourcePages implements AutoCloseable {
    private static final long[] NOTHING_KNOWN = {};

    private final SourceFiles files;
    private final int pageCount;
    private final long[] lsnsAtLeast;
    private final Arena arena = Arena.ofShared();
    private final NativeMemory page = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
    private final PageWindows windows = new PageWindows(page);
    private final PageChecksum checksum = new PageChecksum(windows);

    SourcePages(SourceFiles files) {
        this.files = files;
        pageCount = files.pageCount();
        Checkpoint checkpoint = files.checkpointOrNull();
        // Without a log pages get the LSN 0, and the checkpoint does not know of those since it was written.
        boolean isKnown = checkpoint != null && !files.leftUnlogged();
        lsnsAtLeast = isKnown ? checkpoint.pageLsns() : NOTHING_KNOWN;
    }

    /** Pages in the file, page 0 included. */
    int pageCount() {
        return pageCount;
    }

    /** The LSN that a page was once written with, 0 if nothing is known. */
    long lsnAtLeast(int pageId) {
        return pageId < lsnsAtLeast.length ? lsnsAtLeast[pageId] : 0;
    }

    /**
     * Reads a page as it lies in the file.
     *
     * @param pageId 1 or greater
     * @param target gets its bytes at offset 0, as far as there are any
     */
    PageState read(int pageId, NativeMemory target) {
        page.clear(0, page.byteSize());
        PageState state = state(pageId);
        NativeMemory.copy(page, 0, target, 0, PageLayout.PAGE_BYTES);
        return state;
    }

    private PageState state(int pageId) {
        if (pageId >= pageCount) {
            return PageState.MISSING;
        }
        int bytes;
        try {
            bytes = files.pages().read(windows.at(0, PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
        } catch (StorageException refused) {
            return PageState.IO;
        }
        if (bytes < PageLayout.PAGE_BYTES) {
            return PageState.MISSING;
        }
        if (!checksum.matches(0, pageId)) {
            return PageLayout.type(page, 0) != PageLayout.TYPE_NONE
                            && PageLayout.checksum(page, 0) == checksum.compute(0)
                    ? PageState.IDENTITY
                    : PageState.CHECKSUM;
        }
        if (PageLayout.lsn(page, 0) < lsnAtLeast(pageId)) {
            return PageState.OUTDATED;
        }
        return PageLayout.type(page, 0) == PageLayout.TYPE_NONE ? PageState.NEVER_WRITTEN : PageState.SOUND;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
