package dev.lockstep.engine.recovery;

import dev.lockstep.engine.file.FileHeaderLayout;

/**
 * The checkpoint file, little-endian.
 *
 * <pre>
 *  0             128           136          144                 152          156                 160
 *  +-------------+-------------+------------+-------------------+------------+-------------------+
 *  | file header | redoScanLsn | durableLsn | nextTransactionId | nextTreeId | catalogRootPageId |
 *  +-------------+-------------+------------+-------------------+------------+-------------------+
 *  160                  164               168                                                    fileBytes - 4
 *  +--------------------+-----------------+------ - - - -----------+------ - - - ----------------+----------+
 *  | allocatedPageCount | bitmapWordCount | bitmap, 8 bytes a word | LSNs of pages, 8 bytes each | checksum |
 *  +--------------------+-----------------+------ - - - -----------+------ - - - ----------------+----------+
 * </pre>
 *
 * <ul>
 *   <li>The parameter of the file header is the length of the file.
 *   <li>LSNs of pages, by page id from 0: what the page in the file has at least, 0 where nothing is known. Their
 *       number follows from the length of the file. Version 1 has none.
 *   <li>{@code checksum}: CRC32C of everything between the file header and the checksum.
 * </ul>
 */
public final class CheckpointLayout {
    /** Name of the file in the directory of the database. */
    public static final String FILE_NAME = "checkpoint.lockstep";

    /** Name of the file while it is written. */
    public static final String TEMPORARY_FILE_NAME = "checkpoint-new.lockstep";

    public static final int REDO_SCAN_LSN_OFFSET = FileHeaderLayout.HEADER_BYTES;
    public static final int DURABLE_LSN_OFFSET = REDO_SCAN_LSN_OFFSET + Long.BYTES;
    public static final int NEXT_TRANSACTION_ID_OFFSET = DURABLE_LSN_OFFSET + Long.BYTES;
    public static final int NEXT_TREE_ID_OFFSET = NEXT_TRANSACTION_ID_OFFSET + Long.BYTES;
    public static final int CATALOG_ROOT_PAGE_ID_OFFSET = NEXT_TREE_ID_OFFSET + Integer.BYTES;
    public static final int ALLOCATED_PAGE_COUNT_OFFSET = CATALOG_ROOT_PAGE_ID_OFFSET + Integer.BYTES;
    public static final int BITMAP_WORD_COUNT_OFFSET = ALLOCATED_PAGE_COUNT_OFFSET + Integer.BYTES;
    public static final int BITMAP_OFFSET = BITMAP_WORD_COUNT_OFFSET + Integer.BYTES;
    public static final int CHECKSUM_BYTES = Integer.BYTES;

    /** Largest bitmap: one bit for every page id. */
    public static final int BITMAP_WORD_COUNT_MAX = 1 << (Integer.SIZE - 1 - 6);

    /**
     * Most pages whose LSNs are kept: those of the first 128 GiB. Each checkpoint writes all of them, and with more it
     * would take longer than the pages that the checkpoint writes back.
     */
    public static final int PAGE_LSN_COUNT_MAX = 1 << 24;

    static {
        if (BITMAP_OFFSET != 168 || BITMAP_OFFSET % Long.BYTES != 0) {
            throw new AssertionError("checkpoint layout does not add up");
        }
    }

    private CheckpointLayout() {}

    /** Where the LSNs of pages begin. */
    public static int pageLsnsOffset(int bitmapWordCount) {
        return BITMAP_OFFSET + bitmapWordCount * Long.BYTES;
    }

    /** Length of the file. */
    public static int fileBytes(int bitmapWordCount, int pageLsnCount) {
        return pageLsnsOffset(bitmapWordCount) + pageLsnCount * Long.BYTES + CHECKSUM_BYTES;
    }
}
