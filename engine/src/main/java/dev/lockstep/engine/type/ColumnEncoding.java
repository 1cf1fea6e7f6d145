package dev.lockstep.engine.type;

/**
 * How values of a column are held in bytes, as a small number that the accessors of a record branch on, and the access
 * code of a column, which is that number, flags, and where the column lies: all that its accessor needs in one look.
 *
 * <pre>
 *   bit 31 (sign)        30 ... 8               7   6               5          4        3 ... 0
 *   left out of the      offset in the value,   0   PLACED_IN_KEY   NULLABLE   IN_KEY   encoding
 *   projection           or in each key
 * </pre>
 *
 * <p>The numbers are never stored: the catalog holds {@link ColumnType.Kind}s by numbers of its own
 * ({@link SchemaCodec}).
 */
public final class ColumnEncoding {
    /** One byte, 0 or 1. */
    public static final int BOOLEAN = 0;
    /** Two bytes. */
    public static final int INT16 = 1;
    /** Four bytes. */
    public static final int INT32 = 2;
    /** Eight bytes. */
    public static final int INT64 = 3;
    /** Eight bytes, the bits of a double. */
    public static final int FLOAT64 = 4;
    /** Four bytes: the unscaled number of a decimal of up to 9 digits. */
    public static final int DECIMAL4 = 5;
    /** Eight bytes: the unscaled number of a decimal of up to 18 digits. */
    public static final int DECIMAL8 = 6;
    /** Sixteen bytes: the unscaled number of a decimal of up to 38 digits. */
    public static final int DECIMAL16 = 7;
    /** Four bytes: days since 1970-01-01. */
    public static final int DATE = 8;
    /** Eight bytes: microseconds since 1970-01-01 00:00. */
    public static final int TIMESTAMP = 9;
    /** UTF-8 of variable length. */
    public static final int STRING = 10;
    /** Bytes of variable length. */
    public static final int BINARY = 11;

    /** Selects the encoding from an access code. */
    public static final int MASK = 0xF;
    /** Selects encoding and flags from an access code, so without the offset. */
    public static final int TYPE_MASK = 0xFF;
    /** Flag of an access code: the column is in the key, not in the value. */
    public static final int IN_KEY = 0x10;
    /** Flag of an access code: the column may hold null. */
    public static final int NULLABLE = 0x20;
    /** Flag of an access code: the column is in the key, ascending, not null, and at the same offset in each key. */
    public static final int PLACED_IN_KEY = 0x40;

    /** From the lowest bit of an access code to that of its offset. */
    private static final int OFFSET_SHIFT = 8;
    /** Keys and the fixed parts of values are far shorter. */
    private static final int OFFSET_MAX = (1 << (Integer.SIZE - 1 - OFFSET_SHIFT)) - 1;

    /** What {@link #widthBytes} returns for values of variable length. */
    public static final int VARIABLE = 0;

    private static final int[] WIDTH_BYTES = {1, 2, 4, 8, 8, 4, 8, 16, 4, 8, VARIABLE, VARIABLE};

    static {
        assert WIDTH_BYTES.length == BINARY + 1 && BINARY <= MASK;
    }

    private ColumnEncoding() {}

    /**
     * The encoding of a type.
     *
     * @param type the type
     * @return one of the numbers above
     */
    public static int of(ColumnType type) {
        return switch (type.kind()) {
            case BOOLEAN -> BOOLEAN;
            case INT16 -> INT16;
            case INT32 -> INT32;
            case INT64 -> INT64;
            case FLOAT64 -> FLOAT64;
            case DECIMAL ->
                type.lengthMax() <= ColumnType.DECIMAL_DIGITS_INT_MAX
                        ? DECIMAL4
                        : type.lengthMax() <= ColumnType.DECIMAL_DIGITS_LONG_MAX ? DECIMAL8 : DECIMAL16;
            case STRING -> STRING;
            case BINARY -> BINARY;
            case DATE -> DATE;
            case TIMESTAMP -> TIMESTAMP;
        };
    }

    /**
     * An access code with the offset of its column.
     *
     * @param access encoding and flags
     * @param offset bytes from the start of the value, or of the key, see {@link #offset}
     * @return the code
     */
    static int placed(int access, int offset) {
        assert offset >= 0 && offset <= OFFSET_MAX && (access & ~TYPE_MASK) == 0;
        return access | offset << OFFSET_SHIFT;
    }

    /**
     * Where a column of fixed width lies in the value, one that is {@link #PLACED_IN_KEY} in the key, or the end of one
     * of variable length in the value.
     *
     * @param access its access code
     * @return bytes from the start; without meaning for other columns of the key
     */
    public static int offset(int access) {
        return access >>> OFFSET_SHIFT;
    }

    /**
     * The bytes of a value, the same in keys and in record values.
     *
     * @param encoding one of the numbers above, without flags
     * @return bytes, or {@link #VARIABLE}
     */
    public static int widthBytes(int encoding) {
        return WIDTH_BYTES[encoding];
    }
}
