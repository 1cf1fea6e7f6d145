package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine's whole file system, in memory. It numbers the operations that change it from 0, can note them, and meets
 * a planned fault at one of them.
 *
 * <p>Thread-safe; with the same calls in the same order it does the same.
 */
final class SimulatedDisk implements Storage {
    private final ReentrantLock lock = new ReentrantLock();
    private final DiskImage image;
    private final List<DiskOperation> notedOrNull;
    private final Set<Path> lockedDirectories = new HashSet<>();
    private Activity activity = Activity.CREATION;
    private long operationCount;
    private long faultAt = Long.MAX_VALUE;
    private Fault fault;
    private Random faultRandom;
    private DiskOperation faultMet;
    private boolean failsOn;
    private boolean isFull;

    /** Whether the machine has stopped: every call fails. */
    private boolean isStopped;

    /** Number of the time between two starts of the process; files that were opened in another are closed. */
    private int incarnation;

    /**
     * Makes a disk.
     *
     * @param image what lies on it, which this disk changes
     * @param notes whether operations are noted
     */
    SimulatedDisk(DiskImage image, boolean notes) {
        this.image = image;
        notedOrNull = notes ? new ArrayList<>() : null;
    }

    /** Says what the database does from now on. */
    void activity(Activity next) {
        locked(() -> activity = next);
    }

    /** Operations so far, failed ones included. */
    long operationCount() {
        return locked(() -> operationCount);
    }

    /** The operations in order, if they are noted. */
    List<DiskOperation> noted() {
        return locked(() -> List.copyOf(notedOrNull));
    }

    /** Lets the operation of a number meet a fault; of those of kind {@link Fault.Kind#CRASH} the machine stops. */
    void plan(long operation, Fault planned, Random random) {
        locked(() -> {
            faultAt = operation;
            fault = planned;
            faultRandom = random;
            return null;
        });
    }

    /** The operation that met the fault, or null. */
    DiskOperation faultMet() {
        return locked(() -> faultMet);
    }

    /** Ends the planned fault: the disk works again, and is no longer full. */
    void heal() {
        locked(() -> {
            faultAt = Long.MAX_VALUE;
            failsOn = false;
            isFull = false;
            return null;
        });
    }

    /** Ends the process: its files and its lock of the directory are closed. */
    void endProcess() {
        locked(() -> {
            incarnation++;
            lockedDirectories.clear();
            return null;
        });
    }

    /** What the disk would be if the machine stopped now, or has stopped at the planned operation. */
    DiskImage afterCrash(Fault how, Random random) {
        return locked(() -> image.afterCrash(how, isStopped ? faultMet : null, random));
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return locked(() -> {
            checkRunning();
            int file = image.file(path);
            if (mode == OpenMode.CREATE) {
                if (file == 0) {
                    perform(operation(DiskOperation.Kind.CREATE, path, image.newFile(), 0, null));
                } else {
                    perform(operation(DiskOperation.Kind.TRUNCATE, path, file, 0, null));
                }
            } else if (file == 0) {
                throw new MissingFileException(
                        Message.of("There is no such file").with("file", path).remedy("None: the disk is simulated."));
            }
            return new OpenFile(path, image.file(path), incarnation);
        });
    }

    @Override
    public boolean exists(Path path) {
        return locked(() -> image.exists(path));
    }

    @Override
    public void delete(Path path) {
        locked(() -> {
            checkRunning();
            int file = image.file(path);
            if (file != 0) {
                perform(operation(DiskOperation.Kind.DELETE, path, file, 0, null));
            }
            return null;
        });
    }

    @Override
    public List<Path> list(Path directory) {
        return locked(() -> {
            checkRunning();
            return image.list(directory);
        });
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        locked(() -> {
            checkRunning();
            int file = image.file(from);
            if (file == 0) {
                throw new MissingFileException(
                        Message.of("There is no such file").with("file", from).remedy("None: the disk is simulated."));
            }
            perform(operation(DiskOperation.Kind.RENAME, from, file, 0, to));
            return null;
        });
    }

    @Override
    public void forceDirectory(Path directory) {
        locked(() -> {
            checkRunning();
            perform(operation(DiskOperation.Kind.FORCE_DIRECTORY, directory, 0, 0, null));
            return null;
        });
    }

    @Override
    public void createDirectories(Path directory) {
        locked(() -> {
            checkRunning();
            image.makeDirectories(directory);
            return null;
        });
    }

