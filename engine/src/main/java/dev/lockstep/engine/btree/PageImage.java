package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;

/**
 * The log record that holds a page as it is about to be written in place. It belongs to no transaction and changes
 * nothing: redo takes it for a page that cannot be read, because a crash has torn it, or that is older than the image.
 *
 * <pre>
 *  0         4       6        8                   8 + low                   8 + low + 8192 - high
 *  +---------+-------+--------+-------------------+-------------------------+
 *  | page id |  low  |  high  |  page[0, low)     |  page[high, 8192)       |
 *  |   i32   |  u16  |  u16   |                   |                         |
 *  +---------+-------+--------+-------------------+-------------------------+
 * </pre>
 *
 * <p>What lies between {@code low} and {@code high} means nothing in the page, the gap between the slots and the heap
 * of a node, and becomes zero. The LSN in the header of the image is that of the page, lower than the record's own:
 * every record of the page before this one is in the image, and every one behind it is not.
 *
 * <p>Source: the full page images of PostgreSQL's log; J. Gray and A. Reuter, "Transaction Processing", 1993, section
 * 10.3. Taken here when a page is written and not when it is changed, so that changing pages knows nothing of it.
 */
public final class PageImage {
    private static final int PAGE_ID = 0;
    private static final int LOW = 4;
    private static final int HIGH = 6;
    private static final int IMAGE = 8;

    private PageImage() {}

    /**
     * Builds the record.
     *
     * @param record where to
     * @param memory where the page lies, latched shared at least
     * @param page its offset there, in bytes
     */
    public static void encode(LogRecordBuffer record, NativeMemory memory, long page) {
        int low = PageLayout.PAGE_BYTES;
        int high = PageLayout.PAGE_BYTES;
        int type = PageLayout.type(memory, page);
        if (type == PageLayout.TYPE_NODE) {
            low = NodeLayout.SLOTS + Node.slotCount(memory, page) * NodeLayout.SLOT_BYTES;
            high = Node.heapStart(memory, page);
        } else if (type == PageLayout.TYPE_FREE) {
            low = PageLayout.HEADER_BYTES;
        }
        record.begin(LogRecordType.PAGE_IMAGE, 0, 0, 0);
        record.putInt(PageLayout.pageId(memory, page));
        record.putShort(low);
        record.putShort(high);
        record.putSegment(memory, page, low);
        record.putSegment(memory, page + high, PageLayout.PAGE_BYTES - high);
    }

    /** Puts the image in the place of a page that is torn or older. */
    static void redo(PageRedo pages, LogRecordView record) {
        NativeMemory body = record.body();
        int bytes = record.bodyBytes();
        int low = bytes < IMAGE ? 0 : body.getUnsignedShort(LOW);
        int high = bytes < IMAGE ? 0 : body.getUnsignedShort(HIGH);
        int highBytes = PageLayout.PAGE_BYTES - high;
        if (low < PageLayout.HEADER_BYTES || high < low || highBytes < 0 || bytes != IMAGE + low + highBytes) {
            throw damaged(record);
        }
        int pageId = body.getInt(PAGE_ID);
        if (pageId < 1 || PageLayout.pageId(body, IMAGE) != pageId) {
            throw damaged(record);
        }
        boolean apply = pages.latchForImage(pageId, PageLayout.lsn(body, IMAGE));
        try {
            if (apply) {
                NativeMemory memory = pages.memory();
                long page = pages.address();
                NativeMemory.copy(body, IMAGE, memory, page, low);
                memory.clear(page + low, high - low);
                NativeMemory.copy(body, IMAGE + low, memory, page + high, highBytes);
            }
        } finally {
            pages.unlatchImage(apply, record.lsn());
        }
    }

    /** The page that a record is the image of. */
    static int pageId(LogRecordView record) {
        return record.body().getInt(PAGE_ID);
    }

    private static CorruptionException damaged(LogRecordView record) {
        return new CorruptionException(Message.of("the image of a page in the log is damaged")
                .with("lsn", record.lsn())
                .with("bodyBytes", record.bodyBytes())
                .remedy("restore the database from a backup"));
    }
}
