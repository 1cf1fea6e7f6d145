package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database in memory whose pool is full, which can write no page out to make room. */
class FullMemoryTest {
    private static final int ID = 0;
    private static final int DATA = 1;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** Of many lengths, so that leaves keep rests of all sizes. */
    private static String data(int id) {
        return "x".repeat(60 + id * 37 % 80);
    }

    private static void insert(Database database, Table table, int id) {
        database.run(transaction -> {
            Record row = table.newRecord();
            row.setInt(ID, id);
            row.setString(DATA, data(id));
            transaction.insert(table, row);
        });
    }

    /** Rows that have become shorter get their old values back, in the room that they had before. */
    @Test
    void takesShorterRowsBackWithoutAPage() {
        Database database = validated.inMemory(
                DatabaseOptions.builder()
                        .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                        .build(),
                null);
        Table table = database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .column("data", ColumnType.string(200))
                .primaryKey("id")
                .build());
        int[] rows = {0};
        assertThrows(OutOfFramesException.class, () -> {
            while (true) {
                insert(database, table, rows[0]);
                rows[0]++;
            }
        });
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            for (int id = 0; id < rows[0]; id++) {
                assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
                row.setString(DATA, "");
                assertTrue(transaction.update(table, row));
            }
            transaction.rollback();
        }
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < rows[0]; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                assertEquals(data(id), row.getString(DATA));
            }
        });
    }
}
