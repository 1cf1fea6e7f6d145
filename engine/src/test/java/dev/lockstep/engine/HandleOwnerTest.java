package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose a transaction and its cursors are, and what becomes of those that nobody ends. */
class HandleOwnerTest {
    private static final int ROWS = 100;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static Table fill(Database database) {
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "name", id);
            }
        });
        return table;
    }

    private static void put(Transaction transaction, Table table, int id) {
        DatabaseTest.put(transaction, table, table.newRecord(), id, "left", id);
    }

    /** Runs work on another thread, which has ended on return. */
    private static <T> T onAThreadThatEnds(ThreadFactory threads, FutureTask<T> task) throws Exception {
        Thread thread = threads.newThread(task);
        thread.start();
        thread.join();
        return task.get();
    }

    @Test
    void anotherThreadDoesNotCloseACursor() throws Exception {
        Database database = validated.inMemory();
        Table table = fill(database);
        database.run(transaction -> {
            Record row = table.newRecord();
            Cursor cursor = transaction.scan(table);
            assertTrue(cursor.next(row));
            onAThreadThatEnds(
                    Thread.ofPlatform().factory(),
                    new FutureTask<>(() -> assertThrows(WrongThreadException.class, cursor::close)));
            assertTrue(cursor.next(row));
            assertThrows(LeakedHandleException.class, transaction::commit);
            cursor.close();
        });
    }

    /** S-threads on raw continuations run on the thread of their carrier, all of them, whosever scheduler it is. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL,true", "CONTINUATION,true", "VIRTUAL,false", "CONTINUATION,false"})
    void anSThreadOfTheSameCarrierIsAnotherThread(SThreadKind kind, boolean ofTheDatabase) throws InterruptedException {
        try (Scheduler scheduler =
                new Scheduler(SchedulerOptions.defaults().withKind(kind).withCarriers(1))) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, ofTheDatabase ? scheduler : null);
            Table table = fill(database);
            AtomicReference<Transaction> others = new AtomicReference<>();
            AtomicBoolean tried = new AtomicBoolean();
            SThread owner = scheduler.start(
                    "owner",
                    0,
                    () -> database.run(transaction -> {
                        others.set(transaction);
                        // Ends: the other one is ready, and each turn given up lets it run.
                        while (!tried.get()) {
                            SThread.current().yieldTurn();
                        }
                        put(transaction, table, ROWS);
                    }));
            SThread thief = scheduler.start("thief", 0, () -> {
                // Ends likewise.
                while (others.get() == null) {
                    SThread.current().yieldTurn();
                }
                try {
                    Transaction transaction = others.get();
                    assertThrows(WrongThreadException.class, transaction::savepoint);
                    assertThrows(WrongThreadException.class, transaction::commit);
                    assertThrows(WrongThreadException.class, transaction::rollback);
                } finally {
                    tried.set(true);
                }
            });
            scheduler.awaitTermination();
            assertNull(thief.failure(), () -> thief.failure().toString());
            assertNull(owner.failure(), () -> owner.failure().toString());
            assertEquals(ROWS + 1, DatabaseTest.ids(database, null).size());
        }
    }

    @Test
    void anybodyEndsWhatAThreadThatHasEndedLeft() throws Exception {
        Database database = validated.inMemory();
        Table table = fill(database);
        for (ThreadFactory threads :
                List.of(Thread.ofPlatform().factory(), Thread.ofVirtual().factory())) {
            Session left = onAThreadThatEnds(threads, new FutureTask<>(() -> {
                Session session = database.openSession();
                put(session.begin(), table, ROWS);
                return session;
            }));
            assertTrue(left.hasOpenTransaction());
            assertThrows(LeakedHandleException.class, left::close);
            assertTrue(database.instance().locks().isEmpty());
            assertEquals(ROWS, DatabaseTest.ids(database, null).size());
        }
    }

    /** One that the JVM could not suspend, here because what continues it throws, never ends as a virtual thread. */
    @Test
    void anybodyEndsWhatALostSThreadLeft() throws InterruptedException {
        Error thrown = new OutOfMemoryError("on purpose");
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(SThreadKind.VIRTUAL)
                .withCarriers(1)
                .withUncaughtExceptionHandler((thread, e) -> {});
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, scheduler);
            Table table = fill(database);
            AtomicReference<Session> left = new AtomicReference<>();
            SThread lost = scheduler.start("lost", 0, () -> {
                left.set(database.openSession());
                put(left.get().begin(), table, ROWS);
                while (true) {
                    LockSupport.park();
                }
            });
            // Runs when the other has parked.
            SThread losing = scheduler.start("losing", 0, () -> lose(lost, thrown));
            losing.join();
            assertNull(losing.failure(), () -> losing.failure().toString());
            lost.join();
            assertSame(thrown, lost.failure());
            assertTrue(left.get().hasOpenTransaction());
            assertThrows(LeakedHandleException.class, left.get()::close);
            assertTrue(database.instance().locks().isEmpty());
            assertEquals(ROWS, DatabaseTest.ids(database, null).size());
        }
    }

    private static void lose(SThread sThread, Error thrown) {
        Runnable throwing = () -> {
            throw thrown;
        };
        try {
            Field task = sThread.getClass().getDeclaredField("task");
            task.setAccessible(true);
            task.set(sThread, throwing);
            ((Executor) sThread).execute(throwing);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** One on a raw continuation ends while its carrier's thread, which is its own too, lives on. */
    @ParameterizedTest
    @CsvSource({"PLAIN,true", "VIRTUAL,true", "CONTINUATION,true", "PLAIN,false", "VIRTUAL,false", "CONTINUATION,false"
    })
    void anybodyEndsWhatAnSThreadThatHasEndedLeft(SThreadKind kind, boolean ofTheDatabase) throws InterruptedException {
        try (Scheduler scheduler =
                new Scheduler(SchedulerOptions.defaults().withKind(kind).withCarriers(1))) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, ofTheDatabase ? scheduler : null);
            Table table = fill(database);
            for (boolean fromOutside : new boolean[] {true, false}) {
                AtomicReference<Session> left = new AtomicReference<>();
                AtomicReference<Thread> thread = new AtomicReference<>();
                SThread leaving = scheduler.start("leaving", 0, () -> {
                    thread.set(Thread.currentThread());
                    left.set(database.openSession());
                    put(left.get().begin(), table, ROWS);
                });
                leaving.join();
                if (kind != SThreadKind.CONTINUATION) {
                    thread.get().join();
                }
                assertNull(leaving.failure(), () -> leaving.failure().toString());
                assertTrue(left.get().hasOpenTransaction());
                if (fromOutside) {
                    assertThrows(LeakedHandleException.class, left.get()::close);
                } else {
                    SThread ending = scheduler.start(
                            "ending", 0, () -> assertThrows(LeakedHandleException.class, left.get()::close));
                    ending.join();
                    assertNull(ending.failure(), () -> ending.failure().toString());
                }
                assertTrue(database.instance().locks().isEmpty());
                assertEquals(ROWS, DatabaseTest.ids(database, null).size());
            }
        }
    }

    @Test
    void aCloseRollsBackWhatNobodyElseCanEnd() throws Exception {
        Database database = validated.open(directory);
        Table table = fill(database);
        Session kept = database.openSession();
        put(kept.begin(), table, ROWS + 1);
        onAThreadThatEnds(Thread.ofPlatform().factory(), new FutureTask<>(() -> {
            put(database.openSession().begin(), table, ROWS);
            return true;
        }));
        TransactionsRunningException running = assertThrows(TransactionsRunningException.class, database::close);
        assertTrue(running.getMessage().contains("openTransactions=1"), running::getMessage);
        assertThrows(LeakedHandleException.class, kept::close);
        validated.close(database);
        Database again = validated.open(directory);
        assertEquals(ROWS, DatabaseTest.ids(again, null).size());
        validated.close(again);
    }

    /** What looks wrong beside a transaction is no damage, and must not be told as such. */
    @Test
    void aDatabaseWithOpenTransactionsIsNotValidated() {
        Database database = validated.inMemory();
        Table table = fill(database);
        Session session = database.openSession();
        put(session.begin(), table, ROWS);
        assertThrows(TransactionsRunningException.class, database::validate);
        assertThrows(LeakedHandleException.class, session::close);
        assertFalse(session.hasOpenTransaction());
        database.validate();
    }
}
