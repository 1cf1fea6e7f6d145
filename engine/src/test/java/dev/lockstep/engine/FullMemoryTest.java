package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database in memory whose pool is full, which can write no page out to make room. */
class FullMemoryTest {
    private static final int ID = 0;
    private static final int DATA = 1;
    /** Never reached unless something hangs. */
    private static final Duration HANG = Duration.ofMinutes(15);

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

    private Table full(Database database, int dataLength) {
        Table table = database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .column("data", ColumnType.string(dataLength))
                .primaryKey("id")
                .build());
        int[] id = {0};
        assertThrows(OutOfFramesException.class, () -> {
            while (true) {
                database.run(transaction -> {
                    Record row = table.newRecord();
                    row.setInt(ID, id[0]++);
                    row.setString(DATA, "x".repeat(dataLength));
                    transaction.insert(table, row);
                });
            }
        });
        return table;
    }

    private static Table table(Database database) {
        return database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .column("data", ColumnType.string(200))
                .primaryKey("id")
                .build());
    }

    /** Inserts rows of many lengths until the pool is full; returns how many there are. */
    private static int fill(Database database, Table table) {
        int[] rows = {0};
        assertThrows(OutOfFramesException.class, () -> {
            while (true) {
                insert(database, table, rows[0]);
                rows[0]++;
            }
        });
        return rows[0];
    }

    private Database smallest() {
        return validated.inMemory(
                DatabaseOptions.builder()
                        .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                        .build(),
                null);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 100_000})
    void aDroppedTableLeavesRoom(int dataLength) {
        Database database = smallest();
        full(database, dataLength);
        database.dropTable("t");
        full(database, dataLength);
    }

    @Test
    void deletedLargeRowsLeaveRoom() {
        Database database = smallest();
        Table table = full(database, 100_000);
        for (int id = 0; id < 3; id++) {
            Key key = table.newKey().add(id);
            database.run(transaction -> assertTrue(transaction.delete(table, key)));
        }
        insert(database, table, 1_000_000);
        database.createTable(TableDefinition.named("u")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
    }

    /** A walk whose tree is gone for good ends, and does not ask for its root for ever. */
    @Test
    void aSnapshotOfADroppedTableEnds() {
        Database database = validated.inMemory();
        Table table = database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .column("data", ColumnType.string(200))
                .primaryKey("id")
                .build());
        for (int id = 0; id < 500; id++) {
            insert(database, table, id);
        }
        TransactionOptions snapshot =
                TransactionOptions.of(DatabaseOptions.defaults()).readOnlySnapshot();
        assertTimeoutPreemptively(
                HANG,
                () -> database.run(snapshot, transaction -> {
                    Record row = table.newRecord();
                    try (Cursor cursor = transaction.scan(table)) {
                        assertTrue(cursor.next(row));
                        database.dropTable("t");
                        assertThrows(SchemaException.class, () -> {
                            while (cursor.next(row)) {
                                row.getInt(ID);
                            }
                        });
                    }
                }));
    }

    /** The pages of the tree are those of a large value by then, which leads a walk to where it is. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSnapshotOfADroppedTableEndsInPagesOfOthers(boolean scan) {
        Database database = validated.inMemory();
        Table dropped = DatabaseTest.filled(database, 100, "name");
        Table other = database.createTable(TableDefinition.named("other")
                .column("id", ColumnType.int32())
                .column("data", ColumnType.string(20_000))
                .primaryKey("id")
                .build());
        TransactionOptions snapshot =
                TransactionOptions.of(DatabaseOptions.defaults()).readOnlySnapshot();
        assertTimeoutPreemptively(
                HANG,
                () -> database.run(snapshot, transaction -> {
                    Record row = dropped.newRecord();
                    try (Cursor cursor = transaction.scan(dropped)) {
                        assertTrue(cursor.next(row));
                        database.dropTable("account");
                        database.run(writing -> {
                            Record large = other.newRecord();
                            large.setInt(ID, 1);
                            large.setString(DATA, "\0".repeat(12_000));
                            writing.insert(other, large);
                        });
                        assertThrows(SchemaException.class, () -> {
                            if (scan) {
                                while (cursor.next(row)) {
                                    row.getInt(ID);
                                }
                            } else {
                                transaction.fetch(dropped, dropped.newKey().add(1), row);
                            }
                        });
                    }
                }));
    }

    /** Rows that have become shorter get their old values back, in the room that they had before. */
    @Test
    void takesShorterRowsBackWithoutAPage() {
        Database database = smallest();
        Table table = table(database);
        int rows = fill(database, table);
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            for (int id = 0; id < rows; id++) {
                assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
                row.setString(DATA, "");
                assertTrue(transaction.update(table, row));
            }
            transaction.rollback();
        }
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < rows; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                assertEquals(data(id), row.getString(DATA));
            }
        });
    }

    /** Rows that have become shorter get their old values back where others have taken their room meanwhile. */
    @Test
    void takesShorterRowsBackWhoseRoomIsTaken() {
        Database database = smallest();
        Table table = table(database);
        fill(database, table);
        int shortened = 10;
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            for (int id = 0; id < shortened; id++) {
                set(transaction, table, row, id, "");
            }
            int[] grown = {shortened};
            assertThrows(OutOfFramesException.class, () -> {
                while (true) {
                    database.run(other -> set(other, table, table.newRecord(), grown[0], "y".repeat(200)));
                    grown[0]++;
                }
            });
            assertTrue(grown[0] > shortened, "some have found room");
            transaction.rollback();
        }
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < shortened; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                assertEquals(data(id), row.getString(DATA));
            }
        });
    }

    private static void set(Transaction transaction, Table table, Record row, int id, String data) {
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setString(DATA, data);
        assertTrue(transaction.update(table, row));
    }
}
