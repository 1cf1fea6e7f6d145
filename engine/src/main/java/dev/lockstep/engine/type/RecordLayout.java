package dev.lockstep.engine.type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of a record's value, the part of a row that is not its primary key.
 *
 * <pre>
 *  0                bitmapBytes              endsOffset          variableOffset            valueLength
 *  +----------------+------------------------+-------------------+--------------------------+
 *  | null bitmap    | fixed-width columns,   | end of variable   | variable columns,        |
 *  | bit i: i-th    | in declared order, no  | column 0, 1, ...  | in declared order,       |
 *  | nullable       | padding, little-endian | u16 or u32 each   | back to back             |
 *  | column is null |                        |                   |                          |
 *  +----------------+------------------------+-------------------+--------------------------+
 * </pre>
 *
 * <p>The bitmap has one bit per nullable column outside the primary key, bit {@code i % 8} of byte {@code i / 8}, and
 * no byte when there is none. A null column keeps its room: zeros when its width is fixed, no bytes when it is
 * variable, so equal rows have equal bytes. Ends count from the start of the value. They take two bytes when no value
 * of the table can be longer than {@link #SHORT_VALUE_BYTES_MAX}, four otherwise. A DECIMAL of more than 18 digits
 * takes 16 bytes, low half first. Key columns are not repeated here: they are read from the key.
 */
public final class RecordLayout {
    /** Longest value of a row: what a chain of overflow pages holds at most. */
    public static final int VALUE_BYTES_MAX = 16 << 20;

    /** Longest value whose ends fit two bytes. */
    public static final int SHORT_VALUE_BYTES_MAX = 0xFFFF;

    /** Bytes of one end in tables whose values are always short. */
    public static final int SHORT_END_BYTES = Short.BYTES;

    /** Bytes of one end in other tables. */
    public static final int LONG_END_BYTES = Integer.BYTES;

    /** From the low to the high half of a 16-byte decimal. */
    public static final int DECIMAL16_HIGH_OFFSET = Long.BYTES;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static {
        assert DECIMAL16_HIGH_OFFSET + Long.BYTES == ColumnEncoding.widthBytes(ColumnEncoding.DECIMAL16);
        assert LONG_END_BYTES > SHORT_END_BYTES && VALUE_BYTES_MAX > SHORT_VALUE_BYTES_MAX;
        assert 1 << (SHORT_END_BYTES * Byte.SIZE) > SHORT_VALUE_BYTES_MAX;
    }

    private RecordLayout() {}

    /**
     * Reads four bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @return the number
     */
    public static int getInt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    /**
     * Writes four bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @param value the number
     */
    public static void putInt(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    /**
     * Reads two bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @return the number
     */
    public static short getShort(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at);
    }

    /**
     * Writes two bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @param value the number
     */
    public static void putShort(byte[] bytes, int at, short value) {
        SHORT.set(bytes, at, value);
    }

    /**
     * Reads eight bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @return the number
     */
    public static long getLong(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    /**
     * Writes eight bytes.
     *
     * @param bytes where
     * @param at index of the first
     * @param value the number
     */
    public static void putLong(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    static int getUnsignedShort(byte[] bytes, int at) {
        return Short.toUnsignedInt(getShort(bytes, at));
    }

    /** Reads a signed number of 1, 2, 4 or 8 bytes. */
    static long getIntegral(byte[] bytes, int at, int widthBytes) {
        return switch (widthBytes) {
            case Byte.BYTES -> bytes[at];
            case Short.BYTES -> (short) SHORT.get(bytes, at);
            case Integer.BYTES -> (int) INT.get(bytes, at);
            default -> (long) LONG.get(bytes, at);
        };
    }

    /** Writes the low 1, 2, 4 or 8 bytes of a number. */
    static void putIntegral(byte[] bytes, int at, int widthBytes, long value) {
        switch (widthBytes) {
            case Byte.BYTES -> bytes[at] = (byte) value;
            case Short.BYTES -> SHORT.set(bytes, at, (short) value);
            case Integer.BYTES -> INT.set(bytes, at, (int) value);
            default -> LONG.set(bytes, at, value);
        }
    }

    static int getEnd(byte[] bytes, int at, int endBytes) {
        return endBytes == SHORT_END_BYTES ? getUnsignedShort(bytes, at) : getInt(bytes, at);
    }

    static void putEnd(byte[] bytes, int at, int endBytes, int end) {
        if (endBytes == SHORT_END_BYTES) {
            putShort(bytes, at, (short) end);
        } else {
            putInt(bytes, at, end);
        }
    }
}
