package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Space comes back: freed pages are used again, and a compaction gives them back to the file system. */
class CompactionTest {
    private static final long SEED = 11;
    private static final Path HOME = Path.of("/database");
    private static final int WRITERS = 3;
    private static final String CHECKPOINT_FILE = "checkpoint.lockstep";
    private static final String FILLER = "filler";
    private static final int FILLER_ROWS = 3_000;
    private static final int FILLER_KEPT_ONE_IN = 10;
    private static final int POINTS_MAX = Seeds.times(12);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private static LogOptions smallLog() {
        return LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
    }

    private static void createFiller(Database database) {
        database.createTable(TableDefinition.named(FILLER)
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(400))
                .primaryKey("id")
                .index("by_text", "text", "id")
                .build());
    }

    private static void fill(Database database, int from, int to) {
        Table table = database.table(FILLER);
        for (int first = from; first < to; first += 200) {
            int begin = first;
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = begin; id < Math.min(to, begin + 200); id++) {
                    row.setInt(0, id);
                    row.setString(1, text(id));
                    transaction.insert(table, row);
                }
            });
        }
    }

    private static String text(int id) {
        return Integer.toString(id * 7_919 % 100_003).repeat(40);
    }

    private static void deleteAllBut(Database database, int from, int to, int oneIn) {
        Table table = database.table(FILLER);
        for (int first = from; first < to; first += 200) {
            int begin = first;
            database.run(transaction -> {
                for (int id = begin; id < Math.min(to, begin + 200); id++) {
                    if (oneIn == 0 || id % oneIn != 0) {
                        assertTrue(transaction.delete(table, table.newKey().add(id)));
                    }
                }
            });
        }
    }

    private static void requireFiller(Database database, int rows) {
        Table table = database.table(FILLER);
        int found = database.call(transaction -> {
            int count = 0;
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    assertEquals(text(row.getInt(0)), row.getString(1));
                    count++;
                }
            }
            return count;
        });
        assertEquals(rows, found);
    }

    @Test
    void cyclesOfInsertsAndDeletesDoNotGrowTheFile() throws IOException {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createFiller(database);
        long after = 0;
        for (int cycle = 0; cycle < 8; cycle++) {
            int from = cycle * FILLER_ROWS;
            fill(database, from, from + FILLER_ROWS);
            deleteAllBut(database, from, from + FILLER_ROWS, 0);
            database.checkpoint();
            long bytes = Files.size(home.resolve(PageFile.PAGES_FILE));
            if (cycle == 0) {
                after = bytes;
            }
            assertTrue(bytes <= after + after / 10, "cycle " + cycle + " took " + bytes + " bytes, the first " + after);
        }
        requireFiller(database, 0);
        validated.close(database);
    }

    @Test
    void whatWasDeletedIsGivenBack() throws IOException {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createFiller(database);
        fill(database, 0, FILLER_ROWS);
        deleteAllBut(database, 0, FILLER_ROWS, FILLER_KEPT_ONE_IN);
        CompactionReport report = database.compact();
        assertTrue(report.pagesMoved() > 0, report::toString);
        assertTrue(report.pagesAfter() < report.pagesBefore() / 2, report::toString);
        assertEquals(report.pagesInUse(), report.pagesAfter(), report::toString);
        assertFalse(report.heldByTransaction());
        assertEquals(
                (long) report.pagesAfter() << PageLayout.PAGE_SHIFT, Files.size(home.resolve(PageFile.PAGES_FILE)));
        ValidatedDatabase.examine(database);
        requireFiller(database, FILLER_ROWS / FILLER_KEPT_ONE_IN);
        CompactionReport again = database.compact();
        assertEquals(0, again.pagesMoved());
        assertEquals(report.pagesAfter(), again.pagesAfter());
        validated.close(database);
        Database reopened = validated.open(home, ValidatedDatabase.SMALLEST, null);
        requireFiller(reopened, FILLER_ROWS / FILLER_KEPT_ONE_IN);
        fill(reopened, FILLER_ROWS, 2 * FILLER_ROWS);
        validated.close(reopened);
    }

    @Test
    void transactionsGoOnMeanwhile() {
        Seeds.each(2, seed -> {
            Path home = scratch.resolve("db-" + seed);
            Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
            createFiller(database);
            fill(database, 0, FILLER_ROWS / 2);
            BackupWriters writers = new BackupWriters(seed, WRITERS);
            writers.createTables(database);
            writers.runEach(database, 20);
            writers.start(database);
            long moved = 0;
            for (int round = 0; round < 4; round++) {
                int from = round * FILLER_ROWS;
                fill(database, from + FILLER_ROWS / 2, from + FILLER_ROWS);
                deleteAllBut(database, from + FILLER_ROWS / 2, from + FILLER_ROWS, 0);
                moved += database.compact().pagesMoved();
            }
            writers.awaitTransactions(100);
            writers.stop();
            assertTrue(moved > 0, "nothing was moved, seed=" + seed);
            writers.requireState(database, writers.acknowledged());
            requireFiller(database, FILLER_ROWS / 2);
            ValidatedDatabase.examine(database);
            database.abandon();
            Database recovered = validated.open(home, ValidatedDatabase.SMALLEST, null);
            assertArrayEquals(
                    writers.acknowledged(), writers.requireState(recovered, writers.acknowledged()), "seed=" + seed);
            validated.close(recovered);
        });
    }

    @Test
    void tablesAreDroppedAndMadeMeanwhile() throws InterruptedException {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        AtomicInteger compactions = new AtomicInteger();
        Throwable[] failure = new Throwable[1];
        AtomicBoolean done = new AtomicBoolean();
        createFiller(database);
        fill(database, 0, 400);
        Thread schema = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 8 || compactions.get() < 8; i++) {
                    fill(database, 400, 1_000);
                    database.dropTable(FILLER);
                    createFiller(database);
                    fill(database, 0, 400);
                }
            } catch (Throwable t) {
                failure[0] = t;
            } finally {
                done.set(true);
            }
        });
        while (!done.get()) {
            database.compact();
            compactions.incrementAndGet();
        }
        schema.join();
        if (failure[0] != null) {
            throw new AssertionError(failure[0]);
        }
        requireFiller(database, 400);
        ValidatedDatabase.examine(database);
    }

    @Test
    void aRunningTransactionKeepsTheEndOfTheFile() {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createFiller(database);
        try (Session session = database.openSession()) {
            Transaction running = session.begin();
            Table table = database.table(FILLER);
            Record row = table.newRecord();
            row.setInt(0, -1);
            row.setString(1, text(-1));
            running.insert(table, row);
            fill(database, 0, FILLER_ROWS);
            deleteAllBut(database, 0, FILLER_ROWS, FILLER_KEPT_ONE_IN);
            CompactionReport held = database.compact();
            assertTrue(held.heldByTransaction() && held.pagesMoved() > 0, held::toString);
            assertTrue(held.pagesAfter() >= held.pagesBefore(), held::toString);
            running.rollback();
        }
        CompactionReport report = database.compact();
        assertFalse(report.heldByTransaction());
        assertTrue(report.pagesAfter() < report.pagesBefore() / 2, report::toString);
        requireFiller(database, FILLER_ROWS / FILLER_KEPT_ONE_IN);
    }

    @Test
    void aTableThatIsDroppedBeforeItsTurnIsPassedOver() {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createFiller(database);
        fill(database, 0, 400);
        database.compact((stage, done, total) -> {
            if (stage == ProgressListener.Stage.MOVE_PAGES
                    && database.tableNames().contains(FILLER)) {
                database.dropTable(FILLER);
            }
        });
        assertEquals(List.of(), database.tableNames());
    }

    /** Under load there is always a transaction that began before; the next checkpoint comes after its end. */
    @Test
    void aTransactionThatEndsMeanwhileKeepsNothing() throws InterruptedException {
        AtomicReference<Thread> running = new AtomicReference<>();
        CountDownLatch ends = new CountDownLatch(1);
        DelegatingStorage storage = new DelegatingStorage(DiskStorage.INSTANCE) {
            @Override
            public void atomicReplace(Path from, Path to) {
                super.atomicReplace(from, to);
                Thread thread = to.endsWith(CHECKPOINT_FILE) ? running.getAndSet(null) : null;
                if (thread != null) {
                    ends.countDown();
                    assertDoesNotThrow(() -> thread.join());
                }
            }
        };
        Database database = validated.track(
                Database.open(storage, scratch.resolve("db"), ValidatedDatabase.SMALLEST, null, smallLog()));
        createFiller(database);
        CountDownLatch began = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().start(() -> {
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                Table table = database.table(FILLER);
                Record row = table.newRecord();
                row.setInt(0, -1);
                row.setString(1, text(-1));
                transaction.insert(table, row);
                began.countDown();
                assertDoesNotThrow(() -> ends.await());
                transaction.rollback();
            }
        });
        began.await();
        fill(database, 0, FILLER_ROWS);
        deleteAllBut(database, 0, FILLER_ROWS, FILLER_KEPT_ONE_IN);
        running.set(thread);
        CompactionReport report = database.compact();
        assertFalse(report.heldByTransaction(), report::toString);
        assertTrue(report.pagesAfter() < report.pagesBefore() / 2, report::toString);
        requireFiller(database, FILLER_ROWS / FILLER_KEPT_ONE_IN);
    }

    @Test
    void refusesWhatCannotBeDone() {
        Database inMemory = validated.inMemory();
        assertThrows(MaintenanceRefusedException.class, inMemory::compact);
        Database[] source = new Database[1];
        AtomicInteger refused = new AtomicInteger();
        DelegatingStorage storage = new DelegatingStorage(DiskStorage.INSTANCE) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                if (mode == OpenMode.CREATE && path.endsWith(Path.of("copy", PageFile.PAGES_FILE))) {
                    assertThrows(MaintenanceRefusedException.class, source[0]::compact);
                    refused.incrementAndGet();
                }
                return super.open(path, mode);
            }
        };
        Database database = validated.track(
                Database.open(storage, scratch.resolve("db"), ValidatedDatabase.SMALLEST, null, smallLog()));
        source[0] = database;
        database.backup(scratch.resolve("copy"));
        assertEquals(1, refused.get());
        database.compact();
    }

    /** Its transactions are of no session, and what it holds would be taken for corruption. */
    @Test
    void aValidationBesideItIsRefused() {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createFiller(database);
        fill(database, 0, FILLER_ROWS);
        AtomicInteger refused = new AtomicInteger();
        database.compact((stage, done, total) -> {
            if (stage == ProgressListener.Stage.MOVE_PAGES) {
                assertThrows(MaintenanceRefusedException.class, database::validate);
                refused.incrementAndGet();
            }
        });
        assertTrue(refused.get() > 0);
        database.validate();
    }

    /** A machine that stops at any change of the files during a compaction loses nothing. */
    @Test
    void aCrashLosesNothing(TestReporter reporter) {
        long changes = crashAt(Long.MAX_VALUE);
        assertTrue(changes > 5, "changes=" + changes);
        long stride = Math.max(1, changes / POINTS_MAX);
        int points = 0;
        for (long at = 1; at <= changes + 1; at += stride) {
            crashAt(at);
            points++;
        }
        reporter.publishEntry(Map.of("changes", Long.toString(changes), "points", Integer.toString(points)));
    }

    /** Returns the changes that the compaction made. */
    private long crashAt(long at) {
        FaultyStorage storage = new FaultyStorage(SEED + at);
        BackupWriters writers = new BackupWriters(SEED, WRITERS);
        Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, smallLog());
        createFiller(database);
        fill(database, 0, 1_000);
        writers.createTables(database);
        writers.runEach(database, 15);
        deleteAllBut(database, 0, 1_000, FILLER_KEPT_ONE_IN);
        long from = storage.changeCount();
        if (at != Long.MAX_VALUE) {
            storage.crashAtChange(at);
        }
        try {
            database.compact();
            if (!storage.isCrashed()) {
                // What is written behind the cut afterwards grows the file again.
                fill(database, 1_000, 1_200);
                deleteAllBut(database, 1_000, 1_200, 0);
            }
        } catch (LockstepException e) {
            assertTrue(storage.isCrashed(), e::toString);
        }
        long changes = storage.changeCount() - from;
        database.abandon();
        storage.crash();
        Database recovered =
                validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, smallLog()));
        String point = "crash at change " + at;
        assertArrayEquals(writers.acknowledged(), writers.requireState(recovered, writers.acknowledged()), point);
        Table table = recovered.table(FILLER);
        for (int id = 0; id < 1_000; id += FILLER_KEPT_ONE_IN) {
            int wanted = id;
            Record row = table.newRecord();
            assertTrue(
                    recovered.<Boolean, RuntimeException>call(transaction ->
                            transaction.fetch(table, table.newKey().add(wanted), row)),
                    point);
        }
        recovered.compact();
        validated.close(recovered);
        return changes;
    }
}
