package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A row is saved from pages, chains and log records of different times, as far as they belong together. All its values
 * are equally long and say of which row and which version they are, so that parts of two would be noticed.
 */
class SalvageHistoryTest {
    private static final String KEPT = "kept";
    private static final String OTHER = "other";
    /** Stubs of so many rows take more than one leaf. */
    private static final int ROWS = 400;

    private static final int SHORT = 300;

    /** Goes to three overflow pages. */
    private static final int LONG = 40_000;

    /** Never committed. */
    private static final int OPEN_VERSION = 9;

    private static final DatabaseOptions OPTIONS = ValidatedDatabase.SMALLEST.toBuilder()
            .logSegmentBytes(DatabaseOptions.LOG_SEGMENT_BYTES_MIN)
            .build();

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Path home;
    private DamagedFiles files;

    @BeforeEach
    void nameTheDirectory() {
        home = scratch.resolve("db");
        files = new DamagedFiles(home);
    }

    private Database open() {
        return validated.open(home, OPTIONS, null);
    }

    private static void createTable(Database database, String name) {
        database.createTable(TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .column("version", ColumnType.int32())
                .column("payload", ColumnType.string(LONG))
                .primaryKey("id")
                .build());
    }

    private static String payload(int id, int version, int length) {
        String part = String.format(Locale.ROOT, "%04d.%d ", id, version);
        return part.repeat(length / part.length() + 1).substring(0, length);
    }

    private static void put(Transaction transaction, Table table, int id, int version, int length) {
        Record row = table.newRecord();
        boolean isThere = transaction.fetchForUpdate(table, table.newKey().add(id), row);
        row.clear();
        row.setInt(0, id);
        row.setInt(1, version);
        row.setString(2, payload(id, version, length));
        if (isThere) {
            assertTrue(transaction.update(table, row));
        } else {
            transaction.insert(table, row);
        }
    }

    private static void putAll(Database database, String name, int rows, int version, int length) {
        putAll(database, name, IntStream.range(0, rows).boxed().toList(), version, length);
    }

    private static void putAll(Database database, String name, Iterable<Integer> ids, int version, int length) {
        Table table = database.table(name);
        for (int id : ids) {
            database.run(transaction -> put(transaction, table, id, version, length));
        }
    }

    private static void deleteAll(Database database, String name, Iterable<Integer> ids) {
        Table table = database.table(name);
        for (int id : ids) {
            database.run(transaction ->
                    assertTrue(transaction.delete(table, table.newKey().add(id))));
        }
    }

