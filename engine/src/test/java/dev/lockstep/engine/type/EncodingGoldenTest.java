package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.TableDefinition;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Pins the bytes of keys, records, index entries and catalog entries. They are on disk: a change here needs a new
 * format version and a second reviewer.
 */
class EncodingGoldenTest {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void constants() {
        assertEquals(1_024, KeyFormat.KEY_BYTES_MAX);
        assertEquals(32, KeyFormat.KEY_COLUMNS_MAX);
        assertEquals(2_048, IndexKeyBuilder.ENTRY_KEY_BYTES_MAX);
        assertEquals(1_024, RecordFormat.COLUMNS_MAX);
        assertEquals(16_777_216, RecordLayout.VALUE_BYTES_MAX);
        assertEquals(65_535, RecordLayout.SHORT_VALUE_BYTES_MAX);
        assertEquals(2, RecordLayout.SHORT_END_BYTES);
        assertEquals(4, RecordLayout.LONG_END_BYTES);
        assertEquals(8, RecordLayout.DECIMAL16_HIGH_OFFSET);
        assertEquals(1, SchemaCodec.VERSION);
    }

    @Test
    void keyOfEachType() {
        assertKey("80", ColumnType.bool(), false);
        assertKey("81", ColumnType.bool(), true);
        assertKey("7ffe", ColumnType.int16(), (short) -2);
        assertKey("80000001", ColumnType.int32(), 1);
        assertKey("00000000", ColumnType.int32(), Integer.MIN_VALUE);
        assertKey("7fffffffffffffff", ColumnType.int64(), -1L);
        assertKey("bff0000000000000", ColumnType.float64(), 1.0);
        assertKey("400fffffffffffff", ColumnType.float64(), -1.0);
        assertKey("7fffffffffffffff", ColumnType.float64(), -0.0);
        assertKey("fff8000000000000", ColumnType.float64(), Double.NaN);
        assertKey("800004d2", ColumnType.decimal(9, 2), new BigDecimal("12.34"));
        assertKey("7ffffffffffffb2e", ColumnType.decimal(12, 2), new BigDecimal("-12.34"));
        assertKey("800000000000000000000000000004d2", ColumnType.decimal(38, 2), new BigDecimal("12.34"));
        assertKey("7ffffffffffffffffffffffffffffb2e", ColumnType.decimal(19, 2), new BigDecimal("-12.34"));
        assertKey("0001", ColumnType.string(5), "");
        assertKey("6100ff62c3a90001", ColumnType.string(5), "a\0b\u00e9");
        assertKey("00ff00fffe01ff0001", ColumnType.binary(5), new byte[] {0, 0, (byte) 0xFE, 1, (byte) 0xFF});
        assertKey("80004fbc", ColumnType.date(), LocalDate.of(2025, 11, 20));
        assertKey("80064405eca49c7b", ColumnType.timestamp(), LocalDateTime.of(2025, 11, 20, 12, 34, 56, 123_000));
    }

    @Test
    void nullsAndDirections() {
        Column nullable = Column.nullable("C", ColumnType.string(5));
        assertEquals("00", hex(key(nullable, false, null)));
        assertEquals("01610001", hex(key(nullable, false, "a")));
        assertEquals("ff", hex(key(nullable, true, null)));
        assertEquals("fe9efffe", hex(key(nullable, true, "a")));
        assertEquals("7ffffffe", hex(key(Column.notNull("C", ColumnType.int32()), true, 1)));
    }

    @Test
    void recordWithShortEnds() {
        TableDefinition table = table(50);
        assertEquals(
                "01" // bitmap: NOTE is null
                        + "2a00" // SMALL
                        + "d204000000000000" // AMOUNT
                        + "1500" // end of NAME, which begins behind the ends, at 15
                        + "1500" // end of NOTE
                        + "626f78313233", // NAME
                hexValue(row(table)));
        assertEquals("80000007" + "9efffe", hexKey(row(table)));
    }

    @Test
    void recordWithLongEnds() {
        assertEquals(
                "01" + "2a00" + "d204000000000000" + "19000000" + "19000000" + "626f78313233",
                hexValue(row(table(20_000))));
    }

