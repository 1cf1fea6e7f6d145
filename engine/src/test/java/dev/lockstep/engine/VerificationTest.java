package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.VerificationReport.Finding;
import dev.lockstep.engine.VerificationReport.Kind;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.instance.Verification;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.SchemaCodec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every broken page is named, by what is wrong with it. */
class VerificationTest {
    private static final long SEED = 5;

    /** With their size more than the smallest pool holds. */
    private static final int ROWS = 3_000;

    private static final int ROW_BYTES = 1_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private final BackupWriters writers = new BackupWriters(SEED, 3);

    private Path closedDatabase() {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        writers.createTables(database);
        writers.runEach(database, 60);
        validated.close(database);
        return home;
    }

    private static void poke(Path home, int pageId, int offset, byte[] bytes) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            file.seek(PageLayout.fileOffset(pageId) + offset);
            file.write(bytes);
        }
    }

    private static byte[] page(Path home, int pageId) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "r")) {
            byte[] bytes = new byte[PageLayout.PAGE_BYTES];
            file.seek(PageLayout.fileOffset(pageId));
            file.readFully(bytes);
            return bytes;
        }
    }

    /** Changes a page and gives it the right checksum again. */
    private static void forge(Path home, int pageId, MemoryChange change) throws IOException {
        byte[] bytes = page(home, pageId);
        try (Arena arena = Arena.ofShared()) {
            NativeMemory memory = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            memory.copyFrom(bytes, 0, 0, bytes.length);
            change.apply(memory);
            new PageChecksum(new PageWindows(memory)).seal(0);
            memory.copyTo(0, bytes, 0, bytes.length);
        }
        poke(home, pageId, 0, bytes);
    }

    @FunctionalInterface
    private interface MemoryChange {
        void apply(NativeMemory page);
    }

    private static void requireOnly(Path home, Kind kind, int pageId) {
        VerificationReport report = Database.verify(home);
        List<Finding> others = report.findings().stream()
                .filter(finding -> finding.kind() != kind || finding.pageId() != pageId)
                .toList();
        assertEquals(List.of(), others);
        assertFalse(report.ok(), "nothing was found");
    }

    private static int pageOfType(Path home, int type) throws IOException {
        long pages = Files.size(home.resolve(PageFile.PAGES_FILE)) >> PageLayout.PAGE_SHIFT;
        for (int pageId = 10; pageId < pages; pageId++) {
            if (page(home, pageId)[PageLayout.TYPE_OFFSET] == type) {
                return pageId;
            }
        }
        throw new AssertionError("no page of type " + type);
    }

    @Test
    void aWholeDatabaseHasNoFindings() {
        Path home = closedDatabase();
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        assertTrue(report.records() > 100 && report.trees() == 4 && report.pagesInUse() > 10, report::toString);
        assertFalse(report.needsRecovery());
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        assertEquals(database.validate().pages() - 1, report.pagesInUse(), "page 0 is no page of a tree");
        assertThrows(DatabaseInUseException.class, () -> Database.verify(home));
        assertThrows(MissingFileException.class, () -> Database.verify(scratch.resolve("nowhere")));
    }

    @Test
    void afterACrashPagesAndLogAreChecked() throws IOException {
        Path home = scratch.resolve("db");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        writers.createTables(database);
        writers.runEach(database, 60);
        database.abandon();
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        assertTrue(report.needsRecovery() && report.logRecords() > 100, report::toString);
        // A bit in the first records, far before what is known to have been durable.
        Path log;
        try (var files = Files.list(home)) {
            log = files.filter(file -> file.getFileName().toString().startsWith("log-"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            file.seek(5_000);
            int found = file.read();
            file.seek(5_000);
            file.write(found ^ 1);
        }
        VerificationReport damaged = Database.verify(home);
        assertEquals(Kind.LOG, damaged.findings().getFirst().kind(), damaged::toString);
    }

    private Database openUnlogged(Path home) {
        return validated.open(
                home,
                ValidatedDatabase.SMALLEST.toBuilder()
                        .durability(Durability.NONE)
                        .build(),
                null);
    }

    private static void createRows(Database database) {
        Table table = database.createTable(TableDefinition.named("rows")
                .column("id", ColumnType.int32())
                .column("value", ColumnType.string(ROW_BYTES))
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction.insert(table, row(table, id, "a"));
            }
        });
    }

    private static Record row(Table table, int id, String letter) {
        Record row = table.newRecord();
        row.setInt(0, id);
        row.setString(1, letter.repeat(ROW_BYTES));
        return row;
    }

    private static boolean hasPageOfLsnZero(Path home) throws IOException {
        long pages = Files.size(home.resolve(PageFile.PAGES_FILE)) >> PageLayout.PAGE_SHIFT;
        for (int pageId = 1; pageId < pages; pageId++) {
            byte[] bytes = page(home, pageId);
            if (bytes[PageLayout.TYPE_OFFSET] == PageLayout.TYPE_NODE
                    && ByteBuffer.wrap(bytes).getLong(PageLayout.LSN_OFFSET) == 0) {
                return true;
            }
        }
        return false;
    }

    /** Such pages have no LSN, whatever the checkpoint knows of them. */
    @Test
    void pagesThatWereWrittenWithoutALogAreNotOutdated() throws IOException {
        Path home = scratch.resolve("db");
        Database logged = validated.open(home, ValidatedDatabase.SMALLEST, null);
        createRows(logged);
        validated.close(logged);
        assertFalse(hasPageOfLsnZero(home));
        Database unlogged = openUnlogged(home);
        Table table = unlogged.table("rows");
        unlogged.run(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                assertTrue(transaction.update(table, row(table, id, "b")));
            }
        });
        unlogged.abandon();
        assertTrue(hasPageOfLsnZero(home), "no page was evicted");
        requireOnlyLost(Database.verify(home));
    }

    @Test
    void aLogThatNeverWasIsNotMissed() {
        Path home = scratch.resolve("db");
        Database database = openUnlogged(home);
        createRows(database);
        database.abandon();
        requireOnlyLost(Database.verify(home));
        assertThrows(UncleanShutdownException.class, () -> openUnlogged(home));
    }

    /** An open would refuse it, so that it must not be called for; and it is not well either. */
    private static void requireOnlyLost(VerificationReport report) {
        assertEquals(
                List.of(Kind.LOST),
                report.findings().stream().map(Finding::kind).toList(),
                report::toString);
        assertTrue(report.needsRecovery() && report.isLost() && !report.ok(), report::toString);
    }

    @Test
    void aFlippedBit() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_NODE);
        byte[] bytes = page(home, pageId);
        poke(home, pageId, 4_000, new byte[] {(byte) (bytes[4_000] ^ 16)});
        requireOnly(home, Kind.CHECKSUM, pageId);
    }

    /** What the page before it left in the buffer says nothing about a page that could not be read. */
    @Test
    void aPageThatTheSystemRefusesToRead() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_NODE);
        DelegatingStorage refusing = new DelegatingStorage(DiskStorage.INSTANCE) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                BlockFile file = super.open(path, mode);
                return new DelegatingStorage.DelegatingFile(file) {
                    @Override
                    public int read(ByteBuffer target, long position) {
                        if (path.endsWith(PageFile.PAGES_FILE) && position == PageLayout.fileOffset(pageId)) {
                            throw new StorageException("the medium does not answer");
                        }
                        return super.read(target, position);
                    }
                };
            }
        };
        VerificationReport report = new Verification(refusing, home, ProgressListener.NONE).run();
        assertEquals(
                List.of(Kind.IO), report.findings().stream().map(Finding::kind).toList(), report::toString);
        assertEquals(pageId, report.findings().getFirst().pageId());
    }

    @Test
    void aPageThatLiesWhereAnotherBelongs() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_OVERFLOW);
        poke(home, pageId, 0, page(home, 3));
        requireOnly(home, Kind.IDENTITY, pageId);
    }

    @Test
    void aPageWhoseLastWriteWasLost() throws IOException {
        Path home = closedDatabase();
        byte[] before = Files.readAllBytes(home.resolve(PageFile.PAGES_FILE));
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        writers.runEach(database, 20);
        validated.close(database);
        int pageId = 2;
        byte[] lost = pageOf(before, pageId);
        while (lost[PageLayout.TYPE_OFFSET] != PageLayout.TYPE_NODE || Arrays.equals(lost, page(home, pageId))) {
            pageId++;
            lost = pageOf(before, pageId);
        }
        assertEquals(List.of(), Database.verify(home).findings());
        poke(home, pageId, 0, lost);
        requireOnly(home, Kind.OUTDATED, pageId);
        poke(home, pageId, 0, new byte[PageLayout.PAGE_BYTES]);
        requireOnly(home, Kind.OUTDATED, pageId);
    }

    private static byte[] pageOf(byte[] file, int pageId) {
        int offset = Math.toIntExact(PageLayout.fileOffset(pageId));
        return Arrays.copyOfRange(file, offset, offset + PageLayout.PAGE_BYTES);
    }

    @Test
    void aPageFromTheFuture() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_NODE);
        LongConsumer future = lsn -> assertTrue(lsn < Long.MAX_VALUE / 2, "lsn=" + lsn);
        forge(home, pageId, page -> {
            future.accept(PageLayout.lsn(page, 0));
            PageLayout.setLsn(page, 0, Long.MAX_VALUE / 2);
        });
        requireOnly(home, Kind.LSN, pageId);
    }

    /** A person reads no list of ten thousand; but what has to be restored must be known. */
    @Test
    void pagesBeyondThoseThatAreToldOneByOneAreNamed() throws IOException {
        Path home = closedDatabase();
        for (int pageId : new int[] {4, 5, 7, 9, 10, 11}) {
            byte[] bytes = page(home, pageId);
            poke(home, pageId, 4_000, new byte[] {(byte) (bytes[4_000] ^ 16)});
        }
        assertEquals(
                List.of(4, 5, 7, 9, 10, 11),
                Database.verify(home).findings().stream().map(Finding::pageId).toList());
        List<Finding> few = new Verification(DiskStorage.INSTANCE, home, ProgressListener.NONE, 2)
                .run()
                .findings();
        assertEquals(3, few.size());
        assertTrue(few.getLast().what().endsWith("of 4 pages: 7, 9 to 11"), few::toString);
    }

    /** Pages and then trees; what the listener throws is no finding. */
    @Test
    void tellsAListenerHowFarItIs() {
        Path home = closedDatabase();
        List<ProgressListener.Stage> stages = new ArrayList<>();
        long[] last = new long[2];
        VerificationReport report = Database.verify(home, (stage, done, total) -> {
            stages.add(stage);
            last[0] = done;
            last[1] = total;
        });
        assertTrue(report.ok(), report::toString);
        assertEquals(
                List.of(ProgressListener.Stage.READ_PAGES, ProgressListener.Stage.WALK_TREES),
                stages.stream().distinct().toList());
        assertEquals(report.pagesInUse(), last[0]);
        assertEquals(last[0], last[1]);
        SchemaException thrown = new SchemaException(Message.of("on purpose").remedy("none"));
        for (ProgressListener.Stage which : stages.stream().distinct().toList()) {
            SchemaException seen = assertThrows(
                    SchemaException.class,
                    () -> Database.verify(home, (stage, done, total) -> {
                        if (stage == which) {
                            throw thrown;
                        }
                    }));
            assertSame(thrown, seen);
        }
    }

    /** Without the header of the file each page is still looked at. */
    @Test
    void aPageBesideABrokenHeader() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_NODE);
        byte[] bytes = page(home, pageId);
        poke(home, pageId, 4_000, new byte[] {(byte) (bytes[4_000] ^ 16)});
        poke(home, pageId + 2, 0, page(home, 3));
        poke(home, 0, 20, new byte[] {(byte) (page(home, 0)[20] ^ 16)});
        List<String> found = Database.verify(home).findings().stream()
                .map(finding -> finding.kind() + " " + finding.pageId())
                .toList();
        assertEquals(List.of("FILE -1", "CHECKSUM " + pageId, "IDENTITY " + (pageId + 2)), found);
    }

    /** Whatever keeps a database from being opened has to be told, of whichever file. */
    @Test
    void whatIsNotOpenedIsNotFoundSound() throws IOException {
        Path home = closedDatabase();
        List<Path> names;
        try (var files = Files.list(home)) {
            names = files.map(Path::getFileName).sorted().toList();
        }
        List<String> refused = new ArrayList<>();
        for (Path name : names) {
            for (boolean isRemoved : new boolean[] {true, false}) {
                Path copy = Files.createDirectory(scratch.resolve(name + "-" + isRemoved));
                for (Path file : names) {
                    Files.copy(home.resolve(file), copy.resolve(file));
                }
                byte[] bytes = Files.readAllBytes(home.resolve(name));
                if (isRemoved) {
                    Files.delete(copy.resolve(name));
                } else if (bytes.length > 9) {
                    bytes[9] ^= 16;
                    Files.write(copy.resolve(name), bytes);
                }
                boolean ok = isFoundSound(copy);
                try {
                    validated.close(validated.open(copy, ValidatedDatabase.SMALLEST, null));
                } catch (LockstepException typed) {
                    refused.add(name + " " + isRemoved);
                    assertFalse(ok, () -> name + " isRemoved=" + isRemoved + ": " + typed);
                }
            }
        }
        assertTrue(refused.size() >= 5, refused::toString);
    }

    private static boolean isFoundSound(Path directory) {
        try {
            return Database.verify(directory).ok();
        } catch (MissingFileException missing) {
            return false;
        }
    }

    /** Without the checkpoint pages and trees are still looked at. */
    @Test
    void aPageBesideABrokenCheckpoint() throws IOException {
        Path home = closedDatabase();
        int pageId = pageOfType(home, PageLayout.TYPE_OVERFLOW);
        byte[] bytes = page(home, pageId);
        poke(home, pageId, 4_000, new byte[] {(byte) (bytes[4_000] ^ 16)});
        // The root of the first table.
        forge(home, 2, page -> PageLayout.setTreeId(page, 0, 99));
        Path checkpoint = home.resolve("checkpoint.lockstep");
        byte[] saved = Files.readAllBytes(checkpoint);
        saved[saved.length / 2] ^= 16;
        Files.write(checkpoint, saved);
        List<String> found = Database.verify(home).findings().stream()
                .map(finding -> finding.kind() + " " + finding.pageId())
                .toList();
        assertEquals(List.of("FILE -1", "CHECKSUM " + pageId, "TREE 2"), found);
    }

    @Test
    void aPageOfAnotherTree() throws IOException {
        Path home = closedDatabase();
        // The root of the first table: the header and the catalog's root lie before it.
        forge(home, 2, page -> PageLayout.setTreeId(page, 0, 99));
        requireOnly(home, Kind.TREE, 2);
    }

    /** The only row's; what comes next is the length, and behind the chunk's header the page that follows. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
    void aStubOfAnotherLength(int valueBytes) throws IOException {
        Path home = closedWithOneLongRow();
        forge(home, 2, page -> page.setInt(Node.valueAddress(page, 0, 0) + Integer.BYTES, valueBytes));
        requireOnly(home, Kind.TREE, 2);
    }

    @Test
    void aChainThatGoesOnBehindItsValue() throws IOException {
        Path home = closedWithOneLongRow();
        int nextPage = PageLayout.HEADER_BYTES;
        // A chain is written from its end.
        int last = 3;
        while (page(home, last)[PageLayout.TYPE_OFFSET] != PageLayout.TYPE_OVERFLOW) {
            last++;
        }
        forge(home, last, page -> {
            assertEquals(0, page.getInt(nextPage));
            page.setInt(nextPage, 1);
        });
        requireOnly(home, Kind.TREE, 2);
    }

    /** The root of its table, a leaf, is page 2. */
    private Path closedWithOneLongRow() {
        Path home = scratch.resolve("long");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        Table table = database.createTable(TableDefinition.named("long")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(20_000))
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            row.setInt(0, 1);
            row.setString(1, "x".repeat(20_000));
            transaction.insert(table, row);
        });
        validated.close(database);
        return home;
    }

    /** An entry of the catalog that says so behind a right checksum; salvage finds the leaves all the same. */
    @Test
    void aRootThatIsNoPage() throws IOException {
        Path home = closedDatabase();
        int rootPageId = 2;
        int treeId;
        try (Inspection inspection = Database.inspect(home)) {
            treeId = inspection.page(rootPageId).treeId();
        }
        String name = nameOfTree(home, treeId);
        forge(home, FixedPlaces.CATALOG_ROOT_PAGE_ID, page -> {
            // An entry begins with its version, the number of the tree, and the root.
            for (int at = 0; at < PageLayout.PAGE_BYTES - 1 - 2 * Integer.BYTES; at++) {
                if (page.getByte(at) == SchemaCodec.VERSION
                        && page.getInt(at + 1) == treeId
                        && page.getInt(at + 1 + Integer.BYTES) == rootPageId) {
                    page.setInt(at + 1 + Integer.BYTES, -5);
                }
            }
        });
        List<Finding> findings = Database.verify(home).findings();
        assertEquals(1, findings.size(), findings::toString);
        assertTrue(findings.getFirst().what().contains("rootPageId=-5"), findings::toString);
        try (Inspection inspection = Database.inspect(home)) {
            assertEquals(1, inspection.tree(name).lostRanges().size());
        }
        SalvageReport report = Database.salvage(home, scratch.resolve("saved"), ProgressListener.NONE);
        SalvageReport.SavedTable table = report.tables().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertTrue(table.rows() > 0, report::toString);
        assertEquals(table.rows(), table.rowsFoundByScan(), report::toString);
    }

    private static String nameOfTree(Path home, int treeId) {
        try (Inspection inspection = Database.inspect(home)) {
            return inspection.tree(Integer.toString(treeId)).name();
        }
    }

    @Test
    void aFileThatWasCutOff() throws IOException {
        Path home = closedDatabase();
        long bytes = Files.size(home.resolve(PageFile.PAGES_FILE));
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            file.setLength(bytes - 4L * PageLayout.PAGE_BYTES);
        }
        VerificationReport report = Database.verify(home);
        assertTrue(
                report.findings().stream()
                        .anyMatch(finding -> finding.kind() == Kind.REACHABILITY && finding.pageId() >= report.pages()),
                report::toString);
        Files.delete(home.resolve("checkpoint.lockstep"));
        assertEquals(Kind.FILE, Database.verify(home).findings().getFirst().kind());
    }
}
