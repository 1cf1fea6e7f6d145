package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TableDefinition;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemaCodecTest {
    private static final int TABLES = 300;

    private static StoredTable random(RandomSchema schema) {
        TableDefinition table = schema.table();
        StoredTable.IndexState state =
                schema.random.nextBoolean() ? StoredTable.IndexState.READY : StoredTable.IndexState.BUILDING;
        return new StoredTable(
                table,
                schema.random.nextInt(),
                schema.random.nextInt(),
                List.of(new StoredTable.StoredIndex(schema.random.nextInt(), schema.random.nextInt(), state)));
    }

    @Test
    void tablesComeBackAsTheyWent() {
        RandomSchema schema = new RandomSchema(30_000);
        for (int i = 0; i < TABLES; i++) {
            StoredTable table = random(schema);
            byte[] bytes = SchemaCodec.encode(table);
            byte[] shifted = new byte[bytes.length + 5];
            System.arraycopy(bytes, 0, shifted, 3, bytes.length);
            assertEquals(table, SchemaCodec.decode(shifted, 3, bytes.length), schema.replay(i));
        }
    }

    @Test
    void everyTruncationIsCorruption() {
        byte[] bytes = SchemaCodec.encode(random(new RandomSchema(31_000)));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            String message = assertThrows(CorruptionException.class, () -> SchemaCodec.decode(cut, 0, cut.length))
                    .getMessage();
            assertTrue(message.contains("lengthBytes=" + length), message);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThrows(CorruptionException.class, () -> SchemaCodec.decode(longer, 0, longer.length));
    }

    @Test
    void damagedBytesAreATableOrCorruptionButNothingElse() {
        RandomSchema schema = new RandomSchema(32_000);
        int refused = 0;
        for (int i = 0; i < TABLES * 20; i++) {
            byte[] bytes = SchemaCodec.encode(random(schema));
            bytes[1 + schema.random.nextInt(bytes.length - 1)] = (byte) schema.random.nextInt();
            try {
                SchemaCodec.decode(bytes, 0, bytes.length);
            } catch (CorruptionException expected) {
                refused++;
            }
        }
        assertTrue(refused > TABLES, "too few refused: " + refused);
    }

    @Test
    void otherVersionsAreRecognised() {
        byte[] bytes = SchemaCodec.encode(random(new RandomSchema(33_000)));
        bytes[0] = SchemaCodec.VERSION + 1;
        String message = assertThrows(NewerFormatException.class, () -> SchemaCodec.decode(bytes, 0, bytes.length))
                .getMessage();
        assertTrue(message.contains("version=2") && message.contains("versionMax=1"), message);
        bytes[0] = 0;
        assertThrows(CorruptionException.class, () -> SchemaCodec.decode(bytes, 0, bytes.length));
    }

    @Test
    void everyIndexNeedsATree() {
        StoredTable table = random(new RandomSchema(34_000));
        String message = assertThrows(SchemaException.class, () -> new StoredTable(table.definition(), 1, 2, List.of()))
                .getMessage();
        assertTrue(message.contains("expected=1") && message.contains("actual=0"), message);
    }
}
