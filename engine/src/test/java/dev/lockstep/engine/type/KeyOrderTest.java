package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Key;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Comparing encoded keys as bytes compares their values: for every type, direction, null, and combination of columns.
 */
class KeyOrderTest {
    private static final int VALUES_PER_COLUMN = 150;
    private static final int FORMATS = 1_500;
    private static final int PAIRS_PER_FORMAT = 40;

    @Test
    void everyTypeKeepsItsOrderInBothDirectionsWithNulls() {
        int pairs = 0;
        for (int t = 0; t < RandomSchema.allTypes().size(); t++) {
            for (int variant = 0; variant < 4; variant++) {
                boolean descending = (variant & 1) != 0;
                Column column = new Column("C", RandomSchema.allTypes().get(t), (variant & 2) != 0);
                RandomSchema schema = new RandomSchema(t * 4 + variant);
                KeyFormat format = new KeyFormat("K", new Column[] {column}, new int[] {0}, new boolean[] {descending});
                List<Object> values = new ArrayList<>();
                List<Key> keys = new ArrayList<>();
                for (int i = 0; i < VALUES_PER_COLUMN; i++) {
                    Object value = schema.value(column);
                    Key key = new Key(format);
                    RandomSchema.add(key, column, value);
                    values.add(value);
                    keys.add(key);
                }
                for (int i = 0; i < values.size(); i++) {
                    for (int j = 0; j < values.size(); j++) {
                        int expected = RandomSchema.compare(values.get(i), values.get(j)) * (descending ? -1 : 1);
                        String what = column + " descending=" + descending + " " + values.get(i) + " " + values.get(j);
                        assertOrder(expected, keys.get(i), keys.get(j), what + ", " + schema.replay(i));
                        pairs++;
                    }
                }
            }
        }
        assertEquals(RandomSchema.allTypes().size() * 4 * VALUES_PER_COLUMN * VALUES_PER_COLUMN, pairs);
    }

    @Test
    void keysOfSeveralColumnsCompareColumnByColumn() {
        RandomSchema schema = new RandomSchema(1_000);
        int equalPrefixes = 0;
        for (int i = 0; i < FORMATS; i++) {
            KeyFormat format = format(schema);
            for (int pair = 0; pair < PAIRS_PER_FORMAT; pair++) {
                Object[] left = values(schema, format);
                Object[] right = values(schema, format);
                int shared = schema.random.nextInt(format.columnCount() + 1);
                System.arraycopy(left, 0, right, 0, shared);
                equalPrefixes += shared > 0 ? 1 : 0;
                int expected = compare(format, left, right, format.columnCount());
                Key leftKey = key(format, left, format.columnCount());
                Key rightKey = key(format, right, format.columnCount());
                assertOrder(expected, leftKey, rightKey, leftKey + " " + rightKey + ", " + schema.replay(i));
            }
        }
        assertTrue(equalPrefixes > FORMATS, "too few pairs reach their second column: " + equalPrefixes);
    }

    @Test
    void aPrefixStandsForExactlyTheKeysThatBeginWithItsValues() {
        RandomSchema schema = new RandomSchema(2_000);
        int inside = 0;
        for (int i = 0; i < FORMATS; i++) {
            KeyFormat format = format(schema);
            int prefixColumns = 1 + schema.random.nextInt(format.columnCount());
            Object[] prefix = values(schema, format);
            Key prefixKey = key(format, prefix, prefixColumns);
            byte[] end = new byte[KeyFormat.KEY_BYTES_MAX];
            int endLength = KeyBuffer.toPrefixSuccessor(end, prefixKey.copyTo(end, 0));
            for (int pair = 0; pair < PAIRS_PER_FORMAT; pair++) {
                Object[] other = values(schema, format);
                System.arraycopy(prefix, 0, other, 0, schema.random.nextInt(prefixColumns + 1));
                Key key = key(format, other, format.columnCount());
                boolean expected = compare(format, prefix, other, prefixColumns) == 0;
                boolean actual =
                        KeyBuffer.compare(prefixKey.bytes(), prefixKey.length(), key.bytes(), key.length()) <= 0
                                && (endLength < 0 || KeyBuffer.compare(key.bytes(), key.length(), end, endLength) < 0);
                assertEquals(expected, actual, () -> prefixKey + " " + key + ", " + schema.replay(0));
                inside += expected ? 1 : 0;
            }
        }
        assertTrue(inside > FORMATS, "too few keys lie within their prefix: " + inside);
    }

    @Test
    void partsAreFoundWhereTheyWereWritten() {
        RandomSchema schema = new RandomSchema(3_000);
        for (int i = 0; i < FORMATS; i++) {
            KeyFormat format = format(schema);
            Object[] values = values(schema, format);
            int start = schema.random.nextInt(5);
            byte[] shifted = new byte[start + KeyFormat.KEY_BYTES_MAX];
            Key whole = key(format, values, format.columnCount());
            int end = start + whole.copyTo(shifted, start);
            for (int part = 0; part <= format.columnCount(); part++) {
                int expected = start + key(format, values, part).length();
                assertEquals(expected, format.locate(part, shifted, start, end), whole + ", " + schema.replay(i));
            }
        }
    }

    private static KeyFormat format(RandomSchema schema) {
        int count = 1 + schema.random.nextInt(5);
        Column[] columns = new Column[count];
        int[] ordinals = new int[count];
        boolean[] descending = new boolean[count];
        for (int i = 0; i < count; i++) {
            columns[i] = schema.column("C" + i, true);
            ordinals[i] = i;
            descending[i] = schema.random.nextBoolean();
        }
        return new KeyFormat("K", columns, ordinals, descending);
    }

    private static Object[] values(RandomSchema schema, KeyFormat format) {
        Object[] values = new Object[format.columnCount()];
        for (int i = 0; i < values.length; i++) {
            values[i] = schema.value(format.column(i));
        }
        return values;
    }

    private static Key key(KeyFormat format, Object[] values, int columns) {
        Key key = new Key(format);
        for (int i = 0; i < columns; i++) {
            RandomSchema.add(key, format.column(i), values[i]);
        }
        return key;
    }

    private static int compare(KeyFormat format, Object[] left, Object[] right, int columns) {
        for (int i = 0; i < columns; i++) {
            int order = RandomSchema.compare(left[i], right[i]);
            if (order != 0) {
                return format.isDescending(i) ? -order : order;
            }
        }
        return 0;
    }

    private static void assertOrder(int expected, Key left, Key right, String message) {
        int actual = KeyBuffer.compare(left.bytes(), left.length(), right.bytes(), right.length());
        assertEquals(Integer.signum(expected), Integer.signum(actual), message);
    }
}