    /** The rows that were saved, each the whole of one version. */
    private Map<Integer, Integer> salvage(int length) {
        Path saved = scratch.resolve("saved");
        Database.salvage(home, saved, ProgressListener.NONE);
        assertEquals(List.of(), Database.verify(saved).findings());
        Map<Integer, Integer> versions = new TreeMap<>();
        Database database = validated.open(saved);
        database.run(transaction -> {
            Table table = database.table(KEPT);
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    int id = row.getInt(0);
                    assertEquals(payload(id, row.getInt(1), length), row.getString(2), () -> "id=" + id);
                    versions.put(id, row.getInt(1));
                }
            }
        });
        validated.close(database);
        return versions;
    }

    private static Map<Integer, Integer> all(int version) {
        Map<Integer, Integer> versions = new TreeMap<>();
        for (int id = 0; id < ROWS; id++) {
            versions.put(id, version);
        }
        return versions;
    }

    /** The pages of a kind that are in use for the table. */
    private Set<Integer> pages(String kind) throws IOException {
        Set<Integer> found = new TreeSet<>();
        int count = files.pageCount();
        try (Inspection inspection = Database.inspect(home)) {
            for (int pageId = 1; pageId < count; pageId++) {
                Inspection.PageView page = inspection.page(pageId);
                if (page.kind().equals(kind) && KEPT.equals(page.tree())) {
                    found.add(pageId);
                }
            }
        }
        return found;
    }

    private Map<Integer, byte[]> leaves() throws IOException {
        Map<Integer, byte[]> leaves = new HashMap<>();
        for (int pageId : pages("leaf")) {
            leaves.put(pageId, files.page(pageId));
        }
        return leaves;
    }

    private void damageRoot() throws IOException {
        int rootPageId;
        try (Inspection inspection = Database.inspect(home)) {
            rootPageId = inspection.tree(KEPT).rootPageId();
        }
        assertFalse(pages("leaf").contains(rootPageId), "the root is a leaf");
        files.flip(rootPageId, 4_000);
    }

    /** A compaction has moved the chains of all rows, their leaves and the root; then the root is damaged. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void chainsThatWereMovedAreWhole(boolean closes) throws IOException {
        Database database = open();
        createTable(database, OTHER);
        putAll(database, OTHER, ROWS + ROWS / 4, 1, LONG);
        createTable(database, KEPT);
        putAll(database, KEPT, ROWS, 1, LONG);
        int before = files.pageCount();
        database.dropTable(OTHER);
        CompactionReport report = database.compact();
        assertTrue(report.pagesMoved() > ROWS, report::toString);
        assertTrue(report.pagesAfter() < before * 2 / 3, report::toString);
        if (closes) {
            validated.close(database);
            files.deleteCopiesAndLog();
        } else {
            database.abandon();
        }
        damageRoot();
        assertEquals(all(1), salvage(LONG));
    }

    /** Leaves of a time before the chains to which they lead were given up and taken for other rows. */
    @Test
    void aChainThatBelongsToAnotherRowByNowIsNotTaken() throws IOException {
        Database database = open();
        createTable(database, KEPT);
        putAll(database, KEPT, ROWS, 1, LONG);
        validated.close(database);
        Map<Integer, byte[]> before = leaves();
        database = open();
        SortedSet<Integer> ids = new TreeSet<>(all(1).keySet());
        deleteAll(database, KEPT, ids);
        putAll(database, KEPT, ids.reversed(), 2, LONG);
        validated.close(database);
        files.deleteCopiesAndLog();
        int restored = 0;
        for (int pageId : leaves().keySet()) {
            if (before.containsKey(pageId)) {
                files.writePage(pageId, before.get(pageId));
                restored++;
            }
        }
        assertTrue(restored > 0);
        Map<Integer, Integer> saved = salvage(LONG);
        assertTrue(saved.size() < ROWS, saved::toString);
    }

    /** The copy of a leaf from before it was split: rows that it has given away may have been deleted since. */
    @Test
    void anOldLeafGivesNothingOfWhatItHasGivenAway() throws IOException {
        Database database = open();
        createTable(database, KEPT);
        putAll(database, KEPT, evenIds(), 1, SHORT);
        validated.close(database);
        int pageId = Collections.min(pages("leaf"));
        byte[] old = files.page(pageId);
        SortedSet<Integer> given = ids(pageId);
        database = open();
        putAll(database, KEPT, all(2).keySet(), 2, SHORT);
        validated.close(database);
        SortedSet<Integer> kept = ids(pageId);
        given.removeIf(id -> id >= kept.first() && id <= kept.last());
        given.removeIf(id -> id % 4 != 0);
        assertFalse(given.isEmpty(), "the leaf was not split");
        database = open();
        deleteAll(database, KEPT, given);
        validated.close(database);
        assertEquals(kept, ids(pageId));
        files.deleteCopiesAndLog();
        files.writePage(pageId, old);
        Map<Integer, Integer> expected = all(2);
        given.forEach(expected::remove);
        for (int id : kept) {
            expected.put(id, 1);
        }
        expected.keySet().removeIf(id -> kept.contains(id) && id % 2 != 0);
        assertEquals(expected, salvage(SHORT));
    }

    private static Set<Integer> evenIds() {
        Set<Integer> ids = new TreeSet<>(all(1).keySet());
        ids.removeIf(id -> id % 2 != 0);
        return ids;
    }

    private SortedSet<Integer> ids(int leafPageId) {
        SortedSet<Integer> ids = new TreeSet<>();
        try (Inspection inspection = Database.inspect(home)) {
            for (Inspection.Slot slot : inspection.page(leafPageId).slots()) {
                ids.add(Integer.parseInt(slot.key().substring(1, slot.key().length() - 1)));
            }
        }
        return ids;
    }

    /** Pages that the last checkpoint knows as free, and that were taken and written since; without the log. */
    @Test
    void aLeafThatWasMadeSinceTheLastCheckpointIsTaken() throws IOException {
        Database database = open();
        createTable(database, KEPT);
        putAll(database, KEPT, 1, 1, SHORT);
        database.checkpoint();
        long checkpoints = database.instance().checkpointerOrNull().completedCount();
        putAll(database, KEPT, ROWS, 1, SHORT);
        database.instance().pool().flushAll(new Waiter());
        assertEquals(checkpoints, database.instance().checkpointerOrNull().completedCount());
        database.abandon();
        files.deleteCopiesAndLog();
        damageRoot();
        assertEquals(all(1), salvage(SHORT));
    }

    /** A leaf from before a change that was never committed: nothing of it has to be taken back there. */
    @Test
    void aChangeThatTheLeafNeverHadIsNotTakenBack() throws IOException {
        Database database = open();
        createTable(database, KEPT);
        createTable(database, OTHER);
        putAll(database, KEPT, ROWS, 1, SHORT);
        validated.close(database);
        Map<Integer, byte[]> before = leaves();
        database = open();
        putAll(database, KEPT, ROWS, 2, SHORT);
        // So much log that what has made the leaves is gone.
        for (int round = 0; round < 3; round++) {
            putAll(database, OTHER, 200, round, LONG);
            database.checkpoint();
        }
        Session session = database.openSession();
        Transaction left = session.begin();
        Table table = database.table(KEPT);
        for (int id = 0; id < ROWS; id++) {
            Record row = table.newRecord();
            assertTrue(left.fetchForUpdate(table, table.newKey().add(id), row));
            row.setInt(1, OPEN_VERSION);
            row.setString(2, "x" + payload(id, 2, SHORT).substring(1));
            assertTrue(left.update(table, row));
        }
        database.checkpoint();
        database.abandon();
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        for (Map.Entry<Integer, byte[]> leaf : before.entrySet()) {
            files.writePage(leaf.getKey(), leaf.getValue());
        }
        assertEquals(all(1), salvage(SHORT));
    }

    /** The log is there from the beginning, and makes every page anew, those too that no recovery would look at. */
    @Test
    void aLogFromTheBeginningBringsPagesBack() throws IOException {
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createTable(database, KEPT);
        putAll(database, KEPT, ROWS, 1, SHORT);
        database.checkpoint();
        database.checkpoint();
        database.abandon();
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        Set<Integer> leaves = pages("leaf");
        assertTrue(leaves.size() > 1, leaves::toString);
        byte[] nothing = new byte[PageLayout.PAGE_BYTES];
        Arrays.fill(nothing, (byte) 7);
        for (int pageId : leaves) {
            files.writePage(pageId, nothing);
        }
        assertEquals(all(1), salvage(SHORT));
    }
}
