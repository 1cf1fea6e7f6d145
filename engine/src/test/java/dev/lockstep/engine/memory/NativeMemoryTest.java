package dev.lockstep.engine.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeMemoryTest {
    private static final int BYTES = 32;

    private final Arena arena = Arena.ofConfined();

    private NativeMemory memory(boolean trusted) {
        NativeMemory memory = NativeMemory.allocate(arena, BYTES);
        return trusted ? NativeMemory.trusted(memory.segment()) : memory;
    }

    private static String bytesOf(NativeMemory memory) {
        byte[] bytes = new byte[BYTES];
        memory.copyTo(0, bytes, 0, BYTES);
        return HexFormat.of().formatHex(bytes);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void numbersLieWhereTheyWerePutLittleEndian(boolean trusted) {
        NativeMemory memory = memory(trusted);
        memory.setByte(0, (byte) 0x81);
        memory.setShort(1, (short) 0x8283);
        memory.setInt(3, 0x84858687);
        memory.setLong(7, 0x88898A8B8C8D8E8FL);
        assertEquals("81" + "8382" + "87868584" + "8f8e8d8c8b8a8988" + "00".repeat(17), bytesOf(memory));
        assertEquals((byte) 0x81, memory.getByte(0));
        assertEquals((short) 0x8283, memory.getShort(1));
        assertEquals(0x8283, memory.getUnsignedShort(1));
        assertEquals(0x84858687, memory.getInt(3));
        assertEquals(0x88898A8B8C8D8E8FL, memory.getLong(7));
        assertEquals(0x8F8E8D8C8B8A8988L, memory.getLongBigEndian(7));
        memory.setLong(BYTES - Long.BYTES, -1);
        assertEquals(-1, memory.getLong(BYTES - Long.BYTES));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bytesAreCopiedAndCleared(boolean trusted) {
        NativeMemory memory = memory(trusted);
        memory.copyFrom(new byte[] {9, 1, 2, 3, 9}, 1, 4, 3);
        NativeMemory.copy(memory, 4, memory, 5, 3);
        assertEquals("00000000" + "01010203" + "00".repeat(24), bytesOf(memory));
        memory.clear(5, 2);
        byte[] read = new byte[4];
        memory.copyTo(4, read, 1, 3);
        assertArrayEquals(new byte[] {0, 1, 0, 0}, read);
        assertEquals(3, memory.getByte(7));
    }

    /** More than the zeros that there are to be copied, and not a multiple of them. */
    @Test
    void muchIsClearedWithoutMakingAnObject() {
        int bytes = 3 * 8_192 + 5;
        NativeMemory memory = NativeMemory.allocate(arena, bytes + 2);
        int rounds = 20;
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        for (int round = 0; round <= rounds; round++) {
            if (round == 1) {
                // Behind what the first call loads.
                before = threads.getCurrentThreadAllocatedBytes();
            }
            memory.setByte(0, (byte) 1);
            memory.setByte(bytes, (byte) 2);
            memory.setByte(bytes + 1, (byte) 3);
            memory.clear(1, bytes);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 16L * rounds, "allocatedBytes=" + allocated);
        assertEquals(1, memory.getByte(0));
        assertEquals(0, memory.getByte(bytes));
        assertEquals(3, memory.getByte(bytes + 1));
    }

    @Test
    void checkedMemoryHasEnds() {
        NativeMemory memory = memory(false);
        for (long outside : new long[] {-1, BYTES, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> memory.getByte(outside));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.setByte(outside, (byte) 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.getShort(outside));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.setShort(outside, (short) 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.getInt(outside));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.setInt(outside, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.getLong(outside));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.setLong(outside, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.getLongBigEndian(outside));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> memory.getLong(BYTES - Long.BYTES + 1));
        assertEquals("00".repeat(BYTES), bytesOf(memory));
    }

    /** So does a part of trusted memory, which nobody answers for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partsAndCopiesAndFillsHaveEnds(boolean trusted) {
        NativeMemory memory = memory(trusted);
        NativeMemory part = memory.slice(8, 8);
        assertThrows(IndexOutOfBoundsException.class, () -> part.getLong(1));
        assertThrows(IndexOutOfBoundsException.class, () -> part.getByte(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.clear(BYTES - 1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.copyTo(BYTES - 1, new byte[2], 0, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.copyFrom(new byte[2], 0, BYTES - 1, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> NativeMemory.copy(memory, 0, part, 0, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(BYTES, 1));
    }

    @Test
    void nothingIsThereInNone() {
        assertEquals(0, NativeMemory.NONE.byteSize());
        assertThrows(IndexOutOfBoundsException.class, () -> NativeMemory.NONE.getByte(0));
    }
}
