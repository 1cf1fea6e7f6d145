package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The four isolation levels by exact schedules of two transactions. A step either ends or is seen to wait for a lock
 * before the next step of the schedule begins.
 */
class IsolationTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;
    private Actor first;
    private Actor second;

    @BeforeEach
    void begin() {
        database = validated.inMemory();
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 10; id <= 50; id += 10) {
                DatabaseTest.put(transaction, table, row, id, "n", id);
            }
        });
        first = new Actor(database, table, "first");
        second = new Actor(database, table, "second");
    }

    @AfterEach
    void end() throws Exception {
        first.close();
        second.close();
    }

    private TransactionOptions at(Isolation level) {
        return database.transactionOptions().withIsolation(level);
    }

    private long amount(int id) {
        return database.call(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            return row.getLong(2);
        });
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void dirtyReads(Isolation level) throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.add(10, 1_000));
        second.run(actor -> actor.begin(at(level)));
        Future<Long> read = second.start(actor -> actor.amount(10));
        if (level == Isolation.READ_UNCOMMITTED) {
            assertEquals(1_010, read.get());
            first.run(Actor::rollback);
        } else {
            second.awaitLockWait(read);
            first.run(Actor::rollback);
            assertEquals(10, read.get());
        }
        second.run(Actor::commit);
        assertEquals(10, amount(10));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void dirtyScans(Isolation level) throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.insert(15, 15));
        first.run(actor -> actor.delete(40));
        second.run(actor -> actor.begin(at(level)));
        Future<List<Integer>> read = second.start(actor -> actor.ids(10, 50));
        if (level == Isolation.READ_UNCOMMITTED) {
            assertEquals(List.of(10, 15, 20, 30, 50), read.get());
            first.run(Actor::rollback);
        } else {
            second.awaitLockWait(read);
            first.run(Actor::rollback);
            assertEquals(List.of(10, 20, 30, 40, 50), read.get());
        }
        second.run(Actor::commit);
    }

    /** How READ COMMITTED comes to a row. */
    private enum Way {
        FETCH {
            @Override
            void read(Transaction transaction, Table table, RowBatch batch) {
                Record row = table.newRecord();
                batch.addKey().add(10);
                if (transaction.fetch(table, table.newKey().add(10), row)) {
                    batch.record(0).copyFrom(row);
                }
            }
        },
        FETCH_BATCH {
            @Override
            void read(Transaction transaction, Table table, RowBatch batch) {
                batch.addKey().add(10);
                transaction.fetch(table, batch);
            }
        },
        SCAN {
            @Override
            void read(Transaction transaction, Table table, RowBatch batch) {
                try (Cursor cursor =
                        transaction.scan(table).within(table.newKey().add(10))) {
                    cursor.next(batch);
                }
            }
        },
        SCAN_OF_INDEX {
            @Override
            void read(Transaction transaction, Table table, RowBatch batch) {
                try (Cursor cursor = transaction
                        .scan(table, "by_amount")
                        .to(table.newIndexKey("by_amount").add(1_010L))
                        .backward()) {
                    cursor.next(batch);
                }
            }
        };

        abstract void read(Transaction transaction, Table table, RowBatch batch);

        long amount(Transaction transaction, Table table) {
            RowBatch batch = table.newBatch(1);
            read(transaction, table, batch);
            return batch.record(0).getLong(2);
        }
    }

    /** So many that whoever asks what has ended is told anew. */
    private void commitMany() {
        for (int i = 0; i < 200; i++) {
            database.run(transaction -> second.addIn(transaction, 50, 1));
        }
    }

    /** However many have come and gone since the writer began, it has not ended. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void dirtyReadsOfTheOldestTransaction(Way way) throws Exception {
        commitMany();
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.add(10, 1_000));
        commitMany();
        Future<Void> read = second.start(actor -> actor.call(
                at(Isolation.READ_COMMITTED), transaction -> assertEquals(1_010, way.amount(transaction, table))));
        second.awaitLockWait(read);
        first.run(Actor::commit);
        read.get();
    }

    /** The same where the change has been taken back but for its first half. */
    @Test
    void dirtyReadsBehindASavepoint() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.addAndTakeBack(10, 1_000));
        commitMany();
        Future<Void> read = second.start(actor -> actor.call(
                at(Isolation.READ_COMMITTED), transaction -> assertEquals(10, Way.FETCH.amount(transaction, table))));
        second.awaitLockWait(read);
        first.run(Actor::rollback);
        read.get();
    }

    /** An insert of a key that is taken locks the row and leaves it as it is: that is known without asking the lock. */
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"FETCH", "FETCH_BATCH", "SCAN"})
    void whatHasLongBeenCommittedIsReadPastItsLock(Way way) throws Exception {
        commitMany();
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        assertInstanceOf(DuplicateKeyException.class, first.failure(actor -> actor.insert(10, 1)));
        second.run(actor -> actor.call(
                at(Isolation.READ_COMMITTED), transaction -> assertEquals(10, way.amount(transaction, table))));
        first.run(Actor::rollback);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void nonRepeatableReads(Isolation level) throws Exception {
        boolean locks = level.compareTo(Isolation.REPEATABLE_READ) >= 0;
        first.run(actor -> actor.begin(at(level)));
        assertEquals(Long.valueOf(10L), first.run(actor -> actor.amount(10)));
        second.run(actor -> actor.begin(at(level)));
        Future<Void> change = second.start(actor -> actor.add(10, 5));
        if (locks) {
            second.awaitLockWait(change);
        } else {
            change.get();
            second.run(Actor::commit);
        }
        assertEquals(Long.valueOf(locks ? 10L : 15L), first.run(actor -> actor.amount(10)));
        first.run(Actor::commit);
        if (locks) {
            change.get();
            second.run(Actor::commit);
        }
        assertEquals(15, amount(10));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void phantoms(Isolation level) throws Exception {
        phantoms(level, false);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void phantomsOfABackwardScan(Isolation level) throws Exception {
        phantoms(level, true);
    }

    private void phantoms(Isolation level, boolean backward) throws Exception {
        boolean locks = level == Isolation.SERIALIZABLE;
        first.run(actor -> actor.begin(at(level)));
        List<Integer> before = first.run(actor -> actor.ids(15, 35, backward));
        assertEquals(backward ? List.of(30, 20) : List.of(20, 30), before);
        second.run(actor -> actor.begin(at(level)));
        Future<Void> insert = second.start(actor -> actor.insert(35, 35));
        if (locks) {
            second.awaitLockWait(insert);
            assertEquals(before, first.run(actor -> actor.ids(15, 35, backward)));
            first.run(Actor::commit);
            insert.get();
            second.run(Actor::commit);
        } else {
            insert.get();
            second.run(Actor::commit);
            assertEquals(
                    backward ? List.of(35, 30, 20) : List.of(20, 30, 35),
                    first.run(actor -> actor.ids(15, 35, backward)));
            first.run(Actor::commit);
        }
    }

    /** Beyond the ends of the range, and in a table without rows there, inserts go on. */
    @Test
    void aSerializableScanLocksNoMoreThanItsRange() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.ids(15, 25));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        second.run(actor -> actor.insert(5, 5));
        second.run(actor -> actor.insert(45, 45));
        second.run(Actor::commit);
        first.run(Actor::commit);
    }

    @Test
    void anAbsentKeyStaysAbsent() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        assertNull(first.run(actor -> actor.amount(25)));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        Future<Void> insert = second.start(actor -> actor.insert(25, 25));
        second.awaitLockWait(insert);
        assertNull(first.run(actor -> actor.amount(25)));
        first.run(Actor::commit);
        insert.get();
        second.run(Actor::commit);
    }

    /** Read, then write back what was read plus something: the first writer's change is lost, or one has to give up. */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void lostUpdates(Isolation level) throws Exception {
        boolean locks = level.compareTo(Isolation.REPEATABLE_READ) >= 0;
        first.run(actor -> actor.begin(at(level)));
        second.run(actor -> actor.begin(at(level)));
        first.run(actor -> actor.amount(10));
        second.run(actor -> actor.amount(10));
        Future<Void> one = first.start(actor -> actor.writeBack(1));
        if (!locks) {
            one.get();
            first.run(Actor::commit);
            second.run(actor -> actor.writeBack(100));
            second.run(Actor::commit);
            assertEquals(110, amount(10));
            return;
        }
        first.awaitLockWait(one);
        Future<Void> other = second.start(actor -> actor.writeBack(100));
        assertEquals(1, finishAllButVictims(one, other));
        assertTrue(List.of(11L, 110L).contains(amount(10)), () -> "amount=" + amount(10));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void writeSkew(Isolation level) throws Exception {
        boolean locks = level.compareTo(Isolation.REPEATABLE_READ) >= 0;
        first.run(actor -> actor.begin(at(level)));
        second.run(actor -> actor.begin(at(level)));
        assertEquals(Long.valueOf(30), first.run(actor -> actor.amount(10) + actor.amount(20)));
        assertEquals(Long.valueOf(30), second.run(actor -> actor.amount(10) + actor.amount(20)));
        Future<Void> one = first.start(actor -> actor.set(10, -20));
        if (!locks) {
            one.get();
            second.run(actor -> actor.set(20, -20));
            first.run(Actor::commit);
            second.run(Actor::commit);
            assertEquals(-40, amount(10) + amount(20));
            return;
        }
        first.awaitLockWait(one);
        Future<Void> other = second.start(actor -> actor.set(20, -20));
        assertEquals(1, finishAllButVictims(one, other));
        assertTrue(amount(10) + amount(20) >= -10);
    }

    /** Commits those that got through and rolls the others back; returns the number of victims. */
    private int finishAllButVictims(Future<Void> one, Future<Void> other) throws Exception {
        return finish(first, one, second, other);
    }

    private static int finish(Actor owner, Future<Void> step, Actor otherOwner, Future<Void> otherStep)
            throws Exception {
        Actor victim = Actor.awaitFirstFailure(owner, step, otherOwner, otherStep);
        Future<Void> failed = victim == owner ? step : otherStep;
        ExecutionException thrown = assertThrows(ExecutionException.class, failed::get);
        DeadlockException deadlock = assertInstanceOf(DeadlockException.class, thrown.getCause());
        assertTrue(deadlock.isRetryable());
        assertTrue(deadlock.getMessage().contains("cycle="), deadlock.getMessage());
        victim.run(Actor::rollback);
        (victim == owner ? otherStep : step).get();
        (victim == owner ? otherOwner : owner).run(Actor::commit);
        return 1;
    }

    @Test
    void fetchForUpdatePreventsConversionDeadlocks() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.fetchForUpdate(10));
        Future<Void> waits = second.start(actor -> actor.fetchForUpdate(10));
        second.awaitLockWait(waits);
        first.run(actor -> actor.writeBack(1));
        first.run(Actor::commit);
        waits.get();
        second.run(actor -> actor.writeBack(100));
        second.run(Actor::commit);
        assertEquals(111, amount(10));
        assertEquals(0, database.statistics().deadlocks());
    }

    @Test
    void readersPassOneThatFetchedForUpdate() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.fetchForUpdate(10));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        assertEquals(Long.valueOf(10L), second.run(actor -> actor.amount(10)));
        second.run(Actor::commit);
        first.run(actor -> actor.writeBack(1));
        first.run(Actor::commit);
    }

    @Test
    void aDeadlockIsRetriedIfAsked() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        // It began first, so that the other is the victim.
        first.run(actor -> actor.add(20, 1));
        Future<Void> retried =
                second.start(actor -> actor.call(at(Isolation.SERIALIZABLE).withRetries(5), transaction -> {
                    attempts.incrementAndGet();
                    actor.addIn(transaction, 10, 100);
                    actor.addIn(transaction, 20, 100);
                }));
        second.awaitLockWait(retried);
        first.run(actor -> actor.add(10, 1));
        first.run(Actor::commit);
        retried.get();
        assertEquals(2, attempts.get());
        assertEquals(111, amount(10));
        assertEquals(121, amount(20));
        assertEquals(1, database.statistics().deadlocks());
    }

    /** What it has committed by itself it would commit twice. */
    @Test
    void workThatHasEndedItsTransactionIsNotTriedAgain() {
        AtomicInteger attempts = new AtomicInteger();
        try (Session session = database.openSession()) {
            assertThrows(
                    DeadlockException.class,
                    () -> session.call(
                            TransactionOptions.of(ValidatedDatabase.USUAL).withRetries(3), transaction -> {
                                attempts.incrementAndGet();
                                transaction.commit();
                                throw new DeadlockException("of another database");
                            }));
        }
        assertEquals(1, attempts.get());
    }

    /** Each attempt begins anew, and the last one's exception is the one that is thrown. */
    @Test
    void whatTryingAgainMayMendIsTriedAgainAsOftenAsAsked() {
        List<Function<String, RuntimeException>> retryable =
                List.of(DeadlockException::new, LockTimeoutException::new, TransactionTimeoutException::new);
        for (Function<String, RuntimeException> failure : retryable) {
            assertEquals(4, attempts(3, failure));
            assertEquals(1, attempts(0, failure));
        }
    }

    @Test
    void whatTryingAgainDoesNotMendIsTriedOnce() {
        assertEquals(1, attempts(3, SchemaException::new));
        assertEquals(1, attempts(3, IllegalStateException::new));
    }

    /** How often a transaction is run that fails each time, after it has changed a row. */
    private int attempts(int retries, Function<String, RuntimeException> failure) {
        List<RuntimeException> thrown = new ArrayList<>();
        TransactionOptions options = at(Isolation.SERIALIZABLE).withRetries(retries);
        RuntimeException last = assertThrows(
                RuntimeException.class,
                () -> database.run(options, transaction -> {
                    Record row = table.newRecord();
                    assertTrue(transaction.fetchForUpdate(table, table.newKey().add(10), row));
                    assertEquals(10, row.getLong(2));
                    row.setLong(2, 7);
                    assertTrue(transaction.update(table, row));
                    thrown.add(failure.apply("attempt " + thrown.size()));
                    throw thrown.getLast();
                }));
        assertSame(thrown.getLast(), last);
        TransactionOptions impatient = at(Isolation.SERIALIZABLE).withLockTimeout(Duration.ZERO);
        database.run(impatient, transaction -> transaction.lockShared(table));
        assertEquals(10, amount(10));
        return thrown.size();
    }

    /** A row in overflow pages is read under a lock, which who reads without locks does not keep. */
    @ParameterizedTest
    @EnumSource(
            value = Isolation.class,
            names = {"READ_UNCOMMITTED", "READ_COMMITTED"})
    void aLargeRowThatWasReadIsNotLocked(Isolation level) {
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 100; id < 103; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(4_000), id);
            }
        });
        try (Session reading = database.openSession();
                Session writing = database.openSession()) {
            Transaction reader = reading.begin(at(level));
            Record row = table.newRecord();
            assertTrue(reader.fetch(table, table.newKey().add(100), row));
            try (Cursor cursor = reader.scan(table).from(table.newKey().add(100))) {
                while (cursor.next(row)) {
                    assertEquals(4_000, row.getString(1).length());
                }
            }
            Transaction writer = writing.begin(at(Isolation.SERIALIZABLE).withLockTimeout(Duration.ZERO));
            for (int id = 100; id < 103; id++) {
                assertTrue(writer.fetchForUpdate(table, table.newKey().add(id), row));
                row.setLong(2, 7);
                assertTrue(writer.update(table, row));
            }
            writer.commit();
            reader.commit();
        }
    }

    /** Who does not wait closes no circle: the other only has to wait for the rollback. */
    @Test
    void whoDoesNotWaitMakesNobodyAVictim() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE).withLockTimeout(Duration.ZERO)));
        first.run(actor -> actor.add(10, 1));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        second.run(actor -> actor.add(20, 1));
        Future<?> waits = second.start(actor -> actor.add(10, 1));
        second.awaitLockWait(waits);
        assertInstanceOf(LockTimeoutException.class, first.failure(actor -> actor.add(20, 1)));
        first.run(Actor::rollback);
        waits.get();
        second.run(Actor::commit);
    }

    @Test
    void aLockWaitEndsWithItsLimit() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.add(10, 1));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE).withLockTimeout(Duration.ofMillis(20))));
        Throwable thrown = second.failure(actor -> actor.amount(10));
        assertTrue(assertInstanceOf(LockTimeoutException.class, thrown).isRetryable());
        assertInstanceOf(TransactionStateException.class, second.failure(actor -> actor.amount(20)));
        second.run(Actor::rollback);
        first.run(Actor::commit);
    }

    @Test
    void aLockWaitEndsWithTheLimitOfTheTransaction() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.add(10, 1));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE).withTimeout(Duration.ofMillis(20))));
        Throwable thrown = second.failure(actor -> actor.amount(10));
        assertTrue(assertInstanceOf(TransactionTimeoutException.class, thrown).isRetryable());
        second.run(Actor::rollback);
        first.run(Actor::commit);
    }

    /** The entry was read, the row was waited for, and then it no longer had the value by which it was found. */
    @Test
    void anIndexScanReturnsNoRowOutsideItsRange() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.rename(20, "other"));
        second.run(actor -> actor.begin(at(Isolation.READ_COMMITTED)));
        Future<List<Long>> scan = second.start(actor -> actor.amountsByIndex(15, 35));
        second.awaitLockWait(scan);
        first.run(actor -> actor.set(20, 500));
        first.run(Actor::commit);
        assertEquals(List.of(30L), scan.get());
        second.run(Actor::commit);
    }

    /** Ghosts that somebody's locks protect stay, and go with the next transaction that meets them. */
    @Test
    void aDeletedRowStaysLockedUntilTheEnd() throws Exception {
        first.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        first.run(actor -> actor.delete(20));
        second.run(actor -> actor.begin(at(Isolation.SERIALIZABLE)));
        Future<Void> insert = second.start(actor -> actor.insert(20, 7));
        second.awaitLockWait(insert);
        first.run(Actor::commit);
        insert.get();
        second.run(Actor::commit);
        assertEquals(7, amount(20));
        List<Integer> all = new ArrayList<>(DatabaseTest.ids(database, null));
        assertEquals(List.of(10, 20, 30, 40, 50), all);
    }
}
