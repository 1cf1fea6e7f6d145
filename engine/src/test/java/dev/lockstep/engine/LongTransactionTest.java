package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.log.Log;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a transaction may hold has limits. Beyond them it is rolled back, which is always possible; others go on. */
class LongTransactionTest {
    private static final long LIMIT_BYTES = DatabaseOptions.TRANSACTION_BYTES_MIN;
    private static final int ROWS = 1_000;
    private static final String NAME = "n".repeat(200);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private Database database;
    private Table table;
    private Record row;

    private void open(DatabaseOptions.Builder options) {
        database = validated.open(
                directory.resolve("database"),
                options.createIfMissing(true).durability(Durability.ASYNC).build(),
                null);
        table = DatabaseTest.filled(database, ROWS, NAME);
        row = table.newRecord();
    }

    private void rename(Transaction transaction, int id, String name) {
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setString(1, name);
        assertTrue(transaction.update(table, row));
    }

    private String nameOf(int id) {
        return database.call(transaction -> {
            Record read = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), read));
            return read.getString(1);
        });
    }

    /** Others write more log than the limit of a transaction. */
    private void writeLog(Session session) {
        long endLsn = log().tailLsn() + LIMIT_BYTES;
        for (int i = 0; log().tailLsn() < endLsn; i++) {
            String name = String.valueOf((char) ('a' + i % 26)).repeat(200);
            session.call(database.transactionOptions(), transaction -> {
                for (int id = ROWS / 2; id < ROWS / 2 + 100; id++) {
                    rename(transaction, id, name);
                }
                return null;
            });
        }
    }

    private Log log() {
        return database.instance().log();
    }

    @Test
    void undoIsLimited() {
        open(DatabaseOptions.builder().transactionUndoBytes(LIMIT_BYTES));
        try (Session session = database.openSession();
                Session other = database.openSession()) {
            Transaction bystander = other.begin();
            rename(bystander, ROWS - 1, "bystander");
            Transaction transaction = session.begin();
            TransactionTooLargeException tooLarge = assertThrows(TransactionTooLargeException.class, () -> {
                // Ends: there are fewer rows than would fit into more than twice the limit.
                for (int i = 0; i < 10 * ROWS; i++) {
                    rename(transaction, i % (ROWS - 1), "x".repeat(200 + i / ROWS));
                }
            });
            assertFalse(tooLarge.isRetryable());
            assertTrue(
                    tooLarge.getMessage()
                            .matches("(?s).*: undoBytes=\\d+, transactionUndoBytes=1048576, changes=\\d+\\."
                                    + " Remedy: .*raise the option transactionUndoBytes.*"),
                    tooLarge.getMessage());
            assertThrows(TransactionStateException.class, () -> rename(transaction, 0, "more"));
            transaction.rollback();
            rename(bystander, 0, "bystander");
            bystander.commit();
            assertEquals("bystander", nameOf(0));
            assertEquals("bystander", nameOf(ROWS - 1));
            assertEquals(NAME, nameOf(1));
        }
    }

    /** Small rows: it is the number of the changes that counts. */
    @Test
    void theBookkeepingOfUndoCounts() {
        open(DatabaseOptions.builder().transactionUndoBytes(LIMIT_BYTES));
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            int inserted = 0;
            try {
                // Ends: 30 bytes for each change, and the index has one more.
                while (inserted < LIMIT_BYTES) {
                    DatabaseTest.put(transaction, table, row, ROWS + inserted, "", 0);
                    inserted++;
                }
            } catch (TransactionTooLargeException tooLarge) {
                transaction.rollback();
            }
            assertTrue(inserted > 1_000 && inserted < LIMIT_BYTES / 60, "inserted=" + inserted);
        }
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
    }

    @Test
    void whoChangesOnWhileOthersWriteIsEnded() {
        open(DatabaseOptions.builder().transactionLogBytes(LIMIT_BYTES));
        try (Session session = database.openSession();
                Session others = database.openSession()) {
            Transaction transaction = session.begin();
            rename(transaction, 0, "changed");
            writeLog(others);
            TransactionTooLargeException tooLarge =
                    assertThrows(TransactionTooLargeException.class, () -> rename(transaction, 1, "changed"));
            assertTrue(
                    tooLarge.getMessage()
                            .matches("(?s).*: transaction=\\d+, logBytes=\\d+, rollbackBytesMax=\\d+,"
                                    + " transactionLogBytes=1048576\\. Remedy: .*raise the option"
                                    + " transactionLogBytes.*"),
                    tooLarge.getMessage());
            transaction.rollback();
            writeLog(others);
        }
        assertEquals(NAME, nameOf(0));
        assertEquals(NAME, nameOf(1));
    }

    /**
     * Who only reads on, or does nothing, is found by the next checkpoint, which could cut the log but for that one.
     */
    @Test
    void whoReadsOnIsEndedByACheckpoint() {
        open(DatabaseOptions.builder().transactionLogBytes(LIMIT_BYTES));
        try (Session session = database.openSession();
                Session others = database.openSession()) {
            Transaction transaction = session.begin();
            rename(transaction, 0, "changed");
            Transaction unchanged = others.begin();
            assertTrue(unchanged.fetch(table, table.newKey().add(1), row));
            try (Session writer = database.openSession()) {
                writeLog(writer);
            }
            database.checkpoint();
            assertThrows(
                    TransactionTooLargeException.class,
                    () -> transaction.fetch(table, table.newKey().add(2), row));
            assertThrows(TransactionStateException.class, transaction::commit);
            transaction.rollback();
            // It has changed nothing, so it holds no log.
            assertTrue(unchanged.fetch(table, table.newKey().add(2), row));
            unchanged.commit();
            long oldest = database.instance().transactions().oldestFirstLsn();
            assertEquals(Long.MAX_VALUE, oldest);
        }
        assertEquals(NAME, nameOf(0));
    }

    @Test
    void aCommitGoesThrough() {
        open(DatabaseOptions.builder().transactionLogBytes(LIMIT_BYTES));
        try (Session session = database.openSession();
                Session others = database.openSession()) {
            Transaction transaction = session.begin();
            rename(transaction, 0, "changed");
            writeLog(others);
            database.checkpoint();
            transaction.commit();
        }
        assertEquals("changed", nameOf(0));
    }

    /** The thread that looks may come when the transaction has ended and another one of its session has begun. */
    @Test
    void aSuspicionThatComesLateEndsNobody() {
        open(DatabaseOptions.builder());
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            rename(transaction, 0, "changed");
            database.instance().transactions().checkLogLimits(Long.MAX_VALUE / 2);
            rename(transaction, 1, "changed");
            database.instance().transactions().checkLogLimits(Long.MAX_VALUE / 2);
            transaction.commit();
        }
        assertEquals("changed", nameOf(1));
    }

    /** From its first record to the last of its rollback, a transaction that writes alone stays within its limit. */
    @Test
    void theRollbackFitsIntoWhatIsReserved() {
        open(DatabaseOptions.builder().transactionLogBytes(4 * LIMIT_BYTES));
        long firstLsn = log().tailLsn();
        long fullLsn;
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            int changes = 0;
            try {
                // Ends with the limit.
                while (changes < LIMIT_BYTES) {
                    int id = changes % ROWS;
                    switch (changes++ / ROWS % 3) {
                        case 0 -> rename(transaction, id, "short");
                        case 1 -> rename(transaction, id, "y".repeat(300));
                        default -> {
                            assertTrue(transaction.delete(table, table.newKey().add(id)));
                            // With the amount it had: entries of others would be removed behind the rollback's end,
                            // which has a log of its own.
                            DatabaseTest.put(transaction, table, row, id, "again", id);
                        }
                    }
                }
            } catch (TransactionTooLargeException tooLarge) {
                fullLsn = log().tailLsn();
                transaction.rollback();
                long endLsn = log().tailLsn();
                assertTrue(fullLsn - firstLsn >= 2 * LIMIT_BYTES, "changes=" + changes);
                assertTrue(
                        endLsn - firstLsn <= 4 * LIMIT_BYTES,
                        "written=" + (fullLsn - firstLsn) + " rolled back=" + (endLsn - fullLsn));
            }
        }
        assertEquals(Long.MAX_VALUE, database.instance().transactions().oldestFirstLsn());
        assertEquals(NAME, nameOf(0));
    }
}
