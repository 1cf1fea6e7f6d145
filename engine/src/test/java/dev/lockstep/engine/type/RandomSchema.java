package dev.lockstep.engine.type;

import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.TableDefinition;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Random tables and values that replay from a seed, and the order of values as Java sees it. */
final class RandomSchema {
    /** Replays a failure: {@code mvn -pl engine -am test -Dlockstep.seed=N}. */
    static final long SEED = Long.getLong("lockstep.seed", 20_251_120L);

    private static final String[] PIECES = {
        "\0",
        "\1",
        "\2",
        "a",
        "b",
        "B",
        "\u007f",
        "\u0080",
        "\u07ff",
        "\u0800",
        "\ud7ff",
        "\ue000",
        "\uffff",
        "\ud83d\ude00",
        "\udbff\udfff"
    };

    /** One table in so many has more columns than a word has bits. */
    private static final int TABLES_PER_WIDE = 20;

    private static final int WIDE_COLUMNS = 130;

    final Random random;
    private final long seed;

    RandomSchema(long offset) {
        seed = SEED;
        random = new Random(SEED * 31 + offset);
    }

    String replay(int iteration) {
        return "replay with -Dlockstep.seed=" + seed + ", iteration=" + iteration;
    }

    static List<ColumnType> allTypes() {
        return List.of(
                ColumnType.bool(),
                ColumnType.int16(),
                ColumnType.int32(),
                ColumnType.int64(),
                ColumnType.float64(),
                ColumnType.decimal(4, 4),
                ColumnType.decimal(9, 0),
                ColumnType.decimal(12, 2),
                ColumnType.decimal(18, 18),
                ColumnType.decimal(19, 5),
                ColumnType.decimal(38, 10),
                ColumnType.string(12),
                ColumnType.binary(9),
                ColumnType.date(),
                ColumnType.timestamp());
    }

    ColumnType type() {
        List<ColumnType> types = allTypes();
        return types.get(random.nextInt(types.size()));
    }

    Object value(Column column) {
        return column.nullable() && random.nextInt(4) == 0 ? null : value(column.type());
    }

    private Object value(ColumnType type) {
        return switch (type.kind()) {
            case BOOLEAN -> (Object) random.nextBoolean();
            case INT16 -> (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
            case INT32 -> (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case INT64 -> number(Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT64 ->
                switch (random.nextInt(8)) {
                    case 0 -> Double.NaN;
                    case 1 -> Double.POSITIVE_INFINITY;
                    case 2 -> Double.NEGATIVE_INFINITY;
                    case 3 -> -0.0;
                    case 4 -> Double.MIN_VALUE;
                    case 5 -> 0.0;
                    default -> Double.longBitsToDouble(random.nextLong() & 0xBFFFFFFFFFFFFFFFL);
                };
            case DECIMAL -> {
                BigInteger bound = BigInteger.TEN.pow(type.lengthMax());
                BigInteger magnitude = random.nextInt(4) == 0
                        ? bound.subtract(BigInteger.ONE)
                        : new BigInteger(random.nextInt(type.lengthMax() * 3 + 1), random);
                BigInteger unscaled = random.nextBoolean() ? magnitude : magnitude.negate();
                yield new BigDecimal(unscaled.remainder(bound), type.scale());
            }
            case STRING -> {
                StringBuilder text = new StringBuilder();
                int points = random.nextInt(Math.min(type.lengthMax(), 12) + 1);
                for (int i = 0; i < points; i++) {
                    text.append(PIECES[random.nextInt(PIECES.length)]);
                }
                yield text.toString();
            }
            case BINARY -> {
                byte[] bytes = new byte[random.nextInt(Math.min(type.lengthMax(), 9) + 1)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) new int[] {0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF}[random.nextInt(7)];
                }
                yield bytes;
            }
            case DATE -> LocalDate.ofEpochDay(number(Integer.MIN_VALUE, Integer.MAX_VALUE));
            case TIMESTAMP -> ColumnValues.dateTime(number(Long.MIN_VALUE, Long.MAX_VALUE));
        };
    }

    private long number(long min, long max) {
        return switch (random.nextInt(6)) {
            case 0 -> min;
            case 1 -> max;
            case 2, 3 -> random.nextInt(5) - 2L;
            default -> Math.max(min, Math.min(max, random.nextLong() >> random.nextInt(Long.SIZE)));
        };
    }

    Column column(String name, boolean mayBeNullable) {
        return new Column(name, type(), mayBeNullable && random.nextBoolean());
    }

    /** A table with a primary key of 1 to 4 columns at random places, and an index on 1 to 4 columns. */
    TableDefinition table() {
        int keyCount = 1 + random.nextInt(4);
        int count = keyCount + (random.nextInt(TABLES_PER_WIDE) == 0 ? WIDE_COLUMNS : random.nextInt(12));
        List<Column> columns = new ArrayList<>();
        List<Integer> ordinals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ordinals.add(i);
        }
        Collections.shuffle(ordinals, random);
        List<Integer> keyOrdinals = ordinals.subList(0, keyCount);
        for (int i = 0; i < count; i++) {
            columns.add(column("C" + i, !keyOrdinals.contains(i)));
        }
        List<KeyColumn> key = keyOrdinals.stream()
                .map(ordinal -> new KeyColumn("C" + ordinal, random.nextBoolean()))
                .toList();
        Collections.shuffle(ordinals, random);
        List<KeyColumn> indexed = ordinals.subList(0, 1 + random.nextInt(Math.min(4, count))).stream()
                .map(ordinal -> new KeyColumn("C" + ordinal, random.nextBoolean()))
                .toList();
        return new TableDefinition(
                "T", columns, key, List.of(new IndexDefinition("X", "T", indexed, random.nextBoolean())));
    }

    static void add(Key key, Column column, Object value) {
        switch (value) {
            case null -> key.addNull();
            case Boolean b -> key.addBoolean(b);
            case Short s -> key.add(s);
            case Integer i -> key.add(i);
            case Long l -> key.add(l);
            case Double d -> key.addDouble(d);
            case BigDecimal d -> key.addDecimal(d);
            case String s -> key.add(s);
            case byte[] b -> key.addBytes(b, 0, b.length);
            case LocalDate d -> key.addDate(d);
            case LocalDateTime t -> key.addTimestamp(t);
            default -> throw new IllegalArgumentException(column + " " + value);
        }
    }

    /** The order of two values of a column, nulls first. */
    static int compare(Object left, Object right) {
        if (left == null || right == null) {
            return Boolean.compare(left != null, right != null);
        }
        return switch (left) {
            case Boolean b -> b.compareTo((Boolean) right);
            case Short s -> s.compareTo((Short) right);
            case Integer i -> i.compareTo((Integer) right);
            case Long l -> l.compareTo((Long) right);
            case Double d -> d.compareTo((Double) right);
            case BigDecimal d -> d.compareTo((BigDecimal) right);
            case String s ->
                Arrays.compare(
                        s.codePoints().toArray(), ((String) right).codePoints().toArray());
            case byte[] b -> Arrays.compareUnsigned(b, (byte[]) right);
            case LocalDate d -> d.compareTo((LocalDate) right);
            case LocalDateTime t -> t.compareTo((LocalDateTime) right);
            default -> throw new IllegalArgumentException(left.toString());
        };
    }

    static boolean same(Object left, Object right) {
        return left instanceof byte[] bytes
                ? right instanceof byte[] others && Arrays.equals(bytes, others)
                : Objects.equals(left, right);
    }
}
