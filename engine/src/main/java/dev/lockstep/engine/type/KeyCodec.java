package dev.lockstep.engine.type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The order-preserving encoding of keys: comparing two keys as unsigned bytes compares their values column by column.
 *
 * <pre>
 *  nullable column:   [marker 00 = null | 01 = a value follows]   so nulls come first; a null has no further bytes
 *  number of n bytes: big-endian, top bit inverted                so negative numbers come before positive ones
 *  FLOAT64:           its bits, all inverted but the top one if negative, then as a number of 8 bytes
 *  DECIMAL:           the unscaled number in 4, 8 or 16 bytes
 *  STRING, BINARY:    the bytes with 00 written as 00 FF, then the terminator 00 01
 *  descending column: every byte of the above, marker and terminator included, inverted
 * </pre>
 *
 * <p>No encoded column is a prefix of another value of the same column, so a range of keys that share leading columns
 * is exactly the range of byte strings with that prefix. The terminator is smaller than an escaped 00, which is smaller
 * than any other continuation, so "a" &lt; "a\0" &lt; "a\1". The technique is that of the key encodings in
 * FoundationDB's tuple layer and in Graefe, "Modern B-Tree Techniques" (2011), section 3.2 (normalized keys).
 *
 * <p>A direction is passed as a mask: {@link #ASCENDING} or {@link #DESCENDING}, combined by exclusive or. Stateless
 * and thread-safe; nothing here allocates.
 */
public final class KeyCodec {
    /** Leaves bytes as they are. */
    public static final long ASCENDING = 0;
    /** Inverts bytes. */
    public static final long DESCENDING = -1L;

    /** Marker of a null. */
    static final int MARKER_NULL = 0;
    /** Marker of a value. */
    static final int MARKER_VALUE = 1;
    /** Bytes of a marker. */
    static final int MARKER_BYTES = 1;

    /** Introduces an escape or the terminator. */
    static final int ESCAPE = 0x00;
    /** Behind {@link #ESCAPE}: a zero byte of the value. */
    static final int ESCAPED_ZERO = 0xFF;
    /** Behind {@link #ESCAPE}: the end of the value. */
    static final int TERMINATOR = 0x01;
    /** Bytes of an escaped zero, and of the terminator. */
    static final int TERMINATOR_BYTES = 2;

    /** From the high to the low half of a 16-byte number. */
    static final int DECIMAL16_LOW_OFFSET = Long.BYTES;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    static {
        assert MARKER_NULL < MARKER_VALUE && TERMINATOR < ESCAPED_ZERO;
        assert DECIMAL16_LOW_OFFSET + Long.BYTES == ColumnEncoding.widthBytes(ColumnEncoding.DECIMAL16);
    }

    private KeyCodec() {}

    static void putMarker(byte[] target, int at, int marker, long mask) {
        target[at] = (byte) (marker ^ mask);
    }

    static int marker(byte[] source, int at, long mask) {
        return (source[at] ^ (int) mask) & 0xFF;
    }

    /** Writes the low 1, 2, 4 or 8 bytes of a signed number. */
    static void putIntegral(byte[] target, int at, int widthBytes, long value, long mask) {
        switch (widthBytes) {
            case Byte.BYTES -> target[at] = (byte) (value ^ Byte.MIN_VALUE ^ mask);
            case Short.BYTES -> SHORT.set(target, at, (short) (value ^ Short.MIN_VALUE ^ mask));
            case Integer.BYTES -> INT.set(target, at, (int) (value ^ Integer.MIN_VALUE ^ mask));
            default -> LONG.set(target, at, value ^ Long.MIN_VALUE ^ mask);
        }
    }

    /** Reads a signed number of 1, 2, 4 or 8 bytes. */
    static long getIntegral(byte[] source, int at, int widthBytes, long mask) {
        return switch (widthBytes) {
            case Byte.BYTES -> (byte) (source[at] ^ Byte.MIN_VALUE ^ mask);
            case Short.BYTES -> (short) ((short) SHORT.get(source, at) ^ Short.MIN_VALUE ^ mask);
            case Integer.BYTES -> (int) ((int) INT.get(source, at) ^ Integer.MIN_VALUE ^ mask);
            default -> (long) LONG.get(source, at) ^ Long.MIN_VALUE ^ mask;
        };
    }

    /** Reads a signed number of 4 bytes, ascending. */
    static int getInt(byte[] source, int at) {
        return (int) INT.get(source, at) ^ Integer.MIN_VALUE;
    }

    /** Writes a signed number of 4 bytes, ascending. */
    static void putInt(byte[] target, int at, int value) {
        INT.set(target, at, value ^ Integer.MIN_VALUE);
    }

    /** Reads a signed number of 2 bytes, ascending. */
    static short getShort(byte[] source, int at) {
        return (short) ((short) SHORT.get(source, at) ^ Short.MIN_VALUE);
    }

    /** Writes a signed number of 2 bytes, ascending. */
    static void putShort(byte[] target, int at, short value) {
        SHORT.set(target, at, (short) (value ^ Short.MIN_VALUE));
    }

    /** Writes a signed number of 16 bytes. */
    static void putWide(byte[] target, int at, long high, long low, long mask) {
        LONG.set(target, at, high ^ Long.MIN_VALUE ^ mask);
        LONG.set(target, at + DECIMAL16_LOW_OFFSET, low ^ mask);
    }

    static long getWideHigh(byte[] source, int at, long mask) {
        return (long) LONG.get(source, at) ^ Long.MIN_VALUE ^ mask;
    }

    static long getWideLow(byte[] source, int at, long mask) {
        return (long) LONG.get(source, at + DECIMAL16_LOW_OFFSET) ^ mask;
    }

    /** Turns the bits of a double into a signed number of the same order, and back. */
    static long sortable(long doubleBits) {
        return doubleBits ^ (doubleBits >> (Long.SIZE - 1) & Long.MAX_VALUE);
    }

    /** Bytes that {@link #putBytes} will write. */
    static int encodedBytes(byte[] source, int from, int length) {
        int zeros = 0;
        for (int i = from; i < from + length; i++) {
            zeros += source[i] == 0 ? 1 : 0;
        }
        return length + zeros + TERMINATOR_BYTES;
    }

    /** Writes bytes with escapes and terminator; returns the index behind them. */
    static int putBytes(byte[] source, int from, int length, byte[] target, int at, long mask) {
        int invert = (int) mask;
        int to = at;
        for (int i = from; i < from + length; i++) {
            int b = source[i];
            target[to++] = (byte) (b ^ invert);
            if (b == ESCAPE) {
                target[to++] = (byte) (ESCAPED_ZERO ^ invert);
            }
        }
        target[to++] = (byte) (ESCAPE ^ invert);
        target[to++] = (byte) (TERMINATOR ^ invert);
        return to;
    }

    /** Bytes that {@link #putString} will write for a string of that many bytes in UTF-8. */
    static int encodedBytes(String text, int utf8Bytes) {
        int zeros = 0;
        for (int i = text.indexOf(0); i >= 0; i = text.indexOf(0, i + 1)) {
            zeros++;
        }
        return utf8Bytes + zeros + TERMINATOR_BYTES;
    }

    /** Writes a well-formed string with escapes and terminator; returns the index behind them. */
    static int putString(String text, int encodedBytes, byte[] target, int at, long mask) {
        int end = at + encodedBytes;
        int textEnd = Utf8.encode(text, target, at);
        int from = textEnd - 1;
        int to = end - 1;
        target[to--] = (byte) (TERMINATOR ^ mask);
        target[to--] = (byte) (ESCAPE ^ mask);
        // Backwards, because the escapes make room behind each zero. With neither zeros nor inversion all is in place.
        if (from == to && mask == ASCENDING) {
            return end;
        }
        for (; from >= at; from--) {
            int b = target[from];
            if (b == ESCAPE) {
                target[to--] = (byte) (ESCAPED_ZERO ^ mask);
            }
            target[to--] = (byte) (b ^ mask);
        }
        return end;
    }

    /**
     * Finds the end of encoded bytes.
     *
     * @return the index behind the terminator, or -1 if there is none before {@code limit}
     */
    static int skipBytes(byte[] source, int at, int limit, long mask) {
        byte escape = (byte) (ESCAPE ^ mask);
        byte terminator = (byte) (TERMINATOR ^ mask);
        for (int i = at; i + 1 < limit; i++) {
            if (source[i] == escape) {
                i++;
                if (source[i] == terminator) {
                    return i + 1;
                }
            }
        }
        return -1;
    }

    /** Number of bytes of the value whose encoding fills {@code at} to {@code end}. */
    static int decodedBytes(byte[] source, int at, int end, long mask) {
        byte escape = (byte) (ESCAPE ^ mask);
        int length = 0;
        for (int i = at; i < end - TERMINATOR_BYTES; i++) {
            if (source[i] == escape) {
                i++;
            }
            length++;
        }
        return length;
    }

    /**
     * Decodes the value whose encoding fills {@code at} to {@code end}; returns the index behind the last byte written.
     */
    static int getBytes(byte[] source, int at, int end, long mask, byte[] target, int targetAt) {
        int invert = (int) mask;
        int to = targetAt;
        for (int i = at; i < end - TERMINATOR_BYTES; i++) {
            int b = source[i] ^ invert;
            target[to++] = (byte) b;
            if ((byte) b == ESCAPE) {
                i++;
            }
        }
        return to;
    }

    /** Whether the value whose encoding fills {@code at} to {@code end} is the given bytes. */
    static boolean equalsBytes(byte[] source, int at, int end, long mask, byte[] other, int from, int length) {
        if (decodedBytes(source, at, end, mask) != length) {
            return false;
        }
        int next = at;
        for (int i = from; i < from + length; i++) {
            byte b = (byte) (source[next] ^ mask);
            if (b != other[i]) {
                return false;
            }
            next += b == ESCAPE ? TERMINATOR_BYTES : 1;
        }
        return true;
    }
}
