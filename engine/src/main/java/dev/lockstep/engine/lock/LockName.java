package dev.lockstep.engine.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * Names of locks: 64-bit hashes of what is locked.
 *
 * <pre>
 *   bit 63    62                    16 15      8 7        0
 *   +--------+-------------------------+---------+----------+
 *   | table  | hash                    | group   | hash     |
 *   +--------+-------------------------+---------+----------+
 * </pre>
 *
 * <p>Bit 63 is set in the names of tables and clear in the names of keys, so that a key never meets a table. The group
 * is hash of the key's leading bytes alone, where a key has leading bytes, and else as the rest: keys that begin alike,
 * those of one tenant or one warehouse, in whatever table, meet in a few stripes ({@link LockManager}). Two different
 * keys with one name only cost a needless wait: with a million locks held, the next one meets such a name with a
 * probability of about 10<sup>-13</sup>, and of 3 in 10<sup>11</sup> if all begin alike. The hash multiplies 64 by 64
 * bits and folds the 128-bit product, eight bytes of key at a time, after the wyhash family of Wang Yi.
 *
 * <p>A name depends on nothing but its arguments. It is not persistent.
 */
public final class LockName {
    /** The bits of a name that say its group begin here. */
    static final int GROUP_SHIFT = 8;
    /** As many groups as names can tell apart. */
    static final int GROUPS_MAX = 1 << 8;

    private static final long GROUP_BITS = (long) (GROUPS_MAX - 1) << GROUP_SHIFT;

    // Odd constants with as many ones as zeros, from wyhash.
    private static final long SEED = 0xa076_1d64_78bd_642fL;
    private static final long STEP = 0xe703_7ed1_a0b4_28dbL;
    private static final long LAST = 0x8ebc_6af0_9c88_c6e3L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

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
     * @param leadingBytes the bytes that choose the name's group, 0 for all: the same for all keys of the tree
     * @param key holds the encoded key
     * @param offset where the key starts, in bytes
     * @param length how long the key is, in bytes, 0 or more; one that is shorter than its leading bytes has none
     */
    public static long ofKey(int treeId, int leadingBytes, byte[] key, int offset, int length) {
        long seed = fold(((long) length << Integer.SIZE | Integer.toUnsignedLong(treeId)) ^ SEED, STEP);
        long first = word(key, offset, Math.min(length, Long.BYTES));
        long hash = length <= Long.BYTES ? fold(seed ^ first, LAST) : hash(seed, first, key, offset, length);
        long name = hash & Long.MAX_VALUE;
        if (leadingBytes == 0 || length < leadingBytes) {
            return name;
        }
        long group = leadingBytes <= Long.BYTES
                ? fold(SEED ^ (first & firstBytes(leadingBytes)), LAST)
                : hash(SEED, first, key, offset, leadingBytes);
        return (name & ~GROUP_BITS) | (group & GROUP_BITS);
    }

    /** Returns the name of the lock on one key of a tree whose keys have no leading bytes. */
    public static long ofKey(int treeId, byte[] key, int offset, int length) {
        return ofKey(treeId, 0, key, offset, length);
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

    /** Of more than eight bytes, the first eight of which are known. */
    private static long hash(long seed, long first, byte[] key, int offset, int length) {
        long hash = fold(seed ^ first, STEP);
        int end = offset + length;
        for (int position = offset + Long.BYTES; end - position > Long.BYTES; position += Long.BYTES) {
            hash = fold(hash ^ (long) LONG.get(key, position), STEP);
        }
        return fold(hash ^ (long) LONG.get(key, end - Long.BYTES), LAST);
    }

    /** Up to eight bytes as a number, the first of them lowest. */
    private static long word(byte[] key, int offset, int length) {
        if (key.length - offset >= Long.BYTES) {
            return length == 0 ? 0 : (long) LONG.get(key, offset) & firstBytes(length);
        }
        long word = 0;
        for (int i = length - 1; i >= 0; i--) {
            word = word << Byte.SIZE | Byte.toUnsignedLong(key[offset + i]);
        }
        return word;
    }

    /** A mask for the first bytes of a word, 1 to 8. */
    private static long firstBytes(int count) {
        return -1L >>> (Long.SIZE - Byte.SIZE * count);
    }

    private static long fold(long one, long other) {
        return one * other ^ Math.unsignedMultiplyHigh(one, other);
    }
}
