package dev.lockstep.engine.file;

import dev.lockstep.engine.page.PageLayout;

/**
 * The first 128 bytes of every file, little-endian.
 *
 * <pre>
 *  0          8              24        28        32             40            48            56
 *  +----------+--------------+---------+---------+--------------+-------------+-------------+
 *  |  magic   | format name  | version | bytes   | databaseId   | databaseId  |  parameter  |
 *  | LOCKSTEP | ASCII, zeros |   u32   | of page |    high      |    low      |     i64     |
 *  +----------+--------------+---------+---------+--------------+-------------+-------------+
 *  56                                             124        128
 *  +-----------------------------------------------+----------+
 *  |               reserved, zeros                 | checksum |
 *  +-----------------------------------------------+----------+
 * </pre>
 *
 * <ul>
 *   <li>{@code checksum}: CRC32C of bytes 0 to 123.
 *   <li>{@code parameter}: a number that only this kind of file knows the meaning of, for example the first LSN of a
 *       log segment; 0 if unused.
 *   <li>Magic, name, version and checksum keep their places in all versions to come, so that a newer file is told from
 *       a damaged one.
 * </ul>
 */
public final class FileHeaderLayout {
    /** Offset of the magic, an i64. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the name of the format. */
    public static final int NAME_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** Bytes of the name of the format, filled up with zeros. */
    public static final int NAME_BYTES = 16;

    /** Offset of the version, a u32. */
    public static final int VERSION_OFFSET = NAME_OFFSET + NAME_BYTES;

    /** Offset of the bytes of a page, a u32. */
    public static final int PAGE_BYTES_OFFSET = VERSION_OFFSET + Integer.BYTES;

    /** Offset of the first half of the database id, an i64. */
    public static final int DATABASE_ID_HIGH_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;

    /** Offset of the second half of the database id, an i64. */
    public static final int DATABASE_ID_LOW_OFFSET = DATABASE_ID_HIGH_OFFSET + Long.BYTES;

    /** Offset of the parameter, an i64. */
    public static final int PARAMETER_OFFSET = DATABASE_ID_LOW_OFFSET + Long.BYTES;

    /** Offset of the reserved bytes. */
    public static final int RESERVED_OFFSET = PARAMETER_OFFSET + Long.BYTES;

    /** Number of reserved bytes: room for what later versions want to say. */
    public static final int RESERVED_BYTES = 68;

    /** Offset of the checksum, a u32. */
    public static final int CHECKSUM_OFFSET = RESERVED_OFFSET + RESERVED_BYTES;

    /** Bytes of the header. */
    public static final int HEADER_BYTES = CHECKSUM_OFFSET + Integer.BYTES;

    /** The characters LOCKSTEP, first character first. */
    public static final long MAGIC = 0x5045_5453_4b43_4f4cL;

    static {
        if (HEADER_BYTES != 128 || HEADER_BYTES > PageLayout.PAGE_BYTES) {
            throw new AssertionError("file header layout does not add up");
        }
        for (FileFormat format : FileFormat.values()) {
            if (format.formatName().length() > NAME_BYTES) {
                throw new AssertionError("name of format too long: " + format);
            }
        }
    }

    private FileHeaderLayout() {}
}
