package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What transactions leave behind in the trees goes when they end, or stays without harm. */
class LeftoversTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 1_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static void insert(Transaction transaction, Table table, int from, int to) {
        Record row = table.newRecord();
        for (int id = from; id < to; id++) {
            DatabaseTest.put(transaction, table, row, id, "name" + id, id);
        }
    }

    /** Nobody may ever come by where a load that failed has put its rows. */
    @Test
    void aLoadThatIsRolledBackLeavesNoGhosts() {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            insert(transaction, table, 0, ROWS);
            transaction.rollback();
        }
        assertEquals(0, database.validate().ghosts());
    }

    @Test
    void aSavepointThatIsRolledBackLeavesNoGhosts() {
        Database database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            insert(transaction, table, 0, 10);
            Savepoint savepoint = transaction.savepoint();
            insert(transaction, table, 10, ROWS);
            transaction.rollbackTo(savepoint);
        });
        assertEquals(0, database.validate().ghosts());
        assertEquals(10, DatabaseTest.ids(database, null).size());
    }

    /** A leaf that is drained is merged with its neighbour if that can be read; nothing depends on it. */
    @Test
    void aNeighbourThatIsDamagedFailsNothing() {
        FaultyStorage storage = new FaultyStorage(1);
        Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync());
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(600), id);
            }
        });
        int pageCount = database.validate().pages();
        database.close();
        // Not examined, since most of it cannot be read.
        Database again = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync());
        Table opened = again.table("account");
        Key key = opened.newKey();
        // Reads all that the other deletes need but the neighbours of their leaf.
        again.run(
                transaction -> assertTrue(transaction.delete(opened, key.reset().add(0))));
        Path pages = HOME.resolve(PageFile.PAGES_FILE);
        for (int pageId = 1; pageId <= pageCount; pageId++) {
            storage.corrupt(pages, PageLayout.fileOffset(pageId) + PageLayout.PAGE_BYTES / 2, 1);
        }
        // Less than a quarter of the leaf is left.
        for (int id = 1; id < 11; id++) {
            int row = id;
            again.run(transaction ->
                    assertTrue(transaction.delete(opened, key.reset().add(row))));
            assertFalse(again.instance().health().isFailed(), "row=" + row);
        }
        assertThrows(CorruptionException.class, () -> DatabaseTest.ids(again, null));
        again.close();
    }

    /** Pages that cannot be given back stay in use until the next open finds that nothing leads to them. */
    @Test
    void aLargeValueThatCannotBeFreedIsFoundByTheNextOpen() {
        FaultyStorage storage = new FaultyStorage(1);
        Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync());
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            DatabaseTest.put(transaction, table, row, 0, "x".repeat(50_000), 0);
            for (int id = 1; id < 3 * ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(600), id);
            }
        });
        database.checkpoint();
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(0), row));
            row.setString(1, "short");
            assertTrue(transaction.update(table, row));
            for (int id = 1; id < 3 * ROWS; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            }
            storage.failReads("pages", 1);
            transaction.commit();
            assertTrue(storage.failedReadCount() > 0, "nothing was read");
            storage.heal();
        }
        assertFalse(database.instance().health().isFailed());
        int pagesBefore = database.validate().pages();
        database.close();
        Database again =
                validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync()));
        assertEquals(pagesBefore, again.validate().pages());
        assertEquals(pagesBefore, again.instance().environment().allocator().allocatedCount());
    }
}
