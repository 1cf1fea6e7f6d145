package dev.lockstep.engine.type;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import java.util.Arrays;

/**
 * The bytes of one row: what {@link dev.lockstep.engine.Record} is made of, and how the engine loads and stores them.
 *
 * <p>The engine loads a row by writing its key and value into the arrays of {@link #ensureKeyCapacity} and
 * {@link #ensureValueCapacity}, setting the lengths, and calling {@link #loaded()} once it knows the bytes to be
 * consistent. It stores a row by calling {@link #sealForInsert()} and copying the bytes out.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code keyBytes[0 .. keyLength)} and {@code valueBytes[0 .. valueLength)} are valid encodings of the format at
 *       all times outside a load; columns that have no value yet are null, zero or empty there.
 *   <li>{@code valueBytes.length >= format.minimumValueBytes()}, so columns of fixed width are read without a further
 *       check.
 *   <li>{@code assigned} has the bit of each column that was set since it was emptied, or of all after {@link
 *       #loaded()}.
 *   <li>A setter that throws changes nothing.
 * </ul>
 *
 * <p>Not thread-safe. Nothing here allocates once the arrays have grown to the largest row.
 */
public class RecordBuffer implements RecordTarget {
    /**
     * First size of the value array at most: a usual row, so that most records never grow, while one for a table of
     * long rows does not begin with megabytes.
     */
    private static final int INITIAL_VALUE_BYTES_MAX = 1_024;

    /** First size of the key array at least: holds most keys, and a cache line. */
    private static final int INITIAL_KEY_BYTES_MIN = 64;

    /** The row was not read from a page. */
    public static final int NO_POSITION = -1;

    /** Columns from this ordinal on share the last bit of {@code changed}. */
    private static final int LAST_CHANGED_BIT = Long.SIZE - 1;

    /** Where the columns lie. */
    protected final RecordFormat format;

    /** The encoded key, in the first {@code keyLength} bytes. */
    protected byte[] keyBytes;

    /** The encoded value, in the first {@code valueLength} bytes. */
    protected byte[] valueBytes;

    private int keyLength;
    private int valueLength;
    private final long[] assigned;
    private boolean keyChanged;
    private long changed;
    private int positionPageId = NO_POSITION;
    private int positionFrame;
    private int positionSlot;
    private long positionVersion;
    private int positionTreeStamp;

    /**
     * Makes an empty row.
     *
     * @param format the format of its table
     */
    protected RecordBuffer(RecordFormat format) {
        this.format = format;
        keyBytes = new byte[Math.max(INITIAL_KEY_BYTES_MIN, format.keyTemplate().length)];
        valueBytes = new byte
                [Math.max(format.minimumValueBytes(), Math.min(format.maximumValueBytes(), INITIAL_VALUE_BYTES_MAX))];
        assigned = new long[RecordFormat.wordsOf(format.columnCount())];
        setEmpty();
    }

    /**
     * The format of the row's table.
     *
     * @return the format
     */
    public final RecordFormat format() {
        return format;
    }

    /**
     * The array that holds the encoded primary key. For the engine: not a copy, replaced when it grows.
     *
     * @return the array
     */
    public final byte[] keyBytes() {
        return keyBytes;
    }

    /**
     * The length of the encoded primary key.
     *
     * @return bytes
     */
    public final int keyLength() {
        return keyLength;
    }

    /**
     * Makes room for a key to be loaded; keeps what is there.
     *
     * @param bytes how many it must hold
     * @return the array to write to
     */
    @Override
    public final byte[] ensureKeyCapacity(int bytes) {
        if (bytes > keyBytes.length) {
            keyBytes = Arrays.copyOf(keyBytes, Math.max(bytes, 2 * keyBytes.length));
        }
        return keyBytes;
    }

    /**
     * Sets the length of the key that was written to the array.
     *
     * @param bytes the length
     */
    @Override
    public final void setKeyLength(int bytes) {
        keyLength = bytes;
    }

