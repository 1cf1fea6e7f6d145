package dev.lockstep.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Recovery over counters: crashes of the machine at every change of the file system, during undo too. */
class RecoveryTest {
    private static final long SEED = 524_287L;
    private static final int STEP_COUNT = 900;
    private static final int RUNNING_MAX = 6;

    /** A change that its transaction may take back. */
    private record Change(long lsn, long previousLsn, int counter, long delta) {}

    /** A transaction of the model. Counters belong to one running transaction at a time, as under locks. */
    private static final class Transaction {
        private final long id;
        private final Deque<Change> changes = new ArrayDeque<>();
        private final List<Integer> counters = new ArrayList<>();
        private final Map<Integer, Long> sums = new HashMap<>();
        private long lastLsn;

        Transaction(long id) {
            this.id = id;
        }
    }

    /** Runs random transactions on a toy database and knows what must be there after a crash. */
    private static final class Model {
        private final long seed;
        private final Random random;
        private final FaultyStorage storage;
        private final ToyDatabase.Disk disk = new ToyDatabase.Disk();
        private final List<Transaction> running = new ArrayList<>();
        private final boolean[] owned = new boolean[ToyDatabase.COUNTER_COUNT];

        /** Transactions whose commit record was appended, in that order, and how many of them were acknowledged. */
        private final List<Transaction> committed = new ArrayList<>();

        private int acknowledgedCount;
        private long nextId = 1;

        Model(long seed) {
            this.seed = seed;
            random = new Random(seed);
            storage = new FaultyStorage(seed);
        }

        ToyDatabase openDatabase() {
            ToyDatabase database = new ToyDatabase(storage, disk);
            database.open();
            return database;
        }

        /** Runs transactions until done or stopped; returns whether the machine was not stopped. */
        boolean work(int stepCount) {
            ToyDatabase database = new ToyDatabase(storage, disk);
            try {
                database.open();
                try (Checkpointer checkpointer = database.startCheckpointer(Long.MAX_VALUE)) {
                    for (int i = 0; i < stepCount; i++) {
                        step(database, checkpointer);
                    }
                }
                return true;
            } catch (LockstepException e) {
                assertTrue(storage.isCrashed(), () -> "seed=" + seed + " " + e);
                return false;
            } finally {
                if (database.log != null) {
                    // As a killed process does: nothing more is made durable once the machine has stopped.
                    database.log.close();
                }
            }
        }

        private void step(ToyDatabase database, Checkpointer checkpointer) {
            int kind = random.nextInt(100);
            if (running.isEmpty() || (kind < 10 && running.size() < RUNNING_MAX)) {
                running.add(new Transaction(nextId++));
            } else if (kind < 70) {
                add(database, pick());
            } else if (kind < 78) {
                commit(database, pick());
            } else if (kind < 84) {
                takeBack(database, pick(), random.nextInt(4));
            } else if (kind < 88) {
                rollBack(database, pick());
            } else if (kind < 98) {
                database.evict(random.nextInt(ToyDatabase.COUNTER_COUNT), database.waiter);
            } else {
                checkpointer.checkpoint(random.nextBoolean(), database.waiter);
            }
        }

        private Transaction pick() {
            return running.get(random.nextInt(running.size()));
        }

        private void add(ToyDatabase database, Transaction transaction) {
            int counter = random.nextInt(ToyDatabase.COUNTER_COUNT);
            if (owned[counter] && !transaction.counters.contains(counter)) {
                return;
            }
            if (!owned[counter]) {
                owned[counter] = true;
                transaction.counters.add(counter);
            }
            long delta = random.nextInt(1_000) - 300L;
            long previousLsn = transaction.lastLsn;
            transaction.lastLsn = database.add(transaction.id, previousLsn, counter, delta);
            transaction.changes.push(new Change(transaction.lastLsn, previousLsn, counter, delta));
            transaction.sums.merge(counter, delta, Long::sum);
        }

        /** Back to a savepoint. */
        private void takeBack(ToyDatabase database, Transaction transaction, int count) {
            for (int i = 0; i < count && !transaction.changes.isEmpty(); i++) {
                Change change = transaction.changes.pop();
                transaction.lastLsn = database.compensate(
                        transaction.id, transaction.lastLsn, change.previousLsn(), change.counter(), -change.delta());
                transaction.sums.merge(change.counter(), -change.delta(), Long::sum);
            }
        }

