package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyColumn;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/** Every mistake of an application has its own exception, with name=value pairs and the remedy, and changes nothing. */
class StatementErrorsTest {
    private static final Pattern NAME_AND_VALUE = Pattern.compile(": \\w+=");
    private static final int ID = 0;
    private static final int CODE = 1;
    private static final int GROUP = 2;
    private static final int TEXT = 3;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    @BeforeEach
    void create() {
        database = validated.inMemory();
        table = database.createTable(TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .column("code", ColumnType.int32())
                .nullable("group", ColumnType.int16())
                .nullable("text", ColumnType.string(8_000_000))
                .primaryKey("id")
                .index("by_group", "group")
                .uniqueIndex("by_code", "code")
                .index("by_text", "text")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 1; id <= 3; id++) {
                transaction.insert(table, row(row, id, id * 10, 1, "text" + id));
            }
        });
    }

    private static Record row(Record row, int id, int code, int group, String text) {
        row.clear();
        row.setInt(ID, id);
        row.setInt(CODE, code);
        row.setInt(GROUP, group);
        row.setString(TEXT, text);
        return row;
    }

    private List<String> contents(Transaction transaction) {
        List<String> rows = new ArrayList<>();
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                rows.add(row.toString());
            }
        }
        return rows;
    }

    /** The statement fails as expected, nothing has changed, and the transaction goes on. */
    private <E extends LockstepException> void refuses(Class<E> type, TransactionWork.WithoutResult<Exception> bad)
            throws Exception {
        database.run(transaction -> {
            List<String> before = contents(transaction);
            E thrown = assertThrows(type, () -> bad.accept(transaction));
            requireForm(thrown);
            assertEquals(before, contents(transaction));
            Record row = table.newRecord();
            transaction.insert(table, row(row, 100, 1_000, 2, "added"));
            assertTrue(transaction.delete(table, table.newKey().add(100)));
        });
        ValidatedDatabase.examine(database);
    }

    private static void requireForm(RuntimeException thrown) {
        String message = thrown.getMessage();
        assertTrue(NAME_AND_VALUE.matcher(message).find(), message);
        assertTrue(message.contains("Remedy: "), message);
    }

    private static <E extends RuntimeException> void requireThrown(Class<E> type, Executable bad) {
        requireForm(assertThrows(type, bad));
    }

    @Test
    void aRecordOrKeyThatIsNone() throws Exception {
        refuses(SchemaException.class, transaction -> transaction.insert(table, (Record) null));
        refuses(SchemaException.class, transaction -> transaction.update(table, (Record) null));
        refuses(SchemaException.class, transaction -> transaction.delete(table, (Record) null));
        refuses(SchemaException.class, transaction -> transaction.delete(table, (Key) null));
        refuses(SchemaException.class, transaction -> transaction.fetch(table, null, table.newRecord()));
        refuses(
                SchemaException.class,
                transaction -> transaction.fetch(table, table.newKey().add(1), null));
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                cursor.next((Record) null);
            }
        });
    }

    @Test
    void aBatchOrRangesThatAreNone() throws Exception {
        RowBatch none = null;
        RangeBatch noRanges = null;
        refuses(SchemaException.class, transaction -> transaction.insert(table, none));
        refuses(SchemaException.class, transaction -> transaction.update(table, none));
        refuses(SchemaException.class, transaction -> transaction.delete(table, none));
        refuses(SchemaException.class, transaction -> transaction.fetch(table, none));
        refuses(SchemaException.class, transaction -> transaction.fetchForUpdate(table, none));
        refuses(SchemaException.class, transaction -> transaction.fetchExclusive(table, none));
        refuses(SchemaException.class, transaction -> transaction.fetch(table, noRanges));
        refuses(SchemaException.class, transaction -> transaction.fetchForUpdate(table, noRanges));
        refuses(SchemaException.class, transaction -> transaction.fetch(null));
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                cursor.next(none);
            }
        });
    }

    @Test
    void aTableThatIsNone() throws Exception {
        Record row = row(table.newRecord(), 50, 500, 1, "x");
        refuses(SchemaException.class, transaction -> transaction.lockShared(null));
        refuses(SchemaException.class, transaction -> transaction.fetch(null, table.newKey(), row));
        refuses(SchemaException.class, transaction -> transaction.insert(null, row));
        refuses(SchemaException.class, transaction -> transaction.update(null, table.newBatch(1)));
        refuses(SchemaException.class, transaction -> transaction.scan(null));
        refuses(SchemaException.class, transaction -> transaction.scan(null, "by_code"));
        refuses(SchemaException.class, transaction -> transaction.scan(table, null));
    }

    @Test
    void aBoundOrKeysThatAreNone() throws Exception {
        for (Consumer<Cursor> bad : List.<Consumer<Cursor>>of(
                cursor -> cursor.from(null),
                cursor -> cursor.after(null),
                cursor -> cursor.to(null),
                cursor -> cursor.before(null),
                cursor -> cursor.within(null),
                cursor -> cursor.nextKey(null),
                cursor -> cursor.nextKeys(null))) {
            refuses(SchemaException.class, transaction -> {
                try (Cursor cursor = transaction.scan(table, "by_code")) {
                    bad.accept(cursor);
                }
            });
        }
    }

    @Test
    void aSavepointAnAnswerOrOptionsThatAreNone() throws Exception {
        refuses(TransactionStateException.class, transaction -> transaction.rollbackTo(null));
        refuses(TransactionStateException.class, transaction -> transaction.commit(null));
        requireThrown(InvalidOptionException.class, () -> database.run(null, transaction -> {}));
        try (Session session = database.openSession()) {
            requireThrown(InvalidOptionException.class, () -> session.begin(null));
            session.begin().commit();
        }
    }

    @Test
    void aRecordTooLarge() throws Exception {
        String large = "\u20AC".repeat(6_000_000);
        refuses(
                RecordTooLargeException.class,
                transaction -> transaction.insert(table, row(table.newRecord(), 50, 500, 1, large)));
        refuses(
                RecordTooLargeException.class,
                transaction -> transaction.update(table, row(table.newRecord(), 1, 10, 1, large)));
    }

    /** The row itself would fit, but the entry of an index does not: what the statement did before is undone. */
    @Test
    void anIndexKeyTooLarge() throws Exception {
        String large = "x".repeat(2_000);
        refuses(
                RecordTooLargeException.class,
                transaction -> transaction.insert(table, row(table.newRecord(), 50, 500, 1, large)));
        refuses(RecordTooLargeException.class, transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(2), row));
            row.setInt(CODE, 77);
            row.setString(TEXT, large);
            transaction.update(table, row);
        });
    }

    @Test
    void duplicateKeys() throws Exception {
        refuses(
                DuplicateKeyException.class,
                transaction -> transaction.insert(table, row(table.newRecord(), 1, 500, 1, "x")));
        refuses(
                DuplicateKeyException.class,
                transaction -> transaction.insert(table, row(table.newRecord(), 50, 20, 5, "x")));
        refuses(DuplicateKeyException.class, transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(1), row));
            row.setInt(GROUP, 9);
            row.setInt(CODE, 30);
            row.setString(TEXT, "changed");
            transaction.update(table, row);
        });
        refuses(
                DuplicateKeyException.class,
                transaction -> transaction.update(table, row(table.newRecord(), 1, 30, 9, "blind")));
    }

    @Test
    void nullsAndRanges() throws Exception {
        refuses(NullViolationException.class, transaction -> {
            Record row = table.newRecord();
            row.setInt(ID, 50);
            transaction.insert(table, row);
        });
        refuses(NullViolationException.class, transaction -> table.newRecord().setNull(CODE));
        refuses(ValueOutOfRangeException.class, transaction -> table.newRecord().setInt(GROUP, 40_000));
        refuses(ValueOutOfRangeException.class, transaction -> table.newRecord().setLong(ID, 1L << 40));
    }

    @Test
    void keysThatNameNoRow() throws Exception {
        Table other = database.createTable(TableDefinition.named("other")
                .column("a", ColumnType.int32())
                .column("b", ColumnType.int32())
                .primaryKey("a", "b")
                .build());
        Key prefix = other.newKey().add(1);
        Record row = other.newRecord();
        refuses(SchemaException.class, transaction -> transaction.fetch(other, prefix, row));
        refuses(SchemaException.class, transaction -> transaction.fetchForUpdate(other, prefix, row));
        refuses(SchemaException.class, transaction -> transaction.delete(other, prefix));
        refuses(SchemaException.class, transaction -> transaction.fetch(table, table.newKey(), table.newRecord()));
        refuses(
                SchemaException.class,
                transaction -> transaction.fetch(table, other.newKey().add(1).add(2), table.newRecord()));
        refuses(SchemaException.class, transaction -> transaction.insert(table, row));
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                cursor.from(other.newKey().add(1));
            }
        });
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table, "by_code")) {
                cursor.from(table.newKey().add(1));
            }
        });
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                cursor.nextKey(table.newKey());
            }
        });
        for (Key foreign : List.of(other.newKey().add(1), table.newIndexKey("by_text"))) {
            refuses(SchemaException.class, transaction -> {
                try (Cursor cursor = transaction.scan(table, "by_code")) {
                    cursor.nextKey(foreign);
                }
            });
        }
        refuses(SchemaException.class, transaction -> transaction.scan(table, "no_such_index"));
    }

    @Test
    void recordsOfAnotherTable() throws Exception {
        Table other = database.createTable(TableDefinition.named("wide")
                .column("a", ColumnType.int32())
                .column("b", ColumnType.int64())
                .column("c", ColumnType.int64())
                .primaryKey("a")
                .build());
        Record row = other.newRecord();
        Key key = table.newKey().add(1);
        refuses(SchemaException.class, transaction -> transaction.fetch(table, key, row));
        refuses(SchemaException.class, transaction -> transaction.fetchForUpdate(table, key, row));
        refuses(SchemaException.class, transaction -> transaction.insert(table, row));
        refuses(SchemaException.class, transaction -> transaction.update(table, row));
        refuses(SchemaException.class, transaction -> transaction.delete(table, row));
        refuses(SchemaException.class, transaction -> {
            try (Cursor cursor = transaction.scan(table)) {
                cursor.next(row);
            }
        });
    }

    @Test
    void aPrimaryKeyCannotBeUpdated() throws Exception {
        refuses(TransactionStateException.class, transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(1), row));
            row.setInt(ID, 9);
            transaction.update(table, row);
        });
    }

    /** Of columns of every way to lie in a key. */
    @Test
    void aPrimaryKeyMayBeSetToTheValueItHas() throws Exception {
        Table other = database.createTable(TableDefinition.named("other")
                .column("number", ColumnType.int64())
                .column("text", ColumnType.string(20))
                .column("bytes", ColumnType.binary(20))
                .column("real", ColumnType.float64())
                .column("decimal", ColumnType.decimal(30, 2))
                .column("small", ColumnType.int16())
                .column("amount", ColumnType.int32())
                .primaryKey(
                        KeyColumn.ascending("number"),
                        KeyColumn.descending("text"),
                        KeyColumn.ascending("bytes"),
                        KeyColumn.descending("real"),
                        KeyColumn.descending("decimal"),
                        KeyColumn.ascending("small"))
                .build());
        Object[] key = {-7L, "a\u0000\u20AC", new byte[] {0, 1, -1}, -0.5, new BigDecimal("-12.50"), (short) -3};
        Object[] changes = {7L, "b", new byte[] {0, 1}, 0.5, new BigDecimal("12.50"), (short) 3};
        Record row = other.newRecord();
        setAll(row, key);
        row.setInt(6, 1);
        Key whole = other.newKey();
        database.run(transaction -> {
            transaction.insert(other, row);
            whole.copyFrom(row);
            for (int column = 0; column < key.length; column++) {
                assertTrue(transaction.fetchForUpdate(other, whole, row));
                setAll(row, key);
                row.setInt(6, 10 + column);
                assertTrue(transaction.update(other, row));
                assertTrue(transaction.fetch(other, whole, row));
                assertEquals(10 + column, row.getInt(6));
                row.setObject(column, changes[column]);
                assertThrows(TransactionStateException.class, () -> transaction.update(other, row));
                assertThrows(TransactionStateException.class, () -> transaction.delete(other, row));
            }
            assertTrue(transaction.fetch(other, whole, row));
            setAll(row, key);
            assertTrue(transaction.delete(other, row));
        });
    }

    private static void setAll(Record row, Object[] values) {
        for (int column = 0; column < values.length; column++) {
            row.setObject(column, values[column]);
        }
    }

    /** What was read in a snapshot has no place in a page, and stands for its row all the same. */
    @Test
    void thePrimaryKeyOfARowFromASnapshotCannotBeChanged() throws Exception {
        Record fetched = table.newRecord();
        Record scanned = table.newRecord();
        Record copied = table.newRecord();
        database.run(database.transactionOptions().readOnlySnapshot(), transaction -> {
            assertTrue(transaction.fetch(table, table.newKey().add(1), fetched));
            try (Cursor cursor = transaction.scan(table)) {
                assertTrue(cursor.next(scanned));
            }
            copied.copyFrom(fetched);
        });
        for (Record row : List.of(fetched, scanned, copied)) {
            row.setInt(ID, 2);
            row.setInt(CODE, 99);
            refuses(TransactionStateException.class, transaction -> transaction.update(table, row));
            refuses(TransactionStateException.class, transaction -> transaction.delete(table, row));
        }
        // Emptied, it stands for no row.
        database.run(transaction -> {
            assertTrue(transaction.update(table, row(fetched, 2, 20, 7, "filled")));
            assertTrue(transaction.delete(table, fetched));
        });
    }

    /** A column that was not set reads as zero or empty, and there may be a row of that key. */
    @Test
    void aRecordWithoutAKeyNamesNoRow() throws Exception {
        Table pairs = database.createTable(TableDefinition.named("pair")
                .column("amount", ColumnType.int32())
                .column("text", ColumnType.string(10))
                .column("id", ColumnType.int32())
                .primaryKey("id", "text")
                .build());
        Record row = pairs.newRecord();
        row.setInt(0, 5);
        row.setString(1, "");
        row.setInt(2, 0);
        database.run(transaction -> transaction.insert(pairs, row));
        for (int set = -1; set < 2; set++) {
            row.clear();
            RowBatch batch = pairs.newBatch(2);
            Record added = batch.addRow();
            if (set == 0) {
                row.setString(1, "");
                added.setString(1, "");
            } else if (set == 1) {
                row.setInt(2, 0);
                added.setInt(2, 0);
            }
            refuses(NullViolationException.class, transaction -> transaction.delete(pairs, row));
            refuses(NullViolationException.class, transaction -> transaction.delete(pairs, batch));
            refuses(
                    NullViolationException.class,
                    transaction -> pairs.newKey().add(7).add("kept").copyFrom(row));
        }
        database.run(transaction -> {
            row.clear();
            assertTrue(transaction.fetch(pairs, pairs.newKey().add(0).add(""), row));
            row.clear();
            row.setInt(2, 0);
            row.setString(1, "");
            assertTrue(transaction.fetch(pairs, pairs.newKey().copyFrom(row), pairs.newRecord()));
            assertTrue(transaction.delete(pairs, row));
        });
    }

    /** Which rows of it there are is said by statements that succeed. */
    @Test
    void aBatchThatIsNotChangedIsLeftAsItWas() throws Exception {
        RowBatch batch = table.newBatch(4);
        row(batch.addRow(), 9, 90, 1, "missing");
        batch.addKey().add(1);
        row(batch.addRow(), 2, 30, 1, "duplicate of row 3");
        refuses(DuplicateKeyException.class, transaction -> transaction.update(table, batch));
        assertTrue(batch.found(0));
        assertFalse(batch.found(1));
        assertTrue(batch.found(2));
        try (Session holding = database.openSession()) {
            assertTrue(holding.begin().fetchExclusive(table, table.newKey().add(2), table.newRecord()));
            TransactionOptions impatient = database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
            assertThrows(
                    LockTimeoutException.class,
                    () -> database.run(impatient, transaction -> transaction.delete(table, batch)));
            holding.transaction().rollback();
        }
        assertTrue(batch.found(0));
        assertFalse(batch.found(1));
        assertTrue(batch.found(2));
        assertEquals(1, (int) database.call(transaction -> transaction.delete(table, batch)));
        assertFalse(batch.found(0));
    }

    @Test
    void aTableOfAnotherDatabase() throws Exception {
        Database another = validated.inMemory();
        Table foreign = another.createTable(table.definition());
        refuses(
                SchemaException.class,
                transaction -> transaction.insert(foreign, row(foreign.newRecord(), 50, 500, 1, "x")));
        refuses(SchemaException.class, transaction -> transaction.scan(foreign));
    }

    @Test
    void droppedTablesAndIndexes() {
        database.createTable(TableDefinition.named("gone")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        Table gone = database.table("gone");
        Record row = gone.newRecord();
        Key key = gone.newKey().add(1);
        database.dropTable("gone");
        requireThrown(SchemaException.class, () -> database.table("gone"));
        requireThrown(SchemaException.class, () -> database.dropTable("gone"));
        requireThrown(SchemaException.class, () -> database.dropIndex("thing", "gone"));
        requireThrown(SchemaException.class, () -> database.createIndex(IndexDefinition.of("x", "gone", "id")));
        requireThrown(SchemaException.class, () -> database.createTable(table.definition()));
        database.run(transaction -> {
            requireThrown(SchemaException.class, () -> transaction.fetch(gone, key, row));
            requireThrown(SchemaException.class, () -> transaction.insert(gone, row));
            requireThrown(SchemaException.class, () -> transaction.scan(gone));
        });
    }

    @Test
    void handlesOfAnotherThread() throws Exception {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            Key key = table.newKey().add(1);
            onAnotherThread(() -> {
                requireThrown(WrongThreadException.class, () -> transaction.fetch(table, key, row));
                requireThrown(WrongThreadException.class, () -> transaction.fetch(new FetchGroup()));
                requireThrown(WrongThreadException.class, () -> transaction.insert(table, row));
                requireThrown(WrongThreadException.class, transaction::savepoint);
                requireThrown(WrongThreadException.class, transaction::commit);
                requireThrown(WrongThreadException.class, transaction::rollback);
                requireThrown(WrongThreadException.class, session::close);
            });
            assertTrue(transaction.fetch(table, key, row));
            transaction.commit();
        }
    }

    private static void onAnotherThread(Runnable work) throws Exception {
        FutureTask<Void> task = new FutureTask<>(work, null);
        Thread thread = Thread.ofPlatform().start(task);
        task.get();
        thread.join();
    }

    @Test
    void handlesAfterTheirEnd() {
        Session session = database.openSession();
        Transaction transaction = session.begin();
        requireThrown(TransactionStateException.class, session::begin);
        Cursor cursor = transaction.scan(table);
        Record row = table.newRecord();
        assertTrue(cursor.next(row));
        requireThrown(TransactionStateException.class, cursor::backward);
        cursor.close();
        requireThrown(TransactionStateException.class, () -> cursor.next(row));
        transaction.commit();
        requireThrown(TransactionStateException.class, transaction::commit);
        requireThrown(TransactionStateException.class, () -> transaction.insert(table, row));
        requireThrown(TransactionStateException.class, transaction::savepoint);
        transaction.rollback();
        assertFalse(transaction.isOpen());
        session.close();
        session.close();
        requireThrown(TransactionStateException.class, session::begin);
    }

    @Test
    void leakedHandles() {
        LeakedHandleException leaked = assertThrows(
                LeakedHandleException.class,
                () -> database.run(transaction -> {
                    transaction.insert(table, row(table.newRecord(), 50, 500, 1, "x"));
                    assertTrue(transaction.scan(table).next(table.newRecord()));
                }));
        requireForm(leaked);
        assertEquals(3, database.call(this::contents).size());
        Session session = database.openSession();
        session.begin().insert(table, row(table.newRecord(), 50, 500, 1, "x"));
        requireThrown(TransactionsRunningException.class, database::close);
        requireThrown(LeakedHandleException.class, session::close);
        assertEquals(3, database.call(this::contents).size());
    }

    @Test
    void optionsOutOfRange() {
        TransactionOptions options = database.transactionOptions();
        requireThrown(InvalidOptionException.class, () -> options.withTimeout(Duration.ofSeconds(-1)));
        requireThrown(InvalidOptionException.class, () -> options.withTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
        requireThrown(InvalidOptionException.class, () -> options.withLockTimeout(Duration.ofDays(366)));
        requireThrown(InvalidOptionException.class, () -> options.withRetries(-1));
        requireThrown(InvalidOptionException.class, () -> options.withRetries(1_001));
    }

    @Test
    void capacitiesAndPositionsOfBatches() {
        requireThrown(InvalidOptionException.class, () -> table.newBatch(0));
        requireThrown(InvalidOptionException.class, () -> table.newBatch(-1, ID));
        requireThrown(InvalidOptionException.class, () -> table.newRangeBatch(1, 0));
        requireThrown(InvalidOptionException.class, () -> table.newRangeBatch(2, Integer.MAX_VALUE));
        requireThrown(InvalidOptionException.class, () -> table.newTeamFetch(0));

        RowBatch rows = table.newBatch(1);
        requireThrown(IndexOutOfBoundsException.class, () -> rows.record(0));
        rows.addKey().add(1);
        requireThrown(TransactionStateException.class, rows::addKey);
        requireThrown(TransactionStateException.class, rows::addRow);
        for (int outside : List.of(-1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
            requireThrown(IndexOutOfBoundsException.class, () -> rows.record(outside));
            requireThrown(IndexOutOfBoundsException.class, () -> rows.key(outside));
            requireThrown(IndexOutOfBoundsException.class, () -> rows.found(outside));
        }
        RangeBatch ranges = table.newRangeBatch(1, 1);
        ranges.addRange();
        requireThrown(TransactionStateException.class, ranges::addRange);
        requireThrown(IndexOutOfBoundsException.class, () -> ranges.from(0));
        requireThrown(IndexOutOfBoundsException.class, () -> ranges.to(0));
        Key key = table.newKey();
        requireThrown(IndexOutOfBoundsException.class, () -> key.getInt(0));
        database.run(transaction -> {
            assertEquals(1, transaction.fetch(table, rows));
            assertEquals(10, rows.record(0).getInt(CODE));
            assertEquals(1, transaction.fetch(table, ranges));
            assertEquals(1, ranges.to(0));
            requireThrown(IndexOutOfBoundsException.class, () -> ranges.from(1));
            requireThrown(IndexOutOfBoundsException.class, () -> ranges.to(-1));
            TeamFetch team = table.newTeamFetch(1);
            team.add(transaction, table.newRecord()).add(1);
            requireThrown(TransactionStateException.class, () -> team.add(transaction, table.newRecord()));
            requireThrown(IndexOutOfBoundsException.class, () -> team.found(1));
            requireThrown(IndexOutOfBoundsException.class, () -> team.left(-1));
            requireThrown(IndexOutOfBoundsException.class, () -> team.key(1));
            assertEquals(0, team.fetch());
        });
    }

    @Test
    void useAfterClose() {
        Session session = database.openSession();
        validated.close(database);
        database.close();
        requireThrown(DatabaseClosedException.class, () -> database.run(transaction -> {}));
        requireThrown(DatabaseClosedException.class, session::begin);
        requireThrown(DatabaseClosedException.class, database::validate);
        requireThrown(DatabaseClosedException.class, () -> database.table("thing"));
        requireThrown(DatabaseClosedException.class, database::openSession);
    }

    @Test
    void tooMuchUndo() {
        UndoBuffer undo = new UndoBuffer();
        undo.reserve(1_000);
        requireThrown(TransactionTooLargeException.class, () -> undo.reserve(UndoBuffer.BYTES_MAX + 1));
        assertEquals(0, undo.entryCount());
    }
}
