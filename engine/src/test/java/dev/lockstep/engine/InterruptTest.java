package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an interrupt does to the waits that are rarer than those of {@link WaitingTest}: for a whole table, for room in
 * the log, for a frame. The thread is done or refused, whole, keeps its flag, and holds nothing afterwards.
 */
class InterruptTest {
    private static final Path HOME = Path.of("/database");

    /** 2 MB of rows, twice the pool. */
    private static final int ROWS = 3_000;

    private static final int NAME_LENGTH = 600;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(1));
    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        database = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log));
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> insert(transaction, 0, ROWS));
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private void insert(Transaction transaction, int from, int to) {
        Record row = table.newRecord();
        for (int id = from; id < to; id++) {
            DatabaseTest.put(transaction, table, row, id, "x".repeat(NAME_LENGTH), id);
        }
    }

    private Key key(int id) {
        return table.newKey().add(id);
    }

    private List<Integer> ids() {
        return DatabaseTest.ids(database, null);
    }

    private static Stream<Named<Consumer<Database>>> schemaChanges() {
        return Stream.of(
                Named.of("dropTable", database -> database.dropTable("account")),
                Named.of("dropIndex", database -> database.dropIndex("account", "by_amount")),
                Named.of(
                        "createIndex",
                        database -> database.createIndex(IndexDefinition.of("by_both", "account", "amount", "id"))));
    }

    @ParameterizedTest
    @MethodSource("schemaChanges")
    void endsAChangeOfTheSchemaThatWaitsForItsTable(Consumer<Database> change) throws InterruptedException {
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.delete(table, key(3)));
            Worker waiting = new Worker(() -> change.accept(database));
            waiting.awaitParkedIn("lock");
            waiting.interrupt();
            waiting.join();
            assertInstanceOf(InterruptedOperationException.class, waiting.failure());
            assertTrue(waiting.interrupted());
            holder.rollback();
        }
        assertEquals(List.of("account"), database.tableNames());
        assertEquals(
                List.of("by_amount"),
                database.table("account").definition().indexes().stream()
                        .map(IndexDefinition::name)
                        .toList());
        assertEquals(ROWS, ids().size());
        change.accept(database);
    }

    @Test
    void endsAWaitForRoomInTheLog() throws InterruptedException {
        storage.holdLogForces();
        Worker committing = new Worker(() -> database.run(transaction -> insert(transaction, ROWS, ROWS + 1)));
        committing.awaitParkedIn("awaitDurable");
        int end = ROWS + 1_000;
        Worker throttled = new Worker(() -> database.run(transaction -> insert(transaction, ROWS + 1, end)));
        throttled.awaitParkedIn("throttleInterruptibly");
        throttled.interrupt();
        // To roll back may take room in the log too, and goes through.
        throttled.awaitEndOrParkedIn("rollback");
        storage.release();
        committing.join();
        throttled.join();
        assertNull(committing.failure());
        requireRefused(throttled, "the log");
        assertEquals(ROWS + 1, ids().size());
    }

    /** Of which a part is in its pages already: they are given back. */
    @Test
    void endsTheWriteOfALargeValue() throws InterruptedException {
        storage.holdLogForces();
        Worker committing = new Worker(() -> database.run(transaction -> insert(transaction, ROWS, ROWS + 1)));
        committing.awaitParkedIn("awaitDurable");
        String large = "l".repeat(1_000_000);
        Worker writing = new Worker(() -> database.run(
                transaction -> DatabaseTest.put(transaction, table, table.newRecord(), ROWS + 1, large, 1)));
        // For room in the log or, where the page writer waits for that, for a frame.
        writing.awaitParkedIn("write");
        writing.interrupt();
        // To roll back may take room in the log too, and goes through.
        writing.awaitEndOrParkedIn("rollback");
        storage.release();
        committing.join();
        writing.join();
        assertNull(committing.failure());
        requireRefused(writing, "");
        assertEquals(ROWS + 1, ids().size());
    }

    @Test
    void endsAWaitForAFrame() throws InterruptedException {
        Worker waiting = interruptedInAFrameWait();
        // Ends: the wait was the short one for a page that had been written before, which there is not each time.
        while (waiting.failure() instanceof InterruptedOperationException refusal
                && refusal.getMessage().contains("waited for a page")) {
            waiting = interruptedInAFrameWait();
        }
        requireRefused(waiting, "a frame");
        String name = "x".repeat(NAME_LENGTH);
        database.run(transaction -> {
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    assertEquals(name, row.getString(1));
                }
            }
        });
    }

    private Worker interruptedInAFrameWait() throws InterruptedException {
        long frameWaitsBefore = frameWaits();
        storage.holdLogForces();
        Worker waiting = new Worker(() -> database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                assertTrue(transaction.fetchForUpdate(table, key(id), row));
                row.setString(1, "y".repeat(NAME_LENGTH));
                transaction.update(table, row);
            }
        }));
        // What was changed may leave the pool only after its log is on the disk.
        waiting.awaitParkedIn("takeFrame");
        assertTrue(frameWaits() > frameWaitsBefore);
        waiting.interrupt();
        // To roll back may take frames too, and goes through.
        waiting.awaitEndOrParkedIn("rollback");
        storage.release();
        waiting.join();
        return waiting;
    }

    private long frameWaits() {
        return database.instance().pool().statistics().frameWaits();
    }

    private static void requireRefused(Worker worker, String waitedFor) {
        assertTrue(worker.interrupted());
        InterruptedOperationException refusal = assertInstanceOf(InterruptedOperationException.class, worker.failure());
        assertTrue(refusal.getMessage().contains("waited for " + waitedFor), refusal.getMessage());
    }
}
