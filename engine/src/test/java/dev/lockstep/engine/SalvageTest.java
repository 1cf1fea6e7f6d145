package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.SalvageReport.SavedTable;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is saved from a damaged database was committed once, what lay in pages that are whole is all there, and the
 * result is a sound database. The model keeps, for each row, every state that a commit has given it.
 */
class SalvageTest {
    private static final String TABLE = "kept";
    private static final int IDS = 1_500;

    /** Goes to three overflow pages. */
    private static final int LONG_VALUE = 20_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Path home;
    private Path saved;
    private DamagedFiles files;

    /** The rows now, and every value that each row had after some commit. */
    private final TreeMap<Integer, String> rows = new TreeMap<>();

    private final Map<Integer, Set<String>> committedOnce = new HashMap<>();

    /** Values of transactions that never committed. */
    private final Set<String> neverCommitted = new HashSet<>();

    @BeforeEach
    void nameTheDirectories() {
        home = scratch.resolve("db");
        saved = scratch.resolve("saved");
        files = new DamagedFiles(home);
    }

    /** How a database ends before it is damaged. */
    enum End {
        CLOSED,
        CRASHED
    }

    private void fill(long seed, End end) {
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("number", ColumnType.int64())
                .column("payload", ColumnType.string(2 * LONG_VALUE))
                .primaryKey("id")
                .index("by_number", "number", "id")
                .uniqueIndex("unique_number", "number")
                .build());
        Random random = new Random(seed);
        for (int i = 0; i < 400; i++) {
            transact(database, random);
            if (i == 250) {
                database.checkpoint();
            }
        }
        if (end == End.CLOSED) {
            validated.close(database);
            return;
        }
        leaveOneOpen(database, random);
        database.abandon();
    }

    private void transact(Database database, Random random) {
        TreeMap<Integer, String> next = new TreeMap<>(rows);
        Table table = database.table(TABLE);
        boolean commits = random.nextInt(10) > 0;
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            for (int change = 0; change < 12; change++) {
                change(transaction, table, next, random);
            }
            if (commits) {
                transaction.commit();
                note(next);
            } else {
                transaction.rollback();
                neverCommitted.addAll(next.values());
                neverCommitted.removeAll(rows.values());
            }
        }
    }

    /** A transaction that has changed rows, and whose changes are on disk, when the machine stops. */
    private void leaveOneOpen(Database database, Random random) {
        TreeMap<Integer, String> next = new TreeMap<>(rows);
        Table table = database.table(TABLE);
        Session session = database.openSession();
        Transaction transaction = session.begin();
        for (int change = 0; change < 40; change++) {
            change(transaction, table, next, random);
        }
        neverCommitted.addAll(next.values());
        neverCommitted.removeAll(rows.values());
        database.checkpoint();
    }

    private void note(Map<Integer, String> next) {
        next.forEach((id, value) ->
                committedOnce.computeIfAbsent(id, ignored -> new HashSet<>()).add(value));
        rows.clear();
        rows.putAll(next);
    }

    private static void change(Transaction transaction, Table table, Map<Integer, String> next, Random random) {
        int id = random.nextInt(IDS);
        Record row = table.newRecord();
        if (next.containsKey(id) && random.nextInt(4) == 0) {
            assertTrue(transaction.delete(table, table.newKey().add(id)));
            next.remove(id);
            return;
        }
        int length = random.nextInt(12) == 0 ? LONG_VALUE - random.nextInt(5_000) : random.nextInt(400);
        // Different for each change, so that a state tells which commit it is of.
        String value = random.nextLong() + " "
                + Character.toString('a' + random.nextInt(26)).repeat(length);
        boolean exists = next.put(id, value) != null;
        if (exists) {
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
        } else {
            row.setInt(0, id);
        }
        row.setLong(1, id * 7L);
        row.setString(2, value);
        if (exists) {
            transaction.update(table, row);
        } else {
            transaction.insert(table, row);
        }
    }

    private Map<Integer, String> read(Path directory) {
        Map<Integer, String> found = new TreeMap<>();
        Database database = validated.open(directory, ValidatedDatabase.SMALLEST, null);
        if (database.tableNames().contains(TABLE)) {
            database.run(transaction -> {
                Table table = database.table(TABLE);
                Record row = table.newRecord();
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(row)) {
                        assertEquals(row.getInt(0) * 7L, row.getLong(1));
                        found.put(row.getInt(0), row.getString(2));
                    }
                }
            });
        }
        validated.close(database);
        return found;
    }

    private SalvageReport salvage(String what) throws IOException {
        Map<Path, Long> before = sums();
        SalvageReport report = Database.salvage(home, saved, ProgressListener.NONE);
        assertEquals(before, sums(), what + ": the source is only read");
        assertEquals(List.of(), Database.verify(saved).findings(), what);
        Map<Integer, String> found = read(saved);
        assertEquals(report.rows(), found.size(), what);
        boolean mayBeUncommitted = report.log().isNeeded() && !report.log().isComplete();
        for (Map.Entry<Integer, String> row : found.entrySet()) {
            boolean wasCommitted =
                    committedOnce.getOrDefault(row.getKey(), Set.of()).contains(row.getValue());
            boolean isExcused = mayBeUncommitted && neverCommitted.contains(row.getValue());
            assertTrue(wasCommitted || isExcused, what + ": row " + row.getKey() + " was never committed: " + report);
        }
        if (report.isComplete()) {
            assertEquals(rows, found, what + ": " + report);
        }
        return report;
    }

    private Map<Path, Long> sums() throws IOException {
        Map<Path, Long> sums = new HashMap<>();
        try (var listed = Files.list(home)) {
            for (Path file : listed.toList()) {
                CRC32C sum = new CRC32C();
                sum.update(Files.readAllBytes(file));
                sums.put(file, sum.getValue());
            }
        }
        return sums;
    }

    private SavedTable only(SalvageReport report) {
        assertEquals(1, report.tables().size(), report::toString);
        return report.tables().getFirst();
    }

    @ParameterizedTest
    @EnumSource
    void aWholeDatabaseIsSavedWhole(End end) throws IOException {
        fill(1, end);
        SalvageReport report = salvage("end=" + end);
        assertTrue(report.isComplete(), report::toString);
        assertEquals(end == End.CRASHED, report.log().isNeeded());
        assertEquals(end == End.CRASHED ? 1 : 0, report.log().rolledBackTransactions());
        assertEquals(0, report.damagedPages(), report::toString);
        assertThrows(TargetNotEmptyException.class, () -> Database.salvage(home, saved, ProgressListener.NONE));
        assertThrows(
                MissingFileException.class,
                () -> Database.salvage(scratch.resolve("nowhere"), scratch.resolve("other"), ProgressListener.NONE));
        assertFalse(Files.exists(scratch.resolve("other")), "bad input changes nothing");
        assertEquals(rows, read(home));
    }

    /** Nothing leads to the leaves any more, and all of them are there. */
    @Test
    void aDamagedRootLosesNoRow() throws IOException {
        fill(2, End.CLOSED);
        files.deleteCopiesAndLog();
        int rootPageId;
        try (Inspection inspection = Database.inspect(home)) {
            rootPageId = inspection.tree(TABLE).rootPageId();
        }
        files.flip(rootPageId, 4_000);
        assertThrows(LockstepException.class, () -> read(home));
        SalvageReport report = salvage("root");
        SavedTable table = only(report);
        assertEquals(rows.size(), table.rows(), report::toString);
        assertEquals(rows.size(), table.rowsFoundByScan());
        assertEquals(0, table.rangesLost(), report::toString);
        assertEquals(1, report.damagedPages());
    }

    /** The rows of one leaf are missing, and those alone. */
    @Test
    void aDamagedLeafLosesItsOwnRows() throws IOException {
        fill(3, End.CLOSED);
        files.deleteCopiesAndLog();
        Set<Integer> lost = new TreeSet<>();
        int leafPageId;
        try (Inspection inspection = Database.inspect(home)) {
            leafPageId = inspection
                    .page(inspection.tree(TABLE).rootPageId())
                    .slots()
                    .get(4)
                    .child();
            for (Inspection.Slot slot : inspection.page(leafPageId).slots()) {
                lost.add(Integer.parseInt(slot.key().substring(1, slot.key().length() - 1)));
            }
        }
        files.flip(leafPageId, 5_000);
        SalvageReport report = salvage("leaf");
        SavedTable table = only(report);
        assertEquals(1, table.rangesLost(), report::toString);
        assertEquals(1, table.pagesLost());
        TreeMap<Integer, String> expected = new TreeMap<>(rows);
        lost.forEach(expected::remove);
        assertEquals(expected, read(saved), report::toString);
        assertFalse(report.isComplete());
        assertTrue(table.losses().stream().anyMatch(loss -> loss.contains("rows from (")), table::toString);
    }

    /** Without the catalog nobody knows the columns: said, with how much it is. */
    @Test
    void aDamagedCatalog() throws IOException {
        fill(4, End.CLOSED);
        files.deleteCopiesAndLog();
        files.flip(1, 4_000);
        files.flip(1, 100);
        SalvageReport report = salvage("catalog");
        assertFalse(report.catalogComplete());
        assertEquals(List.of(), report.tables());
        assertEquals(0, report.rows());
        assertTrue(
                report.unknownTrees().stream().anyMatch(tree -> tree.records() >= rows.size() && tree.leafPages() > 10),
                report::toString);
    }

    /** The database id comes from another file, and everything is there. */
    @Test
    void aDamagedHeaderOfTheFile() throws IOException {
        fill(5, End.CRASHED);
        files.flip(0, 20);
        SalvageReport report = salvage("header");
        assertEquals(rows, read(saved));
        assertEquals(1, report.problems().size(), report::toString);
    }

    @Test
    void aFileThatWasCutOff() throws IOException {
        fill(6, End.CLOSED);
        files.deleteCopiesAndLog();
        int kept = files.pageCount() * 2 / 3;
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            file.setLength(PageLayout.fileOffset(kept) + 1_000);
        }
        SalvageReport report = salvage("cut off");
        SavedTable table = only(report);
        assertTrue(table.rows() > 0 && table.rows() < rows.size(), report::toString);
        assertTrue(table.rangesLost() > 0 || table.rowsLost() > 0, report::toString);
    }

    /** What the log alone has is lost with it, and the report says that it may be. */
    @Test
    void aLogThatIsLostAfterACrash() throws IOException {
        fill(7, End.CRASHED);
        files.deleteLog();
        SalvageReport report = salvage("log");
        assertFalse(report.log().isComplete());
        assertFalse(report.log().problem().isEmpty());
        assertTrue(only(report).rows() > rows.size() / 2, report::toString);
    }

    @Test
    void aCheckpointThatIsLostAfterACrash() throws IOException {
        fill(8, End.CRASHED);
        Files.delete(home.resolve("checkpoint.lockstep"));
        SalvageReport report = salvage("checkpoint");
        assertTrue(report.log().isComplete(), report::toString);
        assertEquals(1, report.log().rolledBackTransactions());
        assertEquals(rows, read(saved), report::toString);
    }

    /** A page that the medium did not write holds an earlier state, which is better than nothing. */
    @Test
    void anOldCopyOfALeaf() throws IOException {
        fill(9, End.CLOSED);
        byte[] before = Files.readAllBytes(home.resolve(PageFile.PAGES_FILE));
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        Random random = new Random(9);
        for (int i = 0; i < 20; i++) {
            transact(database, random);
        }
        validated.close(database);
        files.deleteCopiesAndLog();
        int outdated = 0;
        for (int pageId = 5; pageId < files.pageCount() && outdated == 0; pageId++) {
            int offset = Math.toIntExact(PageLayout.fileOffset(pageId));
            if (offset < before.length && before[offset + PageLayout.TYPE_OFFSET] == PageLayout.TYPE_NODE) {
                byte[] old = Arrays.copyOfRange(before, offset, offset + PageLayout.PAGE_BYTES);
                if (!Arrays.equals(old, files.page(pageId)) && isLeafOfTheTable(pageId)) {
                    files.writePage(pageId, old);
                    outdated = pageId;
                }
            }
        }
        assertTrue(outdated > 0);
        SalvageReport report = salvage("old copy of page " + outdated);
        assertTrue(only(report).rowsPerhapsOld() > 0, report::toString);
        assertFalse(report.isComplete());
    }

    private boolean isLeafOfTheTable(int pageId) {
        try (Inspection inspection = Database.inspect(home)) {
            Inspection.PageView page = inspection.page(pageId);
            return page.kind().equals("leaf") && page.tree().equals(TABLE);
        }
    }

    /** Changes the rows of a part of all ids: gives them other values, or deletes them. */
    private void changeAll(Database database, int fromId, int toId, boolean deletes) {
        Table table = database.table(TABLE);
        Record row = table.newRecord();
        TreeMap<Integer, String> next = new TreeMap<>(rows);
        for (int first = fromId; first < toId; first += 50) {
            int from = first;
            int to = Math.min(toId, first + 50);
            database.run(transaction -> {
                for (int id = from; id < to; id++) {
                    boolean exists = next.remove(id) != null;
                    if (deletes) {
                        assertEquals(
                                exists, transaction.delete(table, table.newKey().add(id)));
                        continue;
                    }
                    String value = "second " + id + " " + "x".repeat(id % 11 == 0 ? LONG_VALUE : 600);
                    next.put(id, value);
                    row.setInt(0, id);
                    row.setLong(1, id * 7L);
                    row.setString(2, value);
                    if (exists) {
                        transaction.update(table, row);
                    } else {
                        transaction.insert(table, row);
                    }
                }
            });
        }
        note(next);
    }

    /** The leaves of the table, with the ids of the first and the last row that each has. */
    private Map<Integer, int[]> leaves() throws IOException {
        Map<Integer, int[]> leaves = new TreeMap<>();
        int count = files.pageCount();
        try (Inspection inspection = Database.inspect(home)) {
            for (int pageId = 1; pageId < count; pageId++) {
                Inspection.PageView page = inspection.page(pageId);
                List<Integer> ids = page.slots().stream()
                        .filter(slot -> !slot.isGhost())
                        .map(slot -> slot.key().substring(1, slot.key().length() - 1))
                        .filter(key -> page.kind().equals("leaf") && page.tree().equals(TABLE))
                        .map(Integer::parseInt)
                        .toList();
                if (!ids.isEmpty()) {
                    leaves.put(pageId, new int[] {ids.getFirst(), ids.getLast()});
                }
            }
        }
        return leaves;
    }

    private int rootPageId() {
        try (Inspection inspection = Database.inspect(home)) {
            return inspection.tree(TABLE).rootPageId();
        }
    }

    /** Each key comes from the newest leaf that covers it, though older ones cover more. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void anOldCopyGivesOnlyWhatNothingNewerCovers(long seed) throws IOException {
        fill(seed, End.CLOSED);
        byte[] before = Files.readAllBytes(home.resolve(PageFile.PAGES_FILE));
        Map<Integer, int[]> leavesBefore = leaves();
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        changeAll(database, 0, IDS, false);
        validated.close(database);
        files.deleteCopiesAndLog();
        Files.delete(home.resolve("checkpoint.lockstep"));
        Map<Integer, int[]> leavesNow = leaves();
        Set<Integer> perhapsOld = new TreeSet<>();
        for (Map.Entry<Integer, int[]> old : leavesBefore.entrySet()) {
            int[] now = leavesNow.get(old.getKey());
            if (now != null && now[0] == old.getValue()[0] && now[1] < old.getValue()[1]) {
                int offset = Math.toIntExact(PageLayout.fileOffset(old.getKey()));
                files.writePage(old.getKey(), Arrays.copyOfRange(before, offset, offset + PageLayout.PAGE_BYTES));
                for (int id = now[0]; id <= now[1]; id++) {
                    perhapsOld.add(id);
                }
            }
        }
        assertTrue(perhapsOld.size() > 20, perhapsOld::toString);
        files.flip(rootPageId(), 4_000);
        SalvageReport report = salvage("seed=" + seed);
        Map<Integer, String> found = read(saved);
        for (int id = 0; id < IDS; id++) {
            if (!perhapsOld.contains(id)) {
                assertEquals(rows.get(id), found.get(id), "seed=" + seed + " id=" + id + ": " + report);
            }
        }
        assertEquals(found.size(), only(report).rowsPerhapsOld(), "nobody knows which pages are in use");
    }

    /** What the checkpoint knows to be free gives no rows; where nobody knows, they are perhaps old. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPageThatWasGivenUp(boolean hasCheckpoint) throws IOException {
        fill(24, End.CLOSED);
        byte[] before = Files.readAllBytes(home.resolve(PageFile.PAGES_FILE));
        Map<Integer, int[]> leavesBefore = leaves();
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        changeAll(database, 300, 1_200, true);
        validated.close(database);
        files.deleteCopiesAndLog();
        Map<Integer, int[]> leavesNow = leaves();
        int givenUp = 0;
        for (int pageId : leavesBefore.keySet()) {
            String kind;
            try (Inspection inspection = Database.inspect(home)) {
                kind = inspection.page(pageId).kind();
            }
            if (!kind.equals("leaf")) {
                int offset = Math.toIntExact(PageLayout.fileOffset(pageId));
                files.writePage(pageId, Arrays.copyOfRange(before, offset, offset + PageLayout.PAGE_BYTES));
                givenUp++;
            }
        }
        assertTrue(givenUp > 10, "givenUp=" + givenUp);
        for (int pageId : leavesNow.keySet()) {
            files.flip(pageId, 5_000);
        }
        if (!hasCheckpoint) {
            Files.delete(home.resolve("checkpoint.lockstep"));
        }
        SavedTable table = only(salvage("hasCheckpoint=" + hasCheckpoint));
        assertEquals(hasCheckpoint, table.rows() == 0, table::toString);
        assertEquals(table.rows(), table.rowsPerhapsOld(), table::toString);
    }

    /** The checkpoint does not know of them yet, and calls them free. */
    @Test
    void leavesThatAreNewerThanTheCheckpoint() throws IOException {
        fill(25, End.CLOSED);
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        changeAll(database, 0, IDS, false);
        database.abandon();
        files.flip(rootPageId(), 4_000);
        SalvageReport report = salvage("newer than the checkpoint");
        assertEquals(rows, read(saved), report::toString);
    }

    /** Then nobody knows who has committed. */
    @Test
    void aLogThatEndsBeforeTheNewestPage() throws IOException {
        fill(26, End.CRASHED);
        Path last;
        try (var listed = Files.list(home)) {
            last = listed.filter(file -> file.getFileName().toString().startsWith("log-"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(last.toFile(), "rw")) {
            file.setLength(8_192);
        }
        SalvageReport report = salvage("cut off log");
        assertTrue(report.log().isNeeded() && !report.log().isComplete(), report::toString);
        assertFalse(report.log().problem().isEmpty(), report::toString);
    }

    /** Any damage to any files: what is saved was committed once, and it is never an exception. */
    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112})
    void randomDamage(long seed) throws IOException {
        fill(seed, seed % 2 == 0 ? End.CLOSED : End.CRASHED);
        Random random = new Random(seed);
        List<String> what = new ArrayList<>(List.of("seed=" + seed));
        int damages = 1 + random.nextInt(12);
        for (int i = 0; i < damages; i++) {
            what.add(damage(random));
        }
        if (random.nextInt(3) == 0) {
            Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
            what.add("no copies");
        }
        if (random.nextInt(3) == 0) {
            files.deleteLog();
            what.add("no log");
        }
        if (random.nextInt(4) == 0) {
            Files.delete(home.resolve("checkpoint.lockstep"));
            what.add("no checkpoint");
        }
        salvage(String.join(", ", what));
    }

    private String damage(Random random) throws IOException {
        int count = files.pageCount();
        int pageId = random.nextInt(count);
        switch (random.nextInt(5)) {
            case 0 -> {
                files.writePage(pageId, new byte[PageLayout.PAGE_BYTES]);
                return "zeroed " + pageId;
            }
            case 1 -> {
                int other = random.nextInt(count);
                byte[] bytes = files.page(pageId);
                files.writePage(pageId, files.page(other));
                files.writePage(other, bytes);
                return "swapped " + pageId + " " + other;
            }
            case 2 -> {
                if (random.nextInt(4) == 0) {
                    try (RandomAccessFile file = new RandomAccessFile(
                            home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
                        file.setLength(PageLayout.fileOffset(count - random.nextInt(count / 4)));
                    }
                    return "cut off";
                }
                return "nothing";
            }
            default -> {
                files.flip(pageId, random.nextInt(PageLayout.PAGE_BYTES));
                return "flipped " + pageId;
            }
        }
    }
}
