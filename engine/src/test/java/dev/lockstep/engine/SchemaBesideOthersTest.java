package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the schema that fail halfway, and those that run beside a close. */
class SchemaBesideOthersTest {
    /** So many that the filling of an index lasts longer than a thread needs to notice that it has begun. */
    private static final int ROWS = 20_000;

    /** Attempts to catch an index while it is filled. */
    private static final int ATTEMPTS_MAX = 50;

    private static final IndexDefinition BY_NAME = IndexDefinition.of("by_name", "account", "name");

    private static final IndexDefinition UNIQUE = IndexDefinition.unique("by_name", "account", "name");

    /** Longer than a key may be. */
    private static final int LONG_NAME = 1_100;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private Database database;
    private Table table;

    /** The last two rows have the same name, so a unique index fails at the end of its filling. */
    private void fill() {
        fill(20);
    }

    private void fill(int lockTimeoutMillis) {
        database = validated.inMemory(
                DatabaseOptions.builder()
                        .poolBytes(32 << 20)
                        .lockTimeout(Duration.ofMillis(lockTimeoutMillis))
                        .build(),
                null);
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(LONG_NAME))
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "n" + Math.min(id, ROWS - 2), id);
            }
        });
    }

    /** Creates the index that must fail, while a transaction holds the table from the middle of it on. */
    private Throwable createBesideReader(Transaction reader) throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread creator = Thread.ofPlatform().start(() -> {
            try {
                database.createIndex(UNIQUE);
            } catch (Throwable failure) {
                thrown.set(failure);
            }
        });
        // Ends with the creation at the latest.
        while (creator.isAlive() && table.reference().state().indexes().isEmpty()) {
            Thread.onSpinWait();
        }
        try {
            reader.fetch(table, table.newKey().add(0), table.newRecord());
        } catch (LockTimeoutException late) {
            reader.rollback();
        }
        creator.join();
        return thrown.get();
    }

    @Test
    void anIndexThatCouldNotBeDroppedIsSeenByNobody() throws Exception {
        fill();
        boolean caught = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !caught; attempt++) {
            try (Session session = database.openSession()) {
                Transaction reader = session.begin();
                Throwable failure = createBesideReader(reader);
                assertInstanceOf(DuplicateKeyException.class, failure);
                caught = failure.getSuppressed().length > 0;
                if (caught) {
                    assertInstanceOf(LockTimeoutException.class, failure.getSuppressed()[0]);
                    requireUnseen(reader);
                }
                reader.rollback();
            }
        }
        assertTrue(caught, "the index was never caught while it was filled");
        // Without a reopen: the next change of the table's indexes removes what was left.
        assertThrows(SchemaException.class, () -> database.dropIndex("account", "by_name"));
        assertTrue(table.reference().state().indexes().isEmpty());
        database.createIndex(BY_NAME);
        assertEquals(ROWS + 1, DatabaseTest.ids(database, "by_name").size());
    }

    private void requireUnseen(Transaction reader) {
        assertTrue(table.definition().indexes().isEmpty());
        assertThrows(SchemaException.class, () -> reader.scan(table, "by_name"));
        assertThrows(SchemaException.class, () -> table.newIndexKey("by_name"));
        // Nor does it refuse rows any more.
        Record row = table.newRecord();
        DatabaseTest.put(reader, table, row, ROWS + 7, "n0", 1);
        database.run(writer -> DatabaseTest.put(writer, table, row, ROWS + 1, "n0", 1));
    }

    @Test
    void aWriterLearnsWhichUniqueIndexIsBeingCreated() throws Exception {
        fill();
        boolean caught = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !caught; attempt++) {
            Worker creator =
                    new Worker(() -> assertThrows(DuplicateKeyException.class, () -> database.createIndex(UNIQUE)));
            Record row = table.newRecord();
            // Ends with the creation at the latest.
            while (creator.isAlive() && !caught) {
                try {
                    database.run(writer -> {
                        DatabaseTest.put(writer, table, row, ROWS, "n0", 1);
                        assertTrue(writer.delete(table, table.newKey().add(ROWS)));
                    });
                } catch (DuplicateKeyException refused) {
                    caught = true;
                    assertTrue(refused.getMessage().contains("being created"), refused::getMessage);
                    assertTrue(refused.getMessage().contains("of=by_name"), refused::getMessage);
                    assertTrue(refused.getMessage().contains("dropIndex"), refused::getMessage);
                } catch (LockTimeoutException busy) {
                    assertTrue(busy.isRetryable());
                }
            }
            creator.join();
            assertNull(creator.failure(), () -> String.valueOf(creator.failure()));
        }
        assertTrue(caught, "no writer met the index while it was filled");
    }

    /** Whatever has begun is waited for, whatever comes later is refused; nothing uses what is closed. */
    @Test
    void aCloseWaitsForWhatIsNoTransaction() throws Exception {
        List<Throwable> unexpected = Collections.synchronizedList(new ArrayList<>());
        for (int round = 0; round < 8; round++) {
            Database opened = validated.unexamined(
                    round % 2 == 0
                            ? Database.inMemory(DatabaseOptions.builder()
                                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                                    .build())
                            : Database.open(directory.resolve("round-" + round)));
            List<Runnable> calls = List.of(
                    () -> {
                        opened.createTable(DatabaseTest.accounts());
                        opened.dropTable("account");
                    },
                    opened::checkpoint,
                    () -> assertTrue(opened.statistics().pageAccesses() >= 0),
                    () -> opened.openSession().close());
            List<Thread> threads = new ArrayList<>();
            for (Runnable call : calls) {
                threads.add(Thread.ofPlatform().start(() -> callUntilClosed(call, unexpected)));
            }
            opened.close();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertEquals(List.of(), unexpected);
    }

    private static void callUntilClosed(Runnable call, List<Throwable> unexpected) {
        try {
            // Ends with the database.
            while (true) {
                call.run();
            }
        } catch (DatabaseClosedException closed) {
            assertFalse(closed.getMessage().isEmpty());
        } catch (Throwable failure) {
            unexpected.add(failure);
        }
    }

    @Test
    void aCloseThatIsRefusedRefusesNothingElse() {
        fill();
        try (Session session = database.openSession()) {
            Transaction open = session.begin();
            assertThrows(TransactionsRunningException.class, database::close);
            database.createIndex(BY_NAME);
            open.rollback();
        }
        FutureTask<Integer> found =
                new FutureTask<>(() -> DatabaseTest.ids(database, "by_name").size());
        found.run();
        assertEquals(ROWS, found.resultNow());
    }

    /**
     * Begins to create an index, and waits until its builder stands before the last row, which a transaction holds.
     *
     * @return the transaction; null if the builder was past that row
     */
    private Transaction holdLastRowOfBuilder(Session session, Worker creator, Record last) {
        // Ends with the creation at the latest. Who comes while that has the table waits, and goes on before the
        // builder.
        while (true) {
            Transaction writer = session.begin();
            assertTrue(writer.fetchExclusive(table, table.newKey().add(ROWS - 1), last));
            List<TableState.IndexState> indexes = table.reference().state().indexes();
            if (!indexes.isEmpty() && indexes.getFirst().building()) {
                creator.awaitParkedIn("waitForLock");
                return writer;
            }
            writer.rollback();
            if (!indexes.isEmpty() || !creator.isAlive()) {
                return null;
            }
        }
    }

    /** The key of a row that the builder has not reached may be another's by the time that the row changes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChangedRowTakesNoEntryOfAnotherWithIt(boolean deletes) throws Exception {
        fill(10_000);
        Record last = table.newRecord();
        Record row = table.newRecord();
        boolean caught = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !caught; attempt++) {
            database.run(transaction -> setName(transaction, ROWS - 1, "last"));
            Worker creator = new Worker(() -> database.createIndex(UNIQUE));
            try (Session session = database.openSession()) {
                Transaction writer = holdLastRowOfBuilder(session, creator, last);
                if (writer != null) {
                    try {
                        assertTrue(writer.fetchExclusive(table, table.newKey().add(0), row));
                        row.setString(1, "last");
                        writer.update(table, row);
                        if (deletes) {
                            writer.delete(table, table.newKey().add(ROWS - 1));
                        } else {
                            last.setString(1, "n0");
                            writer.update(table, last);
                        }
                        writer.commit();
                        caught = true;
                    } catch (DuplicateKeyException passed) {
                        writer.rollback();
                    }
                }
                creator.join();
                assertNull(creator.failure());
            }
            if (!caught) {
                database.dropIndex("account", "by_name");
            }
        }
        assertTrue(caught, "the builder was never met before the last row");
        database.run(reader -> {
            Key key = table.newIndexKey("by_name").add("last");
            try (Cursor cursor = reader.scan(table, "by_name").within(key)) {
                assertTrue(cursor.next(row));
                assertEquals(0, row.getInt(0));
                assertFalse(cursor.next(row));
            }
        });
    }

    /** A row that is too long for an index that is being created, and that the builder has not reached, can go. */
    @Test
    void aRowTooLongForAnIndexUnderConstructionCanBeDeleted() throws Exception {
        fill(10_000);
        Record last = table.newRecord();
        boolean caught = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !caught; attempt++) {
            database.run(transaction -> setName(transaction, ROWS - 1, "x".repeat(LONG_NAME)));
            Worker creator = new Worker(() -> database.createIndex(BY_NAME));
            try (Session session = database.openSession()) {
                Transaction writer = holdLastRowOfBuilder(session, creator, last);
                if (writer != null) {
                    assertTrue(writer.delete(table, table.newKey().add(ROWS - 1)));
                    writer.commit();
                    caught = true;
                }
                creator.join();
                assertEquals(caught, creator.failure() == null, () -> String.valueOf(creator.failure()));
            }
        }
        assertTrue(caught, "the builder was never met before the last row");
        assertEquals(ROWS - 1, DatabaseTest.ids(database, "by_name").size());
    }

    private void setName(Transaction transaction, int id, String name) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setString(1, name);
        assertTrue(transaction.update(table, row));
    }

    /** Two changes of a table's indexes meet what a third has left: one removes it, and neither is refused. */
    @Test
    void whatIsLeftOfAFailedIndexIsRemovedOnce() throws Exception {
        fill(500);
        boolean caught = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !caught; attempt++) {
            try (Session session = database.openSession()) {
                Transaction reader = session.begin();
                caught = createBesideReader(reader).getSuppressed().length > 0;
                reader.rollback();
            }
        }
        assertTrue(caught, "the index was never caught while it was filled");
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.fetch(table, table.newKey().add(0), table.newRecord()));
            Worker first = new Worker(() -> database.createIndex(BY_NAME));
            first.awaitParkedIn("waitForLock");
            Worker second =
                    new Worker(() -> database.createIndex(IndexDefinition.of("by_amount", "account", "amount")));
            second.awaitParkedIn("waitForLock");
            holder.commit();
            first.join();
            second.join();
            assertNull(first.failure());
            assertNull(second.failure());
        }
        assertEquals(2, table.definition().indexes().size());
    }
}
