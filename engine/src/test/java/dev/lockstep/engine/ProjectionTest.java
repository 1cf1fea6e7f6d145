package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches that hold only some columns: those are right, and the others are out of reach. */
class ProjectionTest {
    private static final int ID = 0;
    private static final int NAME = 1;
    private static final int COUNT = 2;
    private static final int PRICE = 3;
    private static final int RANK = 4;
    private static final int NOTE = 5;
    private static final int ROWS = 300;

    /** Beyond what a leaf keeps inline. */
    private static final int LONG_NOTE_LENGTH = 3_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    private record Row(String name, int count, BigDecimal price, Integer rank, String note) {}

    private static TableDefinition definition() {
        return TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(40))
                .column("count", ColumnType.int32())
                .column("price", ColumnType.decimal(30, 2))
                .nullable("rank", ColumnType.int32())
                .nullable("note", ColumnType.string(LONG_NOTE_LENGTH))
                .primaryKey("id")
                .index("by_count", "count")
                .build();
    }

    @BeforeEach
    void create() {
        database = validated.inMemory();
        table = database.createTable(definition());
    }

    private static void fill(Record record, int id, Row row) {
        record.clear();
        record.setInt(ID, id);
        record.setString(NAME, row.name);
        record.setInt(COUNT, row.count);
        record.setDecimal(PRICE, row.price);
        if (row.rank != null) {
            record.setInt(RANK, row.rank);
        }
        if (row.note != null) {
            record.setString(NOTE, row.note);
        }
    }

    private static Row randomRow(Random random) {
        int noteLength = random.nextInt(8) == 0 ? LONG_NOTE_LENGTH : random.nextInt(50);
        return new Row(
                "n".repeat(random.nextInt(40)),
                random.nextInt(20),
                BigDecimal.valueOf(random.nextLong(), 2),
                random.nextBoolean() ? random.nextInt() : null,
                random.nextInt(3) == 0 ? null : "m".repeat(noteLength));
    }

    private Map<Integer, Row> load(Random random) {
        TreeMap<Integer, Row> rows = new TreeMap<>();
        for (int i = 0; i < ROWS; i++) {
            rows.put(i, randomRow(random));
        }
        database.run(transaction -> {
            Record record = table.newRecord();
            for (Map.Entry<Integer, Row> row : rows.entrySet()) {
                fill(record, row.getKey(), row.getValue());
                transaction.insert(table, record);
            }
        });
        return rows;
    }

    private static void check(Record record, Row expected, int... columns) {
        for (int column = NAME; column <= NOTE; column++) {
            int hidden = column;
            boolean wanted = Arrays.stream(columns).anyMatch(one -> one == hidden);
            if (!wanted) {
                assertThrows(SchemaException.class, () -> record.isNull(hidden));
                assertThrows(SchemaException.class, () -> record.getObject(hidden));
                assertThrows(SchemaException.class, () -> record.setObject(hidden, null));
                continue;
            }
            Object value =
                    switch (column) {
                        case NAME -> expected.name;
                        case COUNT -> expected.count;
                        case PRICE -> expected.price;
                        case RANK -> expected.rank;
                        default -> expected.note;
                    };
            assertEquals(value, record.getObject(column), "column=" + column);
            assertEquals(value == null, record.isNull(column));
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void holdsTheColumnsThatWereAskedFor(Isolation isolation) {
        TransactionOptions options =
                TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
        Random random = new Random(isolation.ordinal());
        Map<Integer, Row> rows = load(random);
        int[][] choices = {{}, {COUNT}, {PRICE}, {RANK, COUNT}, {NAME}, {NOTE, COUNT}, {COUNT, PRICE, RANK}};
        for (int[] columns : choices) {
            RowBatch batch = table.newBatch(16, columns);
            database.run(options, transaction -> {
                int next = 0;
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(batch) > 0) {
                        for (int i = 0; i < batch.size(); i++) {
                            assertEquals(next, batch.record(i).getInt(ID));
                            check(batch.record(i), rows.get(next), columns);
                            next++;
                        }
                    }
                }
                assertEquals(ROWS, next);
                batch.clear();
                for (int i = 0; i < 16; i++) {
                    batch.addKey().add(random.nextInt(ROWS));
                }
                assertEquals(16, transaction.fetch(table, batch));
                for (int i = 0; i < 16; i++) {
                    check(batch.record(i), rows.get(batch.key(i).getInt(0)), columns);
                }
            });
        }
    }

    @Test
    void isOnlyRead() {
        Random random = new Random(1);
        Map<Integer, Row> rows = load(random);
        RowBatch batch = table.newBatch(2, COUNT);
        database.run(transaction -> {
            batch.addKey().add(1);
            assertEquals(1, transaction.fetchForUpdate(table, batch));
            Record record = batch.record(0);
            record.setInt(COUNT, -1);
            assertThrows(SchemaException.class, () -> transaction.update(table, record));
            assertThrows(SchemaException.class, () -> transaction.insert(table, record));
            assertThrows(SchemaException.class, () -> transaction.delete(table, record));
            assertThrows(SchemaException.class, () -> transaction.update(table, batch));
            assertThrows(SchemaException.class, () -> transaction.insert(table, batch));
            assertThrows(SchemaException.class, () -> table.newRecord().copyFrom(record));
            Record whole = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(1), whole));
            assertEquals(rows.get(1).count, whole.getInt(COUNT));
        });
        assertThrows(SchemaException.class, () -> table.newBatch(2, NOTE + 1));
        assertThrows(InvalidOptionException.class, () -> table.newBatch(0, COUNT));
    }

    @Test
    void aScanOfAnIndexWantsItsColumns() {
        Map<Integer, Row> rows = load(new Random(2));
        RowBatch without = table.newBatch(5, PRICE);
        RowBatch with = table.newBatch(5, PRICE, COUNT);
        database.run(transaction -> {
            int found = 0;
            try (Cursor cursor = transaction
                    .scan(table, "by_count")
                    .within(table.newIndexKey("by_count").add(7))) {
                assertThrows(SchemaException.class, () -> cursor.next(without));
                while (cursor.next(with) > 0) {
                    for (int i = 0; i < with.size(); i++) {
                        assertEquals(7, with.record(i).getInt(COUNT));
                        check(with.record(i), rows.get(with.record(i).getInt(ID)), PRICE, COUNT);
                        found++;
                    }
                }
            }
            assertEquals(rows.values().stream().filter(row -> row.count == 7).count(), found);
            assertFalse(found == 0);
        });
    }
}
