package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.RecordLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A record of the largest size, 16 times the pool that it passes through. */
class LargestValueTest {
    private static final int ID = 0;
    private static final int BODY = 1;

    /** The one column of variable length has one end in front of it. */
    private static final int BODY_BYTES_MAX = NodeLayout.VALUE_BYTES_MAX - RecordLayout.LONG_END_BYTES;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static DatabaseOptions options() {
        return ValidatedDatabase.SMALLEST;
    }

    private Database open() {
        return validated.open(directory, options(), null);
    }

    private static byte[] body(long seed) {
        byte[] bytes = new byte[BODY_BYTES_MAX];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Record fill(Record row, int id, byte[] body, int length) {
        row.clear();
        row.setInt(ID, id);
        row.setBytes(BODY, body, 0, length);
        return row;
    }

    private static void requireBody(Database database, int id, byte[] expected) {
        Table table = database.table("large");
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            assertEquals(NodeLayout.VALUE_BYTES_MAX, row.valueLength());
            assertTrue(Arrays.equals(expected, row.getBytes(BODY)), () -> "id=" + id);
        });
    }

    @Test
    void comesThroughInsertUpdateRollbackAndCrash() {
        byte[] first = body(1);
        byte[] second = body(2);
        try (Database database = open()) {
            Table table = database.createTable(TableDefinition.named("large")
                    .column("id", ColumnType.int32())
                    .column("body", ColumnType.binary(NodeLayout.VALUE_BYTES_MAX))
                    .primaryKey("id")
                    .build());
            Record row = table.newRecord();
            database.run(transaction -> transaction.insert(table, fill(row, 1, first, first.length)));
            requireBody(database, 1, first);
        }
        try (Database database = open()) {
            requireBody(database, 1, first);
            Table table = database.table("large");
            Record row = table.newRecord();
            rollBack(database, transaction -> {
                assertTrue(transaction.update(table, fill(row, 1, second, second.length)));
                transaction.insert(table, fill(row, 2, second, second.length));
            });
            requireBody(database, 1, first);
            database.run(transaction -> assertTrue(transaction.update(table, fill(row, 1, second, second.length))));
            requireBody(database, 1, second);
        }
        crash(first);
        try (Database database = open()) {
            requireBody(database, 1, second);
            requireBody(database, 4, first);
            Table table = database.table("large");
            database.run(transaction -> {
                Record row = table.newRecord();
                assertFalse(transaction.fetch(table, table.newKey().add(3), row));
                assertTrue(transaction.delete(table, table.newKey().add(1)));
            });
        }
    }

    private static void rollBack(Database database, TransactionWork.WithoutResult<RuntimeException> work) {
        IllegalStateException reason = new IllegalStateException("rolled back by intention");
        assertEquals(
                reason,
                assertThrows(
                        IllegalStateException.class,
                        () -> database.run(transaction -> {
                            work.accept(transaction);
                            throw reason;
                        })));
    }

    /** Leaves a committed insert, and an insert and a delete that nobody has committed. */
    private void crash(byte[] body) {
        Database database = open();
        Table table = database.table("large");
        Record row = table.newRecord();
        Transaction lost = database.openSession().begin();
        lost.insert(table, fill(row, 3, body, body.length));
        assertTrue(lost.delete(table, table.newKey().add(1)));
        database.run(transaction -> transaction.insert(table, fill(row, 4, body, body.length)));
        database.abandon();
    }

    @Test
    void oneByteMoreIsRefused() {
        try (Database database = open()) {
            Table table = database.createTable(TableDefinition.named("large")
                    .column("id", ColumnType.int32())
                    .column("body", ColumnType.binary(NodeLayout.VALUE_BYTES_MAX))
                    .primaryKey("id")
                    .build());
            Record row = table.newRecord();
            byte[] body = new byte[BODY_BYTES_MAX + 1];
            database.run(transaction -> transaction.insert(table, fill(row, 1, body, 10)));
            int pagesBefore = ValidatedDatabase.examine(database).pages();
            database.run(transaction -> {
                RecordTooLargeException refused = assertThrows(
                        RecordTooLargeException.class,
                        () -> transaction.insert(table, fill(row, 2, body, body.length)));
                assertTrue(refused.getMessage().contains("=" + (NodeLayout.VALUE_BYTES_MAX + 1)), refused::toString);
                assertThrows(
                        RecordTooLargeException.class,
                        () -> transaction.update(table, fill(row, 1, body, body.length)));
                assertTrue(transaction.fetch(table, table.newKey().add(1), row));
                assertEquals(10, row.getBytes(BODY).length);
            });
            assertEquals(pagesBefore, ValidatedDatabase.examine(database).pages());
        }
    }
}
