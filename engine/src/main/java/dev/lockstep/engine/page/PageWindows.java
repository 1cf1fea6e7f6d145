package dev.lockstep.engine.page;

import dev.lockstep.engine.memory.NativeMemory;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Byte buffers over a segment that may be larger than a byte buffer can be, for file channels and checksums, which take
 * nothing else. The buffers are made once and moved, so that a page read or written allocates nothing.
 *
 * <p>Thread-safety: for one thread, because the position and limit of the buffers are state. Threads that share a
 * segment each have their own windows.
 */
public final class PageWindows {
    /** Logarithm of the bytes from one window to the next: 1 GiB. */
    private static final int WINDOW_SHIFT = 30;

    private static final long WINDOW_MASK = (1L << WINDOW_SHIFT) - 1;

    /** Longest range that can be shown, in bytes: half of the distance of windows, so that a byte buffer has both. */
    public static final int RANGE_BYTES_MAX = 1 << (WINDOW_SHIFT - 1);

    /** Of one window. It reaches into the next, so that what begins in it ends in it, wherever pages begin. */
    private static final long WINDOW_BYTES = (1L << WINDOW_SHIFT) + RANGE_BYTES_MAX;

    private final NativeMemory memory;
    private final ByteBuffer[] windows;

    /**
     * Makes the windows.
     *
     * @param memory a native segment
     */
    public PageWindows(NativeMemory memory) {
        this.memory = memory;
        int windowCount = Math.toIntExact((memory.byteSize() + WINDOW_MASK) >>> WINDOW_SHIFT);
        this.windows = new ByteBuffer[windowCount];
        for (int i = 0; i < windowCount; i++) {
            long start = (long) i << WINDOW_SHIFT;
            windows[i] = memory.slice(start, Math.min(WINDOW_BYTES, memory.byteSize() - start))
                    .asByteBuffer();
        }
    }

    /** Returns the segment that the windows look at. */
    public NativeMemory memory() {
        return memory;
    }

    /**
     * A buffer whose remaining bytes are the given ones, anywhere in the segment. It stays valid until the next call.
     *
     * @param address offset in the segment, in bytes
     * @param lengthBytes number of bytes, up to {@link #RANGE_BYTES_MAX}
     * @throws IndexOutOfBoundsException if there are more, or they lie outside the segment
     */
    public ByteBuffer at(long address, int lengthBytes) {
        Objects.checkIndex(lengthBytes, RANGE_BYTES_MAX + 1);
        Objects.checkFromIndexSize(address, lengthBytes, memory.byteSize());
        ByteBuffer window = windows[(int) (address >>> WINDOW_SHIFT)];
        int position = (int) (address & WINDOW_MASK);
        return window.limit(position + lengthBytes).position(position);
    }
}
