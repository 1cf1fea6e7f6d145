package dev.lockstep.engine.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.memory.NativeMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a file with holes, mapped, of which no more is in memory than is touched. */
class PageWindowsTest {
    private static final long GIB = 1L << 30;
    private static final long BYTES = 2 * GIB + 4 * PageLayout.PAGE_BYTES;
    private static final int RANGES = 200;

    @TempDir
    private Path directory;

    private NativeMemory map(Arena arena) throws IOException {
        Path file = directory.resolve("holes");
        Files.deleteIfExists(file);
        try (FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            return NativeMemory.checked(channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena));
        }
    }

    private static void assertShows(NativeMemory memory, PageWindows windows, long address, int bytes) {
        long first = 0x0102030405060708L ^ address;
        memory.setLong(address, first);
        memory.setLong(address + bytes - Long.BYTES, ~first);
        ByteBuffer shown = windows.at(address, bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(bytes, shown.remaining());
        assertEquals(first, shown.getLong(shown.position()), () -> "address=" + address);
        assertEquals(~first, shown.getLong(shown.limit() - Long.BYTES), () -> "address=" + address);
    }

    @Test
    void showsPagesWhereverTheyBegin() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = map(arena);
            PageWindows windows = new PageWindows(memory);
            int page = PageLayout.PAGE_BYTES;
            for (long border : new long[] {GIB, 2 * GIB}) {
                assertShows(memory, windows, border - page, page);
                assertShows(memory, windows, border - page + 448, page);
                assertShows(memory, windows, border - 64, page);
                assertShows(memory, windows, border, page);
            }
            assertShows(memory, windows, 0, page);
            assertShows(memory, windows, BYTES - page, page);
        }
    }

    @Test
    void showsRangesOfPagesWhereverTheyBegin() {
        Seeds.each(2, seed -> {
            RandomGenerator random =
                    RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            try (Arena arena = Arena.ofConfined()) {
                NativeMemory memory = map(arena);
                PageWindows windows = new PageWindows(memory);
                for (int i = 0; i < RANGES; i++) {
                    int bytes = random.nextInt(2 * Long.BYTES, 64 * PageLayout.PAGE_BYTES);
                    long around = random.nextInt(3) * GIB;
                    long address = Math.clamp(around - random.nextInt(bytes), 0, BYTES - bytes);
                    assertShows(memory, windows, address, bytes);
                }
            }
        });
    }

    @Test
    void refusesWhatIsOutside() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            PageWindows windows = new PageWindows(map(arena));
            assertThrows(IndexOutOfBoundsException.class, () -> windows.at(BYTES - 8, 9));
            assertThrows(IndexOutOfBoundsException.class, () -> windows.at(-1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> windows.at(BYTES + GIB, 1));
        }
    }
}
