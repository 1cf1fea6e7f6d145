package dev.lockstep.bench.disk;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.Storage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The rate at which a disk forces: blocks of 4 KiB are written behind each other into a file whose room was allocated
 * before, and each is forced (fdatasync). They are written as the log writes its records, by the same code: past the
 * cache of the operating system where it lets them. One thread, nothing else.
 */
final class ForceProbe {
    /** Room for a second of the fastest disks; then it begins anew, as a file of the log that is used again. */
    private static final int BLOCKS = 1 << 14;

    /** Blocks that are allocated by one write. */
    private static final int BLOCKS_PER_ALLOCATION = 1 << 8;

    private static final double NANOS_PER_SECOND = 1e9;

    private ForceProbe() {}

    /**
     * What the disk has done.
     *
     * @param forcesPerSecond of one thread
     * @param uncachedWrites whether the blocks went past the cache of the operating system
     */
    record RawForces(double forcesPerSecond, boolean uncachedWrites) {}

    /**
     * Takes the rate.
     *
     * @param directory on the disk; the file in it is left to the caller to remove
     * @param time how long, at least one force
     * @throws IOException if the disk refuses
     */
    static RawForces measure(Path directory, Duration time) throws IOException, InterruptedException {
        // Each call of another thread would be handed over to one of the engine's.
        FutureTask<RawForces> task = new FutureTask<>(() -> force(directory, time));
        new EngineThread(task, "lockstep-force-probe").start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new IOException("the disk cannot be measured directory=" + directory, e.getCause());
        }
    }

    private static RawForces force(Path directory, Duration time) {
        try (Arena arena = Arena.ofConfined();
                BlockFile file = DiskStorage.INSTANCE.open(directory.resolve("force-probe"), Storage.OpenMode.CREATE)) {
            ByteBuffer blocks = arena.allocate(
                            (long) BLOCKS_PER_ALLOCATION * BlockFile.BLOCK_BYTES, BlockFile.BLOCK_BYTES)
                    .asByteBuffer();
            for (int i = 0; i < BLOCKS; i += BLOCKS_PER_ALLOCATION) {
                file.writeUncached(blocks.rewind(), (long) i * BlockFile.BLOCK_BYTES);
            }
            file.force(true);
            ByteBuffer block = blocks.clear().limit(BlockFile.BLOCK_BYTES);
            long start = System.nanoTime();
            long forces = 0;
            long now = start;
            while (forces == 0 || now - start < time.toNanos()) {
                block.putLong(0, forces);
                file.writeUncached(block.rewind(), forces % BLOCKS * BlockFile.BLOCK_BYTES);
                file.force(false);
                forces++;
                now = System.nanoTime();
            }
            return new RawForces(forces * NANOS_PER_SECOND / (now - start), file.writesUncached());
        }
    }
}
