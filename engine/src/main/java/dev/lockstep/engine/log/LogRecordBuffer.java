package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.FLAGS_OFFSET;
import static dev.lockstep.engine.log.LogRecordLayout.HEADER_BYTES;
import static dev.lockstep.engine.log.LogRecordLayout.LENGTH_OFFSET;
import static dev.lockstep.engine.log.LogRecordLayout.PREVIOUS_LSN_OFFSET;
import static dev.lockstep.engine.log.LogRecordLayout.RECORD_BYTES_MAX;
import static dev.lockstep.engine.log.LogRecordLayout.TRANSACTION_ID_OFFSET;
import static dev.lockstep.engine.log.LogRecordLayout.TYPE_OFFSET;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.ShortCopy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Builds one log record after the other in the same array: {@code begin}, any number of {@code put}s, then
 * {@link Log#append}. Records of one transaction that follow each other can also be built behind each other and
 * appended as one run: each but the first begins with {@link #RECORD_BEFORE} as its previous LSN. So can records of
 * several transactions, each with a previous LSN of its own: see {@link #goBehind}. Grows up to {@link
 * LogRecordLayout#RECORD_BYTES_MAX} and keeps its size, so that in steady state nothing is allocated.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code bytes[start, position)} is the record so far; behind {@code begin} it holds the header but for the
 *       length, which {@link #finish} stores.
 *   <li>{@code bytes[0, start)} are {@code recordCount - 1} finished records, each at a multiple of {@link
 *       LogRecordLayout#ALIGNMENT_BYTES}.
 *   <li>{@code position} is 0 only before the first {@code begin}, and at least the header's size afterwards.
 *   <li>The array only grows, up to {@link LogRecordLayout#RECORD_BYTES_MAX}. A record that would be longer is refused
 *       by the {@code put} that makes it so, and what was put before stays.
 * </ul>
 *
 * <p>Not thread-safe: each session has its own.
 */
public final class LogRecordBuffer {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * As the previous LSN of a record: it belongs behind the one that the buffer holds, whose LSN is known only when
     * both are appended. No LSN is negative.
     */
    public static final long RECORD_BEFORE = -1;

    /** First size of the array: most records of an online workload, which are below 500 bytes, never grow it. */
    private static final int INITIAL_BYTES = 512;

    private static final int BYTE_MASK = 0xFF;

    private static final int FLAGS_SHIFT = Byte.SIZE * (FLAGS_OFFSET - TYPE_OFFSET);

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int start;
    private int position;
    private int recordCount;
    private boolean goesBehind;

    /** Creates an empty buffer. */
    public LogRecordBuffer() {}

    /**
     * Starts a record; what was in the buffer is dropped, unless the record is to go behind it.
     *
     * @param type one of {@link LogRecordType}, at most {@link LogRecordType#APPLICATION_MAX}
     * @param flags bits of {@link LogRecordType}
     * @param transactionId the transaction, 0 if the record belongs to none
     * @param previousLsn LSN of the transaction's record before this one, 0 if there is none, or {@link
     *     #RECORD_BEFORE}
     * @return this buffer
     */
    public LogRecordBuffer begin(byte type, int flags, long transactionId, long previousLsn) {
        boolean isBehind = goesBehind || previousLsn == RECORD_BEFORE;
        goesBehind = false;
        if (isBehind) {
            position = finish();
            reserve(HEADER_BYTES);
            start = position;
            recordCount++;
        } else {
            start = 0;
            recordCount = 1;
        }
        // Type, flags and the reserved bytes, which are zero, in one write.
        INT.set(bytes, start + TYPE_OFFSET, Byte.toUnsignedInt(type) | (flags & BYTE_MASK) << FLAGS_SHIFT);
        LONG.set(bytes, start + TRANSACTION_ID_OFFSET, transactionId);
        LONG.set(bytes, start + PREVIOUS_LSN_OFFSET, previousLsn);
        position = start + HEADER_BYTES;
        return this;
    }

    /**
     * Has the record that begins next lie behind the one that the buffer holds, although it belongs to another
     * transaction: with the previous LSN that it begins with.
     */
    public void goBehind() {
        goesBehind = true;
    }

    /**
     * Starts a compensation record, which is redone but never undone.
     *
     * @param type the type of change that the compensation makes
     * @param transactionId the transaction that is rolled back
     * @param previousLsn LSN of the transaction's record before this one, 0 if there is none
     * @param undoNextLsn LSN of the record to undo next: {@code previousLsn} of the record undone here
     * @return this buffer, with {@code undoNextLsn} as the first field of the payload
     */
    public LogRecordBuffer beginCompensation(byte type, long transactionId, long previousLsn, long undoNextLsn) {
        return begin(type, LogRecordType.FLAG_COMPENSATION, transactionId, previousLsn)
                .putLong(undoNextLsn);
    }

    /** Appends one byte to the payload; only the low 8 bits count. */
    public LogRecordBuffer putByte(int value) {
        reserve(Byte.BYTES);
        bytes[position++] = (byte) value;
        return this;
    }

    /** Appends two bytes to the payload; only the low 16 bits count. */
    public LogRecordBuffer putShort(int value) {
        reserve(Short.BYTES);
        SHORT.set(bytes, position, (short) value);
        position += Short.BYTES;
        return this;
    }

    /** Appends four bytes to the payload. */
    public LogRecordBuffer putInt(int value) {
        reserve(Integer.BYTES);
        INT.set(bytes, position, value);
        position += Integer.BYTES;
        return this;
    }

    /** Appends eight bytes to the payload. */
    public LogRecordBuffer putLong(long value) {
        reserve(Long.BYTES);
        LONG.set(bytes, position, value);
        position += Long.BYTES;
        return this;
    }

    /** Appends {@code length} bytes of {@code source} from {@code offset} on to the payload. */
    public LogRecordBuffer putBytes(byte[] source, int offset, int length) {
        reserve(length);
        ShortCopy.copy(source, offset, bytes, position, length);
        position += length;
        return this;
    }

    /** Appends {@code length} bytes of {@code source} from {@code offset} on to the payload. */
    public LogRecordBuffer putSegment(NativeMemory source, long offset, int length) {
        reserve(length);
        ShortCopy.copy(source, offset, bytes, position, length);
        position += length;
        return this;
    }

    /** Where the next byte goes, counted from the start of the first record, its header included. */
    public int position() {
        return position;
    }

    /**
     * Replaces four bytes that were put before, a count that was not known then, say.
     *
     * @param at a former {@link #position()}
     * @param value what to store there
     */
    public void patchInt(int at, int value) {
        if (at < start + HEADER_BYTES || at + Integer.BYTES > position) {
            throw new IndexOutOfBoundsException("patch outside the payload: at=" + at + ", position=" + position);
        }
        INT.set(bytes, at, value);
    }

    /** Bytes of the records built so far, headers included. */
    public int recordBytes() {
        return position;
    }

    /** The number of records that lie behind each other. */
    public int recordCount() {
        return recordCount;
    }

    /** Where the last record begins, counted from the start of the first. */
    public int lastOffset() {
        return start;
    }

    /**
     * Where the record behind a finished one begins.
     *
     * @param offset where that one begins, counted from the start of the first
     */
    public int offsetBehind(int offset) {
        return offset + LogRecordLayout.alignedBytes((int) INT.get(bytes, offset + LENGTH_OFFSET));
    }

    /**
     * Chains the records behind the first to the one before, now that it is known where they will lie; but for those
     * that have a previous LSN.
     */
    void chain(long firstLsn) {
        int offset = 0;
        while (offset < start) {
            int behind = offsetBehind(offset);
            if ((long) LONG.get(bytes, behind + PREVIOUS_LSN_OFFSET) == RECORD_BEFORE) {
                LONG.set(bytes, behind + PREVIOUS_LSN_OFFSET, firstLsn + offset);
            }
            offset = behind;
        }
    }

    /**
     * Completes the record: stores its length and clears the padding. {@link Log#append} does this by itself.
     *
     * @return the room that all records take in the stream, a multiple of 8
     */
    public int finish() {
        if (position < HEADER_BYTES) {
            throw new IllegalStateException("no record begun");
        }
        int aligned = LogRecordLayout.alignedBytes(position);
        INT.set(bytes, start + LENGTH_OFFSET, position - start);
        if (aligned > bytes.length) {
            grow(aligned);
        }
        if (position + Long.BYTES <= bytes.length) {
            // At least the padding, which is shorter; nothing lies behind it.
            LONG.set(bytes, position, 0L);
        } else {
            Arrays.fill(bytes, position, aligned, (byte) 0);
        }
        return aligned;
    }

    /** The array that holds the records, from index 0 on; it may be another one after the next {@code put}. */
    public byte[] array() {
        return bytes;
    }

    private void reserve(int length) {
        if (length > bytes.length - position) {
            grow(Math.addExact(position, length));
        }
    }

    private void grow(int needed) {
        if (needed > RECORD_BYTES_MAX) {
            throw new RecordTooLargeException(Message.of("A log record is too large")
                    .with("recordBytes", needed)
                    .with("recordBytesMax", RECORD_BYTES_MAX)
                    .remedy("Split the change into several records."));
        }
        int capacity = Math.min(RECORD_BYTES_MAX, Math.max(needed, bytes.length * 2));
        bytes = Arrays.copyOf(bytes, LogRecordLayout.alignedBytes(capacity));
    }
}
