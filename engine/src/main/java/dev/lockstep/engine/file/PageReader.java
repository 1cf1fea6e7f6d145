package dev.lockstep.engine.file;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;

/**
 * Reads pages into memory and checks them.
 *
 * <p>Thread-safety: for one thread; threads that read at the same time each have their own.
 */
public final class PageReader {
    private final PageFile file;
    private final PageWindows windows;
    private final PageChecksum checksum;

    PageReader(PageFile file, NativeMemory memory) {
        this.file = file;
        this.windows = new PageWindows(memory);
        this.checksum = new PageChecksum(windows, file.checksums());
    }

    /**
     * Reads a page. A page that was never written reads as zeros.
     *
     * @param pageId 1 or greater
     * @param address where to, as an offset in the memory, in bytes
     * @throws CorruptionException if the page is damaged, is another page, an old copy of itself, or newer than the log
     * @throws TruncatedFileException if the file ends within the page, or before a page that was written
     * @throws dev.lockstep.engine.StorageException if the system refuses
     */
    public void read(int pageId, long address) {
        // Before the page, which a batch beside this call can only make newer.
        long lsnAtLeast = file.lsnAtLeast(pageId);
        int count = file.readUnchecked(windows.at(address, PageLayout.PAGE_BYTES), pageId);
        clearRest(address, count);
        if (checksum.matches(address, pageId) && lsn(address) >= lsnAtLeast && !isNewerThanLog(pageId, address)) {
            return;
        }
        // A reader that follows a pointer it has not validated yet may ask for a page that was freed while its last
        // version is still being written, and see a part of it. Between two batches there is no such page.
        file.betweenBatches(() -> readAgain(pageId, address));
    }

    /**
     * The same beside those who write, whoever is to use the page: never a page of which a part is from before a write
     * and a part from behind it. A checksum tells that; without one the page is read while nobody writes.
     */
    public void readWhole(int pageId, long address) {
        read(pageId, address);
        if (!checksum.provesWhole(address)) {
            file.betweenBatches(() -> readAgain(pageId, address));
        }
    }

    private void readAgain(int pageId, long address) {
        int count = file.readUnchecked(windows.at(address, PageLayout.PAGE_BYTES), pageId);
        clearRest(address, count);
        if (!checksum.matches(address, pageId)) {
            throw damaged(pageId, address, count);
        }
        if (lsn(address) < file.lsnAtLeast(pageId)) {
            throw outdated(pageId, address, file.lsnAtLeast(pageId), count);
        }
        if (isNewerThanLog(pageId, address)) {
            throw PageFile.newerThanLog(pageId, lsn(address), file.lsnEnd());
        }
    }

    /** Asked behind reading: what was written since the log was found to end is known once its batch has ended. */
    private boolean isNewerThanLog(int pageId, long address) {
        return lsn(address) >= file.lsnEnd() && lsn(address) > file.lsnAtLeast(pageId);
    }

    /** 0 for a page that was never written. */
    private long lsn(long address) {
        return PageLayout.lsn(windows.memory(), address);
    }

    private RuntimeException outdated(int pageId, long address, long lsnAtLeast, int count) {
        String message = Message.of(count == 0 ? "A page is missing" : "A page on disk is older than it was written")
                .with("file", file.path())
                .with("pageId", pageId)
                .with("lsnInPage", lsn(address))
                .with("lsnWritten", lsnAtLeast)
                .remedy("The medium has lost a write, or the file is an old copy: restore the database from a"
                        + " backup.");
        return count == 0 ? new TruncatedFileException(message) : new CorruptionException(message);
    }

    private void clearRest(long address, int count) {
        if (count < PageLayout.PAGE_BYTES) {
            windows.memory().clear(address + count, PageLayout.PAGE_BYTES - count);
        }
    }

    private RuntimeException damaged(int pageId, long address, int count) {
        NativeMemory memory = windows.memory();
        Message message = Message.of("A page is damaged")
                .with("file", file.path())
                .with("pageId", pageId)
                .with("pageIdInPage", PageLayout.pageId(memory, address))
                .with("checksum", Integer.toHexString(checksum.compute(address)))
                .with("checksumInPage", Integer.toHexString(PageLayout.checksum(memory, address)))
                .with("readBytes", count);
        String remedy = message.remedy("Check the medium and restore the database from a backup.");
        return count > 0 && count < PageLayout.PAGE_BYTES
                ? new TruncatedFileException(remedy)
                : new CorruptionException(remedy);
    }
}
