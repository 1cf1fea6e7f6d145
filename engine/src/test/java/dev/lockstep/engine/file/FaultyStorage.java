package dev.lockstep.engine.file;

import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.proof.OneAtATime;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A file system in memory that counts what changes it, fails on demand, and forgets at {@link #crash()} what was not
 * forced.
 *
 * <p>What must be survived, and is simulated:
 * <ul>
 *   <li>The n-th change (write, force, creation, replacement, removal, truncation) fails, once or from then on
 *       ({@link #failAtChange}). A failed write has written some of its sectors.
 *   <li>The machine stops at the n-th change ({@link #crashAtChange}): it and everything after it fail, and after
 *       {@link #crash()} each sector written since the last force of its file is old or new, independently, chosen by
 *       the seed: writes are torn, lost and reordered at the granularity of a sector.
 *   <li>Reads of some files, and looks at their size, fail now and then ({@link #failReads}).
 *   <li>The disk is full ({@link #bytesMax}): writes that grow files fail, having written some of their sectors.
 * </ul>
 *
 * <p>Creation and replacement of a file are on the medium when they return; the simulated disk of {@code prove crash}
 * loses them until their directory is forced. Not simulated: misdirected writes and bits that change by themselves;
 * tests make these with {@link #corrupt}.
 *
 * <p>Deterministic by seed for a single-threaded user. Thread-safe. The same object is the file system before and after
 * the crash; files that were open at the crash refuse every call.
 */
public final class FaultyStorage implements Storage {
    /** The unit that a disk writes whole or not at all. */
    public static final int SECTOR_BYTES = 512;

    private final OneAtATime calls = new OneAtATime();
    private final Map<Path, Content> files = new TreeMap<>();
    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> lockedDirectories = new HashSet<>();
    private final Random random;
    private final long seed;
    private long changeCount;
    private long failAt = Long.MAX_VALUE;
    private boolean failsOn;
    private long crashAt = Long.MAX_VALUE;
    private boolean isCrashed;
    private int generation;
    private long bytesMax = Long.MAX_VALUE;
    private final Random readRandom;
    private Consumer<Path> failRead;
    private String readsFailIn;
    private int failedReadOneIn;
    private long failedReadCount;
    private final Map<Path, Long> forcesByFile = new HashMap<>();

    /** Makes an empty file system. */
    public FaultyStorage(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.readRandom = new Random(~seed);
    }

    /** What a file is, and what it would be after a crash. */
    private static final class Content {
        private byte[] bytes = new byte[0];
        private int sizeBytes;
        private byte[] forcedBytes = new byte[0];
        private int forcedSizeBytes;
        private final Set<Integer> unforcedSectors = new HashSet<>();

        void write(int position, ByteBuffer source, int lengthBytes) {
            ensureCapacity(position + lengthBytes);
            source.get(bytes, position, lengthBytes);
            sizeBytes = Math.max(sizeBytes, position + lengthBytes);
            for (int s = position / SECTOR_BYTES; s <= (position + lengthBytes - 1) / SECTOR_BYTES; s++) {
                unforcedSectors.add(s);
            }
        }

        private void ensureCapacity(int capacityBytes) {
            if (capacityBytes > bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, Math.max(capacityBytes, bytes.length * 2));
            }
        }

        /** Copies only what changed, because logs and page files are forced often and are long. */
        void force() {
            if (forcedBytes.length < bytes.length) {
                forcedBytes = java.util.Arrays.copyOf(forcedBytes, bytes.length);
            }
            for (int sector : unforcedSectors) {
                copySector(bytes, forcedBytes, sector);
            }
            forcedSizeBytes = sizeBytes;
            unforcedSectors.clear();
        }

        void truncate(int toSizeBytes) {
            if (toSizeBytes < sizeBytes) {
                java.util.Arrays.fill(bytes, toSizeBytes, sizeBytes, (byte) 0);
                sizeBytes = toSizeBytes;
            }
        }

        void crash(Random random) {
            byte[] after = java.util.Arrays.copyOf(forcedBytes, Math.max(forcedBytes.length, bytes.length));
            int sizeAfter = forcedSizeBytes;
            for (int sector : unforcedSectors.stream().sorted().toList()) {
                if (random.nextBoolean()) {
                    copySector(bytes, after, sector);
                    sizeAfter = Math.max(sizeAfter, Math.min(sizeBytes, (sector + 1) * SECTOR_BYTES));
                }
            }
            bytes = after;
            sizeBytes = sizeAfter;
            forcedBytes = after.clone();
            forcedSizeBytes = sizeAfter;
            unforcedSectors.clear();
        }

        private static void copySector(byte[] from, byte[] to, int sector) {
            int start = sector * SECTOR_BYTES;
            int end = Math.min(start + SECTOR_BYTES, Math.min(from.length, to.length));
            if (end > start) {
                System.arraycopy(from, start, to, start, end - start);
            }
        }
    }

    // What tests ask for.

    /** Returns the seed. */
    public long seed() {
        return seed;
    }

    /** Returns how many changes there were, failed ones included. */
    public long changeCount() {
        return locked(() -> changeCount);
    }

    /**
     * Lets one change fail, or all from then on.
     *
     * @param number which change from now, from 1
     * @param failsOn whether all later ones fail too, until {@link #heal()}
     */
    public void failAtChange(long number, boolean failsOn) {
        locked(() -> {
            failAt = changeCount + number;
            this.failsOn = failsOn;
            return null;
        });
    }

    /** Stops the machine at a change: from it on everything fails until {@link #crash()}. */
    public void crashAtChange(long number) {
        locked(() -> {
            crashAt = changeCount + number;
            return null;
        });
    }

    /** Returns whether the change given to {@link #crashAtChange} was reached. */
    public boolean isCrashed() {
        return locked(() -> isCrashed);
    }

    /**
     * Lets reads fail from now on, until {@link #heal()}, chosen by the seed.
     *
     * @param fileName how the names of the files begin
     * @param oneIn one read in so many fails
     */
    public void failReads(String fileName, int oneIn) {
        failReads(fileName, oneIn, path -> {
            throw new StorageException(
                    Message.of("A read failed on demand").with("file", path).toString());
        });
    }

    /**
     * Lets reads fail as {@link #failReads(String, int)} does.
     *
     * @param how throws what they fail with
     */
    public void failReads(String fileName, int oneIn, Consumer<Path> how) {
        locked(() -> {
            failRead = how;
            readsFailIn = fileName;
            failedReadOneIn = oneIn;
            return null;
        });
    }

    /** Returns how many reads have failed. */
    public long failedReadCount() {
        return locked(() -> failedReadCount);
    }

    private void checkRead(Path path) {
        if (readsFailIn != null
                && path.getFileName().toString().startsWith(readsFailIn)
                && readRandom.nextInt(failedReadOneIn) == 0) {
            failedReadCount++;
            failRead.accept(path);
        }
    }

    /** Takes back {@link #failAtChange}, {@link #failReads} and {@link #bytesMax}. */
    public void heal() {
        locked(() -> {
            failAt = Long.MAX_VALUE;
            bytesMax = Long.MAX_VALUE;
            readsFailIn = null;
            return null;
        });
    }

    /** Limits the bytes of all files together. */
    public void bytesMax(long bytes) {
        locked(() -> {
            bytesMax = bytes;
            return null;
        });
    }

    /** Returns the bytes of all files together. */
    public long bytes() {
        return locked(this::totalBytes);
    }

    /** Returns how often a file was forced. */
    public long forceCount(Path path) {
        return locked(() -> forcesByFile.getOrDefault(path, 0L));
    }

    /**
     * Switches the machine off and on: everything unforced is kept, lost or torn by sectors, open files and locks are
     * gone, planned failures are forgotten.
     */
    public void crash() {
        locked(() -> {
            files.values().forEach(content -> content.crash(random));
            generation++;
            isCrashed = false;
            crashAt = Long.MAX_VALUE;
            failAt = Long.MAX_VALUE;
            lockedDirectories.clear();
            return null;
        });
    }

    /** Kills the process: open files and locks are gone, but the machine keeps everything written. */
    public void kill() {
        locked(() -> {
            generation++;
            isCrashed = false;
            crashAt = Long.MAX_VALUE;
            failAt = Long.MAX_VALUE;
            lockedDirectories.clear();
            return null;
        });
    }

    /** Changes one byte, on the medium, as a failing disk does. */
    public void corrupt(Path path, long position, int xor) {
        locked(() -> {
            Content content = content(path);
            int at = Math.toIntExact(position);
            content.bytes[at] ^= (byte) xor;
            if (at < content.forcedBytes.length) {
                content.forcedBytes[at] ^= (byte) xor;
            }
            return null;
        });
    }

    // The file system.

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return locked(() -> {
            if (mode == OpenMode.CREATE) {
                change("create", path);
                Content content = files.computeIfAbsent(path, p -> new Content());
                content.truncate(0);
                content.force();
            } else {
                checkRunning();
                content(path);
            }
            return new MemoryFile(path, mode == OpenMode.READ_ONLY, generation);
        });
    }

    @Override
    public boolean exists(Path path) {
        return locked(() -> files.containsKey(path) || directories.contains(path));
    }

    @Override
    public void delete(Path path) {
        locked(() -> {
            change("delete", path);
            files.remove(path);
            return null;
        });
    }

    @Override
    public List<Path> list(Path directory) {
        return locked(() -> {
            checkRunning();
            List<Path> entries = new ArrayList<>();
            for (Path path : files.keySet()) {
                if (directory.equals(path.getParent())) {
                    entries.add(path);
                }
            }
            return List.copyOf(entries);
        });
    }

    @Override
    public void atomicReplace(Path from, Path to) {
        locked(() -> {
            change("rename", from);
            files.put(to, content(from));
            files.remove(from);
            return null;
        });
    }

    @Override
    public void forceDirectory(Path directory) {
        locked(() -> {
            change("force directory", directory);
            return null;
        });
    }

    @Override
    public void createDirectories(Path directory) {
        locked(() -> {
            checkRunning();
            for (Path path = directory; path != null; path = path.getParent()) {
                directories.add(path);
            }
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
            checkRunning();
            if (!lockedDirectories.add(directory)) {
                throw new DatabaseInUseException(
                        Message.of("In use").with("directory", directory).toString());
            }
            int openedIn = generation;
            return () -> locked(() -> openedIn == generation && lockedDirectories.remove(directory));
        });
    }

    private final class MemoryFile implements BlockFile {
        private final Path path;
        private final boolean readOnly;
        private final int openedIn;
        private final Content content;
        private boolean isClosed;

        MemoryFile(Path path, boolean readOnly, int openedIn) {
            this.path = path;
            this.readOnly = readOnly;
            this.openedIn = openedIn;
            this.content = content(path);
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return locked(() -> {
                checkOpen();
                checkRead(path);
                int at = Math.toIntExact(position);
                int count = Math.max(0, Math.min(target.remaining(), content.sizeBytes - at));
                target.put(content.bytes, count == 0 ? 0 : at, count);
                return count;
            });
        }

        @Override
        public void write(ByteBuffer source, long position) {
            locked(() -> {
                checkOpen();
                int at = Math.toIntExact(position);
                int lengthBytes = source.remaining();
                RuntimeException failure = plannedFailure("write", path);
                if (failure == null && totalBytes() + Math.max(0, at + lengthBytes - content.sizeBytes) > bytesMax) {
                    failure = new DiskFullException(
                            Message.of("No room").with("file", path).toString());
                }
                if (failure != null) {
                    int sectors = lengthBytes / SECTOR_BYTES;
                    int written = sectors == 0 ? 0 : random.nextInt(sectors) * SECTOR_BYTES;
                    if (written > 0
                            && at + written
                                    <= Math.max(content.sizeBytes, bytesMax == Long.MAX_VALUE ? at + written : 0)) {
                        content.write(at, source, written);
                    }
                    throw failure;
                }
                if (lengthBytes > 0) {
                    content.write(at, source, lengthBytes);
                }
                return null;
            });
        }

        @Override
        public void force(boolean metadata) {
            locked(() -> {
                checkOpen();
                change("force", path);
                content.force();
                forcesByFile.merge(path, 1L, Long::sum);
                return null;
            });
        }

        @Override
        public long size() {
            return locked(() -> {
                checkOpen();
                checkRead(path);
                return (long) content.sizeBytes;
            });
        }

        @Override
        public void truncate(long sizeBytes) {
            locked(() -> {
                checkOpen();
                change("truncate", path);
                content.truncate(Math.toIntExact(sizeBytes));
                content.force();
                return null;
            });
        }

        @Override
        public void close() {
            locked(() -> isClosed = true);
        }

        private void checkOpen() {
            checkRunning();
            if (isClosed || openedIn != generation) {
                throw failure("closed", path);
            }
        }

        @Override
        public String toString() {
            return path + (readOnly ? " (read only)" : "");
        }
    }

    private Content content(Path path) {
        Content content = files.get(path);
        if (content == null) {
            throw new MissingFileException(
                    Message.of("Missing").with("file", path).toString());
        }
        return content;
    }

    private long totalBytes() {
        return files.values().stream().mapToLong(content -> content.sizeBytes).sum();
    }

    private void change(String what, Path path) {
        RuntimeException failure = plannedFailure(what, path);
        if (failure != null) {
            throw failure;
        }
    }

    private RuntimeException plannedFailure(String what, Path path) {
        changeCount++;
        if (changeCount >= crashAt) {
            isCrashed = true;
        }
        boolean fails = isCrashed || changeCount == failAt || (failsOn && changeCount > failAt);
        return fails ? failure(what, path) : null;
    }

    private void checkRunning() {
        if (isCrashed) {
            throw new StorageException("The machine has stopped: seed=" + seed);
        }
    }

    private StorageException failure(String what, Path path) {
        return new StorageException(Message.of("Planned failure")
                .with("operation", what)
                .with("file", path)
                .with("change", changeCount)
                .with("seed", seed)
                .toString());
    }

    private <T> T locked(Supplier<T> action) {
        return calls.run(action);
    }
}