    /**
     * The array that holds the encoded value ({@link RecordLayout}). For the engine: not a copy, replaced when it
     * grows.
     *
     * @return the array
     */
    public final byte[] valueBytes() {
        return valueBytes;
    }

    /**
     * The length of the encoded value.
     *
     * @return bytes
     */
    public final int valueLength() {
        return valueLength;
    }

    /**
     * Makes room for a value to be loaded; keeps what is there.
     *
     * @param bytes how many it must hold, at most {@link RecordLayout#VALUE_BYTES_MAX}
     * @return the array to write to
     */
    @Override
    public final byte[] ensureValueCapacity(int bytes) {
        if (bytes > valueBytes.length) {
            int doubled = Math.min(2 * valueBytes.length, RecordLayout.VALUE_BYTES_MAX);
            valueBytes = Arrays.copyOf(valueBytes, Math.max(bytes, doubled));
        }
        return valueBytes;
    }

    /**
     * Sets the length of the value that was written to the array.
     *
     * @param bytes the length
     */
    @Override
    public final void setValueLength(int bytes) {
        valueLength = bytes;
    }

    /**
     * Ends a load: from here on the row counts as one with all columns set and its key unchanged. To be called only
     * when the bytes are known to be a consistent copy.
     *
     * @throws CorruptionException if the lengths do not fit the format; the row is then empty
     */
    public final void loaded() {
        int variableCount = format.variableCount();
        boolean fits = valueLength >= format.minimumValueBytes()
                && keyLength >= format.keyTemplate().length
                && (variableCount == 0
                        ? valueLength == format.minimumValueBytes()
                        : variableEnd(variableCount - 1) == valueLength);
        if (!fits) {
            CorruptionException failure =
                    new CorruptionException(Message.of("A stored row does not have the form of its table")
                            .with("table", format.tableName())
                            .with("keyBytes", keyLength)
                            .with("valueBytes", valueLength)
                            .with("valueBytesMin", format.minimumValueBytes())
                            .remedy("Restore the database from a backup and examine the medium."));
            setEmpty();
            throw failure;
        }
        Arrays.fill(assigned, -1L);
        keyChanged = false;
        changed = 0;
    }

    /**
     * Remembers where the row was read.
     *
     * @param pageId its page
     * @param frame the frame that held the page
     * @param slot its slot
     * @param version the version of the frame's latch under which that was so
     * @param treeStamp identifies the tree within this JVM
     */
    @Override
    public final void setPosition(int pageId, int frame, int slot, long version, int treeStamp) {
        positionPageId = pageId;
        positionFrame = frame;
        positionSlot = slot;
        positionVersion = version;
        positionTreeStamp = treeStamp;
    }

    /**
     * The page that the row was read from: a hint, the row may have moved since.
     *
     * @return the page id, or {@link #NO_POSITION}
     */
    public final int positionPageId() {
        return positionPageId;
    }

    /**
     * The frame that held the page.
     *
     * @return the frame
     */
    public final int positionFrame() {
        return positionFrame;
    }

    /**
     * The slot that held the row.
     *
     * @return the slot
     */
    public final int positionSlot() {
        return positionSlot;
    }

    /**
     * The version of the frame's latch when the row was read.
     *
     * @return the version
     */
    public final long positionVersion() {
        return positionVersion;
    }

    /**
     * The tree that the row was read from.
     *
     * @return its stamp
     */
    public final int positionTreeStamp() {
        return positionTreeStamp;
    }

    /**
     * Which columns were set since the row was loaded.
     *
     * @param columns bit c for column c, the last bit for all columns from 63 on
     * @return true if one of them was, even to the value it had
     */
    public final boolean isChanged(long columns) {
        return (changed & columns) != 0;
    }

    /**
     * The bit of a column for {@link #isChanged}.
     *
     * @param column its ordinal
     * @return a mask with one bit
     */
    public static long changedBit(int column) {
        return 1L << Math.min(column, LAST_CHANGED_BIT);
    }

