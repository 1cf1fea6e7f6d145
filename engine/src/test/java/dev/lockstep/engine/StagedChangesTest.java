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

    /** A row that all of them change, last in their transactions, so that nobody waits in a circle. */
    private static final int SHARED = -1;

    private static final Path HOME = Path.of("/database");

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final AtomicInteger sharedChanges = new AtomicInteger();

    /** One member: its rows by id, as they are committed. */
    private final class Member implements Runnable {
        private final Database database;
        private final Table table;
        private final int number;
        private final Random random;
        private final TreeMap<Integer, Integer> rows = new TreeMap<>();

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
                TreeMap<Integer, Integer> changed = new TreeMap<>(rows);
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

        private void change(Transaction transaction, NavigableMap<Integer, Integer> changed) {
            switch (random.nextInt(4)) {
                case 0 -> insertSeveral(transaction, changed);
                case 1 -> delete(transaction, changed);
                case 2 -> updateSeveral(transaction, changed);
                default -> insertOrUpdate(transaction, changed);
            }
        }

        private void insertOrUpdate(Transaction transaction, NavigableMap<Integer, Integer> changed) {
            int id = id();
            int length = random.nextInt(NAME_LENGTH);
            Record row = table.newRecord();
            if (changed.containsKey(id)) {
                assertThrows(
                        DuplicateKeyException.class,
                        () -> DatabaseTest.put(transaction, table, table.newRecord(), id, "taken", 1));
                assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
                row.setString(1, "n".repeat(length));
                row.setLong(2, length);
                assertTrue(transaction.update(table, row));
            } else {
                DatabaseTest.put(transaction, table, row, id, "n".repeat(length), length);
            }
            changed.put(id, length);
        }

        private void insertSeveral(Transaction transaction, NavigableMap<Integer, Integer> changed) {
            RowBatch batch = table.newBatch(BATCH);
            int first = id();
            int length = random.nextInt(NAME_LENGTH);
            for (int id = first; batch.size() < BATCH && !changed.containsKey(id); id += MEMBERS) {
                Record row = batch.addRow();
                row.setInt(0, id);
                row.setString(1, "n".repeat(length));
                row.setLong(2, length);
                changed.put(id, length);
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

        private void updateSeveral(Transaction transaction, NavigableMap<Integer, Integer> changed) {
            RowBatch batch = table.newBatch(BATCH);
            changed.tailMap(id()).keySet().stream().limit(BATCH).forEach(id -> batch.addKey()
                    .add(id));
            assertEquals(batch.size(), transaction.fetchExclusive(table, batch));
            for (int i = 0; i < batch.size(); i++) {
                // The amounts stay, and so do the entries of the index.
                Record row = batch.record(i);
                row.setLong(2, row.getLong(2));
            }
            assertEquals(batch.size(), transaction.update(table, batch));
        }

        private void delete(Transaction transaction, NavigableMap<Integer, Integer> changed) {
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
        Map<Integer, Integer> expected = new TreeMap<>();
        members.forEach(member -> expected.putAll(member.rows));
        Table table = database.table("account");
        Map<Integer, Integer> found = new TreeMap<>();
        database.run(transaction -> {
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    int length = (int) row.getLong(2);
                    if (row.getInt(0) != SHARED) {
                        found.put(row.getInt(0), length);
                        assertEquals("n".repeat(length), row.getString(1));
                    } else {
                        assertEquals(-sharedChanges.get(), length);
                    }
                }
            }
        });
        assertEquals(expected, found);
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
            Table table = database.createTable(DatabaseTest.accounts());
            database.createTable(TableDefinition.named("line")
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .build());
            database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), SHARED, "", 0));
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
