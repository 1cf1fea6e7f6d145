package dev.lockstep.engine;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A file system whose forces of the log, or whose reads of pages, can be held back. */
final class HeldStorage implements Storage {
    private static final CountDownLatch OPEN = new CountDownLatch(0);

    private final Storage storage;
    private volatile CountDownLatch logForce = OPEN;
    private volatile CountDownLatch pageRead = OPEN;

    HeldStorage(Storage storage) {
        this.storage = storage;
    }

    void holdLogForces() {
        logForce = new CountDownLatch(1);
    }

    void holdPageReads() {
        pageRead = new CountDownLatch(1);
    }

    void release() {
        logForce.countDown();
        pageRead.countDown();
    }

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError("an engine's thread was interrupted", e);
        }
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        BlockFile file = storage.open(path, mode);
        String name = path.getFileName().toString();
        return new HeldFile(file, name.startsWith("log-"), name.startsWith("pages"));
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

    private final class HeldFile implements BlockFile {
        private final BlockFile file;
        private final boolean isLog;
        private final boolean isPages;

        HeldFile(BlockFile file, boolean isLog, boolean isPages) {
            this.file = file;
            this.isLog = isLog;
            this.isPages = isPages;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public int read(ByteBuffer target, long position) {
            if (isPages) {
                pass(pageRead);
            }
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            file.write(source, position);
        }

        @Override
        public void force(boolean metadata) {
            if (isLog) {
                pass(logForce);
            }
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
