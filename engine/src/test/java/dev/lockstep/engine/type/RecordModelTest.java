package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.NullViolationException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.TableDefinition;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Random operations on records of random tables against an array of objects as the model. */
class RecordModelTest {
    private static final int TABLES = 600;
    private static final int OPERATIONS_PER_TABLE = 60;

    @Test
    void recordsBehaveLikeAnArrayOfValues() {
        RandomSchema schema = new RandomSchema(10_000);
        for (int i = 0; i < TABLES; i++) {
            TableDefinition table = schema.table();
            Record row = new Record(table);
            Object[] model = new Object[table.columns().size()];
            boolean[] set = new boolean[model.length];
            for (int operation = 0; operation < OPERATIONS_PER_TABLE; operation++) {
                String message = table + ", " + schema.replay(i) + ", operation=" + operation;
                int column = schema.random.nextInt(model.length);
                switch (schema.random.nextInt(20)) {
                    case 0 -> {
                        row.clear();
                        Arrays.fill(model, null);
                        Arrays.fill(set, false);
                    }
                    case 1 -> row = new Record(table).copyFrom(row);
                    case 2 -> row = throughStorage(table, row, model, set, message);
                    case 3 -> {
                        for (int c = 0; c < model.length; c++) {
                            set(row, model, set, c, schema);
                        }
                    }
                    default -> set(row, model, set, column, schema);
                }
                check(table, row, model, set, message);
            }
        }
    }

    private static void set(Record row, Object[] model, boolean[] set, int column, RandomSchema schema) {
        Object value = schema.value(row.format().column(column));
        if (value instanceof Integer number && schema.random.nextBoolean()) {
            row.setInt(column, number);
        } else {
            row.setObject(column, value);
        }
        model[column] = value;
        set[column] = true;
    }

    /** Writes and reads the row as the engine does, if it is complete. */
    private static Record throughStorage(
            TableDefinition table, Record row, Object[] model, boolean[] set, String message) {
        boolean complete = true;
        for (int i = 0; i < model.length; i++) {
            complete &= set[i] || table.columns().get(i).nullable();
        }
        if (!complete) {
            assertThrows(NullViolationException.class, row::sealForInsert, message);
            return row;
        }
        row.sealForInsert();
        Record loaded = new Record(table);
        System.arraycopy(row.keyBytes(), 0, loaded.ensureKeyCapacity(row.keyLength()), 0, row.keyLength());
        loaded.setKeyLength(row.keyLength());
        System.arraycopy(row.valueBytes(), 0, loaded.ensureValueCapacity(row.valueLength()), 0, row.valueLength());
        loaded.setValueLength(row.valueLength());
        loaded.loaded();
        assertFalse(loaded.isKeyChanged(), message);
        Arrays.fill(set, true);

        Key key = new Key(table.keyFormat());
        for (KeyColumn part : table.primaryKey()) {
            int ordinal = table.ordinal(part.name());
            RandomSchema.add(key, table.columns().get(ordinal), model[ordinal]);
        }
        assertTrue(key.isComplete());
        assertArrayEquals(
                Arrays.copyOf(key.bytes(), key.length()),
                Arrays.copyOf(loaded.keyBytes(), loaded.keyLength()),
                message);
        assertEquals(key.toString(), loaded.toString(), message);
        assertEquals(key.toString(), new Key(table.keyFormat()).copyFrom(loaded).toString(), message);
        return loaded;
    }

    private static void check(TableDefinition table, Record row, Object[] model, boolean[] set, String message) {
        for (int i = 0; i < model.length; i++) {
            Column column = table.columns().get(i);
            assertEquals(set[i], row.isSet(i), message);
            if (set[i] || column.nullable()) {
                Object actual = row.getObject(i);
                String where = message + ", column=" + i;
                assertTrue(RandomSchema.same(model[i], actual), () -> where + ": " + actual);
                assertEquals(model[i] == null, row.isNull(i), where);
                if (actual instanceof Integer number) {
                    assertEquals(number, row.getInt(i), where);
                }
                if (column.type().kind() == ColumnType.Kind.BINARY) {
                    checkBytes(row, i, (byte[]) model[i], where);
                }
            }
        }
        assertTrue(row.valueLength() <= table.recordFormat().maximumValueBytes(), message);
        assertTrue(row.valueLength() >= table.recordFormat().minimumValueBytes(), message);
    }

