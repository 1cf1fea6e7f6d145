package dev.lockstep.engine.btree;

import dev.lockstep.engine.type.KeyFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Comparison of encoded keys: unsigned, byte by byte, a shorter key before its extensions; and the growth of arrays
 * that hold one. Stateless.
 */
public final class KeyBytes {
    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The key below all others. */
    public static final byte[] EMPTY = new byte[0];

    /**
     * First size of an array that takes one key after another: most keys have tens of bytes, and it is a cache line
     * with the array's header. Ten thousand sessions with room for the longest key everywhere would take 100 MB.
     */
    public static final int ROOM_BYTES_INITIAL = 48;

    private KeyBytes() {}

    /**
     * An array for a key of {@code keyBytes}: the given one, or a longer one without its contents. No longer than the
     * longest key to search for, which none in a page exceeds, however much is asked for: a length that was read while
     * the page changed is nonsense.
     */
    public static byte[] room(byte[] array, int keyBytes) {
        int needed = Math.min(keyBytes, KeyFormat.KEY_BYTES_MAX);
        return needed <= array.length
                ? array
                : new byte[Math.min(Math.max(needed, 2 * array.length), KeyFormat.KEY_BYTES_MAX)];
    }

    /** The eight bytes at {@code from} as a big-endian number; the array must hold them. */
    public static long bigEndianLong(byte[] bytes, int from) {
        return (long) BIG_ENDIAN_LONG.get(bytes, from);
    }

    /** The first eight bytes of key[from, length) as a big-endian number, padded with zeros. */
    public static long head(byte[] key, int from, int length) {
        int available = length - from;
        if (available >= Long.BYTES) {
            return bigEndianLong(key, from);
        }
        if (available <= 0) {
            return 0;
        }
        int padBits = Long.SIZE - Byte.SIZE * available;
        if (from + Long.BYTES <= key.length) {
            return bigEndianLong(key, from) & (-1L << padBits);
        }
        if (length >= Long.BYTES) {
            return bigEndianLong(key, length - Long.BYTES) << padBits;
        }
        long head = 0;
        for (int i = 0; i < available; i++) {
            head |= (key[from + i] & 0xFFL) << (56 - 8 * i);
        }
        return head;
    }

    public static int compare(byte[] left, int leftBytes, byte[] right, int rightBytes) {
        return Arrays.compareUnsigned(left, 0, leftBytes, right, 0, rightBytes);
    }

    public static int commonPrefix(byte[] left, int leftBytes, byte[] right, int rightBytes) {
        int mismatch = Arrays.mismatch(left, 0, leftBytes, right, 0, rightBytes);
        return mismatch < 0 ? leftBytes : mismatch;
    }

    /**
     * Length of the shortest prefix of {@code right} that is above {@code left}, where left is below right: a
     * separator of the two that costs the fewest bytes.
     */
    public static int shortestSeparatorBytes(byte[] left, int leftBytes, byte[] right, int rightBytes) {
        return Math.min(rightBytes, commonPrefix(left, leftBytes, right, rightBytes) + 1);
    }
}
