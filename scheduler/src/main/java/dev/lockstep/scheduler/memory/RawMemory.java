package dev.lockstep.scheduler.memory;

import jdk.internal.misc.Unsafe;

/**
 * Memory by its address, checked by nothing: the JVM's own accessors, one instruction each. Not loaded unless {@code
 * java.base/jdk.internal.misc} is exported to this module. Numbers are little-endian if not said otherwise, and lie at
 * any address.
 *
 * <p>Thread-safety: stateless; plain reads and writes of the memory itself.
 */
final class RawMemory {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

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
}
