package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.latch.LatchTable;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

final class GroupPrefetchTest {
    private static final int MEMORY_BYTES = 4096;
    private static final int LINE_BYTES = 64;
    private static final int LATCHES = 3;

    private final LatchTable latches = new LatchTable(LATCHES);
    private final GroupPrefetch prefetch = new GroupPrefetch();

    @Test
    void linesToTheLastByteAreRead() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, MEMORY_BYTES);
            prefetch.addLines(MEMORY_BYTES - 100, MEMORY_BYTES);
            prefetch.addLines(MEMORY_BYTES - 1, MEMORY_BYTES);
            prefetch.addLine(0);
            prefetch.addLatch(LATCHES - 1);
            assertDoesNotThrow(() -> prefetch.run(memory, latches));
        }
    }

    /** Shows that a run does read, and that it forgets: what failed once is not read again. */
    @Test
    void aRunForgetsWhatWasAddedBefore() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, MEMORY_BYTES);
            prefetch.addLine(MEMORY_BYTES - 1);
            prefetch.run(memory, latches);
            assertDoesNotThrow(() -> prefetch.run(memory.slice(0, 1), latches));
            prefetch.addLine(MEMORY_BYTES);
            assertThrows(IndexOutOfBoundsException.class, () -> prefetch.run(memory, latches));
        }
    }

    /** Shown by memory that ends where the last line begins. */
    @Test
    void theLastLineOfSeveralIsRead() {
        for (long from : new long[] {0, MEMORY_BYTES - 100, MEMORY_BYTES - LINE_BYTES, MEMORY_BYTES - 1}) {
            GroupPrefetch beyond = new GroupPrefetch();
            beyond.addLines(from, MEMORY_BYTES);
            requireOutside(beyond, MEMORY_BYTES - LINE_BYTES);
        }
    }

    /** From the first byte to the last, wherever they lie in their lines. */
    @Test
    void asManyLinesAreReadAsThereAre() {
        for (int lines = 1; lines <= 8; lines++) {
            for (int from : new int[] {0, 1, LINE_BYTES - 1}) {
                for (int end : new int[] {1, LINE_BYTES}) {
                    long to = Math.max(from, (lines - 1L) * LINE_BYTES + end - 1) + 1;
                    long last = (to - 1) / LINE_BYTES * LINE_BYTES;
                    GroupPrefetch some = new GroupPrefetch();
                    some.addLines(from, to);
                    if (last > 0) {
                        requireOutside(some, last);
                    }
                    some.addLines(from, to);
                    try (Arena arena = Arena.ofConfined()) {
                        NativeMemory memory = NativeMemory.allocate(arena, last + 1);
                        assertDoesNotThrow(() -> some.run(memory, latches));
                    }
                }
            }
        }
    }

    /** Shown by one that lies before the memory, while the others lie in it. */
    @Test
    void theFirstLineOfSeveralIsRead() {
        GroupPrefetch beyond = new GroupPrefetch();
        beyond.addLines(-1, MEMORY_BYTES);
        requireOutside(beyond, MEMORY_BYTES);
    }

    @Test
    void latchesAreRead() {
        prefetch.addLatch(0);
        prefetch.addLatch(LATCHES);
        requireOutside(prefetch, MEMORY_BYTES);
    }

    private void requireOutside(GroupPrefetch beyond, long memoryBytes) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, MEMORY_BYTES).slice(0, memoryBytes);
            assertThrows(IndexOutOfBoundsException.class, () -> beyond.run(memory, latches));
        }
    }

    @Test
    void whatHasNoRoomIsLeftOut() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, MEMORY_BYTES);
            for (int i = 0; i < 1000; i++) {
                prefetch.addLines(0, MEMORY_BYTES);
                prefetch.addLine(i);
                prefetch.addLatch(i % LATCHES);
            }
            assertDoesNotThrow(() -> prefetch.run(memory, latches));
        }
    }

    @Test
    void theBytesOfALineAreOneLine() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, 1);
            prefetch.addLines(0, 0);
            prefetch.addLines(0, LINE_BYTES);
            prefetch.addLines(LINE_BYTES - 1, LINE_BYTES);
            assertDoesNotThrow(() -> prefetch.run(memory, latches));
        }
    }
}
