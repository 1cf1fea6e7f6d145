package dev.lockstep.engine.type;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The columns of one row, read and written where they lie in its bytes: what {@link dev.lockstep.engine.Record} is made
 * of.
 *
 * <p>Invariants, besides those of {@link StoredRow}:
 * <ul>
 *   <li>A setter that throws changes nothing.
 *   <li>A setter notes that its column has a value, and that the key has changed if the column is part of it. Of a row
 *       that was fetched the key has not changed where the column had that value: then the setter does nothing.
 * </ul>
 *
 * <p>Not thread-safe. Nothing here allocates once the arrays have grown to the largest row.
 */
public non-sealed class RecordBuffer extends StoredRow {
    /**
     * Makes an empty row.
     *
     * @param format the format of its table
     */
    protected RecordBuffer(RecordFormat format) {
        super(format);
    }

    /**
     * Whether a column is null.
     *
     * @param column its ordinal
     * @param access its access code
     * @return true if it is
     */
    protected final boolean isNull(int column, int access) {
        if ((access & ColumnEncoding.NULLABLE) == 0) {
            return false;
        }
        int bit = format.nullBit(column);
        return (valueBytes[bit >> 3] & 1 << (bit & 7)) != 0;
    }

    /**
     * Whether a column that is not part of the key has the same value, or is null, in another row of the same table.
     *
     * @param column its ordinal
     * @param other the other row
     * @return true if so; the rows count as equal in columns of the key
     */
    public final boolean equalsColumn(int column, RecordBuffer other) {
        int access = format.access(column);
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            return true;
        }
        boolean isNull = isNull(column, access);
        if (isNull || other.isNull(column, access)) {
            return isNull == other.isNull(column, access);
        }
        int encoding = access & ColumnEncoding.MASK;
        if (ColumnEncoding.widthBytes(encoding) == ColumnEncoding.VARIABLE) {
            return Arrays.equals(
                    valueBytes,
                    valueStart(access),
                    valueEnd(access),
                    other.valueBytes,
                    other.valueStart(access),
                    other.valueEnd(access));
        }
        return encoding == ColumnEncoding.DECIMAL16
                ? wideHigh(column, access) == other.wideHigh(column, access)
                        && wideLow(column, access) == other.wideLow(column, access)
                : number(column, access) == other.number(column, access);
    }

    private void setNullBit(int column, boolean isNull) {
        int bit = format.nullBit(column);
        int mask = 1 << (bit & 7);
        valueBytes[bit >> 3] = (byte) (isNull ? valueBytes[bit >> 3] | mask : valueBytes[bit >> 3] & ~mask);
    }

    /**
     * Takes the null bit, if there is one, from a column of fixed width that is about to be set.
     *
     * @param column its ordinal; not a column of the key
     * @param access its access code
     * @return its offset in the value
     */
    protected final int offsetOfNotNull(int column, int access) {
        if ((access & ColumnEncoding.NULLABLE) != 0) {
            setNullBit(column, false);
        }
        return ColumnEncoding.offset(access);
    }

    /**
     * Sets a column to null.
     *
     * @param column its ordinal
     */
    protected final void putNull(int column) {
        int access = format.access(column);
        if ((access & ColumnEncoding.NULLABLE) == 0) {
            throw ColumnErrors.nullForNotNull(format.tableName(), format.column(column));
        }
        int width = ColumnEncoding.widthBytes(access & ColumnEncoding.MASK);
        if (width == ColumnEncoding.VARIABLE) {
            openVariable(column, access, 0);
        } else {
            int offset = ColumnEncoding.offset(access);
            Arrays.fill(valueBytes, offset, offset + width, (byte) 0);
        }
        setNullBit(column, true);
        markAssigned(column);
    }

    private int keyStart(int column) {
        int offset = format.offset(column);
        return offset != KeyFormat.NOT_CONSTANT
                ? offset
                : format.keyFormat().locate(format.keyPart(column), keyBytes, 0, keyLength);
    }

    /**
     * Reads a column of at most eight bytes, wherever it lies.
     *
     * @param column its ordinal
     * @param access its access code
     * @return its number; the bits of a double
     * @throws dev.lockstep.engine.NullViolationException if it is null
     */
    protected final long number(int column, int access) {
        int encoding = access & ColumnEncoding.MASK;
        int width = ColumnEncoding.widthBytes(encoding);
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            long value = KeyCodec.getIntegral(keyBytes, keyStart(column), width, format.keyMask(column));
            return encoding == ColumnEncoding.FLOAT64 ? KeyCodec.sortable(value) : value;
        }
        if (isNull(column, access)) {
            throw ColumnErrors.nullRead(format.tableName(), format.column(column));
        }
        return RecordLayout.getIntegral(valueBytes, ColumnEncoding.offset(access), width);
    }

    /**
     * Reads a column that is {@link ColumnEncoding#INT32} and {@link ColumnEncoding#PLACED_IN_KEY}.
     *
     * @param access its access code
     * @return its number
     */
    protected final int keyInt(int access) {
        return KeyCodec.getInt(keyBytes, ColumnEncoding.offset(access));
    }

    /**
     * Sets a column that is {@link ColumnEncoding#INT32} and {@link ColumnEncoding#PLACED_IN_KEY}.
     *
     * @param column its ordinal
     * @param access its access code
     * @param value its number
     */
    protected final void putKeyInt(int column, int access, int value) {
        if (!isFetched() || keyInt(access) != value) {
            KeyCodec.putInt(keyBytes, ColumnEncoding.offset(access), value);
            keyChanged = true;
            markAssigned(column);
        }
    }

    /**
     * Reads a column that is {@link ColumnEncoding#INT16} and {@link ColumnEncoding#PLACED_IN_KEY}.
     *
     * @param access its access code
     * @return its number
     */
    protected final short keyShort(int access) {
        return KeyCodec.getShort(keyBytes, ColumnEncoding.offset(access));
    }

    /**
     * Sets a column that is {@link ColumnEncoding#INT16} and {@link ColumnEncoding#PLACED_IN_KEY}.
     *
     * @param column its ordinal
     * @param access its access code
     * @param value its number
     */
    protected final void putKeyShort(int column, int access, short value) {
        if (!isFetched() || keyShort(access) != value) {
            KeyCodec.putShort(keyBytes, ColumnEncoding.offset(access), value);
            keyChanged = true;
            markAssigned(column);
        }
    }

    /**
     * Sets a column of at most eight bytes, wherever it lies, to a number that was checked already.
     *
     * @param column its ordinal
     * @param access its access code
     * @param value its number; the bits of a double
     */
    protected final void putNumber(int column, int access, long value) {
        int encoding = access & ColumnEncoding.MASK;
        int width = ColumnEncoding.widthBytes(encoding);
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            long sortable = encoding == ColumnEncoding.FLOAT64 ? KeyCodec.sortable(value) : value;
            int at = keyStart(column);
            long mask = format.keyMask(column);
            if (isFetched() && KeyCodec.getIntegral(keyBytes, at, width, mask) == sortable) {
                return;
            }
            KeyCodec.putIntegral(keyBytes, at, width, sortable, mask);
            keyChanged = true;
        } else {
            RecordLayout.putIntegral(valueBytes, offsetOfNotNull(column, access), width, value);
        }
        markAssigned(column);
    }

    /**
     * The upper half of a 16-byte decimal that is not null.
     *
     * @param column its ordinal
     * @param access its access code
     * @return 64 bits
     */
    protected final long wideHigh(int column, int access) {
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            return KeyCodec.getWideHigh(keyBytes, keyStart(column), format.keyMask(column));
        }
        return RecordLayout.getLong(valueBytes, ColumnEncoding.offset(access) + RecordLayout.DECIMAL16_HIGH_OFFSET);
    }

    /**
     * The lower half of a 16-byte decimal that is not null.
     *
     * @param column its ordinal
     * @param access its access code
     * @return 64 bits
     */
    protected final long wideLow(int column, int access) {
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            return KeyCodec.getWideLow(keyBytes, keyStart(column), format.keyMask(column));
        }
        return RecordLayout.getLong(valueBytes, ColumnEncoding.offset(access));
    }

    /**
     * Sets a 16-byte decimal.
     *
     * @param column its ordinal
     * @param access its access code
     * @param high its upper half
     * @param low its lower half
     */
    protected final void putWide(int column, int access, long high, long low) {
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            if (isFetched() && high == wideHigh(column, access) && low == wideLow(column, access)) {
                return;
            }
            KeyCodec.putWide(keyBytes, keyStart(column), high, low, format.keyMask(column));
            keyChanged = true;
        } else {
            if ((access & ColumnEncoding.NULLABLE) != 0) {
                setNullBit(column, false);
            }
            RecordLayout.putLong(valueBytes, ColumnEncoding.offset(access), low);
            RecordLayout.putLong(valueBytes, ColumnEncoding.offset(access) + RecordLayout.DECIMAL16_HIGH_OFFSET, high);
        }
        markAssigned(column);
    }

    /**
     * Where a column of variable length begins in the value.
     *
     * @param access its access code; not that of a column of the key
     * @return index of its first byte
     */
    protected final int valueStart(int access) {
        int endOffset = ColumnEncoding.offset(access);
        return endOffset == format.endsOffset()
                ? format.minimumValueBytes()
                : RecordLayout.getEnd(valueBytes, endOffset - format.endBytes(), format.endBytes());
    }

    /**
     * Where a column of variable length ends in the value.
     *
     * @param access its access code; not that of a column of the key
     * @return index behind its last byte
     */
    protected final int valueEnd(int access) {
        return RecordLayout.getEnd(valueBytes, ColumnEncoding.offset(access), format.endBytes());
    }

    /**
     * The length of a column of variable length that is not null, decoded.
     *
     * @param column its ordinal
     * @param access its access code
     * @return bytes
     */
    protected final int variableBytes(int column, int access) {
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            return valueEnd(access) - valueStart(access);
        }
        int part = format.keyPart(column);
        KeyFormat keyFormat = format.keyFormat();
        int at = keyFormat.locate(part, keyBytes, 0, keyLength);
        return KeyCodec.decodedBytes(keyBytes, at, keyFormat.skip(part, keyBytes, at, keyLength), keyFormat.mask(part));
    }

    /**
     * Copies a column of variable length that is not null.
     *
     * @param column its ordinal
     * @param access its access code
     * @param target where to
     * @param at index of the first byte written
     * @return the number of bytes
     */
    protected final int copyVariable(int column, int access, byte[] target, int at) {
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            int start = valueStart(access);
            int bytes = valueEnd(access) - start;
            requireRoom(column, bytes, target, at);
            System.arraycopy(valueBytes, start, target, at, bytes);
            return bytes;
        }
        int bytes = variableBytes(column, access);
        requireRoom(column, bytes, target, at);
        int part = format.keyPart(column);
        KeyFormat keyFormat = format.keyFormat();
        int start = keyFormat.locate(part, keyBytes, 0, keyLength);
        int end = keyFormat.skip(part, keyBytes, start, keyLength);
        KeyCodec.getBytes(keyBytes, start, end, keyFormat.mask(part), target, at);
        return bytes;
    }

    private void requireRoom(int column, int bytes, byte[] target, int at) {
        if (at < 0 || bytes > target.length - at) {
            throw ColumnErrors.targetTooShort(
                    format.tableName(), format.column(column), bytes, (long) target.length - at);
        }
    }

    /**
     * Compares a column of variable length that is not null.
     *
     * @param column its ordinal
     * @param access its access code
     * @param other an array
     * @param from index of the first byte
     * @param length the number of bytes
     * @return true if the bytes are equal
     */
    protected final boolean equalsVariable(int column, int access, byte[] other, int from, int length) {
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            return Arrays.equals(valueBytes, valueStart(access), valueEnd(access), other, from, from + length);
        }
        int part = format.keyPart(column);
        KeyFormat keyFormat = format.keyFormat();
        int start = keyFormat.locate(part, keyBytes, 0, keyLength);
        int end = keyFormat.skip(part, keyBytes, start, keyLength);
        return KeyCodec.equalsBytes(keyBytes, start, end, keyFormat.mask(part), other, from, length);
    }

    /**
     * Sets a column of variable length to bytes that were checked already.
     *
     * @param column its ordinal
     * @param access its access code
     * @param source where they lie; not an array of this row
     * @param from index of the first
     * @param length their number
     */
    protected final void putBytes(int column, int access, byte[] source, int from, int length) {
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            int at = openVariable(column, access, length);
            System.arraycopy(source, from, valueBytes, at, length);
        } else {
            if (isFetched() && equalsVariable(column, access, source, from, length)) {
                return;
            }
            int part = format.keyPart(column);
            int at = openKeyPart(part, KeyCodec.encodedBytes(source, from, length));
            KeyCodec.putBytes(
                    source, from, length, keyBytes, at, format.keyFormat().mask(part));
        }
        markAssigned(column);
    }

    /**
     * Sets a column of variable length to text that was checked already.
     *
     * @param column its ordinal
     * @param access its access code
     * @param text the text
     * @param utf8Bytes its length in UTF-8
     */
    protected final void putText(int column, int access, String text, int utf8Bytes) {
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            int at = openVariable(column, access, utf8Bytes);
            Utf8.encode(text, valueBytes, at);
        } else {
            if (isFetched() && equalsText(column, access, text, utf8Bytes)) {
                return;
            }
            int part = format.keyPart(column);
            int encodedBytes = KeyCodec.encodedBytes(text, Math.min(utf8Bytes, RecordLayout.VALUE_BYTES_MAX));
            int at = openKeyPart(part, encodedBytes);
            KeyCodec.putString(
                    text, encodedBytes, keyBytes, at, format.keyFormat().mask(part));
        }
        markAssigned(column);
    }

    private boolean equalsText(int column, int access, String text, int utf8Bytes) {
        return variableBytes(column, access) == utf8Bytes
                && equalsVariable(column, access, text.getBytes(StandardCharsets.UTF_8), 0, utf8Bytes);
    }

    /** Gives a variable column of the value a new length, moving what lies behind it; returns where it begins. */
    private int openVariable(int column, int access, int length) {
        int start = valueStart(access);
        int oldEnd = valueEnd(access);
        long newLength = (long) valueLength + length - (oldEnd - start);
        if (newLength > RecordLayout.VALUE_BYTES_MAX) {
            throw ColumnErrors.valueTooLarge(format.tableName(), newLength);
        }
        int delta = (int) newLength - valueLength;
        if (delta != 0) {
            ensureValueCapacity((int) newLength);
            System.arraycopy(valueBytes, oldEnd, valueBytes, oldEnd + delta, valueLength - oldEnd);
            for (int i = format.variable(column); i < format.variableCount(); i++) {
                RecordLayout.putEnd(valueBytes, format.endOffset(i), format.endBytes(), variableEnd(i) + delta);
            }
            valueLength = (int) newLength;
        }
        if ((access & ColumnEncoding.NULLABLE) != 0) {
            setNullBit(column, false);
        }
        return start;
    }

    /** Gives a part of the key a new length, moving what lies behind it; returns where it begins. */
    private int openKeyPart(int part, int encodedBytes) {
        KeyFormat keyFormat = format.keyFormat();
        int start = keyFormat.locate(part, keyBytes, 0, keyLength);
        int oldEnd = keyFormat.skip(part, keyBytes, start, keyLength);
        int newLength = keyLength + encodedBytes - (oldEnd - start);
        if (newLength > KeyFormat.KEY_BYTES_MAX) {
            throw ColumnErrors.keyTooLarge(format.tableName(), newLength);
        }
        ensureKeyCapacity(newLength);
        System.arraycopy(keyBytes, oldEnd, keyBytes, start + encodedBytes, keyLength - oldEnd);
        keyLength = newLength;
        keyChanged = true;
        return start;
    }
}
