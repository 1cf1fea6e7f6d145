package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.NullViolationException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValueOutOfRangeException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every bad value, type and ordinal gets its exception, with the fields that explain it, and changes nothing. */
class BadInputTest {
    private static final int KEY = 0;
    private static final int SMALL = 1;
    private static final int PRICE = 2;
    private static final int WIDE = 3;
    private static final int NAME = 4;
    private static final int NOTE = 5;
    private static final int BLOB = 6;
    private static final int DAY = 7;
    private static final int TIME = 8;
    private static final int CODE = 9;
    private static final int FLAG = 10;
    private static final int COUNT = 11;

    private final TableDefinition table = TableDefinition.named("T")
            .column("KEY", ColumnType.int32())
            .column("SMALL", ColumnType.int16())
            .column("PRICE", ColumnType.decimal(5, 2))
            .column("WIDE", ColumnType.decimal(20, 0))
            .column("NAME", ColumnType.string(3))
            .nullable("NOTE", ColumnType.int64())
            .column("BLOB", ColumnType.binary(RecordLayout.VALUE_BYTES_MAX))
            .column("DAY", ColumnType.date())
            .column("TIME", ColumnType.timestamp())
            .column("CODE", ColumnType.string(2_000))
            .column("FLAG", ColumnType.bool())
            .column("COUNT", ColumnType.int64())
            .primaryKey("KEY", "CODE")
            .index("X", "NAME", "NOTE")
            .index("B", "BLOB", "NAME")
            .build();
    private final Record row = filled();

    private Record filled() {
        Record record = new Record(table);
        record.setInt(KEY, 1);
        record.setInt(SMALL, 2);
        record.setDecimalUnscaled(PRICE, 12_345);
        record.setDecimalUnscaled(WIDE, 4);
        record.setString(NAME, "abc");
        record.setBytes(BLOB, new byte[] {1, 2, 3}, 0, 3);
        record.setDateDays(DAY, 7);
        record.setTimestampMicros(TIME, 8);
        record.setString(CODE, "xyz");
        record.setBoolean(FLAG, true);
        record.setLong(COUNT, 5);
        return record;
    }

    private void assertRefused(Class<? extends LockstepException> type, String fields, Consumer<Record> change) {
        byte[] keyBefore = Arrays.copyOf(row.keyBytes(), row.keyLength());
        byte[] valueBefore = Arrays.copyOf(row.valueBytes(), row.valueLength());
        assertFields(type, fields, () -> change.accept(row));
        assertArrayEquals(keyBefore, Arrays.copyOf(row.keyBytes(), row.keyLength()));
        assertArrayEquals(valueBefore, Arrays.copyOf(row.valueBytes(), row.valueLength()));

        Record empty = new Record(table);
        assertThrows(type, () -> change.accept(empty));
        for (int column = 0; column < table.columns().size(); column++) {
            assertEquals(false, empty.isSet(column), "column=" + column);
        }
    }

    private static void assertFields(Class<? extends LockstepException> type, String fields, Executable action) {
        String message = assertThrows(type, action).getMessage();
        for (String field : fields.split(" ", -1)) {
            assertTrue(message.contains(field), field + " is not in: " + message);
        }
        assertTrue(message.contains("Remedy: "), message);
        assertTrue(message.contains(" [code="), message);
    }