    /**
     * Checks that the row is fit to be inserted, or to replace a row. Its bytes are then what {@link #keyBytes()} and
     * {@link #valueBytes()} give; there is nothing left to encode.
     *
     * @throws dev.lockstep.engine.NullViolationException if a NOT NULL column has no value
     */
    public final void sealForInsert() {
        for (int word = 0; word < assigned.length; word++) {
            long missing = format.required(word) & ~assigned[word];
            if (missing != 0) {
                int column = word * Long.SIZE + Long.numberOfTrailingZeros(missing);
                throw ColumnErrors.nullForNotNull(format.tableName(), format.column(column));
            }
        }
    }

    /**
     * Whether a column of the primary key was set since the row was loaded or emptied. A changed row can then not be
     * written back to where it came from.
     *
     * @return true if one was, even to the value it had
     */
    public final boolean isKeyChanged() {
        return keyChanged;
    }

    /** Empties the row: nullable columns are null, the others have no value. */
    protected final void setEmpty() {
        byte[] key = format.keyTemplate();
        System.arraycopy(key, 0, keyBytes, 0, key.length);
        keyLength = key.length;
        byte[] value = format.valueTemplate();
        System.arraycopy(value, 0, valueBytes, 0, value.length);
        valueLength = value.length;
        Arrays.fill(assigned, 0);
        keyChanged = false;
        changed = 0;
        positionPageId = NO_POSITION;
    }

    /**
     * Makes this row equal to another, its unset columns included.
     *
     * @param other a row of the same table, or of one with equal columns and primary key
     * @throws SchemaException if its format is another
     */
    protected final void copyFromBuffer(RecordBuffer other) {
        if (!other.format.equals(format)) {
            throw new SchemaException(Message.of("The record belongs to another table")
                    .with("expected", format.tableName())
                    .with("actual", other.format.tableName())
                    .remedy("Use a record that was made for this table."));
        }
        ensureKeyCapacity(other.keyLength);
        System.arraycopy(other.keyBytes, 0, keyBytes, 0, other.keyLength);
        keyLength = other.keyLength;
        ensureValueCapacity(other.valueLength);
        System.arraycopy(other.valueBytes, 0, valueBytes, 0, other.valueLength);
        valueLength = other.valueLength;
        System.arraycopy(other.assigned, 0, assigned, 0, assigned.length);
        keyChanged = other.keyChanged;
        changed = other.changed;
        setPosition(
                other.positionPageId,
                other.positionFrame,
                other.positionSlot,
                other.positionVersion,
                other.positionTreeStamp);
    }

    /**
     * Whether a column has a value, or is null because that was chosen or read.
     *
     * @param column its ordinal
     * @return false if it was not set since the row was emptied
     */
    protected final boolean isAssigned(int column) {
        format.access(column);
        return (assigned[column >> 6] & 1L << column) != 0;
    }

