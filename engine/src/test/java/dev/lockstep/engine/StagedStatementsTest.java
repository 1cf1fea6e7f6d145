package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.WaitReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What one member of a team fetches for all is what each would have fetched alone. */
class StagedStatementsTest {
    private static final int MEMBERS = 12;
    private static final int TRANSACTIONS = 20;
    private static final int IDS = 600;
    private static final int BATCH = 20;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NAME_LENGTH = 3_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static Scheduler scheduler(SThreadKind kind) {
        return new Scheduler(SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(TeamExecution.STAGED)
                .withSwitchPointsOn(true));
    }

    private Database inMemory(Scheduler scheduler) {
        return validated.inMemory(DatabaseOptions.builder().poolBytes(32 << 20).build(), scheduler);
    }

    /** Even ids; each has its id for its amount, and some have long names. */
    private static Map<Integer, String> fill(Database database, Table table, Random random) {
        Map<Integer, String> names = new HashMap<>();
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < IDS; id += 2) {
                int length = random.nextInt(20) == 0 ? LONG_NAME_LENGTH : random.nextInt(300);
                names.put(id, "n".repeat(length));
                DatabaseTest.put(transaction, table, row, id, names.get(id), id);
            }
        });
        return names;
    }

    private static OperationStatistics fetches(Scheduler scheduler) {
        return scheduler.statistics().stream()
                .filter(each -> each.operation().equals("fetch account"))
                .findAny()
                .orElseThrow();
    }

    private static void requireRow(Map<Integer, String> names, int id, boolean found, Record row) {
        assertEquals(names.containsKey(id), found, () -> "id=" + id);
        if (found) {
            assertEquals(id, row.getInt(0));
            assertEquals(names.get(id), row.getString(1));
            assertEquals(id, row.getLong(2));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, READ_UNCOMMITTED", "VIRTUAL, READ_COMMITTED", "VIRTUAL, SERIALIZABLE",
        "CONTINUATION, READ_COMMITTED", "CONTINUATION, REPEATABLE_READ", "CONTINUATION, SERIALIZABLE"
    })
    void findWhatEachWouldFindAlone(SThreadKind kind, Isolation isolation) throws InterruptedException {
        try (Scheduler scheduler = scheduler(kind)) {
            Database database = inMemory(scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            Map<Integer, String> names = fill(database, table, new Random(1));
            TransactionOptions options = database.transactionOptions().withIsolation(isolation);
            List<Runnable> members = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                Random random = new Random(member);
                members.add(() -> {
                    for (int i = 0; i < TRANSACTIONS; i++) {
                        database.run(options, transaction -> fetchSome(transaction, table, names, random));
                    }
                });
            }
            TeamsTest.runTogether(scheduler, members);
            OperationStatistics fetches = fetches(scheduler);
            assertTrue(fetches.membersStaged() > MEMBERS * TRANSACTIONS, fetches::toString);
            assertEquals(fetches.membersIn(), fetches.membersOut() + fetches.straysTotal(), fetches::toString);
        }
    }

    private static void fetchSome(Transaction transaction, Table table, Map<Integer, String> names, Random random) {
        Record row = table.newRecord();
        Key key = table.newKey();
        for (int i = 0; i < 4; i++) {
            int id = random.nextInt(IDS);
            requireRow(names, id, transaction.fetch(table, key.reset().add(id), row), row);
        }
        RowBatch batch = table.newBatch(BATCH);
        int first = random.nextInt(IDS);
        int size = random.nextInt(BATCH) + 1;
        for (int i = 0; i < size; i++) {
            batch.addKey().add(first + i * 3);
        }
        transaction.fetch(table, batch);
        for (int i = 0; i < size; i++) {
            requireRow(names, first + i * 3, batch.found(i), batch.record(i));
        }
    }

    /** Members of one team want the same row; each waits for its turn by itself. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void waitForEachOthersLocks(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = scheduler(kind)) {
            Database database = inMemory(scheduler);
            Table table = DatabaseTest.filled(database, 10, "name");
            Runnable member = () -> {
                Record row = table.newRecord();
                Key key = table.newKey().add(5);
                for (int i = 0; i < TRANSACTIONS; i++) {
                    database.run(transaction -> {
                        assertTrue(transaction.fetchExclusive(table, key, row));
                        row.setLong(2, row.getLong(2) + 1);
                        assertTrue(transaction.update(table, row));
                    });
                }
            };
            TeamsTest.runTogether(scheduler, Collections.nCopies(MEMBERS, member));
            OperationStatistics fetches = fetches(scheduler);
            assertTrue(fetches.membersStaged() > 0, fetches::toString);
            assertTrue(fetches.strays().getOrDefault(WaitReason.LOCK, 0L) > 0, fetches::toString);
            assertEquals(fetches.membersIn(), fetches.membersOut() + fetches.straysTotal(), fetches::toString);
            database.run(transaction -> {
                Record row = table.newRecord();
                assertTrue(transaction.fetch(table, table.newKey().add(5), row));
                assertEquals(5 + MEMBERS * TRANSACTIONS, row.getLong(2));
            });
        }
    }

    /** A row of a batch that is locked is waited for before those behind it are locked. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void lockTheRowsOfABatchInTheirOrder(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = scheduler(kind)) {
            Database database = inMemory(scheduler);
            Table table = DatabaseTest.filled(database, BATCH, "name");
            TransactionOptions options = database.transactionOptions().withRetries(0);
            Runnable member = () -> {
                RowBatch batch = table.newBatch(BATCH);
                for (int i = 0; i < TRANSACTIONS; i++) {
                    int first = i % 3;
                    database.run(options, transaction -> {
                        batch.clear();
                        for (int id = first; id < BATCH; id++) {
                            batch.addKey().add(id);
                        }
                        assertEquals(BATCH - first, transaction.fetchExclusive(table, batch));
                        for (int row = 0; row < batch.size(); row++) {
                            batch.record(row).setLong(2, batch.record(row).getLong(2) + 1);
                        }
                        assertEquals(BATCH - first, transaction.update(table, batch));
                    });
                }
            };
            TeamsTest.runTogether(scheduler, Collections.nCopies(MEMBERS, member));
            assertTrue(fetches(scheduler).membersStaged() > 0);
            database.run(transaction -> {
                Record row = table.newRecord();
                assertTrue(transaction.fetch(table, table.newKey().add(BATCH - 1), row));
                assertEquals(BATCH - 1 + MEMBERS * TRANSACTIONS, row.getLong(2));
            });
            assertEquals(0, database.statistics().deadlocks());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aLimitOfOneMemberIsItsOwn(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = scheduler(kind)) {
            Database database = inMemory(scheduler);
            Table table = DatabaseTest.filled(database, MEMBERS, "name");
            TransactionOptions hasty = database.transactionOptions()
                    .withLockTimeout(Duration.ofMillis(5))
                    .withRetries(0);
            List<Runnable> members = new ArrayList<>();
            for (int id = 0; id < MEMBERS; id++) {
                int own = id;
                members.add(() -> {
                    Record row = table.newRecord();
                    Key key = table.newKey().add(own);
                    TransactionWork<Boolean, RuntimeException> fetch =
                            transaction -> transaction.fetch(table, key, row);
                    if (own == 1) {
                        assertThrows(LockTimeoutException.class, () -> database.call(hasty, fetch));
                    } else {
                        assertTrue(database.call(hasty, fetch));
                        assertEquals(own, row.getLong(2));
                    }
                });
            }
            try (Session session = database.openSession()) {
                Transaction holder = session.begin();
                assertTrue(holder.fetchExclusive(table, table.newKey().add(1), table.newRecord()));
                TeamsTest.runTogether(scheduler, members);
                holder.rollback();
            }
            assertTrue(fetches(scheduler).membersStaged() > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void waitForTheirPages(SThreadKind kind) throws InterruptedException {
        Database filled = validated.open(directory, ValidatedDatabase.SMALLEST, null);
        Table filledTable = filled.createTable(DatabaseTest.accounts());
        Map<Integer, String> names = fill(filled, filledTable, new Random(1));
        validated.close(filled);
        try (Scheduler scheduler = scheduler(kind)) {
            Database database = validated.open(directory, ValidatedDatabase.SMALLEST, scheduler);
            Table table = database.table("account");
            long missesBefore = database.statistics().pageMisses();
            List<Runnable> members = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                int id = member * IDS / MEMBERS;
                members.add(() -> {
                    Record row = table.newRecord();
                    database.run(transaction -> requireRow(
                            names, id, transaction.fetch(table, table.newKey().add(id), row), row));
                });
            }
            TeamsTest.runTogether(scheduler, members);
            OperationStatistics fetches = fetches(scheduler);
            assertTrue(fetches.membersStaged() > 0, fetches::toString);
            // A page may be there before anybody has had to park for it.
            assertTrue(database.statistics().pageMisses() > missesBefore);
            validated.close(database);
        }
    }

    /** Tables of the same name have one list, in which members of two databases meet. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void membersOfTwoDatabasesMeet(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = scheduler(kind)) {
            Database large = inMemory(scheduler);
            Database small = validated.inMemory(ValidatedDatabase.SMALLEST, scheduler);
            Table largeTable = DatabaseTest.filled(large, 20_000, "name");
            Table smallTable = DatabaseTest.filled(small, 10, "other name");
            List<Runnable> members = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                boolean isLarge = member % 2 == 0;
                Database database = isLarge ? large : small;
                Table table = isLarge ? largeTable : smallTable;
                Random random = new Random(member);
                members.add(() -> {
                    Record row = table.newRecord();
                    for (int i = 0; i < TRANSACTIONS; i++) {
                        int id = random.nextInt(isLarge ? 20_000 : 10);
                        database.run(transaction -> assertTrue(
                                transaction.fetch(table, table.newKey().add(id), row)));
                        assertEquals(isLarge ? "name" : "other name", row.getString(1));
                        assertEquals(id, row.getLong(2));
                    }
                });
            }
            TeamsTest.runTogether(scheduler, members);
            assertTrue(fetches(scheduler).membersStaged() > 0);
            assertFalse(large.instance().health().isFailed());
        }
    }
}
