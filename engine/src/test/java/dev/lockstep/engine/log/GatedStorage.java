package dev.lockstep.engine.log;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;

/** A file system whose writes and forces of log segments wait, one by one, for the test's permission. */
final class GatedStorage implements Storage {
    private static final int OPEN = 1 << 20;

    private final Storage storage;

    /** Permits for writes; plenty until a test drains them. */
    final Semaphore writes = new Semaphore(OPEN);

    /** Permits for forces; plenty until a test drains them. */
    final Semaphore forces = new Semaphore(OPEN);

    GatedStorage(Storage storage) {
        this.storage = storage;
    }

    void openGates() {
        writes.release(OPEN);
        forces.release(OPEN);
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return new GatedFile(storage.open(path, mode));
    }

    @Override
    public boolean exists(Path path) {
        return storage.exists(path);
    }

    @Override
    public void delete(Path path) {
        storage.delete(path);
    }

    @Override
    public List<Path> list(Path directory) {
        return storage.list(directory);
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        storage.atomicReplace(from, to);
    }

    @Override
    public void createDirectories(Path directory) {
        storage.createDirectories(directory);
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return storage.lockDirectory(directory);
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
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            writes.acquireUninterruptibly();
            file.write(source, position);
        }

        @Override
        public void force(boolean metadata) {
            forces.acquireUninterruptibly();
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
}
