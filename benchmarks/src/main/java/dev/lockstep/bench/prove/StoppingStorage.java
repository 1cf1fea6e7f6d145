package dev.lockstep.bench.prove;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The disk for a process that is going to be killed at a chosen place of its work: before the change of a file that has
 * a given number, counted from 1, it says so and changes nothing any more. Whoever wants to change something from there
 * on waits for its end. Thread-safe.
 */
public final class StoppingStorage extends DelegatingStorage {
    private final AtomicLong changes = new AtomicLong();
    private final long stopAt;
    private final Runnable stopped;

    /**
     * Stops some time.
     *
     * @param stopAt number of the change before which it stops
     * @param stopped run there, once, by the thread that would make the change
     */
    public StoppingStorage(long stopAt, Runnable stopped) {
        super(DiskStorage.INSTANCE);
        this.stopAt = stopAt;
        this.stopped = stopped;
    }

    /** How often files were changed so far. */
    public long changes() {
        return changes.get();
    }

    private void changing() {
        long number = changes.incrementAndGet();
        if (number < stopAt) {
            return;
        }
        if (number == stopAt) {
            stopped.run();
        }
        waitForTheEnd();
    }

    private static void waitForTheEnd() {
        CountDownLatch never = new CountDownLatch(1);
        // Ends with the process.
        while (true) {
            try {
                never.await();
            } catch (InterruptedException ignored) {
                // Nobody goes on here.
            }
        }
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        if (mode == OpenMode.CREATE) {
            changing();
        }
        return new StoppingFile(super.open(path, mode));
    }

    @Override
    public void delete(Path path) {
        changing();
        super.delete(path);
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        changing();
        super.atomicReplace(from, to);
    }

    private final class StoppingFile extends DelegatingFile {
        StoppingFile(BlockFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            changing();
            super.write(source, position);
        }

        @Override
        public void truncate(long sizeBytes) {
            changing();
            super.truncate(sizeBytes);
        }
    }
}