        private void rollBack(ToyDatabase database, Transaction transaction) {
            takeBack(database, transaction, Integer.MAX_VALUE);
            database.end(LogRecordType.ABORT_END, transaction.id, transaction.lastLsn, 0);
            release(transaction);
        }

        private void commit(ToyDatabase database, Transaction transaction) {
            committed.add(transaction);
            long lsn = database.end(LogRecordType.COMMIT, transaction.id, transaction.lastLsn, 0);
            release(transaction);
            if (random.nextInt(4) > 0) {
                database.log.awaitDurable(lsn, database.waiter);
                acknowledgedCount = committed.size();
            }
        }

        private void release(Transaction transaction) {
            running.remove(transaction);
            for (int counter : transaction.counters) {
                owned[counter] = false;
            }
        }

        /**
         * Checks that the database holds the sum of a prefix of the commits that contains all acknowledged ones, and
         * forgets the others.
         */
        void verify(ToyDatabase database) {
            long[] sums = new long[ToyDatabase.COUNTER_COUNT];
            int prefix = -1;
            for (int count = 0; count <= committed.size(); count++) {
                if (count > 0) {
                    committed.get(count - 1).sums.forEach((counter, sum) -> sums[counter] += sum);
                }
                if (count >= acknowledgedCount && equal(sums, database)) {
                    prefix = count;
                }
            }
            assertTrue(
                    prefix >= 0,
                    () -> "seed=" + seed + " acknowledged=" + acknowledgedCount + " committed=" + committed.size()
                            + " found=" + found(database));
            committed.subList(prefix, committed.size()).clear();
            running.clear();
            Arrays.fill(owned, false);
        }

        private static boolean equal(long[] sums, ToyDatabase database) {
            for (int counter = 0; counter < sums.length; counter++) {
                if (sums[counter] != database.value(counter)) {
                    return false;
                }
            }
            return true;
        }

        private static String found(ToyDatabase database) {
            long[] values = new long[ToyDatabase.COUNTER_COUNT];
            Arrays.setAll(values, database::value);
            return Arrays.toString(values);
        }
    }

    @Test
    void aCrashAtEveryChangeOfTheWorkloadAndThenOfTheRecovery() {
        int change = 1;
        int recoveriesStopped = 0;
        boolean through = false;
        // Ends because the workload has finitely many changes.
        while (!through) {
            Model model = new Model(SEED + change);
            model.storage.crashAtChange(change);
            through = model.work(STEP_COUNT);
            model.storage.crash();
            int recoveryChange = 1;
            boolean recovered = false;
            // Ends because a recovery has finitely many changes: each round lets it get one further.
            while (!recovered) {
                model.storage.crashAtChange(recoveryChange);
                recovered = tryRecover(model);
                model.storage.crash();
                recoveryChange++;
            }
            recoveriesStopped += recoveryChange - 2;
            ToyDatabase database = model.openDatabase();
            model.verify(database);
            database.log.close();
            change += change < 40 ? 1 : 5;
        }
        assertTrue(change > 200, "change=" + change);
        assertTrue(recoveriesStopped > 200, "recoveriesStopped=" + recoveriesStopped);
    }

    /** Recovers and makes what it did durable; returns false if the machine was stopped before. */
    private static boolean tryRecover(Model model) {
        ToyDatabase database = new ToyDatabase(model.storage, model.disk);
        try {
            database.open();
            database.log.close();
            return database.log.failure() == null;
        } catch (LockstepException e) {
            assertTrue(model.storage.isCrashed(), () -> "seed=" + model.seed + " " + e);
            return false;
        } finally {
            if (database.log != null) {
                database.log.close();
            }
        }
    }

