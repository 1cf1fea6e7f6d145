package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rows that are inserted, updated and deleted, alone and several together, by members of staged teams, whose leaders
 * bring these changes to their leaves: what was committed is there, also behind a crash, and nothing else is.
 */
class StagedChangesTest {
    private static final int MEMBERS = 10;
    private static final int TRANSACTIONS = 40;

    /** Rows of each member, between those of the others; together twice the pool. */
    private static final int OWN_ROWS = 400;

    private static final int BATCH = 8;
    private static final int NAME_LENGTH = 600;

    /** A column that no index has. */
    private static final int COUNT = 3;

    /** A row that all of them change, last in their transactions, so that nobody waits in a circle. */
    private static final int SHARED = -1;

    private static final Path HOME = Path.of("/database");

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final AtomicInteger sharedChanges = new AtomicInteger();

    /** A row of the model: the length of its name is its amount. */
    private record Row(int length, long count) {}

    private static TableDefinition accounts() {
        return TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(NAME_LENGTH))
                .column("amount", ColumnType.int64())
                .column("count", ColumnType.int64())
                .primaryKey("id")
                .index("by_amount", "amount")
                .build();
    }

    private static void fill(Record row, int id, int length, long count) {
        row.clear();
        row.setInt(0, id);
        row.setString(1, "n".repeat(length));
        row.setLong(2, length);
        row.setLong(COUNT, count);
    }

    /** One member: its rows by id, as they are committed. */
    private final class Member implements Runnable {
        private final Database database;
        private final Table table;
        private final int number;
        private final Random random;
        private final TreeMap<Integer, Row> rows = new TreeMap<>();

        /** Ids of rows of the table without an index, of which several are inserted as one. */
        private final List<Integer> lines = new ArrayList<>();

        private final List<Integer> newLines = new ArrayList<>();
        private int lineCount;

        Member(Database database, int number) {
            this.database = database;
            this.table = database.table("account");
            this.number = number;
            this.random = new Random(number);
        }

        private int id() {
            return random.nextInt(OWN_ROWS) * MEMBERS + number;
        }

        @Override
        public void run() {
            for (int i = 0; i < TRANSACTIONS; i++) {
                TreeMap<Integer, Row> changed = new TreeMap<>(rows);
                newLines.clear();
                Session session = database.openSession();
                Transaction transaction = session.begin();
                for (int statement = 0; statement < 4; statement++) {
                    change(transaction, changed);
                }
                boolean shares = random.nextInt(3) == 0;
                if (shares) {
                    changeShared(transaction);
                }
                if (random.nextInt(4) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    rows.clear();
                    rows.putAll(changed);
                    lines.addAll(newLines);
                    sharedChanges.addAndGet(shares ? 1 : 0);
                }
                session.close();
            }
        }

        private void change(Transaction transaction, NavigableMap<Integer, Row> changed) {
            switch (random.nextInt(4)) {
                case 0 -> insertSeveral(transaction, changed);
                case 1 -> delete(transaction, changed);
                case 2 -> updateSeveral(transaction, changed);
                default -> insertOrUpdate(transaction, changed);
            }
        }

        private void insertOrUpdate(Transaction transaction, NavigableMap<Integer, Row> changed) {
            int id = id();
            int length = random.nextInt(NAME_LENGTH);
            Row present = changed.get(id);
            Record row = table.newRecord();
            fill(row, id, length, 0);
            if (present != null) {
                assertThrows(DuplicateKeyException.class, () -> transaction.insert(table, row));
                assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
                row.setString(1, "n".repeat(length));
                row.setLong(2, length);
                assertTrue(transaction.update(table, row));
            } else {
                transaction.insert(table, row);
            }
            changed.put(id, new Row(length, present == null ? 0 : present.count));
        }

        private void insertSeveral(Transaction transaction, NavigableMap<Integer, Row> changed) {
            RowBatch batch = table.newBatch(BATCH);
            int first = id();
            int length = random.nextInt(NAME_LENGTH);
            for (int id = first; batch.size() < BATCH && !changed.containsKey(id); id += MEMBERS) {
                fill(batch.addRow(), id, length, 0);
                changed.put(id, new Row(length, 0));
            }
            transaction.insert(table, batch);
            insertLines(transaction, batch.size());
        }

        private void insertLines(Transaction transaction, int count) {
            Table line = database.table("line");
            RowBatch batch = line.newBatch(BATCH);
            for (int i = 0; i < count; i++) {
                int id = lineCount++ * MEMBERS + number;
                batch.addRow().setInt(0, id);
                newLines.add(id);
            }
            transaction.insert(line, batch);
        }

        /** The amounts stay, and so do the entries of the index: rows are changed in their places. */
        private void updateSeveral(Transaction transaction, NavigableMap<Integer, Row> changed) {
            List<Integer> ids =
                    changed.tailMap(id()).keySet().stream().limit(BATCH).toList();
            RowBatch batch = table.newBatch(BATCH);
            ids.forEach(id -> batch.addKey().add(id));
            assertEquals(batch.size(), transaction.fetchExclusive(table, batch));
            for (int i = 0; i < batch.size(); i++) {
                Record row = batch.record(i);
                row.setLong(COUNT, row.getLong(COUNT) + 1);
            }
            assertEquals(batch.size(), transaction.update(table, batch));
            ids.forEach(id -> changed.compute(id, (key, row) -> new Row(row.length, row.count + 1)));
        }

        private void delete(Transaction transaction, NavigableMap<Integer, Row> changed) {
            int id = id();
            assertEquals(
                    changed.remove(id) != null,
                    transaction.delete(table, table.newKey().add(id)));
        }

        private void changeShared(Transaction transaction) {
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(SHARED), row));
            row.setString(1, "s".repeat(random.nextInt(NAME_LENGTH)));
            row.setLong(2, row.getLong(2) - 1);
            assertTrue(transaction.update(table, row));
        }
    }

    private static long staged(Scheduler scheduler, String operation) {
        OperationStatistics statistics = scheduler.statistics().stream()
                .filter(each -> each.operation().equals(operation))
                .findAny()
                .orElseThrow();
        assertEquals(statistics.membersIn(), statistics.membersOut() + statistics.straysTotal(), statistics::toString);
        return statistics.membersStaged() + statistics.membersLent();
    }

    private void check(Database database, List<Member> members) {
        Map<Integer, Row> expected = new TreeMap<>();
        members.forEach(member -> expected.putAll(member.rows));
        Table table = database.table("account");
        Map<Integer, Row> found = new TreeMap<>();
        database.run(transaction -> {
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    int length = (int) row.getLong(2);
                    if (row.getInt(0) != SHARED) {
                        found.put(row.getInt(0), new Row(length, row.getLong(COUNT)));
                        assertEquals("n".repeat(length), row.getString(1));
                    } else {
                        assertEquals(-sharedChanges.get(), length);
                    }
                }
            }
        });
        assertEquals(expected, found);
        assertTrue(expected.values().stream().anyMatch(row -> row.count > 1));
        Set<Integer> lines = new TreeSet<>();
        members.forEach(member -> lines.addAll(member.lines));
        assertEquals(lines, lines(database));
        assertEquals(
                expected.size() + 1, DatabaseTest.ids(database, "by_amount").size());
    }

    private static Set<Integer> lines(Database database) {
        return database.call(transaction -> {
            Table line = database.table("line");
            Record row = line.newRecord();
            Set<Integer> ids = new TreeSet<>();
            try (Cursor cursor = transaction.scan(line)) {
                while (cursor.next(row)) {
                    ids.add(row.getInt(0));
                }
            }
            return ids;
        });
    }

    @ParameterizedTest
    @CsvSource({"VIRTUAL, 1, false", "CONTINUATION, 1, false", "CONTINUATION, 2, true"})
    void keepWhatWasCommitted(SThreadKind kind, int carriers, boolean lending) throws InterruptedException {
        FaultyStorage storage = new FaultyStorage(3);
        List<Member> members = new ArrayList<>();
        try (Scheduler scheduler = StagedUpdatesTest.scheduler(kind, carriers, lending)) {
            Database database =
                    Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, StagedUpdatesTest.LOG);
            Table table = database.createTable(accounts());
            database.createTable(TableDefinition.named("line")
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .build());
            Record shared = table.newRecord();
            fill(shared, SHARED, 0, 0);
            database.run(transaction -> transaction.insert(table, shared));
            for (int member = 0; member < MEMBERS; member++) {
                members.add(new Member(database, member));
            }
            TeamsTest.runTogether(scheduler, List.copyOf(members));
            for (String operation : List.of(
                    "insert account", "update account", "delete account", "insert account.by_amount", "insert line")) {
                long staged = staged(scheduler, operation);
                assertTrue(staged > MEMBERS, () -> operation + " staged=" + staged);
            }
            database.validate();
            check(database, members);
            storage.crash();
            database.abandon();
        }
        Database recovered =
                validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, StagedUpdatesTest.LOG));
        check(recovered, members);
        validated.close(recovered);
    }
}
