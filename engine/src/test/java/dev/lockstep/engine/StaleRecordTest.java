package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Records, cursors and savepoints that outlive what they were made for. */
class StaleRecordTest {
    private static final int ROWS = 600;
    private static final String NAME = "n".repeat(200);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    private void fill() {
        database = validated.inMemory();
        table = DatabaseTest.filled(database, ROWS, NAME);
    }

    private Key id(int id) {
        return table.newKey().add(id);
    }

    private String name(int id) {
        return database.call(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, id(id), row));
            return row.getString(1);
        });
    }

    /** The leaf where a row was read may be merged into another before the row is updated. */
    @Test
    void updatesARowWhoseLeafWasMergedMeanwhile() {
        fill();
        for (int kept = 5; kept < ROWS; kept += 30) {
            int id = kept;
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                Record row = table.newRecord();
                assertTrue(transaction.fetchForUpdate(table, id(id), row));
                database.run(other -> {
                    for (int gone = id - 30; gone < id + 30; gone++) {
                        if (gone % 30 != 5 && gone >= 0) {
                            other.delete(table, id(gone));
                        }
                    }
                });
                row.setString(1, "changed");
                assertTrue(transaction.update(table, row));
                transaction.commit();
            }
            assertEquals("changed", name(id));
        }
    }

    /**
     * The part of a row in overflow pages that lies in the leaf is copied before it is known whether the row stays: if
     * it goes, the record is neither that one nor the row before.
     */
    @Test
    void aRecordIsEmptyWhereTheRowGoesWhileItIsRead() throws InterruptedException {
        fill();
        int large = ROWS;
        database.run(transaction ->
                DatabaseTest.put(transaction, table, table.newRecord(), large, "x".repeat(20_000), large));
        try (Session session = database.openSession()) {
            Transaction deleting = session.begin();
            assertTrue(deleting.fetchExclusive(table, id(large), table.newRecord()));
            Record row = table.newRecord();
            Worker reading = new Worker(() -> database.run(
                    TransactionOptions.of(ValidatedDatabase.USUAL).withIsolation(Isolation.READ_UNCOMMITTED),
                    transaction -> {
                        assertTrue(transaction.fetch(table, id(1), row));
                        assertFalse(transaction.fetch(table, id(large), row));
                        row.setInt(0, large);
                        assertThrows(NullViolationException.class, () -> transaction.insert(table, row));
                    }));
            reading.awaitParkedIn("fetchLarge");
            assertTrue(deleting.delete(table, id(large)));
            deleting.commit();
            reading.join();
            assertNull(reading.failure(), () -> "" + reading.failure());
        }
        assertEquals(ROWS, DatabaseTest.ids(database, "by_amount").size());
    }

    /** A record fetched before another statement changed the row holds old values of indexed columns. */
    @Test
    void keepsIndexesRightWhenAnOldRecordIsWrittenBack() {
        fill();
        database.run(transaction -> {
            Record early = table.newRecord();
            Record late = table.newRecord();
            assertTrue(transaction.fetch(table, id(7), early));
            assertTrue(transaction.fetch(table, id(7), late));
            late.setLong(2, 100_000);
            assertTrue(transaction.update(table, late));
            early.setString(1, "early");
            assertTrue(transaction.update(table, early));
        });
        assertEquals(ROWS, DatabaseTest.ids(database, "by_amount").size());
    }

    @Test
    void keepsIndexesRightWhenAnotherTransactionCameBetweenAtReadCommitted() {
        fill();
        try (Session session = database.openSession()) {
            Transaction transaction =
                    session.begin(database.transactionOptions().withIsolation(Isolation.READ_COMMITTED));
            Record early = table.newRecord();
            assertTrue(transaction.fetch(table, id(7), early));
            database.run(other -> {
                Record late = table.newRecord();
                assertTrue(other.fetchForUpdate(table, id(7), late));
                late.setLong(2, 100_000);
                assertTrue(other.update(table, late));
            });
            early.setString(1, "early");
            assertTrue(transaction.update(table, early));
            transaction.commit();
        }
        assertEquals("early", name(7));
    }

    @Test
    void aSavepointMeansNothingInTheNextTransaction() {
        fill();
        try (Session session = database.openSession()) {
            Transaction first = session.begin();
            Savepoint savepoint = first.savepoint();
            first.commit();
            Transaction second = session.begin();
            Record row = table.newRecord();
            DatabaseTest.put(second, table, row, 10_000, "kept", 1);
            assertThrows(TransactionStateException.class, () -> second.rollbackTo(savepoint));
            second.commit();
        }
        assertEquals("kept", name(10_000));
    }

    @Test
    void aSavepointBehindOneThatWasRolledBackIsRefused() {
        fill();
        database.run(transaction -> {
            Record row = table.newRecord();
            Savepoint outer = transaction.savepoint();
            DatabaseTest.put(transaction, table, row, 10_000, "a", 1);
            Savepoint inner = transaction.savepoint();
            transaction.rollbackTo(outer);
            DatabaseTest.put(transaction, table, row, 10_001, "b", 2);
            DatabaseTest.put(transaction, table, row, 10_002, "c", 3);
            assertThrows(TransactionStateException.class, () -> transaction.rollbackTo(inner));
            transaction.rollbackTo(outer);
            transaction.rollbackTo(outer);
            DatabaseTest.put(transaction, table, row, 10_003, "d", 4);
        });
        assertEquals("d", name(10_003));
        assertEquals(ROWS + 1, DatabaseTest.ids(database, "by_amount").size());
    }

    /** All are kept until the transaction ends: no more than there are changes, whose undo is counted. */
    @Test
    void aSavepointWithoutAChangeSinceTheLastOneIsThatOne() {
        fill();
        database.run(transaction -> {
            Record row = table.newRecord();
            Savepoint outer = transaction.savepoint();
            assertTrue(transaction.fetch(table, id(1), row));
            assertSame(outer, transaction.savepoint());
            DatabaseTest.put(transaction, table, row, 10_000, "a", 1);
            Savepoint inner = transaction.savepoint();
            assertNotSame(outer, inner);
            DatabaseTest.put(transaction, table, row, 10_001, "b", 2);
            transaction.rollbackTo(inner);
            assertSame(inner, transaction.savepoint());
            transaction.rollbackTo(outer);
            assertSame(outer, transaction.savepoint());
            assertThrows(TransactionStateException.class, () -> transaction.rollbackTo(inner));
        });
        assertEquals(ROWS, DatabaseTest.ids(database, "by_amount").size());
    }

    @Test
    void aCursorClosedAfterTheRollbackLeavesTheNextTransactionAlone() {
        fill();
        try (Session session = database.openSession()) {
            Transaction first = session.begin();
            Cursor old = first.scan(table);
            assertTrue(old.next(table.newRecord()));
            first.rollback();
            assertThrows(TransactionStateException.class, () -> old.next(table.newRecord()));
            Transaction second = session.begin();
            assertThrows(TransactionStateException.class, () -> old.next(table.newRecord()));
            old.close();
            Cursor leaked = second.scan(table);
            LeakedHandleException thrown = assertThrows(LeakedHandleException.class, second::commit);
            assertTrue(thrown.getMessage().contains("openCursors=1"), thrown.getMessage());
            leaked.close();
            second.commit();
        }
    }

    @Test
    void aClosedCursorLeavesTheNextOneAlone() {
        fill();
        database.run(transaction -> {
            Record row = table.newRecord();
            Cursor old = transaction.scan(table);
            assertTrue(old.next(row));
            old.close();
            try (Cursor next = transaction.scan(table).from(id(5))) {
                assertThrows(TransactionStateException.class, () -> old.next(row));
                assertThrows(TransactionStateException.class, () -> old.from(id(7)));
                old.close();
                assertTrue(next.next(row));
                assertEquals(5, row.getInt(0));
            }
        });
    }

    @Test
    void aScanThatCannotBeginLeavesNoCursorOpen() {
        fill();
        database.createTable(TableDefinition.named("gone")
                .column("id", dev.lockstep.engine.type.ColumnType.int32())
                .primaryKey("id")
                .build());
        Table gone = database.table("gone");
        database.dropTable("gone");
        database.run(transaction -> {
            assertThrows(SchemaException.class, () -> transaction.scan(gone));
            assertThrows(SchemaException.class, () -> transaction.scan(table, "no_such_index"));
        });
    }
}
