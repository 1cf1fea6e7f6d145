package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is saved from a database that was used with a log, then without one: the log is still there, and older than the
 * pages.
 */
class SalvageUnloggedTest {
    private static final String TABLE = "kept";

    /** Goes to overflow pages. */
    private static final int LONG = 40_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Path home;
    private DamagedFiles files;
    private SalvageReport report;

    @BeforeEach
    void nameTheDirectory() {
        home = scratch.resolve("db");
        files = new DamagedFiles(home);
    }

    private Database open(Durability durability) {
        return validated.open(
                home,
                ValidatedDatabase.SMALLEST.toBuilder().durability(durability).build(),
                null);
    }

    private static void put(Database database, int id, String value) {
        Table table = database.table(TABLE);
        database.run(transaction -> {
            Record row = table.newRecord();
            boolean isThere = transaction.fetchForUpdate(table, table.newKey().add(id), row);
            row.clear();
            row.setInt(0, id);
            row.setString(1, value);
            if (isThere) {
                assertTrue(transaction.update(table, row));
            } else {
                transaction.insert(table, row);
            }
        });
    }

    private void createWithLog(Map<Integer, String> rows) {
        Database database = open(Durability.SYNC);
        database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("value", ColumnType.string(LONG))
                .primaryKey("id")
                .build());
        rows.forEach((id, value) -> put(database, id, value));
        validated.close(database);
    }

    private void changeWithoutLog(int id, String value) {
        Database database = open(Durability.NONE);
        put(database, id, value);
        validated.close(database);
    }

    private Map<Integer, String> salvage() {
        Path saved = scratch.resolve("saved");
        report = Database.salvage(home, saved, ProgressListener.NONE);
        Map<Integer, String> rows = new TreeMap<>();
        Database database = validated.open(saved);
        database.run(transaction -> {
            Table table = database.table(TABLE);
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    rows.put(row.getInt(0), row.getString(1));
                }
            }
        });
        validated.close(database);
        return rows;
    }

    private int rootPageId() {
        try (Inspection inspection = Database.inspect(home)) {
            return inspection.tree(TABLE).rootPageId();
        }
    }

    @Test
    void theLogDoesNotBringBackWhatWasThereBefore() {
        createWithLog(Map.of(1, "a", 2, "a"));
        changeWithoutLog(1, "b");
        assertEquals(Map.of(1, "b", 2, "a"), salvage());
        assertTrue(report.isComplete(), report::toString);
    }

    /** The log from the last use on is needed, what lies before it is not. */
    @Test
    void aLogThatWasWrittenAfterwardsIsRepeated() {
        createWithLog(Map.of(1, "a", 2, "a"));
        changeWithoutLog(1, "b");
        Database database = open(Durability.SYNC);
        put(database, 2, "c");
        database.abandon();
        assertEquals(Map.of(1, "b", 2, "c"), salvage());
        assertTrue(report.isComplete(), report::toString);
    }

    /** Where the checkpoint is lost, nobody knows which part of the log is older than the pages. */
    @Test
    void withoutTheCheckpointTheLogIsNotTrusted() throws IOException {
        createWithLog(Map.of(1, "a", 2, "a"));
        changeWithoutLog(1, "b");
        Database database = open(Durability.SYNC);
        put(database, 2, "c");
        database.abandon();
        Files.delete(home.resolve("checkpoint.lockstep"));
        assertEquals("b", salvage().get(1));
        assertFalse(report.isComplete(), report::toString);
    }

    @Test
    void chainsOfTheTimeBeforeAreRead() throws IOException {
        String large = "x".repeat(LONG);
        createWithLog(Map.of(1, large, 2, "a"));
        changeWithoutLog(2, "b");
        files.deleteCopiesAndLog();
        assertEquals(Map.of(1, large, 2, "b"), salvage());
        assertEquals(0, report.tables().getFirst().rowsLost(), report::toString);
        assertTrue(report.isComplete(), report::toString);
    }

    /** What the log makes of a page that is lost lacks what was changed without it. */
    @Test
    void aPageThatIsLostIsNotTakenForWhole() throws IOException {
        createWithLog(Map.of(1, "a", 2, "a"));
        // Pages without an LSN tell of it: those of a large value.
        changeWithoutLog(1, "b".repeat(LONG));
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        files.flip(rootPageId(), 5_000);
        assertEquals(Map.of(1, "a", 2, "a"), salvage());
        assertEquals(2, report.tables().getFirst().rowsPerhapsOld(), report::toString);
        assertFalse(report.isComplete(), report::toString);
    }

    /** No log has what was not written, and the one that is there is older than the pages. */
    @Test
    void aCrashWithoutALogIsTold() {
        createWithLog(Map.of(1, "a", 2, "a"));
        Database database = open(Durability.NONE);
        put(database, 1, "b");
        database.checkpoint();
        database.abandon();
        assertEquals(Map.of(1, "b", 2, "a"), salvage());
        assertTrue(report.log().isNeeded());
        assertFalse(report.log().isComplete(), report::toString);
        assertTrue(report.log().problem().contains("without a log"), report::toString);
    }
}
