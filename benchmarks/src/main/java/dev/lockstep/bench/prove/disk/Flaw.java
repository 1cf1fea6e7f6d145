package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** What an engine may do wrong, so that the proof can be seen to find it. */
public enum Flaw {
    /** Nothing. */
    NONE,
    /** A commit is answered though its log is only in the system's memory. */
    LOG_NOT_FORCED,
    /** A checkpoint is written, and the log of its pages given away, before the pages are on the medium. */
    CHECKPOINT_BEFORE_PAGES,
    /** Files are made, renamed and removed, and their directory is not forced. */
    DIRECTORY_NOT_FORCED,
    /** Pages are written in place without a copy beside them. */
    NO_DOUBLE_WRITE;

    /** A file system as an engine with this flaw uses it. */
    Storage storage(Storage sound) {
        return this == NONE ? sound : new FlawedStorage(this, sound);
    }

    private boolean skipsForce(String file) {
        return switch (this) {
            case LOG_NOT_FORCED -> file.startsWith("log-");
            case CHECKPOINT_BEFORE_PAGES -> file.equals(PageFile.PAGES_FILE) || isDoubleWrite(file);
            default -> false;
        };
    }

    private static boolean isDoubleWrite(String file) {
        return file.equals(PageFile.DOUBLE_WRITE_FILE);
    }

    private boolean skipsWrite(String file, long position) {
        return this == NO_DOUBLE_WRITE && isDoubleWrite(file) && position >= DoubleWriteLayout.DIRECTORY_POSITION;
    }

    private record FlawedStorage(Flaw flaw, Storage sound) implements Storage {
        @Override
        public BlockFile open(Path path, OpenMode mode) {
            return new FlawedFile(flaw, sound.open(path, mode));
        }

        @Override
        public boolean exists(Path path) {
            return sound.exists(path);
        }

        @Override
        public void delete(Path path) {
            sound.delete(path);
        }

        @Override
        public List<Path> list(Path directory) {
            return sound.list(directory);
        }

        @Override
        public void atomicReplace(Path from, Path to) {
            sound.atomicReplace(from, to);
        }

        @Override
        public void forceDirectory(Path directory) {
            if (flaw != DIRECTORY_NOT_FORCED) {
                sound.forceDirectory(directory);
            }
        }

        @Override
        public void createDirectories(Path directory) {
            sound.createDirectories(directory);
        }

        @Override
        public DirectoryLock lockDirectory(Path directory) {
            return sound.lockDirectory(directory);
        }
    }

    private record FlawedFile(Flaw flaw, BlockFile sound) implements BlockFile {
        private String name() {
            return sound.path().getFileName().toString();
        }

        @Override
        public Path path() {
            return sound.path();
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return sound.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            if (flaw.skipsWrite(name(), position)) {
                source.position(source.limit());
            } else {
                sound.write(source, position);
            }
        }

        @Override
        public void force(boolean metadata) {
            if (!flaw.skipsForce(name())) {
                sound.force(metadata);
            }
        }

        @Override
        public long size() {
            return sound.size();
        }

        @Override
        public void truncate(long sizeBytes) {
            sound.truncate(sizeBytes);
        }

        @Override
        public void close() {
            sound.close();
        }
    }
}
