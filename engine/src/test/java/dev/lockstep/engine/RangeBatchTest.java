package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges read side by side have the rows, and take the locks, of cursors that read one after the other. */
class RangeBatchTest {
    private static final int SEEDS = 5;
    private static final int TRANSACTIONS = 40;

    /** More than are searched side by side. */
    private static final int DISTRICTS = 40;

    private static final int ORDERS = 20;
    private static final int[] ROWS_PER_RANGE = {1, 3, 64};
    private static final int DISTRICT = 0;
    private static final int ORDER = 1;
    private static final int AMOUNT = 2;
    private static final int NOTE = 3;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NOTE_LENGTH = 3_000;

    private static final Duration SHORT = Duration.ofMillis(1);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private record Row(int amount, String note) {}

    private static TableDefinition orders() {
        return TableDefinition.named("orders")
                .column("district", ColumnType.int32())
                .column("number", ColumnType.int32())
                .column("amount", ColumnType.int32())
                .column("note", ColumnType.string(LONG_NOTE_LENGTH + 10))
                .primaryKey("district", "number")
                .index("by_amount", "amount")
                .build();
    }

    private static TransactionOptions options(Isolation isolation) {
        return TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
    }

    private static void put(Transaction transaction, Table table, Record record, int district, int number, Row row) {
        record.clear();
        record.setInt(DISTRICT, district);
        record.setInt(ORDER, number);
        record.setInt(AMOUNT, row.amount);
        record.setString(NOTE, row.note);
        transaction.insert(table, record);
    }

    /** A table with orders 1 to {@code ordersOfEach} of districts 1 to {@code districts}. */
    private static Table fill(Database database, int districts, int ordersOfEach) {
        Table table = database.createTable(orders());
        database.run(transaction -> {
            Record record = table.newRecord();
            for (int district = 1; district <= districts; district++) {
                for (int number = 1; number <= ordersOfEach; number++) {
                    put(transaction, table, record, district, number, new Row(number, "n"));
                }
            }
        });
        return table;
    }

    private static RangeBatch districts(Table table, int first, int last, int rowsPerRange) {
        RangeBatch ranges = table.newRangeBatch(last - first + 1, rowsPerRange);
        for (int district = first; district <= last; district++) {
            ranges.addRange().add(district);
        }
        return ranges;
    }

    /** What the same scans have met before, a value in overflow pages that ends a step, is not of the next ranges. */
    @Test
    void rangesWithoutRowsAreOneOperation() throws InterruptedException {
        try (Scheduler scheduler =
                new Scheduler(SchedulerOptions.defaults().withCarriers(1).withTeamMode(TeamMode.OFF))) {
            Database database = validated.inMemory(ValidatedDatabase.SMALLEST, scheduler);
            Table table = database.createTable(orders());
            List<Long> operations = new ArrayList<>();
            TeamsTest.runTogether(
                    scheduler,
                    List.of(() -> database.run(transaction -> {
                        Record record = table.newRecord();
                        for (int district = 1; district <= 10; district++) {
                            put(transaction, table, record, district, 1, new Row(1, "n".repeat(LONG_NOTE_LENGTH)));
                        }
                        RangeBatch ranges = districts(table, 1, 10, 1);
                        for (int first : new int[] {11, 1, 21}) {
                            ranges.clear();
                            for (int district = first; district < first + 10; district++) {
                                ranges.addRange().add(district);
                            }
                            long before = operations(scheduler);
                            assertEquals(first == 1 ? 10 : 0, transaction.fetch(table, ranges));
                            operations.add(operations(scheduler) - before);
                        }
                    })));
            assertEquals(operations.getLast(), operations.getFirst(), operations::toString);
            validated.close(database);
        }
    }

