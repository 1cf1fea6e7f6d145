package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory for the files of one run, of which nothing stays unless it is kept: it goes when it is closed, or when
 * the JVM is told to end; and what runs of the same name have left that were killed goes when the next one is made.
 * Thread-safe.
 *
 * <p>A run was killed whose process, which is in the directory's name, is not there, and which does not hold the lock
 * of a file in it: in a container or on another host that shares the parent, processes have numbers that mean nothing
 * here. On a file system without locks nothing is taken for abandoned.
 *
 * <p>Names of one kind are of one length: they are told to simulated processes, in whose memory a longer one moves what
 * lies behind it.
 */
public final class ScratchDirectory implements AutoCloseable {
    private static final String PREFIX = "lockstep-";

    /** A file that says that its directory was not left by mistake; renamed, it would not be where messages say. */
    private static final String KEPT = "kept";

    /** A file that a run has locked as long as it lasts. */
    private static final String HELD = "held";

    /** Of a directory without such a file: younger ones may be of a run that is about to make it. */
    private static final Duration UNHELD_AGE_MIN = Duration.ofDays(1);

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** The least of 19 digits. */
    private static final long NUMBER_MIN = 1_000_000_000_000_000_000L;

    private static final int PASSES_MAX = 100;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path path;
    private final FileChannel held;
    private final Runnable removal = this::deleteAtEnd;
    private volatile boolean kept;

    private ScratchDirectory(Path path, FileChannel held) {
        this.path = path;
        this.held = held;
    }

    private void deleteAtEnd() {
        try {
            held.close();
        } catch (IOException e) {
            // The lock goes with the process.
            Thread.onSpinWait();
        }
        for (int pass = 0; pass < PASSES_MAX && Files.exists(path); pass++) {
            try {
                delete(path);
            } catch (IOException e) {
                // Threads of this JVM may still write in it, until they miss a file. What stays goes with the next run.
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Makes one where the system keeps what is temporary.
     *
     * @param name of what runs, letters
     */
    public static ScratchDirectory make(String name) throws IOException {
        return make(Path.of(System.getProperty("java.io.tmpdir")), name);
    }

    /** Makes one in a directory, which exists. */
    public static ScratchDirectory make(Path parent, String name) throws IOException {
        deleteAbandoned(parent, name);
        Path path = create(parent, name).toAbsolutePath();
        ScratchDirectory made = new ScratchDirectory(path, hold(path));
        Ending.add(made.removal);
        return made;
    }

    private static Path create(Path parent, String name) throws IOException {
        FileAttribute<?>[] attributes =
                parent.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                        : new FileAttribute<?>[0];
        Path made = null;
        // Ends: there are more numbers than a file system has room for names.
        while (made == null) {
            String number = String.format(
                    Locale.ROOT, "%010d-%d", ProcessHandle.current().pid(), number());
            made = createNew(parent.resolve(PREFIX + name + "-" + number), attributes);
        }
        return made;
    }

    /** Creates a directory; null if there is something of that name. */
    private static Path createNew(Path directory, FileAttribute<?>[] attributes) throws IOException {
        try {
            return Files.createDirectory(directory, attributes);
        } catch (FileAlreadyExistsException taken) {
            return null;
        }
    }

    private static FileChannel hold(Path directory) throws IOException {
        FileChannel held =
                FileChannel.open(directory.resolve(HELD), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            held.tryLock();
        } catch (IOException noLocks) {
            // Nobody else gets one there either, so that nothing is swept up.
            return held;
        }
        return held;
    }

    private static long number() {
        return RANDOM.nextLong(NUMBER_MIN, Long.MAX_VALUE);
    }

    private static void deleteAbandoned(Path parent, String name) throws IOException {
        Pattern ours = Pattern.compile(Pattern.quote(PREFIX + name) + "-(\\d{1,18})-\\d+");
        List<Path> abandoned;
        try (Stream<Path> entries = Files.list(parent)) {
            abandoned = entries.filter(entry -> {
                        Matcher matcher = ours.matcher(entry.getFileName().toString());
                        return matcher.matches()
                                && Files.isWritable(entry)
                                && !Files.exists(entry.resolve(KEPT))
                                && ProcessHandle.of(Long.parseLong(matcher.group(1)))
                                        .isEmpty();
                    })
                    .toList();
        }
        for (Path each : abandoned) {
            deleteUnlessHeld(each);
        }
    }

    private static void deleteUnlessHeld(Path directory) throws IOException {
        try (FileChannel file = FileChannel.open(directory.resolve(HELD), StandardOpenOption.WRITE)) {
            if (isFree(file)) {
                delete(directory);
            }
        } catch (NoSuchFileException unheld) {
            if (isOld(directory)) {
                delete(directory);
            }
        }
    }

    /** Whether nobody holds the file, who then cannot take it either as long as it is open here. */
    private static boolean isFree(FileChannel file) {
        try {
            return file.tryLock() != null;
        } catch (IOException | OverlappingFileLockException noLocksOrSweptByAnother) {
            return false;
        }
    }

    private static boolean isOld(Path directory) throws IOException {
        try {
            return Files.getLastModifiedTime(directory)
                    .toInstant()
                    .isBefore(Instant.now().minus(UNHELD_AGE_MIN));
        } catch (NoSuchFileException sweptByAnother) {
            return false;
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Deletes what this process has made below it, or somewhere else, with everything in it. */
    public static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            delete(directory);
        }
    }

    /** Lets it stay for good, with everything in it: somebody shall look at what the run has left. */
    public void keep() {
        if (!kept && Ending.remove(removal)) {
            kept = true;
            try {
                Files.createFile(path.resolve(KEPT));
            } catch (IOException full) {
                // It stays all the same, until another process sweeps up behind this one.
                return;
            }
        }
    }

    /** Deletes it with everything in it, unless it is kept. */
    @Override
    public void close() throws IOException {
        if (!kept && Ending.remove(removal)) {
            held.close();
            delete(path);
        }
    }

    /** Files that somebody else deletes meanwhile are gone as well. */
    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException failure) throws IOException {
                Files.deleteIfExists(each);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
