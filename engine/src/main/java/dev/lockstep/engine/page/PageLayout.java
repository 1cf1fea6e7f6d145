package dev.lockstep.engine.page;

import dev.lockstep.engine.memory.NativeMemory;

/**
 * The first 32 bytes of every page, in memory and on disk, little-endian and without alignment.
 *
 * <pre>
 *  0        4     5       6       8              16       20       24             32            8192
 *  +--------+-----+-------+-------+--------------+--------+--------+--------------+--------------+
 *  |checksum|type |format | flags |     lsn      | pageId | treeId |   reserved   |     body     |
 *  |  u32   | u8  |  u8   |  u16  |     i64      |  i32   |  i32   |   8 bytes    |  8160 bytes  |
 *  +--------+-----+-------+-------+--------------+--------+--------+--------------+--------------+
 * </pre>
 *
 * <ul>
 *   <li>{@code checksum}: CRC32C of bytes 4 to 8191 (see {@link PageChecksum}); valid on disk only, it is made when a
 *       page is written. In {@link #FORMAT_UNCHECKED}, {@link #uncheckedMark}.
 *   <li>{@code lsn}: log sequence number of the last record applied to the page, 0 if none.
 *   <li>{@code pageId}: position of the page in its file, in pages. It tells a misdirected write.
 *   <li>{@code reserved}: zero in format 1.
 * </ul>
 *
 * <p>A page of zeros throughout was allocated and never written; its type is {@link #TYPE_NONE}.
 *
 * <p>Thread-safety: stateless. Plain reads and writes; the caller holds the latch of the frame or validates afterwards.
 */
public final class PageLayout {
    /** Logarithm of {@link #PAGE_BYTES}. */
    public static final int PAGE_SHIFT = 13;

    /**
     * Bytes of a page. 8 KiB holds some 30 rows of 250 bytes, so that a tree of three levels reaches gigabytes, and is
     * still read and checksummed within microseconds.
     */
    public static final int PAGE_BYTES = 1 << PAGE_SHIFT;

    /** Offset of the checksum, a u32. */
    public static final int CHECKSUM_OFFSET = 0;

    /** Offset of the page type, a u8. */
    public static final int TYPE_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** Offset of the version of the page's format, a u8. */
    public static final int FORMAT_OFFSET = TYPE_OFFSET + Byte.BYTES;

    /** Offset of the flags, a u16; their meaning depends on the page type. */
    public static final int FLAGS_OFFSET = FORMAT_OFFSET + Byte.BYTES;

    /** Offset of the log sequence number, an i64. */
    public static final int LSN_OFFSET = FLAGS_OFFSET + Short.BYTES;

    /** Offset of the page id, an i32. */
    public static final int PAGE_ID_OFFSET = LSN_OFFSET + Long.BYTES;

    /** Offset of the tree id, an i32. */
    public static final int TREE_ID_OFFSET = PAGE_ID_OFFSET + Integer.BYTES;

    /** Offset of the reserved bytes. */
    public static final int RESERVED_OFFSET = TREE_ID_OFFSET + Integer.BYTES;

    /** Number of reserved bytes. */
    public static final int RESERVED_BYTES = 8;

    /** Bytes of the header; the body begins here. */
    public static final int HEADER_BYTES = RESERVED_OFFSET + RESERVED_BYTES;

    /** Type of a page that was never written. */
    public static final int TYPE_NONE = 0;

    /** Type that stands for page 0, the header of the file, which never enters the buffer pool. */
    public static final int TYPE_FILE_HEADER = 1;

    /** Type of a node of a B+tree. */
    public static final int TYPE_NODE = 2;

    /** Type of a page that holds a part of a value too large for a node. */
    public static final int TYPE_OVERFLOW = 3;

    /**
     * Type of a page that was freed after it had been changed. Its LSN stays, so that replaying the log does not apply
     * old changes to it.
     */
    public static final int TYPE_FREE = 4;

    /** Version of the header described here. */
    public static final int FORMAT = 1;

