package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The life of a database as an application sees it: rows, ranges, indexes, rollback, reopening. */
class DatabaseTest {
    private static final int ID = 0;
    static final int NAME = 1;
    private static final int AMOUNT = 2;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    static TableDefinition accounts() {
        return TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(2_000_000))
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .index("by_amount", "amount")
                .build();
    }

    static void put(Transaction transaction, Table table, Record row, int id, String name, long amount) {
        row.clear();
        row.setInt(ID, id);
        row.setString(NAME, name);
        row.setLong(AMOUNT, amount);
        transaction.insert(table, row);
    }

    /** Makes the table, with rows of ids from 0, each with its id for its amount. */
    static Table filled(Database database, int rows, String name) {
        Table table = database.createTable(accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < rows; id++) {
                put(transaction, table, row, id, name, id);
            }
        });
        return table;
    }

    static List<Integer> ids(Database database, String index) {
        return database.call(transaction -> {
            Table table = database.table("account");
            Record row = table.newRecord();
            List<Integer> ids = new ArrayList<>();
            try (Cursor cursor = index == null ? transaction.scan(table) : transaction.scan(table, index)) {
                while (cursor.next(row)) {
                    ids.add(row.getInt(ID));
                }
            }
            return ids;
        });
    }

    @Test
    void keepsRowsOverReopening() {
        try (Database database = validated.open(directory)) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < 5_000; id++) {
                    put(transaction, table, row, (id * 7919) % 5_000, "name " + id, id % 100);
                }
            });
            database.validate();
        }
        try (Database database = validated.open(directory)) {
            assertEquals(List.of("account"), database.tableNames());
            List<Integer> ids = ids(database, null);
            assertEquals(5_000, ids.size());
            for (int i = 0; i < 5_000; i++) {
                assertEquals(i, ids.get(i));
            }
            assertEquals(5_000, ids(database, "by_amount").size());
            database.validate();
        }
    }

    @Test
    void recoversWhatWasCommittedAndNothingElse() {
        Database database = validated.open(directory);
        Table table = database.createTable(accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < 1_000; id++) {
                put(transaction, table, row, id, "name", id);
            }
        });
        Session session = database.openSession();
        Transaction open = session.begin();
        Record row = table.newRecord();
        for (int id = 1_000; id < 2_000; id++) {
            put(open, table, row, id, "lost", id);
        }
        assertTrue(open.delete(table, table.newKey().add(5)));
        assertTrue(open.fetchForUpdate(table, table.newKey().add(6), row));
        row.setString(NAME, "changed to something longer");
        row.setLong(AMOUNT, -1);
        assertTrue(open.update(table, row));
        database.run(other -> {
            Record another = table.newRecord();
            put(other, table, another, 5_000, "kept", 1);
        });
        database.abandon();
        Database reopened = validated.open(directory);
        List<Integer> ids = ids(reopened, null);
        assertEquals(1_001, ids.size());
        assertEquals(5_000, ids.get(1_000));
        assertEquals(1_001, ids(reopened, "by_amount").size());
        reopened.run(transaction -> {
            Table again = reopened.table("account");
            Record kept = again.newRecord();
            assertTrue(transaction.fetch(again, again.newKey().add(6), kept));
            assertEquals("name", kept.getString(NAME));
            assertEquals(6, kept.getLong(AMOUNT));
        });
        validated.close(reopened);
    }

    @Test
    void rollsBackAndKeepsLargeValues() {
        String large = "x".repeat(1_000_000);
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                put(transaction, table, row, 1, large, 1);
                put(transaction, table, row, 2, "small", 2);
            });
            database.validate();
            assertThrows(
                    IllegalStateException.class,
                    () -> database.run(transaction -> {
                        Record row = table.newRecord();
                        put(transaction, table, row, 3, large, 3);
                        assertTrue(
                                transaction.fetchForUpdate(table, table.newKey().add(1), row));
                        row.setString(NAME, "short");
                        assertTrue(transaction.update(table, row));
                        assertTrue(
                                transaction.fetchForUpdate(table, table.newKey().add(2), row));
                        row.setString(NAME, large);
                        assertTrue(transaction.update(table, row));
                        throw new IllegalStateException("no");
                    }));
            database.validate();
            database.run(transaction -> {
                Record row = table.newRecord();
                assertTrue(transaction.fetch(table, table.newKey().add(1), row));
                assertEquals(large, row.getString(NAME));
                assertTrue(transaction.fetch(table, table.newKey().add(2), row));
                assertEquals("small", row.getString(NAME));
                assertFalse(transaction.fetch(table, table.newKey().add(3), row));
                assertTrue(transaction.delete(table, table.newKey().add(1)));
            });
            database.validate();
        }
    }

    /** A record inserted in the place of one that the same transaction has deleted must not outlive the rollback. */
    @Test
    void rollsBackADeleteAndInsertOfTheSameKey() {
        for (String first : List.of("first", "x".repeat(50_000))) {
            for (String second : List.of("second", "y".repeat(40_000))) {
                try (Database database = validated.inMemory()) {
                    Table table = database.createTable(accounts());
                    Record row = table.newRecord();
                    database.run(transaction -> put(transaction, table, row, 1, first, 1));
                    Transaction open = database.openSession().begin();
                    assertTrue(open.delete(table, table.newKey().add(1)));
                    put(open, table, row, 1, second, 1);
                    Savepoint savepoint = open.savepoint();
                    assertTrue(open.delete(table, table.newKey().add(1)));
                    put(open, table, row, 1, first, 2);
                    open.rollbackTo(savepoint);
                    assertTrue(open.fetch(table, table.newKey().add(1), row));
                    assertEquals(second, row.getString(NAME));
                    open.rollback();
                    database.run(transaction -> {
                        assertTrue(transaction.fetch(table, table.newKey().add(1), row));
                        assertEquals(first, row.getString(NAME));
                        assertEquals(1, row.getLong(AMOUNT));
                        assertTrue(transaction.delete(table, table.newKey().add(1)));
                        put(transaction, table, row, 1, second, 3);
                    });
                    assertEquals(List.of(1), ids(database, "by_amount"));
                    database.validate();
                }
            }
        }
    }

    @Test
    void refusesDuplicatesAndGoesOn() {
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                put(transaction, table, row, 1, "a", 1);
                assertThrows(DuplicateKeyException.class, () -> put(transaction, table, row, 1, "b", 2));
                put(transaction, table, row, 2, "c", 3);
            });
            assertEquals(List.of(1, 2), ids(database, null));
            database.validate();
        }
    }

    @Test
    void scansRangesInBothDirections() {
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < 3_000; id += 3) {
                    put(transaction, table, row, id, "n" + id, 3_000 - id);
                }
            });
            database.run(transaction -> {
                Record row = table.newRecord();
                List<Integer> ids = new ArrayList<>();
                try (Cursor cursor = transaction
                        .scan(table)
                        .from(table.newKey().add(300))
                        .before(table.newKey().add(600))
                        .backward()) {
                    while (cursor.next(row)) {
                        ids.add(row.getInt(ID));
                    }
                }
                assertEquals(100, ids.size());
                assertEquals(597, ids.getFirst());
                assertEquals(300, ids.getLast());
                ids.clear();
                Key primaryKey = table.newKey();
                Key bound = table.newIndexKey("by_amount").add(30L);
                try (Cursor cursor = transaction.scan(table, "by_amount").to(bound)) {
                    while (cursor.nextKey(primaryKey)) {
                        assertTrue(transaction.fetch(table, primaryKey, row));
                        ids.add(row.getInt(ID));
                    }
                }
                assertEquals(List.of(2_997, 2_994, 2_991, 2_988, 2_985, 2_982, 2_979, 2_976, 2_973, 2_970), ids);
            });
            database.validate();
        }
    }

    @Test
    void createsAndDropsIndexesAndTablesOnline() {
        try (Database database = validated.open(directory)) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < 2_000; id++) {
                    put(transaction, table, row, id, "n" + (id % 10), id);
                }
            });
            int pagesBefore = database.validate().pages();
            database.createIndex(IndexDefinition.of("by_name", "account", "name"));
            assertEquals(2_000, ids(database, "by_name").size());
            assertThrows(
                    DuplicateKeyException.class,
                    () -> database.createIndex(IndexDefinition.unique("unique_name", "account", "name")));
            database.validate();
            database.dropIndex("account", "by_name");
            assertEquals(pagesBefore, database.validate().pages());
            database.dropTable("account");
            assertEquals(List.of(), database.tableNames());
            database.validate();
            assertThrows(SchemaException.class, table::definition);
        }
        try (Database database = validated.open(directory)) {
            assertEquals(List.of(), database.tableNames());
        }
    }

    @Test
    void deletesShrinkTheTree() {
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(accounts());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < 20_000; id++) {
                    put(transaction, table, row, id, "name of " + id, id);
                }
            });
            int full = database.validate().pages();
            database.run(transaction -> {
                for (int id = 0; id < 20_000; id++) {
                    if (id % 1_000 != 0) {
                        assertTrue(transaction.delete(table, table.newKey().add(id)));
                    }
                }
            });
            ValidationReport report = database.validate();
            assertTrue(report.pages() < full / 4, () -> "pages=" + report.pages() + " full=" + full);
            assertEquals(20, ids(database, null).size());
            assertEquals(20, ids(database, "by_amount").size());
        }
    }
}
