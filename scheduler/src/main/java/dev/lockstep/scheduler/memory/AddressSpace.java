package dev.lockstep.scheduler.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The memory of the whole process, in a JVM that allows this module native access ({@code
 * --enable-native-access=dev.lockstep.scheduler}, or {@code ALL-UNNAMED} where it lies on the class path). Numbers are
 * little-endian if not said otherwise, and lie at any address.
 *
 * <p>An access of a segment checks place, alignment and session, some 25 instructions that read the segment from
 * memory. Of a segment that is a constant and ends where addresses end, the compiler keeps a few of that. Where the
 * JVM's own accessors are exported to this module as well ({@code --add-exports java.base/jdk.internal.misc=}, {@link
 * RawMemory}), it keeps nothing, and has less to take in: one call in place of ten within each other, of which it takes
 * only so many into one method. So whoever knows by other means that an address is right uses it here. A wrong one ends
 * the JVM, or destroys what lies there. Without the permission everything is checked, and the JVM has nothing to warn
 * of.
 *
 * <p>Methods may be called where {@link #isOpen} only.
 *
 * <p>Thread-safety: immutable; plain reads and writes of the memory itself, where their names do not say otherwise.
 */
public final class AddressSpace {
    /** All of the process, in which an offset is an address; or null without the permission, for the whole process. */
    private static final MemorySegment WHOLE_OR_NULL =
            AddressSpace.class.getModule().isNativeAccessEnabled() ? whole() : null;

    private static final boolean IS_RAW = WHOLE_OR_NULL != null
            && Object.class.getModule().isExported("jdk.internal.misc", AddressSpace.class.getModule());

    /** A number of 16 bits at any address, little-endian as pages and log records are. */
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** One of 32 bits, little-endian. */
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** One of 64 bits, little-endian. */
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** One of 64 bits whose unsigned order is that of its bytes, as a key's. */
    public static final ValueLayout.OfLong LONG_BIG_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private AddressSpace() {}

    /** Returns whether there is such a segment. */
    public static boolean isOpen() {
        return WHOLE_OR_NULL != null;
    }

    /** Returns whether the JVM's own accessors are used. */
    public static boolean isRaw() {
        return IS_RAW;
    }

    /** Restricted, and so never called where the JVM would warn of it. */
    @SuppressWarnings("restricted")
    private static MemorySegment whole() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** Reads one byte, -128 to 127. */
    public static byte getByte(long address) {
        return IS_RAW ? RawMemory.getByte(address) : WHOLE_OR_NULL.get(ValueLayout.JAVA_BYTE, address);
    }

    /** Writes one byte. */
    public static void setByte(long address, byte value) {
        if (IS_RAW) {
            RawMemory.setByte(address, value);
        } else {
            WHOLE_OR_NULL.set(ValueLayout.JAVA_BYTE, address, value);
        }
    }

    /** Reads two bytes, with a sign. */
    public static short getShort(long address) {
        return IS_RAW ? RawMemory.getShort(address) : WHOLE_OR_NULL.get(SHORT, address);
    }

    /** Writes two bytes. */
    public static void setShort(long address, short value) {
        if (IS_RAW) {
            RawMemory.setShort(address, value);
        } else {
            WHOLE_OR_NULL.set(SHORT, address, value);
        }
    }

    /** Reads four bytes. */
    public static int getInt(long address) {
        return IS_RAW ? RawMemory.getInt(address) : WHOLE_OR_NULL.get(INT, address);
    }

    /** Writes four bytes. */
    public static void setInt(long address, int value) {
        if (IS_RAW) {
            RawMemory.setInt(address, value);
        } else {
            WHOLE_OR_NULL.set(INT, address, value);
        }
    }

    /** Reads eight bytes. */
    public static long getLong(long address) {
        return IS_RAW ? RawMemory.getLong(address) : WHOLE_OR_NULL.get(LONG, address);
    }

    /** Writes eight bytes. */
    public static void setLong(long address, long value) {
        if (IS_RAW) {
            RawMemory.setLong(address, value);
        } else {
            WHOLE_OR_NULL.set(LONG, address, value);
        }
    }

    /** Reads eight bytes, big-endian. */
    public static long getLongBigEndian(long address) {
        return IS_RAW ? RawMemory.getLongBigEndian(address) : WHOLE_OR_NULL.get(LONG_BIG_ENDIAN, address);
    }

    /**
     * Copies to an array.
     *
     * @throws IndexOutOfBoundsException if the range does not lie within the array; nothing is copied then
     */
    public static void copyTo(long address, byte[] target, int at, int bytes) {
        if (IS_RAW) {
            RawMemory.copyTo(address, target, at, bytes);
        } else {
            MemorySegment.copy(WHOLE_OR_NULL, ValueLayout.JAVA_BYTE, address, target, at, bytes);
        }
    }

    /**
     * Copies from an array.
     *
     * @throws IndexOutOfBoundsException if the range does not lie within the array; nothing is copied then
     */
    public static void copyFrom(byte[] source, int from, long address, int bytes) {
        if (IS_RAW) {
            RawMemory.copyFrom(source, from, address, bytes);
        } else {
            MemorySegment.copy(source, from, WHOLE_OR_NULL, ValueLayout.JAVA_BYTE, address, bytes);
        }
    }

    /**
     * Copies from an array to another, or to a place in the same one that does not overlap.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its array; nothing is copied then
     */
    public static void copy(byte[] source, int from, byte[] target, int at, int bytes) {
        if (IS_RAW) {
            RawMemory.copy(source, from, target, at, bytes);
        } else {
            System.arraycopy(source, from, target, at, bytes);
        }
    }

    /** Reads eight bytes at a multiple of eight, in the machine's order, whole and at some time. */
    public static long getLongOpaque(long address) {
        return IS_RAW ? RawMemory.getLongOpaque(address) : (long) WORD.getOpaque(WHOLE_OR_NULL, address);
    }

    /** Writes such a number, whole and at some time. */
    public static void setLongOpaque(long address, long value) {
        if (IS_RAW) {
            RawMemory.setLongOpaque(address, value);
        } else {
            WORD.setOpaque(WHOLE_OR_NULL, address, value);
        }
    }

    /** Reads such a number; who sees the value of a {@link #setLongRelease} sees all that was written before that. */
    public static long getLongAcquire(long address) {
        return IS_RAW ? RawMemory.getLongAcquire(address) : (long) WORD.getAcquire(WHOLE_OR_NULL, address);
    }

    /** Writes such a number after everything that was written before. */
    public static void setLongRelease(long address, long value) {
        if (IS_RAW) {
            RawMemory.setLongRelease(address, value);
        } else {
            WORD.setRelease(WHOLE_OR_NULL, address, value);
        }
    }

    /**
     * Replaces such a number if it has the expected value, before everything that is read or written afterwards.
     *
     * @return what it was
     */
    public static long compareAndExchangeLongAcquire(long address, long expected, long replacement) {
        return IS_RAW
                ? RawMemory.compareAndExchangeLongAcquire(address, expected, replacement)
                : (long) WORD.compareAndExchangeAcquire(WHOLE_OR_NULL, address, expected, replacement);
    }
}
