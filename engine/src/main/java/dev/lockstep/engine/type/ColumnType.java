package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;

/**
 * The type of a column with its limits.
 *
 * <p>Immutable and thread-safe. Two types are equal when their kind and limits are.
 *
 * @param kind what the values are
 * @param lengthMax digits of a decimal, characters (Unicode code points) of a string, bytes of a binary; 0 for the
 *     others
 * @param scale digits of a decimal behind the point; 0 for the others
 */
public record ColumnType(Kind kind, int lengthMax, int scale) {
    /**
     * Most digits of a decimal: what SQL engines commonly offer, and what 16 bytes hold with room to spare
     * (10^38 &lt; 2^127).
     */
    public static final int DECIMAL_DIGITS_MAX = 38;

    /** Most digits of a decimal that is read and written as an unscaled {@code long} (10^18 &lt; 2^63). */
    public static final int DECIMAL_DIGITS_LONG_MAX = 18;

    /** Most digits of a decimal that is stored in four bytes (10^9 &lt; 2^31). */
    static final int DECIMAL_DIGITS_INT_MAX = 9;

    /** Most characters or bytes of a value: no row holds more than 16 MiB, so a larger limit could not be used. */
    public static final int LENGTH_MAX = RecordLayout.VALUE_BYTES_MAX;

    /** What the values of a column are. */
    public enum Kind {
        /** True or false, false before true. */
        BOOLEAN,
        /** Whole numbers of 16 bits. */
        INT16,
        /** Whole numbers of 32 bits. */
        INT32,
        /** Whole numbers of 64 bits. */
        INT64,
        /** Binary floating point of 64 bits, ordered as {@link Double#compare} does, with one NaN. */
        FLOAT64,
        /** Decimal numbers of a fixed number of digits. */
        DECIMAL,
        /** Text, ordered by code points. */
        STRING,
        /** Bytes, ordered as unsigned numbers. */
        BINARY,
        /** Days, without a time zone. */
        DATE,
        /** Points in time with microseconds, without a time zone. */
        TIMESTAMP
    }

    /**
     * Checks the limits.
     *
     * @throws SchemaException if a limit is outside its range or does not belong to the kind
     */
    public ColumnType {
        switch (kind) {
            case DECIMAL -> {
                requireRange("precisionDigits", lengthMax, 1, DECIMAL_DIGITS_MAX);
                requireRange("scaleDigits", scale, 0, lengthMax);
            }
            case STRING -> {
                requireRange("charactersMax", lengthMax, 1, LENGTH_MAX);
                requireRange("scaleDigits", scale, 0, 0);
            }
            case BINARY -> {
                requireRange("bytesMax", lengthMax, 1, LENGTH_MAX);
                requireRange("scaleDigits", scale, 0, 0);
            }
            default -> {
                requireRange("lengthMax", lengthMax, 0, 0);
                requireRange("scaleDigits", scale, 0, 0);
            }
        }
    }

    /**
     * True or false.
     *
     * @return the type
     */
    public static ColumnType bool() {
        return new ColumnType(Kind.BOOLEAN, 0, 0);
    }

    /**
     * Whole numbers from -32,768 to 32,767.
     *
     * @return the type
     */
    public static ColumnType int16() {
        return new ColumnType(Kind.INT16, 0, 0);
    }

    /**
     * Whole numbers of the range of {@code int}.
     *
     * @return the type
     */
    public static ColumnType int32() {
        return new ColumnType(Kind.INT32, 0, 0);
    }

    /**
     * Whole numbers of the range of {@code long}.
     *
     * @return the type
     */
    public static ColumnType int64() {
        return new ColumnType(Kind.INT64, 0, 0);
    }

    /**
     * Binary floating point, as {@code double}.
     *
     * @return the type
     */
    public static ColumnType float64() {
        return new ColumnType(Kind.FLOAT64, 0, 0);
    }

    /**
     * Decimal numbers, exact.
     *
     * @param precisionDigits digits in all, 1 to {@link #DECIMAL_DIGITS_MAX}
     * @param scaleDigits digits behind the point, 0 to {@code precisionDigits}
     * @return the type
     * @throws SchemaException if a number is outside its range
     */
    public static ColumnType decimal(int precisionDigits, int scaleDigits) {
        return new ColumnType(Kind.DECIMAL, precisionDigits, scaleDigits);
    }

    /**
     * Text of variable length, stored as UTF-8.
     *
     * @param charactersMax most Unicode code points, 1 to {@link #LENGTH_MAX}
     * @return the type
     * @throws SchemaException if the number is outside its range
     */
    public static ColumnType string(int charactersMax) {
        return new ColumnType(Kind.STRING, charactersMax, 0);
    }

    /**
     * Bytes of variable length.
     *
     * @param bytesMax most bytes, 1 to {@link #LENGTH_MAX}
     * @return the type
     * @throws SchemaException if the number is outside its range
     */
    public static ColumnType binary(int bytesMax) {
        return new ColumnType(Kind.BINARY, bytesMax, 0);
    }

    /**
     * Days of the proleptic ISO calendar, as {@link java.time.LocalDate} within the range of an {@code int} of days.
     *
     * @return the type
     */
    public static ColumnType date() {
        return new ColumnType(Kind.DATE, 0, 0);
    }

    /**
     * Date and time with microseconds, as {@link java.time.LocalDateTime} within the range of a {@code long} of
     * microseconds (about 292,000 years around 1970).
     *
     * @return the type
     */
    public static ColumnType timestamp() {
        return new ColumnType(Kind.TIMESTAMP, 0, 0);
    }

    /** The type as SQL would write it, for messages. */
    @Override
    public String toString() {
        return switch (kind) {
            case DECIMAL -> "DECIMAL(" + lengthMax + ";" + scale + ")";
            case STRING, BINARY -> kind + "(" + lengthMax + ")";
            default -> kind.name();
        };
    }

    private static void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new SchemaException(Message.of("The limit of a column type is out of its range")
                    .with(name, value)
                    .with("min", min)
                    .with("max", max)
                    .remedy("Declare the column with a limit within the range."));
        }
    }
}
