package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is appended against an array of the same bytes, in a file that held others before. */
class BlockAppenderTest {
    private static final int FILE_BYTES = 3 << 20;
    private static final byte STALE = 0x55;

    @TempDir
    Path directory;

    private byte[] contents(BlockFile file) {
        ByteBuffer read = ByteBuffer.allocate(FILE_BYTES + BlockFile.BLOCK_BYTES);
        return Arrays.copyOf(read.array(), file.read(read, 0));
    }

    /** Lengths of all sizes, among them some longer than the appender's memory, and some that end with a block. */
    private static int nextLength(Random random, int appended) {
        int restOfBlock = BlockFile.BLOCK_BYTES - appended % BlockFile.BLOCK_BYTES;
        return switch (random.nextInt(4)) {
            case 0 -> restOfBlock;
            case 1 -> 1 + random.nextInt(BlockAppender.NATIVE_BYTES);
            default -> 1 + random.nextInt(2 * BlockFile.BLOCK_BYTES);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyByteIsThereAfterEachCallAndZerosBehindIt(long seed) {
        Random random = new Random(seed);
        byte[] expected = new byte[FILE_BYTES];
        Arrays.fill(expected, STALE);
        try (BlockFile file = DiskStorage.of(seed % 2 == 0).open(directory.resolve("file"), Storage.OpenMode.CREATE);
                BlockAppender appender = new BlockAppender()) {
            file.write(ByteBuffer.wrap(expected), 0);
            int begin = BlockFile.BLOCK_BYTES;
            appender.begin(file, begin, FILE_BYTES);
            int end = begin;
            while (end < FILE_BYTES) {
                int length = Math.min(nextLength(random, end), FILE_BYTES - end);
                byte[] appended = new byte[length];
                random.nextBytes(appended);
                System.arraycopy(appended, 0, expected, end, length);
                end += length;
                int blockEnd = Math.ceilDiv(end, BlockFile.BLOCK_BYTES) * BlockFile.BLOCK_BYTES;
                Arrays.fill(expected, end, Math.min(blockEnd, FILE_BYTES), (byte) 0);
                ByteBuffer source = ByteBuffer.wrap(appended);
                appender.append(source);
                assertEquals(0, source.remaining());
                assertArrayEquals(expected, contents(file), "seed=" + seed + " end=" + end);
            }
        }
    }

    @Test
    void nothingIsFilledUpBeyondTheLimit() {
        try (BlockFile file = DiskStorage.INSTANCE.open(directory.resolve("file"), Storage.OpenMode.CREATE);
                BlockAppender appender = new BlockAppender()) {
            appender.begin(file, 0, 5000);
            appender.append(ByteBuffer.wrap(new byte[4999]));
            assertEquals(5000, file.size());
            appender.append(ByteBuffer.wrap(new byte[1]));
            assertEquals(5000, file.size());
        }
    }

    @Test
    void beginsWithABlockAndAnewInEachFile() throws Exception {
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        try (BlockAppender appender = new BlockAppender()) {
            for (Path path : new Path[] {first, second}) {
                try (BlockFile file = DiskStorage.INSTANCE.open(path, Storage.OpenMode.CREATE)) {
                    assertThrows(IllegalArgumentException.class, () -> appender.begin(file, 100, FILE_BYTES));
                    appender.begin(file, 0, FILE_BYTES);
                    appender.append(ByteBuffer.wrap(path.toString().getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
        assertTrue(Files.readString(first).startsWith(first.toString()));
        assertTrue(Files.readString(second).startsWith(second.toString()));
    }
}
