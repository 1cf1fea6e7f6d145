package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * The bytes of a key under construction: what {@link dev.lockstep.engine.Key} is made of, and how the engine reaches
 * them.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code bytes[0 .. length)} is the encoding of the first {@code columnCount} columns of the format, and
 *       {@code length <= KEY_BYTES_MAX}.
 *   <li>An append that throws changes neither {@code length} nor {@code columnCount}; bytes behind {@code length} have
 *       no meaning.
 * </ul>
 *
 * <p>Not thread-safe.
 */
public class KeyBuffer {
    /** First size of the array of keys that differ in length: holds most of them, and is a cache line. */
    private static final int INITIAL_BYTES = 64;

    /** More than a key of fixed length takes, so that eight bytes can be read from any place in it. */
    private static final int SPARE_BYTES = Long.BYTES;

    /** Parts that need no check of the key's length: all that lies before them is of fixed width. */
    private static final int INT32_PLACED = ColumnEncoding.INT32 | ColumnEncoding.PLACED_IN_KEY;

    private static final int INT16_PLACED = ColumnEncoding.INT16 | ColumnEncoding.PLACED_IN_KEY;

    private final KeyFormat format;
    private byte[] bytes;
    private int length;
    private int columnCount;

    /**
     * Makes an empty key.
     *
     * @param format the columns of the key
     */
    protected KeyBuffer(KeyFormat format) {
        this.format = format;
        int fixedBytes = format.fixedBytes();
        bytes = new byte[fixedBytes == KeyFormat.NOT_CONSTANT ? INITIAL_BYTES : fixedBytes + SPARE_BYTES];
    }

    /**
     * The columns of the key.
     *
     * @return the format
     */
    public final KeyFormat format() {
        return format;
    }

    /**
     * The array that holds the encoded key in its first {@link #length()} bytes; not a copy, and valid until the key is
     * changed. Callers must not write to it.
     *
     * @return the array
     */
    public final byte[] bytes() {
        return bytes;
    }

    /**
     * The encoded length.
     *
     * @return bytes
     */
    public final int length() {
        return length;
    }

    /**
     * How many columns have a value so far.
     *
     * @return 0 to {@code format().columnCount()}
     */
    public final int columnCount() {
        return columnCount;
    }

    /**
     * Whether all columns of the format have a value.
     *
     * @return true if complete
     */
    public final boolean isComplete() {
        return columnCount == format.columnCount();
    }

    /**
     * Compares two encoded keys of one format in key order.
     *
     * @param left a key
     * @param leftLength its bytes
     * @param right another
     * @param rightLength its bytes
     * @return negative, zero or positive as left comes before, equals or comes behind right; a prefix comes before
     *     every key that begins with it
     */
    public static int compare(byte[] left, int leftLength, byte[] right, int rightLength) {
        return Arrays.compareUnsigned(left, 0, leftLength, right, 0, rightLength);
    }

    /**
     * Turns bytes into the smallest byte string that is greater than everything that begins with them: the exclusive
     * end of a scan over a prefix.
     *
     * @param bytes the prefix, changed in place
     * @param length its number of bytes
     * @return the new length, not above the old one; or -1 if there is no such string, because all bytes were FF (or
     *     there were none), and the scan has no end; the bytes are then unchanged
     */
    public static int toPrefixSuccessor(byte[] bytes, int length) {
        for (int i = length - 1; i >= 0; i--) {
            if (bytes[i] != (byte) 0xFF) {
                bytes[i]++;
                return i + 1;
            }
        }
        return -1;
    }

    /**
     * Reads an INT32 part.
     *
     * @param part its position
     * @return its value
     * @throws IndexOutOfBoundsException if the key has no such part yet, which is a mistake of the caller
     */
    protected final int intAt(int part) {
        // One comparison, as Objects.checkIndex has, whose message nobody can choose without paying for it.
        if (Integer.compareUnsigned(part, columnCount) >= 0) {
            throw noSuchPart(part);
        }
        int access = format.access(part);
        if ((access & ColumnEncoding.MASK) != ColumnEncoding.INT32) {
            throw ColumnErrors.wrongType(format.name(), format.column(part), "int");
        }
        int at = format.locate(part, bytes, 0, length);
        if (format.isNull(part, bytes, at)) {
            throw ColumnErrors.nullRead(format.name(), format.column(part));
        }
        int start = (access & ColumnEncoding.NULLABLE) != 0 ? at + KeyCodec.MARKER_BYTES : at;
        return (int) KeyCodec.getIntegral(bytes, start, Integer.BYTES, format.mask(part));
    }

