package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A session that has seen tables come and go keeps nothing of those that are gone, such as their largest row. */
class DroppedTableMemoryTest {
    private static final int TABLES = 20;

    @RegisterExtension
    final ValidatedDatabase databases = new ValidatedDatabase();

    private static Table create(Database database, String name) {
        return database.createTable(TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .primaryKey("id")
                .index("by_kind", "kind")
                .build());
    }

    private static void insertAndDelete(Session session, Table table) {
        Transaction transaction = session.begin();
        Record row = table.newRecord();
        row.setInt(0, 1);
        row.setInt(1, 1);
        transaction.insert(table, row);
        assertTrue(transaction.delete(table, table.newKey().add(1)));
        transaction.commit();
    }

    @Test
    void aSessionForgetsTablesThatAreGone() {
        Database database = databases.unexamined(Database.inMemory(ValidatedDatabase.USUAL));
        Table kept = create(database, "kept");
        try (Session session = database.openSession()) {
            insertAndDelete(session, kept);
            for (int i = 0; i < TABLES; i++) {
                insertAndDelete(session, create(database, "job" + i));
                database.dropTable("job" + i);
            }
            insertAndDelete(session, create(database, "last"));
            insertAndDelete(session, kept);
            assertEquals(2, session.core().accessCount());
        }
        database.validate();
        database.close();
    }
}
