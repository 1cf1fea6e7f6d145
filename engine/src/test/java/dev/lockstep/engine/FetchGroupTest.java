package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a group of batches fetches is what each batch would have fetched alone, with the same locks. */
class FetchGroupTest {
    private static final int SEEDS = 5;
    private static final int ROUNDS = 30;
    private static final int TABLES = 4;
    private static final int IDS = 400;

    /** More than twice what runs side by side of one table. */
    private static final int CAPACITY = 40;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NAME_LENGTH = 3_000;

    private static final TransactionOptions IMPATIENT =
            TransactionOptions.of(DatabaseOptions.defaults()).withLockTimeout(Duration.ofMillis(1));

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static TransactionOptions options(Isolation isolation) {
        return TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
    }

    private static TableDefinition definition(int table) {
        return TableDefinition.named("account" + table)
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(2_000_000))
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .build();
    }

    private record Row(String name, long amount) {
        static Row of(Record record) {
            return new Row(record.getString(1), record.getLong(2));
        }
    }

    /** Tables of which every other id has a row, and what is in them. */
    private static final class Tables {
        private final Random random;
        private final List<Table> tables = new ArrayList<>();
        private final List<Map<Integer, Row>> rows = new ArrayList<>();

        Tables(Database database, long seed) {
            random = new Random(seed);
            for (int i = 0; i < TABLES; i++) {
                tables.add(database.createTable(definition(i)));
                rows.add(new TreeMap<>());
                int table = i;
                database.run(transaction -> {
                    for (int id = 0; id < IDS; id += 2) {
                        int length = random.nextInt(20) == 0 ? LONG_NAME_LENGTH : random.nextInt(300);
                        Row row = new Row("n".repeat(length), random.nextInt());
                        Record record = tables.get(table).newRecord();
                        DatabaseTest.put(transaction, tables.get(table), record, id, row.name(), row.amount());
                        rows.get(table).put(id, row);
                    }
                });
            }
        }

        /** A batch of any table, and the lock that it asks for. */
        private Part part(FetchGroup group) {
            int table = random.nextInt(TABLES);
            RowBatch batch = tables.get(table).newBatch(CAPACITY);
            int kind = random.nextInt(3);
            switch (kind) {
                case 0 -> group.read(tables.get(table), batch);
                case 1 -> group.forUpdate(tables.get(table), batch);
                default -> group.exclusive(tables.get(table), batch);
            }
            return new Part(table, batch, kind != 0, new ArrayList<>());
        }

        void run(Database database, TransactionOptions options) {
            try (Session session = database.openSession()) {
                for (int round = 0; round < ROUNDS; round++) {
                    FetchGroup group = new FetchGroup();
                    List<Part> parts = new ArrayList<>();
                    for (int i = random.nextInt(6); i > 0; i--) {
                        parts.add(part(group));
                    }
                    Transaction transaction = session.begin(options);
                    fetch(transaction, group, parts);
                    change(transaction, parts);
                    fetch(transaction, group, parts);
                    transaction.commit();
                }
            }
        }

        /** Twice with the same group: it is made once. */
        private void fetch(Transaction transaction, FetchGroup group, List<Part> parts) {
            long expected = 0;
            for (Part part : parts) {
                part.fill(random);
                expected += part.ids().stream()
                        .filter(rows.get(part.table())::containsKey)
                        .count();
            }
            assertEquals(expected, transaction.fetch(group));
            for (Part part : parts) {
                for (int i = 0; i < part.ids().size(); i++) {
                    int id = part.ids().get(i);
                    assertEquals(id, part.batch().key(i).getInt(0));
                    Row found = part.batch().found(i) ? Row.of(part.batch().record(i)) : null;
                    assertEquals(rows.get(part.table()).get(id), found, "table=" + part.table() + " id=" + id);
                }
            }
        }

        /** Through the records that the group has filled, where no other part has the same row. */
        private void change(Transaction transaction, List<Part> parts) {
            for (Part part : parts) {
                for (int i = 0; i < part.ids().size() && part.changes(); i++) {
                    int id = part.ids().get(i);
                    if (part.batch().found(i) && random.nextInt(3) == 0) {
                        Row next = new Row(rows.get(part.table()).get(id).name(), random.nextInt());
                        part.batch().record(i).setLong(2, next.amount());
                        assertTrue(transaction.update(
                                tables.get(part.table()), part.batch().record(i)));
                        rows.get(part.table()).put(id, next);
                    }
                }
            }
        }
    }

    private record Part(int table, RowBatch batch, boolean changes, List<Integer> ids) {
        void fill(Random random) {
            batch.clear();
            ids.clear();
            for (int i = random.nextInt(random.nextInt(3) == 0 ? CAPACITY : 12); i > 0; i--) {
                ids.add(random.nextInt(IDS));
                batch.addKey().add(ids.getLast());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void findsWhatSingleFetchesFind(Isolation isolation) throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            new Tables(database, seed).run(database, options(isolation));
            validated.close(database);
        });
    }

    /** As fetches of staged teams, which take batch after batch, and beside teams of another execution. */
    @ParameterizedTest
    @EnumSource(TeamExecution.class)
    void runsInTeams(TeamExecution execution) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults()
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(execution)
                .withSwitchPointsOn(true))) {
            Database database = validated.inMemory(
                    DatabaseOptions.builder().poolBytes(32 << 20).build(), scheduler);
            TeamsTest.runTogether(
                    scheduler, List.of(() -> new Tables(database, 1).run(database, options(Isolation.SERIALIZABLE))));
            validated.close(database);
        }
    }

    @Test
    void findsWhatTheSnapshotHolds() {
        Database database = validated.inMemory();
        Table first = database.createTable(definition(0));
        Table second = database.createTable(definition(1));
        RowBatch inFirst = first.newBatch(1);
        RowBatch inSecond = second.newBatch(1);
        FetchGroup group = new FetchGroup().read(first, inFirst).read(second, inSecond);
        inFirst.addKey().add(1);
        inSecond.addKey().add(1);
        database.run(transaction -> DatabaseTest.put(transaction, first, first.newRecord(), 1, "name", 10));
        try (Session session = database.openSession()) {
            Transaction reader = session.begin(options(Isolation.SERIALIZABLE).readOnlySnapshot());
            assertEquals(1, reader.fetch(group));
            database.run(transaction -> {
                transaction.delete(first, first.newKey().add(1));
                DatabaseTest.put(transaction, second, second.newRecord(), 1, "name", 20);
            });
            assertEquals(1, reader.fetch(group));
            assertTrue(inFirst.found(0));
            assertFalse(inSecond.found(0));
            assertThrows(ReadOnlyException.class, () -> reader.fetch(new FetchGroup().exclusive(first, inFirst)));
            reader.rollback();
        }
    }

    private static RowBatch of(Table table, int... ids) {
        RowBatch batch = table.newBatch(Math.max(1, ids.length));
        for (int id : ids) {
            batch.addKey().add(id);
        }
        return batch;
    }

    private static boolean isLocked(Database database, Table table, int id) {
        try (Session session = database.openSession()) {
            Transaction other = session.begin(IMPATIENT);
            try {
                other.fetch(table, table.newKey().add(id), table.newRecord());
                return false;
            } catch (LockTimeoutException locked) {
                return true;
            } finally {
                other.rollback();
            }
        }
    }

    @Test
    void eachBatchHasTheLocksThatItAsksFor() {
        Database database = validated.inMemory();
        Tables made = new Tables(database, 1);
        Table read = made.tables.get(0);
        Table changed = made.tables.get(1);
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            assertEquals(
                    3,
                    transaction.fetch(
                            new FetchGroup().read(read, of(read, 2, 4)).exclusive(changed, of(changed, 3, 6))));
            assertFalse(isLocked(database, read, 2));
            assertTrue(isLocked(database, changed, 3));
            assertTrue(isLocked(database, changed, 6));
            assertFalse(isLocked(database, changed, 8));
            transaction.commit();
        }
    }

    /** A batch behind others whose lock is not to be had takes nothing back that the session keeps for its groups. */
    @Test
    void aGroupThatFailsLeavesNothingForTheNext() {
        Database database = validated.inMemory();
        Tables made = new Tables(database, 1);
        Table first = made.tables.get(0);
        Table second = made.tables.get(1);
        try (Session holding = database.openSession();
                Session session = database.openSession()) {
            Transaction holder = holding.begin();
            assertTrue(holder.fetchExclusive(second, second.newKey().add(10), second.newRecord()));
            Transaction waiting = session.begin(IMPATIENT);
            RowBatch inFirst = of(first, 2);
            RowBatch inSecond = of(second, 8, 10);
            FetchGroup group = new FetchGroup().read(first, inFirst).forUpdate(second, inSecond);
            assertThrows(LockTimeoutException.class, () -> waiting.fetch(group));
            waiting.rollback();
            holder.commit();
            Transaction next = session.begin(IMPATIENT);
            assertEquals(1, next.fetch(second, of(second, 12)));
            assertEquals(3, next.fetch(group));
            assertEquals(made.rows.get(0).get(2), Row.of(inFirst.record(0)));
            assertEquals(made.rows.get(1).get(10), Row.of(inSecond.record(1)));
            next.commit();
        }
    }

    /** What the first batch has found is not believed any more when its page changes while the second waits. */
    @Test
    void whatChangesDuringAWaitIsReadAnew() throws Exception {
        Database database = validated.inMemory();
        Tables made = new Tables(database, 1);
        Table first = made.tables.get(0);
        Table second = made.tables.get(1);
        TransactionOptions dirty = options(Isolation.READ_UNCOMMITTED);
        try (Session holding = database.openSession()) {
            Transaction holder = holding.begin();
            assertTrue(holder.fetchExclusive(second, second.newKey().add(10), second.newRecord()));
            RowBatch inFirst = of(first, 2);
            RowBatch inSecond = of(second, 10);
            FetchGroup group = new FetchGroup().read(first, inFirst).exclusive(second, inSecond);
            Thread waiting = Thread.ofPlatform().start(() -> {
                try (Session session = database.openSession()) {
                    Transaction reader = session.begin(dirty);
                    // The hints are known, so that the first row is found before the wait.
                    reader.fetch(first, of(first, 2));
                    assertEquals(2, reader.fetch(group));
                    reader.commit();
                }
            });
            while (database.statistics().lockWaits() == 0 && waiting.isAlive()) {
                Thread.onSpinWait();
            }
            Record record = first.newRecord();
            assertTrue(holder.fetchExclusive(first, first.newKey().add(2), record));
            // Longer than it was, so that it moves.
            record.setString(1, "m".repeat(400));
            holder.update(first, record);
            holder.commit();
            waiting.join();
            assertEquals("m".repeat(400), inFirst.record(0).getString(1));
            assertTrue(inSecond.found(0));
        }
    }

    @Test
    void aBatchIsInAGroupOnce() {
        Database database = validated.inMemory();
        Table table = database.createTable(definition(0));
        RowBatch batch = table.newBatch(1);
        FetchGroup group = new FetchGroup().read(table, batch);
        assertThrows(SchemaException.class, () -> group.exclusive(table, batch));
        group.read(table, table.newBatch(1));
        database.run(transaction -> assertEquals(0, transaction.fetch(group)));
    }

    @Test
    void badInputIsRefusedBeforeAnythingIsFetched() {
        Database database = validated.inMemory();
        Tables made = new Tables(database, 1);
        Table first = made.tables.get(0);
        Table second = made.tables.get(1);
        RowBatch incomplete = second.newBatch(1);
        incomplete.addKey();
        TableDefinition other = TableDefinition.named("other")
                .column("id", ColumnType.int64())
                .primaryKey("id")
                .build();
        RowBatch foreign = database.createTable(other).newBatch(1);
        foreign.addKey().add(2L);
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            RowBatch found = of(first, 4);
            assertThrows(
                    SchemaException.class,
                    () -> transaction.fetch(
                            new FetchGroup().exclusive(first, found).read(second, incomplete)));
            assertFalse(found.found(0));
            assertFalse(isLocked(database, first, 4));
            assertThrows(SchemaException.class, () -> transaction.fetch(new FetchGroup().read(first, foreign)));
            assertEquals(1, transaction.fetch(new FetchGroup().exclusive(first, found)));
            transaction.commit();
        }
    }
}
