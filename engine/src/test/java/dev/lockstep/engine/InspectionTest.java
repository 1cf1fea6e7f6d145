package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Inspection.CatalogEntry;
import dev.lockstep.engine.Inspection.LogEnd;
import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.Inspection.Overview;
import dev.lockstep.engine.Inspection.PageGroup;
import dev.lockstep.engine.Inspection.PageView;
import dev.lockstep.engine.Inspection.TreeView;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What an inspection shows is what is there, also of a database that does not open. */
class InspectionTest {
    private static final int ROWS = 2_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Path home;

    @BeforeEach
    void nameTheDirectory() {
        home = scratch.resolve("db");
    }

    private Database fill() {
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, id, "owner " + id, id);
            }
        });
        database.run(transaction ->
                assertTrue(transaction.delete(table, table.newKey().add(7))));
        return database;
    }

    private void poke(int pageId, int offset, int value) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            file.seek(PageLayout.fileOffset(pageId) + offset);
            file.write(value);
        }
    }

    private Map<String, Long> bytes() throws IOException {
        Map<String, Long> sums = new HashMap<>();
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : files.toList()) {
                CRC32C sum = new CRC32C();
                sum.update(Files.readAllBytes(file));
                sums.put(file.getFileName().toString(), sum.getValue());
            }
        }
        return sums;
    }

    @Test
    void aWholeDatabase() throws IOException {
        validated.close(fill());
        Map<String, Long> before = bytes();
        VerificationReport verified = Database.verify(home);
        try (Inspection inspection = Database.inspect(home)) {
            Overview overview = inspection.overview();
            assertTrue(overview.closedInOrder());
            assertEquals(List.of(), overview.problems());
            assertEquals(0, overview.damagedPageCount());
            assertEquals(verified.pages(), overview.pages());
            assertEquals(
                    verified.pages() - 1,
                    overview.groups().stream().mapToInt(PageGroup::count).sum());
            assertEquals(verified.pagesInUse() + 1, overview.checkpoint().pagesInUse(), "page 0 counts as in use");
            CatalogEntry account = overview.catalog().getFirst();
            assertEquals("account", account.name());
            assertEquals(List.of("id"), account.key());
            TreeView tree = inspection.tree("account");
            assertEquals(ROWS - 1, tree.records());
            assertEquals(tree.treeId(), account.treeId());
            assertEquals(tree, inspection.tree(Integer.toString(account.treeId())));
            assertEquals(List.of(), tree.lostRanges());
            assertTrue(tree.levels().size() == 2 && tree.levels().getFirst().nodes() == 1, tree::toString);
            assertEquals(1, inspection.tree("catalog").records());
            assertThrows(SchemaException.class, () -> inspection.tree("nowhere"));
            assertThrows(ValueOutOfRangeException.class, () -> inspection.page(0));
            PageView root = inspection.page(account.rootPageId());
            assertTrue(root.isSound()
                    && root.kind().equals("inner node")
                    && root.tree().equals("account"));
            PageView leaf = inspection.page(root.slots().getFirst().child());
            assertEquals("(0)", leaf.slots().getFirst().key());
            assertEquals("", leaf.lowerFence());
            assertEquals("", leaf.brokenRule());
            assertThrows(DatabaseInUseException.class, () -> Database.open(home));
        }
        assertEquals(before, bytes(), "nothing is changed");
        assertThrows(MissingFileException.class, () -> Database.inspect(scratch.resolve("nowhere")));
    }

    /** Names of tables may be anything: also that of the catalog, of another's index, or the number of a tree. */
    @Test
    void tablesComeBeforeAllElse() {
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        for (String name : List.of("a", "a.b", "catalog", "1")) {
            database.createTable(TableDefinition.named(name)
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .index("b", "id")
                    .build());
        }
        validated.close(database);
        try (Inspection inspection = Database.inspect(home)) {
            Map<String, Integer> treeIds = inspection.overview().catalog().stream()
                    .filter(entry -> entry.state().isEmpty())
                    .collect(Collectors.toMap(CatalogEntry::name, CatalogEntry::treeId));
            treeIds.forEach(
                    (name, treeId) -> assertEquals(treeId, inspection.tree(name).treeId(), name));
            assertEquals("catalog", inspection.page(1).tree());
            assertEquals("a.b.b", inspection.tree("a.b.b").name());
        }
    }

    @Test
    void aClosedOneIsOfNoUse() {
        validated.close(fill());
        Inspection inspection = Database.inspect(home);
        inspection.close();
        inspection.close();
        assertThrows(DatabaseClosedException.class, inspection::overview);
        assertThrows(DatabaseClosedException.class, () -> inspection.page(1));
        assertThrows(DatabaseClosedException.class, () -> inspection.tree("account"));
        assertThrows(DatabaseClosedException.class, () -> inspection.log(0, 1, entry -> {}));
    }

    @Test
    void theLogInOrder() {
        Database database = fill();
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), ROWS, "last", 1));
        database.abandon();
        try (Inspection inspection = Database.inspect(home)) {
            List<LogEntry> entries = new ArrayList<>();
            LogEnd end = inspection.log(0, Long.MAX_VALUE, entries::add);
            assertEquals("", end.problem());
            assertEquals(end.records(), entries.size());
            long last = 0;
            for (LogEntry entry : entries) {
                assertTrue(entry.lsn() > last && entry.recordBytes() >= entry.bodyBytes(), entry::toString);
                last = entry.lsn();
            }
            LogEntry commit = entries.getLast();
            LogEntry insert = entries.stream()
                    .filter(entry ->
                            entry.key().equals("(" + ROWS + ")") && entry.tree().equals("account"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(entries.subList(entries.size() - 5, entries.size())));
            assertEquals("insert", insert.type());
            assertEquals("commit", commit.type());
            assertEquals(insert.transactionId(), commit.transactionId());
            assertEquals(1, insert.pages().size());
            List<LogEntry> three = new ArrayList<>();
            LogEnd part = inspection.log(insert.lsn() - 8, 3, three::add);
            assertTrue(part.records() <= 3 && three.contains(insert), three::toString);
            SchemaException unwanted = new SchemaException("not wanted");
            assertSame(
                    unwanted,
                    assertThrows(
                            SchemaException.class,
                            () -> inspection.log(0, Long.MAX_VALUE, entry -> {
                                throw unwanted;
                            })));
            assertFalse(inspection.overview().closedInOrder());
            assertEquals(2, inspection.overview().catalog().size());
        }
    }

    @Test
    void aDatabaseThatDoesNotOpen() throws IOException {
        validated.close(fill());
        int rootPageId;
        int leafPageId;
        try (Inspection inspection = Database.inspect(home)) {
            rootPageId = inspection.tree("account").rootPageId();
            leafPageId = inspection.page(rootPageId).slots().get(3).child();
        }
        poke(leafPageId, 4_000, 0x5a);
        try (Inspection inspection = Database.inspect(home)) {
            Overview overview = inspection.overview();
            assertEquals(1, overview.damagedPageCount());
            assertEquals(leafPageId, overview.damagedPages().getFirst().pageId());
            TreeView tree = inspection.tree("account");
            assertEquals(1, tree.lostRanges().size());
            assertEquals(leafPageId, tree.lostRanges().getFirst().pageId());
            assertTrue(tree.records() < ROWS - 1 && tree.records() > ROWS / 2, tree::toString);
            assertFalse(inspection.page(leafPageId).isSound());
            assertEquals("the file ends before it", inspection.page(1_000_000).state());
        }
        Files.delete(home.resolve("checkpoint.lockstep"));
        poke(0, 20, 0xff);
        assertThrows(LockstepException.class, () -> Database.open(home));
        try (Inspection inspection = Database.inspect(home)) {
            Overview overview = inspection.overview();
            assertNull(overview.checkpoint());
            assertEquals(2, overview.catalog().size(), "the catalog itself is whole");
            assertTrue(
                    overview.files().stream().anyMatch(file -> !file.problem().isEmpty()), overview::toString);
            assertTrue(overview.problems().size() >= 2, overview::toString);
        }
        poke(1, 100, 0xff);
        try (Inspection inspection = Database.inspect(home)) {
            assertEquals(2, inspection.overview().catalog().size(), "its page was among the last that were written");
        }
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        try (Inspection inspection = Database.inspect(home)) {
            assertEquals(List.of(), inspection.overview().catalog());
            PageView leaf = inspection.page(rootPageId);
            assertEquals("", leaf.tree());
            assertTrue(leaf.slots().getFirst().key().startsWith("0x"), "keys of unknown columns");
            assertNotNull(inspection.overview().groups());
        }
    }
}