    @Test
    void numbersOutOfRange() {
        assertRefused(
                ValueOutOfRangeException.class, "column=SMALL type=INT16 value=32768", r -> r.setInt(SMALL, 32_768));
        assertRefused(ValueOutOfRangeException.class, "value=-32769", r -> r.setLong(SMALL, -32_769));
        assertRefused(ValueOutOfRangeException.class, "column=KEY value=2147483648", r -> r.setLong(KEY, 1L << 31));
        assertRefused(
                ValueOutOfRangeException.class,
                "type=DECIMAL(5;2) value=100000",
                r -> r.setDecimalUnscaled(PRICE, 100_000));
        assertRefused(ValueOutOfRangeException.class, "value=-100000", r -> r.setDecimalUnscaled(PRICE, -100_000));
        assertRefused(
                ValueOutOfRangeException.class, "value=1000.00", r -> r.setDecimal(PRICE, new BigDecimal("1000.00")));
        assertRefused(ValueOutOfRangeException.class, "value=1.001", r -> r.setDecimal(PRICE, new BigDecimal("1.001")));
        assertRefused(
                ValueOutOfRangeException.class,
                "value=1E+999999999",
                r -> r.setDecimal(WIDE, new BigDecimal("1E+999999999")));
        assertRefused(
                ValueOutOfRangeException.class,
                "value=1E-999999999",
                r -> r.setDecimal(WIDE, new BigDecimal("1E-999999999")));
        assertRefused(ValueOutOfRangeException.class, "column=WIDE", r -> r.setDecimal(WIDE, BigDecimal.TEN.pow(20)));
        for (int scale : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            BigDecimal farOutside = new BigDecimal(BigInteger.TEN, scale);
            assertRefused(ValueOutOfRangeException.class, "column=PRICE", r -> r.setDecimal(PRICE, farOutside));
            assertRefused(ValueOutOfRangeException.class, "column=WIDE", r -> r.setDecimal(WIDE, farOutside));
        }
        assertRefused(ValueOutOfRangeException.class, "column=DAY type=DATE", r -> r.setDate(DAY, LocalDate.MAX));
        assertRefused(
                ValueOutOfRangeException.class,
                "column=TIME type=TIMESTAMP",
                r -> r.setTimestamp(TIME, LocalDateTime.MIN));
        assertRefused(
                ValueOutOfRangeException.class, "column=TIME type=TIMESTAMP", r -> r.setInstant(TIME, Instant.MAX));
        long justOutside = Long.MAX_VALUE / ColumnValues.MICROS_PER_SECOND;
        assertRefused(
                ValueOutOfRangeException.class,
                "column=TIME",
                r -> r.setInstant(TIME, Instant.ofEpochSecond(justOutside, 999_999_000)));
        assertRefused(
                ValueOutOfRangeException.class,
                "column=TIME",
                r -> r.setInstant(TIME, Instant.ofEpochSecond(-justOutside - 1, 0)));
    }

    @Test
    void decimalsWiderThanALong() {
        row.setDecimal(WIDE, new BigDecimal("99999999999999999999"));
        assertFields(
                ValueOutOfRangeException.class,
                "column=WIDE value=99999999999999999999",
                () -> row.getDecimalUnscaled(WIDE));
        row.setDecimal(WIDE, new BigDecimal("-4E+3"));
        assertEquals(-4_000, row.getDecimalUnscaled(WIDE));
        assertEquals(new BigDecimal("-4000"), row.getDecimal(WIDE));
    }

    @Test
    void textAndBytes() {
        assertRefused(
                ValueOutOfRangeException.class,
                "column=NAME characters=4 charactersMax=3",
                r -> r.setString(NAME, "abcd"));
        assertRefused(
                ValueOutOfRangeException.class,
                "characters=4 charactersMax=3",
                r -> r.setUtf8(NAME, new byte[4], 0, 4));
        assertRefused(ValueOutOfRangeException.class, "column=NAME", r -> r.setString(NAME, "\ud800"));
        assertRefused(
                ValueOutOfRangeException.class, "column=NAME", r -> r.setUtf8(NAME, new byte[] {(byte) 0xC0, 0}, 0, 2));
        assertRefused(
                ValueOutOfRangeException.class,
                "arrayBytes=4 from=2 lengthBytes=3",
                r -> r.setUtf8(NAME, new byte[4], 2, 3));
        assertRefused(ValueOutOfRangeException.class, "from=-1", r -> r.setBytes(BLOB, new byte[4], -1, 3));
        assertRefused(
                ValueOutOfRangeException.class,
                "lengthBytes=2147483647",
                r -> r.setBytes(BLOB, new byte[4], 2, Integer.MAX_VALUE));
        row.setString(NAME, "\ud83d\ude00\u20acz");
        assertEquals(8, row.lengthBytes(NAME));
        assertFields(
                ValueOutOfRangeException.class,
                "column=NAME neededBytes=8 roomBytes=7",
                () -> row.getUtf8(NAME, new byte[9], 2));
    }

