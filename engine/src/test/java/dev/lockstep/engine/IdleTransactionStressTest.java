package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads come back at any moment of being doubted, taken and rolled back by the engine, with every kind of call. What
 * they were told decides what there must be.
 */
class IdleTransactionStressTest {
    private static final int AMOUNT = 2;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Database database;
    private Table table;

    private void open(Scheduler schedulerOrNull) {
        database = validated.track(ShortLogs.open(
                DiskStorage.INSTANCE, scratch.resolve("database"), ValidatedDatabase.SMALLEST, schedulerOrNull));
        table = ShortLogs.fill(database);
    }

    @ParameterizedTest
    @ValueSource(strings = {"THREADS", "VIRTUAL", "CONTINUATION"})
    void whatIsToldIsWhatIsThere(String kind, TestReporter reporter) throws InterruptedException {
        if (kind.equals("THREADS")) {
            open(null);
            runWorkers(null, reporter);
            return;
        }
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(SThreadKind.valueOf(kind))
                .withCarriers(2)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            open(scheduler);
            runWorkers(scheduler, reporter);
            validated.close(database);
        }
    }

    private void runWorkers(Scheduler schedulerOrNull, TestReporter reporter) throws InterruptedException {
        long[] committed = new long[4];
        long[] refused = new long[4];
        // Before anyone looks: this too may be taken where it stops between two statements.
        for (int worker = 0; worker < committed.length; worker++) {
            clearAmounts(worker);
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicLong looks = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < committed.length; i++) {
            int worker = i;
            Runnable work = () -> {
                try {
                    work(worker, committed, refused, looks);
                } catch (Throwable t) {
                    failure.set(t);
                }
            };
            if (schedulerOrNull != null) {
                schedulerOrNull.start("worker-" + worker, -1, work);
            } else if (i % 2 == 0) {
                threads.add(Thread.ofPlatform().start(work));
            } else {
                threads.add(Thread.ofVirtual().start(work));
            }
        }
        Thread checkpointer = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                database.instance().transactions().checkLogLimits(ShortLogs.FAR_LSN);
                looks.incrementAndGet();
                Thread.yield();
            }
        });
        for (Thread thread : threads) {
            thread.join();
        }
        if (schedulerOrNull != null) {
            schedulerOrNull.awaitTermination();
        }
        done.set(true);
        checkpointer.join();
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
        long committedAll = 0;
        long refusedAll = 0;
        for (int worker = 0; worker < committed.length; worker++) {
            committedAll += committed[worker];
            refusedAll += refused[worker];
            assertEquals(committed[worker], amountOf(worker));
            assertEquals(-committed[worker], amountOf(worker + 100));
        }
        reporter.publishEntry(
                Map.of("committed", Long.toString(committedAll), "rolledBack", Long.toString(refusedAll)));
        assertTrue(committedAll > 0 && refusedAll > 0, "committed=" + committedAll + " refused=" + refusedAll);
    }

    private long amountOf(int id) {
        return database.call(transaction -> {
            Record read = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), read));
            return read.getLong(AMOUNT);
        });
    }

    private void clearAmounts(int worker) {
        database.run(transaction -> {
            add(transaction, worker, -amount(transaction, worker));
            add(transaction, worker + 100, -amount(transaction, worker + 100));
        });
    }

    private void work(int worker, long[] committed, long[] refused, AtomicLong looks) {
        Random random = new Random(worker);
        try (Session session = database.openSession()) {
            for (int i = 0; i < 2_000; i++) {
                Transaction transaction = session.begin();
                try {
                    add(transaction, worker, 1);
                    pause(random, looks);
                    if (random.nextInt(4) == 0) {
                        transaction.rollbackTo(transaction.savepoint());
                    }
                    if (random.nextInt(4) == 0) {
                        assertTrue(transaction.delete(table, table.newKey().add(worker + 200)));
                        DatabaseTest.put(transaction, table, table.newRecord(), worker + 200, ShortLogs.NAME, i);
                    }
                    add(transaction, worker + 100, -1);
                    pause(random, looks);
                    if (random.nextInt(8) == 0) {
                        transaction.rollback();
                    } else {
                        transaction.commit();
                        committed[worker]++;
                    }
                } catch (LockstepException failure) {
                    // Entries of the index are neighbours, so there may be deadlocks as well.
                    assertTrue(
                            failure instanceof TransactionTooLargeException || failure.isRetryable(),
                            () -> "" + failure);
                    refused[worker] += failure.isRetryable() ? 0 : 1;
                    transaction.rollback();
                }
            }
        }
    }

    /** Mostly goes on at once, sometimes for about as long as it takes to be doubted, or taken. */
    private static void pause(Random random, AtomicLong looks) {
        if (random.nextInt(6) == 0) {
            long until = looks.get() + random.nextInt(4);
            while (looks.get() < until) {
                if (SThread.current() == null) {
                    Thread.yield();
                } else {
                    SThread.current().yieldTurn();
                }
            }
        }
        for (int i = random.nextInt(3) == 0 ? random.nextInt(300) : 0; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    private long amount(Transaction transaction, int id) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        return row.getLong(AMOUNT);
    }

    private void add(Transaction transaction, int id, long amount) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setLong(AMOUNT, row.getLong(AMOUNT) + amount);
        assertTrue(transaction.update(table, row));
    }
}