    @Test
    void aCrashAfterEveryStepOfUndoRepeatsNothing() {
        // Each round lets undo get one record further before the machine stops, with all of it on disk.
        int recordCount = 40;
        int undoCount = recordCount - 1;
        for (int stop = 0; stop <= undoCount + 1; stop++) {
            Model model = new Model(SEED + stop);
            ToyDatabase database = model.openDatabase();
            long first = 0;
            long second = 0;
            for (int i = 0; i < recordCount / 2; i++) {
                long previous = first;
                first = database.add(1, first, i % ToyDatabase.COUNTER_COUNT, 1L + i);
                second = database.add(2, second, i % ToyDatabase.COUNTER_COUNT, 1_000L + i);
                if (i == 7) {
                    // Back to a savepoint: this record is compensated, and undo skips it.
                    first = database.compensate(1, first, previous, i, -1L - i);
                }
            }
            database.log.awaitDurable(second, database.waiter);
            database.log.close();
            model.storage.crash();
            int[] left = {stop};
            ToyDatabase stopped = new ToyDatabase(model.storage, model.disk) {
                @Override
                public long undo(LogRecordView record, long lastLsn) {
                    if (left[0]-- == 0) {
                        throw new IllegalStateException("stop");
                    }
                    return super.undo(record, lastLsn);
                }
            };
            if (stop < undoCount) {
                assertThrows(IllegalStateException.class, stopped::open);
            } else {
                stopped.open();
            }
            stopped.log.close();
            model.storage.crash();
            ToyDatabase again = model.openDatabase();
            assertEquals(undoCount - Math.min(stop, undoCount), again.report.undoneRecordCount());
            assertEquals(stop < undoCount ? 2 : 0, again.report.loserCount());
            for (int counter = 0; counter < ToyDatabase.COUNTER_COUNT; counter++) {
                assertEquals(0, again.value(counter), "stop=" + stop + " counter=" + counter);
            }
            again.log.close();
        }
    }

    @Test
    void theReportTellsWhatHappened() {
        Model model = new Model(SEED);
        ToyDatabase database = model.openDatabase();
        long committed = database.add(11, 0, 0, 5);
        long aborted = database.add(12, 0, 1, 6);
        long loser = database.add(13, 0, 2, 7);
        long last = database.add(15, 0, 3, 8);
        database.end(LogRecordType.COMMIT, 11, committed, 0);
        aborted = database.compensate(12, aborted, 0, 1, -6);
        database.end(LogRecordType.ABORT_END, 12, aborted, 0);
        last = database.end(LogRecordType.COMMIT, 15, last, 0);
        database.log.awaitDurable(last, database.waiter);
        long durableLsn = database.log.durableLsn();
        database.log.close();
        assertTrue(loser > 0);
        model.storage.crash();
        ToyDatabase again = model.openDatabase();
        RecoveryReport report = again.report;
        again.log.close();
        assertEquals(LogRecordLayout.LSN_FIRST, report.redoScanLsn());
        assertEquals(durableLsn, report.endLsn());
        assertEquals(8, report.scannedRecordCount());
        assertEquals(2, report.committedCount());
        assertEquals(1, report.rolledBackCount());
        assertEquals(1, report.loserCount());
        assertEquals(1, report.undoneRecordCount());
        assertEquals(15, report.transactionIdMax());
        assertEquals(
                List.of(5L, 0L, 0L, 8L), Arrays.asList(again.value(0), again.value(1), again.value(2), again.value(3)));
    }

    @Test
    void aBrokenChainIsReported() {
        Model model = new Model(SEED);
        ToyDatabase database = model.openDatabase();
        long other = database.add(1, 0, 0, 5);
        long lsn = database.add(2, other, 1, 5);
        database.log.awaitDurable(lsn, database.waiter);
        database.log.close();
        model.storage.crash();
        assertThrows(CorruptionException.class, model::openDatabase);
    }

    @Test
    void undoMustCompensate() {
        Model model = new Model(SEED);
        ToyDatabase database = model.openDatabase();
        long lsn = database.add(1, 0, 0, 5);
        database.log.awaitDurable(lsn, database.waiter);
        long endLsn = database.log.durableLsn();
        database.log.close();
        model.storage.crash();
        try (LogReader reader = new LogReader(
                model.storage,
                ToyDatabase.DIRECTORY,
                ToyDatabase.DATABASE_ID,
                LogRecordLayout.LSN_FIRST,
                endLsn,
                true)) {
            Recovery recovery = new Recovery(reader, LogRecordLayout.LSN_FIRST, record -> {}, 0);
            recovery.redo();
            assertTrue(recovery.hasLosers());
            ToyDatabase again = model.openDatabase();
            assertThrows(
                    IllegalStateException.class,
                    () -> recovery.undo(again.log, (record, lastLsn) -> lastLsn, again.waiter));
            again.log.close();
        }
        assertFalse(model.storage.isCrashed());
    }
}