    @Test
    void rowsTooLarge() {
        byte[] large = new byte[RecordLayout.VALUE_BYTES_MAX];
        assertRefused(
                RecordTooLargeException.class,
                "table=T valueBytes= valueBytesMax=16777216",
                r -> r.setBytes(BLOB, large, 0, large.length));
        assertRefused(
                RecordTooLargeException.class,
                "table=T keyBytes=1029 keyBytesMax=1024",
                r -> r.setString(CODE, "k".repeat(1_023)));
        byte[] zeros = new byte[600];
        assertRefused(
                RecordTooLargeException.class,
                "keyBytes=1206 keyBytesMax=1024",
                r -> r.setUtf8(CODE, zeros, 0, zeros.length));
        row.setUtf8(CODE, zeros, 0, 509);
        assertEquals(KeyFormat.KEY_BYTES_MAX, row.keyLength());
        IndexKeyBuilder builder = new IndexKeyBuilder(table.recordFormat(), table.indexFormat(1), false);
        row.setBytes(BLOB, large, 0, 512);
        assertFields(
                RecordTooLargeException.class, "table=T.B keyBytes=1026 keyBytesMax=1024", () -> builder.build(row));
        assertEquals(0, builder.length());
        row.setBytes(BLOB, large, 0, 508);
        assertEquals(1_018 + 5 + KeyFormat.KEY_BYTES_MAX, builder.build(row));
    }

    @Test
    void nulls() {
        assertRefused(NullViolationException.class, "table=T column=KEY", r -> r.setNull(KEY));
        assertRefused(NullViolationException.class, "column=NAME", r -> r.setString(NAME, null));
        assertRefused(NullViolationException.class, "column=PRICE", r -> r.setDecimal(PRICE, null));
        assertFields(NullViolationException.class, "column=NOTE type=INT64", () -> row.getLong(NOTE));
        Record incomplete = filled();
        incomplete.clear();
        incomplete.setInt(KEY, 1);
        assertFields(NullViolationException.class, "table=T column=SMALL", incomplete::sealForInsert);
    }

    @Test
    void wrongTypesAndOrdinals() {
        assertRefused(SchemaException.class, "table=T column=12 columnCount=12", r -> r.setInt(12, 1));
        assertRefused(SchemaException.class, "column=-1", r -> r.setNull(-1));
        assertFields(SchemaException.class, "column=12", () -> row.isSet(12));
        assertFields(SchemaException.class, "column=99", () -> row.getObject(99));
        assertRefused(SchemaException.class, "column=NAME type=STRING(3) used=integer", r -> r.setInt(NAME, 1));
        assertRefused(SchemaException.class, "column=KEY used=string", r -> r.setString(KEY, "1"));
        assertRefused(SchemaException.class, "column=KEY used=decimal", r -> r.setDecimal(KEY, null));
        assertRefused(SchemaException.class, "column=KEY used=decimal", r -> r.setDecimalUnscaled(KEY, 1));
        assertRefused(SchemaException.class, "column=KEY used=boolean", r -> r.setBoolean(KEY, true));
        assertRefused(SchemaException.class, "column=FLAG used=double", r -> r.setDouble(FLAG, 1));
        assertRefused(SchemaException.class, "column=FLAG used=date", r -> r.setDate(FLAG, null));
        assertRefused(SchemaException.class, "column=FLAG used=timestamp", r -> r.setTimestamp(FLAG, null));
        assertRefused(SchemaException.class, "column=BLOB used=utf8", r -> r.setUtf8(BLOB, new byte[1], 0, 1));
        assertRefused(SchemaException.class, "column=NAME used=bytes", r -> r.setBytes(NAME, new byte[1], 0, 1));
        assertRefused(
                SchemaException.class,
                "used=\"java.util.ArrayList",
                r -> r.setObject(NAME, new java.util.ArrayList<>()));
        assertFields(SchemaException.class, "column=COUNT used=int", () -> row.getInt(COUNT));
        assertFields(SchemaException.class, "column=NAME used=long", () -> row.getLong(NAME));
        assertFields(SchemaException.class, "column=KEY used=decimal", () -> row.getDecimalUnscaled(KEY));
        assertFields(SchemaException.class, "column=KEY", () -> row.lengthBytes(KEY));
    }

    @Test
    void recordsOfAnotherTable() {
        TableDefinition other = TableDefinition.named("U")
                .column("K", ColumnType.int32())
                .primaryKey("K")
                .build();
        assertRefused(SchemaException.class, "expected=T actual=U", r -> r.copyFrom(new Record(other)));
        assertFields(SchemaException.class, "expected=U actual=T", () -> new Key(other.keyFormat()).copyFrom(row));
        assertFields(SchemaException.class, "expected=U actual=T", () -> new Key(other.keyFormat())
                .copyFrom(new Key(table.keyFormat())));
    }

