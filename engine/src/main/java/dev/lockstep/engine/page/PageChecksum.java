package dev.lockstep.engine.page;

import dev.lockstep.engine.memory.NativeMemory;
import java.util.zip.CRC32C;

/**
 * The checksum of pages: CRC32C (Castagnoli; RFC 3720, appendix B.4) of everything behind the checksum field, which the
 * JDK computes with the processor's own instruction, about 1 µs a page.
 *
 * <p>Thread-safety: for one thread, like the {@link PageWindows} it looks through. No method allocates.
 */
public final class PageChecksum {
    private static final int COVERED_BYTES = PageLayout.PAGE_BYTES - PageLayout.TYPE_OFFSET;

    private final PageWindows windows;
    private final boolean isUsed;
    private final CRC32C crc = new CRC32C();

    /** Makes a checksum over what the windows show. */
    public PageChecksum(PageWindows windows) {
        this(windows, true);
    }

    /**
     * Makes a checksum over what the windows show.
     *
     * @param windows the memory
     * @param isUsed whether pages get checksums and are compared with those they have
     */
    public PageChecksum(PageWindows windows, boolean isUsed) {
        this.windows = windows;
        this.isUsed = isUsed;
    }

    /** Computes the checksum of the page at an address in the segment. */
    public int compute(long page) {
        crc.reset();
        crc.update(windows.at(page + PageLayout.TYPE_OFFSET, COVERED_BYTES));
        return (int) crc.getValue();
    }

    /** Computes the checksum of a page and stores it in its header, or notes there that the page has none. */
    public void seal(long page) {
        NativeMemory memory = windows.memory();
        PageLayout.setFormat(memory, page, isUsed ? PageLayout.FORMAT : PageLayout.FORMAT_UNCHECKED);
        int checksum = isUsed ? compute(page) : PageLayout.uncheckedMark(PageLayout.pageId(memory, page));
        PageLayout.setChecksum(memory, page, checksum);
    }

    /**
     * Whether the page is what was once written as this page: the checksum is right, as far as the page has one and it
     * is used, and the page id is the expected one, or the page was never written and is zero throughout.
     *
     * @param page address of the page in the segment
     * @param pageId the page id it must carry
     */
    public boolean matches(long page, int pageId) {
        NativeMemory memory = windows.memory();
        if (PageLayout.type(memory, page) == PageLayout.TYPE_NONE) {
            return isZero(memory, page);
        }
        if (PageLayout.pageId(memory, page) != pageId) {
            return false;
        }
        int checksum = PageLayout.checksum(memory, page);
        if (PageLayout.format(memory, page) == PageLayout.FORMAT_UNCHECKED) {
            return checksum == PageLayout.uncheckedMark(pageId);
        }
        return !isUsed || checksum == compute(page);
    }

    /** Whether a page that {@link #matches} has no part from before its last write. */
    public boolean provesWhole(long page) {
        return isUsed && PageLayout.format(windows.memory(), page) != PageLayout.FORMAT_UNCHECKED;
    }

    private static boolean isZero(NativeMemory memory, long page) {
        for (int offset = 0; offset < PageLayout.PAGE_BYTES; offset += Long.BYTES) {
            if (memory.getLong(page + offset) != 0) {
                return false;
            }
        }
        return true;
    }
}
