package dev.lockstep.engine;

import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnEncoding;
import dev.lockstep.engine.type.ColumnErrors;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.ColumnValues;
import dev.lockstep.engine.type.RecordBuffer;
import dev.lockstep.engine.type.RecordFormat;
import dev.lockstep.engine.type.RecordLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * One row of a table, read and written in place, without an object per row or per value.
 *
 * <p>A record is made once and used for many rows: fetches and scans fill it, {@link #clear()} empties it for a new
 * row. Columns are addressed by ordinal, counted from 0 in declared order ({@link TableDefinition#ordinal}); key
 * columns and others alike, in any order. A column that was not set since {@link #clear()} is null if it may be, and
 * otherwise reads as zero, false or empty and prevents an insert.
 *
 * <p>Every setter checks before it changes anything: a column that does not exist or has another type gives a
 * {@link SchemaException}, a value that does not fit a {@link ValueOutOfRangeException}, null for a NOT NULL column a
 * {@link NullViolationException}, a row that grows too long a {@link RecordTooLargeException}; the record is then as it
 * was before. A getter of a primitive throws a {@link NullViolationException} if the column is null, a getter of an
 * object returns null. Whole numbers are widened and narrowed where no digit is lost; other types are not converted.
 *
 * <p>Getters and setters of primitives, UTF-8 and bytes allocate nothing, once the record has grown to the longest row.
 * A record is not thread-safe and belongs to one transaction at a time.
 */
public final class Record extends RecordBuffer {
    /** Encodings and flags of most columns of keys. */
    private static final int INT32_IN_KEY = ColumnEncoding.INT32 | ColumnEncoding.IN_KEY | ColumnEncoding.PLACED_IN_KEY;

    private static final int INT16_IN_KEY = ColumnEncoding.INT16 | ColumnEncoding.IN_KEY | ColumnEncoding.PLACED_IN_KEY;

    /**
     * Makes an empty record.
     *
     * @param table the table whose rows it will hold
     */
    public Record(TableDefinition table) {
        this(table.recordFormat());
    }

    /**
     * Makes an empty record.
     *
     * @param format the format of the rows it will hold
     */
    public Record(RecordFormat format) {
        super(format);
    }

    /**
     * Empties the record for a new row.
     *
     * @return this record
     */
    public Record clear() {
        setEmpty();
        return this;
    }

    /**
     * Makes this record equal to another one.
     *
     * @param other a record of the same table
     * @return this record
     * @throws SchemaException if it belongs to a table with other columns
     */
    public Record copyFrom(Record other) {
        copyFromBuffer(other);
        return this;
    }

    /**
     * Whether a column is null.
     *
     * @param column its ordinal
     * @return true if it is
     */
    public boolean isNull(int column) {
        return isNull(column, format.access(column));
    }

    /**
     * Whether a column was set, to a value or to null, since the record was emptied; true for all once a row was read.
     *
     * @param column its ordinal
     * @return true if it was
     */
    public boolean isSet(int column) {
        return isAssigned(column);
    }

    /**
     * Sets a column to null.
     *
     * @param column its ordinal
     */
    public void setNull(int column) {
        putNull(column);
    }

    /**
     * Reads a column of type INT32 or INT16.
     *
     * @param column its ordinal
     * @return its value
     */
    public int getInt(int column) {
        int access = format.access(column);
        int type = access & ColumnEncoding.TYPE_MASK;
        if (type == ColumnEncoding.INT32) {
            return RecordLayout.getInt(valueBytes, ColumnEncoding.offset(access));
        }
        if (type == INT32_IN_KEY) {
            return keyInt(access);
        }
        if (type == ColumnEncoding.INT16) {
            return RecordLayout.getShort(valueBytes, ColumnEncoding.offset(access));
        }
        if (type == INT16_IN_KEY) {
            return keyShort(access);
        }
        int encoding = access & ColumnEncoding.MASK;
        if (encoding != ColumnEncoding.INT32 && encoding != ColumnEncoding.INT16) {
            throw wrongType(column, "int");
        }
        return (int) number(column, access);
    }

    /**
     * Sets a column of type INT32, INT16 or INT64.
     *
     * @param column its ordinal
     * @param value its value
     */
    public void setInt(int column, int value) {
        int access = format.access(column);
        int type = access & ColumnEncoding.TYPE_MASK;
        if (type == ColumnEncoding.INT32) {
            RecordLayout.putInt(valueBytes, ColumnEncoding.offset(access), value);
            markAssigned(column);
        } else if (type == INT32_IN_KEY) {
            putKeyInt(column, access, value);
        } else if (value != (short) value) {
            putInteger(column, access, value);
        } else if (type == ColumnEncoding.INT16) {
            RecordLayout.putShort(valueBytes, ColumnEncoding.offset(access), (short) value);
            markAssigned(column);
        } else if (type == INT16_IN_KEY) {
            putKeyShort(column, access, (short) value);
        } else {
            putInteger(column, access, value);
        }
    }

    /**
     * Reads a column of type INT64, INT32 or INT16.
     *
     * @param column its ordinal
     * @return its value
     */
    public long getLong(int column) {
        int access = format.access(column);
        if ((access & ColumnEncoding.TYPE_MASK) == ColumnEncoding.INT64) {
            return RecordLayout.getLong(valueBytes, ColumnEncoding.offset(access));
        }
        int encoding = access & ColumnEncoding.MASK;
        if (encoding < ColumnEncoding.INT16 || encoding > ColumnEncoding.INT64) {
            throw wrongType(column, "long");
        }
        return number(column, access);
    }

    /**
     * Sets a column of type INT64, INT32 or INT16.
     *
     * @param column its ordinal
     * @param value its value
     */
    public void setLong(int column, long value) {
        int access = format.access(column);
        if ((access & ColumnEncoding.TYPE_MASK) == ColumnEncoding.INT64) {
            RecordLayout.putLong(valueBytes, ColumnEncoding.offset(access), value);
            markAssigned(column);
        } else {
            putInteger(column, access, value);
        }
    }

    private void putInteger(int column, int access, long value) {
        int encoding = access & ColumnEncoding.MASK;
        putNumber(
                column,
                access,
                ColumnValues.requireInteger(format.tableName(), format.column(column), encoding, value));
    }

    /**
     * Reads a column of type BOOLEAN.
     *
     * @param column its ordinal
     * @return its value
     */
    public boolean getBoolean(int column) {
        return number(column, accessOf(column, ColumnEncoding.BOOLEAN, "boolean")) != 0;
    }

    /**
     * Sets a column of type BOOLEAN.
     *
     * @param column its ordinal
     * @param value its value
     */
    public void setBoolean(int column, boolean value) {
        putNumber(column, accessOf(column, ColumnEncoding.BOOLEAN, "boolean"), value ? 1 : 0);
    }

    /**
     * Reads a column of type FLOAT64.
     *
     * @param column its ordinal
     * @return its value
     */
    public double getDouble(int column) {
        return Double.longBitsToDouble(number(column, accessOf(column, ColumnEncoding.FLOAT64, "double")));
    }

    /**
     * Sets a column of type FLOAT64.
     *
     * @param column its ordinal
     * @param value its value; all NaNs become one
     */
    public void setDouble(int column, double value) {
        putNumber(column, accessOf(column, ColumnEncoding.FLOAT64, "double"), Double.doubleToLongBits(value));
    }

    /**
     * Reads a column of type DECIMAL without its point, such as 1250 for 12.50 in a DECIMAL(6,2).
     *
     * @param column its ordinal
     * @return the unscaled number
     * @throws ValueOutOfRangeException if the value has more digits than a {@code long}
     */
    public long getDecimalUnscaled(int column) {
        int access = format.access(column);
        int type = access & ColumnEncoding.TYPE_MASK;
        if (type == ColumnEncoding.DECIMAL8) {
            return RecordLayout.getLong(valueBytes, ColumnEncoding.offset(access));
        }
        if (type == ColumnEncoding.DECIMAL4) {
            return RecordLayout.getInt(valueBytes, ColumnEncoding.offset(access));
        }
        int encoding = access & ColumnEncoding.MASK;
        if (encoding == ColumnEncoding.DECIMAL4 || encoding == ColumnEncoding.DECIMAL8) {
            return number(column, access);
        }
        if (encoding != ColumnEncoding.DECIMAL16) {
            throw wrongType(column, "decimal");
        }
        requireNotNull(column, access);
        long low = wideLow(column, access);
        if (wideHigh(column, access) != low >> (Long.SIZE - 1)) {
            throw ColumnErrors.outOfRange(format.tableName(), format.column(column), getDecimal(column));
        }
        return low;
    }

    /**
     * Sets a column of type DECIMAL to a number without its point, such as 1250 for 12.50 in a DECIMAL(6,2).
     *
     * @param column its ordinal
     * @param unscaled the unscaled number
     */
    public void setDecimalUnscaled(int column, long unscaled) {
        int access = format.access(column);
        int encoding = access & ColumnEncoding.MASK;
        ColumnValues.requireUnscaled(format.tableName(), format.column(column), encoding, unscaled);
        if (encoding == ColumnEncoding.DECIMAL16) {
            putWide(column, access, unscaled >> (Long.SIZE - 1), unscaled);
        } else {
            putNumber(column, access, unscaled);
        }
    }

    /**
     * Reads a column of type DECIMAL. Allocates.
     *
     * @param column its ordinal
     * @return its value with the scale of the column, or null
     */
    public BigDecimal getDecimal(int column) {
        int access = format.access(column);
        requireDecimal(column, access);
        if (isNull(column, access)) {
            return null;
        }
        int encoding = access & ColumnEncoding.MASK;
        int scale = format.column(column).type().scale();
        return encoding == ColumnEncoding.DECIMAL16
                ? new BigDecimal(ColumnValues.wide(wideHigh(column, access), wideLow(column, access)), scale)
                : BigDecimal.valueOf(number(column, access), scale);
    }

    /**
     * Sets a column of type DECIMAL. Allocates.
     *
     * @param column its ordinal
     * @param value its value, or null; digits behind the column's scale must be zeros
     */
    public void setDecimal(int column, BigDecimal value) {
        int access = format.access(column);
        requireDecimal(column, access);
        if (value == null) {
            putNull(column);
            return;
        }
        BigInteger unscaled = ColumnValues.unscaled(format.tableName(), format.column(column), value);
        if ((access & ColumnEncoding.MASK) == ColumnEncoding.DECIMAL16) {
            putWide(column, access, ColumnValues.high(unscaled), unscaled.longValue());
        } else {
            putNumber(column, access, unscaled.longValueExact());
        }
    }

    /**
     * Reads a column of type DATE.
     *
     * @param column its ordinal
     * @return days since 1970-01-01
     */
    public int getDateDays(int column) {
        return (int) number(column, accessOf(column, ColumnEncoding.DATE, "date"));
    }

    /**
     * Sets a column of type DATE.
     *
     * @param column its ordinal
     * @param days days since 1970-01-01
     */
    public void setDateDays(int column, int days) {
        putNumber(column, accessOf(column, ColumnEncoding.DATE, "date"), days);
    }

    /**
     * Reads a column of type DATE. Allocates.
     *
     * @param column its ordinal
     * @return its value, or null
     */
    public LocalDate getDate(int column) {
        int access = accessOf(column, ColumnEncoding.DATE, "date");
        return isNull(column, access) ? null : LocalDate.ofEpochDay(number(column, access));
    }

    /**
     * Sets a column of type DATE.
     *
     * @param column its ordinal
     * @param value its value, or null
     */
    public void setDate(int column, LocalDate value) {
        int access = accessOf(column, ColumnEncoding.DATE, "date");
        if (value == null) {
            putNull(column);
        } else {
            putNumber(column, access, ColumnValues.days(format.tableName(), format.column(column), value));
        }
    }

    /**
     * Reads a column of type TIMESTAMP.
     *
     * @param column its ordinal
     * @return microseconds since 1970-01-01 00:00
     */
    public long getTimestampMicros(int column) {
        return number(column, accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp"));
    }

    /**
     * Sets a column of type TIMESTAMP.
     *
     * @param column its ordinal
     * @param micros microseconds since 1970-01-01 00:00
     */
    public void setTimestampMicros(int column, long micros) {
        putNumber(column, accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp"), micros);
    }

    /**
     * Reads a column of type TIMESTAMP. Allocates.
     *
     * @param column its ordinal
     * @return its value, or null
     */
    public LocalDateTime getTimestamp(int column) {
        int access = accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp");
        return isNull(column, access) ? null : ColumnValues.dateTime(number(column, access));
    }

    /**
     * Sets a column of type TIMESTAMP.
     *
     * @param column its ordinal
     * @param value its value, or null; what is finer than a microsecond is cut off
     */
    public void setTimestamp(int column, LocalDateTime value) {
        int access = accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp");
        if (value == null) {
            putNull(column);
        } else {
            putNumber(column, access, ColumnValues.micros(format.tableName(), format.column(column), value));
        }
    }

    /**
     * Reads a column of type TIMESTAMP as date and time in UTC. Allocates.
     *
     * @param column its ordinal
     * @return its value, or null
     */
    public Instant getInstant(int column) {
        int access = accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp");
        return isNull(column, access) ? null : ColumnValues.instant(number(column, access));
    }

    /**
     * Sets a column of type TIMESTAMP to date and time in UTC.
     *
     * @param column its ordinal
     * @param value its value, or null; what is finer than a microsecond is cut off
     */
    public void setInstant(int column, Instant value) {
        int access = accessOf(column, ColumnEncoding.TIMESTAMP, "timestamp");
        if (value == null) {
            putNull(column);
        } else {
            putNumber(column, access, ColumnValues.micros(format.tableName(), format.column(column), value));
        }
    }

    /**
     * The length of a column of type STRING, in UTF-8, or BINARY.
     *
     * @param column its ordinal
     * @return bytes; 0 if it is null
     */
    public int lengthBytes(int column) {
        int access = accessOfVariable(column);
        return isNull(column, access) ? 0 : variableBytes(column, access);
    }

    /**
     * Reads a column of type STRING. Allocates.
     *
     * @param column its ordinal
     * @return its value, or null
     */
    public String getString(int column) {
        int access = accessOf(column, ColumnEncoding.STRING, "string");
        if (isNull(column, access)) {
            return null;
        }
        if ((access & ColumnEncoding.IN_KEY) == 0) {
            int start = valueStart(access);
            return new String(valueBytes, start, valueEnd(access) - start, StandardCharsets.UTF_8);
        }
        return new String(variable(column, access), StandardCharsets.UTF_8);
    }

    /**
     * Sets a column of type STRING.
     *
     * @param column its ordinal
     * @param value its value, or null
     */
    public void setString(int column, String value) {
        int access = accessOf(column, ColumnEncoding.STRING, "string");
        if (value == null) {
            putNull(column);
            return;
        }
        int utf8Bytes =
                ColumnValues.requireText(format.tableName(), format.column(column), ColumnEncoding.STRING, value);
        putText(column, access, value, utf8Bytes);
    }

    /**
     * Copies the text of a column of type STRING.
     *
     * @param column its ordinal
     * @param target where to, in UTF-8
     * @param at index of the first byte written
     * @return the number of bytes, or -1 if the column is null
     * @throws ValueOutOfRangeException if the array has too little room
     */
    public int getUtf8(int column, byte[] target, int at) {
        int access = accessOf(column, ColumnEncoding.STRING, "utf8");
        return isNull(column, access) ? -1 : copyVariable(column, access, target, at);
    }

    /**
     * Where the text of a column of type STRING lies in {@link #valueBytes()}: it can be read there without a copy.
     * What is said is true, and the bytes are the column's, until the record is loaded or changed. They are not to be
     * changed otherwise than by the record's own methods.
     *
     * <pre>{@code
     * long range = record.utf8Range(NAME);
     * text.wrap(record.valueBytes(), (int) (range >>> Integer.SIZE), (int) range);
     * }</pre>
     *
     * @param column its ordinal; no column of the primary key, whose texts are encoded
     * @return the index of the first byte in the upper 32 bits, and the number of bytes in the lower; -1 if the column
     *     is null
     * @throws SchemaException if the column has another type, or belongs to the primary key
     */
    public long utf8Range(int column) {
        int access = accessOf(column, ColumnEncoding.STRING, "utf8");
        if ((access & ColumnEncoding.IN_KEY) != 0) {
            throw ColumnErrors.encodedInKey(format.tableName(), format.column(column));
        }
        if (isNull(column, access)) {
            return -1;
        }
        int start = valueStart(access);
        return (long) start << Integer.SIZE | (valueEnd(access) - start);
    }

    /**
     * Sets a column of type STRING.
     *
     * @param column its ordinal
     * @param source where its value lies, in UTF-8; not an array of this record
     * @param from index of the first byte
     * @param length the number of bytes
     */
    public void setUtf8(int column, byte[] source, int from, int length) {
        setVariable(column, ColumnEncoding.STRING, source, from, length);
    }

    /**
     * Reads a column of type BINARY. Allocates.
     *
     * @param column its ordinal
     * @return a copy of its value, or null
     */
    public byte[] getBytes(int column) {
        int access = accessOf(column, ColumnEncoding.BINARY, "bytes");
        return isNull(column, access) ? null : variable(column, access);
    }

    /**
     * Copies the bytes of a column of type BINARY.
     *
     * @param column its ordinal
     * @param target where to
     * @param at index of the first byte written
     * @return the number of bytes, or -1 if the column is null
     * @throws ValueOutOfRangeException if the array has too little room
     */
    public int getBytes(int column, byte[] target, int at) {
        int access = accessOf(column, ColumnEncoding.BINARY, "bytes");
        return isNull(column, access) ? -1 : copyVariable(column, access, target, at);
    }

    /**
     * Sets a column of type BINARY.
     *
     * @param column its ordinal
     * @param source where its value lies; not an array of this record
     * @param from index of the first byte
     * @param length the number of bytes
     */
    public void setBytes(int column, byte[] source, int from, int length) {
        setVariable(column, ColumnEncoding.BINARY, source, from, length);
    }

    private void setVariable(int column, int used, byte[] source, int from, int length) {
        int access = format.access(column);
        ColumnValues.requireBytes(
                format.tableName(), format.column(column), access & ColumnEncoding.MASK, used, source, from, length);
        putBytes(column, access, source, from, length);
    }

    /**
     * Whether a column of type STRING or BINARY has exactly the given bytes.
     *
     * @param column its ordinal
     * @param other an array
     * @param from index of the first byte
     * @param length the number of bytes
     * @return true if it is not null and equal
     */
    public boolean equalsBytes(int column, byte[] other, int from, int length) {
        int access = accessOfVariable(column);
        if ((from | length) < 0 || length > other.length - from) {
            throw ColumnErrors.outsideArray(format.tableName(), format.column(column), other.length, from, length);
        }
        return !isNull(column, access) && equalsVariable(column, access, other, from, length);
    }

    /**
     * Reads a column of any type, for tools that do not know the table. Allocates.
     *
     * @param column its ordinal
     * @return a Boolean, Short, Integer, Long, Double, BigDecimal, String, byte[], LocalDate or LocalDateTime, or null
     */
    public Object getObject(int column) {
        Column definition = format.column(column);
        if (isNull(column)) {
            return null;
        }
        return switch (definition.type().kind()) {
            case BOOLEAN -> (Object) getBoolean(column);
            case INT16 -> (short) getInt(column);
            case INT32 -> getInt(column);
            case INT64 -> getLong(column);
            case FLOAT64 -> getDouble(column);
            case DECIMAL -> getDecimal(column);
            case STRING -> getString(column);
            case BINARY -> getBytes(column);
            case DATE -> getDate(column);
            case TIMESTAMP -> getTimestamp(column);
        };
    }

    /**
     * Sets a column of any type, for tools that do not know the table.
     *
     * @param column its ordinal
     * @param value an object of the class that {@link #getObject} returns (any of Short, Integer and Long for whole
     *     numbers), or null
     */
    public void setObject(int column, Object value) {
        ColumnType.Kind kind = format.column(column).type().kind();
        switch (value) {
            case null -> putNull(column);
            case Boolean b -> setBoolean(column, b);
            case Short s -> setLong(column, s);
            case Integer i -> setLong(column, i);
            case Long l -> setLong(column, l);
            case Double d -> setDouble(column, d);
            case BigDecimal d -> setDecimal(column, d);
            case String s -> setString(column, s);
            case byte[] b -> setBytes(column, b, 0, b.length);
            case LocalDate d -> setDate(column, d);
            case LocalDateTime t -> setTimestamp(column, t);
            case Instant i -> setInstant(column, i);
            default -> throw wrongType(column, value.getClass().getName() + " for " + kind);
        }
    }

    private byte[] variable(int column, int access) {
        byte[] copy = new byte[variableBytes(column, access)];
        copyVariable(column, access, copy, 0);
        return copy;
    }

    private int accessOf(int column, int encoding, String used) {
        int access = format.access(column);
        if ((access & ColumnEncoding.MASK) != encoding) {
            throw wrongType(column, used);
        }
        return access;
    }

    private void requireDecimal(int column, int access) {
        int encoding = access & ColumnEncoding.MASK;
        if (encoding < ColumnEncoding.DECIMAL4 || encoding > ColumnEncoding.DECIMAL16) {
            throw wrongType(column, "decimal");
        }
    }

    private int accessOfVariable(int column) {
        int access = format.access(column);
        if ((access & ColumnEncoding.MASK) < ColumnEncoding.STRING) {
            throw wrongType(column, "utf8 or bytes");
        }
        return access;
    }

    private void requireNotNull(int column, int access) {
        if (isNull(column, access)) {
            throw ColumnErrors.nullRead(format.tableName(), format.column(column));
        }
    }

    private SchemaException wrongType(int column, String used) {
        return ColumnErrors.wrongType(format.tableName(), format.column(column), used);
    }

    /** The table and the primary key of the row, for messages and debuggers. */
    @Override
    public String toString() {
        return format.tableName() + format.keyFormat().describe(keyBytes(), keyLength());
    }
}
