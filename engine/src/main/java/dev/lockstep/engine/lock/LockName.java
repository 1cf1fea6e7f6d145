package dev.lockstep.engine.lock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * Names of locks: 64-bit hashes of what is locked.
 *
 * <p>Bit 63 is set in the names of tables and clear in the names of keys, so that a key never meets
 * a table; the other 63 bits are hash. Two different keys with one name only cost a needless wait: with a million locks
 * held, the next one meets such a name with a probability of about 10<sup>-13</sup>. The hash multiplies 64 by 64 bits
 * and folds the 128-bit product, eight bytes of key at a time, after the wyhash family of Wang Yi.
 *
 * <p>A name depends on nothing but its arguments, and is the same for bytes on and off the heap. It is not persistent.
 */
public final class LockName {
    // Odd constants with as many ones as zeros, from wyhash.
    private static final long SEED = 0xa076_1d64_78bd_642fL;
    private static final long STEP = 0xe703_7ed1_a0b4_28dbL;
    private static final long LAST = 0x8ebc_6af0_9c88_c6e3L;

    private static final VarHandle HEAP_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle HEAP_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private LockName() {}

    /**
     * Returns the name of the lock on a table and everything in it.
     *
     * @param treeId the number of the tree that holds the table's records
     */
    public static long ofTable(int treeId) {
        return fold(Integer.toUnsignedLong(treeId) ^ SEED, LAST) | Long.MIN_VALUE;
    }

    /**
     * Returns the name of the lock on one key of one tree.
     *
     * @param treeId the number of the tree
     * @param key holds the encoded key
     * @param offset where the key starts, in bytes
     * @param length how long the key is, in bytes, 0 or more
     */
    public static long ofKey(int treeId, byte[] key, int offset, int length) {
        long hash = seed(treeId, length);
        int end = offset + length;
        for (int position = offset; end - position > Long.BYTES; position += Long.BYTES) {
            hash = fold(hash ^ (long) HEAP_LONG.get(key, position), STEP);
        }
        long last;
        if (length >= Long.BYTES) {
            last = (long) HEAP_LONG.get(key, end - Long.BYTES);
        } else if (length >= Integer.BYTES) {
            last = twoInts((int) HEAP_INT.get(key, offset), (int) HEAP_INT.get(key, end - Integer.BYTES));
        } else if (length > 0) {
            last = threeBytes(key[offset], key[offset + (length >> 1)], key[end - 1]);
        } else {
            last = 0;
        }
        return finish(hash, last);
    }

    /**
     * Returns the name of the lock on one key of one tree.
     *
     * @param treeId the number of the tree
     * @param memory holds the encoded key
     * @param offset where the key starts, in bytes
     * @param length how long the key is, in bytes, 0 or more
     */
    public static long ofKey(int treeId, MemorySegment memory, long offset, int length) {
        long hash = seed(treeId, length);
        long end = offset + length;
        for (long position = offset; end - position > Long.BYTES; position += Long.BYTES) {
            hash = fold(hash ^ memory.get(LONG, position), STEP);
        }
        long last;
        if (length >= Long.BYTES) {
            last = memory.get(LONG, end - Long.BYTES);
        } else if (length >= Integer.BYTES) {
            last = twoInts(memory.get(INT, offset), memory.get(INT, end - Integer.BYTES));
        } else if (length > 0) {
            last = threeBytes(
                    memory.get(ValueLayout.JAVA_BYTE, offset),
                    memory.get(ValueLayout.JAVA_BYTE, offset + (length >> 1)),
                    memory.get(ValueLayout.JAVA_BYTE, end - 1));
        } else {
            last = 0;
        }
        return finish(hash, last);
    }

    /** Returns whether the name is one of {@link #ofTable}, and not one of a key. */
    public static boolean isTable(long name) {
        return name < 0;
    }

    /** Returns a name for messages: what kind of thing is locked, and the hash in hexadecimal. */
    public static String toString(long name) {
        String kind = isTable(name) ? "table" : "key";
        return kind + ":0x" + HexFormat.of().toHexDigits(name);
    }

    private static long seed(int treeId, int length) {
        return fold(((long) length << Integer.SIZE | Integer.toUnsignedLong(treeId)) ^ SEED, STEP);
    }

    private static long twoInts(int first, int last) {
        return Integer.toUnsignedLong(first) | (long) last << Integer.SIZE;
    }

    private static long threeBytes(byte first, byte middle, byte last) {
        return Byte.toUnsignedLong(first)
                | Byte.toUnsignedLong(middle) << Byte.SIZE
                | Byte.toUnsignedLong(last) << (2 * Byte.SIZE);
    }

    private static long finish(long hash, long last) {
        return fold(hash ^ last, LAST) & Long.MAX_VALUE;
    }

    private static long fold(long one, long other) {
        return one * other ^ Math.unsignedMultiplyHigh(one, other);
    }
}
