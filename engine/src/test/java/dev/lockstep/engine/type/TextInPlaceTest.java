package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Record;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Texts that are read where they lie in a record, beside those that are copied out of it. */
class TextInPlaceTest {
    private static final int KEY = 0;
    private static final int NUMBER = 1;
    private static final int FIRST_TEXT = 2;
    private static final int TEXTS = 4;

    private final RecordFormat format = new RecordFormat(
            "T",
            new Column[] {
                new Column("key", ColumnType.string(20), false),
                new Column("number", ColumnType.int32(), false),
                new Column("a", ColumnType.string(300), false),
                new Column("b", ColumnType.string(20), true),
                new Column("c", ColumnType.string(20), false),
                new Column("d", ColumnType.string(300), true)
            },
            new int[] {KEY},
            new boolean[1]);

    @Test
    void liesWhereTheRangeSaysWhateverWasSetBefore() {
        Seeds.each(20, seed -> {
            Random random = new Random(seed);
            Record row = new Record(format);
            String[] texts = new String[TEXTS];
            for (int i = 0; i < TEXTS; i++) {
                texts[i] = "";
                row.setString(FIRST_TEXT + i, "");
            }
            for (int round = 0; round < 200; round++) {
                int changed = random.nextInt(TEXTS);
                boolean isNull = changed % 2 == 1 && random.nextInt(4) == 0;
                texts[changed] = isNull ? null : "\u20ac".repeat(random.nextInt(3)) + "x".repeat(random.nextInt(17));
                row.setString(FIRST_TEXT + changed, texts[changed]);
                for (int i = 0; i < TEXTS; i++) {
                    assertEquals(texts[i], inPlace(row, FIRST_TEXT + i), "column=" + i);
                }
            }
        });
    }

    private static String inPlace(Record row, int column) {
        long range = row.utf8Range(column);
        return range < 0
                ? null
                : new String(row.valueBytes(), (int) (range >>> Integer.SIZE), (int) range, StandardCharsets.UTF_8);
    }

    @Test
    void isRefusedInTheKeyAndOfAnotherType() {
        Record row = new Record(format);
        row.setString(KEY, "k");
        row.setInt(NUMBER, 1);
        SchemaException inKey = assertThrows(SchemaException.class, () -> row.utf8Range(KEY));
        assertTrue(inKey.getMessage().contains("column=key"), inKey.getMessage());
        assertThrows(SchemaException.class, () -> row.utf8Range(NUMBER));
    }
}
