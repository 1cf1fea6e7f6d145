package dev.lockstep.bench.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * The rate at which a disk forces: blocks of 4 KiB are written behind each other into a file whose room was allocated
 * before, and each is forced (fdatasync), as the log does with its records. One thread, nothing else.
 */
final class ForceProbe {
    /** What most file systems allocate, and the least that most disks write. */
    static final int BLOCK_BYTES = 4096;

    /** Room for a second of the fastest disks; then it begins anew, as a file of the log that is used again. */
    private static final int BLOCKS = 1 << 14;

    private static final double NANOS_PER_SECOND = 1e9;

    private ForceProbe() {}

    /**
     * Takes the rate.
     *
     * @param directory on the disk; the file in it is left to the caller to remove
     * @param time how long, at least one force
     * @return forces a second
     * @throws IOException if the disk refuses
     */
    static double forcesPerSecond(Path directory, Duration time) throws IOException {
        try (FileChannel file = FileChannel.open(
                directory.resolve("force-probe"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
            for (int i = 0; i < BLOCKS; i++) {
                write(file, block, i);
            }
            file.force(true);
            long start = System.nanoTime();
            long forces = 0;
            long now = start;
            while (forces == 0 || now - start < time.toNanos()) {
                block.putLong(0, forces);
                write(file, block, (int) (forces % BLOCKS));
                file.force(false);
                forces++;
                now = System.nanoTime();
            }
            return forces * NANOS_PER_SECOND / (now - start);
        }
    }

    private static void write(FileChannel file, ByteBuffer block, int index) throws IOException {
        block.clear();
        long position = (long) index * BLOCK_BYTES;
        while (block.hasRemaining()) {
            position += file.write(block, position);
        }
    }
}
