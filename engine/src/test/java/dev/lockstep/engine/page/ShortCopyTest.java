package dev.lockstep.engine.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.memory.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every length around those at which another way of copying begins, at every alignment. */
class ShortCopyTest {
    private static final int LENGTH_MAX = 2 * ShortCopy.BYTES_MAX;
    private static final int ROOM = LENGTH_MAX + 2 * Long.BYTES;

    private final byte[] source = new byte[ROOM];

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void copiesWhatASystemCopyDoes(long seed) {
        new Random(seed).nextBytes(source);
        for (int length = 0; length <= LENGTH_MAX; length++) {
            for (int from = 0; from < Long.BYTES; from++) {
                int at = Long.BYTES - 1 - from;
                byte[] expected = new byte[ROOM];
                System.arraycopy(source, from, expected, at, length);
                assertCopies(expected, from, at, length);
            }
        }
    }

    private void assertCopies(byte[] expected, int from, int at, int length) {
        byte[] target = new byte[ROOM];
        ShortCopy.copy(source, from, target, at, length);
        assertArrayEquals(expected, target);
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = NativeMemory.allocate(arena, ROOM);
            ShortCopy.copy(source, from, page, at, length);
            assertArrayEquals(expected, page.segment().toArray(ValueLayout.JAVA_BYTE));

            page.copyFrom(source, 0, 0, source.length);
            byte[] read = new byte[ROOM];
            ShortCopy.copy(page, from, read, at, length);
            assertArrayEquals(expected, read);
        }
    }

    @Test
    void goesBeyondNoEnd() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = NativeMemory.allocate(arena, ROOM);
            for (int length = 1; length <= LENGTH_MAX; length++) {
                int bytes = length;
                int late = ROOM - length + 1;
                byte[] target = new byte[ROOM];
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, late, target, 0, bytes));
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, 0, target, late, bytes));
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(page, late, target, 0, bytes));
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(page, 0, target, late, bytes));
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, late, page, 0, bytes));
                assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, 0, page, late, bytes));
            }
        }
    }

    /** As where a key of the log is shorter than the prefix of the page that it is said to lie in. */
    @Test
    void refusesANegativeLength() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = NativeMemory.allocate(arena, ROOM);
            byte[] target = new byte[ROOM];
            assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, 0, target, 0, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(page, 0, target, 0, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> ShortCopy.copy(source, 0, page, 0, -1));
        }
    }
}
