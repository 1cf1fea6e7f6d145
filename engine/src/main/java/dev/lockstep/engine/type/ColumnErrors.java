package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.NullViolationException;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.ValueOutOfRangeException;

/**
 * The exceptions about columns and values, made here so that the accessors that throw them stay small enough to inline.
 * Stateless and thread-safe.
 */
public final class ColumnErrors {
    private ColumnErrors() {}

    /**
     * A column ordinal that the table does not have.
     *
     * @param owner the table or index
     * @param column the ordinal
     * @param columnCount how many there are
     * @return the exception
     */
    public static SchemaException noSuchColumn(String owner, int column, int columnCount) {
        return new SchemaException(Message.of("There is no column of this ordinal")
                .with("table", owner)
                .with("column", column)
                .with("columnCount", columnCount)
                .remedy("Use an ordinal from 0 to columnCount - 1, as TableDefinition.ordinal(name) gives it."));
    }

    /**
     * A column that a record does not hold.
     *
     * @param owner the table
     * @param column the column
     * @return the exception
     */
    public static SchemaException leftOut(String owner, Column column) {
        return new SchemaException(Message.of("The record holds only some columns, and this is not one of them")
                .with("table", owner)
                .with("column", column.name())
                .remedy("Name the column where the batch is made, or use a batch of whole rows."));
    }

    /**
     * An accessor that does not fit the type of the column.
     *
     * @param owner the table or index
     * @param column the column
     * @param used what was called or handed in
     * @return the exception
     */
    public static SchemaException wrongType(String owner, Column column, String used) {
        return new SchemaException(Message.of("The column has another type")
                .with("table", owner)
                .with("column", column.name())
                .with("type", column.type())
                .with("used", used)
                .remedy("Use the method that belongs to the type of the column."));
    }

    /**
     * A column of the primary key that was to be read in place.
     *
     * @param owner the table
     * @param column the column
     * @return the error to throw
     */
    public static SchemaException encodedInKey(String owner, Column column) {
        return new SchemaException(Message.of("The text of a column of the primary key does not lie in the value")
                .with("table", owner)
                .with("column", column.name())
                .remedy("Copy it, with getUtf8 or getString."));
    }

    /**
     * A null for a NOT NULL column, or none of its values.
     *
     * @param owner the table or index
     * @param column the column
     * @return the exception
     */
    public static NullViolationException nullForNotNull(String owner, Column column) {
        return new NullViolationException(Message.of("The column is NOT NULL and needs a value")
                .with("table", owner)
                .with("column", column.name())
                .with("type", column.type())
                .remedy("Give it a value, or declare it nullable."));
    }

    /**
     * A null where a primitive was asked for.
     *
     * @param owner the table or index
     * @param column the column
     * @return the exception
     */
    public static NullViolationException nullRead(String owner, Column column) {
        return new NullViolationException(Message.of("The column is null and has no primitive value")
                .with("table", owner)
                .with("column", column.name())
                .with("type", column.type())
                .remedy("Ask isNull(column) first."));
    }

    /**
     * A value outside the range of the column.
     *
     * @param owner the table or index
     * @param column the column
     * @param value the value
     * @return the exception
     */
    public static ValueOutOfRangeException outOfRange(String owner, Column column, Object value) {
        return new ValueOutOfRangeException(Message.of("The value is out of the range of the column")
                .with("table", owner)
                .with("column", column.name())
                .with("type", column.type())
                .with("value", value)
                .remedy("Give a value that fits the type, or declare the column wider."));
    }

    /**
     * Text or bytes longer than the column allows.
     *
     * @param owner the table or index
     * @param column the column
     * @param length characters or bytes of the value
     * @return the exception
     */
    public static ValueOutOfRangeException tooLong(String owner, Column column, long length) {
        boolean text = column.type().kind() == ColumnType.Kind.STRING;
        return new ValueOutOfRangeException(Message.of("The value is longer than the column allows")
                .with("table", owner)
                .with("column", column.name())
                .with(text ? "characters" : "bytes", length)
                .with(text ? "charactersMax" : "bytesMax", column.type().lengthMax())
                .remedy("Give a shorter value, or declare the column longer."));
    }

    /**
     * Text that is not well-formed.
     *
     * @param owner the table or index
     * @param column the column
     * @return the exception
     */
    public static ValueOutOfRangeException malformedText(String owner, Column column) {
        return new ValueOutOfRangeException(Message.of("The text is not well-formed")
                .with("table", owner)
                .with("column", column.name())
                .with("type", column.type())
                .remedy("Give UTF-8 (RFC 3629), or a string without unpaired surrogates."));
    }

    /**
     * A target array too short for a value.
     *
     * @param owner the table or index
     * @param column the column
     * @param neededBytes bytes of the value
     * @param roomBytes bytes from the given index to the end of the array
     * @return the exception
     */
    public static ValueOutOfRangeException targetTooShort(
            String owner, Column column, long neededBytes, long roomBytes) {
        return new ValueOutOfRangeException(Message.of("The array has no room for the value")
                .with("table", owner)
                .with("column", column.name())
                .with("neededBytes", neededBytes)
                .with("roomBytes", roomBytes)
                .remedy("Hand in an array of at least lengthBytes(column) bytes."));
    }

    /**
     * A part of an array that does not lie within it.
     *
     * @param owner the table or index
     * @param column the column
     * @param arrayBytes length of the array
     * @param from index of the first byte asked for
     * @param length number of bytes asked for
     * @return the exception
     */
    public static ValueOutOfRangeException outsideArray(
            String owner, Column column, int arrayBytes, int from, int length) {
        return new ValueOutOfRangeException(Message.of("The given part does not lie within the array")
                .with("table", owner)
                .with("column", column.name())
                .with("arrayBytes", arrayBytes)
                .with("from", from)
                .with("lengthBytes", length)
                .remedy("Hand in a range within the array."));
    }

    /**
     * A key longer than a node takes.
     *
     * @param owner the table or index
     * @param keyBytes its encoded length
     * @return the exception
     */
    public static RecordTooLargeException keyTooLarge(String owner, long keyBytes) {
        return new RecordTooLargeException(Message.of("The key is too long")
                .with("table", owner)
                .with("keyBytes", keyBytes)
                .with("keyBytesMax", KeyFormat.KEY_BYTES_MAX)
                .remedy("Shorten the key's columns of variable length."));
    }

    /**
     * A value longer than a row takes.
     *
     * @param owner the table
     * @param valueBytes its length
     * @return the exception
     */
    public static RecordTooLargeException valueTooLarge(String owner, long valueBytes) {
        return new RecordTooLargeException(Message.of("The record is too large")
                .with("table", owner)
                .with("valueBytes", valueBytes)
                .with("valueBytesMax", RecordLayout.VALUE_BYTES_MAX)
                .remedy("Shorten its columns of variable length, or split it over several rows."));
    }
}
