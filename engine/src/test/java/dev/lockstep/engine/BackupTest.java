package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A backup is a whole state of the database, or nothing that opens. */
class BackupTest {
    private static final long SEED = 7;
    private static final Path HOME = Path.of("/database");
    private static final Path COPY = Path.of("/copy");
    private static final int WRITERS = 3;

    /** Crashes and failures tried, spread evenly over the changes of a backup. */
    private static final int POINTS_MAX = Integer.getInteger("lockstep.backup.points", 24);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private static DatabaseOptions existing() {
        return ValidatedDatabase.SMALLEST.toBuilder().createIfMissing(false).build();
    }

    private static LogOptions smallLog() {
        return LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
    }

    private Database open(FaultyStorage storage, Path directory, DatabaseOptions options) {
        return validated.track(Database.open(storage, directory, options, null, smallLog()));
    }

    /** Backup and compaction tell how far they are, up to the end. */
    @Test
    void progressReachesTheEnd() {
        Path from = scratch.resolve("progress");
        Database database = validated.open(from, ValidatedDatabase.SMALLEST, null);
        BackupWriters some = new BackupWriters(1, 1);
        some.createTables(database);
        some.runEach(database, 60);
        Map<ProgressListener.Stage, Long> ends = new EnumMap<>(ProgressListener.Stage.class);
        ProgressListener listener = (stage, done, total) -> {
            assertTrue(done >= 0 && done <= total, () -> stage + " " + done + " of " + total);
            if (done == total) {
                ends.put(stage, done);
            }
        };
        BackupReport report = database.backup(scratch.resolve("progress-copy"), listener);
        assertEquals(report.pages(), ends.get(ProgressListener.Stage.COPY_PAGES));
        assertEquals(report.logBytes(), ends.get(ProgressListener.Stage.COPY_LOG));
        database.compact(listener);
        assertEquals(2L, ends.get(ProgressListener.Stage.MOVE_PAGES), "both tables");
    }

    /** It would wait for the call that waits for it. */
    @Test
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aListenerCannotClose() {
        // The examination would be refused before the close is.
        Database database =
                validated.unexamined(Database.open(scratch.resolve("listener"), ValidatedDatabase.SMALLEST));
        BackupWriters some = new BackupWriters(1, 1);
        some.createTables(database);
        ProgressListener closing = (stage, done, total) -> database.close();
        assertThrows(
                MaintenanceRefusedException.class, () -> database.backup(scratch.resolve("listener-copy"), closing));
        assertThrows(MaintenanceRefusedException.class, () -> database.compact(closing));
        some.runEach(database, 1);
        validated.close(database);
    }

    @Test
    void aCopyBesideWritersIsAStateBetweenTheirTransactions() {
        Seeds.each(3, seed -> {
            Path home = scratch.resolve("database-" + seed);
            Path copy = scratch.resolve("copy-" + seed);
            Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
            BackupWriters writers = new BackupWriters(seed, WRITERS);
            writers.createTables(database);
            writers.start(database);
            writers.awaitTransactions(40);
            long[] answered = writers.acknowledged();
            BackupReport report = database.backup(copy);
            writers.stop();
            assertTrue(report.pages() > 2 && report.logBytes() > 0, report::toString);
            Database opened = validated.open(copy, existing(), null);
            writers.requireState(opened, answered);
            writers.requireState(database, writers.acknowledged());
            validated.close(opened);
            validated.close(database);
        });
    }

