package dev.lockstep.engine.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Checks values against the limits of their column and converts them between Java's types and the numbers that are
 * stored. Every method either returns the converted value or throws; none changes anything. Stateless and thread-safe.
 */
public final class ColumnValues {
    /** Microseconds in a second. */
    public static final long MICROS_PER_SECOND = 1_000_000L;

    private static final int NANOS_PER_MICRO = 1_000;

    private static final long[] POWER_OF_TEN = new long[ColumnType.DECIMAL_DIGITS_LONG_MAX + 1];
    private static final BigInteger LOW_HALF =
            BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    static {
        POWER_OF_TEN[0] = 1;
        for (int i = 1; i < POWER_OF_TEN.length; i++) {
            POWER_OF_TEN[i] = Math.multiplyExact(POWER_OF_TEN[i - 1], 10);
        }
    }

    private ColumnValues() {}

    /**
     * Checks a whole number against a column of INT16, INT32 or INT64.
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param encoding its encoding
     * @param value the number
     * @return the number
     */
    public static long requireInteger(String owner, Column column, int encoding, long value) {
        boolean fits =
                switch (encoding) {
                    case ColumnEncoding.INT16 -> value == (short) value;
                    case ColumnEncoding.INT32 -> value == (int) value;
                    case ColumnEncoding.INT64 -> true;
                    default -> throw ColumnErrors.wrongType(owner, column, "integer");
                };
        if (!fits) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        return value;
    }

    /**
     * Checks an unscaled decimal against a column of DECIMAL.
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param encoding its encoding
     * @param unscaled the number without its point
     * @return the number
     */
    public static long requireUnscaled(String owner, Column column, int encoding, long unscaled) {
        if (encoding == ColumnEncoding.DECIMAL4 || encoding == ColumnEncoding.DECIMAL8) {
            long bound = POWER_OF_TEN[column.type().lengthMax()];
            if (unscaled >= bound || unscaled <= -bound) {
                throw ColumnErrors.outOfRange(owner, column, unscaled);
            }
        } else if (encoding != ColumnEncoding.DECIMAL16) {
            throw ColumnErrors.wrongType(owner, column, "decimal");
        }
        return unscaled;
    }

    /**
     * Converts a decimal to the unscaled number of its column.
     *
     * @param owner the table or index, for the message
     * @param column the column, of type DECIMAL
     * @param value the decimal; digits behind the column's scale must be zeros
     * @return the unscaled number
     */
    public static BigInteger unscaled(String owner, Column column, BigDecimal value) {
        ColumnType type = column.type();
        if (type.kind() != ColumnType.Kind.DECIMAL) {
            throw ColumnErrors.wrongType(owner, column, "decimal");
        }
        if (value.signum() == 0) {
            return BigInteger.ZERO;
        }
        // An exponent far outside would overflow where zeros are stripped, and a scale far outside would make
        // setScale() build a number of that many digits.
        long digitsBeforePoint = (long) value.precision() - value.scale();
        if (digitsBeforePoint > type.lengthMax() - type.scale()) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        BigDecimal stripped = value.stripTrailingZeros();
        if (stripped.scale() > type.scale()) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        return stripped.setScale(type.scale()).unscaledValue();
    }

    /**
     * The high half of a 16-byte number.
     *
     * @param value the number
     * @return its upper 64 bits
     */
    public static long high(BigInteger value) {
        return value.shiftRight(Long.SIZE).longValue();
    }

    /**
     * Puts the halves of a 16-byte number together.
     *
     * @param high its upper 64 bits
     * @param low its lower 64 bits
     * @return the number
     */
    public static BigInteger wide(long high, long low) {
        return BigInteger.valueOf(high)
                .shiftLeft(Long.SIZE)
                .or(BigInteger.valueOf(low).and(LOW_HALF));
    }

    /**
     * Converts a date.
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param value the date
     * @return days since 1970-01-01
     */
    public static int days(String owner, Column column, LocalDate value) {
        long days = value.toEpochDay();
        if (days != (int) days) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        return (int) days;
    }