    /** Version of the header of a page that was written without a checksum; all else is as in {@link #FORMAT}. */
    public static final int FORMAT_UNCHECKED = 2;

    /** Told from checksums by the format; not zero, so that a header of zeros is no mark. */
    private static final int UNCHECKED = 0x6E6F_6E65;

    private static final int BYTE_MASK = 0xff;
    private static final int SHORT_MASK = 0xffff;

    static {
        if (HEADER_BYTES != 32 || LSN_OFFSET % Long.BYTES != 0 || PAGE_BYTES % 512 != 0) {
            throw new AssertionError("page layout does not add up");
        }
    }

    private PageLayout() {}

    /** Returns the position of a page in its file, in bytes. */
    public static long fileOffset(int pageId) {
        return (long) pageId << PAGE_SHIFT;
    }

    /** Returns the checksum as stored. */
    public static int checksum(NativeMemory memory, long page) {
        return memory.getInt(page + CHECKSUM_OFFSET);
    }

    /** Stores the checksum. */
    public static void setChecksum(NativeMemory memory, long page, int checksum) {
        memory.setInt(page + CHECKSUM_OFFSET, checksum);
    }

    /** What stands in the place of the checksum of a page without one. */
    public static int uncheckedMark(int pageId) {
        return UNCHECKED ^ pageId;
    }

    /** Returns the page type, 0 to 255. */
    public static int type(NativeMemory memory, long page) {
        return memory.getByte(page + TYPE_OFFSET) & BYTE_MASK;
    }

    /** Stores the page type. */
    public static void setType(NativeMemory memory, long page, int type) {
        memory.setByte(page + TYPE_OFFSET, (byte) type);
    }

    /** Returns the version of the page's format, 0 to 255. */
    public static int format(NativeMemory memory, long page) {
        return memory.getByte(page + FORMAT_OFFSET) & BYTE_MASK;
    }

    /** Stores the version of the page's format. */
    public static void setFormat(NativeMemory memory, long page, int format) {
        memory.setByte(page + FORMAT_OFFSET, (byte) format);
    }

    /** Returns the flags, 0 to 65,535. */
    public static int flags(NativeMemory memory, long page) {
        return memory.getShort(page + FLAGS_OFFSET) & SHORT_MASK;
    }

    /** Stores the flags. */
    public static void setFlags(NativeMemory memory, long page, int flags) {
        memory.setShort(page + FLAGS_OFFSET, (short) flags);
    }

    /** Returns the log sequence number of the last record applied. */
    public static long lsn(NativeMemory memory, long page) {
        return memory.getLong(page + LSN_OFFSET);
    }

    /** Stores the log sequence number of the last record applied. */
    public static void setLsn(NativeMemory memory, long page, long lsn) {
        memory.setLong(page + LSN_OFFSET, lsn);
    }

    /** Returns the page id. */
    public static int pageId(NativeMemory memory, long page) {
        return memory.getInt(page + PAGE_ID_OFFSET);
    }

    /** Stores the page id. */
    public static void setPageId(NativeMemory memory, long page, int pageId) {
        memory.setInt(page + PAGE_ID_OFFSET, pageId);
    }

    /** Returns the id of the tree that the page belongs to. */
    public static int treeId(NativeMemory memory, long page) {
        return memory.getInt(page + TREE_ID_OFFSET);
    }

    /** Stores the id of the tree that the page belongs to. */
    public static void setTreeId(NativeMemory memory, long page, int treeId) {
        memory.setInt(page + TREE_ID_OFFSET, treeId);
    }

    /**
     * Writes a whole header: the given values, {@link #FORMAT}, and zero in everything else. The body is not touched.
     */
    public static void initialise(NativeMemory memory, long page, int type, int pageId, int treeId) {
        setChecksum(memory, page, 0);
        setType(memory, page, type);
        setFormat(memory, page, FORMAT);
        setFlags(memory, page, 0);
        setLsn(memory, page, 0);
        setPageId(memory, page, pageId);
        setTreeId(memory, page, treeId);
        memory.setLong(page + RESERVED_OFFSET, 0);
    }
}
