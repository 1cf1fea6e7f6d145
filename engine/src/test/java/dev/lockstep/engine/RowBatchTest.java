package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows fetched side by side are the rows that fetches one after the other find. */
class RowBatchTest {
    private static final int SEEDS = 5;
    private static final int TRANSACTIONS = 40;
    private static final int IDS = 120;

    /** More than twice what runs side by side. */
    private static final int CAPACITY = 40;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NAME_LENGTH = 3_000;

    private static final int ACCOUNTS = 30;
    private static final long AMOUNT = 100;
    private static final int TRANSFERS = 150;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private record Row(String name, long amount) {}

    private static TransactionOptions options(Isolation isolation) {
        return TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
    }

    private static Row read(Record record) {
        return new Row(record.getString(1), record.getLong(2));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void findsWhatSingleFetchesFind(Isolation isolation) throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            new Model(database, seed).run(isolation);
            validated.close(database);
        });
    }

    /** Random batches in random transactions, each row of them compared with the model and with a single fetch. */
    private static final class Model {
        private final Random random;
        private final Database database;
        private final Table table;
        private final RowBatch batch;
        private final Record single;
        private TreeMap<Integer, Row> rows = new TreeMap<>();

        Model(Database database, long seed) {
            this.database = database;
            random = new Random(seed);
            table = database.createTable(DatabaseTest.accounts());
            batch = table.newBatch(CAPACITY);
            single = table.newRecord();
        }

        void run(Isolation isolation) {
            try (Session session = database.openSession()) {
                for (int i = 0; i < TRANSACTIONS; i++) {
                    TreeMap<Integer, Row> before = new TreeMap<>(rows);
                    Transaction transaction = session.begin(options(isolation));
                    for (int step = 1 + random.nextInt(12); step > 0; step--) {
                        if (random.nextInt(3) > 0) {
                            change(transaction);
                        } else {
                            fetch(transaction, random.nextBoolean());
                        }
                    }
                    if (random.nextInt(4) == 0) {
                        transaction.rollback();
                        rows = before;
                    } else {
                        transaction.commit();
                    }
                }
            }
        }

        private Row randomRow() {
            int length = random.nextInt(4) == 0 ? LONG_NAME_LENGTH : random.nextInt(40);
            return new Row("n".repeat(length) + random.nextInt(100), random.nextLong());
        }

        private void change(Transaction transaction) {
            int id = random.nextInt(IDS);
            if (rows.containsKey(id)) {
                assertTrue(transaction.delete(table, table.newKey().add(id)));
                rows.remove(id);
            } else {
                Row row = randomRow();
                DatabaseTest.put(transaction, table, single, id, row.name, row.amount);
                rows.put(id, row);
            }
        }

        private void fetch(Transaction transaction, boolean forUpdate) {
            batch.clear();
            List<Integer> ids = new ArrayList<>();
            for (int count = random.nextInt(CAPACITY + 1); count > 0; count--) {
                ids.add(random.nextInt(IDS));
                batch.addKey().add(ids.getLast());
            }
            int found = forUpdate ? transaction.fetchForUpdate(table, batch) : transaction.fetch(table, batch);
            assertEquals(ids.size(), batch.size());
            assertEquals(ids.stream().filter(rows::containsKey).count(), found);
            for (int i = 0; i < ids.size(); i++) {
                int id = ids.get(i);
                assertEquals(id, batch.key(i).getInt(0));
                assertEquals(rows.containsKey(id), batch.found(i), "id=" + id);
                assertEquals(
                        batch.found(i), transaction.fetch(table, table.newKey().add(id), single));
                if (batch.found(i)) {
                    assertEquals(id, batch.record(i).getInt(0));
                    assertEquals(rows.get(id), read(batch.record(i)));
                    assertEquals(read(single), read(batch.record(i)));
                }
            }
            if (forUpdate) {
                update(transaction, ids);
            }
        }

        /** Each row once, through the record that the batch has filled. */
        private void update(Transaction transaction, List<Integer> ids) {
            Set<Integer> updated = new HashSet<>();
            for (int i = 0; i < ids.size(); i++) {
                int id = ids.get(i);
                if (batch.found(i) && updated.add(id)) {
                    Row next = randomRow();
                    batch.record(i).setString(1, next.name);
                    batch.record(i).setLong(2, next.amount);
                    assertTrue(transaction.update(table, batch.record(i)));
                    rows.put(id, next);
                }
            }
        }
    }

    private static Table accounts(Database database) {
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ACCOUNTS; id++) {
                DatabaseTest.put(transaction, table, row, id, "name", AMOUNT);
            }
        });
        return table;
    }

    private static RowBatch allOf(Table table) {
        RowBatch batch = table.newBatch(ACCOUNTS);
        for (int id = 0; id < ACCOUNTS; id++) {
            batch.addKey().add(id);
        }
        return batch;
    }

    @Test
    void aFullBatchAndAnEmptyOneAreRefused() {
        Table table = accounts(validated.inMemory());
        assertThrows(InvalidOptionException.class, () -> table.newBatch(0));
        RowBatch batch = table.newBatch(1);
        batch.addKey().add(1);
        assertThrows(TransactionStateException.class, batch::addKey);
        assertThrows(IndexOutOfBoundsException.class, () -> batch.record(1));
        assertEquals(1, batch.size());
    }

    @Test
    void anIncompleteKeyIsRefusedBeforeAnythingIsFetched() {
        Database database = validated.inMemory();
        Table table = accounts(database);
        RowBatch batch = table.newBatch(2);
        database.run(transaction -> {
            batch.addKey().add(1);
            batch.addKey();
            assertThrows(SchemaException.class, () -> transaction.fetch(table, batch));
            assertFalse(batch.found(0));
            batch.clear();
            batch.addKey().add(1);
            assertEquals(1, transaction.fetch(table, batch));
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"SERIALIZABLE", "READ_COMMITTED"})
    void aLockThatIsNotGrantedLeavesNothingBehind(Isolation isolation) throws Exception {
        Database database = validated.inMemory();
        Table table = accounts(database);
        RowBatch batch = allOf(table);
        Actor holder = new Actor(database, table, "holder");
        holder.run(actor -> actor.begin(options(Isolation.SERIALIZABLE)));
        holder.run(actor -> actor.add(ACCOUNTS / 2, 5));
        try (Session session = database.openSession()) {
            Transaction reader = session.begin(options(isolation).withLockTimeout(Duration.ofMillis(20)));
            assertThrows(LockTimeoutException.class, () -> reader.fetch(table, batch));
            reader.rollback();
            // Whoever wants the rows beside it, for writing too, has them at once.
            Transaction writer = session.begin(options(isolation).withLockTimeout(Duration.ZERO));
            for (int id = 0; id < ACCOUNTS; id++) {
                if (id != ACCOUNTS / 2) {
                    assertTrue(transactionAdds(writer, table, id));
                }
            }
            writer.rollback();
            holder.run(Actor::commit);
            Transaction again = session.begin(options(isolation));
            assertEquals(ACCOUNTS, again.fetch(table, batch));
            assertEquals(AMOUNT + 5, batch.record(ACCOUNTS / 2).getLong(2));
            again.commit();
        }
        holder.close();
    }

    private static boolean transactionAdds(Transaction transaction, Table table, int id) {
        Record row = table.newRecord();
        transaction.fetchForUpdate(table, table.newKey().add(id), row);
        row.setLong(2, row.getLong(2) + 1);
        return transaction.update(table, row);
    }

    /** Transfers between accounts beside readers of all: what is read together is of one moment. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void inTeamsReadersSeeNoHalfTransfer(SThreadKind kind) throws Exception {
        SchedulerOptions steps = SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(2)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(steps)) {
            DatabaseOptions small = DatabaseOptions.builder()
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build();
            Database database = validated.inMemory(small, scheduler);
            Table table = accounts(database);
            List<SThread> threads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                long seed = i;
                boolean reads = i % 3 == 0;
                threads.add(scheduler.start("member-" + i, -1, () -> {
                    if (reads) {
                        readAll(database, table);
                    } else {
                        transfer(database, table, new Random(seed));
                    }
                }));
            }
            for (SThread thread : threads) {
                thread.join();
                if (thread.failure() != null) {
                    throw new AssertionError(thread.name(), thread.failure());
                }
            }
        }
    }

    private static void readAll(Database database, Table table) {
        RowBatch all = allOf(table);
        for (int i = 0; i < TRANSFERS; i++) {
            long sum = database.call(options(Isolation.SERIALIZABLE).withRetries(1_000), transaction -> {
                assertEquals(ACCOUNTS, transaction.fetch(table, all));
                long amounts = 0;
                for (int at = 0; at < ACCOUNTS; at++) {
                    amounts += all.record(at).getLong(2);
                }
                return amounts;
            });
            assertEquals(ACCOUNTS * AMOUNT, sum);
        }
    }

    private static void transfer(Database database, Table table, Random random) {
        RowBatch pair = table.newBatch(2);
        for (int i = 0; i < TRANSFERS; i++) {
            int from = random.nextInt(ACCOUNTS);
            int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            database.run(options(Isolation.SERIALIZABLE).withRetries(1_000), transaction -> {
                pair.clear();
                pair.addKey().add(from);
                pair.addKey().add(to);
                assertEquals(2, transaction.fetchForUpdate(table, pair));
                pair.record(0).setLong(2, pair.record(0).getLong(2) - 1);
                pair.record(1).setLong(2, pair.record(1).getLong(2) + 1);
                assertTrue(transaction.update(table, pair.record(0)));
                assertTrue(transaction.update(table, pair.record(1)));
            });
        }
    }

    /** Also where a hint says at once that the first row is not there: then its turn is not the last one's. */
    @Test
    void locksInTheOrderOfTheKeys() throws Exception {
        Database database = validated.inMemory();
        Table table = DatabaseTest.filled(database, 60, "name");
        database.run(transaction -> {
            assertTrue(transaction.delete(table, table.newKey().add(9)));
            assertTrue(transaction.fetch(table, table.newKey().add(8), table.newRecord()));
        });
        TransactionOptions impatient = options(Isolation.SERIALIZABLE).withLockTimeout(Duration.ofMillis(1));
        try (Session holding = database.openSession();
                Session other = database.openSession()) {
            Transaction holder = holding.begin();
            assertTrue(holder.fetchForUpdate(table, table.newKey().add(20), table.newRecord()));
            Worker waiting = new Worker(() -> database.run(transaction -> {
                RowBatch batch = table.newBatch(5);
                for (int id : new int[] {9, 20, 30, 40, 50}) {
                    batch.addKey().add(id);
                }
                assertEquals(4, transaction.fetchForUpdate(table, batch));
            }));
            waiting.awaitParkedIn("waitForLock");
            for (int id : new int[] {30, 40, 50}) {
                Transaction free = other.begin(impatient);
                assertTrue(free.fetchExclusive(table, table.newKey().add(id), table.newRecord()), "id=" + id);
                free.rollback();
            }
            holder.rollback();
            waiting.join();
            assertEquals(null, waiting.failure());
        }
    }
}