    private IndexOutOfBoundsException noSuchPart(int part) {
        return new IndexOutOfBoundsException(Message.of("The key has no value at this position")
                .with("name", format.name())
                .with("position", part)
                .with("columnCount", columnCount)
                .remedy("Add or load the columns up to it first, and count positions from 0."));
    }

    /**
     * Copies the key.
     *
     * @param target where to, with room for {@link #length()} bytes
     * @param at index of the first byte written
     * @return the number of bytes
     */
    public final int copyTo(byte[] target, int at) {
        System.arraycopy(bytes, 0, target, at, length);
        return length;
    }

    /**
     * Makes this key of bytes that are encoded already, such as those of a record or an index entry.
     *
     * @param source where they lie
     * @param from index of the first
     * @param lengthBytes their number, at most {@link KeyFormat#KEY_BYTES_MAX}
     * @param columns how many columns they encode
     */
    public final void setEncoded(byte[] source, int from, int lengthBytes, int columns) {
        if (lengthBytes > KeyFormat.KEY_BYTES_MAX) {
            throw ColumnErrors.keyTooLarge(format.name(), lengthBytes);
        }
        if (columns > format.columnCount()) {
            throw ColumnErrors.noSuchColumn(format.name(), columns, format.columnCount());
        }
        ensureCapacity(lengthBytes);
        System.arraycopy(source, from, bytes, 0, lengthBytes);
        length = lengthBytes;
        columnCount = columns;
    }

    /** Empties the key. */
    protected final void clear() {
        length = 0;
        columnCount = 0;
    }

    /**
     * Copies another key.
     *
     * @param other the key
     */
    protected final void copyFromBuffer(KeyBuffer other) {
        if (!other.format.equals(format)) {
            throw otherFormat(other.format);
        }
        setEncoded(other.bytes, 0, other.length, other.columnCount);
    }

    /**
     * The error of a key of another format.
     *
     * @param theirs the other format
     * @return the exception
     */
    protected final SchemaException otherFormat(KeyFormat theirs) {
        return new SchemaException(Message.of("The key belongs to another table or index")
                .with("expected", format.name())
                .with("actual", theirs.name())
                .remedy("Use a key that was made for this table or index."));
    }

    /**
     * The column that the next append fills.
     *
     * @return the column
     */
    protected final Column nextColumn() {
        if (columnCount >= format.columnCount()) {
            throw new SchemaException(Message.of("The key has a value for each of its columns already")
                    .with("name", format.name())
                    .with("columnCount", columnCount)
                    .remedy("Call reset() before the first column."));
        }
        return format.column(columnCount);
    }

    /**
     * Appends a number to the next column, which has a fixed width and was checked already.
     *
     * @param value the number
     */
    protected final void appendFixed(long value) {
        appendFixed(format.widthBytes(columnCount), value);
    }

    private void appendFixed(int width, long value) {
        int at = open(width);
        KeyCodec.putIntegral(bytes, at, width, value, format.mask(columnCount));
        close(at + width);
    }

    /**
     * Appends a whole number.
     *
     * @param value the number
     */
    protected final void appendInteger(long value) {
        int access = columnCount < format.columnCount() ? format.access(columnCount) : -1;
        if (access == INT32_PLACED && value == (int) value) {
            ensureCapacity(length + Integer.BYTES);
            KeyCodec.putInt(bytes, length, (int) value);
            close(length + Integer.BYTES);
        } else if (access == INT16_PLACED && value == (short) value) {
            ensureCapacity(length + Short.BYTES);
            KeyCodec.putShort(bytes, length, (short) value);
            close(length + Short.BYTES);
        } else {
            appendOtherInteger(value);
        }
    }

    private void appendOtherInteger(long value) {
        Column column = nextColumn();
        int encoding = format.access(columnCount) & ColumnEncoding.MASK;
        appendFixed(ColumnValues.requireInteger(format.name(), column, encoding, value));
    }

    /**
     * Appends a double.
     *
     * @param value the number
     */
    protected final void appendDouble(double value) {
        Column column = nextColumn();
        if ((format.access(columnCount) & ColumnEncoding.MASK) != ColumnEncoding.FLOAT64) {
            throw ColumnErrors.wrongType(format.name(), column, "double");
        }
        appendFixed(KeyCodec.sortable(Double.doubleToLongBits(value)));
    }

