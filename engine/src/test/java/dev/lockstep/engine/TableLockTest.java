package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
            List<Transactional> changes = new ArrayList<>();
            changes.add(other -> DatabaseTest.put(other, table, table.newRecord(), ROWS, "new", 1));
            changes.add(other -> other.delete(table, table.newKey().add(7)));
            changes.add(other -> other.fetchForUpdate(table, table.newKey().add(7), table.newRecord()));
            for (Transactional change : changes) {
                assertThrows(LockTimeoutException.class, () -> database.run(impatient(), change::run));
            }
            database.run(impatient(), other -> {
                other.lockShared(table);
                readAllWays(other);
            });
            readAllWays(holder);
            holder.commit();
            for (Transactional change : changes) {
                database.run(impatient(), change::run);
            }
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
