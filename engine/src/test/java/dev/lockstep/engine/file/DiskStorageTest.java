package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Scheduler;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskStorageTest {
    private static final Storage STORAGE = DiskStorage.INSTANCE;

    @TempDir
    Path directory;

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String read(BlockFile file, long position, int lengthBytes) {
        ByteBuffer target = ByteBuffer.allocateDirect(lengthBytes);
        int count = file.read(target, position);
        byte[] read = new byte[count];
        target.flip().get(read);
        return new String(read, StandardCharsets.US_ASCII);
    }

    @Test
    void filesAreMadeWrittenReplacedAndRemoved() {
        Path sub = directory.resolve("a/b");
        STORAGE.createDirectories(sub);
        STORAGE.createDirectories(sub);
        Path first = sub.resolve("first");
        Path second = sub.resolve("second");
        try (BlockFile file = STORAGE.open(first, Storage.OpenMode.CREATE)) {
            file.write(bytes("0123456789"), 5);
            file.force(true);
            assertEquals(15, file.size());
            assertEquals("3456789", read(file, 8, 100));
            assertEquals("", read(file, 100, 10));
            file.truncate(7);
            assertEquals("01", read(file, 5, 10));
        }
        try (BlockFile file = STORAGE.open(second, Storage.OpenMode.CREATE)) {
            file.write(bytes("old"), 0);
        }
        assertEquals(List.of(first, second), STORAGE.list(sub));
        STORAGE.atomicReplace(first, second);
        assertFalse(STORAGE.exists(first));
        try (BlockFile file = STORAGE.open(second, Storage.OpenMode.READ_ONLY)) {
            assertEquals("01", read(file, 5, 10));
            assertThrows(RuntimeException.class, () -> file.write(bytes("x"), 0));
        }
        STORAGE.delete(second);
        STORAGE.delete(second);
        assertFalse(STORAGE.exists(second));
        MissingFileException missing =
                assertThrows(MissingFileException.class, () -> STORAGE.open(second, Storage.OpenMode.READ_WRITE));
        assertTrue(missing.getMessage().contains("file="), missing.getMessage());
    }

    /** A database would be made where one lies that the system cannot show at the moment. */
    @Test
    void whatCannotBeLookedAtIsNotMissing() {
        Path tooLong = directory.resolve("n".repeat(1_000));
        StorageException refused = assertThrows(StorageException.class, () -> STORAGE.exists(tooLong));
        assertTrue(refused.getMessage().contains("file="), refused.getMessage());
    }

    @Test
    void anInterruptedCallerNeitherClosesAFileNorLosesItsFlag() {
        Path path = directory.resolve("file");
        Thread.currentThread().interrupt();
        try (BlockFile file = STORAGE.open(path, Storage.OpenMode.CREATE)) {
            for (int i = 0; i < 20; i++) {
                file.write(bytes("ab"), 2L * i);
                file.force(false);
                assertEquals("ab", read(file, 2L * i, 10));
                assertTrue(Thread.currentThread().isInterrupted());
            }
            assertEquals(40, file.size());
        }
        try (Storage.DirectoryLock _ = STORAGE.lockDirectory(directory)) {
            assertTrue(Thread.currentThread().isInterrupted());
            assertThrows(DatabaseInUseException.class, () -> STORAGE.lockDirectory(directory));
        }
        assertTrue(Thread.interrupted());
    }

    @Test
    void engineThreadsCannotBeInterrupted() throws InterruptedException {
        boolean[] wasInterrupted = new boolean[1];
        EngineThread thread = new EngineThread(
                () -> wasInterrupted[0] = Thread.currentThread().isInterrupted(), "lockstep-test");
        thread.interrupt();
        thread.start();
        thread.interrupt();
        thread.join();
        assertFalse(wasInterrupted[0]);
        assertTrue(thread.isDaemon());
    }

    @Test
    void aDirectoryIsLockedOnceInThisJvm() {
        Storage.DirectoryLock lock = STORAGE.lockDirectory(directory);
        DatabaseInUseException inUse =
                assertThrows(DatabaseInUseException.class, () -> STORAGE.lockDirectory(directory.resolve(".")));
        assertTrue(inUse.getMessage().contains("holder=\"this process\""), inUse.getMessage());
        lock.close();
        lock.close();
        STORAGE.lockDirectory(directory).close();
        assertThrows(MissingFileException.class, () -> STORAGE.lockDirectory(directory.resolve("none")));
    }

    @Test
    void aDirectoryIsLockedForOneProcess() throws Exception {
        Path database = Files.createDirectory(directory.resolve("database"));
        Path result = directory.resolve("result");
        try (Storage.DirectoryLock _ = STORAGE.lockDirectory(database)) {
            assertEquals("DatabaseInUseException another process", lockInChild(database, result));
        }
        assertEquals("locked", lockInChild(database, result));
        STORAGE.lockDirectory(database).close();
    }

    /**
     * As in two applications of one server, which bring the classes each with them. To open the file and to close it
     * again would take the system's lock from who has it.
     */
    @Test
    void aDirectoryIsLockedForOneClassLoader() throws Exception {
        Path database = Files.createDirectory(directory.resolve("database"));
        Path result = directory.resolve("result");
        try (Storage.DirectoryLock _ = STORAGE.lockDirectory(database)) {
            assertEquals("DatabaseInUseException other", lockByOtherClasses(database, result));
            assertEquals("DatabaseInUseException another process", lockInChild(database, result));
        }
        assertEquals("locked", lockByOtherClasses(database, result));
    }

    private static String lockByOtherClasses(Path database, Path result) throws Exception {
        URL[] classPath = {
            location(DiskStorage.class), location(LockingChild.class), location(Scheduler.class),
        };
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Method main = loader.loadClass(LockingChild.class.getName()).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[] {database.toString(), result.toString()});
        }
        return Files.readString(result);
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static String lockInChild(Path database, Path result) throws IOException, InterruptedException {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockingChild.class.getName(),
                        database.toString(),
                        result.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, child.waitFor(), output);
        return Files.readString(result);
    }

    /** Tries to lock a directory and writes into a file how that went. */
    static final class LockingChild {
        private LockingChild() {}

        public static void main(String[] arguments) throws IOException {
            String outcome;
            try (Storage.DirectoryLock _ = STORAGE.lockDirectory(Path.of(arguments[0]))) {
                outcome = "locked";
            } catch (DatabaseInUseException e) {
                String holder = e.getMessage().contains("another process") ? " another process" : " other";
                outcome = e.getClass().getSimpleName() + holder;
            }
            Files.writeString(Path.of(arguments[1]), outcome);
        }
    }

    @Test
    void whatTheSystemSaysBecomesAnExceptionOfItsOwn() {
        Path path = Path.of("x");
        assertInstanceOf(DiskFullException.class, failure(path, new IOException("No space left on device")));
        assertInstanceOf(DiskFullException.class, failure(path, new IOException("Disk quota exceeded")));
        assertInstanceOf(MissingFileException.class, failure(path, new NoSuchFileException("x")));
        assertInstanceOf(StorageException.class, failure(path, new IOException("Input/output error")));
        assertInstanceOf(StorageException.class, failure(path, new IOException((String) null)));
        assertTrue(failure(path, new IOException("Input/output error"))
                .getMessage()
                .startsWith("Cannot test: file=x, position=7, reason="));
    }

    private static RuntimeException failure(Path path, IOException cause) {
        return DiskFailures.of("Cannot test", path, (Message message) -> message.with("position", 7), cause);
    }

    /** What is written may be tried again when there is room; what could not be forced may not. */
    @Test
    void aFailedForceIsNeverAFullDisk() throws IOException {
        Path path = directory.resolve("file");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try (BlockFile file = new DiskBlockFile(path, new Unforced(channel), null)) {
            file.write(bytes("ab"), 0);
            StorageException failed = assertThrows(StorageException.class, () -> file.force(true));
            assertTrue(failed.getMessage().contains("reason="), failed.getMessage());
            assertTrue(failed.getMessage().contains("No space left on device"), failed.getMessage());
        }
    }

    /** A system that answers in another language: less room than what was not written is a full disk. */
    @Test
    void aWriteThatFailsIsJudgedByTheRoomThatIsLeft() throws IOException {
        List<Path> asked = new ArrayList<>();
        DiskFullException full = assertInstanceOf(
                DiskFullException.class, failedWrite("Auf dem Ger\u00e4t ist kein Speicherplatz", asked, () -> 3L));
        assertTrue(
                full.getMessage().contains("position=1, lengthBytes=6, usableBytes=3, missingBytes=4, reason="),
                full.getMessage());
        assertEquals(List.of(directory.toAbsolutePath()), asked);
        assertInstanceOf(StorageException.class, failedWrite("Eingabe-/Ausgabefehler", asked, () -> 4L));
        assertInstanceOf(StorageException.class, failedWrite("Eingabe-/Ausgabefehler", asked, () -> {
            throw new IOException("no such volume");
        }));
        assertInstanceOf(StorageException.class, failedWrite("Eingabe-/Ausgabefehler", asked, () -> {
            throw new SecurityException("not allowed");
        }));
        assertEquals(4, asked.size());
        assertInstanceOf(DiskFullException.class, failedWrite("No space left on device", asked, () -> 0L));
        assertEquals(4, asked.size(), "its words are known");
    }

    /** Writes two bytes, then six of which two are taken, and returns what the second write failed with. */
    private RuntimeException failedWrite(String reason, List<Path> asked, Callable<Long> room) throws IOException {
        Path path = directory.resolve("file");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        DiskFailures.UsableSpace space = of -> {
            asked.add(of);
            try {
                return room.call();
            } catch (IOException | RuntimeException failure) {
                throw failure;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
        int askedBefore = asked.size();
        try (BlockFile file = new DiskBlockFile(path, new FullAfterTwo(channel, reason), null, space)) {
            file.write(bytes("ab"), 0);
            assertEquals(askedBefore, asked.size(), "the write has succeeded");
            return assertThrows(RuntimeException.class, () -> file.write(bytes("cdefgh"), 1));
        }
    }

    /** A channel that takes two bytes of each write, and fails when it is asked to take more. */
    private static final class FullAfterTwo extends DelegatingChannel {
        private final String reason;

        FullAfterTwo(FileChannel target, String reason) {
            super(target);
            this.reason = reason;
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            if (position > 1) {
                throw new IOException(reason);
            }
            int limit = source.limit();
            source.limit(source.position() + 2);
            int count = super.write(source, position);
            source.limit(limit);
            return count;
        }
    }

    /** A channel that finds no room when it has to put on the medium what it has taken. */
    private static final class Unforced extends DelegatingChannel {
        Unforced(FileChannel target) {
            super(target);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    @Test
    void pagesSurviveOnARealDisk() {
        DatabaseId id = DatabaseId.random();
        PageFile.create(STORAGE, directory, id).close();
        try (Arena arena = Arena.ofShared();
                PageBatch batch = new PageBatch()) {
            NativeMemory memory = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            try (PageFile file = PageFile.open(STORAGE, directory, id, false)) {
                assertEquals(id, file.databaseId());
                assertEquals(1, file.pageCount());
                PageLayout.initialise(memory, 0, PageLayout.TYPE_NODE, 9, 1);
                PageLayout.setLsn(memory, 0, 77);
                batch.add(memory, 0);
                file.write(batch);
                assertEquals(10, file.pageCount());
            }
            try (PageFile file = PageFile.open(STORAGE, directory, id, true)) {
                file.newReader(memory).read(9, 0);
                assertEquals(77, PageLayout.lsn(memory, 0));
                file.newReader(memory).read(8, 0);
                assertEquals(PageLayout.TYPE_NONE, PageLayout.type(memory, 0));
            }
        }
        assertArrayEquals(
                new String[] {PageFile.DOUBLE_WRITE_FILE, PageFile.PAGES_FILE},
                STORAGE.list(directory).stream()
                        .map(p -> p.getFileName().toString())
                        .toArray());
    }

    @Test
    void tasksRunOnTheThreadsAndBeforeClose() {
        int tasks = 1000;
        int threads = 3;
        Set<Thread> ranBy = ConcurrentHashMap.newKeySet();
        AtomicInteger ran = new AtomicInteger();
        try (IoThreads io = new IoThreads(threads)) {
            for (int i = 0; i < tasks; i++) {
                io.submit(() -> {
                    ranBy.add(Thread.currentThread());
                    ran.incrementAndGet();
                });
            }
        }
        assertEquals(tasks, ran.get());
        assertTrue(ranBy.size() <= threads && ranBy.stream().allMatch(EngineThread.class::isInstance), ranBy::toString);
    }

    @Test
    void withoutThreadsTheCallerRunsTasks() {
        AtomicReference<Thread> ranBy = new AtomicReference<>();
        IoThreads io = new IoThreads(0);
        io.submit(() -> ranBy.set(Thread.currentThread()));
        assertSame(Thread.currentThread(), ranBy.get());
        io.close();
        assertThrows(IllegalStateException.class, () -> io.submit(() -> {}));
    }
}
