package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the members of a team fetch is what each would have fetched alone, and nobody in it waits. */
class TeamFetchTest {
    private static final int SEEDS = 5;
    private static final int ROUNDS = 25;
    private static final int IDS = 600;

    /** More than twice what runs side by side. */
    private static final int MEMBERS = 40;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NAME_LENGTH = 3_000;

    /** So small that its end is reached quickly. */
    private static final long STACK_BYTES = 384 << 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private record Row(String name, long amount) {
        static Row of(Record record) {
            return new Row(record.getString(1), record.getLong(2));
        }
    }

    private static TransactionOptions options(Isolation isolation) {
        return TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
    }

    /** Even ids. */
    private static Map<Integer, Row> fill(Database database, Table table, Random random) {
        Map<Integer, Row> rows = new TreeMap<>();
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < IDS; id += 2) {
                int length = random.nextInt(20) == 0 ? LONG_NAME_LENGTH : random.nextInt(300);
                Row added = new Row("n".repeat(length), id);
                DatabaseTest.put(transaction, table, row, id, added.name(), added.amount());
                rows.put(id, added);
            }
        });
        return rows;
    }

    /** Members run on one stack; the one that has too little of it is not always the first. */
    @Test
    void aMemberThatHasTooLittleStackHarmsNoOther() throws Exception {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            DatabaseTest.put(transaction, table, row, 0, "n", 0);
            DatabaseTest.put(transaction, table, row, 1, "n".repeat(LONG_NAME_LENGTH), 1);
            DatabaseTest.put(transaction, table, row, 2, "n", 2);
            DatabaseTest.put(transaction, table, row, 3, "n", 3);
        });
        FutureTask<Integer> deep = new FutureTask<>(() -> fetchDeepInTheStack(database, table));
        Thread thread = new Thread(null, deep, "deep", STACK_BYTES);
        thread.start();
        assertTrue(deep.get() > 0, "somewhere the stack is too full");
        thread.join();
    }

    /** At each depth, from the deepest that there is to the first where it goes through; returns how often not. */
    private static int fetchDeepInTheStack(Database database, Table table) {
        int depth = depthMax(0);
        int overflows = 0;
        try (Session first = database.openSession();
                Session second = database.openSession()) {
            // Ends: with nothing on the stack it goes through, as the first one, which links what it calls, does.
            for (int at = 0; ; at = at == 0 ? depth : at - 1) {
                List<Transaction> members = List.of(first.begin(), second.begin());
                Record row = table.newRecord();
                for (int i = 0; i < 2; i++) {
                    // A table that is locked already takes no stack.
                    assertTrue(
                            members.get(i).fetchExclusive(table, table.newKey().add(2 + i), row));
                }
                TeamFetch team = table.newTeamFetch(2);
                for (int i = 0; i < 2; i++) {
                    team.add(members.get(i), table.newRecord()).add(i);
                }
                boolean fetched = false;
                try {
                    fetched = fetchAt(at, team);
                } catch (StackOverflowError full) {
                    overflows++;
                }
                members.forEach(Transaction::rollback);
                if (fetched && at > 0) {
                    return overflows;
                }
            }
        }
    }

    @SuppressWarnings("InfiniteRecursion") // until the stack is full
    private static int depthMax(int depth) {
        try {
            return depthMax(depth + 1);
        } catch (StackOverflowError full) {
            return depth;
        }
    }

    private static boolean fetchAt(int depth, TeamFetch team) {
        return depth > 0 ? fetchAt(depth - 1, team) : team.fetchExclusive() == 0 && team.found(1);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void findsWhatSingleFetchesFind(Isolation isolation) throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            new Members(database, seed).run(options(isolation));
            validated.close(database);
        });
    }

    @Test
    void findsWhatTheSnapshotHolds() throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            Members members = new Members(database, seed);
            List<Transaction> readers =
                    members.begin(options(Isolation.SERIALIZABLE).readOnlySnapshot());
            database.run(transaction -> {
                for (int id = 0; id < IDS; id += 4) {
                    transaction.delete(members.table, members.table.newKey().add(id));
                }
            });
            members.read(readers);
            validated.close(database);
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void runsOnAnSThread(SThreadKind kind) throws Exception {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withCarriers(1)
                .withKind(kind)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database = validated.inMemory(
                    DatabaseOptions.builder().poolBytes(32 << 20).build(), scheduler);
            SThread leader =
                    scheduler.start("leader", -1, () -> new Members(database, 1).run(options(Isolation.SERIALIZABLE)));
            leader.join();
            assertNull(leader.failure());
            validated.close(database);
        }
    }

    /** Sessions of one thread, and what they should find. */
    private static final class Members {
        private final Random random;
        private final Database database;
        private final Table table;
        private final Map<Integer, Row> rows;
        private final TeamFetch team;
        private final List<Session> sessions = new ArrayList<>();
        private final List<Record> records = new ArrayList<>();

        Members(Database database, long seed) {
            this.database = database;
            random = new Random(seed);
            table = database.createTable(DatabaseTest.accounts());
            rows = fill(database, table, random);
            team = table.newTeamFetch(MEMBERS);
        }

        Members(Database database, Table table, Map<Integer, Row> rows, Random random) {
            this.database = database;
            this.table = table;
            this.rows = rows;
            this.random = random;
            team = table.newTeamFetch(MEMBERS);
        }

        void run(TransactionOptions options) {
            read(options);
            change(options);
            read(options);
        }

        private List<Transaction> begin(TransactionOptions options) {
            List<Transaction> begun = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                if (sessions.size() == i) {
                    sessions.add(database.openSession());
                    records.add(table.newRecord());
                }
                begun.add(sessions.get(i).begin(options));
            }
            return begun;
        }

        void read(TransactionOptions options) {
            read(begin(options));
        }

        private void read(List<Transaction> transactions) {
            for (int round = 0; round < ROUNDS; round++) {
                team.clear();
                List<Integer> ids = new ArrayList<>();
                int size = 1 + random.nextInt(MEMBERS);
                for (int i = 0; i < size; i++) {
                    ids.add(random.nextInt(IDS));
                    team.add(transactions.get(i), records.get(i)).add(ids.get(i));
                }
                int left = team.fetch();
                assertEquals(size, team.size());
                for (int i = 0; i < size; i++) {
                    boolean found = team.found(i);
                    if (team.left(i)) {
                        assertFalse(found);
                        left--;
                        found = transactions.get(i).fetch(table, team.key(i), records.get(i));
                    }
                    assertEquals(rows.get(ids.get(i)), found ? Row.of(records.get(i)) : null, "id " + ids.get(i));
                }
                assertEquals(0, left);
            }
            transactions.forEach(Transaction::commit);
            end();
        }

        private void end() {
            sessions.forEach(Session::close);
            sessions.clear();
            records.clear();
        }

        /** Each member changes rows of its own. */
        private void change(TransactionOptions options) {
            List<Transaction> transactions = begin(options);
            Map<Integer, Row> changed = new TreeMap<>();
            int[] member = new int[IDS];
            for (int id = 0; id < IDS; id++) {
                member[id] = random.nextInt(MEMBERS);
            }
            for (int round = 0; round < ROUNDS; round++) {
                team.clear();
                List<Integer> ids = new ArrayList<>();
                for (int i = 0; i < MEMBERS; i++) {
                    int id = random.nextInt(IDS);
                    while (member[id] != i) {
                        id = (id + 1) % IDS;
                    }
                    ids.add(id);
                    team.add(transactions.get(i), records.get(i)).add(id);
                }
                team.fetchExclusive();
                for (int i = 0; i < MEMBERS; i++) {
                    Record record = records.get(i);
                    boolean found = team.left(i)
                            ? transactions.get(i).fetchExclusive(table, team.key(i), record)
                            : team.found(i);
                    Row expected = changed.getOrDefault(ids.get(i), rows.get(ids.get(i)));
                    assertEquals(expected, found ? Row.of(record) : null);
                    if (found) {
                        record.setLong(2, expected.amount() + 1);
                        transactions.get(i).update(table, record);
                        changed.put(ids.get(i), new Row(expected.name(), expected.amount() + 1));
                    }
                }
            }
            for (int i = 0; i < MEMBERS; i++) {
                if (i % 3 == 0) {
                    int gone = i;
                    transactions.get(i).rollback();
                    changed.keySet().removeIf(id -> member[id] == gone);
                } else {
                    transactions.get(i).commit();
                }
            }
            rows.putAll(changed);
            end();
        }
    }

    /** Wherever in the team they are, and however many. */
    @Test
    void whoWouldWaitForALockLeaves() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            Table table = database.createTable(DatabaseTest.accounts());
            Map<Integer, Row> rows = fill(database, table, new Random(seed));
            new Blocked(database, table, rows).run(new Random(seed));
            validated.close(database);
        });
    }

    /** A transaction that has locked some rows, and members of a team that want them or others. */
    private record Blocked(Database database, Table table, Map<Integer, Row> rows) {
        private static final int BLOCKED_MEMBERS = 12;

        void run(Random random) {
            boolean[] locked = new boolean[BLOCKED_MEMBERS];
            Members members = new Members(database, table, rows, random);
            try (Session session = database.openSession()) {
                Transaction writer = session.begin();
                TeamFetch one = table.newTeamFetch(1);
                int count = 0;
                for (int i = 0; i < BLOCKED_MEMBERS; i++) {
                    locked[i] = random.nextBoolean();
                    if (locked[i]) {
                        one.clear();
                        one.add(writer, table.newRecord()).add(2 * i);
                        assertEquals(0, one.fetchExclusive());
                        count++;
                    }
                }
                List<Transaction> waiting = members.begin(options(Isolation.SERIALIZABLE));
                TeamFetch team = members.team;
                for (int i = 0; i < BLOCKED_MEMBERS; i++) {
                    team.add(waiting.get(i), members.records.get(i)).add(2 * i);
                }
                assertEquals(count, team.fetch());
                writer.commit();
                for (int i = 0; i < BLOCKED_MEMBERS; i++) {
                    assertEquals(locked[i], team.left(i), "member " + i);
                    assertEquals(!locked[i], team.found(i), "member " + i);
                    if (locked[i]) {
                        assertTrue(waiting.get(i).fetch(table, team.key(i), members.records.get(i)));
                    }
                    assertEquals(rows.get(2 * i), Row.of(members.records.get(i)), "member " + i);
                }
                waiting.forEach(Transaction::commit);
                members.end();
            }
        }
    }

    /** Readers that lock, that test locks and that read snapshots, in any order, beside a writer of every third row. */
    @Test
    void membersReadAtTheirOwnIsolation() {
        Seeds.each(SEEDS, seed -> {
            Random random = new Random(seed);
            Database database = validated.inMemory();
            Table table = database.createTable(DatabaseTest.accounts());
            Map<Integer, Row> rows = fill(database, table, random);
            TeamFetch team = table.newTeamFetch(MEMBERS);
            List<Session> sessions = new ArrayList<>();
            List<Transaction> transactions = new ArrayList<>();
            List<Record> records = new ArrayList<>();
            List<TransactionOptions> options = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                TransactionOptions each = options(Isolation.values()[random.nextInt(Isolation.values().length)]);
                options.add(random.nextInt(3) == 0 ? each.readOnlySnapshot() : each);
                sessions.add(database.openSession());
                transactions.add(sessions.get(i).begin(options.get(i)));
                records.add(table.newRecord());
            }
            try (Session session = database.openSession()) {
                Transaction writer = session.begin();
                Record changed = table.newRecord();
                for (int id = 0; id < IDS; id += 6) {
                    assertTrue(writer.fetchExclusive(table, table.newKey().add(id), changed));
                    changed.setLong(2, -1);
                    writer.update(table, changed);
                }
                int[] ids = new int[MEMBERS];
                for (int i = 0; i < MEMBERS; i++) {
                    ids[i] = 2 * random.nextInt(IDS / 2);
                    team.add(transactions.get(i), records.get(i)).add(ids[i]);
                }
                team.fetch();
                for (int i = 0; i < MEMBERS; i++) {
                    TransactionOptions own = options.get(i);
                    boolean isChanged = ids[i] % 6 == 0 && !own.snapshot();
                    boolean readsChange = isChanged && own.isolation() == Isolation.READ_UNCOMMITTED;
                    boolean waits = isChanged && !readsChange;
                    boolean isLong = rows.get(ids[i]).name().length() == LONG_NAME_LENGTH;
                    assertTrue(team.left(i) == waits || isLong, "member " + i + ", " + own);
                    assertTrue(team.found(i) != team.left(i), "member " + i);
                    if (team.found(i)) {
                        Row before = rows.get(ids[i]);
                        Row expected = readsChange ? new Row(before.name(), -1) : before;
                        assertEquals(expected, Row.of(records.get(i)), "member " + i);
                    }
                }
                writer.rollback();
            }
            transactions.forEach(Transaction::commit);
            sessions.forEach(Session::close);
            validated.close(database);
        });
    }

    /** Alone, before or behind the one that holds the lock, and beyond the members that run side by side. */
    @Test
    void whoWouldWaitForTheTableLeaves() {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        Map<Integer, Row> rows = fill(database, table, new Random(1));
        TransactionOptions impatient = options(Isolation.SERIALIZABLE).withLockTimeout(Duration.ofMillis(100));
        for (int holder : new int[] {-1, 0, 1, MEMBERS - 1}) {
            Members members = new Members(database, table, rows, new Random(1));
            try (Session session = database.openSession()) {
                List<Transaction> waiting = members.begin(impatient);
                Transaction holding = holder < 0 ? session.begin(impatient) : waiting.get(holder);
                holding.lockShared(table);
                for (int i = 0; i < MEMBERS; i++) {
                    members.team.add(waiting.get(i), members.records.get(i)).add(2 * i);
                }
                assertEquals(holder < 0 ? MEMBERS : MEMBERS - 1, members.team.fetchExclusive());
                for (int i = 0; i < MEMBERS; i++) {
                    assertEquals(i != holder, members.team.left(i), "member " + i);
                    assertEquals(i == holder, members.team.found(i), "member " + i);
                }
                holding.commit();
                for (int i = 0; i < MEMBERS; i++) {
                    Record record = members.records.get(i);
                    if (i != holder) {
                        assertTrue(waiting.get(i).fetchExclusive(table, members.team.key(i), record));
                        waiting.get(i).commit();
                    }
                    assertEquals(rows.get(2 * i), Row.of(record), "member " + i);
                }
                members.end();
            }
        }
    }

    @Test
    void whoWouldWaitForAPageLeaves() {
        Database database = validated.open(directory.resolve("cold"), ValidatedDatabase.SMALLEST, null);
        Table table = database.createTable(DatabaseTest.accounts());
        Map<Integer, Row> rows = fill(database, table, new Random(1));
        validated.close(database);
        Database reopened = validated.open(directory.resolve("cold"), ValidatedDatabase.SMALLEST, null);
        Table cold = reopened.table("account");
        try (Session session = reopened.openSession()) {
            Transaction transaction = session.begin();
            TeamFetch team = cold.newTeamFetch(1);
            Record record = cold.newRecord();
            team.add(transaction, record).add(100);
            assertEquals(1, team.fetch());
            assertTrue(team.left(0));
            assertTrue(transaction.fetch(cold, team.key(0), record));
            assertEquals(rows.get(100), Row.of(record));
            assertEquals(0, team.fetch());
            assertTrue(team.found(0));
            transaction.commit();
        }
    }

    @Test
    void aTransactionIsInATeamOnce() {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        fill(database, table, new Random(1));
        try (Session one = database.openSession();
                Session other = database.openSession()) {
            Transaction twice = one.begin();
            Transaction once = other.begin();
            TeamFetch team = table.newTeamFetch(3);
            team.add(twice, table.newRecord()).add(2);
            team.add(once, table.newRecord()).add(4);
            team.add(twice, table.newRecord()).add(6);
            String message =
                    assertThrows(TransactionStateException.class, team::fetch).getMessage();
            assertTrue(message.contains("in the team already"), message);
            assertTrue(message.contains("member=2"), message);
            team.clear();
            team.add(twice, table.newRecord()).add(2);
            team.add(once, table.newRecord()).add(4);
            assertEquals(0, team.fetch());
            assertThrows(IndexOutOfBoundsException.class, () -> team.found(2));
            twice.commit();
            once.commit();
            assertThrows(TransactionStateException.class, team::fetch);
        }
    }

    @Test
    void membersAreOfTheCallingThread() {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        fill(database, table, new Random(1));
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            TeamFetch team = table.newTeamFetch(1);
            team.add(transaction, table.newRecord()).add(2);
            CompletionException refused =
                    assertThrows(CompletionException.class, CompletableFuture.supplyAsync(team::fetch)::join);
            assertEquals(WrongThreadException.class, refused.getCause().getClass());
            assertEquals(0, team.fetch());
            transaction.commit();
        }
    }
}
