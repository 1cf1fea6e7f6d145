package dev.lockstep.bench.prove;

import dev.lockstep.bench.prove.disk.FileImage;
import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.OneAtATime;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A file system in memory for one database, which has room for a named number of bytes. Forcing does nothing: nobody
 * switches it off. Thread-safe.
 */
final class MemoryFiles implements Storage {
    private final OneAtATime calls = new OneAtATime();
    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> lockedDirectories = new HashSet<>();
    private final SortedMap<Path, FileImage> files = new TreeMap<>();
    private final long bytesMax;
    private boolean full;

    /**
     * Makes it.
     *
     * @param directory where the files are
     * @param contents by name
     * @param bytesMax what all files together may grow to; at most 2 GB
     */
    MemoryFiles(Path directory, Map<String, byte[]> contents, long bytesMax) {
        this.bytesMax = bytesMax;
        makeDirectories(directory);
        contents.forEach((name, bytes) -> files.put(directory.resolve(name), FileImage.of(bytes)));
    }

    /** Whether somebody has asked for more room than there is. */
    boolean wasFull() {
        return locked(() -> full);
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return locked(() -> {
            if (mode == OpenMode.CREATE) {
                files.put(path, new FileImage());
            }
            return new OpenFile(path, existing(path));
        });
    }

    @Override
    public boolean exists(Path path) {
        return locked(() -> files.containsKey(path) || directories.contains(path));
    }

    @Override
    public void delete(Path path) {
        locked(() -> files.remove(path));
    }

    @Override
    public List<Path> list(Path directory) {
        return locked(() -> files.keySet().stream()
                .filter(path -> directory.equals(path.getParent()))
                .toList());
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        locked(() -> {
            files.put(to, existing(from));
            return files.remove(from);
        });
    }

    @Override
    public void forceDirectory(Path directory) {
        // Everything is where it will be.
    }

    @Override
    public void createDirectories(Path directory) {
        locked(() -> {
            makeDirectories(directory);
            return null;
        });
    }

    /** Nothing is waited for but who calls beside. */
    @Override
    public boolean answersAtOnce() {
        return true;
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return locked(() -> {
            if (!lockedDirectories.add(directory)) {
                throw new DatabaseInUseException(Message.of("The directory is locked")
                        .with("directory", directory)
                        .remedy("Close the other database."));
            }
            return () -> locked(() -> lockedDirectories.remove(directory));
        });
    }

    private void makeDirectories(Path directory) {
        for (Path path = directory; path != null; path = path.getParent()) {
            directories.add(path);
        }
    }

    private FileImage existing(Path path) {
        FileImage file = files.get(path);
        if (file == null) {
            throw new MissingFileException(
                    Message.of("There is no such file").with("file", path).remedy("None: the files are in memory."));
        }
        return file;
    }

    /** Called with the lock held. */
    private void requireRoom(FileImage file, long sizeBytes) {
        long bytes = sizeBytes - file.sizeBytes();
        for (FileImage each : files.values()) {
            bytes += each.sizeBytes();
        }
        if (bytes > bytesMax) {
            full = true;
            throw new DiskFullException(Message.of("The files have no more room")
                    .with("bytes", bytes)
                    .with("bytesMax", bytesMax)
                    .remedy("None: the files are in memory."));
        }
    }

    private <T> T locked(Supplier<T> action) {
        return calls.run(action);
    }

    private final class OpenFile implements BlockFile {
        private final Path path;
        private final FileImage image;
        private boolean closed;

        OpenFile(Path path, FileImage image) {
            this.path = path;
            this.image = image;
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return locked(() -> open().read(target, position));
        }

        @Override
        public void write(ByteBuffer source, long position) {
            locked(() -> {
                int bytes = source.remaining();
                long end = position + bytes;
                if (end > open().sizeBytes()) {
                    requireRoom(image, end);
                }
                byte[] data = new byte[bytes];
                source.get(data);
                image.write(position, data, 0, bytes);
                return null;
            });
        }

        @Override
        public void force(boolean metadata) {
            locked(this::open);
        }

        @Override
        public long size() {
            return locked(() -> open().sizeBytes());
        }

        @Override
        public void truncate(long sizeBytes) {
            locked(() -> {
                if (sizeBytes < open().sizeBytes()) {
                    image.resize(sizeBytes);
                }
                return null;
            });
        }

        @Override
        public void close() {
            locked(() -> closed = true);
        }

        private FileImage open() {
            if (closed) {
                throw new StorageException(
                        Message.of("The file is closed").with("file", path).remedy("None: the files are in memory."));
            }
            return image;
        }
    }
}