    @Test
    void keysKeepTheirStateToo() {
        Key key = new Key(table.indexFormat(0)).add("ab");
        byte[] before = Arrays.copyOf(key.bytes(), key.length());
        assertFields(SchemaException.class, "table=T.X column=NOTE used=string", () -> key.add("x"));
        assertFields(SchemaException.class, "used=utf8", () -> key.addUtf8(new byte[1], 0, 1));
        assertFields(SchemaException.class, "used=date", () -> key.addDateDays(1));
        assertFields(SchemaException.class, "used=double", () -> key.addDouble(1));
        assertFields(SchemaException.class, "used=decimal", () -> key.addDecimalUnscaled(1));
        assertEquals(1, key.columnCount());
        assertArrayEquals(before, Arrays.copyOf(key.bytes(), key.length()));
        key.addNull();
        assertTrue(key.isComplete());
        assertFields(SchemaException.class, "name=T.X columnCount=2", () -> key.add(1));
        assertFields(SchemaException.class, "columnCount=2", key::addNull);
        assertEquals("T.X(ab;null)", key.toString());

        Key primary = new Key(table.keyFormat());
        assertFields(NullViolationException.class, "column=KEY", primary::addNull);
        assertFields(ValueOutOfRangeException.class, "column=KEY value=2147483648", () -> primary.add(1L << 31));
        primary.add(7);
        assertFields(
                RecordTooLargeException.class, "keyBytes=1025 keyBytesMax=1024", () -> primary.add("k".repeat(1_019)));
        assertFields(
                ValueOutOfRangeException.class,
                "characters=2001 charactersMax=2000",
                () -> primary.add("k".repeat(2_001)));
        assertEquals(4, primary.length());
        assertEquals(1, primary.columnCount());
        primary.add("k".repeat(1_018));
        assertEquals(KeyFormat.KEY_BYTES_MAX, primary.length());
        assertFields(
                RecordTooLargeException.class, "keyBytes=1025", () -> primary.setEncoded(new byte[1_025], 0, 1_025, 2));
        assertFields(SchemaException.class, "column=3", () -> primary.setEncoded(new byte[3], 0, 3, 3));
        assertEquals(0, primary.reset().length());
    }

    @Test
    void successorsOfPrefixes() {
        byte[] bytes = {1, 2, (byte) 0xFF, (byte) 0xFF};
        assertEquals(2, KeyBuffer.toPrefixSuccessor(bytes, 4));
        assertArrayEquals(new byte[] {1, 3}, Arrays.copyOf(bytes, 2));
        byte[] last = {(byte) 0xFF, (byte) 0xFF};
        assertEquals(-1, KeyBuffer.toPrefixSuccessor(last, 2));
        assertArrayEquals(new byte[] {(byte) 0xFF, (byte) 0xFF}, last);
        assertEquals(-1, KeyBuffer.toPrefixSuccessor(last, 0));
    }

    @Test
    void damagedRowsAndKeys() {
        Record loaded = new Record(table).copyFrom(row);
        loaded.setValueLength(row.valueLength() - 1);
        assertFields(CorruptionException.class, "table=T valueBytes=", loaded::loaded);
        assertEquals(false, loaded.isSet(KEY));
        loaded.copyFrom(row).setValueLength(3);
        assertFields(CorruptionException.class, "valueBytes=3 valueBytesMin=", loaded::loaded);
        loaded.copyFrom(row).setKeyLength(5);
        assertFields(CorruptionException.class, "keyBytes=5", loaded::loaded);

        KeyFormat format = table.indexFormat(0);
        byte[] noTerminator = {'a', 'b'};
        assertFields(
                CorruptionException.class,
                "name=T.X column=NAME key=0x6162",
                () -> format.locate(1, noTerminator, 0, 2));
        byte[] wrongMarker = {0, 1, 7};
        assertFields(CorruptionException.class, "column=NOTE", () -> format.locate(2, wrongMarker, 0, 3));
        byte[] cutOff = {0, 1, 1, 0, 0};
        assertFields(CorruptionException.class, "column=NOTE", () -> format.locate(2, cutOff, 0, 5));
        assertFields(CorruptionException.class, "column=NOTE", () -> format.locate(2, cutOff, 0, 2));
        assertTrue(format.describe(noTerminator, 2).contains("0x6162"));
    }
}
