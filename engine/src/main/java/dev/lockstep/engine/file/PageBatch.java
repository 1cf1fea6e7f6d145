package dev.lockstep.engine.file;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/**
 * Copies of pages that are written together, laid out as {@link DoubleWriteLayout} wants them: the directory, then the
 * pages. Pages are copied so that their latches are held for the copy only and not for the write.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The pages lie in ascending order of page id, each at most once.
 *   <li>{@code pageCount} is at most {@link DoubleWriteLayout#PAGES_MAX}.
 * </ul>
 *
 * <p>Thread-safety: for one thread.
 */
public final class PageBatch implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final NativeMemory staging = NativeMemory.allocate(
            arena, DoubleWriteLayout.FILE_BYTES - DoubleWriteLayout.DIRECTORY_POSITION, PageLayout.PAGE_BYTES);
    private final PageWindows windows = new PageWindows(staging);
    private final PageChecksum checked = new PageChecksum(windows);
    private final PageChecksum unchecked = new PageChecksum(windows, false);
    private int pageCount;

    /** Returns the number of pages in the batch. */
    public int pageCount() {
        return pageCount;
    }

    /** Returns whether no further page fits. */
    public boolean isFull() {
        return pageCount == DoubleWriteLayout.PAGES_MAX;
    }

    /** Removes all pages. */
    public void clear() {
        pageCount = 0;
    }

    /**
     * Copies a page.
     *
     * @param memory where the page lies
     * @param page offset of the page in {@code memory}, in bytes
     * @throws IllegalArgumentException if the page id is not greater than that of the page before, or is 0
     * @throws IllegalStateException if the batch is full
     */
    public void add(NativeMemory memory, long page) {
        if (isFull()) {
            throw new IllegalStateException("batch is full: pageCount=" + pageCount);
        }
        int pageId = PageLayout.pageId(memory, page);
        int previous = pageCount == 0 ? 0 : pageId(pageCount - 1);
        if (pageId <= previous) {
            throw new IllegalArgumentException(
                    "page out of order in batch: pageId=" + pageId + ", previousPageId=" + previous);
        }
        NativeMemory.copy(memory, page, staging, address(pageCount), PageLayout.PAGE_BYTES);
        pageCount++;
    }

    /** Returns the page id of a page of the batch. */
    public int pageId(int index) {
        return PageLayout.pageId(staging, address(index));
    }

    /** Returns the LSN of a page of the batch. */
    long lsn(int index) {
        return PageLayout.lsn(staging, address(index));
    }

    /** Bytes outside the heap. */
    public long nativeBytes() {
        return staging.byteSize();
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Where the directory lies; it begins at offset 0. */
    NativeMemory staging() {
        return staging;
    }

    /**
     * Stores the checksum of every page.
     *
     * @param checksums false to note in each that it has none
     */
    void sealPages(boolean checksums) {
        PageChecksum checksum = checksums ? checked : unchecked;
        for (int i = 0; i < pageCount; i++) {
            checksum.seal(address(i));
        }
    }

    int pageChecksum(int index) {
        return PageLayout.checksum(staging, address(index));
    }

    /** The directory alone. */
    ByteBuffer directory() {
        return windows.at(0, PageLayout.PAGE_BYTES);
    }

    /** The directory and all pages. */
    ByteBuffer directoryAndPages() {
        return windows.at(0, Math.toIntExact(address(pageCount)));
    }

    /** Some consecutive pages. */
    ByteBuffer pages(int firstIndex, int count) {
        return windows.at(address(firstIndex), count * PageLayout.PAGE_BYTES);
    }

    private static long address(int index) {
        return DoubleWriteLayout.PAGES_POSITION
                - DoubleWriteLayout.DIRECTORY_POSITION
                + (long) index * PageLayout.PAGE_BYTES;
    }
}
