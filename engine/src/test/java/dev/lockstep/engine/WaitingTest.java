package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What commits wait for, and what an interrupt does to each kind of wait. */
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
        database = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync()));
        table = DatabaseTest.filled(database, ROWS, "x".repeat(600));
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private Key key(int id) {
        return table.newKey().add(id);
    }

    /**
     * Of the first two rows and no more: a scan of all would need more frames than can be freed while the log waits.
     */
    private List<Integer> someIds(boolean byIndex) {
        return database.call(transaction -> {
            Record row = table.newRecord();
            List<Integer> ids = new ArrayList<>();
            try (Cursor rows = byIndex ? transaction.scan(table, "by_amount") : transaction.scan(table)) {
                while (ids.size() < 2 && rows.next(row)) {
                    ids.add(row.getInt(0));
                }
            }
            return ids;
        });
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

    /** The statement ends while the disk still hangs; the page comes in later, for whoever needs it. */
    @Test
    void anInterruptEndsAWaitForAPage() throws InterruptedException {
        database.checkpoint();
        storage.holdPageReads();
        Worker waiting = new Worker(
                () -> assertEquals(ROWS, DatabaseTest.ids(database, null).size()));
        waiting.awaitParkedIn("frameInterruptibly");
        waiting.interrupt();
        waiting.join();
        assertInstanceOf(InterruptedOperationException.class, waiting.failure());
        assertTrue(waiting.failure().getMessage().contains("pageId="), waiting.failure()::toString);
        assertTrue(waiting.interrupted());
        assertTrue(database.instance().locks().isEmpty());
        storage.release();
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
    }

    /** A change that was made is taken back with the flag set, which reads pages as well. */
    @Test
    void anInterruptDoesNotDisturbARollback() throws InterruptedException {
        Worker worker = new Worker(() -> database.run(transaction -> {
            for (int id = 0; id < ROWS; id += 100) {
                assertTrue(transaction.delete(table, key(id)));
            }
            Thread.currentThread().interrupt();
            throw new IllegalStateException("take it back");
        }));
        worker.join();
        assertInstanceOf(IllegalStateException.class, worker.failure());
        assertTrue(worker.interrupted());
        assertFalse(database.instance().health().isFailed());
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
    }

    /** A call, and whether the database shows that it was done. */
    private record Call(Runnable work, BooleanSupplier isDone) {}

    private List<String> indexNames() {
        return database.table("account").definition().indexes().stream()
                .map(IndexDefinition::name)
                .toList();
    }

    private long checkpointCount() {
        return database.status().checkpoint().completedCount();
    }

    /** Whatever a thread does with its interrupt flag set, it is done or refused, and no file is closed. */
    @Test
    void anInterruptedThreadHarmsNobody() throws InterruptedException {
        AtomicInteger rowsRead = new AtomicInteger();
        long checkpointsBefore = checkpointCount();
        List<Call> calls = List.of(
                new Call(
                        () -> database.run(transaction -> assertTrue(transaction.delete(table, key(5)))),
                        () -> !DatabaseTest.ids(database, null).contains(5)),
                new Call(
                        () -> rowsRead.set(DatabaseTest.ids(database, null).size()),
                        () -> rowsRead.get() == DatabaseTest.ids(database, null).size()),
                new Call(database::checkpoint, () -> checkpointCount() > checkpointsBefore),
                new Call(
                        () -> database.createIndex(IndexDefinition.of("by_both", "account", "amount", "id")),
                        () -> indexNames().contains("by_both")),
                new Call(() -> database.dropIndex("account", "by_amount"), () -> !indexNames()
                        .contains("by_amount")),
                new Call(
                        () -> database.createTable(TableDefinition.named("other")
                                .column("id", ColumnType.int32())
                                .primaryKey("id")
                                .build()),
                        () -> database.tableNames().contains("other")));
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            assertFalse(call.isDone().getAsBoolean(), "call " + i);
            Worker worker = new Worker(() -> {
                Thread.currentThread().interrupt();
                call.work().run();
            });
            worker.join();
            Throwable failure = worker.failure();
            assertTrue(failure == null || failure instanceof InterruptedOperationException, () -> "" + failure);
            assertEquals(failure == null, call.isDone().getAsBoolean(), "call " + i + ": " + failure);
            assertTrue(worker.interrupted());
        }
        assertFalse(database.instance().health().isFailed());
        int deleted = calls.getFirst().isDone().getAsBoolean() ? 1 : 0;
        assertEquals(ROWS - deleted, DatabaseTest.ids(database, null).size());
    }

    /** Each kind of wait, of S-threads of both kinds. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void anInterruptOfAnSThread(SThreadKind kind) throws InterruptedException {
        Path home = Path.of("/of-s-threads");
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withUncaughtExceptionHandler((thread, failure) -> {}))) {
            Database steps = validated.track(
                    Database.open(storage, home, ValidatedDatabase.SMALLEST, scheduler, LogOptions.sync()));
            Table rows = steps.createTable(DatabaseTest.accounts());
            steps.run(transaction -> {
                Record row = rows.newRecord();
                for (int id = 0; id < ROWS; id++) {
                    DatabaseTest.put(transaction, rows, row, id, "x".repeat(600), id);
                }
            });
            steps.checkpoint();
            interruptAWaitForALock(scheduler, steps, rows);
            interruptAWaitForAPage(scheduler, steps);
            interruptACommit(scheduler, steps, rows);
            assertTrue(steps.instance().locks().isEmpty());
            steps.close();
        }
    }

    private static void awaitMore(LongSupplier count, long before) {
        // Ends when the S-thread is about to wait: it counts that first, and nobody lets it go on before.
        while (count.getAsLong() == before) {
            Thread.onSpinWait();
        }
    }

    private static void interruptAWaitForALock(Scheduler scheduler, Database steps, Table rows)
            throws InterruptedException {
        try (Session session = steps.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.delete(rows, rows.newKey().add(3)));
            long before = steps.statistics().lockWaits();
            SThread waiting = scheduler.start(
                    "waits-for-lock",
                    0,
                    () -> steps.run(transaction -> {
                        assertTrue(transaction.delete(rows, rows.newKey().add(4)));
                        transaction.fetch(rows, rows.newKey().add(3), rows.newRecord());
                    }));
            awaitMore(() -> steps.statistics().lockWaits(), before);
            waiting.interrupt();
            waiting.join();
            assertInstanceOf(InterruptedOperationException.class, waiting.failure());
            holder.rollback();
        }
        assertTrue(DatabaseTest.ids(steps, null).containsAll(List.of(3, 4)));
    }

    private void interruptAWaitForAPage(Scheduler scheduler, Database steps) throws InterruptedException {
        storage.holdPageReads();
        long before = steps.statistics().pageMisses();
        SThread waiting = scheduler.start(
                "waits-for-page",
                0,
                () -> assertEquals(ROWS, DatabaseTest.ids(steps, null).size()));
        awaitMore(() -> steps.statistics().pageMisses(), before);
        waiting.interrupt();
        waiting.join();
        assertInstanceOf(InterruptedOperationException.class, waiting.failure());
        storage.release();
        assertEquals(ROWS, DatabaseTest.ids(steps, null).size());
    }

    /** A commit has happened once its record is written: it is answered, and the flag says that there was a wish. */
    private void interruptACommit(Scheduler scheduler, Database steps, Table rows) throws InterruptedException {
        storage.holdLogForces();
        long before = steps.statistics().commits();
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        SThread waiting = scheduler.start("waits-for-disk", 0, () -> {
            steps.run(transaction ->
                    assertTrue(transaction.delete(rows, rows.newKey().add(3))));
            interrupted.set(SThread.current().isInterrupted());
        });
        awaitMore(() -> steps.statistics().commits(), before);
        waiting.interrupt();
        storage.release();
        waiting.join();
        assertNull(waiting.failure());
        assertTrue(interrupted.get());
        assertFalse(DatabaseTest.ids(steps, null).contains(3));
    }
}
