package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction whose thread does nothing is rolled back by the engine when it keeps too much log. */
class IdleTransactionTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private HeldStorage storage;
    private Path home;
    private Database database;
    private Table table;

    private void open() {
        open(null);
    }

    private void open(Scheduler schedulerOrNull) {
        open(schedulerOrNull, ValidatedDatabase.SMALLEST);
    }

    private void open(Scheduler schedulerOrNull, DatabaseOptions more) {
        home = scratch.resolve("database");
        storage = new HeldStorage(DiskStorage.INSTANCE);
        database = validated.track(ShortLogs.open(storage, home, more, schedulerOrNull));
        table = ShortLogs.fill(database);
    }

    private TransactionTable transactions() {
        return database.instance().transactions();
    }

    private Log log() {
        return database.instance().log();
    }

    private void rename(Transaction transaction, int id, String name) {
        Record row = table.newRecord();
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

    /** Others write more log than a transaction may keep. */
    private void writeLog() {
        long endLsn = log().tailLsn() + ShortLogs.TRANSACTION_LOG_BYTES;
        for (int i = 0; log().tailLsn() < endLsn; i++) {
            String name = String.valueOf((char) ('a' + i % 26)).repeat(200);
            database.run(transaction -> {
                for (int id = ShortLogs.ROWS / 2; id < ShortLogs.ROWS / 2 + 100; id++) {
                    rename(transaction, id, name);
                }
            });
        }
    }

    /** A transaction that keeps more log than it may. */
    private Transaction beginIdle(Session session) {
        Transaction idle = session.begin();
        rename(idle, 0, "changed");
        writeLog();
        return idle;
    }

    /** The session of one that is idle because its thread has ended. */
    private Session leftByItsThread() throws InterruptedException {
        AtomicReference<Session> left = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            left.set(database.openSession());
            beginIdle(left.get());
        });
        thread.join();
        return left.get();
    }

    /** The first checkpoint doubts, the second one takes; returns when the rollback has ended. */
    private void haveItRolledBack() {
        database.checkpoint();
        database.checkpoint();
        awaitNoLogKept();
    }

    /** The rollback has begun, and ends when the storage is released: it has to read a page. */
    private void haveItTakenAndHeldUp() {
        database.checkpoint();
        evict();
        storage.holdPageReads();
        database.checkpoint();
    }

    /** Reads so much else that the leaf of the changed row leaves the pool. */
    private void evict() {
        Table other = database.createTable(TableDefinition.named("other")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(1_000))
                .primaryKey("id")
                .build());
        for (int first = 0; first < 4_000; first += 100) {
            int begin = first;
            database.run(transaction -> {
                Record row = other.newRecord();
                for (int id = begin; id < begin + 100; id++) {
                    row.setInt(0, id);
                    row.setString(1, "x".repeat(1_000));
                    transaction.insert(other, row);
                }
            });
        }
    }

    private void awaitNoLogKept() {
        while (transactions().oldestFirstLsn() != Long.MAX_VALUE) {
            Thread.yield();
        }
    }

    @Test
    void itsLogAndItsLocksAreFree() {
        open();
        try (Session session = database.openSession()) {
            Transaction idle = session.begin();
            rename(idle, 0, "changed");
            long keptFrom = transactions().oldestFirstLsn();
            writeLog();
            writeLog();
            long recycledBefore = log().statistics().recycledSegmentCount();
            haveItRolledBack();
            database.run(transaction -> rename(transaction, 1, "free"));
            assertEquals(ShortLogs.NAME, nameOf(0));
            database.run(transaction -> rename(transaction, 0, "by another"));
            database.checkpoint();
            assertTrue(database.instance().logKeptFromLsn() > keptFrom);
            writeLog();
            assertTrue(log().statistics().recycledSegmentCount() > recycledBefore, "no segment was used again");
            TransactionTooLargeException tooLarge =
                    assertThrows(TransactionTooLargeException.class, () -> rename(idle, 2, "more"));
            assertTrue(
                    tooLarge.getMessage()
                            .matches("(?s).*: transaction=\\d+, logBytes=\\d+, transactionLogBytes=1048576\\."
                                    + " Remedy: call rollback\\(\\).*"),
                    tooLarge.getMessage());
            assertFalse(idle.isOpen());
            idle.rollback();
            Transaction next = session.begin();
            rename(next, 2, "next");
            next.commit();
        }
        assertEquals("by another", nameOf(0));
        assertEquals("next", nameOf(2));
    }

    /** Whatever the first call is: it tells, and after a rollback the session goes on. */
    @ParameterizedTest
    @ValueSource(strings = {"fetch", "update", "scan", "next", "savepoint", "rollbackTo", "commit", "begin"})
    void theNextCallTells(String call) {
        open();
        try (Session session = database.openSession()) {
            Transaction idle = session.begin();
            Record row = table.newRecord();
            Savepoint savepoint = idle.savepoint();
            rename(idle, 0, "changed");
            Cursor cursor = idle.scan(table);
            assertTrue(cursor.next(row));
            if (call.equals("commit") || call.equals("begin")) {
                cursor.close();
            }
            writeLog();
            haveItRolledBack();
            for (int again = 0; again < 2; again++) {
                assertThrows(TransactionTooLargeException.class, () -> {
                    switch (call) {
                        case "fetch" -> idle.fetch(table, table.newKey().add(3), row);
                        case "update" -> idle.update(table, row);
                        case "scan" -> idle.scan(table).next(row);
                        case "next" -> cursor.next(row);
                        case "savepoint" -> idle.savepoint();
                        case "rollbackTo" -> idle.rollbackTo(savepoint);
                        case "commit" -> idle.commit();
                        default -> session.begin();
                    }
                });
            }
            cursor.close();
            idle.rollback();
            assertThrows(TransactionStateException.class, idle::commit);
            assertEquals(ShortLogs.NAME, nameOf(0));
            session.call(database.transactionOptions(), transaction -> {
                rename(transaction, 0, "next");
                return null;
            });
        }
    }

    @Test
    void aRollbackOrACloseIsAlwaysPossible() {
        open();
        try (Session session = database.openSession()) {
            Transaction idle = beginIdle(session);
            haveItRolledBack();
            idle.rollback();
            assertFalse(idle.isOpen());
        }
        Session leaked = database.openSession();
        beginIdle(leaked);
        haveItRolledBack();
        assertThrows(LeakedHandleException.class, leaked::close);
        assertEquals(ShortLogs.NAME, nameOf(0));
    }

    /** Who got the error and never rolls back keeps the log as well. */
    @Test
    void oneThatCanOnlyBeRolledBackIsRolledBack() {
        open();
        try (Session session = database.openSession()) {
            Transaction idle = beginIdle(session);
            assertThrows(TransactionTooLargeException.class, () -> rename(idle, 1, "changed"));
            haveItRolledBack();
            assertEquals(ShortLogs.NAME, nameOf(0));
            assertThrows(TransactionTooLargeException.class, () -> rename(idle, 1, "changed"));
            idle.rollback();
        }
    }

    /** A thread that has ended without a word, and a database that is closed then. */
    @Test
    void oneOfAThreadThatHasEndedIsRolledBack() throws InterruptedException {
        open();
        leftByItsThread();
        haveItRolledBack();
        assertEquals(ShortLogs.NAME, nameOf(0));
        validated.close(database);
    }

    /** Between the look of a checkpoint at the log and its taking, the session may have begun another transaction. */
    @Test
    void whoHoldsNotTooMuchIsPutBack() {
        open();
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            rename(transaction, 0, "changed");
            transactions().checkLogLimits(ShortLogs.FAR_LSN);
            new IdleRollback(transaction.gate(), null).accept(log().tailLsn());
            rename(transaction, 1, "changed");
            transaction.commit();
        }
        assertEquals("changed", nameOf(0));
        assertEquals("changed", nameOf(1));
    }

    /** Where so many transactions may be open, it counts as long as it holds something, and once. */
    @Test
    void itsPlaceIsFree() {
        open(
                null,
                ValidatedDatabase.SMALLEST.toBuilder()
                        .openTransactionCountMax(2)
                        .build());
        try (Session session = database.openSession();
                Session other = database.openSession();
                Session third = database.openSession()) {
            Transaction idle = beginIdle(session);
            Transaction kept = other.begin();
            assertThrows(BusyException.class, third::begin);
            haveItRolledBack();
            // The place is free before the transaction is shown as gone.
            awaitNoneOpenBut(1);
            Transaction next = third.begin();
            idle.rollback();
            assertThrows(BusyException.class, session::begin);
            kept.commit();
            next.commit();
        }
    }

    /** However many are taken at once, one thread rolls them back. */
    @Test
    void manyAreRolledBackByOneThread() {
        open();
        List<Session> sessions = new ArrayList<>();
        for (int id = 0; id < 8; id++) {
            Session session = database.openSession();
            rename(session.begin(), id, "changed");
            sessions.add(session);
        }
        writeLog();
        haveItTakenAndHeldUp();
        Set<Thread> rollingBack = validated.engineThreads();
        rollingBack.removeIf(thread -> !thread.getName().equals("lockstep-idle-rollback"));
        storage.release();
        awaitNoLogKept();
        assertEquals(1, rollingBack.size());
        for (int id = 0; id < sessions.size(); id++) {
            assertThrows(LeakedHandleException.class, sessions.get(id)::close);
            assertEquals(ShortLogs.NAME, nameOf(id));
        }
    }

    /** As where the thread ended in the moment in which a rollback came, and no further one could be started. */
    @Test
    void aRollbackThatWasLeftWithoutAThreadGetsOneOfTheNextCheckpoint() {
        open();
        ThreadPoolExecutor rollbacks = database.instance().idleRollbacks();
        List<Session> sessions = new ArrayList<>();
        for (int id = 0; id < 2; id++) {
            Session session = database.openSession();
            rename(session.begin(), id, "changed");
            sessions.add(session);
        }
        writeLog();
        haveItTakenAndHeldUp();
        Runnable left = rollbacks.getQueue().remove();
        storage.release();
        while (rollbacks.getPoolSize() > 0) {
            Thread.yield();
        }
        rollbacks.getQueue().add(left);
        database.checkpoint();
        awaitNoLogKept();
        for (int id = 0; id < sessions.size(); id++) {
            assertThrows(LeakedHandleException.class, sessions.get(id)::close);
            assertEquals(ShortLogs.NAME, nameOf(id));
        }
    }

    /** A close is refused until the rollback has ended; then it needs nothing of the thread that does nothing. */
    @Test
    void aCloseNeedsOnlyTheRollback() {
        open();
        Session session = database.openSession();
        Transaction idle = beginIdle(session);
        haveItTakenAndHeldUp();
        assertThrows(TransactionsRunningException.class, database::close);
        storage.release();
        awaitNoLogKept();
        // The locks go after the log.
        assertEquals(ShortLogs.NAME, nameOf(0));
        awaitNoneOpenBut(0);
        validated.close(database);
        assertThrows(TransactionTooLargeException.class, idle::commit);
        assertThrows(LeakedHandleException.class, session::close);
        database = validated.track(Database.open(home, ValidatedDatabase.SMALLEST));
        table = database.table(table.name());
        assertEquals(ShortLogs.NAME, nameOf(0));
    }

    private void awaitNoneOpenBut(int count) {
        // Ends: the rollback has nothing left to wait for.
        while (database.status().transactions().size() > count) {
            Thread.yield();
        }
    }

    /** Who closes the session of a thread that has ended does not get in the way of the rollback that runs. */
    @Test
    void anHeirWaitsForTheRollback() throws InterruptedException {
        open();
        Session left = leftByItsThread();
        haveItTakenAndHeldUp();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread heir = Thread.ofPlatform().start(() -> {
            try {
                left.close();
            } catch (Throwable t) {
                thrown.set(t);
            }
        });
        awaitWaiting(heir);
        assertTrue(transactions().oldestFirstLsn() != Long.MAX_VALUE);
        storage.release();
        heir.join();
        assertEquals(LeakedHandleException.class, classOf(thrown.get()));
        assertEquals(Long.MAX_VALUE, transactions().oldestFirstLsn());
        assertEquals(ShortLogs.NAME, nameOf(0));
    }

    private static void awaitWaiting(Thread thread) {
        // Ends: the thread has nothing to do but to come there.
        while (thread.getState() != Thread.State.WAITING) {
            assertTrue(thread.isAlive());
            Thread.yield();
        }
    }

    /** What was never committed is in no snapshot, whoever takes it back and whoever changes the row then. */
    @Test
    void aSnapshotNeverSeesIt() {
        open();
        try (Session session = database.openSession();
                Session reader = database.openSession()) {
            Transaction idle = session.begin();
            rename(idle, 0, "changed");
            // A snapshot shows what is on disk.
            log().awaitDurable(log().tailLsn() - 1, new Waiter());
            Transaction snapshot = reader.begin(database.transactionOptions().readOnlySnapshot());
            Record read = table.newRecord();
            assertTrue(snapshot.fetch(table, table.newKey().add(0), read));
            assertEquals(ShortLogs.NAME, read.getString(1));
            writeLog();
            haveItRolledBack();
            database.run(transaction -> rename(transaction, 0, "by another"));
            assertTrue(snapshot.fetch(table, table.newKey().add(0), read));
            assertEquals(ShortLogs.NAME, read.getString(1));
            snapshot.commit();
            idle.rollback();
        }
        assertEquals("by another", nameOf(0));
    }

    /** One that is at work when the checkpoint looks goes on, however often that looks. */
    @Test
    void whoIsInsideACallIsLeftAlone() throws InterruptedException {
        open();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            rename(holder, 0, "held");
            Thread waiting = Thread.ofPlatform().start(() -> {
                try (Session other = database.openSession()) {
                    Transaction transaction = other.begin();
                    rename(transaction, 1, "changed");
                    rename(transaction, 0, "waited");
                    transaction.commit();
                } catch (Throwable t) {
                    failure.set(t);
                } finally {
                    ended.countDown();
                }
            });
            while (database.status().transactions().stream()
                    .noneMatch(transaction -> !transaction.waitsFor().isEmpty())) {
                Thread.yield();
            }
            holder.savepoint();
            for (int look = 0; look < 20; look++) {
                transactions().checkLogLimits(ShortLogs.FAR_LSN);
                // The holder is not idle either: it calls between two looks.
                holder.savepoint();
            }
            assertEquals(1, ended.getCount());
            holder.commit();
            waiting.join();
        }
        assertNull(failure.get());
        assertEquals("waited", nameOf(0));
        assertEquals("changed", nameOf(1));
    }

    /** The rollback is held up by a disk that does not answer; the thread comes back meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoComesBackDuringTheRollbackWaitsForIt(boolean rollsBack) throws InterruptedException {
        open();
        CountDownLatch changed = new CountDownLatch(1);
        CountDownLatch returns = new CountDownLatch(1);
        AtomicBoolean calls = new AtomicBoolean();
        AtomicBoolean called = new AtomicBoolean();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread owner = Thread.ofPlatform().start(() -> {
            Session session = database.openSession();
            Transaction idle = session.begin();
            try {
                rename(idle, 0, "changed");
                changed.countDown();
                returns.await();
                calls.set(true);
                if (rollsBack) {
                    idle.rollback();
                } else {
                    idle.fetch(table, table.newKey().add(1), table.newRecord());
                }
            } catch (Throwable t) {
                thrown.set(t);
            } finally {
                called.set(true);
                idle.rollback();
                session.close();
            }
        });
        changed.await();
        writeLog();
        haveItTakenAndHeldUp();
        returns.countDown();
        // Inside a call, where only the end of the rollback lets it go on.
        while (!calls.get()) {
            Thread.onSpinWait();
        }
        awaitWaiting(owner);
        assertFalse(called.get());
        assertTrue(transactions().oldestFirstLsn() != Long.MAX_VALUE);
        storage.release();
        owner.join();
        assertEquals(rollsBack ? null : TransactionTooLargeException.class, classOf(thrown.get()));
        assertEquals(ShortLogs.NAME, nameOf(0));
        assertEquals(Long.MAX_VALUE, transactions().oldestFirstLsn());
    }

    /** Where its S-thread cannot be suspended it blocks its carrier; what it leaves can be rolled back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoComesBackPinnedWaitsForItToo(boolean rollsBack) throws InterruptedException {
        CountDownLatch changed = new CountDownLatch(1);
        CountDownLatch returns = new CountDownLatch(1);
        AtomicReference<Thread> carrier = new AtomicReference<>();
        AtomicBoolean called = new AtomicBoolean();
        AtomicReference<Throwable> pinnedFailure = new AtomicReference<>();
        try (Scheduler scheduler = new Scheduler(
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1))) {
            open(scheduler);
            SThread owner = scheduler.start("owner", 0, () -> {
                Session session = database.openSession();
                Transaction idle = session.begin();
                rename(idle, 0, "changed");
                PinnedWork pinned = new PinnedWork(() -> {
                    if (rollsBack) {
                        idle.rollback();
                    } else {
                        idle.fetch(table, table.newKey().add(1), table.newRecord());
                    }
                });
                changed.countDown();
                awaitUninterrupted(returns);
                carrier.set(Thread.currentThread());
                pinned.run();
                pinnedFailure.set(pinned.failure());
                called.set(true);
                idle.rollback();
                session.close();
            });
            changed.await();
            writeLog();
            haveItTakenAndHeldUp();
            returns.countDown();
            // Ends: the S-thread has nothing to do but to come there, or to fail.
            while (!called.get() && !isParked(carrier.get())) {
                Thread.onSpinWait();
            }
            storage.release();
            owner.join();
            assertNull(owner.failure(), () -> "" + owner.failure());
        }
        assertEquals(rollsBack ? null : TransactionTooLargeException.class, classOf(pinnedFailure.get()));
        assertFalse(database.instance().health().isFailed());
        assertEquals(ShortLogs.NAME, nameOf(0));
    }

    private static boolean isParked(Thread threadOrNull) {
        return threadOrNull != null && threadOrNull.getState() == Thread.State.TIMED_WAITING;
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Only the transaction's own thread is told that the rollback has ended. */
    @Test
    void anotherThreadsBeginIsRefusedDuringTheRollback() throws InterruptedException {
        open();
        Session session = database.openSession();
        CountDownLatch changed = new CountDownLatch(1);
        CountDownLatch returns = new CountDownLatch(1);
        Worker owner = new Worker(() -> {
            Transaction idle = session.begin();
            rename(idle, 0, "changed");
            changed.countDown();
            awaitUninterrupted(returns);
            idle.rollback();
        });
        changed.await();
        writeLog();
        haveItTakenAndHeldUp();
        returns.countDown();
        owner.awaitParkedIn("awaitUninterruptibly");
        Worker another = new Worker(() -> assertThrows(TransactionStateException.class, session::begin));
        another.awaitEndOrParkedIn("awaitUninterruptibly");
        boolean waits = another.isAlive();
        storage.release();
        assertFalse(waits, "it waits in the place of the owner");
        owner.join();
        another.join();
        assertNull(owner.failure(), () -> "" + owner.failure());
        assertNull(another.failure(), () -> "" + another.failure());
        session.begin().commit();
        session.close();
        assertEquals(ShortLogs.NAME, nameOf(0));
    }

    private static Class<?> classOf(Throwable thrownOrNull) {
        return thrownOrNull == null ? null : thrownOrNull.getClass();
    }
}
