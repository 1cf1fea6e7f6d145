package dev.lockstep.engine.file;

import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.Message;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The file system of the operating system. Calls of threads that are no engine threads are handed over to one.
 *
 * <p>Files and directories are made readable and writable by their owner alone where the file system has POSIX
 * permissions; elsewhere (Windows) they get what their directory passes on. Those that exist keep what they have.
 */
public final class DiskStorage implements Storage {
    /** The usual one, which writes past the system's cache where it is asked to. */
    public static final DiskStorage INSTANCE = new DiskStorage(true);

    private static final DiskStorage CACHED = new DiskStorage(false);

    /** Name of the file that is locked in place of the directory, which cannot be locked itself. */
    public static final String LOCK_FILE = "lock.lockstep";

    private static final boolean IS_WINDOWS = File.separatorChar == '\\';

    /** Real paths of the directories locked by this JVM: the system's locks keep out other processes only. */
    private static final Set<Path> LOCKED_HERE = ConcurrentHashMap.newKeySet();

    /**
     * Before such a path, the name of a system property that is there as long as the directory is locked: who has the
     * classes from another loader has another set.
     */
    private static final String LOCKED_PROPERTY = "dev.lockstep.engine.locked:";

    /** What files and directories that are made here allow, and to their owner alone. */
    private static final String FILE_MODE = "rw-------";

    private static final String DIRECTORY_MODE = "rwx------";

    private static final Set<OpenOption> CREATE_OPTIONS = Set.of(
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING);

