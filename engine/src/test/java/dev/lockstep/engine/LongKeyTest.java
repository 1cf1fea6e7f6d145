package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.lockstep.engine.type.ColumnType;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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
}
