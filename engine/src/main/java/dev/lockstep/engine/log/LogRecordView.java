package dev.lockstep.engine.log;

import dev.lockstep.engine.memory.NativeMemory;

/**
 * One log record, read in place. The same view is moved from record to record, so whoever wants to keep something
 * copies it.
 *
 * <p>Not thread-safe, and valid only until its {@link LogReader} moves on or is closed.
 */
public final class LogRecordView {
    private NativeMemory memory = NativeMemory.NONE;
    private long address;
    private long lsn;

    /** Creates a view of nothing. */
    LogRecordView() {}

    /** Moves the view to the record at offset {@code address} of {@code memory}. */
    void moveTo(NativeMemory memory, long address, long lsn) {
        this.memory = memory;
        this.address = address;
        this.lsn = lsn;
    }

    /** LSN of the record: the position of its first byte in the stream. */
    public long lsn() {
        return lsn;
    }

    /** One of {@link LogRecordType}. */
    public byte type() {
        return memory.getByte(address + LogRecordLayout.TYPE_OFFSET);
    }

    /** Bits of {@link LogRecordType}. */
    public int flags() {
        return memory.getByte(address + LogRecordLayout.FLAGS_OFFSET);
    }

    /** The transaction, 0 if the record belongs to none. */
    public long transactionId() {
        return memory.getLong(address + LogRecordLayout.TRANSACTION_ID_OFFSET);
    }

    /** LSN of the record that the transaction wrote before, 0 if there is none. */
    public long previousLsn() {
        return memory.getLong(address + LogRecordLayout.PREVIOUS_LSN_OFFSET);
    }

    /** Whether the record compensates another one: it is redone, and never undone. */
    public boolean isCompensation() {
        return (flags() & LogRecordType.FLAG_COMPENSATION) != 0;
    }

    /** LSN of the record to undo next, 0 if none is left; only in compensation records. */
    public long undoNextLsn() {
        if (!isCompensation()) {
            throw new IllegalStateException("not a compensation record: lsn=" + lsn + ", type=" + type());
        }
        return memory.getLong(address + LogRecordLayout.UNDO_NEXT_LSN_OFFSET);
    }

    /** Bytes of the record, header included, padding excluded. */
    public int recordBytes() {
        return memory.getInt(address + LogRecordLayout.LENGTH_OFFSET);
    }

    /**
     * Where the body begins, counted from the start of the record: behind the header, and behind {@code undoNextLsn}
     * in a compensation record. So a body is read the same way in both.
     */
    public int bodyOffset() {
        return isCompensation() ? LogRecordLayout.COMPENSATION_BODY_OFFSET : LogRecordLayout.HEADER_BYTES;
    }

    /** Bytes of the body. */
    public int bodyBytes() {
        return recordBytes() - bodyOffset();
    }

    /** The body, read in place. */
    public NativeMemory body() {
        return memory.slice(address + bodyOffset(), bodyBytes());
    }

    /** The byte at {@code at} bytes from the start of the record. */
    public byte getByte(int at) {
        return memory.getByte(checked(at, Byte.BYTES));
    }

    /** The two bytes at {@code at} bytes from the start of the record. */
    public short getShort(int at) {
        return memory.getShort(checked(at, Short.BYTES));
    }

    /** The four bytes at {@code at} bytes from the start of the record. */
    public int getInt(int at) {
        return memory.getInt(checked(at, Integer.BYTES));
    }

    /** The eight bytes at {@code at} bytes from the start of the record. */
    public long getLong(int at) {
        return memory.getLong(checked(at, Long.BYTES));
    }

    /** Copies {@code length} bytes at {@code at} bytes from the start of the record to {@code target}. */
    public void getBytes(int at, byte[] target, int offset, int length) {
        memory.copyTo(checked(at, length), target, offset, length);
    }

    /** Copies {@code length} bytes at {@code at} bytes from the start of the record to {@code target}. */
    public void copyTo(int at, NativeMemory target, long offset, int length) {
        NativeMemory.copy(memory, checked(at, length), target, offset, length);
    }

    private long checked(int at, int length) {
        if (at < 0 || length < 0 || at > recordBytes() - length) {
            throw new IndexOutOfBoundsException("outside the log record: lsn=" + lsn + ", at=" + at + ", length="
                    + length + ", recordBytes=" + recordBytes());
        }
        return address + at;
    }
}
