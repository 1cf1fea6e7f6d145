package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.lock.CountedStripes;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A lock that a transaction took when it read a row is not taken again when it changes the row, and no other is left.
 */
class HeldLockTest {
    private static final int ROWS = 40;
    private static final int ID = 7;
    private static final int OTHER_ID = 30;
    private static final String NAME = "name";

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final CountedStripes stripes = new CountedStripes();
    private Database database;
    private Table table;

    @BeforeEach
    void fill() {
        database = stripes.opening(validated::inMemory);
        table = DatabaseTest.filled(database, ROWS, NAME);
    }

    private Record readExclusively(Transaction transaction, int id) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchExclusive(table, table.newKey().add(id), row));
        return row;
    }

    private int passesOf(Runnable change) {
        int before = stripes.passes();
        change.run();
        return stripes.passes() - before;
    }

    private void assertLocked(int id, boolean isLocked) {
        TransactionOptions impatient = database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
        Runnable fetch = () -> database.run(
                impatient, other -> other.fetch(table, table.newKey().add(id), table.newRecord()));
        if (isLocked) {
            assertThrows(LockTimeoutException.class, fetch::run);
        } else {
            fetch.run();
        }
    }

    @Test
    void changesOfARowReadExclusivelyTakeNoLock() {
        database.run(transaction -> {
            Record inPlace = readExclusively(transaction, ID);
            inPlace.setLong(2, inPlace.getLong(2));
            assertEquals(0, passesOf(() -> assertTrue(transaction.update(table, inPlace))));
            Record longer = readExclusively(transaction, ID);
            longer.setString(1, NAME + NAME);
            assertEquals(0, passesOf(() -> assertTrue(transaction.update(table, longer))));
        });
    }

    @Test
    void aBatchReadExclusivelyIsUpdatedWithoutLocks() {
        database.run(transaction -> {
            RowBatch batch = table.newBatch(ROWS);
            for (int id = 0; id < ROWS; id++) {
                batch.addKey().add(id);
            }
            assertEquals(ROWS, transaction.fetchExclusive(table, batch));
            for (int i = 0; i < ROWS; i++) {
                batch.record(i).setLong(2, batch.record(i).getLong(2));
            }
            assertEquals(0, passesOf(() -> assertEquals(ROWS, transaction.update(table, batch))));
        });
    }

    @Test
    void aRowReadForUpdateIsLockedWhenItIsChanged() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(ID), row));
            row.setLong(2, row.getLong(2));
            assertLocked(ID, false);
            assertTrue(transaction.update(table, row));
            assertLocked(ID, true);
            transaction.commit();
        }
    }

    @Test
    void aRecordOfAnEarlierTransactionIsLockedAgain() {
        try (Session session = database.openSession()) {
            Transaction first = session.begin();
            Record row = readExclusively(first, ID);
            first.commit();
            Transaction second = session.begin();
            row.setLong(2, row.getLong(2));
            assertTrue(second.update(table, row));
            assertLocked(ID, true);
            second.commit();
            Transaction third = session.begin();
            assertTrue(third.delete(table, row));
            assertLocked(ID, true);
            third.rollback();
        }
    }

    @Test
    void aRecordOfAnotherSessionIsLocked() {
        try (Session reader = database.openSession();
                Session writer = database.openSession()) {
            Transaction reading = reader.begin();
            Record row = readExclusively(reading, ID);
            row.setLong(2, row.getLong(2));
            Transaction writing = writer.begin(database.transactionOptions().withLockTimeout(Duration.ofMillis(1)));
            assertThrows(LockTimeoutException.class, () -> writing.update(table, row));
            writing.rollback();
            reading.commit();
        }
    }

    @Test
    void aRecordThatStandsForAnotherRowIsLockedAsThatOne() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = readExclusively(transaction, ID);
            row.clear();
            row.setInt(0, OTHER_ID);
            row.setString(1, NAME);
            row.setLong(2, OTHER_ID);
            assertTrue(transaction.update(table, row));
            assertLocked(OTHER_ID, true);
            transaction.rollback();
        }
    }

    @Test
    void locksOfAFailedStatementStayHeldAndKnown() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Savepoint savepoint = transaction.savepoint();
            Record row = readExclusively(transaction, ID);
            transaction.rollbackTo(savepoint);
            row.setLong(2, row.getLong(2));
            assertEquals(0, passesOf(() -> assertTrue(transaction.update(table, row))));
            assertLocked(ID, true);
            transaction.commit();
        }
    }
}
