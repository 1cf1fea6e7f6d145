package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Transactions that end in an instance marked failed are not undone, which is left to the next open. Whatever still
 * works there, the log above all, must leave it what it needs for that.
 */
class FailedInstanceTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 10;
    private static final int DELETED = 3;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(1));
    private Database database;
    private Table table;

    @BeforeEach
    void fill() {
        open();
        table = DatabaseTest.filled(database, ROWS, "name");
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private void open() {
        LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        database = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log));
    }

    private void fail() {
        database.instance().health().fail(new IllegalStateException("as the test wants it"));
    }

    private void reopenedHasAllRows() {
        database.close();
        open();
        assertEquals(IntStream.range(0, ROWS).boxed().toList(), DatabaseTest.ids(database, null));
    }

    private int scan(Transaction transaction) {
        Record row = table.newRecord();
        int rows = 0;
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                rows++;
            }
        }
        return rows;
    }

    @Test
    void aDeleteThatWasNotUndoneIsFoundByTheNextOpen() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            assertTrue(transaction.delete(table, table.newKey().add(DELETED)));
            assertEquals(ROWS - 1, scan(transaction), "which notes the ghost");
            fail();
            transaction.rollback();
        }
        reopenedHasAllRows();
    }

    @Test
    void soIsThatOfAnotherWhoseGhostWasMet() {
        TransactionOptions dirty = database.transactionOptions().withIsolation(Isolation.READ_UNCOMMITTED);
        try (Session session = database.openSession();
                Session other = database.openSession()) {
            Transaction transaction = session.begin();
            assertTrue(transaction.delete(table, table.newKey().add(DELETED)));
            Transaction reader = other.begin(dirty);
            assertEquals(ROWS - 1, scan(reader), "which notes the ghost");
            fail();
            transaction.rollback();
            reader.rollback();
        }
        reopenedHasAllRows();
    }

    /** Its look at the mark is behind it, and it waits for the log before it asks for the lock of its key. */
    @Test
    void anInsertUnderWayDoesNotChangeWhatWasNotUndone() throws InterruptedException {
        String large = "l".repeat(LogOptions.BUFFER_BYTES_MIN);
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            assertTrue(transaction.delete(table, table.newKey().add(DELETED)));
            storage.holdLogWrites();
            Worker insert = new Worker(() ->
                    database.run(other -> DatabaseTest.put(other, table, table.newRecord(), DELETED, large, DELETED)));
            insert.awaitParkedIn("throttleInterruptibly");
            fail();
            transaction.rollback();
            storage.release();
            insert.join();
            assertInstanceOf(DatabaseFailedException.class, insert.failure());
        }
        reopenedHasAllRows();
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(
                    transaction.fetch(database.table("account"), table.newKey().add(DELETED), row));
            assertEquals("name", row.getString(DatabaseTest.NAME));
        });
    }

    @Test
    void aCheckpointUnderWayDoesNotForgetWhatWasNotUndone() throws InterruptedException {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            DatabaseTest.put(transaction, table, table.newRecord(), ROWS, "uncommitted", ROWS);
            CountDownLatch arrival = storage.holdBatch(1);
            Worker checkpoint = new Worker(database::checkpoint);
            arrival.await();
            fail();
            transaction.rollback();
            storage.release();
            checkpoint.join();
            assertInstanceOf(DatabaseFailedException.class, checkpoint.failure());
        }
        reopenedHasAllRows();
    }

    /** A page of which an error has cut the change short keeps its checksum. */
    @Test
    void noPageIsWrittenAnyMore() throws InterruptedException {
        CountDownLatch arrival = storage.holdBatch(1);
        fail();
        Worker flush = new Worker(() -> database.instance().pool().flushAll(new Waiter()));
        flush.join();
        assertInstanceOf(DatabaseFailedException.class, flush.failure());
        assertEquals(1, arrival.getCount(), "no batch has come as far as the disk");
        reopenedHasAllRows();
    }
}
