package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What commits wait for, and what an interrupt does to each kind of wait. */
@Timeout(60)
class WaitingTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 3_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(1));
    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        database = validated.track(Database.open(storage, HOME, options, null, LogOptions.sync()));
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(600), id);
            }
        });
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private Key key(int id) {
        return table.newKey().add(id);
    }

    private List<Integer> someIds(boolean byIndex) {
        return DatabaseTest.ids(database, byIndex ? "by_amount" : null).subList(0, 2);
    }

    /** The scan meets no trace of the row, so only the removal of its ghost can tell it what to wait for. */
    @Test
    void aScanThatMissesADeletedRowWaitsForTheDelete() throws InterruptedException {
        for (boolean byIndex : new boolean[] {false, true}) {
            int deleted = byIndex ? 1 : 0;
            storage.holdLogForces();
            Worker writer = new Worker(() -> database.run(transaction -> {
                assertTrue(transaction.delete(table, key(deleted)));
            }));
            writer.awaitParkedIn("awaitDurable");
            Worker reader = new Worker(() -> assertEquals(List.of(deleted + 1, deleted + 2), someIds(byIndex)));
            reader.awaitParkedIn("awaitDurable");
            storage.release();
            writer.join();
            reader.join();
            assertNull(writer.failure());
            assertNull(reader.failure());
        }
    }

    /** No lock tells a reader without locks whose changes it has seen, and still it is answered only when they stay. */
    @Test
    void aReadWithoutLocksWaitsForWhatItSaw() throws InterruptedException {
        TransactionOptions unlocked = database.transactionOptions().withIsolation(Isolation.READ_UNCOMMITTED);
        storage.holdLogForces();
        Worker writer = new Worker(() -> database.run(transaction -> {
            Record row = table.newRecord();
            DatabaseTest.put(transaction, table, row, ROWS, "new", ROWS);
        }));
        writer.awaitParkedIn("awaitDurable");
        Worker reader = new Worker(() -> database.run(
                unlocked, transaction -> assertTrue(transaction.fetch(table, key(ROWS), table.newRecord()))));
        reader.awaitParkedIn("awaitDurable");
        storage.release();
        writer.join();
        reader.join();
        assertNull(writer.failure());
        assertNull(reader.failure());
    }

    /** In a database that forces only for those who wait, the commit of one who does not wait is forced as well. */
    @Test
    void anAsynchronousCommitBecomesDurableByItself() {
        TransactionOptions asynchronous =
                TransactionOptions.of(DatabaseOptions.defaults()).withDurability(Durability.ASYNC);
        database.run(asynchronous, transaction -> assertTrue(transaction.delete(table, key(7))));
        long tailLsn = database.instance().log().tailLsn();
        // Ends with the force that the commit has asked for.
        while (database.instance().log().durableLsn() < tailLsn) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anInterruptEndsAWaitForALock() throws InterruptedException {
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.delete(table, key(3)));
            Worker waiting = new Worker(() -> database.run(transaction -> {
                assertTrue(transaction.delete(table, key(4)));
                transaction.fetch(table, key(3), table.newRecord());
            }));
            waiting.awaitParkedIn("lock");
            waiting.interrupt();
            waiting.join();
            assertInstanceOf(InterruptedOperationException.class, waiting.failure());
            assertTrue(waiting.interrupted());
            holder.commit();
        }
        assertFalse(DatabaseTest.ids(database, null).contains(3));
        assertTrue(DatabaseTest.ids(database, null).contains(4));
    }

    @Test
    void anInterruptDoesNotUndoACommitThatWaitsForTheDisk() throws InterruptedException {
        storage.holdLogForces();
        Worker waiting = new Worker(() -> database.run(transaction -> {
            assertTrue(transaction.delete(table, key(3)));
        }));
        waiting.awaitParkedIn("awaitDurable");
        waiting.interrupt();
        storage.release();
        waiting.join();
        assertNull(waiting.failure());
        assertTrue(waiting.interrupted());
        assertFalse(DatabaseTest.ids(database, null).contains(3));
    }

    @Test
    void anInterruptDoesNotDisturbAReadOfAPage() throws InterruptedException {
        database.checkpoint();
        storage.holdPageReads();
        Worker waiting = new Worker(
                () -> assertEquals(ROWS, DatabaseTest.ids(database, null).size()));
        waiting.awaitParkedIn("frame");
        waiting.interrupt();
        storage.release();
        waiting.join();
        assertNull(waiting.failure());
        assertTrue(waiting.interrupted());
    }

    /** Whatever a thread does with its interrupt flag set, it is done or refused, and no file is closed. */
    @Test
    void anInterruptedThreadHarmsNobody() throws InterruptedException {
        Worker worker = new Worker(() -> {
            Thread.currentThread().interrupt();
            database.run(transaction -> assertTrue(transaction.delete(table, key(5))));
            assertEquals(ROWS - 1, DatabaseTest.ids(database, null).size());
            database.checkpoint();
            database.createIndex(IndexDefinition.of("by_both", "account", "amount", "id"));
            assertEquals(ROWS - 1, DatabaseTest.ids(database, "by_both").size());
            database.dropIndex("account", "by_both");
        });
        worker.join();
        assertNull(worker.failure());
        assertTrue(worker.interrupted());
        assertEquals(ROWS - 1, DatabaseTest.ids(database, null).size());
    }
}
