package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.instance.RangeScan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The limit of a whole transaction where it does not wait for a lock, which {@link IsolationTest} has. */
class TransactionTimeoutTest {
    /** Twice the smallest pool. */
    private static final int ROWS = 3_000;

    private static final String NAME = "x".repeat(600);

    /** Of a transaction whose limit is over, before a look at it. */
    private static final int STATEMENTS_MAX = 16;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    private Path directory;

    /** Over as soon as it begins. */
    private static TransactionOptions over(Database database) {
        return database.transactionOptions().withTimeout(Duration.ZERO);
    }

    private static int rows(Transaction transaction, Table table, int rowsMax) {
        Record row = table.newRecord();
        int rows = 0;
        try (Cursor cursor = transaction.scan(table)) {
            while (rows < rowsMax && cursor.next(row)) {
                rows++;
            }
        }
        return rows;
    }

    private static Stream<Named<UnaryOperator<TransactionOptions>>> kinds() {
        return Stream.of(
                Named.of("locks", UnaryOperator.identity()),
                Named.of("snapshot", TransactionOptions::readOnlySnapshot));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLongScanEnds(UnaryOperator<TransactionOptions> kind) {
        Database database = validated.inMemory();
        Table table = DatabaseTest.filled(database, RangeScan.ROWS_PER_TURN + 1, "name");
        TransactionOptions options = kind.apply(over(database));
        int rows = database.call(options, transaction -> rows(transaction, table, RangeScan.ROWS_PER_TURN));
        assertEquals(RangeScan.ROWS_PER_TURN, rows);
        LockstepException ended = assertThrows(
                TransactionTimeoutException.class,
                () -> database.call(options, transaction -> rows(transaction, table, ROWS)));
        assertTrue(ended.getMessage().contains("the transaction took longer than it may"), ended::getMessage);
        assertTrue(ended.isRetryable());
    }

    @Test
    void aWaitForAPageEndsIt() {
        try (Database database = validated.open(directory, ValidatedDatabase.SMALLEST, null)) {
            DatabaseTest.filled(database, ROWS, NAME);
        }
        Database database = validated.open(directory, ValidatedDatabase.SMALLEST, null);
        Table table = database.table("account");
        Record row = table.newRecord();
        Key key = table.newKey().add(ROWS / 2);
        TransactionOptions over = over(database);
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.call(over, transaction -> transaction.fetch(table, key, row)));
        boolean found = database.call(transaction -> transaction.fetch(table, key, row));
        assertTrue(found);
        found = database.call(over, transaction -> transaction.fetch(table, key, row));
        assertTrue(found, "nothing is waited for");
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
    }

    /** The row is where its leaf is, but its value is not. */
    @Test
    void aWaitForThePagesOfALargeValueEndsIt() {
        String large = "l".repeat(100_000);
        try (Database database = validated.open(directory, ValidatedDatabase.SMALLEST, null)) {
            Table table = DatabaseTest.filled(database, ROWS, NAME);
            database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), ROWS, large, ROWS));
        }
        Database database = validated.open(directory, ValidatedDatabase.SMALLEST, null);
        Table table = database.table("account");
        Record row = table.newRecord();
        TransactionOptions over = over(database);
        boolean found = database.call(
                transaction -> transaction.fetch(table, table.newKey().add(ROWS - 1), row));
        assertTrue(found, "its neighbour, which brings the leaf");
        Key key = table.newKey().add(ROWS);
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.call(over, transaction -> transaction.fetchForUpdate(table, key, row)));
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.call(over.readOnlySnapshot(), transaction -> transaction.fetch(table, key, row)));
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.run(
                        over,
                        transaction -> DatabaseTest.put(transaction, table, table.newRecord(), ROWS + 1, large, 1)));
        found = database.call(transaction -> transaction.fetch(table, key, row));
        assertTrue(found);
        assertEquals(large, row.getString(DatabaseTest.NAME));
        assertEquals(ROWS + 1, DatabaseTest.ids(database, null).size());
    }

    /** No wait, no scan: a loop that fetches rows, which are in memory, would go on for ever. */
    @Test
    void aLoopOfStatementsEnds() {
        Database database = validated.inMemory();
        Table table = DatabaseTest.filled(database, 2, "name");
        Record row = table.newRecord();
        Key key = table.newKey().add(1);
        int[] statements = new int[1];
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.run(over(database), transaction -> {
                    for (statements[0] = 0; statements[0] < 2 * STATEMENTS_MAX; statements[0]++) {
                        assertTrue(transaction.fetch(table, key, row));
                    }
                }));
        assertEquals(STATEMENTS_MAX, statements[0]);
        database.run(over(database), transaction -> {
            for (int i = 0; i < STATEMENTS_MAX; i++) {
                assertTrue(transaction.fetch(table, key, row), "each transaction has as many as the first");
            }
        });
    }

    /** What it has changed is taken back, and its locks are free. */
    @Test
    void whatItChangedIsTakenBack() {
        Database database = validated.inMemory();
        Table table = DatabaseTest.filled(database, RangeScan.ROWS_PER_TURN + 1, "name");
        Record row = table.newRecord();
        assertThrows(
                TransactionTimeoutException.class,
                () -> database.run(over(database), transaction -> {
                    assertTrue(transaction.delete(table, table.newKey().add(1)));
                    DatabaseTest.put(transaction, table, row, ROWS, "lost", 1);
                    rows(transaction, table, ROWS);
                }));
        List<Integer> ids = DatabaseTest.ids(database, null);
        assertEquals(RangeScan.ROWS_PER_TURN + 1, ids.size());
        assertTrue(ids.contains(1));
    }
}