    @Override
    public DirectoryLock lockDirectory(Path directory) {
        return locked(() -> {
            checkRunning();
            if (!lockedDirectories.add(directory)) {
                throw new DatabaseInUseException(Message.of("The directory is locked")
                        .with("directory", directory)
                        .remedy("Close the other database."));
            }
            int lockedIn = incarnation;
            return () -> locked(() -> lockedIn == incarnation && lockedDirectories.remove(directory));
        });
    }

    private final class OpenFile implements BlockFile {
        private final Path path;
        private final int file;
        private final int openedIn;
        private boolean isClosed;

        OpenFile(Path path, int file, int openedIn) {
            this.path = path;
            this.file = file;
            this.openedIn = openedIn;
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return locked(() -> {
                checkOpen();
                return image.bytes(file).read(target, position);
            });
        }

        @Override
        public void write(ByteBuffer source, long position) {
            locked(() -> {
                checkOpen();
                byte[] data = new byte[source.remaining()];
                source.get(data);
                if (data.length > 0) {
                    perform(new DiskOperation(DiskOperation.Kind.WRITE, path, file, position, data, null, activity));
                }
                return null;
            });
        }

        @Override
        public void force(boolean metadata) {
            locked(() -> {
                checkOpen();
                perform(operation(DiskOperation.Kind.FORCE, path, file, 0, null));
                return null;
            });
        }

        @Override
        public long size() {
            return locked(() -> {
                checkOpen();
                return image.bytes(file).sizeBytes();
            });
        }

        @Override
        public void truncate(long sizeBytes) {
            locked(() -> {
                checkOpen();
                if (sizeBytes < image.bytes(file).sizeBytes()) {
                    perform(operation(DiskOperation.Kind.TRUNCATE, path, file, sizeBytes, null));
                }
                return null;
            });
        }

        @Override
        public void close() {
            locked(() -> isClosed = true);
        }

        private void checkOpen() {
            checkRunning();
            if (isClosed || openedIn != incarnation) {
                throw new StorageException(
                        Message.of("The file is closed").with("file", path).remedy("Open it again."));
            }
        }
    }

    private DiskOperation operation(DiskOperation.Kind kind, Path path, int file, long position, Path target) {
        return new DiskOperation(kind, path, file, position, new byte[0], target, activity);
    }

    /** Does what is asked, or what the planned fault makes of it. */
    private void perform(DiskOperation operation) {
        long number = operationCount++;
        if (notedOrNull != null) {
            notedOrNull.add(operation);
        }
        if (number == faultAt) {
            faultMet = operation;
            meet(operation);
        } else if (failsOn) {
            throw failure(operation);
        } else if (isFull && growsFile(operation)) {
            throw full(operation);
        }
        image.apply(operation);
    }

    private void meet(DiskOperation operation) {
        switch (fault) {
            case ERROR_ONCE, ERROR_FOR_EVER -> {
                failsOn = fault == Fault.ERROR_FOR_EVER;
                if (operation.kind() == DiskOperation.Kind.FORCE
                        || operation.kind() == DiskOperation.Kind.FORCE_DIRECTORY) {
                    image.failForce(operation);
                } else {
                    writePart(operation);
                }
                throw failure(operation);
            }
            case DISK_FULL -> {
                isFull = true;
                writePart(operation);
                throw full(operation);
            }
            default -> {
                isStopped = true;
                checkRunning();
            }
        }
    }

    private void writePart(DiskOperation operation) {
        int sectors = operation.data().length / DiskImage.SECTOR_BYTES;
        int written = sectors == 0 ? 0 : faultRandom.nextInt(sectors) * DiskImage.SECTOR_BYTES;
        if (written > 0) {
            image.applyPart(operation, written);
        }
    }

    private boolean growsFile(DiskOperation operation) {
        return operation.kind() == DiskOperation.Kind.CREATE
                || (operation.kind() == DiskOperation.Kind.WRITE
                        && operation.position() + operation.data().length
                                > image.bytes(operation.file()).sizeBytes());
    }

    private void checkRunning() {
        if (isStopped) {
            throw new StorageException(
                    Message.of("The simulated machine has stopped").remedy("Open the database after it has started."));
        }
    }

    private static StorageException failure(DiskOperation operation) {
        return new StorageException(Message.of("The simulated disk fails")
                .with("operation", operation)
                .remedy("None: it was planned."));
    }

    private static DiskFullException full(DiskOperation operation) {
        return new DiskFullException(Message.of("The simulated disk is full")
                .with("operation", operation)
                .remedy("None: it was planned."));
    }

    private interface Action<T> {
        T run();
    }

    private <T> T locked(Action<T> action) {
        lock.lock();
        try {
            return action.run();
        } finally {
            lock.unlock();
        }
    }
}
