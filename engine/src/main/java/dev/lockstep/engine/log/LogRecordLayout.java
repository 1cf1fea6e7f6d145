package dev.lockstep.engine.log;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Where the fields of a log record lie. All integers are little-endian.
 *
 * <pre>
 * every record but PAD                          SEAL: the header, then
 *  0        4    5     6        8               24          32            40         44
 *  +--------+----+-----+--------+---------      +-----------+-------------+----------+----------+
 *  | length |type|flags|reserved| transac-      |  fromLsn  | durableLsn  | reserved | checksum |
 *  +--------+----+-----+--------+---------      +-----------+-------------+----------+----------+
 *        8               16             24
 *  ------+---------------+--------------+------------------ - - ---+---------+
 *    tionId  (8 bytes)   | previousLsn  | payload                  | 0 to 7  |
 *  ------+---------------+--------------+------------------ - - ---+---------+
 *
 * PAD                                           compensation record: the payload begins with
 *  0        4    5     6        8               24            32
 *  +--------+----+-----+--------+-- - -         +-------------+---------- - -
 *  | length |type|flags|reserved| zeros         | undoNextLsn | body
 *  +--------+----+-----+--------+-- - -         +-------------+---------- - -
 * </pre>
 *
 * <ul>
 *   <li>{@code length}: bytes of the record, header included, padding excluded. The next record begins at the next
 *       multiple of {@link #ALIGNMENT_BYTES}, so no header field ever crosses the end of the log's ring.
 *   <li>{@code type}, {@code flags}: see {@link LogRecordType}.
 *   <li>{@code transactionId}: 0 if the record belongs to no transaction.
 *   <li>{@code previousLsn}: LSN of the record that the same transaction wrote before, 0 if there is none.
 *   <li>{@code undoNextLsn}: the record of the transaction that is to be undone next, 0 if none is left.
 *   <li>{@code fromLsn}: where the batch begins that the seal ends; {@code durableLsn}: up to where the log was on
 *       disk for certain when the seal was written; {@code checksum}: CRC32C of everything from {@code fromLsn} up to
 *       the checksum itself.
 * </ul>
 *
 * <p>The record header and the chain of previous LSNs follow ARIES (Mohan et al. 1992, section 4.1).
 */
public final class LogRecordLayout {
    /** Records begin at multiples of this, in the stream and in the ring. */
    public static final int ALIGNMENT_BYTES = 8;

    public static final int LENGTH_OFFSET = 0;
    public static final int TYPE_OFFSET = 4;
    public static final int FLAGS_OFFSET = 5;
    public static final int RESERVED_OFFSET = 6;
    public static final int TRANSACTION_ID_OFFSET = 8;
    public static final int PREVIOUS_LSN_OFFSET = 16;

    /** Size of the header, and where the payload begins. */
    public static final int HEADER_BYTES = 24;

    /** Where a compensation record names the record to undo next, from the start of the record. */
    public static final int UNDO_NEXT_LSN_OFFSET = HEADER_BYTES;

    /** Where what follows {@code undoNextLsn} begins in a compensation record. */
    public static final int COMPENSATION_BODY_OFFSET = UNDO_NEXT_LSN_OFFSET + Long.BYTES;

    public static final int SEAL_FROM_LSN_OFFSET = HEADER_BYTES;
    public static final int SEAL_DURABLE_LSN_OFFSET = 32;
    public static final int SEAL_RESERVED_OFFSET = 40;
    public static final int SEAL_CHECKSUM_OFFSET = 44;

    /** Size of a seal. */
    public static final int SEAL_BYTES = 48;

    /** Size of the smallest PAD record: length, type, flags and reserved bytes. */
    public static final int PAD_BYTES_MIN = 8;

    /**
     * Largest record, header included. Large enough for the images of seven pages in one atomic change, small enough
     * that copying one under the tail latch takes a few microseconds. Longer values are logged page by page.
     */
    public static final int RECORD_BYTES_MAX = 64 * 1024;

    /** The LSN of the first record of a new database. 0 means "no LSN", so the stream begins behind it. */
    public static final long LSN_FIRST = 4096;

    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    static {
        require(TYPE_OFFSET == LENGTH_OFFSET + Integer.BYTES);
        require(FLAGS_OFFSET == TYPE_OFFSET + Byte.BYTES);
        require(RESERVED_OFFSET == FLAGS_OFFSET + Byte.BYTES);
        require(TRANSACTION_ID_OFFSET == RESERVED_OFFSET + Short.BYTES);
        require(PREVIOUS_LSN_OFFSET == TRANSACTION_ID_OFFSET + Long.BYTES);
        require(HEADER_BYTES == PREVIOUS_LSN_OFFSET + Long.BYTES);
        require(SEAL_DURABLE_LSN_OFFSET == SEAL_FROM_LSN_OFFSET + Long.BYTES);
        require(SEAL_RESERVED_OFFSET == SEAL_DURABLE_LSN_OFFSET + Long.BYTES);
        require(SEAL_CHECKSUM_OFFSET == SEAL_RESERVED_OFFSET + Integer.BYTES);
        require(SEAL_BYTES == SEAL_CHECKSUM_OFFSET + Integer.BYTES);
        require(PAD_BYTES_MIN == RESERVED_OFFSET + Short.BYTES);
        require(PAD_BYTES_MIN == ALIGNMENT_BYTES);
        require(SEAL_BYTES % ALIGNMENT_BYTES == 0);
        require(RECORD_BYTES_MAX % ALIGNMENT_BYTES == 0);
        require(LSN_FIRST % ALIGNMENT_BYTES == 0 && LSN_FIRST > 0);
    }

    private LogRecordLayout() {}

    /**
     * The room a record takes in the stream.
     *
     * @param recordBytes the record's length
     * @return the length rounded up to a multiple of {@link #ALIGNMENT_BYTES}
     */
    public static int alignedBytes(int recordBytes) {
        return (recordBytes + (ALIGNMENT_BYTES - 1)) & -ALIGNMENT_BYTES;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new ExceptionInInitializerError("the fields of a log record overlap or leave a gap");
        }
    }
}
