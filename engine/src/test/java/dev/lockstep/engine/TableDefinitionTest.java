package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyColumn;
import dev.lockstep.engine.type.Names;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class TableDefinitionTest {
    private static TableDefinition.Builder item() {
        return TableDefinition.named("ITEM")
                .column("I_ID", ColumnType.int32())
                .column("I_NAME", ColumnType.string(24))
                .nullable("I_DATA", ColumnType.string(50))
                .primaryKey("I_ID")
                .index("BY_NAME", "I_NAME", "I_ID");
    }

    private static void assertRefused(String fields, Executable action) {
        String message = assertThrows(SchemaException.class, action).getMessage();
        for (String field : fields.split(" ", -1)) {
            assertTrue(message.contains(field), field + " is not in: " + message);
        }
    }

    @Test
    void aDefinitionKnowsItsParts() {
        TableDefinition table = item().build();
        assertEquals("ITEM", table.name());
        assertEquals(1, table.ordinal("I_NAME"));
        assertEquals(0, table.indexPosition("BY_NAME"));
        assertEquals(4, table.keyFormat().fixedBytes());
        assertEquals(1, table.indexFormat(0).ordinal(0));
        assertEquals("ITEM.BY_NAME", table.indexFormat(0).name());
        assertEquals(item().build(), table);
        assertEquals(item().build().hashCode(), table.hashCode());
        TableDefinition more = table.withIndex(IndexDefinition.unique("BY_DATA", "ITEM", "I_DATA"));
        assertEquals(1, more.indexPosition("BY_DATA"));
        assertNotEquals(table, more);
        assertEquals(table, more.withoutIndex("BY_DATA"));
    }

    @Test
    void wrongNamesAreRefused() {
        assertRefused("table=\"\"", () -> TableDefinition.named("").build());
        assertRefused("table=null", () -> TableDefinition.named(null).build());
        assertRefused("column=\"a\\nb\"", () -> Column.notNull("a\nb", ColumnType.int32()));
        assertRefused("column=", () -> Column.notNull("\ud800", ColumnType.int32()));
        assertRefused("charactersMax=128", () -> KeyColumn.ascending("x".repeat(Names.NAME_CHARACTERS_MAX + 1)));
        assertRefused("column=C type=null Remedy:", () -> Column.notNull("C", null));
        assertRefused("table=ITEM column=NOPE", () -> item().build().ordinal("NOPE"));
        assertRefused("table=ITEM index=NOPE", () -> item().build().indexPosition("NOPE"));
        assertRefused("table=ITEM column=i_id", () -> item().primaryKey("i_id").build());
    }

    @Test
    void wrongTablesAreRefused() {
        assertRefused("table=ITEM column=I_ID", () -> item().column("I_ID", ColumnType.int32())
                .build());
        assertRefused("name=ITEM columnCount=0", () -> item().primaryKey(new String[0])
                .build());
        assertRefused(
                "name=ITEM column=I_ID", () -> item().primaryKey("I_ID", "I_ID").build());
        assertRefused(
                "table=ITEM column=I_DATA", () -> item().primaryKey("I_DATA").build());
        assertRefused("table=EMPTY columnCount=0 columnCountMax=1024", () -> TableDefinition.named("EMPTY")
                .build());
        TableDefinition.Builder wide = TableDefinition.named("WIDE").primaryKey("C0");
        for (int i = 0; i < 1_024; i++) {
            wide.column("C" + i, ColumnType.int16());
        }
        assertEquals(1_023 * 2, wide.build().recordFormat().minimumValueBytes());
        assertRefused(
                "columnCount=1025", () -> wide.column("LAST", ColumnType.bool()).build());
    }

    @Test
    void wrongIndexesAreRefused() {
        assertRefused("table=ITEM index=BY_NAME", () -> item().index("BY_NAME", "I_ID")
                .build());
        assertRefused("index=X table=T columnCount=0", () -> IndexDefinition.of("X", "T"));
        assertRefused("index=X table=T column=A", () -> IndexDefinition.of("X", "T", "A", "B", "A"));
        assertRefused("table=ITEM column=NOPE", () -> item().index("X", "NOPE").build());
        assertRefused("index=X expected=ITEM actual=OTHER", () -> item().index(IndexDefinition.of("X", "OTHER", "A"))
                .build());
        List<KeyColumn> many = new ArrayList<>();
        for (int i = 0; i < 33; i++) {
            many.add(KeyColumn.ascending("C" + i));
        }
        assertRefused("index=X columnCount=33 columnCountMax=32", () -> new IndexDefinition("X", "T", many, false));
        TableDefinition.Builder indexed = item();
        for (int i = 1; i < TableDefinition.INDEXES_MAX; i++) {
            indexed.index("X" + i, "I_NAME");
        }
        assertEquals(TableDefinition.INDEXES_MAX, indexed.build().indexes().size());
        assertRefused("indexCount=65 indexCountMax=64", () -> indexed.index("LAST", "I_NAME")
                .build());
    }

    @Test
    void wrongLimitsAreRefused() {
        assertRefused("precisionDigits=39 min=1 max=38", () -> ColumnType.decimal(39, 0));
        assertRefused("precisionDigits=0", () -> ColumnType.decimal(0, 0));
        assertRefused("scaleDigits=6 min=0 max=5", () -> ColumnType.decimal(5, 6));
        assertRefused("scaleDigits=-1", () -> ColumnType.decimal(5, -1));
        assertRefused("charactersMax=0 min=1 max=16777216", () -> ColumnType.string(0));
        assertRefused("bytesMax=16777217", () -> ColumnType.binary((16 << 20) + 1));
        assertRefused("lengthMax=3", () -> new ColumnType(ColumnType.Kind.INT32, 3, 0));
        assertRefused("scaleDigits=1", () -> new ColumnType(ColumnType.Kind.STRING, 3, 1));
    }

    @Test
    void theWidestKeyOfFixedColumnsFits() {
        TableDefinition.Builder wide = TableDefinition.named("WIDE");
        String[] names = new String[32];
        for (int i = 0; i < names.length; i++) {
            names[i] = "C" + i;
            wide.column(names[i], ColumnType.decimal(38, 0));
        }
        assertEquals(512, wide.primaryKey(names).build().keyFormat().fixedBytes());
    }
}
