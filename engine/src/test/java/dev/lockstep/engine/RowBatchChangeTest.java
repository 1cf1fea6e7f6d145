package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Batches of inserts and updates: all or none, beside other transactions and over crashes. */
class RowBatchChangeTest {
    private static final int ROWS = 200;
    private static final long SEED = 7;
    private static final Path HOME = Path.of("/database");

    /** Crashes of one workload that a normal build has time for. */
    private static final int POINTS_MAX = 60;

    private static final TransactionOptions SERIALIZABLE =
            TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(Isolation.SERIALIZABLE);
    private static final TransactionOptions IMPATIENT = SERIALIZABLE.withLockTimeout(Duration.ofMillis(20));

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    /** The columns of {@link Actor}'s table, without its index: rows are then changed in runs. */
    private static TableDefinition plain() {
        return TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(2_000))
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .build();
    }

    private static RowBatch rows(Table table, int... ids) {
        RowBatch batch = table.newBatch(Math.max(1, ids.length));
        for (int id : ids) {
            add(batch, id, id);
        }
        return batch;
    }

    private static void add(RowBatch batch, int id, long amount) {
        Record row = batch.addRow();
        row.setInt(0, id);
        row.setString(1, "name " + id);
        row.setLong(2, amount);
    }

    private static int[] range(int from, int to, int step) {
        int[] ids = new int[(to - from + step - 1) / step];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = from + i * step;
        }
        return ids;
    }

    /** Even ids. */
    private static Table filled(Database database) {
        Table table = database.createTable(plain());
        database.run(transaction -> transaction.insert(table, rows(table, range(0, 2 * ROWS, 2))));
        return table;
    }

    private static RowBatch fetched(Transaction transaction, Table table, int... ids) {
        RowBatch batch = table.newBatch(ids.length);
        for (int id : ids) {
            batch.addKey().add(id);
        }
        assertEquals(ids.length, transaction.fetchForUpdate(table, batch));
        return batch;
    }

    private static void addToAll(RowBatch batch, long amount) {
        for (int i = 0; i < batch.size(); i++) {
            batch.record(i).setLong(2, batch.record(i).getLong(2) + amount);
        }
    }

    private static Map<Integer, Long> amounts(Database database, Table table) {
        TreeMap<Integer, Long> amounts = new TreeMap<>();
        database.run(transaction -> {
            amounts.clear();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    amounts.put(row.getInt(0), row.getLong(2));
                }
            }
        });
        return amounts;
    }

    @Test
    void aDuplicateTakesTheRowsBeforeItBack() {
        Database database = validated.inMemory();
        Table table = filled(database);
        Map<Integer, Long> before = amounts(database, table);
        for (int duplicate = 0; duplicate < 12; duplicate++) {
            int[] ids = range(101, 125, 2);
            ids[duplicate]--;
            RowBatch batch = rows(table, ids);
            database.run(transaction -> {
                DuplicateKeyException thrown =
                        assertThrows(DuplicateKeyException.class, () -> transaction.insert(table, batch));
                assertTrue(thrown.getMessage().contains("of=account"), thrown.getMessage());
                // The transaction goes on.
                transaction.insert(table, rows(table, 1_001));
            });
            before.put(1_001, 1_001L);
            assertEquals(before, amounts(database, table));
            database.run(transaction -> transaction.delete(table, table.newKey().add(1_001)));
            before.remove(1_001);
        }
    }

    @Test
    void aKeyThatIsTwiceInABatchIsADuplicate() {
        Database database = validated.inMemory();
        Table table = filled(database);
        Map<Integer, Long> before = amounts(database, table);
        database.run(transaction -> assertThrows(
                DuplicateKeyException.class, () -> transaction.insert(table, rows(table, 11, 13, 13, 15))));
        assertEquals(before, amounts(database, table));
    }

    /**
     * Both records hold the row as it was; the second replaces what the first has written, in columns unset as well.
     */
    @Test
    void theLastOfTwoRecordsOfARowCounts() {
        Database database = validated.inMemory();
        Table table = database.createTable(TableDefinition.named("pair")
                .column("id", ColumnType.int32())
                .column("left", ColumnType.int32())
                .column("right", ColumnType.int32())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            RowBatch one = table.newBatch(1);
            one.addRow().setInt(0, 1);
            one.record(0).setInt(1, 10);
            one.record(0).setInt(2, 20);
            transaction.insert(table, one);
        });
        database.run(transaction -> {
            RowBatch twice = fetched(transaction, table, 1, 1);
            twice.record(0).setInt(1, 11);
            twice.record(1).setInt(2, 21);
            assertEquals(2, transaction.update(table, twice));
        });
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(1), row));
            assertEquals(10, row.getInt(1));
            assertEquals(21, row.getInt(2));
        });
    }

    @Test
    void badRowsAreRefusedBeforeAnythingChanges() {
        Database database = validated.inMemory();
        Table table = filled(database);
        Table third = database.createTable(TableDefinition.named("third")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        Map<Integer, Long> before = amounts(database, table);
        database.run(transaction -> {
            RowBatch incomplete = rows(table, 1, 3);
            incomplete.record(1).clear().setInt(0, 3);
            assertThrows(NullViolationException.class, () -> transaction.insert(table, incomplete));
            RowBatch foreign = third.newBatch(1);
            foreign.addRow().setInt(0, 1);
            assertThrows(SchemaException.class, () -> transaction.insert(table, foreign));
            assertThrows(SchemaException.class, () -> transaction.update(table, foreign));
            RowBatch keyOnly = table.newBatch(2);
            add(keyOnly, 1, 1);
            keyOnly.addKey().add(3);
            assertThrows(TransactionStateException.class, () -> transaction.insert(table, keyOnly));
            RowBatch moved = fetched(transaction, table, 2, 4);
            addToAll(moved, 5);
            moved.record(1).setInt(0, 5);
            assertThrows(TransactionStateException.class, () -> transaction.update(table, moved));
            RowBatch full = rows(table, 1);
            assertThrows(TransactionStateException.class, full::addRow);
            assertEquals(0, transaction.update(table, rows(table, 1, 3)));
            assertEquals(0, transaction.update(table, table.newBatch(1)));
            transaction.insert(table, table.newBatch(1));
        });
        assertEquals(before, amounts(database, table));
    }

    @Test
    void rowsGoWhereTheyBelongInLeavesThatSplit() {
        Database database = validated.inMemory();
        Table table = filled(database);
        // Each between two rows, all behind the last, all in front of the first, backwards.
        database.run(transaction -> transaction.insert(table, rows(table, range(1, 2 * ROWS, 2))));
        database.run(transaction -> transaction.insert(table, rows(table, range(1_000, 3_000, 1))));
        database.run(transaction -> transaction.insert(table, rows(table, range(-500, 0, 1))));
        int[] backwards = range(5_000, 5_300, 1);
        for (int i = 0; i < backwards.length; i++) {
            backwards[i] = 10_300 - backwards[i];
        }
        database.run(transaction -> transaction.insert(table, rows(table, backwards)));
        Map<Integer, Long> amounts = amounts(database, table);
        assertEquals(2 * ROWS + 2_000 + 500 + 300, amounts.size());
        amounts.forEach((id, amount) -> assertEquals((long) id, amount));
    }

    @Test
    void aLockThatIsNotGrantedTakesTheStatementBack() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Map<Integer, Long> before = amounts(database, table);
        Actor holder = new Actor(database, table, "holder");
        holder.run(actor -> actor.begin(SERIALIZABLE));
        holder.run(actor -> actor.insert(15, 0));
        holder.run(actor -> actor.add(50, 1));
        try (Session session = database.openSession()) {
            Transaction inserting = session.begin(IMPATIENT);
            assertThrows(LockTimeoutException.class, () -> inserting.insert(table, rows(table, 11, 13, 15, 17)));
            inserting.rollback();
            Transaction updating = session.begin(IMPATIENT.withIsolation(Isolation.READ_UNCOMMITTED));
            RowBatch batch = table.newBatch(3);
            batch.addKey().add(48);
            batch.addKey().add(50);
            batch.addKey().add(52);
            assertEquals(3, updating.fetch(table, batch));
            addToAll(batch, 5);
            assertThrows(LockTimeoutException.class, () -> updating.update(table, batch));
            updating.rollback();
        }
        holder.run(Actor::rollback);
        assertEquals(before, amounts(database, table));
        holder.close();
    }

    @Test
    void aBatchWaitsForALockAndThenGoesOn() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Actor holder = new Actor(database, table, "holder");
        holder.run(actor -> actor.begin(SERIALIZABLE));
        holder.run(actor -> actor.add(50, 1));
        Actor waiter = new Actor(database, table, "waiter");
        Future<Void> step = waiter.start(actor -> actor.call(SERIALIZABLE, transaction -> {
            RowBatch batch = table.newBatch(3);
            for (int id = 48; id <= 52; id += 2) {
                add(batch, id, -id);
            }
            assertEquals(3, transaction.update(table, batch));
        }));
        waiter.awaitLockWait(step);
        holder.run(Actor::commit);
        step.get();
        assertEquals(-50, amounts(database, table).get(50));
        holder.run(actor -> actor.begin(SERIALIZABLE));
        holder.run(actor -> actor.insert(15, 0));
        step = waiter.start(actor ->
                actor.call(SERIALIZABLE, transaction -> transaction.insert(table, rows(table, 11, 13, 15, 17))));
        waiter.awaitLockWait(step);
        holder.run(Actor::rollback);
        step.get();
        assertEquals(15, amounts(database, table).get(15));
        holder.close();
        waiter.close();
    }

    @Test
    void aDeadlockInTheMiddleOfABatchIsBroken() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Actor other = new Actor(database, table, "other");
        other.run(actor -> actor.begin(SERIALIZABLE));
        other.run(actor -> actor.add(14, 1));
        try (Session session = database.openSession()) {
            Transaction own = session.begin(SERIALIZABLE);
            RowBatch first = fetched(own, table, 10);
            addToAll(first, 100);
            assertEquals(1, own.update(table, first));
            Future<Boolean> wants = other.start(actor -> {
                try {
                    actor.add(10, 1);
                    return true;
                } catch (DeadlockException broken) {
                    actor.rollback();
                    return false;
                }
            });
            other.awaitLockWait(wants);
            boolean victim = false;
            try {
                own.insert(table, rows(table, 9, 11, 13));
                own.update(table, rows(table, 8, 10, 12, 14, 16));
                own.commit();
            } catch (DeadlockException broken) {
                victim = true;
                own.rollback();
            }
            assertEquals(victim, wants.get());
            if (victim) {
                other.run(Actor::commit);
            }
            Map<Integer, Long> amounts = amounts(database, table);
            assertEquals(victim ? 11 : 10, amounts.get(10));
            assertEquals(!victim, amounts.containsKey(11));
        }
        other.close();
    }

    @Test
    void rowsDoNotGoIntoAGapThatSomebodyHasRead() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Actor reader = new Actor(database, table, "reader");
        reader.run(actor -> actor.begin(SERIALIZABLE));
        assertEquals(List.of(100, 102, 104), reader.run(actor -> actor.ids(100, 104)));
        try (Session session = database.openSession()) {
            Transaction writer = session.begin(IMPATIENT);
            assertThrows(LockTimeoutException.class, () -> writer.insert(table, rows(table, 95, 97, 99, 101, 103)));
            writer.rollback();
            // Behind the range nobody minds.
            Transaction behind = session.begin(IMPATIENT);
            behind.insert(table, rows(table, 93, 107, 109));
            behind.commit();
        }
        assertEquals(List.of(100, 102, 104), reader.run(actor -> actor.ids(100, 104)));
        reader.run(Actor::commit);
        reader.close();
    }

    @Test
    void aGapThatTheTransactionItselfHasReadStaysLockedAroundItsRows() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Actor reader = new Actor(database, table, "reader");
        try (Session session = database.openSession()) {
            Transaction own = session.begin(SERIALIZABLE);
            Record row = table.newRecord();
            try (Cursor cursor = own.scan(table)
                    .from(table.newKey().add(2 * ROWS - 2))
                    .to(table.newKey().add(1_000))) {
                assertTrue(cursor.next(row));
                assertFalse(cursor.next(row));
            }
            own.insert(table, rows(table, 500, 510, 520, 530));
            reader.run(actor -> actor.begin(IMPATIENT));
            for (int between : new int[] {499, 505, 515, 525, 535}) {
                Throwable failure = reader.failure(actor -> actor.insert(between, 1));
                assertTrue(failure instanceof LockTimeoutException, between + ": " + failure);
                reader.run(Actor::rollback);
                reader.run(actor -> actor.begin(IMPATIENT));
            }
            reader.run(Actor::rollback);
            own.commit();
        }
        reader.close();
    }

    /** A row whose leaf another transaction has changed is updated all the same, with what its record holds. */
    @Test
    void aLeafThatOthersHaveChangedCostsNothingButTime() throws Exception {
        Database database = validated.inMemory();
        Table table = filled(database);
        Actor other = new Actor(database, table, "other");
        try (Session session = database.openSession()) {
            Transaction own = session.begin(SERIALIZABLE);
            RowBatch batch = fetched(own, table, 10, 12, 14, 300);
            addToAll(batch, 1_000);
            other.run(actor -> actor.begin(SERIALIZABLE));
            other.run(actor -> actor.rename(16, "n".repeat(1_500)));
            other.run(actor -> actor.insert(11, 11));
            other.run(Actor::commit);
            assertEquals(4, own.update(table, batch));
            // Once more, from records whose place has moved.
            addToAll(batch, 1_000);
            assertEquals(4, own.update(table, batch));
            own.commit();
        }
        Map<Integer, Long> amounts = amounts(database, table);
        assertEquals(2_010, amounts.get(10));
        assertEquals(2_300, amounts.get(300));
        assertEquals(11, amounts.get(11));
        other.close();
    }

    @Test
    void aSavepointInTheMiddleKeepsWhatWasBeforeIt() {
        Database database = validated.inMemory();
        Table table = filled(database);
        Map<Integer, Long> expected = amounts(database, table);
        database.run(transaction -> {
            RowBatch batch = fetched(transaction, table, 10, 12, 14);
            addToAll(batch, 1);
            transaction.update(table, batch);
            Savepoint savepoint = transaction.savepoint();
            RowBatch again = fetched(transaction, table, 10, 12, 14, 16);
            addToAll(again, 1);
            transaction.update(table, again);
            transaction.insert(table, rows(table, 11, 13, 15));
            transaction.rollbackTo(savepoint);
            transaction.insert(table, rows(table, 13, 15));
        });
        for (int id = 10; id <= 14; id += 2) {
            expected.put(id, id + 1L);
        }
        expected.put(13, 13L);
        expected.put(15, 15L);
        assertEquals(expected, amounts(database, table));
    }

    /**
     * Recovery has to read the log from the first record of a run on, wherever a checkpoint comes between the run and
     * the writing of its page.
     */
    @Test
    void aPageIsDirtyFromTheFirstRecordOfARunOn() {
        DatabaseOptions options = ValidatedDatabase.USUAL;
        Database database = validated.open(directory, options, null);
        Table table = filled(database);
        try (Session session = database.openSession()) {
            for (boolean inserts : new boolean[] {false, true}) {
                database.checkpoint();
                Transaction transaction = session.begin();
                RowBatch batch = inserts
                        ? rows(table, range(2 * ROWS, 2 * ROWS + 10, 1))
                        : fetched(transaction, table, range(0, 20, 2));
                if (inserts) {
                    transaction.insert(table, batch);
                } else {
                    addToAll(batch, 1_000);
                    transaction.update(table, batch);
                }
                UndoBuffer undo = session.core().context().undo();
                assertEquals(10, undo.entryCount());
                long firstLsn = undo.previousLsn(1);
                assertTrue(firstLsn < undo.previousLsn(9));
                assertEquals(0, undo.previousLsn(0));
                assertEquals(firstLsn, database.instance().pool().oldestRecoveryLsn());
                transaction.commit();
            }
        }
    }

    @Test
    void aCrashTakesBackRunsThatHaveNotCommitted() {
        DatabaseOptions options = ValidatedDatabase.USUAL;
        Database database = validated.open(directory, options, null);
        Table table = filled(database);
        Map<Integer, Long> expected = amounts(database, table);
        Transaction loser = database.openSession().begin();
        RowBatch batch = fetched(loser, table, range(0, 120, 2));
        addToAll(batch, 1_000);
        loser.update(table, batch);
        loser.insert(table, rows(table, range(1, 121, 2)));
        addToAll(batch, 1_000);
        loser.update(table, batch);
        // Makes the log durable up to here.
        database.run(transaction -> transaction.insert(table, rows(table, 901)));
        expected.put(901, 901L);
        database.abandon();
        Database reopened = validated.open(directory, options, null);
        assertEquals(expected, amounts(reopened, reopened.table("account")));
    }

    private static Database open(FaultyStorage storage) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log);
    }

    /** Transactions of batches, each followed by a commit or a rollback; what they leave is the same every time. */
    private static List<Map<Integer, Long>> work(Database database) {
        List<Map<Integer, Long>> states = new ArrayList<>();
        try (Session session = database.openSession()) {
            Table table = filled(database);
            TreeMap<Integer, Long> state = new TreeMap<>();
            for (int id = 0; id < 2 * ROWS; id += 2) {
                state.put(id, (long) id);
            }
            states.add(new TreeMap<>(state));
            for (int step = 0; step < 30; step++) {
                Transaction transaction = session.begin();
                int[] added = range(1_000 + 40 * step, 1_040 + 40 * step, 1);
                transaction.insert(table, rows(table, added));
                int[] changed = range(0, 2 * ROWS, 2 + 4 * (step % 5));
                RowBatch batch = fetched(transaction, table, changed);
                addToAll(batch, step);
                transaction.update(table, batch);
                if (step % 3 == 1) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    for (int id : added) {
                        state.put(id, (long) id);
                    }
                    for (int id : changed) {
                        state.merge(id, (long) step, Long::sum);
                    }
                }
                states.add(new TreeMap<>(state));
                if (step % 10 == 9) {
                    database.checkpoint();
                }
            }
        } catch (LockstepException stopped) {
            assertFalse(states.isEmpty() && stopped instanceof CorruptionException, stopped::toString);
        }
        return states;
    }

    @Test
    void aCrashAtEveryWriteLeavesWholeTransactions() {
        FaultyStorage measured = new FaultyStorage(SEED);
        Database whole = validated.track(open(measured));
        List<Map<Integer, Long>> all = work(whole);
        assertEquals(31, all.size());
        validated.close(whole);
        long changes = measured.changeCount();
        assertTrue(changes > 0);
        long stride = Math.max(1, changes / POINTS_MAX);
        for (long at = 1; at <= changes; at += stride) {
            FaultyStorage storage = new FaultyStorage(SEED + at);
            storage.crashAtChange(at);
            int done = 0;
            try {
                Database database = open(storage);
                done = work(database).size();
                database.abandon();
            } catch (LockstepException e) {
                assertTrue(storage.isCrashed(), e::toString);
            }
            storage.crash();
            String point = "crash at change " + at + " behind state " + done;
            Database reopened = validated.track(open(storage));
            Map<Integer, Long> found =
                    reopened.tableNames().isEmpty() ? new TreeMap<>() : amounts(reopened, reopened.table("account"));
            boolean atLast = done > 0 && found.equals(all.get(done - 1));
            boolean atNext = done < all.size() && found.equals(all.get(done));
            assertTrue(atLast || atNext || (done == 0 && found.isEmpty()), point);
            validated.close(reopened);
        }
    }

    /** Members of teams move amounts between rows of the same leaf, and add rows beside each other. */
    @Test
    void inTeamsNothingIsLost() throws Exception {
        SchedulerOptions steps = SchedulerOptions.defaults()
                .withCarriers(2)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(steps)) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, scheduler);
            Table table = filled(database);
            long sum = amounts(database, table).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            List<SThread> threads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int member = i;
                threads.add(scheduler.start("member-" + i, -1, () -> {
                    for (int round = 0; round < 40; round++) {
                        int at = 2 * ((member * 7 + round * 3) % (ROWS - 8));
                        int added = 10_000 + (round * 6 + member) * 4;
                        database.run(SERIALIZABLE.withRetries(1_000), transaction -> {
                            RowBatch batch = fetched(transaction, table, at, at + 2, at + 4, at + 10);
                            for (int k = 0; k < 4; k++) {
                                batch.record(k).setLong(2, batch.record(k).getLong(2) + (k == 3 ? 3 : -1));
                            }
                            transaction.update(table, batch);
                            transaction.insert(table, rows(table, range(added, added + 4, 1)));
                        });
                    }
                }));
            }
            for (SThread thread : threads) {
                thread.join();
                if (thread.failure() != null) {
                    throw new AssertionError(thread.name(), thread.failure());
                }
            }
            TreeMap<Integer, Long> amounts = new TreeMap<>(amounts(database, table));
            assertEquals(ROWS + 6 * 40 * 4, amounts.size());
            assertEquals(
                    sum,
                    amounts.headMap(10_000).values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }
    }
}
