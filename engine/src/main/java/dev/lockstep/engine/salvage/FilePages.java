package dev.lockstep.engine.salvage;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Keeps any number of pages in a file that is deleted at the end, the last ones used in memory.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A page is kept if its bit in {@code kept} is set: in frame {@code pageId % FRAMES} if {@code frames} says so,
 *       else in the file.
 *   <li>Nothing here need survive a crash, so nothing is forced.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class FilePages implements PageSpace {
    /** 4 MiB: records of the log come in bursts for the same pages, and those are few. */
    private static final int FRAMES = 512;

    private static final int NO_PAGE = -1;

    private final Storage storage;
    private final Path path;
    private final BlockFile file;
    private final Arena arena = Arena.ofShared();
    private final NativeMemory memory;
    private final PageWindows windows;
    private final int[] frames = new int[FRAMES];
    private final BitSet kept = new BitSet();

    /** Makes the file. */
    FilePages(Storage storage, Path path) {
        this.storage = storage;
        this.path = path;
        try {
            memory = NativeMemory.allocate(arena, (long) FRAMES * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            windows = new PageWindows(memory);
            file = storage.open(path, Storage.OpenMode.CREATE);
        } catch (RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
        Arrays.fill(frames, NO_PAGE);
    }

    @Override
    public boolean get(int pageId, NativeMemory target) {
        if (!kept.get(pageId)) {
            return false;
        }
        NativeMemory.copy(memory, frame(pageId, true), target, 0, PageLayout.PAGE_BYTES);
        return true;
    }

    @Override
    public boolean put(int pageId, NativeMemory page) {
        NativeMemory.copy(page, 0, memory, frame(pageId, false), PageLayout.PAGE_BYTES);
        kept.set(pageId);
        return true;
    }

    /** The address of the page's frame, which holds the page if {@code load} is set. */
    private long frame(int pageId, boolean load) {
        int index = pageId % FRAMES;
        long address = (long) index * PageLayout.PAGE_BYTES;
        if (frames[index] != pageId) {
            if (frames[index] != NO_PAGE) {
                file.write(windows.at(address, PageLayout.PAGE_BYTES), PageLayout.fileOffset(frames[index]));
            }
            if (load) {
                file.read(windows.at(address, PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
            }
            frames[index] = pageId;
        }
        return address;
    }

    @Override
    public int pageCount() {
        return kept.length();
    }

    @Override
    public void close() {
        try (arena) {
            file.close();
        } finally {
            storage.delete(path);
        }
    }
}