    /**
     * Notes that a column has a value.
     *
     * @param column its ordinal
     */
    protected final void markAssigned(int column) {
        assigned[column >> 6] |= 1L << column;
        changed |= changedBit(column);
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
                    valueStart(column),
                    valueEnd(column),
                    other.valueBytes,
                    other.valueStart(column),
                    other.valueEnd(column));
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
            openVariable(column, 0);
        } else {
            Arrays.fill(valueBytes, format.offset(column), format.offset(column) + width, (byte) 0);
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
        return RecordLayout.getIntegral(valueBytes, format.offset(column), width);
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
            KeyCodec.putIntegral(keyBytes, keyStart(column), width, sortable, format.keyMask(column));
            keyChanged = true;
        } else {
            if ((access & ColumnEncoding.NULLABLE) != 0) {
                setNullBit(column, false);
            }
            RecordLayout.putIntegral(valueBytes, format.offset(column), width, value);
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
        return RecordLayout.getLong(valueBytes, format.offset(column) + RecordLayout.DECIMAL16_HIGH_OFFSET);
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
        return RecordLayout.getLong(valueBytes, format.offset(column));
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
            KeyCodec.putWide(keyBytes, keyStart(column), high, low, format.keyMask(column));
            keyChanged = true;
        } else {
            if ((access & ColumnEncoding.NULLABLE) != 0) {
                setNullBit(column, false);
            }
            RecordLayout.putLong(valueBytes, format.offset(column), low);
            RecordLayout.putLong(valueBytes, format.offset(column) + RecordLayout.DECIMAL16_HIGH_OFFSET, high);
        }
        markAssigned(column);
    }

    private int variableEnd(int variable) {
        return RecordLayout.getEnd(valueBytes, format.endOffset(variable), format.endBytes());
    }

    private int variableStart(int variable) {
        return variable == 0 ? format.minimumValueBytes() : variableEnd(variable - 1);
    }

    /**
     * Where a column of variable length begins in the value.
     *
     * @param column its ordinal; not a column of the key
     * @return index of its first byte
     */
    protected final int valueStart(int column) {
        return variableStart(format.variable(column));
    }

    /**
     * Where a column of variable length ends in the value.
     *
     * @param column its ordinal; not a column of the key
     * @return index behind its last byte
     */
    protected final int valueEnd(int column) {
        return variableEnd(format.variable(column));
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
            return valueEnd(column) - valueStart(column);
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
        int bytes = variableBytes(column, access);
        if (at < 0 || bytes > target.length - at) {
            throw ColumnErrors.targetTooShort(
                    format.tableName(), format.column(column), bytes, (long) target.length - at);
        }
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            System.arraycopy(valueBytes, valueStart(column), target, at, bytes);
        } else {
            int part = format.keyPart(column);
            KeyFormat keyFormat = format.keyFormat();
            int start = keyFormat.locate(part, keyBytes, 0, keyLength);
            int end = keyFormat.skip(part, keyBytes, start, keyLength);
            KeyCodec.getBytes(keyBytes, start, end, keyFormat.mask(part), target, at);
        }
        return bytes;
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
            return Arrays.equals(valueBytes, valueStart(column), valueEnd(column), other, from, from + length);
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
            int at = openVariable(column, length);
            System.arraycopy(source, from, valueBytes, at, length);
        } else {
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
            int at = openVariable(column, utf8Bytes);
            Utf8.encode(text, valueBytes, at);
        } else {
            int part = format.keyPart(column);
            int encodedBytes = KeyCodec.encodedBytes(text, Math.min(utf8Bytes, RecordLayout.VALUE_BYTES_MAX));
            int at = openKeyPart(part, encodedBytes);
            KeyCodec.putString(
                    text, encodedBytes, keyBytes, at, format.keyFormat().mask(part));
        }
        markAssigned(column);
    }

    /** Gives a variable column of the value a new length, moving what lies behind it; returns where it begins. */
    private int openVariable(int column, int length) {
        int variable = format.variable(column);
        int start = variableStart(variable);
        int oldEnd = variableEnd(variable);
        long newLength = (long) valueLength + length - (oldEnd - start);
        if (newLength > RecordLayout.VALUE_BYTES_MAX) {
            throw ColumnErrors.valueTooLarge(format.tableName(), newLength);
        }
        int delta = (int) newLength - valueLength;
        if (delta != 0) {
            ensureValueCapacity((int) newLength);
            System.arraycopy(valueBytes, oldEnd, valueBytes, oldEnd + delta, valueLength - oldEnd);
            for (int i = variable; i < format.variableCount(); i++) {
                RecordLayout.putEnd(valueBytes, format.endOffset(i), format.endBytes(), variableEnd(i) + delta);
            }
            valueLength = (int) newLength;
        }
        if (format.nullBit(column) >= 0) {
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
