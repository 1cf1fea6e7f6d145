package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Opening what is not a database, or not one to be opened now, and using what is closed or failed. */
class OpenAndCloseTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static final int ROWS = 2_000;

    @TempDir
    Path directory;

    private Path home;
    private Path pages;

    @BeforeEach
    void create() {
        home = directory.resolve("database");
        pages = home.resolve("pages.lockstep");
        Database database = validated.open(home);
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "name " + id, id);
            }
        });
        validated.close(database);
    }

    private void requireUnharmed() {
        Database database = validated.open(home);
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
        validated.close(database);
    }

    private static DatabaseOptions readOnly() {
        return ValidatedDatabase.USUAL.toBuilder()
                .createIfMissing(false)
                .readOnly(true)
                .build();
    }

    @Test
    void aMissingDatabaseIsNotMade() {
        Path missing = directory.resolve("missing");
        assertThrows(MissingFileException.class, () -> Database.open(missing, DatabaseOptions.defaults()));
        assertThrows(MissingFileException.class, () -> Database.open(missing, readOnly()));
        assertFalse(Files.exists(missing));
    }

    @Test
    void aForeignFileIsLeftAsItIs() throws IOException {
        for (int length : new int[] {3, 300, 30_000}) {
            for (boolean alone : new boolean[] {true, false}) {
                Path foreign = alone ? directory.resolve("foreign" + length) : home;
                Files.createDirectories(foreign);
                Path file = foreign.resolve("pages.lockstep");
                byte[] ours = alone ? null : Files.readAllBytes(file);
                byte[] theirs =
                        "not ours ".repeat(length / 9 + 1).substring(0, length).getBytes(StandardCharsets.US_ASCII);
                Files.write(file, theirs);
                assertThrows(
                        UnknownFormatException.class,
                        () -> Database.open(foreign, ValidatedDatabase.USUAL),
                        () -> "length=" + length);
                assertArrayEquals(theirs, Files.readAllBytes(file));
                if (ours != null) {
                    Files.write(file, ours);
                    requireUnharmed();
                }
            }
        }
    }

    @Test
    void aTruncatedFileIsReported() throws IOException {
        byte[] whole = Files.readAllBytes(pages);
        Files.write(pages, Arrays.copyOf(whole, 40));
        assertThrows(TruncatedFileException.class, () -> Database.open(home, ValidatedDatabase.USUAL));
        Files.write(pages, new byte[0]);
        assertThrows(TruncatedFileException.class, () -> Database.open(home, ValidatedDatabase.USUAL));
        // What is missing reads as pages that were never written, and a leaf of them as one without rows.
        int pageCount = whole.length / PageLayout.PAGE_BYTES;
        for (int kept = 1; kept < pageCount; kept++) {
            byte[] cut = Arrays.copyOf(whole, kept * PageLayout.PAGE_BYTES);
            Files.write(pages, cut);
            assertThrows(
                    TruncatedFileException.class,
                    () -> Database.open(home, ValidatedDatabase.USUAL),
                    "pages kept: " + kept);
            assertThrows(TruncatedFileException.class, () -> Database.open(home, readOnly()), "pages kept: " + kept);
            assertArrayEquals(cut, Files.readAllBytes(pages));
        }
        Files.write(pages, whole);
        requireUnharmed();
    }

    /** The pages that the log does not bring back are missed after recovery as well. */
    @Test
    void aFileThatWasCutOffAfterACrashIsReported() throws IOException {
        Database database = Database.open(home, ValidatedDatabase.USUAL);
        database.run(transaction -> {
            Table table = database.table("account");
            Record row = table.newRecord();
            for (int id = ROWS; id < 2 * ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "late", id);
            }
        });
        database.abandon();
        byte[] whole = Files.readAllBytes(pages);
        int pageCount = whole.length / PageLayout.PAGE_BYTES;
        for (int kept = 1; kept < pageCount; kept++) {
            Files.write(pages, Arrays.copyOf(whole, kept * PageLayout.PAGE_BYTES));
            LockstepException failure = assertThrows(
                    LockstepException.class, () -> Database.open(home, ValidatedDatabase.USUAL), "pages kept: " + kept);
            assertTrue(
                    failure instanceof TruncatedFileException || failure instanceof CorruptionException,
                    failure::toString);
        }
        Files.write(pages, whole);
        Database recovered = validated.open(home);
        assertEquals(2 * ROWS, DatabaseTest.ids(recovered, null).size());
        validated.close(recovered);
    }

    /** Whoever lost one file of several wants to be told, not to get an empty database in place of the others. */
    @Test
    void aMissingPageFileIsNotMadeAnewBesideTheOthers() throws IOException {
        byte[] whole = Files.readAllBytes(pages);
        for (boolean crashed : new boolean[] {false, true}) {
            if (crashed) {
                Database.open(home, ValidatedDatabase.USUAL).abandon();
            }
            Files.delete(pages);
            Map<Path, Long> before = sizes();
            MissingFileException missing =
                    assertThrows(MissingFileException.class, () -> Database.open(home, ValidatedDatabase.USUAL));
            assertTrue(missing.getMessage().contains("file=pages.lockstep"), missing::getMessage);
            assertEquals(before, sizes());
            Files.write(pages, whole);
            requireUnharmed();
        }
    }

    private Map<Path, Long> sizes() throws IOException {
        Map<Path, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : files.toList()) {
                sizes.put(file, Files.size(file));
            }
        }
        return sizes;
    }

    @Test
    void aNewerFileIsReported() throws IOException {
        byte[] whole = Files.readAllBytes(pages);
        ByteBuffer newer = ByteBuffer.wrap(whole.clone()).order(ByteOrder.LITTLE_ENDIAN);
        newer.putInt(FileHeaderLayout.VERSION_OFFSET, newer.getInt(FileHeaderLayout.VERSION_OFFSET) + 1);
        CRC32C crc = new CRC32C();
        crc.update(newer.array(), 0, FileHeaderLayout.CHECKSUM_OFFSET);
        newer.putInt(FileHeaderLayout.CHECKSUM_OFFSET, (int) crc.getValue());
        Files.write(pages, newer.array());
        assertThrows(NewerFormatException.class, () -> Database.open(home, ValidatedDatabase.USUAL));
        assertArrayEquals(newer.array(), Files.readAllBytes(pages));
        Files.write(pages, whole);
        requireUnharmed();
    }

    @Test
    void aDirectoryIsOpenedOnce() {
        Database database = validated.open(home);
        assertThrows(DatabaseInUseException.class, () -> Database.open(home, ValidatedDatabase.USUAL));
        assertThrows(DatabaseInUseException.class, () -> Database.open(home, readOnly()));
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
        validated.close(database);
        requireUnharmed();
    }

    @Test
    void aReadOnlyDatabaseRefusesChanges() throws IOException {
        byte[] before = Files.readAllBytes(pages);
        Database database = validated.open(home, readOnly(), null);
        Table table = database.table("account");
        assertEquals(ROWS, DatabaseTest.ids(database, "by_amount").size());
        database.run(transaction -> {
            Record row = table.newRecord();
            assertThrows(ReadOnlyException.class, () -> DatabaseTest.put(transaction, table, row, ROWS, "no", 1));
            assertTrue(transaction.fetch(table, table.newKey().add(5), row));
            assertThrows(ReadOnlyException.class, () -> transaction.update(table, row));
            assertThrows(
                    ReadOnlyException.class,
                    () -> transaction.delete(table, table.newKey().add(5)));
        });
        assertThrows(ReadOnlyException.class, () -> database.dropTable("account"));
        assertThrows(ReadOnlyException.class, () -> database.dropIndex("account", "by_amount"));
        assertThrows(
                ReadOnlyException.class,
                () -> database.createIndex(IndexDefinition.of("by_name", "account", "amount", "id")));
        assertThrows(
                ReadOnlyException.class,
                () -> database.createTable(TableDefinition.named("other")
                        .column("id", ColumnType.int32())
                        .primaryKey("id")
                        .build()));
        validated.close(database);
        assertArrayEquals(before, Files.readAllBytes(pages));
        requireUnharmed();
    }

    @Test
    void aReadOnlyOpenDoesNotRecover() {
        Database.open(home, ValidatedDatabase.USUAL).abandon();
        assertThrows(ReadOnlyException.class, () -> Database.open(home, readOnly()));
        DatabaseOptions unlogged = DatabaseOptions.builder()
                .readOnly(true)
                .durability(Durability.NONE)
                .build();
        assertThrows(ReadOnlyException.class, () -> Database.open(home, unlogged));
        requireUnharmed();
        Database.open(home, readOnly()).close();
    }

    @Test
    void aCloseWaitsForNobody() {
        Database database = validated.open(home);
        Table table = database.table("account");
        Session session = database.openSession();
        Transaction open = session.begin();
        assertTrue(open.delete(table, table.newKey().add(1)));
        assertThrows(TransactionsRunningException.class, database::close);
        assertTrue(open.delete(table, table.newKey().add(2)));
        open.rollback();
        database.close();
        database.close();
        List<Runnable> uses = new ArrayList<>();
        uses.add(session::begin);
        uses.add(database::openSession);
        uses.add(database::checkpoint);
        uses.add(database::validate);
        uses.add(database::tableNames);
        uses.add(() -> database.table("account"));
        uses.add(() -> database.dropTable("account"));
        uses.add(() -> database.dropIndex("account", "by_amount"));
        uses.add(() -> database.createIndex(IndexDefinition.of("x", "account", "id")));
        uses.add(() -> database.createTable(DatabaseTest.accounts()));
        uses.add(() -> database.run(transaction -> assertTrue(transaction.isOpen())));
        for (int i = 0; i < uses.size(); i++) {
            int use = i;
            assertThrows(DatabaseClosedException.class, uses.get(use)::run, () -> "use " + use);
        }
        session.close();
        assertThrows(TransactionStateException.class, session::begin);
        requireUnharmed();
    }

    /** Between a clean close and the first change, both marks may be there for a moment. */
    @Test
    void aLoggedOpenForgetsTheUnloggedOneBefore() throws IOException {
        DatabaseOptions unlogged =
                ValidatedDatabase.USUAL.toBuilder().durability(Durability.NONE).build();
        Database.open(home, unlogged).close();
        Files.copy(home.resolve("cleanclose.lockstep"), home.resolve("unlogged.lockstep"));
        Database.open(home, ValidatedDatabase.USUAL).abandon();
        requireUnharmed();
    }

    /** A database that was never finished has no contents that could be lost. */
    @Test
    void aCreationWithoutLogThatWasCutShortIsBegunAnew() {
        DatabaseOptions unlogged = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.NONE)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        Path path = Path.of("/database");
        int cutShort = 0;
        for (int change = 1; ; change++) {
            FaultyStorage storage = new FaultyStorage(change);
            storage.crashAtChange(change);
            try {
                Database.open(storage, path, unlogged, null, LogOptions.sync()).abandon();
                break;
            } catch (LockstepException stopped) {
                assertTrue(storage.isCrashed(), stopped::toString);
                cutShort++;
            }
            storage.crash();
            // Once the checkpoint is in place, nobody can tell any more that the database was never used.
            boolean finished = storage.exists(path.resolve("checkpoint.lockstep"));
            DatabaseOptions options =
                    unlogged.toBuilder().startEmptyAfterUncleanClose(finished).build();
            validated.close(Database.open(storage, path, options, null, LogOptions.sync()));
        }
        assertTrue(cutShort > 3, "changes of a creation: " + cutShort);
    }

    /** Whoever begins anew and is cut short has said that the contents may go, and is asked again. */
    @Test
    void aBeginningAnewThatWasCutShortIsRepeated() {
        DatabaseOptions unlogged = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.NONE)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        DatabaseOptions anew =
                unlogged.toBuilder().startEmptyAfterUncleanClose(true).build();
        Path path = Path.of("/database");
        for (int change = 1; ; change++) {
            FaultyStorage storage = new FaultyStorage(change);
            Database lost = Database.open(storage, path, unlogged, null, LogOptions.sync());
            lost.createTable(DatabaseTest.accounts());
            lost.checkpoint();
            lost.abandon();
            storage.crash();
            assertThrows(
                    UncleanShutdownException.class,
                    () -> Database.open(storage, path, unlogged, null, LogOptions.sync()));
            storage.crashAtChange(change);
            boolean done = false;
            Database begun = null;
            try {
                begun = Database.open(storage, path, anew, null, LogOptions.sync());
                begun.close();
                done = !storage.isCrashed();
            } catch (LockstepException stopped) {
                assertTrue(storage.isCrashed(), stopped::toString);
                if (begun != null && !begun.isClosed()) {
                    begun.abandon();
                }
            }
            storage.crash();
            Database empty = Database.open(storage, path, anew, null, LogOptions.sync());
            assertEquals(List.of(), empty.tableNames());
            validated.close(empty);
            if (done) {
                break;
            }
        }
    }

    @Test
    void startingEmptyKeepsTheLock() throws IOException {
        DatabaseOptions unlogged = DatabaseOptions.builder()
                .durability(Durability.NONE)
                .startEmptyAfterUncleanClose(true)
                .build();
        Database.open(home, unlogged).abandon();
        Path lock = home.resolve("lock.lockstep");
        Object key = Files.readAttributes(lock, BasicFileAttributes.class).fileKey();
        Database database = validated.open(home, unlogged, null);
        assertEquals(List.of(), database.tableNames());
        assertEquals(key, Files.readAttributes(lock, BasicFileAttributes.class).fileKey());
        validated.close(database);
    }

    @Test
    void aFailedForceFailsTheDatabaseUntilItIsReopened() {
        FaultyStorage storage = new FaultyStorage(3);
        Path path = Path.of("/database");
        DatabaseOptions options = ValidatedDatabase.USUAL;
        Database database = validated.track(Database.open(storage, path, options, null, LogOptions.sync()));
        Table table = database.createTable(DatabaseTest.accounts());
        Record row = table.newRecord();
        database.run(transaction -> DatabaseTest.put(transaction, table, row, 1, "kept", 1));
        Session session = database.openSession();
        Transaction open = session.begin();
        DatabaseTest.put(open, table, row, 2, "open", 2);
        storage.failAtChange(1, false);
        assertThrows(
                DatabaseFailedException.class,
                () -> database.run(transaction -> DatabaseTest.put(transaction, table, row, 3, "in doubt", 3)));
        assertThrows(DatabaseFailedException.class, () -> DatabaseTest.put(open, table, row, 4, "no", 4));
        assertThrows(TransactionsRunningException.class, database::close);
        open.rollback();
        session.close();
        assertThrows(
                DatabaseFailedException.class, () -> database.run(transaction -> assertTrue(transaction.isOpen())));
        assertThrows(DatabaseFailedException.class, database::checkpoint);
        assertThrows(DatabaseFailedException.class, () -> database.dropTable("account"));
        assertFalse(database.instance().locks().isEmpty(), "what was not undone stays locked");
        database.close();
        storage.crash();
        Database reopened = validated.track(Database.open(storage, path, options, null, LogOptions.sync()));
        List<Integer> ids = DatabaseTest.ids(reopened, null);
        assertTrue(ids.equals(List.of(1)) || ids.equals(List.of(1, 3)), ids::toString);
        validated.close(reopened);
    }

    @Test
    void aCloseInsideACloseIsTheOnlyOne() {
        Database database = validated.open(home);
        database.beforeClose(same -> {
            same.beforeClose(null);
            same.close();
        });
        database.close();
        assertThrows(DatabaseClosedException.class, database::tableNames);
        requireUnharmed();
    }

    /** The other one begins while this one is under way, and comes to its end behind it. */
    @Test
    void aCloseBesideACloseDoesNothing() throws Exception {
        Database database = validated.open(home);
        FutureTask<Void> other = new FutureTask<>(
                () -> {
                    database.close();
                    assertThrows(DatabaseClosedException.class, database.instance()::requireOpen);
                },
                null);
        database.beforeClose(same -> {
            same.beforeClose(null);
            Thread thread = Thread.ofPlatform().start(other);
            while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        });
        database.close();
        other.get();
        requireUnharmed();
    }

    /** A transaction that begins beside a close is either seen by it or refused. */
    @Test
    void aCloseAndABeginSeeEachOther() throws InterruptedException {
        for (int round = 0; round < 12; round++) {
            Database database = validated.unexamined(Database.inMemory(DatabaseOptions.builder()
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build()));
            Table table = database.createTable(DatabaseTest.accounts());
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int id = i;
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        insertAndDeleteForEver(database, table, id);
                    } catch (Throwable failure) {
                        failures.add(failure);
                    }
                }));
            }
            closeBetweenTransactions(database);
            for (Thread thread : threads) {
                thread.join();
            }
            for (Throwable failure : failures) {
                assertEquals(DatabaseClosedException.class, failure.getClass(), failure::toString);
            }
            assertEquals(threads.size(), failures.size());
        }
    }

    private static void insertAndDeleteForEver(Database database, Table table, int id) {
        Record row = table.newRecord();
        // Ends with the database.
        while (true) {
            database.run(transaction -> {
                DatabaseTest.put(transaction, table, row, id, "name", id);
                assertTrue(transaction.delete(table, table.newKey().add(id)));
            });
        }
    }

    private static void closeBetweenTransactions(Database database) {
        // Ends because each thread stops at the latest when it begins while a close looks around.
        while (true) {
            try {
                database.close();
                return;
            } catch (TransactionsRunningException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** A handle of an earlier opening is refused before it locks anything: its number may be another table's by now. */
    @Test
    void aHandleOfAnEarlierOpeningLocksNothing() {
        Database earlier = validated.open(directory.resolve("handles"), ValidatedDatabase.USUAL, null);
        Table stale = earlier.createTable(definition("b"));
        earlier.createTable(definition("a"));
        validated.close(earlier);
        Database database = validated.open(directory.resolve("handles"), ValidatedDatabase.USUAL, null);
        Table table = database.table("a");
        TransactionOptions impatient =
                TransactionOptions.of(DatabaseOptions.defaults()).withLockTimeout(Duration.ofMillis(1));
        try (Session writing = database.openSession();
                Session reading = database.openSession()) {
            Transaction writer = writing.begin();
            assertThrows(SchemaException.class, () -> writer.insert(stale, filled(stale)));
            writer.insert(table, filled(table));
            Transaction reader = reading.begin(impatient);
            assertThrows(LockTimeoutException.class, () -> reader.lockShared(table));
            reader.rollback();
            writer.commit();
        }
    }

    private static TableDefinition definition(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build();
    }

    private static Record filled(Table table) {
        Record row = table.newRecord();
        row.setInt(0, 1);
        return row;
    }
}
