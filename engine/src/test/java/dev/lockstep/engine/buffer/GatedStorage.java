package dev.lockstep.engine.buffer;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;

/** A file system whose reads of pages wait, while the gate is closed, until it opens. */
final class GatedStorage implements Storage {
    private final Storage delegate;
    private final Semaphore gate = new Semaphore(Integer.MAX_VALUE / 2);
    private final Semaphore arrivals = new Semaphore(0);
    private int closedPermits;

    GatedStorage(Storage delegate) {
        this.delegate = delegate;
    }

    void closeGate() {
        arrivals.drainPermits();
        closedPermits = gate.drainPermits();
    }

    void openGate() {
        gate.release(closedPermits);
    }

    /** Waits until a read stands before the gate. */
    void awaitArrival() {
        arrivals.acquireUninterruptibly();
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        BlockFile file = delegate.open(path, mode);
        return path.equals(PoolFixture.PAGES) ? new GatedFile(file) : file;
    }

    private final class GatedFile implements BlockFile {
        private final BlockFile file;

        GatedFile(BlockFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public int read(ByteBuffer target, long position) {
            arrivals.release();
            gate.acquireUninterruptibly();
            try {
                return file.read(target, position);
            } finally {
                gate.release();
            }
        }

        @Override
        public void write(ByteBuffer source, long position) {
            file.write(source, position);
        }

        @Override
        public void force(boolean metadata) {
            file.force(metadata);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long sizeBytes) {
            file.truncate(sizeBytes);
        }

        @Override
        public void close() {
            file.close();
        }
    }

    @Override
    public boolean exists(Path path) {
        return delegate.exists(path);
    }

    @Override
    public void delete(Path path) {
        delegate.delete(path);
    }

    @Override
    public List<Path> list(Path directory) {
        return delegate.list(directory);
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        delegate.atomicReplace(from, to);
    }

    @Override
    public void createDirectories(Path directory) {
        delegate.createDirectories(directory);
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return delegate.lockDirectory(directory);
    }
}