    private static void checkBytes(Record row, int column, byte[] expected, String where) {
        if (expected == null) {
            assertEquals(0, row.lengthBytes(column), where);
            assertEquals(-1, row.getBytes(column, new byte[0], 0), where);
            return;
        }
        byte[] copy = new byte[expected.length + 2];
        assertEquals(expected.length, row.lengthBytes(column), where);
        assertEquals(expected.length, row.getBytes(column, copy, 1), where);
        assertArrayEquals(expected, Arrays.copyOfRange(copy, 1, 1 + expected.length), where);
        assertTrue(row.equalsBytes(column, copy, 1, expected.length), where);
        assertFalse(row.equalsBytes(column, copy, 0, expected.length + 2), where);
        if (expected.length > 0) {
            copy[1 + expected.length / 2]++;
            assertFalse(row.equalsBytes(column, copy, 1, expected.length), where);
        }
    }

    @Test
    void equalRowsHaveEqualBytesHoweverTheyWereMade() {
        RandomSchema schema = new RandomSchema(11_000);
        for (int i = 0; i < TABLES; i++) {
            TableDefinition table = schema.table();
            Record straight = new Record(table);
            Record detour = new Record(table);
            int count = table.columns().size();
            Object[] values = new Object[count];
            for (int c = 0; c < count; c++) {
                values[c] = schema.value(table.columns().get(c));
                detour.setObject(c, schema.value(table.columns().get(c)));
            }
            for (int c = 0; c < count; c++) {
                straight.setObject(c, values[c]);
            }
            for (int c = count - 1; c >= 0; c--) {
                detour.setObject(c, values[c]);
            }
            assertArrayEquals(key(straight), key(detour), table + ", " + schema.replay(i));
            assertArrayEquals(value(straight), value(detour), table + ", " + schema.replay(i));
        }
    }

    @Test
    void indexEntriesEncodeTheIndexedColumnsAndLeadToThePrimaryKey() {
        RandomSchema schema = new RandomSchema(12_000);
        int alone = 0;
        for (int i = 0; i < TABLES; i++) {
            TableDefinition table = schema.table();
            boolean unique = table.indexes().get(0).unique();
            KeyFormat indexFormat = table.indexFormat(0);
            IndexKeyBuilder builder = new IndexKeyBuilder(table.recordFormat(), indexFormat, unique);
            for (int repeat = 0; repeat < 8; repeat++) {
                String message = table + ", " + schema.replay(i);
                Record row = new Record(table);
                for (int c = 0; c < table.columns().size(); c++) {
                    row.setObject(c, schema.value(table.columns().get(c)));
                }
                Key columns = new Key(indexFormat);
                boolean hasNull = false;
                for (KeyColumn part : table.indexes().get(0).columns()) {
                    int ordinal = table.ordinal(part.name());
                    RandomSchema.add(columns, table.columns().get(ordinal), row.getObject(ordinal));
                    hasNull |= row.isNull(ordinal);
                }
                int length = builder.build(row);
                assertEquals(columns.length(), builder.columnsLength(), message);
                assertArrayEquals(
                        Arrays.copyOf(columns.bytes(), columns.length()),
                        Arrays.copyOf(builder.bytes(), builder.columnsLength()),
                        message);
                assertEquals(unique && !hasNull, builder.isPrimaryKeyInValue(), message);
                assertEquals(builder.length(), length, message);
                byte[] entry = new byte[3 + length];
                System.arraycopy(builder.bytes(), 0, entry, 3, length);
                int offset = builder.primaryKeyOffset(entry, 3, length);
                byte[] found = Arrays.copyOfRange(entry, offset, entry.length);
                assertArrayEquals(builder.isPrimaryKeyInValue() ? new byte[0] : key(row), found, message);
                alone += builder.isPrimaryKeyInValue() ? 1 : 0;
            }
        }
        assertTrue(alone > 0 && alone < TABLES * 8, "both forms of entries must occur: " + alone);
    }

    private static byte[] key(Record row) {
        return Arrays.copyOf(row.keyBytes(), row.keyLength());
    }

    private static byte[] value(Record row) {
        return Arrays.copyOf(row.valueBytes(), row.valueLength());
    }
}