    /**
     * Converts a date and time; what is finer than a microsecond is cut off (towards the past).
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param value the date and time
     * @return microseconds since 1970-01-01 00:00
     */
    public static long micros(String owner, Column column, LocalDateTime value) {
        Instant instant = value.toInstant(ZoneOffset.UTC);
        return micros(owner, column, instant.getEpochSecond(), instant.getNano(), value);
    }

    /**
     * Converts an instant to date and time in UTC; what is finer than a microsecond is cut off (towards the past).
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param value the instant
     * @return microseconds since 1970-01-01 00:00
     */
    public static long micros(String owner, Column column, Instant value) {
        return micros(owner, column, value.getEpochSecond(), value.getNano(), value);
    }

    private static long micros(String owner, Column column, long seconds, int nanos, Object value) {
        // Both terms get one sign, so that the product alone never exceeds a range that the sum is within.
        long wholeSeconds = seconds < 0 ? seconds + 1 : seconds;
        long micros = nanos / NANOS_PER_MICRO - (seconds < 0 ? MICROS_PER_SECOND : 0);
        long secondsMax = Long.MAX_VALUE / MICROS_PER_SECOND;
        if (wholeSeconds > secondsMax || wholeSeconds < -secondsMax) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        long sum = wholeSeconds * MICROS_PER_SECOND + micros;
        if (sum < 0 != seconds < 0) {
            throw ColumnErrors.outOfRange(owner, column, value);
        }
        return sum;
    }

    /**
     * Converts microseconds.
     *
     * @param micros microseconds since 1970-01-01 00:00
     * @return the date and time
     */
    public static LocalDateTime dateTime(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND), nanoOfSecond(micros), ZoneOffset.UTC);
    }

    /**
     * Converts microseconds, taken as UTC.
     *
     * @param micros microseconds since 1970-01-01 00:00
     * @return the instant
     */
    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND), nanoOfSecond(micros));
    }

    private static int nanoOfSecond(long micros) {
        return (int) Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO;
    }

    /**
     * Checks a string against a column of STRING.
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param encoding its encoding
     * @param value the string
     * @return its length in UTF-8, bytes
     */
    public static int requireText(String owner, Column column, int encoding, String value) {
        if (encoding != ColumnEncoding.STRING) {
            throw ColumnErrors.wrongType(owner, column, "string");
        }
        int bytes = Utf8.lengthBytes(value);
        if (bytes == Utf8.MALFORMED) {
            throw ColumnErrors.malformedText(owner, column);
        }
        int charactersMax = column.type().lengthMax();
        if (value.length() > charactersMax && value.codePointCount(0, value.length()) > charactersMax) {
            throw ColumnErrors.tooLong(owner, column, value.codePointCount(0, value.length()));
        }
        return bytes;
    }

    /**
     * Checks UTF-8 against a column of STRING, or bytes against a column of BINARY.
     *
     * @param owner the table or index, for the message
     * @param column the column
     * @param encoding its encoding
     * @param used the encoding that the caller means, STRING or BINARY
     * @param source where the value is
     * @param from index of its first byte
     * @param length number of bytes
     */
    public static void requireBytes(
            String owner, Column column, int encoding, int used, byte[] source, int from, int length) {
        if (encoding != used) {
            throw ColumnErrors.wrongType(owner, column, used == ColumnEncoding.STRING ? "utf8" : "bytes");
        }
        if ((from | length) < 0 || length > source.length - from) {
            throw ColumnErrors.outsideArray(owner, column, source.length, from, length);
        }
        int lengthMax = column.type().lengthMax();
        if (used == ColumnEncoding.BINARY) {
            if (length > lengthMax) {
                throw ColumnErrors.tooLong(owner, column, length);
            }
            return;
        }
        int points = Utf8.codePoints(source, from, length);
        if (points == Utf8.MALFORMED) {
            throw ColumnErrors.malformedText(owner, column);
        }
        if (points > lengthMax) {
            throw ColumnErrors.tooLong(owner, column, points);
        }
    }
}
