package dev.lockstep.engine.page;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.memory.AddressSpace;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Copies of what is a few bytes long more often than not: keys, and the columns that an update has changed. A copy of a
 * range checks both ends and calls a stub, which for a few bytes takes several times as long as to move them. So up to
 * four words are moved one by one: half of them from the front and half of them to the end, where they overlap if there
 * are fewer bytes, since it costs less to move a byte twice than to branch on how many there are. What has one to four
 * words, nearly all of it, is a method of its own each time, small enough for the compiler to take it into its callers.
 *
 * <p>Both ranges lie within their array or segment, as for {@link System#arraycopy}, and do not overlap.
 *
 * <p>Thread-safety: stateless. Plain reads and writes.
 */
public final class ShortCopy {
    /** Keys of a few numbers, and most texts; beyond it the stub is as fast. */
    static final int BYTES_MAX = 4 * Long.BYTES;

    private static final int TWO_WORDS = 2 * Long.BYTES;

    private static final VarHandle ARRAY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle ARRAY_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private ShortCopy() {}

    /**
     * Copies from an array to an array.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its array, some bytes may be copied then, or the
     *     length is negative
     */
    public static void copy(byte[] source, int from, byte[] target, int at, int length) {
        if (length >= Long.BYTES && length <= BYTES_MAX) {
            int last = length - Long.BYTES;
            ARRAY_LONG.set(target, at, (long) ARRAY_LONG.get(source, from));
            if (length > TWO_WORDS) {
                int third = length - TWO_WORDS;
                ARRAY_LONG.set(target, at + Long.BYTES, (long) ARRAY_LONG.get(source, from + Long.BYTES));
                ARRAY_LONG.set(target, at + third, (long) ARRAY_LONG.get(source, from + third));
            }
            ARRAY_LONG.set(target, at + last, (long) ARRAY_LONG.get(source, from + last));
        } else {
            copyOther(source, from, target, at, length);
        }
    }

    private static void copyOther(byte[] source, int from, byte[] target, int at, int length) {
        if (length > BYTES_MAX) {
            AddressSpace.copy(source, from, target, at, length);
        } else if (length >= Integer.BYTES) {
            int last = length - Integer.BYTES;
            ARRAY_INT.set(target, at, (int) ARRAY_INT.get(source, from));
            ARRAY_INT.set(target, at + last, (int) ARRAY_INT.get(source, from + last));
        } else {
            requireLength(length);
            for (int i = 0; i < length; i++) {
                target[at + i] = source[from + i];
            }
        }
    }

    /**
     * Copies from a page's memory to an array.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its array or segment, some bytes may be copied
     *     then, or the length is negative
     */
    public static void copy(NativeMemory source, long from, byte[] target, int at, int length) {
        if (length >= Long.BYTES && length <= BYTES_MAX) {
            int last = length - Long.BYTES;
            ARRAY_LONG.set(target, at, source.getLong(from));
            if (length > TWO_WORDS) {
                int third = length - TWO_WORDS;
                ARRAY_LONG.set(target, at + Long.BYTES, source.getLong(from + Long.BYTES));
                ARRAY_LONG.set(target, at + third, source.getLong(from + third));
            }
            ARRAY_LONG.set(target, at + last, source.getLong(from + last));
        } else {
            copyOther(source, from, target, at, length);
        }
    }

    private static void copyOther(NativeMemory source, long from, byte[] target, int at, int length) {
        if (length > BYTES_MAX) {
            source.copyTo(from, target, at, length);
        } else if (length >= Integer.BYTES) {
            int last = length - Integer.BYTES;
            ARRAY_INT.set(target, at, source.getInt(from));
            ARRAY_INT.set(target, at + last, source.getInt(from + last));
        } else {
            requireLength(length);
            for (int i = 0; i < length; i++) {
                target[at + i] = source.getByte(from + i);
            }
        }
    }

    /**
     * Copies from an array to a page's memory.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its array or segment, some bytes may be copied
     *     then, or the length is negative
     */
    public static void copy(byte[] source, int from, NativeMemory target, long at, int length) {
        if (length >= Long.BYTES && length <= BYTES_MAX) {
            int last = length - Long.BYTES;
            target.setLong(at, (long) ARRAY_LONG.get(source, from));
            if (length > TWO_WORDS) {
                int third = length - TWO_WORDS;
                target.setLong(at + Long.BYTES, (long) ARRAY_LONG.get(source, from + Long.BYTES));
                target.setLong(at + third, (long) ARRAY_LONG.get(source, from + third));
            }
            target.setLong(at + last, (long) ARRAY_LONG.get(source, from + last));
        } else {
            copyOther(source, from, target, at, length);
        }
    }

    private static void copyOther(byte[] source, int from, NativeMemory target, long at, int length) {
        if (length > BYTES_MAX) {
            target.copyFrom(source, from, at, length);
        } else if (length >= Integer.BYTES) {
            int last = length - Integer.BYTES;
            target.setInt(at, (int) ARRAY_INT.get(source, from));
            target.setInt(at + last, (int) ARRAY_INT.get(source, from + last));
        } else {
            requireLength(length);
            for (int i = 0; i < length; i++) {
                target.setByte(at + i, source[from + i]);
            }
        }
    }

    private static void requireLength(int length) {
        if (length < 0) {
            throw new IndexOutOfBoundsException("bytes to copy: length=" + length);
        }
    }
}