    /** Checkpoints, and more log than is ever kept for reuse, while the pages are being copied. */
    @Test
    void checkpointsMeanwhileDoNotTakeTheLogAway() {
        BackupWriters writers = new BackupWriters(SEED, WRITERS);
        Database[] source = new Database[1];
        DelegatingStorage storage = new DelegatingStorage(DiskStorage.INSTANCE) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                if (mode == OpenMode.CREATE && path.endsWith(Path.of("copy", PageFile.PAGES_FILE))) {
                    for (int i = 0; i < 6; i++) {
                        writers.runEach(source[0], 60);
                        source[0].checkpoint();
                    }
                }
                return super.open(path, mode);
            }
        };
        Database database = validated.track(
                Database.open(storage, scratch.resolve("db"), ValidatedDatabase.SMALLEST, null, smallLog()));
        source[0] = database;
        writers.createTables(database);
        writers.runEach(database, 20);
        Path copy = scratch.resolve("copy");
        long logBytesBefore = database.statistics().logBytes();
        BackupReport report = database.backup(copy);
        assertTrue(
                database.statistics().logBytes() - logBytesBefore > 4L * LogOptions.SEGMENT_BYTES_MIN,
                "the log has outgrown what is kept for reuse");
        assertTrue(report.logBytes() > 4L * LogOptions.SEGMENT_BYTES_MIN, report::toString);
        Database opened = validated.open(copy, existing(), null);
        assertArrayEquals(writers.acknowledged(), writers.requireState(opened, writers.acknowledged()));
        validated.close(opened);
        // And it is given back afterwards.
        database.checkpoint();
        writers.runEach(database, 1);
        validated.close(database);
    }

    @Test
    void theCopyIsIndependent() throws IOException {
        BackupWriters writers = new BackupWriters(SEED, WRITERS);
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        writers.createTables(database);
        writers.runEach(database, 30);
        Path copy = scratch.resolve("copy");
        database.backup(copy);
        long[] copied = writers.acknowledged();
        Database opened = validated.open(copy, existing(), null);
        writers.runEach(database, 30);
        database.checkpoint();
        writers.requireState(database, writers.acknowledged());
        assertArrayEquals(copied, writers.requireState(opened, copied));
        opened.dropTable("kept");
        writers.requireState(database, writers.acknowledged());
        validated.close(opened);
        validated.close(database);
        // A file of the one is not taken for one of the other.
        Files.copy(
                scratch.resolve("db").resolve(PageFile.PAGES_FILE),
                copy.resolve(PageFile.PAGES_FILE),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThrows(UnknownFormatException.class, () -> Database.open(copy, existing()));
    }

    @Test
    void aCopyOfACopyAndOfADatabaseOpenForReading() {
        BackupWriters writers = new BackupWriters(SEED, WRITERS);
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        writers.createTables(database);
        writers.runEach(database, 30);
        database.backup(scratch.resolve("first"));
        validated.close(database);
        Database first = validated.open(scratch.resolve("first"), existing(), null);
        validated.close(first);
        Database reading = validated.open(
                scratch.resolve("first"), existing().toBuilder().readOnly(true).build(), null);
        reading.backup(scratch.resolve("second"));
        validated.close(reading);
        Database second = validated.open(scratch.resolve("second"), existing(), null);
        writers.requireState(second, writers.acknowledged());
        writers.runEach(second, 5);
        validated.close(second);
    }

    @Test
    void refusesWhatCannotBeDone() throws IOException {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        Path taken = scratch.resolve("taken");
        Files.createDirectories(taken);
        Files.writeString(taken.resolve("mine.txt"), "mine");
        assertThrows(TargetNotEmptyException.class, () -> database.backup(taken));
        assertThrows(TargetNotEmptyException.class, () -> database.backup(scratch.resolve("db")));
        try (var files = Files.list(taken)) {
            assertEquals(List.of(taken.resolve("mine.txt")), files.toList(), "nothing was changed");
        }
        Database inMemory = validated.inMemory();
        assertThrows(MaintenanceRefusedException.class, () -> inMemory.backup(scratch.resolve("copy")));
        Database unlogged = validated.open(
                scratch.resolve("unlogged"),
                ValidatedDatabase.SMALLEST.toBuilder()
                        .durability(Durability.NONE)
                        .build(),
                null);
        assertThrows(MaintenanceRefusedException.class, () -> unlogged.backup(scratch.resolve("copy")));
        assertFalse(Files.exists(scratch.resolve("copy")));
    }

    @Test
    void twoAtATimeAreRefused() {
        Database[] source = new Database[1];
        int[] refused = new int[1];
        DelegatingStorage storage = new DelegatingStorage(DiskStorage.INSTANCE) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                if (mode == OpenMode.CREATE && path.endsWith(Path.of("copy", PageFile.PAGES_FILE))) {
                    assertThrows(MaintenanceRefusedException.class, () -> source[0].backup(scratch.resolve("other")));
                    refused[0]++;
                }
                return super.open(path, mode);
            }
        };
        Database database = validated.track(
                Database.open(storage, scratch.resolve("db"), ValidatedDatabase.SMALLEST, null, smallLog()));
        source[0] = database;
        database.backup(scratch.resolve("copy"));
        assertEquals(1, refused[0]);
        database.backup(scratch.resolve("third"));
    }

    /** A machine that stops at any change of the files leaves a copy that is whole, or one that nobody opens. */
    @Test
    void aCrashLeavesAWholeCopyOrNoneThatOpens(TestReporter reporter) {
        long changes = changesOfBackup();
        long stride = Math.max(1, changes / POINTS_MAX);
        int whole = 0;
        int refused = 0;
        for (long at = 1; at <= changes + 5; at += stride) {
            FaultyStorage storage = new FaultyStorage(SEED + at);
            BackupWriters writers = new BackupWriters(SEED, WRITERS);
            Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, smallLog());
            writers.createTables(database);
            writers.runEach(database, 25);
            storage.crashAtChange(at);
            boolean returned = false;
            try {
                database.backup(COPY);
                returned = true;
            } catch (LockstepException e) {
                assertTrue(storage.isCrashed(), e::toString);
            }
            database.abandon();
            storage.crash();
            Database again = open(storage, HOME, existing());
            writers.requireState(again, writers.acknowledged());
            validated.close(again);
            String point = "crash at change " + at;
            if (opens(storage, writers, point)) {
                whole++;
            } else {
                assertFalse(returned, point);
                refused++;
            }
        }
        reporter.publishEntry(Map.of("whole", Integer.toString(whole), "refused", Integer.toString(refused)));
        assertTrue(refused > 0 && whole > 0, "whole=" + whole + " refused=" + refused);
    }

    private boolean opens(FaultyStorage storage, BackupWriters writers, String point) {
        try {
            Database copy = open(storage, COPY, existing());
            assertArrayEquals(writers.acknowledged(), writers.requireState(copy, writers.acknowledged()), point);
            validated.close(copy);
            return true;
        } catch (IncompleteCopyException | MissingFileException e) {
            assertNotEquals("", e.getMessage(), point);
            return false;
        }
    }

    /** About how many changes of the files a backup makes, counted from its beginning. */
    private long changesOfBackup() {
        FaultyStorage storage = new FaultyStorage(SEED);
        BackupWriters writers = new BackupWriters(SEED, WRITERS);
        Database database = open(storage, HOME, ValidatedDatabase.SMALLEST);
        writers.createTables(database);
        writers.runEach(database, 25);
        long from = storage.changeCount();
        database.backup(COPY);
        long to = storage.changeCount();
        validated.close(database);
        assertTrue(to - from > 10, "changes " + from + " to " + to);
        return to - from;
    }

    /**
     * A change of the files that fails leaves nothing of the copy, and the next try succeeds. None of them may fail
     * unnoticed.
     */
    @Test
    void aFailureLeavesNothingAndCanBeRepeated(TestReporter reporter) {
        long changes = changesOfBackup();
        long stride = Math.max(1, changes / POINTS_MAX);
        int failed = 0;
        for (long at = 1; at <= changes; at += stride) {
            FaultyStorage storage = new FaultyStorage(SEED + at);
            BackupWriters writers = new BackupWriters(SEED, WRITERS);
            Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, smallLog());
            writers.createTables(database);
            writers.runEach(database, 25);
            storage.failAtChange(at, false);
            long failsAt = storage.changeCount() + at;
            boolean usable = true;
            try {
                database.backup(COPY);
                assertTrue(storage.changeCount() < failsAt, "nobody was told of the failure at change " + at);
            } catch (LockstepException e) {
                failed++;
                usable = !database.instance().health().isFailed();
                assertTrue(
                        !storage.exists(COPY)
                                || storage.list(COPY).stream().allMatch(file -> file.endsWith(DiskStorage.LOCK_FILE)),
                        () -> "something is left: " + storage.list(COPY));
            }
            storage.heal();
            if (usable && !storage.exists(COPY.resolve(PageFile.PAGES_FILE))) {
                database.backup(COPY);
            }
            database.abandon();
            storage.crash();
            assertEquals(usable, opens(storage, writers, "failure at change " + at));
        }
        reporter.publishEntry(Map.of("failed", Integer.toString(failed)));
        assertTrue(failed > 0);
    }

    /** A database that was filled without a log, and has logged nothing since it has one. */
    @Test
    void aCopyOfADatabaseThatHasLoggedNothingOpens() {
        Path from = scratch.resolve("unlogged");
        DatabaseOptions unlogged = ValidatedDatabase.SMALLEST.toBuilder()
                .durability(Durability.NONE)
                .build();
        Database filled = validated.open(from, unlogged, null);
        DatabaseTest.filled(filled, 100, "name");
        validated.close(filled);
        Database logged = validated.open(from, existing(), null);
        logged.backup(scratch.resolve("copy-of-unlogged"));
        validated.close(logged);
        Database copy = validated.open(scratch.resolve("copy-of-unlogged"), existing(), null);
        assertEquals(100, DatabaseTest.ids(copy, null).size());
    }
}