    private static long operations(Scheduler scheduler) {
        return scheduler.statistics().stream()
                .mapToLong(OperationStatistics::straightOperations)
                .sum();
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void findsWhatTheModelHolds(Isolation isolation) throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            new Model(database, seed).run(options(isolation));
            validated.close(database);
        });
    }

    @Test
    void findsWhatASnapshotHolds() {
        Database database = validated.inMemory();
        Table table = fill(database, 5, 8);
        RangeBatch ranges = districts(table, 1, 5, 3);
        try (Session reader = database.openSession()) {
            TransactionOptions snapshot =
                    TransactionOptions.of(DatabaseOptions.defaults()).readOnlySnapshot();
            Transaction transaction = reader.begin(snapshot);
            database.run(writer -> assertEquals(
                    5, writer.delete(table, districtsFetched(writer, table).rows())));
            assertEquals(15, transaction.fetch(table, ranges));
            for (int range = 0; range < 5; range++) {
                assertEquals(List.of(1, 2, 3), numbers(ranges, range));
            }
            assertThrows(ReadOnlyException.class, () -> transaction.fetchExclusive(table, ranges));
            transaction.rollback();
        }
        assertEquals(15, (int) database.call(transaction -> transaction.fetch(table, ranges)));
        assertEquals(List.of(2, 3, 4), numbers(ranges, 4));
    }

    private static RangeBatch districtsFetched(Transaction transaction, Table table) {
        RangeBatch oldest = districts(table, 1, 5, 1);
        transaction.fetchExclusive(table, oldest);
        return oldest;
    }

    private static List<Integer> numbers(RangeBatch ranges, int range) {
        List<Integer> numbers = new ArrayList<>();
        for (int row = ranges.from(range); row < ranges.to(range); row++) {
            numbers.add(ranges.rows().record(row).getInt(ORDER));
        }
        return numbers;
    }

    /** Who waits for a row holds those of the ranges before, and none of the ranges behind. */
    @Test
    void locksInTheOrderOfTheRanges() throws Exception {
        Database database = validated.inMemory();
        Table table = fill(database, 10, 2);
        TransactionOptions impatient = options(Isolation.SERIALIZABLE).withLockTimeout(SHORT);
        try (Session holding = database.openSession();
                Session other = database.openSession()) {
            Transaction holder = holding.begin(options(Isolation.SERIALIZABLE));
            assertTrue(holder.fetchExclusive(table, table.newKey().add(5).add(1), table.newRecord()));
            Worker waiting = new Worker(() -> database.run(
                    transaction -> assertEquals(10, transaction.fetchExclusive(table, districts(table, 1, 10, 1)))));
            waiting.awaitParkedIn("waitForLock");
            for (int district = 6; district <= 10; district++) {
                Transaction free = other.begin(impatient);
                Key key = table.newKey().add(district).add(1);
                assertTrue(free.fetchExclusive(table, key, table.newRecord()));
                free.rollback();
            }
            for (int district = 1; district < 5; district++) {
                Transaction blocked = other.begin(impatient);
                Key key = table.newKey().add(district).add(1);
                assertThrows(LockTimeoutException.class, () -> blocked.fetchExclusive(table, key, table.newRecord()));
                blocked.rollback();
                Transaction behind = other.begin(impatient);
                assertTrue(behind.fetchExclusive(
                        table, table.newKey().add(district).add(2), table.newRecord()));
                behind.rollback();
            }
            holder.rollback();
            waiting.join();
            assertEquals(null, waiting.failure());
        }
    }

    /** A large value ends a step in the middle of its range; the next range is not locked before the rest of that. */
    @Test
    void locksARangeBehindALargeRowBeforeTheNext() throws Exception {
        Database database = validated.inMemory();
        Table table = database.createTable(orders());
        database.run(transaction -> {
            Record record = table.newRecord();
            put(transaction, table, record, 1, 1, new Row(1, "n".repeat(LONG_NOTE_LENGTH)));
            put(transaction, table, record, 1, 2, new Row(2, "n"));
            put(transaction, table, record, 2, 1, new Row(3, "n"));
        });
        try (Session holding = database.openSession();
                Session other = database.openSession()) {
            Transaction holder = holding.begin(options(Isolation.SERIALIZABLE));
            assertTrue(holder.fetchExclusive(table, table.newKey().add(1).add(2), table.newRecord()));
            Worker waiting = new Worker(() -> database.run(
                    transaction -> assertEquals(3, transaction.fetchExclusive(table, districts(table, 1, 2, 2)))));
            waiting.awaitParkedIn("waitForLock");
            Transaction free = other.begin(options(Isolation.SERIALIZABLE).withLockTimeout(SHORT));
            assertTrue(free.fetchExclusive(table, table.newKey().add(2).add(1), table.newRecord()));
            free.rollback();
            holder.rollback();
            waiting.join();
            assertEquals(null, waiting.failure());
        }
    }

    /** A range that was read to its end gets no row by others; one that was not does behind what was read. */
    @Test
    void nothingComesIntoWhatWasRead() {
        Database database = validated.inMemory();
        Table table = fill(database, 3, 4);
        TransactionOptions impatient = options(Isolation.SERIALIZABLE).withLockTimeout(SHORT);
        try (Session reading = database.openSession();
                Session writing = database.openSession()) {
            Transaction reader = reading.begin(options(Isolation.SERIALIZABLE));
            RangeBatch whole = districts(table, 1, 2, 5);
            assertEquals(8, reader.fetch(table, whole));
            Transaction blocked = writing.begin(impatient);
            assertThrows(
                    LockTimeoutException.class,
                    () -> put(blocked, table, table.newRecord(), 1, 9, new Row(1, "phantom")));
            blocked.rollback();
            Transaction free = writing.begin(impatient);
            put(free, table, table.newRecord(), 3, 9, new Row(1, "elsewhere"));
            free.commit();
            assertEquals(8, reader.fetch(table, whole));
            reader.commit();
            Transaction first = reading.begin(options(Isolation.SERIALIZABLE));
            assertEquals(2, first.fetch(table, districts(table, 1, 2, 1)));
            Transaction behind = writing.begin(impatient);
            put(behind, table, table.newRecord(), 2, 9, new Row(1, "behind"));
            behind.commit();
            first.commit();
        }
    }

    /** Oldest rows taken by many at the same time: each is taken once, and nobody is in anybody's way for good. */
    @ParameterizedTest
    @EnumSource(SThreadKind.class)
    void takersNeverTakeARowTwice(SThreadKind kind) throws Exception {
        int takers = 6;
        int turns = 5;
        int districts = 7;
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
            Table table = fill(database, districts, takers * turns);
            AtomicInteger taken = new AtomicInteger();
            List<SThread> threads = new ArrayList<>();
            for (int i = 0; i < takers; i++) {
                threads.add(scheduler.start("taker-" + i, -1, () -> {
                    RangeBatch oldest = districts(table, 1, districts, 1);
                    try (Session session = database.openSession()) {
                        for (int turn = 0; turn < turns; turn++) {
                            Transaction transaction = session.begin(options(Isolation.SERIALIZABLE));
                            assertEquals(districts, transaction.fetchExclusive(table, oldest));
                            taken.addAndGet(transaction.delete(table, oldest.rows()));
                            transaction.commit();
                        }
                    }
                }));
            }
            for (SThread thread : threads) {
                thread.join();
                if (thread.failure() != null) {
                    throw new AssertionError(thread.name(), thread.failure());
                }
            }
            assertEquals(takers * turns * districts, taken.get());
            RangeBatch left = districts(table, 1, districts, 1);
            assertEquals(0, (int) database.call(transaction -> transaction.fetch(table, left)));
            assertEquals(0, database.validate().ghosts());
            validated.close(database);
        }
    }

    /** Where others have changed the tree since a row was deleted, its ghost goes all the same. */
    @Test
    void ghostsGoFromLeavesThatWereSplitMeanwhile() {
        Database database = validated.inMemory();
        Table table = fill(database, 10, 20);
        long nodes = database.validate().nodes();
        try (Session deleting = database.openSession()) {
            Transaction deleter = deleting.begin(options(Isolation.READ_COMMITTED));
            RangeBatch ranges = districts(table, 1, 10, 20);
            deleter.fetchExclusive(table, ranges);
            assertEquals(200, deleter.delete(table, ranges.rows()));
            database.run(options(Isolation.READ_COMMITTED), transaction -> {
                Record record = table.newRecord();
                for (int i = 0; i < 200; i++) {
                    put(transaction, table, record, 1 + i % 10, 100 + i, new Row(i, "m".repeat(200)));
                }
            });
            deleter.commit();
        }
        ValidationReport report = database.validate();
        assertEquals(0, report.ghosts());
        assertTrue(report.nodes() > nodes, () -> "no leaf was split, nodes before=" + nodes + " now=" + report);
        assertEquals(200, (int) database.call(transaction -> transaction.fetch(table, districts(table, 1, 10, 40))));
    }

    /** A table that is emptied from its low end on, a row a transaction, gives its pages back. */
    @Test
    void leavesThatAreDrainedFromTheirHeadAreGivenBack() {
        Database database = validated.inMemory();
        Table table = fill(database, 1, 3_000);
        long nodes = database.validate().nodes();
        RangeBatch oldest = districts(table, 1, 1, 1);
        try (Session session = database.openSession()) {
            for (int i = 0; i < 2_990; i++) {
                Transaction transaction = session.begin(options(Isolation.SERIALIZABLE));
                assertEquals(1, transaction.fetchExclusive(table, oldest));
                assertEquals(1, transaction.delete(table, oldest.rows()));
                transaction.commit();
            }
        }
        ValidationReport report = database.validate();
        assertEquals(0, report.ghosts());
        assertTrue(report.nodes() < nodes / 4, () -> "nodes before=" + nodes + " now=" + report);
    }

    @Test
    void deletesAllOrNone() {
        Database database = validated.inMemory();
        Table table = fill(database, 4, 3);
        RangeBatch ranges = districts(table, 1, 4, 3);
        RowBatch keys = table.newBatch(2);
        keys.addKey().add(1).add(1);
        keys.addKey().add(1).add(99);
        database.run(transaction -> {
            assertEquals(1, transaction.fetchForUpdate(table, keys));
            assertEquals(1, transaction.delete(table, keys));
            assertTrue(keys.found(0));
            assertFalse(keys.found(1));
            assertEquals(11, transaction.fetchForUpdate(table, ranges));
            assertTrue(transaction.delete(table, ranges.rows().record(3)));
            assertEquals(10, transaction.delete(table, ranges.rows()));
            assertFalse(ranges.rows().found(3));
            assertEquals(0, transaction.fetch(table, ranges));
        });
    }

    /** The row with the key that a fetched record was given is another one. */
    @Test
    void aRecordWhoseKeyWasChangedDeletesNothing() {
        Database database = validated.inMemory();
        Table table = fill(database, 1, 3);
        RangeBatch ranges = districts(table, 1, 1, 3);
        database.run(transaction -> {
            Record record = table.newRecord();
            assertTrue(transaction.fetchExclusive(table, table.newKey().add(1).add(2), record));
            record.setInt(ORDER, 3);
            assertThrows(TransactionStateException.class, () -> transaction.delete(table, record));
            assertEquals(3, transaction.fetchExclusive(table, ranges));
            ranges.rows().record(2).setInt(ORDER, 1);
            assertThrows(TransactionStateException.class, () -> transaction.delete(table, ranges.rows()));
            assertEquals(3, transaction.fetch(table, ranges));
        });
    }

    /** A record that was filled, not fetched, names the row by its key. */
    @Test
    void aRecordThatWasFilledDeletesTheRowOfItsKey() {
        Database database = validated.inMemory();
        Table table = fill(database, 1, 3);
        database.run(transaction -> {
            Record record = table.newRecord();
            record.setInt(DISTRICT, 1);
            record.setInt(ORDER, 2);
            assertTrue(transaction.delete(table, record));
            assertFalse(transaction.delete(table, record));
        });
    }

    @Test
    void refusesWhatIsNotThere() {
        Database database = validated.inMemory();
        Table table = fill(database, 2, 2);
        Table other = database.createTable(DatabaseTest.accounts());
        assertThrows(InvalidOptionException.class, () -> table.newRangeBatch(0, 1));
        assertThrows(InvalidOptionException.class, () -> table.newRangeBatch(1, 0));
        assertThrows(InvalidOptionException.class, () -> table.newRangeBatch(2, Integer.MAX_VALUE));
        assertThrows(InvalidOptionException.class, () -> table.newRangeBatch(4, 1 << 30));
        RangeBatch ranges = districts(table, 1, 2, 2);
        assertEquals(2, ranges.capacity());
        assertEquals(2, ranges.rowsPerRangeMax());
        assertThrows(TransactionStateException.class, ranges::addRange);
        assertThrows(IndexOutOfBoundsException.class, () -> ranges.from(0));
        assertThrows(IndexOutOfBoundsException.class, () -> ranges.to(0));
        database.run(transaction -> {
            assertThrows(SchemaException.class, () -> transaction.fetch(other, ranges));
            assertEquals(4, transaction.fetch(table, ranges));
            assertThrows(SchemaException.class, () -> transaction.delete(other, ranges.rows()));
        });
        ranges.clear();
        assertEquals(0, ranges.size());
        assertThrows(IndexOutOfBoundsException.class, () -> ranges.to(0));
        assertEquals(0, (int) database.call(transaction -> transaction.fetch(table, ranges)));
    }

    @Test
    void aFetchThatFailsForgetsTheRowsOfTheOneBefore() {
        Database database = validated.inMemory();
        Table table = fill(database, 2, 2);
        RangeBatch ranges = districts(table, 1, 2, 2);
        try (Session holding = database.openSession();
                Session waiting = database.openSession()) {
            Transaction waiter = waiting.begin(options(Isolation.READ_COMMITTED).withLockTimeout(SHORT));
            assertEquals(4, waiter.fetch(table, ranges));
            Transaction holder = holding.begin();
            assertTrue(holder.fetchExclusive(table, table.newKey().add(2).add(1), table.newRecord()));
            assertThrows(LockTimeoutException.class, () -> waiter.fetchExclusive(table, ranges));
            waiter.rollback();
            holder.rollback();
        }
        assertEquals(2, ranges.size());
        assertEquals(0, ranges.rows().size());
        assertThrows(IndexOutOfBoundsException.class, () -> ranges.from(0));
        assertThrows(IndexOutOfBoundsException.class, () -> ranges.to(1));
    }

    /** Without columns a range is the whole table. */
    @Test
    void anEmptyPrefixIsTheWholeTable() {
        Database database = validated.inMemory();
        Table table = fill(database, 2, 2);
        RangeBatch ranges = table.newRangeBatch(1, 10);
        ranges.addRange();
        assertEquals(4, (int) database.call(transaction -> transaction.fetch(table, ranges)));
        assertEquals(List.of(1, 2, 1, 2), numbers(ranges, 0));
    }

    /** Random ranges in random transactions, changes of their rows included. */
    private static final class Model {
        private final Random random;
        private final Database database;
        private final Table table;
        private final RangeBatch[] batches = new RangeBatch[ROWS_PER_RANGE.length];
        private final Record single;
        private NavigableMap<Integer, NavigableMap<Integer, Row>> rows = new TreeMap<>();

        Model(Database database, long seed) {
            this.database = database;
            random = new Random(seed);
            table = database.createTable(orders());
            for (int i = 0; i < batches.length; i++) {
                batches[i] = table.newRangeBatch(DISTRICTS, ROWS_PER_RANGE[i]);
            }
            single = table.newRecord();
        }

        private NavigableMap<Integer, NavigableMap<Integer, Row>> copy() {
            NavigableMap<Integer, NavigableMap<Integer, Row>> copy = new TreeMap<>();
            rows.forEach((district, orders) -> copy.put(district, new TreeMap<>(orders)));
            return copy;
        }

        private NavigableMap<Integer, Row> of(int district) {
            return rows.computeIfAbsent(district, unused -> new TreeMap<>());
        }

        void run(TransactionOptions options) {
            try (Session session = database.openSession()) {
                for (int i = 0; i < TRANSACTIONS; i++) {
                    NavigableMap<Integer, NavigableMap<Integer, Row>> before = copy();
                    Transaction transaction = session.begin(options);
                    for (int change = random.nextInt(60); change > 0; change--) {
                        change(transaction);
                    }
                    for (int step = random.nextInt(4); step > 0; step--) {
                        scan(transaction, batches[random.nextInt(batches.length)]);
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
            int length = random.nextInt(12) == 0 ? LONG_NOTE_LENGTH : random.nextInt(200);
            return new Row(random.nextInt(10), "n".repeat(length));
        }

        private void change(Transaction transaction) {
            int district = random.nextInt(DISTRICTS);
            int number = random.nextInt(ORDERS);
            if (of(district).remove(number) != null) {
                assertTrue(
                        transaction.delete(table, table.newKey().add(district).add(number)));
            } else {
                Row row = randomRow();
                put(transaction, table, single, district, number, row);
                of(district).put(number, row);
            }
        }

        private void scan(Transaction transaction, RangeBatch batch) {
            batch.clear();
            List<Integer> districts = new ArrayList<>();
            for (int count = random.nextInt(DISTRICTS + 1); count > 0; count--) {
                districts.add(random.nextInt(DISTRICTS));
                batch.addRange().add(districts.getLast());
            }
            int way = random.nextInt(3);
            int found = way == 0
                    ? transaction.fetch(table, batch)
                    : way == 1 ? transaction.fetchForUpdate(table, batch) : transaction.fetchExclusive(table, batch);
            assertEquals(districts.size(), batch.size());
            assertEquals(found, batch.rows().size());
            int next = 0;
            for (int range = 0; range < districts.size(); range++) {
                assertEquals(next, batch.from(range));
                int left = batch.rowsPerRangeMax();
                for (var expected : of(districts.get(range)).entrySet()) {
                    if (left-- == 0) {
                        break;
                    }
                    Record record = batch.rows().record(next++);
                    assertEquals(districts.get(range), record.getInt(DISTRICT));
                    assertEquals(expected.getKey(), record.getInt(ORDER));
                    assertEquals(expected.getValue(), new Row(record.getInt(AMOUNT), record.getString(NOTE)));
                }
                assertEquals(next, batch.to(range));
            }
            assertEquals(next, found);
            if (way > 0 && isDistinct(districts)) {
                changeAll(transaction, batch.rows());
            }
        }

        private static boolean isDistinct(List<Integer> districts) {
            return districts.stream().distinct().count() == districts.size();
        }

        private void changeAll(Transaction transaction, RowBatch found) {
            boolean deletes = random.nextInt(3) == 0;
            for (int i = 0; i < found.size(); i++) {
                Record record = found.record(i);
                NavigableMap<Integer, Row> orders = of(record.getInt(DISTRICT));
                if (deletes) {
                    orders.remove(record.getInt(ORDER));
                } else {
                    int amount = random.nextInt(10);
                    orders.put(record.getInt(ORDER), new Row(amount, record.getString(NOTE)));
                    record.setInt(AMOUNT, amount);
                }
            }
            int changed = deletes ? transaction.delete(table, found) : transaction.update(table, found);
            assertEquals(found.size(), changed);
        }
    }

    /** A large row that goes between the scan and the reading of its value leaves its place to the next one. */
    @Test
    void aLargeRowThatIsTakenBackLeavesItsPlaceToTheNext() throws Exception {
        Database database = validated.inMemory();
        Table table = fill(database, 1, 2);
        try (Session inserting = database.openSession()) {
            Transaction inserter = inserting.begin();
            put(inserter, table, table.newRecord(), 1, 0, new Row(0, "x".repeat(LONG_NOTE_LENGTH)));
            Worker reading = new Worker(() -> database.run(options(Isolation.READ_UNCOMMITTED), transaction -> {
                RangeBatch batch = districts(table, 1, 1, 1);
                assertEquals(1, transaction.fetch(table, batch));
                assertEquals(1, batch.rows().record(0).getInt(ORDER));
            }));
            reading.awaitParkedIn("waitForLock");
            inserter.rollback();
            reading.join();
            assertEquals(null, reading.failure());
        }
    }
}
