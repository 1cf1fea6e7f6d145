package dev.lockstep.engine;

import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnEncoding;
import dev.lockstep.engine.type.ColumnErrors;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.ColumnValues;
import dev.lockstep.engine.type.KeyBuffer;
import dev.lockstep.engine.type.KeyFormat;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * A key to search for: the values of the leading columns of a primary key or an index, one after the other.
 *
 * <pre>{@code
 * key.reset().add(warehouse).add(district).add("BARBARBAR");
 * }</pre>
 *
 * <p>A fetch needs all columns ({@link #isComplete()}); a scan takes any number of leading ones, which stand for all
 * keys that begin with them. Values are checked when they are added: a wrong type or too many columns give a
 * {@link SchemaException}, a value that does not fit its column a {@link ValueOutOfRangeException}, a null for a NOT
 * NULL column a {@link NullViolationException}, more than {@link KeyFormat#KEY_BYTES_MAX} bytes a
 * {@link RecordTooLargeException}; the key is then as it was before. Keys that are stored are shorter: that of a row,
 * and an entry of an index with the primary key behind its columns, have 1,000 bytes at most.
 *
 * <p>Made to be reused: adding a value allocates nothing once the array has grown to the longest key. Not thread-safe.
 */
public final class Key extends KeyBuffer {
    /**
     * Makes an empty key.
     *
     * @param format the columns of the key
     */
    public Key(KeyFormat format) {
        super(format);
    }

    /**
     * Empties the key.
     *
     * @return this key
     */
    public Key reset() {
        clear();
        return this;
    }

    /**
     * Reads a column of type INT32 that was added or loaded.
     *
     * @param column its position in the key, from 0
     * @return its value
     * @throws SchemaException if the column is of another type
     * @throws NullViolationException if the column is null
     * @throws IndexOutOfBoundsException if the key has fewer columns
     */
    public int getInt(int column) {
        return intAt(column);
    }

    /**
     * Makes this key equal to another.
     *
     * @param other a key of the same format
     * @return this key
     * @throws SchemaException if its format is another
     */
    public Key copyFrom(Key other) {
        copyFromBuffer(other);
        return this;
    }

    /**
     * Makes this key the primary key of a record.
     *
     * @param record a record of the table whose primary key this is
     * @return this key
     * @throws SchemaException if the record's primary key has another format
     * @throws NullViolationException if a column of it was not set
     */
    public Key copyFrom(Record record) {
        KeyFormat theirs = record.format().keyFormat();
        if (!theirs.equals(format())) {
            throw otherFormat(theirs);
        }
        record.requireKey();
        setEncoded(record.keyBytes(), 0, record.keyLength(), theirs.columnCount());
        return this;
    }

    /**
     * Adds a whole number for a column of type INT16, INT32 or INT64.
     *
     * @param value the number
     * @return this key
     */
    public Key add(int value) {
        appendInteger(value);
        return this;
    }

    /**
     * Adds a whole number for a column of type INT16, INT32 or INT64.
     *
     * @param value the number
     * @return this key
     */
    public Key add(long value) {
        appendInteger(value);
        return this;
    }

    /**
     * Adds text for a column of type STRING.
     *
     * @param value the text, or null
     * @return this key
     */
    public Key add(String value) {
        if (value == null) {
            return addNull();
        }
        appendString(value);
        return this;
    }

    /**
     * Adds text for a column of type STRING.
     *
     * @param source where the text lies in UTF-8
     * @param from index of its first byte
     * @param length its bytes
     * @return this key
     */
    public Key addUtf8(byte[] source, int from, int length) {
        appendBytes(ColumnEncoding.STRING, source, from, length);
        return this;
    }

    /**
     * Adds bytes for a column of type BINARY.
     *
     * @param source where they lie
     * @param from index of the first
     * @param length their number
     * @return this key
     */
    public Key addBytes(byte[] source, int from, int length) {
        appendBytes(ColumnEncoding.BINARY, source, from, length);
        return this;
    }

    /**
     * Adds a null.
     *
     * @return this key
     */
    public Key addNull() {
        appendNull();
        return this;
    }

    /**
     * Adds a truth value for a column of type BOOLEAN.
     *
     * @param value the value
     * @return this key
     */
    public Key addBoolean(boolean value) {
        nextOf(ColumnType.Kind.BOOLEAN, "boolean");
        appendFixed(value ? 1 : 0);
        return this;
    }

    /**
     * Adds a number for a column of type FLOAT64.
     *
     * @param value the number
     * @return this key
     */
    public Key addDouble(double value) {
        appendDouble(value);
        return this;
    }

    /**
     * Adds a number for a column of type DECIMAL.
     *
     * @param unscaled the number without its point, such as 1250 for 12.50 in a DECIMAL(6,2)
     * @return this key
     */
    public Key addDecimalUnscaled(long unscaled) {
        appendUnscaled(unscaled);
        return this;
    }

    /**
     * Adds a number for a column of type DECIMAL.
     *
     * @param value the number, or null; digits behind the column's scale must be zeros
     * @return this key
     */
    public Key addDecimal(BigDecimal value) {
        if (value == null) {
            return addNull();
        }
        appendDecimal(value);
        return this;
    }

    /**
     * Adds a date for a column of type DATE.
     *
     * @param value the date, or null
     * @return this key
     */
    public Key addDate(LocalDate value) {
        if (value == null) {
            return addNull();
        }
        Column column = nextOf(ColumnType.Kind.DATE, "date");
        appendFixed(ColumnValues.days(format().name(), column, value));
        return this;
    }

    /**
     * Adds a date for a column of type DATE.
     *
     * @param days days since 1970-01-01
     * @return this key
     */
    public Key addDateDays(int days) {
        nextOf(ColumnType.Kind.DATE, "date");
        appendFixed(days);
        return this;
    }

    /**
     * Adds a date and time for a column of type TIMESTAMP.
     *
     * @param value the date and time, or null; what is finer than a microsecond is cut off
     * @return this key
     */
    public Key addTimestamp(LocalDateTime value) {
        if (value == null) {
            return addNull();
        }
        Column column = nextOf(ColumnType.Kind.TIMESTAMP, "timestamp");
        appendFixed(ColumnValues.micros(format().name(), column, value));
        return this;
    }

    /**
     * Adds an instant, as date and time in UTC, for a column of type TIMESTAMP.
     *
     * @param value the instant, or null; what is finer than a microsecond is cut off
     * @return this key
     */
    public Key addTimestamp(Instant value) {
        if (value == null) {
            return addNull();
        }
        Column column = nextOf(ColumnType.Kind.TIMESTAMP, "timestamp");
        appendFixed(ColumnValues.micros(format().name(), column, value));
        return this;
    }

    /**
     * Adds a date and time for a column of type TIMESTAMP.
     *
     * @param micros microseconds since 1970-01-01 00:00
     * @return this key
     */
    public Key addTimestampMicros(long micros) {
        nextOf(ColumnType.Kind.TIMESTAMP, "timestamp");
        appendFixed(micros);
        return this;
    }

    private Column nextOf(ColumnType.Kind kind, String used) {
        Column column = nextColumn();
        if (column.type().kind() != kind) {
            throw ColumnErrors.wrongType(format().name(), column, used);
        }
        return column;
    }
}
