package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

class UncachedChannelTest {
    private static final int BLOCK = BlockFile.BLOCK_BYTES;
    private static final int BLOCKS = 32;

    @TempDir
    Path directory;

    private Path path;
    private FileChannel channel;

    @BeforeEach
    void open() throws IOException {
        path = directory.resolve("file");
        channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
    }

    private static ByteBuffer aligned(int lengthBytes) {
        return ByteBuffer.allocateDirect((Math.ceilDiv(lengthBytes, BLOCK) + 1) * BLOCK)
                .alignedSlice(BLOCK)
                .limit(lengthBytes);
    }

    @Test
    void onlyWholeBlocksOfAlignedMemoryAreFit() throws IOException {
        try (UncachedChannel uncached = new UncachedChannel(channel, BLOCK)) {
            assertTrue(uncached.tryWrite(aligned(2 * BLOCK), BLOCK));
            assertEquals(3 * BLOCK, channel.size());
            assertFalse(uncached.tryWrite(aligned(BLOCK), 512), "position");
            assertFalse(uncached.tryWrite(aligned(BLOCK - 8), 0), "length");
            assertFalse(uncached.tryWrite(aligned(2 * BLOCK).position(8).limit(BLOCK + 8), 0), "address");
            assertFalse(uncached.tryWrite(ByteBuffer.allocate(BLOCK), 0), "heap");
            ByteBuffer empty = aligned(0);
            assertFalse(uncached.tryWrite(empty, 0), "nothing");
            assertEquals(3 * BLOCK, channel.size());
        }
    }

    /** A channel whose writes fail while it is told so. */
    private static final class Refusing extends DelegatingChannel {
        private boolean isRefusing = true;
        private int callCount;

        Refusing(FileChannel target) {
            super(target);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            callCount++;
            if (isRefusing) {
                source.position(source.position() + 512);
                throw new IOException("Invalid argument");
            }
            return super.write(source, position);
        }
    }

    @Test
    void aFileSystemThatRefusesIsAskedOnce() throws IOException {
        Refusing refusing = new Refusing(channel);
        try (UncachedChannel uncached = new UncachedChannel(refusing, BLOCK)) {
            ByteBuffer source = aligned(BLOCK);
            assertFalse(uncached.tryWrite(source, 0));
            assertEquals(0, source.position(), "the caller writes all of it");
            refusing.isRefusing = false;
            assertFalse(uncached.tryWrite(source, 0));
            assertEquals(1, refusing.callCount);
        }
    }

    @Test
    void aFullDiskIsAskedAgain() throws IOException {
        Refusing refusing = new Refusing(channel);
        refusing.isRefusing = false;
        try (UncachedChannel uncached = new UncachedChannel(refusing, BLOCK)) {
            assertTrue(uncached.tryWrite(aligned(BLOCK), 0));
            refusing.isRefusing = true;
            assertFalse(uncached.tryWrite(aligned(BLOCK), BLOCK));
            refusing.isRefusing = false;
            assertTrue(uncached.tryWrite(aligned(BLOCK), BLOCK));
        }
    }

    @Test
    void whatIsRefusedIsWrittenInTheUsualWay() throws IOException {
        ByteBuffer source = aligned(BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            source.put(i, (byte) i);
        }
        Refusing refusing = new Refusing(FileChannel.open(path, StandardOpenOption.WRITE));
        try (DiskBlockFile file = new DiskBlockFile(path, channel, new UncachedChannel(refusing, BLOCK))) {
            assertTrue(file.writesUncached(), "as far as is known");
            file.writeUncached(source, BLOCK);
            assertEquals(0, source.remaining());
            assertFalse(file.writesUncached());
        }
        assertFalse(refusing.isOpen(), "closed with the file");
        byte[] written = Files.readAllBytes(path);
        for (int i = 0; i < BLOCK; i++) {
            assertEquals((byte) i, written[BLOCK + i]);
        }
    }

    @Test
    void aFileThatIsOnlyReadIsNotWritten() {
        try (BlockFile file = DiskStorage.INSTANCE.open(path, Storage.OpenMode.READ_ONLY)) {
            assertThrows(NonWritableChannelException.class, () -> file.writeUncached(aligned(BLOCK), 0));
        }
    }

    private static TestAbortedException notRun(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    /** One that has written past the cache already. */
    private UncachedChannel openUncached() throws IOException {
        UncachedChannel uncached = UncachedChannel.openOrNull(path);
        if (uncached == null) {
            throw notRun("no file is opened here for writes past the system's cache");
        }
        if (!uncached.tryWrite(aligned(BLOCK), 0)) {
            uncached.close();
            throw notRun("the file system refuses writes past the system's cache");
        }
        return uncached;
    }

    /** Each way sees what the other has written, and so do reads. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void bothWaysMayBeUsedInTurns(long seed) throws IOException {
        Random random = new Random(seed);
        byte[] expected = new byte[BLOCKS * BLOCK];
        try (BlockFile file = DiskStorage.INSTANCE.open(path, Storage.OpenMode.READ_WRITE);
                UncachedChannel uncached = openUncached()) {
            file.write(ByteBuffer.wrap(expected), 0);
            for (int turn = 0; turn < 200; turn++) {
                String replay = "seed=" + seed + " turn=" + turn;
                boolean isUncached = random.nextBoolean();
                int unit = isUncached ? BLOCK : 64;
                int from = random.nextInt(expected.length / unit) * unit;
                int length = unit * (1 + random.nextInt(Math.min(8, (expected.length - from) / unit)));
                byte[] written = new byte[length];
                random.nextBytes(written);
                System.arraycopy(written, 0, expected, from, length);
                ByteBuffer source = aligned(length).put(written).flip();
                if (isUncached) {
                    assertTrue(uncached.tryWrite(source, from), replay);
                } else {
                    file.write(source, from);
                }
                if (random.nextInt(10) == 0) {
                    file.force(false);
                }
                ByteBuffer read = ByteBuffer.allocate(2 * BLOCK);
                int at = Math.max(0, from - BLOCK);
                int count = file.read(read, at);
                assertArrayEquals(
                        Arrays.copyOfRange(expected, at, at + count), Arrays.copyOf(read.array(), count), replay);
            }
        }
    }
}
