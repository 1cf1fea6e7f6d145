package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A log that is cut off at any of its records, or right behind one, opens as the state that the transactions before had
 * left, and says where it ended; unless a page on disk is newer, or the log was known to be longer, which is a typed
 * error. With every way to protect pages from being torn: where none has copies, the note of the newest page beside
 * them is not forced, and may be lost in a crash; then the page itself has to tell, when the database is opened or
 * read.
 */
class CutLogTest {
    private static final long SEED = 17;
    private static final String TABLE = "kept";
    private static final int TRANSACTIONS = 16;
    private static final int CHECKPOINT_AFTER = 6;

    /** This one writes its pages, and a crash takes its name from it. */
    private static final int LOST_CHECKPOINT_AFTER = 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private Path home;

    /** The state after each commit, in order. */
    private final List<Map<Integer, Long>> states = new ArrayList<>();

    private void runWorkload(DatabaseOptions options) throws IOException {
        Path checkpoint = home.resolve(CheckpointLayout.FILE_NAME);
        byte[] checkpointBefore = null;
        Database database = validated.open(home, options, null);
        Table table = database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("value", ColumnType.int64())
                .primaryKey("id")
                .build());
        Random random = new Random(SEED);
        TreeMap<Integer, Long> rows = new TreeMap<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                TreeMap<Integer, Long> next = new TreeMap<>(rows);
                for (int change = 0; change < 2; change++) {
                    change(transaction, table, next, random.nextInt(8), random.nextLong());
                }
                if (random.nextInt(6) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    rows = next;
                    states.add(new TreeMap<>(rows));
                }
            }
            if (i == CHECKPOINT_AFTER) {
                database.checkpoint();
                checkpointBefore = Files.readAllBytes(checkpoint);
            } else if (i == LOST_CHECKPOINT_AFTER) {
                database.checkpoint();
            }
        }
        database.abandon();
        Files.write(checkpoint, checkpointBefore);
    }

    /** What is not forced may be lost. */
    private void loseNoteOfNewestPage() throws IOException {
        Path doubleWrite = home.resolve(PageFile.DOUBLE_WRITE_FILE);
        byte[] bytes = Files.readAllBytes(doubleWrite);
        Arrays.fill(
                bytes,
                DoubleWriteLayout.DIRECTORY_POSITION,
                DoubleWriteLayout.DIRECTORY_POSITION + PageLayout.PAGE_BYTES,
                (byte) 0);
        Files.write(doubleWrite, bytes);
    }

    private static void change(Transaction transaction, Table table, Map<Integer, Long> rows, int id, long value) {
        Record row = table.newRecord();
        if (transaction.fetch(table, table.newKey().add(id), row)) {
            if (value % 3 == 0) {
                assertTrue(transaction.delete(table, table.newKey().add(id)));
                rows.remove(id);
                return;
            }
            row.setLong(1, value);
            transaction.update(table, row);
        } else {
            row.setInt(0, id);
            row.setLong(1, value);
            transaction.insert(table, row);
        }
        rows.put(id, value);
    }

    private static Map<Integer, Long> read(Database database) {
        Map<Integer, Long> found = new TreeMap<>();
        database.run(transaction -> {
            Table table = database.table(TABLE);
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    found.put(row.getInt(0), row.getLong(1));
                }
            }
        });
        return found;
    }

    private static Path onlySegment(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            List<Path> segments = files.filter(
                            file -> LogSegmentLayout.startLsn(file).isPresent())
                    .toList();
            assertEquals(1, segments.size(), "the workload fits into one segment");
            return segments.getFirst();
        }
    }

    private Path copyCutAt(long lsn) throws IOException {
        Path copy = Files.createDirectory(scratch.resolve("cut-" + lsn));
        Path segment = onlySegment(home);
        long keptBytes = LogSegmentLayout.HEADER_BYTES
                + lsn
                - LogSegmentLayout.startLsn(segment).orElseThrow();
        try (var files = Files.list(home)) {
            for (Path file : files.toList()) {
                if (!file.equals(segment)) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
        }
        try (FileChannel from = FileChannel.open(segment, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        copy.resolve(segment.getFileName()), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            assertEquals(keptBytes, from.transferTo(0, keptBytes, to));
        }
        return copy;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    @ParameterizedTest
    @EnumSource
    void atEveryRecord(TornPageProtection protection) throws IOException {
        DatabaseOptions options = options(protection);
        home = scratch.resolve("db");
        runWorkload(options);
        cutAtEveryRecord(options);
    }

    @ParameterizedTest
    @EnumSource(names = "DOUBLE_WRITE", mode = EnumSource.Mode.EXCLUDE)
    void atEveryRecordAfterTheNoteWasLost(TornPageProtection protection) throws IOException {
        DatabaseOptions options = options(protection);
        home = scratch.resolve("db");
        runWorkload(options);
        loseNoteOfNewestPage();
        cutAtEveryRecord(options);
    }

    private static DatabaseOptions options(TornPageProtection protection) {
        return ValidatedDatabase.SMALLEST.toBuilder()
                .tornPageProtection(protection)
                .build();
    }

    private void cutAtEveryRecord(DatabaseOptions options) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        long neededLsn;
        try (Inspection inspection = Database.inspect(home)) {
            inspection.log(0, Long.MAX_VALUE, entries::add);
            long pageLsnMax = 0;
            long pages = Files.size(home.resolve(PageFile.PAGES_FILE)) >> PageLayout.PAGE_SHIFT;
            for (int pageId = 1; pageId < pages; pageId++) {
                pageLsnMax = Math.max(pageLsnMax, inspection.page(pageId).lsn());
            }
            long durableLsn = inspection.overview().checkpoint().durableLsn();
            assertTrue(pageLsnMax > durableLsn, "no page is newer than the checkpoint");
            neededLsn = pageLsnMax + 1;
        }
        long commits = entries.stream().filter(CutLogTest::isCommit).count();
        assertTrue(commits >= states.size(), "the creation of the table commits as well");
        int opened = 0;
        int refused = 0;
        for (LogEntry entry : entries) {
            long behind = entry.lsn() + LogRecordLayout.alignedBytes(entry.recordBytes());
            for (long cutLsn : new long[] {entry.lsn(), behind}) {
                if (opensCutAt(options, cutLsn, neededLsn, entries, commits)) {
                    opened++;
                } else {
                    refused++;
                }
            }
        }
        assertTrue(opened > 20 && refused > 20, "opened=" + opened + ", refused=" + refused);
    }

    private static boolean isCommit(LogEntry entry) {
        return entry.type().equals("commit");
    }

    /** Opens, or is refused, as it ought to; returns whether it opened. */
    private boolean opensCutAt(
            DatabaseOptions options, long cutLsn, long neededLsn, List<LogEntry> entries, long commits)
            throws IOException {
        Path copy = copyCutAt(cutLsn);
        try {
            long endLsn;
            try (Inspection inspection = Database.inspect(copy)) {
                endLsn = inspection.log(0, Long.MAX_VALUE, entry -> {}).endLsn();
            }
            assertTrue(endLsn <= cutLsn, () -> "endLsn=" + endLsn + ", cutLsn=" + cutLsn);
            Database database = null;
            Map<Integer, Long> found;
            try {
                database = validated.open(copy, options, null);
                found = read(database);
            } catch (CorruptionException newer) {
                assertTrue(endLsn < neededLsn, () -> "cutLsn=" + cutLsn + ", neededLsn=" + neededLsn + ": " + newer);
                if (database != null) {
                    database.abandon();
                }
                return false;
            }
            assertTrue(endLsn >= neededLsn, "a page is newer: cutLsn=" + cutLsn + ", neededLsn=" + neededLsn);
            DatabaseStatus.RecoveryStatus recovery = database.status().recovery();
            assertTrue(recovery.wasNeeded());
            assertEquals(endLsn, recovery.endLsn(), "cutLsn=" + cutLsn);
            long lost = entries.stream()
                    .filter(entry -> isCommit(entry) && entry.lsn() >= endLsn)
                    .count();
            long kept = states.size() - lost;
            assertTrue(kept > 0 && commits - lost > 0, "cutLsn=" + cutLsn);
            assertEquals(states.get((int) kept - 1), found, "cutLsn=" + cutLsn + ", seed=" + SEED);
            validated.close(database);
            return true;
        } finally {
            delete(copy);
        }
    }

    /** A database that was closed in order had nothing to recover. */
    @Test
    void afterACloseInOrderNothingWasRecovered() {
        home = scratch.resolve("db");
        validated.close(validated.open(home, ValidatedDatabase.SMALLEST, null));
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        assertEquals(
                new DatabaseStatus.RecoveryStatus(false, 0, 0, 0, 0, 0, false),
                database.status().recovery());
    }
}
