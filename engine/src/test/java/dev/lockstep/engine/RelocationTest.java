package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.Relocation;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Roots and overflow pages that lie at the end of the file are moved, beside whoever reads and changes there. */
class RelocationTest {
    private static final String DROPPED = "dropped";
    private static final String LARGE = "large";
    private static final int DROPPED_ROWS = 800;
    private static final int LARGE_LENGTH = 3_000_000;
    private static final int WRITERS = 3;
    private static final Path HOME = Path.of("/database");
    private static final long SEED = 5;
    private static final int POINTS_MAX = Seeds.times(12);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private static void createTable(Database database, String name) {
        database.createTable(TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(LARGE_LENGTH))
                .primaryKey("id")
                .index("by_id_alone", "id")
                .build());
    }

    private static void createDropped(Database database) {
        createTable(database, DROPPED);
        for (int first = 0; first < DROPPED_ROWS; first += 100) {
            for (int id = first; id < first + 100; id++) {
                put(database, DROPPED, id, 1_200);
            }
        }
    }

    private static void put(Database database, String name, int id, int length) {
        database.run(transaction -> put(transaction, database.table(name), id, length));
    }

    private static void put(Transaction transaction, Table table, int id, int length) {
        Record row = table.newRecord();
        boolean isThere = transaction.fetchExclusive(table, table.newKey().add(id), row);
        row.clear();
        row.setInt(0, id);
        row.setString(1, text(id, length));
        if (isThere) {
            assertTrue(transaction.update(table, row));
        } else {
            transaction.insert(table, row);
        }
    }

    private static String text(int id, int length) {
        char[] text = new char[length];
        for (int i = 0; i < length; i++) {
            text[i] = (char) ('a' + (id + length + i / 61) % 26);
        }
        return new String(text);
    }

    private static void requireRow(Transaction transaction, Table table, int id, int length) {
        Record row = table.newRecord();
        assertTrue(transaction.fetch(table, table.newKey().add(id), row), () -> "id=" + id);
        assertTrue(text(id, length).equals(row.getString(1)), () -> "id=" + id);
    }

    private static void requireRow(Database database, String name, int id, int length) {
        database.run(transaction -> requireRow(transaction, database.table(name), id, length));
    }

    /** What one root or one large value behind it would keep. */
    @Test
    void whatWasDroppedIsGivenBack() throws IOException {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createDropped(database);
        createTable(database, LARGE);
        put(database, LARGE, 1, LARGE_LENGTH);
        put(database, LARGE, 2, 20);
        Table before = database.table(LARGE);
        database.checkpoint();
        database.dropTable(DROPPED);
        CompactionReport report = database.compact();
        assertEquals(report.pagesInUse(), report.pagesAfter(), report::toString);
        int valuePages = LARGE_LENGTH / PageLayout.PAGE_BYTES + 1;
        assertTrue(report.pagesAfter() < valuePages + 20, report::toString);
        assertTrue(report.pagesAfter() < report.pagesBefore() * 3 / 4, report::toString);
        assertEquals(
                (long) report.pagesAfter() << PageLayout.PAGE_SHIFT, Files.size(home.resolve(PageFile.PAGES_FILE)));
        ValidatedDatabase.examine(database);
        // The handle is from before.
        database.run(transaction -> requireRow(transaction, before, 1, LARGE_LENGTH));
        put(database, LARGE, 3, 9_000);
        database.abandon();
        Database recovered = validated.open(home, ValidatedDatabase.SMALLEST, null);
        requireRow(recovered, LARGE, 1, LARGE_LENGTH);
        requireRow(recovered, LARGE, 3, 9_000);
        recovered.createIndex(IndexDefinition.of("once_more", LARGE, "id"));
        recovered.dropTable(LARGE);
        CompactionReport last = recovered.compact();
        assertEquals(last.pagesInUse(), last.pagesAfter(), last::toString);
        validated.close(recovered);
    }

    /** An entry of the catalog may be so large itself that it lies in overflow pages. */
    @Test
    void aLongEntryOfTheCatalogNamesTheNewRoot() {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createDropped(database);
        TableDefinition.Builder definition =
                TableDefinition.named("wide").column("id", ColumnType.int32()).primaryKey("id");
        for (int column = 0; column < 600; column++) {
            definition.nullable("a_column_with_a_rather_long_name_" + column, ColumnType.int32());
        }
        Table wide = database.createTable(definition.build());
        database.createIndex(IndexDefinition.of("by_first", "wide", "a_column_with_a_rather_long_name_0"));
        database.run(transaction -> {
            Record row = wide.newRecord();
            row.setInt(0, 1);
            transaction.insert(database.table("wide"), row);
        });
        int rootBefore = tree(database, "wide").rootPageId();
        database.dropTable(DROPPED);
        CompactionReport report = database.compact();
        assertTrue(tree(database, "wide").rootPageId() < rootBefore);
        assertEquals(report.pagesInUse(), report.pagesAfter(), report::toString);
        ValidatedDatabase.examine(database);
        database.abandon();
        Database recovered = validated.open(home, ValidatedDatabase.SMALLEST, null);
        Table table = recovered.table("wide");
        assertTrue(recovered.<Boolean, RuntimeException>call(
                transaction -> transaction.fetch(table, table.newKey().add(1), table.newRecord())));
        validated.close(recovered);
    }

    /** A running transaction and its rollback may refer to the pages of what it has changed. */
    @Test
    void whatATransactionMayRestoreStays() {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createDropped(database);
        createTable(database, LARGE);
        for (int id = 1; id <= 4; id++) {
            put(database, LARGE, id, 100_000);
        }
        database.dropTable(DROPPED);
        Table table = database.table(LARGE);
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            put(transaction, table, 1, 50_000);
            assertTrue(transaction.delete(table, table.newKey().add(2)));
            put(transaction, table, 5, 70_000);
            database.compact();
            // What it refers to would be overwritten if it were free.
            put(database, LARGE, 6, 300_000);
            requireRow(transaction, table, 1, 50_000);
            requireRow(transaction, table, 5, 70_000);
            transaction.rollback();
        }
        for (int id = 1; id <= 4; id++) {
            requireRow(database, LARGE, id, 100_000);
        }
        CompactionReport report = database.compact();
        assertEquals(report.pagesInUse(), report.pagesAfter(), report::toString);
        ValidatedDatabase.examine(database);
    }

    /** A snapshot that has learnt a value's place from a change that was taken back. */
    @Test
    void whatASnapshotRefersToIsKept() {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createDropped(database);
        createTable(database, LARGE);
        put(database, LARGE, 1, 100_000);
        put(database, LARGE, 2, 80_000);
        database.dropTable(DROPPED);
        Table table = database.table(LARGE);
        try (Session reading = database.openSession();
                Session writing = database.openSession()) {
            Transaction early = writing.begin();
            put(early, table, 1, 40_000);
            Transaction seen = reading.begin(database.transactionOptions().readOnlySnapshot());
            requireRow(seen, table, 1, 100_000);
            early.rollback();
            Transaction late = writing.begin();
            put(late, table, 2, 40_000);
            late.rollback();
            assertTrue(database.compact().pagesMoved() > 0);
            put(database, LARGE, 3, 400_000);
            requireRow(seen, table, 1, 100_000);
            requireRow(seen, table, 2, 80_000);
            put(database, LARGE, 1, 30_000);
            assertTrue(database.<Boolean, RuntimeException>call(
                    transaction -> transaction.delete(table, table.newKey().add(2))));
            put(database, LARGE, 4, 400_000);
            requireRow(seen, table, 1, 100_000);
            requireRow(seen, table, 2, 80_000);
            seen.commit();
        }
        requireRow(database, LARGE, 1, 30_000);
    }

    private static BTree tree(Database database, String table) {
        return database.table(table).reference().state().tree();
    }

    /**
     * Pages in the middle of a chain are moved and used again at once, while the record and its stub stay as they are:
     * whoever reads without a lock does not take what is there now for the value.
     */
    @Test
    void aReaderOfASnapshotMeetsNoOtherValue() throws InterruptedException {
        Database database = validated.open(scratch.resolve("db"), ValidatedDatabase.SMALLEST, null);
        createTable(database, LARGE);
        int[] lengths = {500_000, 501_000};
        put(database, LARGE, 1, lengths[0]);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong reads = new AtomicLong();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try (Session session = database.openSession()) {
                Table table = database.table(LARGE);
                Record row = table.newRecord();
                while (!done.get()) {
                    Transaction seen =
                            session.begin(database.transactionOptions().readOnlySnapshot());
                    assertTrue(seen.fetch(table, table.newKey().add(1), row));
                    String text = row.getString(1);
                    assertTrue(text.equals(text(1, text.length())), () -> "length=" + text.length());
                    seen.commit();
                    reads.incrementAndGet();
                }
            } catch (Throwable t) {
                failure.set(t);
            }
        });
        int movedWithin = 0;
        for (int round = 0; failure.get() == null && (round < 40 || reads.get() < 100); round++) {
            put(database, LARGE, 1, lengths[round % 2]);
            movedWithin += moveWithin(database, 30);
            put(database, LARGE, 2, 240_000);
            database.run(transaction -> assertTrue(transaction.delete(
                    database.table(LARGE), database.table(LARGE).newKey().add(2))));
        }
        done.set(true);
        reader.join();
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
        assertTrue(movedWithin > 0);
    }

    /** A file system that has one read of a page fail once the test says so. */
    private static final class FailingOnceStorage extends DelegatingStorage {
        private final AtomicBoolean isArmed = new AtomicBoolean();
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch mayFail = new CountDownLatch(1);

        FailingOnceStorage(Storage storage) {
            super(storage);
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            BlockFile file = super.open(path, mode);
            return path.endsWith(PageFile.PAGES_FILE) ? new FailingFile(file) : file;
        }

        private final class FailingFile extends DelegatingFile {
            FailingFile(BlockFile file) {
                super(file);
            }

            @Override
            public int read(ByteBuffer target, long position) {
                if (isArmed.compareAndSet(true, false)) {
                    arrived.countDown();
                    try {
                        mayFail.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    throw new StorageException("The page that stood there was given back");
                }
                return super.read(target, position);
            }
        }
    }

    private static long moveCount(Database database, int id) {
        Key key = database.table(LARGE).newKey().add(id);
        return OverflowChain.moveCount(tree(database, LARGE), key.bytes(), key.length());
    }

    /** Finds a record that shares a count of moves with row 1, which alone has been moved. */
    private static int sharesCountWithRow1(Database database) {
        assertTrue(moveCount(database, 1) > 0);
        int id = 2;
        while (moveCount(database, id) == 0) {
            id++;
        }
        return id;
    }

    /** What a reader meets behind the place that a chain has left is no damage, also where the stub is as it was. */
    @Test
    void aReaderOfASnapshotLooksAgainAfterAMove() throws Exception {
        FaultyStorage disk = new FaultyStorage(SEED);
        Database filled = validated.track(open(disk));
        createTable(filled, LARGE);
        assertTrue(moveWithin(filled, 30) > 0);
        int sharing = sharesCountWithRow1(filled);
        put(filled, LARGE, sharing, 90_000);
        put(filled, LARGE, 0, 20);
        validated.close(filled);

        FailingOnceStorage storage = new FailingOnceStorage(disk);
        Database database = validated.track(open(storage));
        // Reads the leaf of all three.
        requireRow(database, LARGE, 0, 20);
        FutureTask<Void> reader = new FutureTask<>(() -> {
            try (Session session = database.openSession()) {
                Transaction seen = session.begin(database.transactionOptions().readOnlySnapshot());
                requireRow(seen, database.table(LARGE), sharing, 90_000);
                seen.commit();
            }
            return null;
        });
        storage.isArmed.set(true);
        Thread.ofPlatform().start(reader);
        storage.arrived.await();
        assertTrue(moveWithin(database, 30) > 0);
        storage.mayFail.countDown();
        reader.get();
    }

    /** The page before those that were moved leads to where they are now, also after a crash. */
    @Test
    void aMoveWithinAChainSurvivesACrash() {
        FaultyStorage storage = new FaultyStorage(SEED);
        Database database = validated.track(open(storage));
        createTable(database, LARGE);
        assertTrue(moveWithin(database, 30) > 0);
        // Takes the pages that they were moved from.
        put(database, LARGE, 2, 240_000);
        database.abandon();
        storage.crash();
        Database recovered = validated.track(open(storage));
        requireRow(recovered, LARGE, 1, 502_000);
        requireRow(recovered, LARGE, 2, 240_000);
        validated.close(recovered);
    }

    /** Moves the first page of the chain of row 1, and then so many of those behind it. */
    private static int moveWithin(Database database, int count) {
        PageAllocator allocator = database.instance().environment().allocator();
        int[] holes = new int[count + 1];
        for (int i = 0; i <= count; i++) {
            holes[i] = allocator.allocate();
        }
        put(database, LARGE, 1, 502_000);
        allocator.free(holes[0]);
        int bound = BitSet.valueOf(allocator.bitmap()).length();
        while (bound > holes[count] && moveChain(database, 1, bound) == 0) {
            bound--;
        }
        for (int i = 1; i <= count; i++) {
            allocator.free(holes[i]);
        }
        return moveChain(database, 1, bound - count / 2);
    }

    private static int moveChain(Database database, int id, int bound) {
        SessionCore session = database.instance().newSession();
        try {
            session.begin(Isolation.READ_COMMITTED, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
            BTree tree = tree(database, LARGE);
            byte[] key = database.table(LARGE).newKey().add(id).bytes();
            int keyBytes = database.table(LARGE).newKey().add(id).length();
            assertTrue(database.instance()
                    .locks()
                    .tryLock(
                            session.context().lockOwner(),
                            LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, keyBytes),
                            LockMode.KEY_X));
            TransactionTable transactions = database.instance().transactions();
            int moved = new Relocation()
                    .moveChain(
                            tree,
                            session.context(),
                            key,
                            keyBytes,
                            bound,
                            stub -> transactions.keepOverflow(
                                    session.context(), tree, Arrays.copyOf(key, keyBytes), stub));
            session.commit();
            return moved;
        } finally {
            session.close();
        }
    }

    /** Handles and walks that know a root follow it, whoever they belong to. */
    @Test
    void readersAndWritersFollow() {
        Seeds.each(1, seed -> {
            Path home = scratch.resolve("db-" + seed);
            Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
            createDropped(database);
            BackupWriters writers = new BackupWriters(seed, WRITERS);
            writers.createTables(database);
            writers.runEach(database, 10);
            writers.start(database);
            AtomicBoolean done = new AtomicBoolean();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread reader = Thread.ofVirtual().start(() -> {
                try {
                    while (!done.get()) {
                        readTwice(database);
                        // It waits for nobody, and the writers may share its only carrier.
                        Thread.yield();
                    }
                } catch (Throwable t) {
                    failure.set(t);
                }
            });
            long rootMoves = 0;
            for (int round = 0; round < 6; round++) {
                int root = tree(database, "kept").rootPageId();
                database.dropTable(DROPPED);
                database.compact();
                rootMoves += tree(database, "kept").rootPageId() == root ? 0 : 1;
                createDropped(database);
                writers.awaitTransactions(20L * (round + 1));
                // Lies behind the table that is dropped next.
                database.createTable(TableDefinition.named("last" + round)
                        .column("id", ColumnType.int32())
                        .primaryKey("id")
                        .build());
            }
            done.set(true);
            reader.join();
            writers.stop();
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
            assertTrue(rootMoves > 0, "no root was moved");
            writers.requireState(database, writers.acknowledged());
            ValidatedDatabase.examine(database);
            database.abandon();
            Database recovered = validated.open(home, ValidatedDatabase.SMALLEST, null);
            assertArrayEquals(writers.acknowledged(), writers.requireState(recovered, writers.acknowledged()));
            validated.close(recovered);
        });
    }

    /** A snapshot finds the same rows whenever it looks. */
    private static void readTwice(Database database) {
        try (Session session = database.openSession()) {
            Transaction seen = session.begin(database.transactionOptions().readOnlySnapshot());
            Table table = database.table("kept");
            assertEquals(hash(seen, table), hash(seen, table));
            seen.commit();
        }
    }

    private static long hash(Transaction transaction, Table table) {
        long hash = 0;
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                hash = 31 * hash + row.getInt(0);
                hash = 31 * hash + row.getString(2).hashCode();
            }
        }
        return hash;
    }

    /** A machine that stops at any change of the files during such a compaction loses nothing. */
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
        Database database = open(storage);
        createTable(database, DROPPED);
        for (int id = 0; id < 200; id++) {
            put(database, DROPPED, id, 1_200);
        }
        writers.createTables(database);
        writers.runEach(database, 15);
        createTable(database, LARGE);
        put(database, LARGE, 1, 200_000);
        database.dropTable(DROPPED);
        int rootBefore = tree(database, LARGE).rootPageId();
        long from = storage.changeCount();
        if (at != Long.MAX_VALUE) {
            storage.crashAtChange(at);
        }
        try {
            database.compact();
            if (!storage.isCrashed()) {
                assertTrue(tree(database, LARGE).rootPageId() < rootBefore);
                put(database, LARGE, 2, 100_000);
            }
        } catch (LockstepException e) {
            assertTrue(storage.isCrashed(), e::toString);
        }
        long changes = storage.changeCount() - from;
        database.abandon();
        storage.crash();
        Database recovered = validated.track(open(storage));
        String point = "crash at change " + at;
        assertArrayEquals(writers.acknowledged(), writers.requireState(recovered, writers.acknowledged()), point);
        requireRow(recovered, LARGE, 1, 200_000);
        boolean isWritten = at % 2 == 1;
        if (isWritten) {
            recovered.checkpoint();
        }
        CompactionReport report = recovered.compact();
        assertFalse(report.heldByTransaction(), point);
        // What recovery has brought back is in the file once a checkpoint has written it.
        assertTrue(report.pagesAfter() <= report.pagesInUse(), point);
        assertTrue(!isWritten || report.pagesAfter() == report.pagesInUse(), point);
        requireRow(recovered, LARGE, 1, 200_000);
        validated.close(recovered);
        return changes;
    }

    private static Database open(Storage storage) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log);
    }
}
