package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
                Files.copy(file, zip.getPath("/" + file.getFileName()));
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
