package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the schema that fail halfway, and those that run beside a close. */
class SchemaBesideOthersTest {
    /** Several of the batches in which an index is filled. */
    private static final int ROWS = 2_000;

    /** In milliseconds; as good as no limit. */
    private static final int LONG_TIMEOUT = 600_000;

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

    /** Takes the lock of the last row without that of the table, for which the creation of an index would wait. */
    private Transaction holdLastRow(Session session) {
        Transaction holder = session.begin();
        Key last = table.newKey().add(ROWS - 1);
        BTree tree = table.reference().state().tree();
        long name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), last.bytes(), 0, last.length());
        assertTrue(database.instance().locks().tryLock(session.core().context().lockOwner(), name, LockMode.KEY_X));
        return holder;
    }

    /** Begins to create an index, and waits until its builder stands before the last row, which somebody holds. */
    private Worker createUpToLastRow(IndexDefinition index) {
        Worker creator = new Worker(() -> database.createIndex(index));
        creator.awaitParkedIn("fillBatch");
        assertTrue(table.reference().state().indexes().getFirst().building());
        return creator;
    }

    /** Creates the index that must fail, while a transaction holds the table from the middle of it on. */
    private Worker createBesideReader(Transaction reader) {
        try (Session session = database.openSession()) {
            Transaction holder = holdLastRow(session);
            Worker creator = createUpToLastRow(UNIQUE);
            assertTrue(reader.fetch(table, table.newKey().add(0), table.newRecord()));
            holder.rollback();
            return creator;
        }
    }

    @Test
    void anIndexThatCouldNotBeDroppedIsSeenByNobody() throws Exception {
        fill(1_000);
        try (Session session = database.openSession()) {
            Transaction reader = session.begin();
            Worker creator = createBesideReader(reader);
            creator.join();
            assertInstanceOf(DuplicateKeyException.class, creator.failure());
            assertEquals(1, creator.failure().getSuppressed().length);
            assertInstanceOf(LockTimeoutException.class, creator.failure().getSuppressed()[0]);
            requireUnseen(reader);
            reader.rollback();
        }
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
        fill(LONG_TIMEOUT);
        try (Session session = database.openSession()) {
            Transaction holder = holdLastRow(session);
            Worker creator = createUpToLastRow(UNIQUE);
            DuplicateKeyException refused = assertThrows(
                    DuplicateKeyException.class,
                    () -> database.run(writer -> DatabaseTest.put(writer, table, table.newRecord(), ROWS, "n0", 1)));
            assertTrue(refused.getMessage().contains("being created"), refused::getMessage);
            assertTrue(refused.getMessage().contains("of=by_name"), refused::getMessage);
            assertTrue(refused.getMessage().contains("dropIndex"), refused::getMessage);
            holder.rollback();
            creator.join();
            assertInstanceOf(DuplicateKeyException.class, creator.failure());
        }
    }

    @Test
    void aWriterLearnsWhichIndexUnderConstructionItsRowIsTooLongFor() throws Exception {
        fill(LONG_TIMEOUT);
        try (Session session = database.openSession()) {
            Transaction holder = holdLastRow(session);
            Worker creator = createUpToLastRow(BY_NAME);
            RecordTooLargeException refused = assertThrows(
                    RecordTooLargeException.class,
                    () -> database.run(writer ->
                            DatabaseTest.put(writer, table, table.newRecord(), ROWS, "x".repeat(LONG_NAME), 1)));
            assertTrue(refused.getMessage().contains("being created"), refused::getMessage);
            assertTrue(refused.getMessage().contains("of=by_name"), refused::getMessage);
            assertTrue(refused.getMessage().contains("dropIndex"), refused::getMessage);
            holder.rollback();
            creator.join();
            assertNull(creator.failure(), () -> String.valueOf(creator.failure()));
        }
        assertEquals(ROWS, DatabaseTest.ids(database, "by_name").size());
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
            List<CountDownLatch> calling = new ArrayList<>();
            for (Runnable call : calls) {
                CountDownLatch calledOnce = new CountDownLatch(1);
                calling.add(calledOnce);
                threads.add(Thread.ofPlatform().start(() -> callUntilClosed(call, calledOnce, unexpected)));
            }
            // Else the close may be over before the first call.
            for (CountDownLatch calledOnce : calling) {
                calledOnce.await();
            }
            opened.close();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertEquals(List.of(), unexpected);
    }

    private static void callUntilClosed(Runnable call, CountDownLatch calledOnce, List<Throwable> unexpected) {
        try {
            // Ends with the database.
            while (true) {
                call.run();
                calledOnce.countDown();
            }
        } catch (DatabaseClosedException closed) {
            assertFalse(closed.getMessage().isEmpty());
        } catch (Throwable failure) {
            unexpected.add(failure);
        } finally {
            calledOnce.countDown();
        }
    }

    @Test
    void aCloseThatIsRefusedRefusesNothingElse() {
        fill(LONG_TIMEOUT);
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

    /** The key of a row that the builder has not reached may be another's by the time that the row changes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChangedRowTakesNoEntryOfAnotherWithIt(boolean deletes) throws Exception {
        fill(LONG_TIMEOUT);
        Record last = table.newRecord();
        Record row = table.newRecord();
        database.run(transaction -> setName(transaction, ROWS - 1, "last"));
        try (Session session = database.openSession()) {
            Transaction writer = holdLastRow(session);
            Worker creator = createUpToLastRow(UNIQUE);
            assertTrue(writer.fetchExclusive(table, table.newKey().add(ROWS - 1), last));
            assertTrue(writer.fetchExclusive(table, table.newKey().add(0), row));
            row.setString(1, "last");
            assertTrue(writer.update(table, row));
            if (deletes) {
                assertTrue(writer.delete(table, table.newKey().add(ROWS - 1)));
            } else {
                last.setString(1, "n0");
                assertTrue(writer.update(table, last));
            }
            writer.commit();
            creator.join();
            assertNull(creator.failure(), () -> String.valueOf(creator.failure()));
        }
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
        fill(LONG_TIMEOUT);
        database.run(transaction -> setName(transaction, ROWS - 1, "x".repeat(LONG_NAME)));
        try (Session session = database.openSession()) {
            Transaction writer = holdLastRow(session);
            Worker creator = createUpToLastRow(BY_NAME);
            assertTrue(writer.delete(table, table.newKey().add(ROWS - 1)));
            writer.commit();
            creator.join();
            assertNull(creator.failure(), () -> String.valueOf(creator.failure()));
        }
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
        fill(LONG_TIMEOUT);
        try (Session session = database.openSession()) {
            Transaction reader = session.begin();
            Worker creator = createBesideReader(reader);
            creator.awaitParkedIn("dropAbandoned");
            creator.interrupt();
            creator.join();
            assertInstanceOf(DuplicateKeyException.class, creator.failure());
            assertEquals(1, creator.failure().getSuppressed().length);
            reader.rollback();
        }
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
