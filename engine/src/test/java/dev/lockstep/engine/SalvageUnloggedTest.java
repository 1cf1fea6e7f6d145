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
 * pages; and from one that never had a log.
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

    private static void createTable(Database database) {
        database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("value", ColumnType.string(LONG))
                .primaryKey("id")
                .build());
    }

    private void createWithLog(Map<Integer, String> rows) {
        Database database = open(Durability.SYNC);
        createTable(database);
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

    /** The checkpoint has them as free, and their LSN is below every other. */
    @Test
    void leavesThatAreNewerThanTheCheckpointAreFound() throws IOException {
        Database database = open(Durability.NONE);
        createTable(database);
        database.checkpoint();
        // Four times what the pool holds.
        for (int id = 0; id < 4_000; id++) {
            put(database, id, "x".repeat(1_000));
        }
        database.abandon();
        int rootPageId = rootPageId();
        files.deleteCopiesAndLog();
        files.flip(rootPageId, 5_000);
        Map<Integer, String> rows = salvage();
        SalvageReport.SavedTable table = report.tables().getFirst();
        assertTrue(rows.size() > 2_000, report::toString);
        assertEquals(rows.size(), table.rows());
        assertEquals(rows.size(), table.rowsPerhapsOld(), report::toString);
        assertFalse(report.isComplete(), report::toString);
    }

    /**
     * A leaf that was split without a log, whose own new state was not written, still has the keys of the other one.
     */
    @Test
    void aLeafWithoutAnLsnIsNewerThanOneOfTheTimeBefore() throws IOException {
        String before = "a".repeat(600);
        String after = "b".repeat(1_400);
        Map<Integer, String> rows = new TreeMap<>();
        for (int id = 0; id < 100; id++) {
            rows.put(id, before);
        }
        createWithLog(rows);
        int rootPageId = rootPageId();
        Map<Integer, byte[]> leaves = new TreeMap<>();
        for (int pageId = rootPageId + 1; pageId < files.pageCount(); pageId++) {
            leaves.put(pageId, files.page(pageId));
        }
        Database database = open(Durability.NONE);
        rows.keySet().forEach(id -> put(database, id, after));
        database.checkpoint();
        database.abandon();
        for (Map.Entry<Integer, byte[]> leaf : leaves.entrySet()) {
            files.writePage(leaf.getKey(), leaf.getValue());
        }
        files.deleteCopiesAndLog();
        files.flip(rootPageId, 5_000);
        Map<Integer, String> saved = salvage();
        assertEquals(rows.keySet(), saved.keySet(), report::toString);
        assertTrue(saved.containsValue(after), "no page of the last use was preferred");
        assertTrue(saved.containsValue(before), "no page of the time before was needed");
    }
}
