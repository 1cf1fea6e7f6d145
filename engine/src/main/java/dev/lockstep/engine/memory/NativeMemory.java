package dev.lockstep.engine.memory;

import dev.lockstep.scheduler.memory.AddressSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A range of memory outside the heap: pages, or records of the log. Numbers are little-endian if not said otherwise,
 * and lie at any offset.
 *
 * <p>A range is checked, or it is trusted. Of a checked one every access looks whether it lies within, which whoever
 * reads what may be damaged relies on. Of a trusted one, in a JVM that opens the {@link AddressSpace}, accesses of
 * single numbers, and copies of up to {@link #TRUSTED_COPY_BYTES_MAX} bytes from and to arrays, look at nothing: the
 * owner sees to it that all computed offsets lie within, with so many bytes behind them, those of numbers too that are
 * read while somebody writes them, and that nobody comes back once its arena is closed. Arrays, fills, and other copies
 * are checked always.
 *
 * <p>Thread-safety: immutable; plain reads and writes of the memory itself.
 */
public final class NativeMemory {
    /**
     * Lengths of 16 bits, as a page has for what lies in it: whatever number stands there, a copy ends within as many
     * bytes behind its begin. Longer copies are checked.
     */
    public static final int TRUSTED_COPY_BYTES_MAX = 0xFFFF;

    /** As many as a page has. */
    private static final int ZEROS_BYTES = 1 << 13;

    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[ZEROS_BYTES]);

    /** Memory that has no bytes. */
    public static final NativeMemory NONE = checked(MemorySegment.NULL);

    private final MemorySegment segment;

    /** {@link #segment}, or null: then the memory is trusted. */
    private final MemorySegment checkedOrNull;

    /** Where it begins, as an address. */
    private final long base;

    private NativeMemory(MemorySegment segment, boolean isChecked) {
        this.segment = segment;
        checkedOrNull = isChecked ? segment : null;
        base = segment.address();
    }

    /** Memory of which every access is checked. */
    public static NativeMemory checked(MemorySegment segment) {
        return new NativeMemory(segment, true);
    }

    /** Memory whose owner answers for every offset, as the class comment says. */
    public static NativeMemory trusted(MemorySegment segment) {
        return new NativeMemory(segment, !AddressSpace.isOpen());
    }

    /** Checked memory of zeros. */
    public static NativeMemory allocate(Arena arena, long bytes, long alignmentBytes) {
        return checked(arena.allocate(bytes, alignmentBytes));
    }

    /** Checked memory of zeros, anywhere. */
    public static NativeMemory allocate(Arena arena, long bytes) {
        return checked(arena.allocate(bytes));
    }

    /** Returns the memory as a segment, of which everything is checked. */
    public MemorySegment segment() {
        return segment;
    }

    /** Returns its length in bytes. */
    public long byteSize() {
        return segment.byteSize();
    }

    /** Returns the bytes as a buffer, big-endian as buffers are. */
    public ByteBuffer asByteBuffer() {
        return segment.asByteBuffer();
    }

    /** Checked memory within this one. */
    public NativeMemory slice(long offset, long bytes) {
        return checked(segment.asSlice(offset, bytes));
    }

    /** Reads one byte, -128 to 127. */
    public byte getByte(long offset) {
        return checkedOrNull == null
                ? AddressSpace.getByte(base + offset)
                : checkedOrNull.get(ValueLayout.JAVA_BYTE, offset);
    }

    /** Writes one byte. */
    public void setByte(long offset, byte value) {
        if (checkedOrNull == null) {
            AddressSpace.setByte(base + offset, value);
        } else {
            checkedOrNull.set(ValueLayout.JAVA_BYTE, offset, value);
        }
    }

    /** Reads two bytes, with a sign. */
    public short getShort(long offset) {
        return checkedOrNull == null
                ? AddressSpace.getShort(base + offset)
                : checkedOrNull.get(AddressSpace.SHORT, offset);
    }

    /** Reads two bytes, 0 to 65,535. */
    public int getUnsignedShort(long offset) {
        return Short.toUnsignedInt(getShort(offset));
    }

    /** Writes two bytes. */
    public void setShort(long offset, short value) {
        if (checkedOrNull == null) {
            AddressSpace.setShort(base + offset, value);
        } else {
            checkedOrNull.set(AddressSpace.SHORT, offset, value);
        }
    }

    /** Reads four bytes. */
    public int getInt(long offset) {
        return checkedOrNull == null ? AddressSpace.getInt(base + offset) : checkedOrNull.get(AddressSpace.INT, offset);
    }

    /** Writes four bytes. */
    public void setInt(long offset, int value) {
        if (checkedOrNull == null) {
            AddressSpace.setInt(base + offset, value);
        } else {
            checkedOrNull.set(AddressSpace.INT, offset, value);
        }
    }

    /** Reads eight bytes. */
    public long getLong(long offset) {
        return checkedOrNull == null
                ? AddressSpace.getLong(base + offset)
                : checkedOrNull.get(AddressSpace.LONG, offset);
    }

    /** Writes eight bytes. */
    public void setLong(long offset, long value) {
        if (checkedOrNull == null) {
            AddressSpace.setLong(base + offset, value);
        } else {
            checkedOrNull.set(AddressSpace.LONG, offset, value);
        }
    }

    /** Reads eight bytes, big-endian: numbers that compare as the bytes of keys do. */
    public long getLongBigEndian(long offset) {
        return checkedOrNull == null
                ? AddressSpace.getLongBigEndian(base + offset)
                : checkedOrNull.get(AddressSpace.LONG_BIG_ENDIAN, offset);
    }

    /**
     * Copies to an array.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its memory, unless that is trusted, or array;
     *     nothing is copied then
     */
    public void copyTo(long offset, byte[] target, int at, int bytes) {
        if (checkedOrNull == null && bytes <= TRUSTED_COPY_BYTES_MAX) {
            AddressSpace.copyTo(base + offset, target, at, bytes);
        } else {
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, target, at, bytes);
        }
    }

    /**
     * Copies from an array.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its memory, unless that is trusted, or array;
     *     nothing is copied then
     */
    public void copyFrom(byte[] source, int from, long offset, int bytes) {
        if (checkedOrNull == null && bytes <= TRUSTED_COPY_BYTES_MAX) {
            AddressSpace.copyFrom(source, from, base + offset, bytes);
        } else {
            MemorySegment.copy(source, from, segment, ValueLayout.JAVA_BYTE, offset, bytes);
        }
    }

    /**
     * Copies, as if through a third place where the ranges overlap.
     *
     * @throws IndexOutOfBoundsException if a range does not lie within its memory; nothing is copied then
     */
    public static void copy(NativeMemory source, long from, NativeMemory target, long at, long bytes) {
        MemorySegment.copy(source.segment, from, target.segment, at, bytes);
    }

    /**
     * Writes zeros. Makes no object, as a slice to fill would be: pages are cleared under their latches, where running
     * out of memory would leave them.
     *
     * @throws IndexOutOfBoundsException if the range does not lie within the memory; nothing is written then
     */
    public void clear(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
        for (long at = 0; at < bytes; at += ZEROS_BYTES) {
            MemorySegment.copy(ZEROS, 0, segment, offset + at, Math.min(ZEROS_BYTES, bytes - at));
        }
    }
}
