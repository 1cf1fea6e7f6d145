package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.OneAtATime;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A machine's whole file system, in memory. It numbers the operations on it from 0, can note them, and meets a planned
 * fault at one of them. Processes use it one after the other, or beside each other in directories of their own.
 *
 * <p>Thread-safe; with the same calls in the same order it does the same.
 */
final class SimulatedDisk {
    private static final byte[] NO_DATA = {};

    /** How long a thread that comes too early waits: a machine that runs others for so long has the point run again. */
    private static final long TURN_NANOS_MAX = 5_000_000_000L;

    /**
     * How far ahead an operation may lie to be one that comes too early. The thread that was answered reads a page in a
     * microsecond, and goes on for milliseconds where the log's thread has lost its processor.
     */
    private static final int OPERATIONS_OF_A_TURN = 1 << 12;

    private final OneAtATime calls = new OneAtATime();
    private final DiskImage image;
    private final List<DiskOperation> notedOrNull;
    private final Map<Path, Process> lockedDirectories = new HashMap<>();
    private List<DiskOperation> recordedOrNull;
    private String driftOrNull;
    private Activity activity = Activity.CREATION;
    private long operationCount;
    private long faultAt = Long.MAX_VALUE;
    private Fault fault;
    private Random faultRandom;
    private DiskOperation faultMet;
    private boolean failsOn;
    private boolean isReadOnly;
    private boolean isFull;

    /** Whether the machine has stopped: every call fails. */
    private boolean isStopped;

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

    /**
     * Says which operations have to come up to the planned fault. Those of several threads then come in that order,
     * as far as they do not wait for each other otherwise.
     *
     * @param recorded all of a run
     * @param first number of the one that comes next
     */
    void follow(List<DiskOperation> recorded, long first) {
        locked(() -> {
            recordedOrNull = recorded;
            operationCount = first;
            return null;
        });
    }

