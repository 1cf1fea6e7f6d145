package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.InstanceOpener;
import dev.lockstep.engine.instance.Verification;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A database that is open for reading only changes nothing, in memory neither. */
class ReadOnlyTest {
    /** With their names of 600 bytes about 250 pages: twice the smallest pool. */
    private static final int ROWS = 3_000;

    private static final int DELETED = 50;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static DatabaseOptions.Builder options() {
        return DatabaseOptions.builder().poolBytes(DatabaseOptions.POOL_BYTES_MIN);
    }

    /** Neither the lock of the directory nor anything else needs a file that can be written. */
    @Test
    void opensWhereNothingCanBeWritten() throws IOException {
        Path home = directory.resolve("home");
        try (Database database =
                Database.open(home, options().createIfMissing(true).build())) {
            Table table = database.createTable(DatabaseTest.accounts());
            database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), 1, "Ada", 100));
        }
        Path archive = directory.resolve("archive.zip");
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"));
                Stream<Path> files = Files.list(home)) {
            for (Path file : files.toList()) {
                if (!file.endsWith(DiskStorage.LOCK_FILE)) {
                    Files.copy(file, zip.getPath("/" + file.getFileName()));
                }
            }
        }
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("accessMode", "readOnly"))) {
            assertTrue(zip.isReadOnly());
            DatabaseOptions readOnly = options().readOnly(true).build();
            try (Database database = Database.open(zip.getPath("/"), readOnly)) {
                assertEquals(List.of(1), DatabaseTest.ids(database, null));
                assertThrows(DatabaseInUseException.class, () -> Database.open(zip.getPath("/"), readOnly));
            }
            assertThrows(
                    StorageException.class,
                    () -> Database.open(zip.getPath("/"), options().build()));
        }
    }

    /** Refuses every change, as a file system does that is mounted to be read only. */
    private static final class ReadOnlyStorage extends DelegatingStorage {
        ReadOnlyStorage() {
            super(DiskStorage.INSTANCE);
        }

        private static StorageException refusal(Path path) {
            return new StorageException("Read-only file system: file=" + path);
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            if (mode != OpenMode.READ_ONLY) {
                throw refusal(path);
            }
            return super.open(path, mode);
        }

        @Override
        public void delete(Path path) {
            throw refusal(path);
        }

        @Override
        public void atomicReplace(Path from, Path to) {
            throw refusal(from);
        }

        @Override
        public void createDirectories(Path directory) {
            throw refusal(directory);
        }

        @Override
        public DirectoryLock lockDirectory(Path directory) {
            return new DirectoryLock() {
                @Override
                public boolean isShared() {
                    return true;
                }

                @Override
                public void close() {
                    // There is no file to unlock.
                }
            };
        }
    }

    private static Map<String, Long> sums(Path home) throws IOException {
        Map<String, Long> sums = new HashMap<>();
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : files.toList()) {
                CRC32C sum = new CRC32C();
                sum.update(Files.readAllBytes(file));
                sums.put(file.getFileName().toString(), sum.getValue());
            }
        }
        return sums;
    }

    private void makeDatabase(Path home, boolean closed) {
        Database database = validated.open(home, options().createIfMissing(true).build(), null);
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), 1, "Ada", 100));
        if (closed) {
            validated.close(database);
        } else {
            database.abandon();
        }
    }

    /** What was closed in order is read; what needs recovery, or is to be written, is a typed error. */
    @Test
    void aFileSystemThatRefusesEveryWrite() throws IOException {
        Storage refusing = new ReadOnlyStorage();
        DatabaseOptions readOnly = options().readOnly(true).build();
        Path home = directory.resolve("home");
        makeDatabase(home, true);
        Map<String, Long> before = sums(home);
        try (Database database =
                Database.open(refusing, home, readOnly, null, InstanceOpener.defaultLogOptions(readOnly))) {
            assertEquals(List.of(1), DatabaseTest.ids(database, null));
        }
        assertTrue(new Verification(refusing, home, ProgressListener.NONE).run().ok());
        DatabaseOptions writing = options().createIfMissing(true).build();
        assertThrows(
                StorageException.class,
                () -> Database.open(refusing, home, writing, null, InstanceOpener.defaultLogOptions(writing)));
        assertEquals(before, sums(home));
        Path crashed = directory.resolve("crashed");
        makeDatabase(crashed, false);
        Map<String, Long> beforeCrashed = sums(crashed);
        assertThrows(
                ReadOnlyException.class,
                () -> Database.open(refusing, crashed, readOnly, null, InstanceOpener.defaultLogOptions(readOnly)));
        assertThrows(
                StorageException.class,
                () -> Database.open(refusing, crashed, writing, null, InstanceOpener.defaultLogOptions(writing)));
        assertEquals(beforeCrashed, sums(crashed));
    }

    /** Without the file that is locked as well, which nobody could make there. */
    @Test
    void aDirectoryWithoutPermissionToWrite() throws IOException {
        Path home = directory.resolve("home");
        makeDatabase(home, true);
        Files.delete(home.resolve(DiskStorage.LOCK_FILE));
        Map<String, Long> before = sums(home);
        assertTrue(home.toFile().setWritable(false), "a permission that its owner may take away");
        try {
            Assumptions.assumeFalse(
                    Files.isWritable(home), "NOT RUN: this user may write whatever the permissions of a directory say");
            try (Database database =
                    Database.open(home, options().readOnly(true).build())) {
                assertEquals(List.of(1), DatabaseTest.ids(database, null));
            }
            assertThrows(
                    StorageException.class,
                    () -> Database.open(home, options().createIfMissing(true).build()));
            assertEquals(before, sums(home));
        } finally {
            assertTrue(home.toFile().setWritable(true), "or the directory could not be removed");
        }
    }

    /** Ghosts outlive a close in order where somebody locked their gap when their transaction ended. */
    @Test
    void ghostsMetStayWhereTheyAre() {
        try (Database database =
                Database.open(directory, options().createIfMissing(true).build())) {
            Table table = database.createTable(DatabaseTest.accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < ROWS; id++) {
                    DatabaseTest.put(transaction, table, row, id, "x".repeat(600), id);
                }
                assertTrue(transaction.delete(table, table.newKey().add(DELETED - 1)));
            });
            try (Session scanning = database.openSession();
                    Session deleting = database.openSession()) {
                Transaction scan = scanning.begin();
                try (Cursor cursor = scan.scan(table)
                        .from(table.newKey().add(DELETED - 1))
                        .to(table.newKey().add(DELETED - 1))) {
                    assertEquals(false, cursor.next(table.newRecord()));
                }
                Transaction delete = deleting.begin();
                assertTrue(delete.delete(table, table.newKey().add(DELETED)));
                delete.commit();
                scan.commit();
            }
            assertTrue(database.validate().ghosts() > 0, "there is no ghost to be met");
        }
        Database database = validated.open(directory, options().readOnly(true).build(), null);
        long ghosts = database.validate().ghosts();
        assertTrue(ghosts > 0, "the ghost has not outlived the close");
        List<Integer> present = IntStream.range(0, ROWS)
                .filter(id -> id != DELETED && id != DELETED - 1)
                .boxed()
                .toList();
        for (int scan = 0; scan < 2; scan++) {
            assertEquals(present, DatabaseTest.ids(database, null));
            assertEquals(Long.MAX_VALUE, database.instance().pool().oldestRecoveryLsn(), "a page was changed");
        }
        assertEquals(ghosts, database.validate().ghosts());
    }
}
