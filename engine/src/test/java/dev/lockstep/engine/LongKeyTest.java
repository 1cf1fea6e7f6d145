package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key may be searched for that is longer than any that is stored. */
class LongKeyTest {
    private static final String LONGER_THAN_ANY_STORED = "m".repeat(1_010);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    @BeforeEach
    void fill() {
        database = validated.inMemory();
        table = database.createTable(TableDefinition.named("word")
                .column("word", ColumnType.string(2_000))
                .column("again", ColumnType.string(2_000))
                .primaryKey("word")
                .index("by_again", "again")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (String word : new String[] {"a", "b", "y", "z"}) {
                row.clear();
                row.setString(0, word);
                row.setString(1, word);
                transaction.insert(table, row);
            }
        });
    }

    private static String words(Cursor opened, UnaryOperator<Cursor> range, Record row) {
        StringBuilder words = new StringBuilder();
        try (Cursor cursor = range.apply(opened)) {
            while (cursor.next(row)) {
                words.append(row.getString(0));
            }
        }
        return words.toString();
    }

    private void requireRanges(Transaction transaction, String index, Key key) {
        Record row = table.newRecord();
        for (boolean backward : new boolean[] {false, true}) {
            UnaryOperator<Cursor> turned = cursor -> backward ? cursor.backward() : cursor;
            String behind = backward ? "zy" : "yz";
            String before = backward ? "ba" : "ab";
            assertEquals(behind, words(scan(transaction, index), cursor -> turned.apply(cursor.from(key)), row));
            assertEquals(behind, words(scan(transaction, index), cursor -> turned.apply(cursor.after(key)), row));
            assertEquals(before, words(scan(transaction, index), cursor -> turned.apply(cursor.to(key)), row));
            assertEquals(before, words(scan(transaction, index), cursor -> turned.apply(cursor.before(key)), row));
            assertEquals("", words(scan(transaction, index), cursor -> turned.apply(cursor.within(key)), row));
        }
    }

    private Cursor scan(Transaction transaction, String index) {
        return index == null ? transaction.scan(table) : transaction.scan(table, index);
    }

    private void requireFetchesAndScans(Transaction transaction) {
        Key key = table.newKey().add(LONGER_THAN_ANY_STORED);
        assertFalse(transaction.fetch(table, key, table.newRecord()));
        requireRanges(transaction, null, key);
        requireRanges(transaction, "by_again", table.newIndexKey("by_again").add(LONGER_THAN_ANY_STORED));
        RangeBatch ranges = table.newRangeBatch(1, 2);
        ranges.addRange().add(LONGER_THAN_ANY_STORED);
        assertEquals(0, transaction.fetch(table, ranges));
        RowBatch rows = table.newBatch(1);
        rows.addKey().add(LONGER_THAN_ANY_STORED);
        assertEquals(0, transaction.fetch(table, rows));
    }

    @Test
    void isNotFoundAtAnyLevelOfIsolation() {
        TransactionOptions options = database.transactionOptions();
        for (Isolation isolation : Isolation.values()) {
            database.run(options.withIsolation(isolation), this::requireFetchesAndScans);
        }
    }

    @Test
    void isNotFoundInASnapshot() {
        database.run(database.transactionOptions().readOnlySnapshot(), this::requireFetchesAndScans);
    }

    @Test
    void isNotFoundToBeChanged() {
        database.run(transaction -> {
            Key key = table.newKey().add(LONGER_THAN_ANY_STORED);
            assertFalse(transaction.fetchForUpdate(table, key, table.newRecord()));
            assertFalse(transaction.fetchExclusive(table, key, table.newRecord()));
            assertFalse(transaction.delete(table, key));
            RangeBatch ranges = table.newRangeBatch(1, 2);
            ranges.addRange().add(LONGER_THAN_ANY_STORED);
            assertEquals(0, transaction.fetchExclusive(table, ranges));
        });
    }

    /** Their fences alone take more than what an underfull node has. */
    @Test
    void emptiedLeavesOfLongKeysAreMerged() {
        int rows = 2_000;
        Table numbered = database.createTable(TableDefinition.named("numbered")
                .column("word", ColumnType.string(2_000))
                .primaryKey("word")
                .build());
        long nodesBefore = database.validate().nodes();
        database.run(transaction -> {
            Record row = numbered.newRecord();
            for (int i = 0; i < rows; i++) {
                row.setString(0, numberedWord(i));
                transaction.insert(numbered, row);
            }
        });
        assertTrue(database.validate().nodes() > nodesBefore + rows / 10);
        database.run(transaction -> {
            for (int i = 0; i < rows; i++) {
                assertTrue(transaction.delete(numbered, numbered.newKey().add(numberedWord(i))));
            }
        });
        long nodes = database.validate().nodes();
        assertTrue(nodes <= nodesBefore + 4, () -> "nodes=" + nodes + " before=" + nodesBefore);
    }

    private static String numberedWord(int number) {
        return "p".repeat(988) + (10_000_000 + number);
    }

    /** The longest entries that a leaf may have to hold: a key and a primary key, neither in overflow pages. */
    @ParameterizedTest
    @EnumSource(Order.class)
    void longestEntriesOfAUniqueIndexFindRoom(Order order) {
        Table pairs = database.createTable(TableDefinition.named("pair")
                .column("word", ColumnType.string(2_000))
                .column("other", ColumnType.string(2_000))
                .primaryKey("word")
                .uniqueIndex("by_other", "other")
                .build());
        int rows = 240;
        int rowsOfTransaction = 8;
        List<Integer> numbers = order.of(rows);
        for (int from = 0; from < rows; from += rowsOfTransaction) {
            List<Integer> part = numbers.subList(from, from + rowsOfTransaction);
            assertThrows(
                    IllegalStateException.class,
                    () -> database.run(transaction -> {
                        insertPairs(transaction, pairs, part);
                        throw new IllegalStateException("take it back");
                    }));
            database.run(transaction -> insertPairs(transaction, pairs, part));
        }
        database.run(transaction -> {
            Record row = pairs.newRecord();
            String before = "";
            int found = 0;
            try (Cursor cursor = transaction.scan(pairs, "by_other")) {
                while (cursor.next(row)) {
                    assertTrue(before.compareTo(row.getString(1)) < 0);
                    before = row.getString(1);
                    found++;
                }
            }
            assertEquals(rows, found);
        });
    }

    private static void insertPairs(Transaction transaction, Table pairs, List<Integer> numbers) {
        Record row = pairs.newRecord();
        for (int number : numbers) {
            row.clear();
            row.setString(0, longWord(number));
            row.setString(1, longWord(number));
            transaction.insert(pairs, row);
        }
    }

    /** Neighbours differ in the last bytes, which makes fences long, and few leaves have a prefix. */
    private static String longWord(int number) {
        return (char) ('a' + number / 5 % 26) + "p".repeat(981) + (10_000_000 + number);
    }

    enum Order {
        ASCENDING,
        DESCENDING,
        RANDOM;

        List<Integer> of(int count) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                numbers.add(i);
            }
            numbers.sort(Comparator.comparing(LongKeyTest::longWord));
            switch (this) {
                case DESCENDING -> Collections.reverse(numbers);
                case RANDOM -> Collections.shuffle(numbers, new Random(1));
                default -> {
                    // As they are.
                }
            }
            return numbers;
        }
    }

    /** A change that is to be refused for its key is in the page until it comes to the index that refuses it. */
    @Test
    void aDirtyRowWithoutAnEntryIsInNoIndex() throws InterruptedException {
        Table people = database.createTable(TableDefinition.named("people")
                .column("id", ColumnType.int32())
                .column("number", ColumnType.int32())
                .column("name", ColumnType.string(2_000))
                .primaryKey("id")
                .uniqueIndex("by_number", "number")
                .index("by_name", "name")
                .build());
        database.run(transaction -> put(transaction, people, 1, 1));
        TransactionOptions dirty = database.transactionOptions().withIsolation(Isolation.READ_UNCOMMITTED);
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            put(holder, people, 2, 99);
            Worker tooLong = new Worker(() -> database.run(transaction -> {
                Record row = people.newRecord();
                assertTrue(transaction.fetchForUpdate(people, people.newKey().add(1), row));
                row.setInt(1, 99);
                row.setString(2, "x".repeat(1_100));
                transaction.update(people, row);
            }));
            tooLong.awaitParkedIn("await");
            int rows = database.call(dirty, transaction -> {
                int count = 0;
                Record row = people.newRecord();
                try (Cursor cursor = transaction.scan(people, "by_name")) {
                    while (cursor.next(row)) {
                        count++;
                    }
                }
                return count;
            });
            assertEquals(1, rows, "the other one's");
            holder.rollback();
            tooLong.join();
            assertInstanceOf(RecordTooLargeException.class, tooLong.failure());
        }
    }

    private static void put(Transaction transaction, Table people, int id, int number) {
        Record row = people.newRecord();
        row.setInt(0, id);
        row.setInt(1, number);
        row.setString(2, "a" + id);
        transaction.insert(people, row);
    }
}
