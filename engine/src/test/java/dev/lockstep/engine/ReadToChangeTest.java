package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a row that is read to be changed lets others do: read it too in one case, nothing in the other. */
class ReadToChangeTest {
    private static final int ROWS = 40;
    private static final int ID = 7;
    private static final int OTHER_ID = 30;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private Database database;
    private Table table;

    /** The ways to read one row to change it. */
    private enum Way {
        FETCH,
        BATCH,
        SCAN,
        INDEX_SCAN
    }

    @BeforeEach
    void fill() {
        database = validated.open(directory, ValidatedDatabase.USUAL, null);
        table = DatabaseTest.filled(database, ROWS, "name");
    }

    private Record read(Way way, Transaction transaction, boolean exclusive) {
        Record row = table.newRecord();
        Key key = table.newKey().add(ID);
        switch (way) {
            case FETCH ->
                assertTrue(
                        exclusive
                                ? transaction.fetchExclusive(table, key, row)
                                : transaction.fetchForUpdate(table, key, row));
            case BATCH -> {
                RowBatch batch = table.newBatch(1);
                batch.addKey().add(ID);
                assertEquals(
                        1,
                        exclusive
                                ? transaction.fetchExclusive(table, batch)
                                : transaction.fetchForUpdate(table, batch));
                return batch.record(0);
            }
            case SCAN -> readFirst(transaction.scan(table).within(key), exclusive, row);
            case INDEX_SCAN ->
                readFirst(
                        transaction
                                .scan(table, "by_amount")
                                .within(table.newIndexKey("by_amount").add(ID)),
                        exclusive,
                        row);
        }
        return row;
    }

    private static void readFirst(Cursor cursor, boolean exclusive, Record row) {
        try (cursor) {
            assertTrue((exclusive ? cursor.exclusive() : cursor.forUpdate()).next(row));
        }
    }

    private void readElsewhere(int id) {
        TransactionOptions impatient = database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
        database.run(
                impatient, other -> assertTrue(other.fetch(table, table.newKey().add(id), table.newRecord())));
    }

    private void rivalElsewhere(Way way, boolean exclusive) {
        TransactionOptions impatient = database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
        assertThrows(LockTimeoutException.class, () -> database.run(impatient, other -> read(way, other, exclusive)));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void forUpdateLetsReadersInAndNoRival(Way way) {
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            read(way, holder, false);
            readElsewhere(ID);
            rivalElsewhere(Way.FETCH, false);
            rivalElsewhere(way, true);
            holder.commit();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void exclusiveLetsNobodyIn(Way way) {
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            Record row = read(way, holder, true);
            assertThrows(LockTimeoutException.class, () -> readElsewhere(ID));
            rivalElsewhere(way, false);
            readElsewhere(OTHER_ID);
            row.setString(DatabaseTest.NAME, "changed");
            holder.update(table, row);
            holder.commit();
        }
        readElsewhere(ID);
        rivalsOneAfterTheOther(way);
    }

    private void rivalsOneAfterTheOther(Way way) {
        database.run(transaction ->
                assertEquals("changed", read(way, transaction, true).getString(DatabaseTest.NAME)));
    }
}
