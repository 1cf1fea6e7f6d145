package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock on a whole table keeps its rows as they are, and stands for the locks of all that are read. */
class TableLockTest {
    private static final int ROWS = 400;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private Database database;
    private Table table;

    @BeforeEach
    void fill() {
        database = validated.open(directory, ValidatedDatabase.USUAL, null);
        table = DatabaseTest.filled(database, ROWS, "name");
    }

    private TransactionOptions impatient() {
        return database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
    }

    private static int lockCount(Transaction transaction) {
        return transaction.core().context().lockOwner().heldCount();
    }

    private void readAllWays(Transaction transaction) {
        Record row = table.newRecord();
        assertTrue(transaction.fetch(table, table.newKey().add(7), row));
        RowBatch batch = table.newBatch(3);
        for (int id = 20; id < 23; id++) {
            batch.addKey().add(id);
        }
        assertEquals(3, transaction.fetch(table, batch));
        assertEquals(ROWS, count(transaction.scan(table)));
        assertEquals(ROWS, count(transaction.scan(table).backward()));
        assertEquals(ROWS, count(transaction.scan(table, "by_amount")));
    }

    private int count(Cursor scan) {
        try (scan) {
            Record row = table.newRecord();
            int count = 0;
            while (scan.next(row)) {
                count++;
            }
            return count;
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void readsTakeNoLocksOfTheirOwn(Isolation isolation) {
        database.run(database.transactionOptions().withIsolation(isolation), transaction -> {
            transaction.lockShared(table);
            int locks = lockCount(transaction);
            readAllWays(transaction);
            assertEquals(locks, lockCount(transaction));
        });
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void nobodyElseChangesTheTable(Isolation isolation) {
        try (Session session = database.openSession()) {
            Transaction holder = session.begin(database.transactionOptions().withIsolation(isolation));
            holder.lockShared(table);
            for (Map.Entry<String, Transactional> change : changes().entrySet()) {
                assertThrows(
                        LockTimeoutException.class,
                        () -> database.run(impatient(), change.getValue()::run),
                        change.getKey());
            }
            database.run(impatient(), other -> {
                other.lockShared(table);
                readAllWays(other);
            });
            readAllWays(holder);
            holder.commit();
            for (Transactional change : changes().values()) {
                database.run(impatient(), change::run);
            }
        }
    }

    /** Every way to change a row, or to fetch one that is going to be changed, each with a row of its own. */
    private Map<String, Transactional> changes() {
        Map<String, Transactional> changes = new LinkedHashMap<>();
        changes.put("insert a row", other -> other.insert(table, row(ROWS)));
        changes.put("insert a batch", other -> other.insert(table, batchOf(ROWS + 1)));
        changes.put("update a row", other -> assertTrue(other.update(table, row(1))));
        changes.put("update a batch", other -> assertEquals(1, other.update(table, batchOf(2))));
        changes.put("delete by key", other -> assertTrue(other.delete(table, key(3))));
        changes.put("delete a row", other -> assertTrue(other.delete(table, row(4))));
        changes.put("delete a batch", other -> assertEquals(1, other.delete(table, batchOf(5))));
        changes.put(
                "fetch a row for update", other -> assertTrue(other.fetchForUpdate(table, key(6), table.newRecord())));
        changes.put(
                "fetch a row exclusively", other -> assertTrue(other.fetchExclusive(table, key(7), table.newRecord())));
        changes.put("fetch a batch for update", other -> assertEquals(1, other.fetchForUpdate(table, keysOf(8))));
        changes.put("fetch a batch exclusively", other -> assertEquals(1, other.fetchExclusive(table, keysOf(9))));
        changes.put("fetch a range for update", other -> assertEquals(1, other.fetchForUpdate(table, rangeOf(10))));
        changes.put("fetch a range exclusively", other -> assertEquals(1, other.fetchExclusive(table, rangeOf(11))));
        changes.put("scan for update", other -> next(other.scan(table).forUpdate()));
        changes.put("scan exclusively", other -> next(other.scan(table).exclusive()));
        return changes;
    }

    private Key key(int id) {
        return table.newKey().add(id);
    }

    private Record row(int id) {
        return fill(table.newRecord(), id);
    }

    private RowBatch batchOf(int id) {
        RowBatch batch = table.newBatch(1);
        fill(batch.addRow(), id);
        return batch;
    }

    private static Record fill(Record row, int id) {
        row.setInt(0, id);
        row.setString(1, "new");
        row.setLong(2, id);
        return row;
    }

    private RowBatch keysOf(int id) {
        RowBatch batch = table.newBatch(1);
        batch.addKey().add(id);
        return batch;
    }

    private RangeBatch rangeOf(int id) {
        RangeBatch ranges = table.newRangeBatch(1, 1);
        ranges.addRange().add(id);
        return ranges;
    }

    private void next(Cursor scan) {
        try (scan) {
            assertTrue(scan.next(table.newRecord()));
        }
    }

    @Test
    void waitsForThoseWhoHaveChangedTheTable() {
        try (Session session = database.openSession()) {
            Transaction writer = session.begin();
            assertTrue(writer.delete(table, table.newKey().add(7)));
            assertThrows(
                    LockTimeoutException.class, () -> database.run(impatient(), reader -> reader.lockShared(table)));
            writer.commit();
        }
        database.run(impatient(), reader -> reader.lockShared(table));
    }

    @Test
    void itsHolderMayGoOnToChangeTheTable() {
        database.run(transaction -> {
            transaction.lockShared(table);
            assertTrue(transaction.delete(table, table.newKey().add(7)));
            assertEquals(ROWS - 1, count(transaction.scan(table)));
        });
        assertEquals(ROWS - 1, DatabaseTest.ids(database, null).size());
    }

    @Test
    void ordinaryReadsLockTheirRowsAgainAfterwards() {
        try (Session session = database.openSession()) {
            Transaction first = session.begin();
            first.lockShared(table);
            first.commit();
            Transaction second = session.begin();
            assertTrue(second.fetch(table, table.newKey().add(7), table.newRecord()));
            assertThrows(
                    LockTimeoutException.class,
                    () -> database.run(impatient(), other -> {
                        other.delete(table, table.newKey().add(7));
                    }));
            second.commit();
        }
    }

    private interface Transactional {
        void run(Transaction transaction);
    }
}