    /**
     * Appends an unscaled decimal.
     *
     * @param unscaled the number without its point
     */
    protected final void appendUnscaled(long unscaled) {
        Column column = nextColumn();
        int encoding = format.access(columnCount) & ColumnEncoding.MASK;
        ColumnValues.requireUnscaled(format.name(), column, encoding, unscaled);
        if (encoding == ColumnEncoding.DECIMAL16) {
            appendWide(unscaled >> (Long.SIZE - 1), unscaled);
        } else {
            appendFixed(unscaled);
        }
    }

    /**
     * Appends a decimal.
     *
     * @param value the number
     */
    protected final void appendDecimal(BigDecimal value) {
        Column column = nextColumn();
        BigInteger unscaled = ColumnValues.unscaled(format.name(), column, value);
        if ((format.access(columnCount) & ColumnEncoding.MASK) == ColumnEncoding.DECIMAL16) {
            appendWide(ColumnValues.high(unscaled), unscaled.longValue());
        } else {
            appendFixed(unscaled.longValueExact());
        }
    }

    /**
     * Appends a string.
     *
     * @param value the string
     */
    protected final void appendString(String value) {
        Column column = nextColumn();
        int encoding = format.access(columnCount) & ColumnEncoding.MASK;
        int utf8Bytes = ColumnValues.requireText(format.name(), column, encoding, value);
        requireRoom(utf8Bytes);
        int encodedBytes = KeyCodec.encodedBytes(value, utf8Bytes);
        int at = open(encodedBytes);
        close(KeyCodec.putString(value, encodedBytes, bytes, at, format.mask(columnCount)));
    }

    /**
     * Appends UTF-8 or bytes.
     *
     * @param used {@link ColumnEncoding#STRING} or {@link ColumnEncoding#BINARY}
     * @param source where the value lies
     * @param from index of its first byte
     * @param lengthBytes its bytes
     */
    protected final void appendBytes(int used, byte[] source, int from, int lengthBytes) {
        Column column = nextColumn();
        int encoding = format.access(columnCount) & ColumnEncoding.MASK;
        ColumnValues.requireBytes(format.name(), column, encoding, used, source, from, lengthBytes);
        requireRoom(lengthBytes);
        int at = open(KeyCodec.encodedBytes(source, from, lengthBytes));
        close(KeyCodec.putBytes(source, from, lengthBytes, bytes, at, format.mask(columnCount)));
    }

    /** Appends a null. */
    protected final void appendNull() {
        Column column = nextColumn();
        if (!column.nullable()) {
            throw ColumnErrors.nullForNotNull(format.name(), column);
        }
        requireRoom(KeyCodec.MARKER_BYTES);
        ensureCapacity(length + KeyCodec.MARKER_BYTES);
        KeyCodec.putMarker(bytes, length, KeyCodec.MARKER_NULL, format.mask(columnCount));
        close(length + KeyCodec.MARKER_BYTES);
    }

    private void appendWide(long high, long low) {
        int width = format.widthBytes(columnCount);
        int at = open(width);
        KeyCodec.putWide(bytes, at, high, low, format.mask(columnCount));
        close(at + width);
    }

    /** Makes room for the next column and writes its marker; returns where its value goes. */
    private int open(int valueBytes) {
        boolean marked = (format.access(columnCount) & ColumnEncoding.NULLABLE) != 0;
        int markerBytes = marked ? KeyCodec.MARKER_BYTES : 0;
        requireRoom(markerBytes + valueBytes);
        ensureCapacity(length + markerBytes + valueBytes);
        if (marked) {
            KeyCodec.putMarker(bytes, length, KeyCodec.MARKER_VALUE, format.mask(columnCount));
        }
        return length + markerBytes;
    }

    private void close(int end) {
        length = end;
        columnCount++;
    }

    private void requireRoom(int moreBytes) {
        if (moreBytes > KeyFormat.KEY_BYTES_MAX - length) {
            throw ColumnErrors.keyTooLarge(format.name(), (long) length + moreBytes);
        }
    }

    private void ensureCapacity(int neededBytes) {
        if (neededBytes > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(neededBytes, 2 * bytes.length));
        }
    }

    /** The values of the key, for messages and debuggers. */
    @Override
    public final String toString() {
        return format.name() + format.describe(bytes, length);
    }
}