    /** Where the operations first were others than those to be followed; null if they were the same. */
    String driftOrNull() {
        return locked(() -> driftOrNull);
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

    /** Ends the planned fault: the disk works again, can be written, and is no longer full. */
    void heal() {
        locked(() -> {
            faultAt = Long.MAX_VALUE;
            failsOn = false;
            isReadOnly = false;
            isFull = false;
            return null;
        });
    }

    /** What the disk would be if the machine stopped now, or has stopped at the planned operation. */
    DiskImage afterCrash(Fault how, Random random) {
        return locked(() -> image.afterCrash(how, isStopped ? faultMet : null, random));
    }

    /** Where a recovery of what lies on it has to find the end of the log; see {@link LogModel#endLsn(DiskImage)}. */
    OptionalLong logEndLsn(LogModel log) {
        return locked(() -> log.endLsn(image));
    }

    /** Up to where something on it says that the log was durable; see {@link LogModel#provenLsn(DiskImage)}. */
    long provenLsn(LogModel log) {
        return locked(() -> log.provenLsn(image));
    }

    /** Whether there is a file or directory. */
    boolean exists(Path path) {
        return locked(() -> image.exists(path));
    }

    /** Starts a process, which sees everything that others have written. */
    Process startProcess() {
        return new Process();
    }

    /** One process's view of the disk. When it has ended, all its calls fail, and its files and locks are closed. */
    final class Process implements Storage {
        private final List<Interjection> interjections = new ArrayList<>();
        private boolean hasEnded;

        /** Ends it. A second call does nothing. */
        void end() {
            locked(() -> {
                hasEnded = true;
                calls.changed();
                return lockedDirectories.values().removeIf(process -> process == this);
            });
        }

        /**
         * Has something done before an operation on the files of a directory, once, by this thread, which has to be the
         * one that comes to that operation, and holds nothing then.
         *
         * @param after how many of the kind come before
         */
        void interject(DiskOperation.Kind kind, Path directory, int after, Runnable action) {
            interjections.add(new Interjection(Thread.currentThread(), kind, directory, after, action));
        }

        /** Forgets what was not reached. */
        void interjectNothing() {
            interjections.clear();
        }

        /** The list is touched by its thread alone, while a copy is made: other threads of the engine are not asked. */
        private void interrupted(DiskOperation.Kind kind, Path path) {
            if (Thread.currentThread() instanceof EngineThread || interjections.isEmpty()) {
                return;
            }
            for (Interjection interjection : List.copyOf(interjections)) {
                if (interjection.isDue(kind, path) && interjections.remove(interjection)) {
                    interjection.action.run();
                }
            }
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            return locked(() -> {
                checkRunning(this);
                int file = image.file(path);
                if (mode == OpenMode.CREATE) {
                    if (file == 0) {
                        perform(this, operation(DiskOperation.Kind.CREATE, path, image.newFile(), 0, null));
                    } else {
                        perform(this, operation(DiskOperation.Kind.TRUNCATE, path, file, 0, null));
                    }
                } else {
                    perform(this, operation(DiskOperation.Kind.OPEN, path, file, 0, null));
                    if (file == 0) {
                        throw missing(path);
                    }
                }
                return new OpenFile(this, path, image.file(path));
            });
        }

        @Override
        public boolean exists(Path path) {
            return locked(() -> {
                checkRunning(this);
                perform(this, operation(DiskOperation.Kind.EXISTS, path, 0, 0, null));
                return image.exists(path);
            });
        }

        @Override
        public void delete(Path path) {
            locked(() -> {
                checkRunning(this);
                int file = image.file(path);
                if (file != 0) {
                    perform(this, operation(DiskOperation.Kind.DELETE, path, file, 0, null));
                }
                return null;
            });
        }

        @Override
        public List<Path> list(Path directory) {
            return locked(() -> {
                checkRunning(this);
                perform(this, operation(DiskOperation.Kind.LIST, directory, 0, 0, null));
                return image.list(directory);
            });
        }

        @Override
        public void atomicReplace(Path from, Path to) {
            locked(() -> {
                checkRunning(this);
                int file = image.file(from);
                if (file == 0) {
                    throw missing(from);
                }
                perform(this, operation(DiskOperation.Kind.RENAME, from, file, 0, to));
                return null;
            });
        }

        @Override
        public void forceDirectory(Path directory) {
            locked(() -> {
                checkRunning(this);
                perform(this, operation(DiskOperation.Kind.FORCE_DIRECTORY, directory, 0, 0, null));
                return null;
            });
        }

        @Override
        public void createDirectories(Path directory) {
            locked(() -> {
                checkRunning(this);
                perform(this, operation(DiskOperation.Kind.MAKE_DIRECTORIES, directory, 0, 0, null));
                return null;
            });
        }

        /** A run is followed call by call. */
        @Override
        public boolean readsAhead() {
            return false;
        }

        /** Nothing is waited for but who calls beside. */
        @Override
        public boolean answersAtOnce() {
            return true;
        }

        @Override
        public DirectoryLock lockDirectory(Path directory) {
            return locked(() -> {
                checkRunning(this);
                perform(this, operation(DiskOperation.Kind.LOCK, directory, 0, 0, null));
                if (lockedDirectories.putIfAbsent(directory, this) != null) {
                    throw new DatabaseInUseException(Message.of("The directory is locked")
                            .with("directory", directory)
                            .remedy("Close the other database."));
                }
                return () -> locked(() -> lockedDirectories.remove(directory, this));
            });
        }
    }

    private static final class Interjection {
        private final Thread thread;
        private final DiskOperation.Kind kind;
        private final Path directory;
        private final Runnable action;
        private int left;

        Interjection(Thread thread, DiskOperation.Kind kind, Path directory, int after, Runnable action) {
            this.thread = thread;
            this.kind = kind;
            this.directory = directory;
            this.action = action;
            left = after;
        }

        boolean isDue(DiskOperation.Kind its, Path path) {
            return Thread.currentThread() == thread && its == kind && directory.equals(path.getParent()) && left-- == 0;
        }
    }

    private final class OpenFile implements BlockFile {
        private final Process process;
        private final Path path;
        private final int file;
        private boolean isClosed;

        OpenFile(Process process, Path path, int file) {
            this.process = process;
            this.path = path;
            this.file = file;
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            process.interrupted(DiskOperation.Kind.READ, path);
            return locked(() -> {
                checkOpen();
                perform(process, operation(DiskOperation.Kind.READ, path, file, position, null));
                return image.bytes(file).read(target, position);
            });
        }

        @Override
        public void write(ByteBuffer source, long position) {
            process.interrupted(DiskOperation.Kind.WRITE, path);
            locked(() -> {
                checkOpen();
                byte[] data = new byte[source.remaining()];
                source.get(data);
                if (data.length > 0) {
                    perform(
                            process,
                            new DiskOperation(DiskOperation.Kind.WRITE, path, file, position, data, null, activity));
                }
                return null;
            });
        }

        @Override
        public void force(boolean metadata) {
            locked(() -> {
                checkOpen();
                perform(process, operation(DiskOperation.Kind.FORCE, path, file, 0, null));
                return null;
            });
        }

        @Override
        public long size() {
            return locked(() -> {
                checkOpen();
                perform(process, operation(DiskOperation.Kind.SIZE, path, file, 0, null));
                return image.bytes(file).sizeBytes();
            });
        }

        @Override
        public void truncate(long sizeBytes) {
            locked(() -> {
                checkOpen();
                if (sizeBytes < image.bytes(file).sizeBytes()) {
                    perform(process, operation(DiskOperation.Kind.TRUNCATE, path, file, sizeBytes, null));
                }
                return null;
            });
        }

        @Override
        public void close() {
            locked(() -> isClosed = true);
        }

        private void checkOpen() {
            checkRunning(process);
            if (isClosed) {
                throw new StorageException(
                        Message.of("The file is closed").with("file", path).remedy("Open it again."));
            }
        }
    }

    private DiskOperation operation(DiskOperation.Kind kind, Path path, int file, long position, Path target) {
        return new DiskOperation(kind, path, file, position, NO_DATA, target, activity);
    }

    /** Does what is asked, or what the planned fault makes of it. */
    private void perform(Process process, DiskOperation operation) {
        awaitTurn(process, operation);
        long number = operationCount++;
        calls.changed();
        if (notedOrNull != null) {
            notedOrNull.add(operation);
        }
        if (recordedOrNull != null && driftOrNull == null) {
            follow(operation, number);
        }
        if (number == faultAt) {
            faultMet = operation;
            recordedOrNull = null;
            meet(operation);
        } else if (failsOn || (isReadOnly && operation.changes())) {
            failForce(operation);
            throw failure(operation);
        } else if (isFull && growsFile(operation)) {
            throw full(operation);
        }
        image.apply(operation);
    }

    /**
     * Lets other threads go first whose operations came before this one in the recorded run. Most operations of the
     * engine's threads are waited for, and cannot change places; but the log's thread answers who waits for the end of
     * a segment before it begins the next, and whose operation comes first then is the system's choice.
     */
    private void awaitTurn(Process process, DiskOperation operation) {
        calls.awaitWhile(() -> isRunning(process) && comesLater(operation), TURN_NANOS_MAX);
        checkRunning(process);
    }

    /** Whether the recorded run has another operation here, and this one soon. */
    private boolean comesLater(DiskOperation operation) {
        if (recordedOrNull == null || driftOrNull != null) {
            return false;
        }
        long end = Math.min(recordedOrNull.size(), operationCount + OPERATIONS_OF_A_TURN);
        for (long at = operationCount; at < end; at++) {
            if (recordedOrNull.get((int) at).isSameAs(operation)) {
                return at > operationCount;
            }
        }
        return false;
    }

    private void follow(DiskOperation operation, long number) {
        DiskOperation recorded = number < recordedOrNull.size() ? recordedOrNull.get((int) number) : null;
        if (recorded == null || !recorded.isSameAs(operation)) {
            driftOrNull = "operation=" + number + " recorded=" + recorded + " now=" + operation;
        }
    }

    private void meet(DiskOperation operation) {
        switch (fault) {
            case ERROR_ONCE, ERROR_FOR_EVER -> {
                failsOn = fault == Fault.ERROR_FOR_EVER;
                if (!failForce(operation)) {
                    writePart(operation);
                }
                throw failure(operation);
            }
            case READ_ONLY -> {
                isReadOnly = true;
                failForce(operation);
                throw failure(operation);
            }
            case DISK_FULL -> {
                isFull = true;
                writePart(operation);
                throw full(operation);
            }
            default -> {
                isStopped = true;
                throw stopped();
            }
        }
    }

    /** Whether it is a force; then what it was to force never gets to the medium. */
    private boolean failForce(DiskOperation operation) {
        boolean isForce =
                operation.kind() == DiskOperation.Kind.FORCE || operation.kind() == DiskOperation.Kind.FORCE_DIRECTORY;
        if (isForce) {
            image.failForce(operation);
        }
        return isForce;
    }

    private void writePart(DiskOperation operation) {
        int sectors = operation.data().length / DiskImage.SECTOR_BYTES;
        int written = sectors == 0 ? 0 : faultRandom.nextInt(sectors) * DiskImage.SECTOR_BYTES;
        if (written > 0) {
            image.applyPart(operation, written);
        }
    }

    private boolean growsFile(DiskOperation operation) {
        return operation.makesEntry()
                || (operation.kind() == DiskOperation.Kind.WRITE
                        && operation.position() + operation.data().length
                                > image.bytes(operation.file()).sizeBytes());
    }

    private boolean isRunning(Process process) {
        return !isStopped && !process.hasEnded;
    }

    private void checkRunning(Process process) {
        if (isStopped) {
            throw stopped();
        }
        if (process.hasEnded) {
            throw new StorageException(
                    Message.of("The simulated process has ended").remedy("Open the database in another one."));
        }
    }

    private static StorageException stopped() {
        return new StorageException(
                Message.of("The simulated machine has stopped").remedy("Open the database after it has started."));
    }

    private static MissingFileException missing(Path path) {
        return new MissingFileException(
                Message.of("There is no such file").with("file", path).remedy("None: the disk is simulated."));
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

    private <T> T locked(Supplier<T> action) {
        return calls.run(action);
    }
}