    private static final Set<OpenOption> LOCK_OPTIONS = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE);

    private final boolean writesUncached;

    private DiskStorage(boolean writesUncached) {
        this.writesUncached = writesUncached;
    }

    /**
     * Returns one of the two that there are; neither has a state of its own.
     *
     * @param writesUncached whether {@link BlockFile#writeUncached} goes past the system's cache, where the file system
     *     lets it
     */
    public static DiskStorage of(boolean writesUncached) {
        return writesUncached ? INSTANCE : CACHED;
    }

    /** Attributes for what is made; none where the file system knows no such permissions, and inherits others. */
    private static FileAttribute<?>[] ownerOnly(Path path, String mode) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return ForeignCalls.run(() -> {
            try {
                FileChannel channel =
                        switch (mode) {
                            case READ_ONLY -> FileChannel.open(path, StandardOpenOption.READ);
                            case READ_WRITE ->
                                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                            case CREATE -> FileChannel.open(path, CREATE_OPTIONS, ownerOnly(path, FILE_MODE));
                        };
                boolean isUncached = writesUncached && mode != OpenMode.READ_ONLY;
                return new DiskBlockFile(path, channel, isUncached ? UncachedChannel.openOrNull(path) : null);
            } catch (IOException e) {
                throw DiskFailures.of("Cannot open", path, message -> message.with("mode", mode), e);
            } catch (ReadOnlyFileSystemException e) {
                IOException cause = new IOException("the file system is read-only", e);
                throw DiskFailures.of("Cannot open", path, message -> message.with("mode", mode), cause);
            }
        });
    }

    /** What cannot be looked at is not taken for missing: a database would be made where one lies. */
    @Override
    public boolean exists(Path path) {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw DiskFailures.of("Cannot look for", path, UnaryOperator.identity(), e);
        }
    }

    @Override
    public void delete(Path path) {
        ForeignCalls.run(() -> {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                throw DiskFailures.of("Cannot delete", path, UnaryOperator.identity(), e);
            }
            return null;
        });
    }

    @Override
    public List<Path> list(Path directory) {
        return ForeignCalls.run(() -> {
            try (Stream<Path> entries = Files.list(directory)) {
                return entries.sorted().toList();
            } catch (IOException e) {
                throw DiskFailures.of("Cannot list", directory, UnaryOperator.identity(), e);
            } catch (UncheckedIOException e) {
                // What fails behind the first entries comes so.
                throw DiskFailures.of("Cannot list", directory, UnaryOperator.identity(), e.getCause());
            }
        });
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        ForeignCalls.run(() -> {
            try {
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw DiskFailures.of("Cannot rename", from, message -> message.with("to", to), e);
            }
            return null;
        });
    }

    @Override
    public void forceDirectory(Path directory) {
        ForeignCalls.run(() -> {
            force(directory);
            return null;
        });
    }

    @Override
    public void createDirectories(Path directory) {
        ForeignCalls.run(() -> {
            try {
                List<Path> missing = new ArrayList<>();
                for (Path level = directory.toAbsolutePath();
                        level != null && !Files.isDirectory(level);
                        level = level.getParent()) {
                    missing.add(level);
                }
                if (!missing.isEmpty()) {
                    Files.createDirectories(directory, ownerOnly(directory, DIRECTORY_MODE));
                }
                // Each is an entry of the one above it, and lasts when that was forced.
                for (Path level : missing) {
                    if (level.getParent() != null) {
                        force(level.getParent());
                    }
                }
            } catch (IOException e) {
                throw DiskFailures.of("Cannot create the directory", directory, UnaryOperator.identity(), e);
            }
            return null;
        });
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return ForeignCalls.run(() -> {
            try {
                return lock(directory);
            } catch (IOException e) {
                throw DiskFailures.of("Cannot lock the directory", directory, UnaryOperator.identity(), e);
            }
        });
    }

    /**
     * Exclusive, but shared where this process may not write: it can only read then, and so may others beside it, but
     * none that writes. Where there is no file to lock and none can be made, as on a file system that is read-only,
     * only callers in this process are kept out.
     */
    private static DirectoryLock lock(Path directory) throws IOException {
        Path realPath = directory.toRealPath();
        if (!LOCKED_HERE.add(realPath)) {
            throw inUse(directory, "this process");
        }
        // Before the file is opened: to close it again would take the system's lock from who has it.
        if (System.getProperties().putIfAbsent(LOCKED_PROPERTY + realPath, "") != null) {
            LOCKED_HERE.remove(realPath);
            throw inUse(directory, "this process, by classes of another class loader");
        }
        Path file = realPath.resolve(LOCK_FILE);
        if (!Files.exists(file) && !Files.isWritable(realPath)) {
            return new ChannelLock(realPath, null, true);
        }
        boolean shared = false;
        FileChannel channel = null;
        FileLock lock = null;
        try {
            shared = Files.isReadable(file) && !Files.isWritable(file);
            channel = shared
                    ? FileChannel.open(file, StandardOpenOption.READ)
                    : FileChannel.open(file, LOCK_OPTIONS, ownerOnly(file, FILE_MODE));
            lock = channel.tryLock(0, Long.MAX_VALUE, shared);
            if (lock == null) {
                throw inUse(directory, "another process");
            }
        } catch (OverlappingFileLockException _) {
            throw inUse(directory, "this process, by code that is not the engine's");
        } finally {
            if (lock == null) {
                release(realPath, channel);
            }
        }
        return new ChannelLock(realPath, channel, shared);
    }

    private static DatabaseInUseException inUse(Path directory, String holder) {
        return new DatabaseInUseException(Message.of("The database directory is in use")
                .with("directory", directory)
                .with("holder", holder)
                .remedy("Close the other database object, or end the other process, then open again."));
    }

    /** The file stays: removing it would let two processes lock two files of the same name. */
    private static void release(Path realPath, FileChannel channelOrNull) throws IOException {
        try {
            if (channelOrNull != null) {
                channelOrNull.close();
            }
        } finally {
            System.clearProperty(LOCKED_PROPERTY + realPath);
            LOCKED_HERE.remove(realPath);
        }
    }

    /**
     * Puts the entries of a directory on the medium. Windows cannot open a directory, and journals its entries anyway.
     */
    private static void force(Path directory) {
        if (IS_WINDOWS) {
            return;
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw DiskFailures.ofForce("Cannot force the directory to the medium", directory, e);
        }
    }

    private static final class ChannelLock implements DirectoryLock {
        private final Path realPath;
        private final FileChannel channelOrNull;
        private final boolean shared;
        private final ReentrantLock closing = new ReentrantLock();
        private boolean isClosed;

        ChannelLock(Path realPath, FileChannel channelOrNull, boolean shared) {
            this.realPath = realPath;
            this.channelOrNull = channelOrNull;
            this.shared = shared;
        }

        @Override
        public boolean isShared() {
            return shared;
        }

        /**
         * By whoever calls, without an engine thread, which there may be none of any more: nobody uses the channel, so
         * that an interrupt can close it for nobody. Where an error ends this in the middle another call ends it.
         */
        @Override
        public void close() {
            closing.lock();
            try {
                closeOnce();
            } finally {
                closing.unlock();
            }
        }

        private void closeOnce() {
            if (isClosed) {
                return;
            }
            try {
                release(realPath, channelOrNull);
            } catch (IOException e) {
                isClosed = true;
                throw DiskFailures.of("Cannot unlock the directory", realPath, UnaryOperator.identity(), e);
            }
            isClosed = true;
        }
    }
}
