package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk that refuses to read a page now and then, under a pool that is much too small. The statement gets a typed
 * error, its transaction is rolled back or, where the statement is the caller's to repeat, goes on; the database stays
 * usable, holds no lock and loses nothing.
 */
class FailingReadTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 3_000;
    private static final int TRANSACTIONS = 400;
    private static final int ONE_IN = 40;

    /** Rows of some 600 bytes: ten times the pool. */
    private static final int NAME_CHARS = 600;

    /** More than a leaf keeps inline. */
    private static final int LONG_NAME_CHARS = 4_000;

    /** Several pages. */
    private static final int LARGE_NAME_CHARS = 60_000;

    private static final long AMOUNT_OF_LARGE = 77;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;
    private Map<Integer, Long> model = new TreeMap<>();

    private Database open(FaultyStorage storage) {
        return validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync()));
    }

    private void fill(FaultyStorage storage) {
        database = open(storage);
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(NAME_CHARS), id);
                model.put(id, (long) id);
            }
        });
    }

    /** One transaction of a few changes and reads; the model takes it over when it has committed. */
    private void change(Random random) {
        Map<Integer, Long> changed = new TreeMap<>(model);
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int step = 0; step < 6; step++) {
                int id = random.nextInt(ROWS);
                long amount = random.nextInt(ROWS);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        boolean deleted =
                                transaction.delete(table, table.newKey().add(id));
                        assertEquals(changed.remove(id) != null, deleted);
                    }
                    case 1 -> {
                        if (!changed.containsKey(id)) {
                            DatabaseTest.put(transaction, table, row, id, "y".repeat(NAME_CHARS * 4), amount);
                            changed.put(id, amount);
                        }
                    }
                    case 2 -> {
                        if (transaction.fetchForUpdate(table, table.newKey().add(id), row)) {
                            row.setLong(2, amount);
                            assertTrue(transaction.update(table, row));
                            changed.put(id, amount);
                        }
                    }
                    default -> {
                        try (Cursor cursor = transaction
                                .scan(table, "by_amount")
                                .from(table.newIndexKey("by_amount").add(amount))) {
                            for (int rows = 0; rows < 10 && cursor.next(row); rows++) {
                                assertEquals(changed.get(row.getInt(0)), row.getLong(2));
                            }
                        }
                    }
                }
            }
        });
        model = changed;
    }

    private void requireModel(String seed) {
        assertEquals(new ArrayList<>(model.keySet()), DatabaseTest.ids(database, null), seed);
        assertTrue(database.instance().locks().isEmpty(), seed);
        assertFalse(database.instance().health().isFailed(), seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aReadThatFailsFailsItsTransactionOnly(long seed, TestReporter reporter) {
        FaultyStorage storage = new FaultyStorage(seed);
        fill(storage);
        database.checkpoint();
        Random random = new Random(seed);
        int failed = 0;
        for (int i = 0; i < TRANSACTIONS; i++) {
            storage.failReads("pages", ONE_IN);
            try {
                change(random);
            } catch (StorageException failure) {
                assertTrue(failure.getMessage().contains("file="), failure::getMessage);
                failed++;
            } finally {
                storage.heal();
            }
            if (database.instance().health().isFailed()) {
                // Where even the rollback could not read, only recovery can take the transaction back.
                database.close();
                database = open(storage);
                table = database.table("account");
            }
            if (i % 50 == 0) {
                requireModel("seed=" + seed);
                ValidatedDatabase.examine(database);
            }
        }
        requireModel("seed=" + seed);
        reporter.publishEntry(Map.of(
                "seed", Long.toString(seed),
                "readsFailed", Long.toString(storage.failedReadCount()),
                "transactionsFailed", Integer.toString(failed)));
        assertTrue(failed > 0, "seed=" + seed);
        database.close();
        database = open(storage);
        requireModel("seed=" + seed);
    }

    /** What a read finds no memory for is missing for a moment, as the page that cannot be read is. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aReadWithoutMemoryFailsItsTransactionOnly(long seed, TestReporter reporter) {
        FaultyStorage storage = new FaultyStorage(seed);
        fill(storage);
        database.checkpoint();
        Random random = new Random(seed);
        int failed = 0;
        for (int i = 0; i < TRANSACTIONS; i++) {
            storage.failReads("pages", ONE_IN, _ -> {
                throw new OutOfMemoryError("by hand");
            });
            try {
                change(random);
            } catch (StorageException failure) {
                assertTrue(failure.getMessage().contains("OutOfMemoryError"), failure::getMessage);
                failed++;
            } finally {
                storage.heal();
            }
            // Three times in a row is not to be expected.
            requireModel("seed=" + seed + " transaction=" + i);
            if (i % 50 == 0) {
                ValidatedDatabase.examine(database);
            }
        }
        reporter.publishEntry(Map.of(
                "seed", Long.toString(seed),
                "readsFailed", Long.toString(storage.failedReadCount()),
                "transactionsFailed", Integer.toString(failed)));
        assertTrue(failed > 0, "seed=" + seed);
    }

    /** What cannot be read cannot be given back: then it is still there, and no page is in use that nobody finds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aDropThatCannotReadHasNotHappened(long seed) {
        FaultyStorage storage = new FaultyStorage(seed);
        fill(storage);
        database.checkpoint();
        int failed = drop(storage, () -> database.dropIndex("account", "by_amount"));
        failed += drop(storage, () -> database.dropTable("account"));
        assertTrue(failed > 0, "seed=" + seed);
        assertTrue(database.instance().catalog().tables().isEmpty());
    }

    /** Tries until it happens; each time that it does not, all is as before. */
    private int drop(FaultyStorage storage, Runnable drop) {
        for (int failed = 0; ; failed++) {
            storage.failReads("pages", 2);
            try {
                drop.run();
                return failed;
            } catch (StorageException failure) {
                storage.heal();
                assertEquals(new ArrayList<>(model.keySet()), DatabaseTest.ids(database, null));
            } finally {
                storage.heal();
                ValidatedDatabase.examine(database);
            }
        }
    }

    /** The value is read a page at a time: where one fails, what was read is not taken for the row before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordIsEmptyWhereASnapshotCannotReadItsRow(boolean inBatch) {
        FaultyStorage storage = new FaultyStorage(1);
        fill(storage);
        // Before all others, so that a scan leaves it behind.
        int large = -1;
        database.run(transaction -> DatabaseTest.put(
                transaction, table, table.newRecord(), large, "v".repeat(LARGE_NAME_CHARS), AMOUNT_OF_LARGE));
        database.checkpoint();
        RowBatch batch = table.newBatch(1);
        batch.addKey().add(large);
        Record row = inBatch ? batch.record(0) : table.newRecord();
        Record before = table.newRecord();
        before.setInt(0, 1);
        before.setString(1, "before");
        before.setLong(2, 1);
        int failed = 0;
        for (int attempt = 0; attempt < 50; attempt++) {
            // Its pages leave the pool.
            DatabaseTest.ids(database, null);
            row.copyFrom(before);
            storage.failReads("pages", 4);
            try {
                database.run(database.transactionOptions().readOnlySnapshot(), transaction -> {
                    boolean found = inBatch
                            ? transaction.fetch(table, batch) == 1
                            : transaction.fetch(table, table.newKey().add(large), row);
                    assertTrue(found);
                });
                assertEquals(AMOUNT_OF_LARGE, row.getLong(2));
            } catch (StorageException failure) {
                failed++;
                assertTrue(row.getLong(2) == 0 || row.getLong(2) == 1, () -> failure + " amount=" + row.getLong(2));
            } finally {
                storage.heal();
            }
        }
        assertTrue(failed > 0, "no read failed");
    }

    /** A rollback to a savepoint that cannot read what it frees has the next one go on, and nothing freed twice. */
    @Test
    void aRollbackThatFreesNothingFreesItLater() {
        FaultyStorage storage = new FaultyStorage(1);
        fill(storage);
        String value = "v".repeat(LONG_NAME_CHARS);
        database.run(transaction -> setName(transaction, 1, value));
        database.checkpoint();
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Savepoint savepoint = transaction.savepoint();
            setName(transaction, 1, "w".repeat(LONG_NAME_CHARS));
            Record row = table.newRecord();
            for (int id = 10; id < ROWS; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            }
            assertTrue(transaction.fetch(table, table.newKey().add(0), row));
            storage.failReads("pages", 1);
            transaction.rollbackTo(savepoint);
            assertTrue(storage.failedReadCount() > 0, "nothing was read");
            storage.heal();
            transaction.rollback();
        }
        database.run(transaction -> setName(transaction, 2, "z".repeat(LONG_NAME_CHARS)));
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(1), row));
            assertEquals(value, row.getString(1));
        });
    }

    private void setName(Transaction transaction, int id, String name) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setString(1, name);
        assertTrue(transaction.update(table, row));
    }
}
