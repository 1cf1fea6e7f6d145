package dev.lockstep.scheduler.memory;

import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Memory by its address, checked by nothing: the JVM's own accessors, one instruction each. Not loaded unless {@code
 * java.base/jdk.internal.misc} is exported to this module. Numbers are little-endian if not said otherwise, and lie at
 * any address; those that are read or written in some order lie at multiples of eight, and are the machine's.
 *
 * <p>Thread-safety: stateless; plain reads and writes of the memory itself, where their names do not say otherwise.
 */
final class RawMemory {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Of the stub's loop, on processors with registers of so many bytes. */
    private static final int CHUNK_BYTES = 4 * Long.BYTES;

    private RawMemory() {}

    static byte getByte(long address) {
        return UNSAFE.getByte(null, address);
    }

    static void setByte(long address, byte value) {
        UNSAFE.putByte(null, address, value);
    }

    static short getShort(long address) {
        return UNSAFE.getShortUnaligned(null, address, false);
    }

    static void setShort(long address, short value) {
        UNSAFE.putShortUnaligned(null, address, value, false);
    }

    static int getInt(long address) {
        return UNSAFE.getIntUnaligned(null, address, false);
    }

    static void setInt(long address, int value) {
        UNSAFE.putIntUnaligned(null, address, value, false);
    }

    static long getLong(long address) {
        return UNSAFE.getLongUnaligned(null, address, false);
    }

    static void setLong(long address, long value) {
        UNSAFE.putLongUnaligned(null, address, value, false);
    }

    static long getLongBigEndian(long address) {
        return UNSAFE.getLongUnaligned(null, address, true);
    }

    static void copyTo(long address, byte[] target, int at, int bytes) {
        Objects.checkFromIndexSize(at, bytes, target.length);
        copy(null, address, target, Unsafe.ARRAY_BYTE_BASE_OFFSET + at, bytes);
    }

    static void copyFrom(byte[] source, int from, long address, int bytes) {
        Objects.checkFromIndexSize(from, bytes, source.length);
        copy(source, Unsafe.ARRAY_BYTE_BASE_OFFSET + from, null, address, bytes);
    }

    static void copy(byte[] source, int from, byte[] target, int at, int bytes) {
        Objects.checkFromIndexSize(from, bytes, source.length);
        Objects.checkFromIndexSize(at, bytes, target.length);
        copy(source, Unsafe.ARRAY_BYTE_BASE_OFFSET + from, target, Unsafe.ARRAY_BYTE_BASE_OFFSET + at, bytes);
    }

    /**
     * Copies between places that do not overlap. The JVM's stub branches by the alignment of both, and for each bit of
     * the number of bytes behind the last chunk, and the processor guesses that wrong where rows differ in length. So
     * it is given whole chunks and one byte, an odd number, which has it go one way whatever the alignment; and the
     * rest is the end of a chunk of our own that overlaps the one before.
     */
    private static void copy(Object source, long from, Object target, long to, int bytes) {
        if (bytes < CHUNK_BYTES) {
            UNSAFE.copyMemory(source, from, target, to, bytes);
            return;
        }
        if (bytes > 2 * CHUNK_BYTES) {
            UNSAFE.copyMemory(source, from, target, to, ((bytes - 1) & -CHUNK_BYTES) + 1L);
        } else {
            copyChunk(source, from, target, to);
        }
        copyChunk(source, from + bytes - CHUNK_BYTES, target, to + bytes - CHUNK_BYTES);
    }

    private static void copyChunk(Object source, long from, Object target, long to) {
        UNSAFE.putLongUnaligned(target, to, UNSAFE.getLongUnaligned(source, from));
        UNSAFE.putLongUnaligned(target, to + 8, UNSAFE.getLongUnaligned(source, from + 8));
        UNSAFE.putLongUnaligned(target, to + 16, UNSAFE.getLongUnaligned(source, from + 16));
        UNSAFE.putLongUnaligned(target, to + 24, UNSAFE.getLongUnaligned(source, from + 24));
    }

    static long getLongOpaque(long address) {
        return UNSAFE.getLongOpaque(null, address);
    }

    static long getLongAcquire(long address) {
        return UNSAFE.getLongAcquire(null, address);
    }

    static void setLongOpaque(long address, long value) {
        UNSAFE.putLongOpaque(null, address, value);
    }

    static void setLongRelease(long address, long value) {
        UNSAFE.putLongRelease(null, address, value);
    }

    static long compareAndExchangeLongAcquire(long address, long expected, long replacement) {
        return UNSAFE.compareAndExchangeLongAcquire(null, address, expected, replacement);
    }
}