    @Test
    void wideDecimalInARecord() {
        TableDefinition table = TableDefinition.named("T")
                .column("K", ColumnType.int32())
                .column("D", ColumnType.decimal(38, 0))
                .primaryKey("K")
                .build();
        Record row = new Record(table);
        row.setDecimal(1, new BigDecimal("-18446744073709551617"));
        assertEquals("ffffffffffffffff" + "feffffffffffffff", hexValue(row));
    }

    @Test
    void indexEntries() {
        TableDefinition table = table(50);
        Record row = row(table);
        IndexKeyBuilder byName = new IndexKeyBuilder(table.recordFormat(), table.indexFormat(0), false);
        byName.build(row);
        assertEquals("9d9087cecdccfffe" + "61" + "0001" + "80000007" + "9efffe", hex(byName.bytes(), byName.length()));
        IndexKeyBuilder byNote = new IndexKeyBuilder(table.recordFormat(), table.indexFormat(1), true);
        byNote.build(row);
        assertEquals("00" + "80000007" + "9efffe", hex(byNote.bytes(), byNote.length()));
        row.setString(4, "n");
        byNote.build(row);
        assertEquals("016e0001", hex(byNote.bytes(), byNote.length()));
    }

    @Test
    void catalogEntry() {
        StoredTable stored = new StoredTable(
                table(50),
                7,
                260,
                List.of(
                        new StoredTable.StoredIndex(8, 261, StoredTable.IndexState.READY),
                        new StoredTable.StoredIndex(9, 262, StoredTable.IndexState.BUILDING)));
        assertEquals(
                "01" + "07000000" + "04010000" + "010054"
                        + "0600"
                        + "03" + "00" + "00" + "00000000" + "03004b4559"
                        + "02" + "00" + "00" + "00000000" + "0500534d414c4c"
                        + "07" + "00" + "00" + "03000000" + "0300544147"
                        + "07" + "00" + "00" + "32000000" + "04004e414d45"
                        + "07" + "01" + "00" + "32000000" + "04004e4f5445"
                        + "06" + "00" + "02" + "0c000000" + "0600414d4f554e54"
                        + "02" + "0000" + "00" + "0200" + "01"
                        + "02"
                        + "08000000" + "05010000" + "01" + "00" + "0600" + "42594e414d45" + "02" + "0300" + "01"
                        + "0200"
                        + "00"
                        + "09000000" + "06010000" + "02" + "01" + "0600" + "42594e4f5445" + "01" + "0400" + "00",
                HEX.formatHex(SchemaCodec.encode(stored)));
    }

    private static TableDefinition table(int lengthMax) {
        return TableDefinition.named("T")
                .column("KEY", ColumnType.int32())
                .column("SMALL", ColumnType.int16())
                .column("TAG", ColumnType.string(3))
                .column("NAME", ColumnType.string(lengthMax))
                .nullable("NOTE", ColumnType.string(lengthMax))
                .column("AMOUNT", ColumnType.decimal(12, 2))
                .primaryKey(KeyColumn.ascending("KEY"), KeyColumn.descending("TAG"))
                .index(new IndexDefinition(
                        "BYNAME", "T", List.of(KeyColumn.descending("NAME"), KeyColumn.ascending("TAG")), false))
                .uniqueIndex("BYNOTE", "NOTE")
                .build();
    }

    private static Record row(TableDefinition table) {
        Record row = new Record(table);
        row.setString(2, "a");
        row.setInt(0, 7);
        row.setInt(1, 42);
        row.setString(3, "box123");
        row.setDecimal(5, new BigDecimal("12.34"));
        row.sealForInsert();
        return row;
    }

    private static void assertKey(String expected, ColumnType type, Object value) {
        assertEquals(expected, hex(key(Column.notNull("C", type), false, value)), type + " " + value);
    }

    private static Key key(Column column, boolean descending, Object value) {
        Key key = new Key(new KeyFormat("K", new Column[] {column}, new int[] {0}, new boolean[] {descending}));
        RandomSchema.add(key, column, value);
        return key;
    }

    private static String hex(Key key) {
        return hex(key.bytes(), key.length());
    }

    private static String hexKey(Record row) {
        return hex(row.keyBytes(), row.keyLength());
    }

    private static String hexValue(Record row) {
        return hex(row.valueBytes(), row.valueLength());
    }

    private static String hex(byte[] bytes, int length) {
        return HEX.formatHex(bytes, 0, length);
    }
}
