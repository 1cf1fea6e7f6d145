package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows scanned a batch at a time are the rows, with the locks, of a scan one by one. */
class RowBatchScanTest {
    private static final int SEEDS = 6;
    private static final int TRANSACTIONS = 40;

    /** With names of 150 characters on average it takes a dozen leaves. */
    private static final int IDS = 400;

    private static final int NAME_LENGTH_MAX = 300;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NAME_LENGTH = 3_000;

    private static final int[] CAPACITIES = {1, 2, 7, 40, 300};
    private static final int AMOUNTS = 12;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private record Row(String name, long amount) {}

    private static TransactionOptions options(Isolation isolation) {
        return TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void findsWhatTheModelHolds(Isolation isolation) throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.open(directory.resolve("seed" + seed), ValidatedDatabase.SMALLEST, null);
            new Model(database, seed).run(isolation);
            validated.close(database);
        });
    }

    /** Random scans in random transactions, changes of the rows before and behind them included. */
    private static final class Model {
        private final Random random;
        private final Database database;
        private final Table table;
        private final RowBatch[] batches = new RowBatch[CAPACITIES.length];
        private final Record single;
        private TreeMap<Integer, Row> rows = new TreeMap<>();

        Model(Database database, long seed) {
            this.database = database;
            random = new Random(seed);
            table = database.createTable(DatabaseTest.accounts());
            for (int i = 0; i < batches.length; i++) {
                batches[i] = table.newBatch(CAPACITIES[i]);
            }
            single = table.newRecord();
        }

        void run(Isolation isolation) {
            try (Session session = database.openSession()) {
                for (int i = 0; i < TRANSACTIONS; i++) {
                    TreeMap<Integer, Row> before = new TreeMap<>(rows);
                    Transaction transaction = session.begin(options(isolation));
                    for (int change = random.nextInt(40); change > 0; change--) {
                        change(transaction);
                    }
                    for (int step = random.nextInt(4); step > 0; step--) {
                        if (random.nextBoolean()) {
                            scanTable(transaction);
                        } else {
                            scanIndex(transaction);
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
            int length = random.nextInt(12) == 0 ? LONG_NAME_LENGTH : random.nextInt(NAME_LENGTH_MAX);
            return new Row("n".repeat(length) + random.nextInt(100), random.nextInt(AMOUNTS));
        }

        private void change(Transaction transaction) {
            int id = random.nextInt(IDS);
            if (!rows.containsKey(id)) {
                Row row = randomRow();
                DatabaseTest.put(transaction, table, single, id, row.name, row.amount);
                rows.put(id, row);
            } else if (random.nextInt(3) == 0) {
                assertTrue(transaction.delete(table, table.newKey().add(id)));
                rows.remove(id);
            } else {
                assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), single));
                update(transaction, single, id);
            }
        }

        private void update(Transaction transaction, Record record, int id) {
            Row next = randomRow();
            record.setString(1, next.name);
            record.setLong(2, next.amount);
            assertTrue(transaction.update(table, record));
            rows.put(id, next);
        }

        private static NavigableMap<Integer, Row> range(NavigableMap<Integer, Row> all, int low, int high) {
            return low < high ? all.subMap(low, true, high, false) : new TreeMap<>();
        }

        private void scanTable(Transaction transaction) {
            int low = random.nextInt(5) == 0 ? Integer.MIN_VALUE : random.nextInt(IDS);
            int high = random.nextInt(5) == 0 ? Integer.MAX_VALUE : random.nextInt(IDS + 1);
            boolean backward = random.nextBoolean();
            boolean forUpdate = random.nextBoolean();
            try (Cursor cursor = transaction.scan(table)) {
                if (low != Integer.MIN_VALUE) {
                    cursor.from(table.newKey().add(low));
                }
                if (high != Integer.MAX_VALUE) {
                    cursor.before(table.newKey().add(high));
                }
                if (backward) {
                    cursor.backward();
                }
                if (forUpdate) {
                    cursor.forUpdate();
                }
                int at = backward ? high : low;
                boolean more = true;
                while (more) {
                    NavigableMap<Integer, Row> left =
                            backward ? range(rows, low, at).descendingMap() : range(rows, at, high);
                    List<Integer> found = step(cursor, left);
                    more = !found.isEmpty();
                    if (more) {
                        at = found.getLast() + (backward ? 0 : 1);
                        if (random.nextInt(3) == 0) {
                            change(transaction);
                        }
                    }
                }
            }
        }

        /** Asks for one row or several; those found, which have to be the next ones of the model. */
        private List<Integer> step(Cursor cursor, NavigableMap<Integer, Row> left) {
            List<Integer> found = new ArrayList<>();
            int choice = random.nextInt(batches.length + 1);
            if (choice == batches.length) {
                if (cursor.next(single)) {
                    found.add(single.getInt(0));
                    assertEquals(left.firstEntry(), Map.entry(single.getInt(0), read(single)));
                }
                assertEquals(left.isEmpty(), found.isEmpty());
                return found;
            }
            RowBatch batch = batches[choice];
            int count = cursor.next(batch);
            assertEquals(Math.min(left.size(), batch.capacity()), count);
            assertEquals(count, batch.size());
            int i = 0;
            for (Map.Entry<Integer, Row> expected : left.entrySet()) {
                if (i < count) {
                    assertTrue(batch.found(i));
                    assertEquals(expected.getKey(), batch.record(i).getInt(0));
                    assertEquals(expected.getValue(), read(batch.record(i)));
                    assertEquals(expected.getKey(), batch.key(i).getInt(0));
                    found.add(expected.getKey());
                }
                i++;
            }
            if (count < batch.capacity()) {
                assertEquals(0, cursor.next(batch));
                found.clear();
            }
            return found;
        }

        private static Row read(Record record) {
            return new Row(record.getString(1), record.getLong(2));
        }

        private void scanIndex(Transaction transaction) {
            long low = random.nextInt(AMOUNTS);
            long high = low + random.nextInt(4);
            boolean backward = random.nextBoolean();
            boolean keysOnly = random.nextBoolean();
            Comparator<Integer> byAmount = Comparator.comparingLong((Integer id) -> rows.get(id).amount)
                    .thenComparing(Comparator.naturalOrder());
            List<Integer> expected = rows.keySet().stream()
                    .filter(id -> rows.get(id).amount >= low && rows.get(id).amount <= high)
                    .sorted(backward ? byAmount.reversed() : byAmount)
                    .toList();
            List<Integer> found = new ArrayList<>();
            try (Cursor cursor = transaction
                    .scan(table, "by_amount")
                    .from(table.newIndexKey("by_amount").add(low))
                    .to(table.newIndexKey("by_amount").add(high))) {
                if (backward) {
                    cursor.backward();
                }
                if (random.nextBoolean()) {
                    cursor.forUpdate();
                }
                RowBatch batch = batches[random.nextInt(batches.length)];
                int count;
                do {
                    count = keysOnly ? cursor.nextKeys(batch) : cursor.next(batch);
                    assertEquals(count, batch.size());
                    if (keysOnly) {
                        assertFalse(count > 0 && batch.found(0));
                        assertEquals(count, transaction.fetch(table, batch));
                    }
                    for (int i = 0; i < count; i++) {
                        int id = batch.key(i).getInt(0);
                        assertEquals(id, batch.record(i).getInt(0));
                        assertEquals(rows.get(id), read(batch.record(i)));
                        found.add(id);
                    }
                } while (count == batch.capacity());
                assertEquals(0, cursor.next(batch));
            }
            assertEquals(expected, found);
        }
    }

    /** Accounts 10, 20 to {@code 10 * count}, each with its id as the amount. */
    private static Table tens(Database database, int count, String name) {
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 10; id <= 10 * count; id += 10) {
                DatabaseTest.put(transaction, table, row, id, name, id);
            }
        });
        return table;
    }

    private static List<Integer> ids(
            Transaction transaction, Table table, RowBatch batch, int low, int high, boolean down) {
        List<Integer> ids = new ArrayList<>();
        try (Cursor cursor = transaction
                .scan(table)
                .from(table.newKey().add(low))
                .to(table.newKey().add(high))) {
            if (down) {
                cursor.backward();
            }
            while (cursor.next(batch) > 0) {
                for (int i = 0; i < batch.size(); i++) {
                    ids.add(batch.record(i).getInt(0));
                }
            }
        }
        return ids;
    }

    /** The last of several low ends counts, also behind one that no key follows. */
    @Test
    void aLowEndTakesThePlaceOfTheOneBefore() {
        Database database = validated.inMemory();
        Table table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            RowBatch rows = table.newBatch(2);
            rows.addRow().setLong(0, 1);
            rows.addRow().setLong(0, Long.MAX_VALUE);
            transaction.insert(table, rows);
            Key last = table.newKey().add(Long.MAX_VALUE);
            Key first = table.newKey().add(1);
            try (Cursor none = transaction.scan(table).from(first).after(last)) {
                assertEquals(0, none.next(rows));
            }
            try (Cursor all = transaction.scan(table).after(last).from(first)) {
                assertEquals(2, all.next(rows));
            }
            try (Cursor one = transaction.scan(table).after(last).after(first)) {
                assertEquals(1, one.next(rows));
            }
        });
    }

    @Test
    void aBatchOfAnotherTableIsRefused() {
        Database database = validated.inMemory();
        Table table = tens(database, 5, "n");
        Table other = database.createTable(TableDefinition.named("other")
                .column("id", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                assertThrows(SchemaException.class, () -> cursor.next(other.newBatch(2)));
                assertThrows(SchemaException.class, () -> cursor.nextKeys(table.newBatch(2)));
            }
            try (Cursor cursor = transaction.scan(table, "by_amount")) {
                assertThrows(SchemaException.class, () -> cursor.next(other.newBatch(2)));
                assertThrows(SchemaException.class, () -> cursor.nextKeys(other.newBatch(2)));
                assertEquals(5, cursor.nextKeys(table.newBatch(9)));
            }
        });
    }

    @Test
    void aBatchThatIsRefusedIsLeftAsItWas() {
        Database database = validated.inMemory();
        Table table = tens(database, 5, "n");
        Table other = database.createTable(TableDefinition.named("other")
                .column("id", ColumnType.int64())
                .primaryKey("id")
                .build());
        RowBatch foreign = other.newBatch(2);
        foreign.addKey().add(7L);
        foreign.addRow().setLong(0, 8);
        RowBatch narrow = table.newBatch(1, 1);
        narrow.addKey().add(10);
        RowBatch rows = table.newBatch(1);
        rows.addKey().add(20);
        database.run(transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                assertThrows(SchemaException.class, () -> cursor.next(foreign));
                assertThrows(SchemaException.class, () -> cursor.nextKeys(rows));
            }
            try (Cursor cursor = transaction.scan(table, "by_amount")) {
                assertThrows(SchemaException.class, () -> cursor.next(foreign));
                assertThrows(SchemaException.class, () -> cursor.nextKeys(foreign));
                assertThrows(SchemaException.class, () -> cursor.next(narrow));
            }
            assertEquals(1, transaction.fetch(table, narrow));
            assertEquals(1, transaction.fetch(table, rows));
        });
        assertEquals(2, foreign.size());
        assertTrue(foreign.key(0).isComplete());
        assertEquals(8, foreign.record(1).getLong(0));
    }

    @Test
    void aRecordKeepsItsRowWhenTheRangeHasEnded() {
        Database database = validated.inMemory();
        Table table = tens(database, 5, "n");
        database.run(transaction -> {
            Record row = table.newRecord();
            try (Cursor cursor = transaction
                    .scan(table)
                    .from(table.newKey().add(20))
                    .to(table.newKey().add(35))) {
                while (cursor.next(row)) {
                    assertTrue(row.getInt(0) <= 30);
                }
                assertEquals(30, row.getInt(0));
                assertFalse(cursor.next(row));
                assertEquals(30, row.getLong(2));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"REPEATABLE_READ, false", "SERIALIZABLE, false", "REPEATABLE_READ, true", "SERIALIZABLE, true"})
    void locksTheRowsOfTheBatchAndNoOthers(Isolation isolation, boolean backward) throws Exception {
        Database database = validated.inMemory();
        Table table = tens(database, 50, "n");
        Actor other = new Actor(database, table, "other");
        try (Session session = database.openSession()) {
            Transaction reader = session.begin(options(isolation));
            RowBatch batch = table.newBatch(3);
            try (Cursor cursor = reader.scan(table)
                    .from(table.newKey().add(100))
                    .before(table.newKey().add(200))) {
                if (backward) {
                    cursor.backward();
                }
                assertEquals(3, cursor.next(batch));
            }
            int first = backward ? 190 : 100;
            int last = backward ? 170 : 120;
            int beyond = backward ? 160 : 130;
            assertEquals(first, batch.record(0).getInt(0));
            assertEquals(last, batch.record(2).getInt(0));
            other.run(actor -> actor.begin(options(Isolation.SERIALIZABLE)));
            other.run(actor -> actor.add(beyond, 1));
            other.run(actor -> actor.insert(beyond + 5 - (backward ? 10 : 0), 1));
            Future<Void> change = other.start(actor -> actor.add(last, 1));
            other.awaitLockWait(change);
            reader.commit();
            change.get();
            other.run(Actor::commit);
        }
        other.close();
    }

    @ParameterizedTest
    @CsvSource({
        "READ_COMMITTED, false", "REPEATABLE_READ, false", "SERIALIZABLE, false",
        "READ_COMMITTED, true", "REPEATABLE_READ, true", "SERIALIZABLE, true"
    })
    void waitsInTheMiddleOfABatchAndGoesOn(Isolation isolation, boolean backward) throws Exception {
        Database database = validated.inMemory();
        Table table = tens(database, 5, "n");
        Actor writer = new Actor(database, table, "writer");
        Actor reader = new Actor(database, table, "reader");
        writer.run(actor -> actor.begin(options(Isolation.SERIALIZABLE)));
        writer.run(actor -> actor.insert(25, 25));
        writer.run(actor -> actor.delete(40));
        Future<Void> read = reader.start(actor -> actor.call(
                options(isolation),
                transaction -> assertEquals(
                        backward ? List.of(50, 40, 30, 20, 10) : List.of(10, 20, 30, 40, 50),
                        ids(transaction, table, table.newBatch(10), 0, 60, backward))));
        reader.awaitLockWait(read);
        writer.run(Actor::rollback);
        read.get();
        writer.close();
        reader.close();
    }

    @ParameterizedTest
    @CsvSource({"15, 35, false", "15, 35, true", "0, 6000, false", "0, 6000, true"})
    void noPhantomsInWhatABatchHasRead(int low, int high, boolean backward) throws Exception {
        Database database = validated.inMemory();
        Table table = tens(database, 500, "n".repeat(NAME_LENGTH_MAX));
        Actor writer = new Actor(database, table, "writer");
        try (Session session = database.openSession()) {
            Transaction reader = session.begin(options(Isolation.SERIALIZABLE));
            RowBatch batch = table.newBatch(7);
            List<Integer> before = ids(reader, table, batch, low, high, backward);
            for (int inserted : new int[] {low + 1, (low + high) / 2 + 1, high}) {
                writer.run(actor -> actor.begin(options(Isolation.SERIALIZABLE)));
                Future<Void> insert = writer.start(actor -> actor.insert(inserted, 1));
                writer.awaitLockWait(insert);
                assertEquals(before, ids(reader, table, batch, low, high, backward));
                if (inserted == high) {
                    reader.commit();
                    insert.get();
                    writer.run(Actor::commit);
                } else {
                    insert.cancel(true);
                    writer.close();
                    writer = new Actor(database, table, "writer");
                }
            }
        }
        writer.close();
    }

    /**
     * Accounts split, merge and pay each other, so that leaves do too, beside readers of all: the sum of what a
     * serializable scan reads stays, and nobody but READ UNCOMMITTED reads an amount that was never committed.
     */
    @ParameterizedTest
    @EnumSource(
            value = Isolation.class,
            names = {"READ_COMMITTED", "SERIALIZABLE"})
    void besideWritersEveryScanIsOfItsLevel(Isolation isolation) throws Exception {
        Database database = validated.inMemory();
        Table table = tens(database, 150, "n".repeat(NAME_LENGTH_MAX));
        long sum = 10L * 150 * 151 / 2;
        AtomicInteger writersLeft = new AtomicInteger(2);
        List<Worker> workers = new ArrayList<>();
        for (int seed = 0; seed < 2; seed++) {
            Random random = new Random(seed);
            workers.add(new Worker(() -> {
                try {
                    for (int i = 0; i < 250; i++) {
                        database.run(options(Isolation.SERIALIZABLE).withRetries(1_000), transaction -> {
                            move(transaction, table, random);
                        });
                    }
                } finally {
                    writersLeft.decrementAndGet();
                }
            }));
        }
        for (int i = 0; i < 2; i++) {
            boolean backward = i == 1;
            workers.add(new Worker(() -> {
                RowBatch batch = table.newBatch(backward ? 16 : 100);
                // Ends: with the writers, each of which makes a given number of transactions.
                while (writersLeft.get() > 0) {
                    long found = database.call(
                            options(isolation).withRetries(1_000),
                            transaction -> sum(transaction, table, batch, backward));
                    if (isolation == Isolation.SERIALIZABLE) {
                        assertEquals(sum, found);
                    }
                }
            }));
        }
        for (Worker worker : workers) {
            worker.join();
            if (worker.failure() != null) {
                throw new AssertionError("a worker failed", worker.failure());
            }
        }
    }

    private static long sum(Transaction transaction, Table table, RowBatch batch, boolean backward) {
        long sum = 0;
        int previous = backward ? Integer.MAX_VALUE : Integer.MIN_VALUE;
        try (Cursor cursor = transaction.scan(table)) {
            if (backward) {
                cursor.backward();
            }
            while (cursor.next(batch) > 0) {
                for (int i = 0; i < batch.size(); i++) {
                    Record row = batch.record(i);
                    assertTrue(backward ? row.getInt(0) < previous : row.getInt(0) > previous);
                    previous = row.getInt(0);
                    assertTrue(row.getLong(2) >= 0, "an amount that was not committed");
                    sum += row.getLong(2);
                }
            }
        }
        return sum;
    }

    /** Moves the amount of an account to another one, which comes or goes with it; in between it is negative. */
    private static void move(Transaction transaction, Table table, Random random) {
        int from = 1 + random.nextInt(1_500);
        int to = 1 + random.nextInt(1_500);
        Record source = table.newRecord();
        Record target = table.newRecord();
        if (from == to || !transaction.fetchForUpdate(table, table.newKey().add(from), source)) {
            return;
        }
        long amount = source.getLong(2);
        source.setLong(2, -1);
        transaction.update(table, source);
        if (transaction.fetchForUpdate(table, table.newKey().add(to), target)) {
            long sum = target.getLong(2) + amount;
            target.setLong(2, -1);
            transaction.update(table, target);
            target.setLong(2, sum);
            transaction.update(table, target);
        } else {
            DatabaseTest.put(transaction, table, target, to, "m".repeat(random.nextInt(NAME_LENGTH_MAX)), amount);
        }
        transaction.delete(table, source);
    }
}
