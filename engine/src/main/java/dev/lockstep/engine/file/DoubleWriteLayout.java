package dev.lockstep.engine.file;

import dev.lockstep.engine.page.PageLayout;

/**
 * The file {@code doublewrite.lockstep}: a file header, the directory of one batch, and the pages of the batch, each in
 * a slot of the size of a page. A new batch overwrites the last.
 *
 * <pre>
 *  slot 0          slot 1              slot 2            ...   slot 2 + PAGES_MAX - 1
 *  +---------------+-------------------+-----------------+-----+-----------------+
 *  |  file header  |     directory     |     page 0      | ... | page PAGES_MAX-1|
 *  +---------------+-------------------+-----------------+-----+-----------------+
 *
 *  directory:
 *  0          8              16         20         24                   2072      2080
 *  +----------+--------------+----------+----------+--------------------+---------+----------+---------+
 *  |  magic   | batch number | page     | checksum | entries, 8 bytes:  | lsnMax  | checksum |  zeros  |
 *  | LSDBATCH |     i64      | count u32|   u32    | pageId, checksum   |  i64    |   u32    |         |
 *  +----------+--------------+----------+----------+--------------------+---------+----------+---------+
 * </pre>
 *
 * <p>The checksum is CRC32C of magic, batch number, page count and entries, without itself. An entry repeats the
 * checksum of its page, so that a directory goes with its own pages only. {@code lsnMax} is the highest LSN of all
 * pages of this batch and of those before; its own checksum is CRC32C of batch number and {@code lsnMax}. Where that is
 * wrong, as it is in files of programs that did not know the field, nothing is known.
 *
 * <p>A file of version 1 has room for {@link #PAGES_MAX_1} pages; its entries end, and {@code lsnMax} begins, at byte
 * 536.
 */
public final class DoubleWriteLayout {
    /**
     * Most pages of a batch, 2 MiB. Each batch costs two forces and their waits for the disk, whatever its length: with
     * 64 pages the page writer took about twice the time (ARCHITECTURE.md). The directory would have room for four
     * times as many, but each batch delays what waits for its first page by writing its last.
     */
    public static final int PAGES_MAX = 256;

    /** Most pages of a batch in a file of version 1. */
    public static final int PAGES_MAX_1 = 64;

    /** Position of the directory in the file, in bytes. */
    public static final int DIRECTORY_POSITION = PageLayout.PAGE_BYTES;

    /** Position of the first page in the file, in bytes. */
    public static final int PAGES_POSITION = DIRECTORY_POSITION + PageLayout.PAGE_BYTES;

    /** Length of a file of the current version, in bytes; it never changes. */
    public static final int FILE_BYTES = PAGES_POSITION + PAGES_MAX * PageLayout.PAGE_BYTES;

    /** Offset of the magic in the directory, an i64. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the batch number in the directory, an i64. */
    public static final int BATCH_NUMBER_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** Offset of the page count in the directory, a u32. */
    public static final int PAGE_COUNT_OFFSET = BATCH_NUMBER_OFFSET + Long.BYTES;

    /** Offset of the checksum in the directory, a u32. */
    public static final int CHECKSUM_OFFSET = PAGE_COUNT_OFFSET + Integer.BYTES;

    /** Offset of the first entry in the directory. */
    public static final int ENTRIES_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** Bytes of an entry. */
    public static final int ENTRY_BYTES = 8;

    /** Offset of the page id in an entry, an i32. */
    public static final int ENTRY_PAGE_ID_OFFSET = 0;

    /** Offset of the page's checksum in an entry, a u32. */
    public static final int ENTRY_CHECKSUM_OFFSET = ENTRY_PAGE_ID_OFFSET + Integer.BYTES;

    /** Offset of the highest LSN in the directory, an i64. */
    public static final int LSN_MAX_OFFSET = ENTRIES_OFFSET + PAGES_MAX * ENTRY_BYTES;

    /** Offset of the highest LSN in the directory of a file of version 1, an i64. */
    public static final int LSN_MAX_OFFSET_1 = ENTRIES_OFFSET + PAGES_MAX_1 * ENTRY_BYTES;

    /** From the highest LSN to its checksum, a u32. */
    public static final int LSN_MAX_CHECKSUM_BEHIND = Long.BYTES;

    /** The characters LSDBATCH, first character first. */
    public static final long MAGIC = 0x4843_5441_4244_534cL;

    static {
        if (ENTRIES_OFFSET != 24
                || LSN_MAX_OFFSET != 2_072
                || LSN_MAX_OFFSET_1 != 536
                || LSN_MAX_OFFSET + LSN_MAX_CHECKSUM_BEHIND + Integer.BYTES > PageLayout.PAGE_BYTES
                || FileHeaderLayout.HEADER_BYTES > DIRECTORY_POSITION) {
            throw new AssertionError("double-write layout does not add up");
        }
    }

    private DoubleWriteLayout() {}

    /** Returns the offset in the directory of the highest LSN, in a file of a version. */
    public static int lsnMaxOffset(int version) {
        return version == 1 ? LSN_MAX_OFFSET_1 : LSN_MAX_OFFSET;
    }

    /** Returns the offset in the directory of an entry. */
    public static int entryOffset(int index) {
        return ENTRIES_OFFSET + index * ENTRY_BYTES;
    }
}
