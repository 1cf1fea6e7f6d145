package dev.lockstep.engine.proof;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Passes every call on to another file system, for proofs and tests that come in between at some of them. It does not
 * {@linkplain Storage#answersAtOnce answer at once}, unless it is told to: whoever comes in between may wait. As
 * thread-safe as the other one.
 */
public class DelegatingStorage implements Storage {
    private final Storage storage;

    /** Passes calls on to this one. */
    public DelegatingStorage(Storage storage) {
        this.storage = storage;
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return storage.open(path, mode);
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
    public void forceDirectory(Path directory) {
        storage.forceDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        storage.createDirectories(directory);
    }

    @Override
    public boolean readsAhead() {
        return storage.readsAhead();
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return storage.lockDirectory(directory);
    }

    /** Passes every call on to another file. */
    public static class DelegatingFile implements BlockFile {
        private final BlockFile file;

        /** Passes calls on to this one. */
        public DelegatingFile(BlockFile file) {
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
}
