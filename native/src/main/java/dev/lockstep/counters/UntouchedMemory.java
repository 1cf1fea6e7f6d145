package dev.lockstep.counters;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory straight from the system, which nobody has touched: a machine of several nodes takes each page from the node
 * of the thread that touches it first. Memory that Java allocates was zeroed, and so touched, by whoever asked for it.
 * Linux on x86-64 only. Thread-safe.
 */
public final class UntouchedMemory {
    // Of Linux's mmap and madvise.
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE_ANONYMOUS = 2 | 0x20;
    private static final long MAP_FAILED = -1;
    private static final int MADV_HUGEPAGE = 14;

    private UntouchedMemory() {}

    private static boolean isHere() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    /**
     * Maps zeros.
     *
     * @param arena gives the memory back when it is closed
     * @param bytes 1 or more
     * @param alignmentBytes a power of two
     * @param largePages whether the system is advised to use large pages, as it may
     * @throws UnsupportedOperationException elsewhere than on Linux on x86-64
     * @throws OutOfMemoryError if the system has none
     */
    public static MemorySegment allocate(Arena arena, long bytes, long alignmentBytes, boolean largePages) {
        if (bytes < 1 || Long.bitCount(alignmentBytes) != 1) {
            throw new IllegalArgumentException("Not a size and an alignment: bytes=" + bytes + " alignmentBytes="
                    + alignmentBytes + "; name at least one byte, and a power of two");
        }
        if (!isHere()) {
            throw new UnsupportedOperationException("Memory is mapped on Linux on x86-64 only: platform="
                    + System.getProperty("os.name") + "/" + System.getProperty("os.arch")
                    + "; leave the layout of nodes out");
        }
        MemorySegment mapped = map(arena, bytes + alignmentBytes, largePages);
        long address = mapped.address();
        long skipped = -address & (alignmentBytes - 1);
        return mapped.asSlice(skipped, bytes);
    }

    // The signatures are those of Linux's C library.
    @SuppressWarnings("restricted")
    private static MemorySegment map(Arena arena, long bytes, boolean largePages) {
        Linker linker = Linker.nativeLinker();
        MethodHandle mmap = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("mmap"),
                FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
        MethodHandle munmap = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("munmap"), FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
        MethodHandle madvise = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("madvise"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
        try {
            MemorySegment mapped = (MemorySegment)
                    mmap.invokeExact(MemorySegment.NULL, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
            if (mapped.address() == MAP_FAILED) {
                throw new OutOfMemoryError("The system has no memory left: bytes=" + bytes + "; ask for less");
            }
            if (largePages) {
                // Advice: the system may not take it, and then pages are small.
                int ignored = (int) madvise.invokeExact(mapped, bytes, MADV_HUGEPAGE);
            }
            return mapped.reinterpret(bytes, arena, segment -> unmap(munmap, segment, bytes));
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Memory cannot be mapped: bytes=" + bytes, e);
        }
    }

    private static void unmap(MethodHandle munmap, MemorySegment mapped, long bytes) {
        int result;
        try {
            result = (int) munmap.invokeExact(mapped, bytes);
        } catch (Throwable e) {
            throw new IllegalStateException("Memory cannot be given back: bytes=" + bytes, e);
        }
        if (result != 0) {
            throw new IllegalStateException("Memory cannot be given back: bytes=" + bytes + " result=" + result);
        }
    }
}
