package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.OlderFormatException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.UnknownFormatException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PageFileTest {
    private static final Path DIRECTORY = Path.of("database");
    private static final Path PAGES = DIRECTORY.resolve(PageFile.PAGES_FILE);
    private static final Path DOUBLE_WRITE = DIRECTORY.resolve(PageFile.DOUBLE_WRITE_FILE);
    private static final DatabaseId ID = new DatabaseId(1, 2);
    private static final int DOUBLE_WRITE_BYTES_1 =
            DoubleWriteLayout.PAGES_POSITION + DoubleWriteLayout.PAGES_MAX_1 * PageLayout.PAGE_BYTES;

    private final Arena arena = Arena.ofShared();
    private final NativeMemory memory = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES);
    private final PageBatch batch = new PageBatch();

    @AfterEach
    void close() {
        batch.close();
        arena.close();
    }

    /** Fills the scratch page so that every word depends on page id and version. */
    private void fill(int pageId, long version) {
        PageLayout.initialise(memory, 0, PageLayout.TYPE_NODE, pageId, 1);
        PageLayout.setLsn(memory, 0, version);
        for (int offset = PageLayout.HEADER_BYTES; offset < PageLayout.PAGE_BYTES; offset += Long.BYTES) {
            memory.setLong(offset, version * 1_000_003 + pageId * 31L + offset);
        }
    }

    /** Reads a page, checks that it is whole, and returns its version. */
    private long version(PageFile file, int pageId) {
        file.newReader(memory).read(pageId, 0);
        long version = PageLayout.lsn(memory, 0);
        if (version != 0) {
            for (int offset = PageLayout.HEADER_BYTES; offset < PageLayout.PAGE_BYTES; offset += Long.BYTES) {
                assertEquals(version * 1_000_003 + pageId * 31L + offset, memory.getLong(offset));
            }
        }
        return version;
    }

    private void write(PageFile file, long version, int... pageIds) {
        batch.clear();
        for (int pageId : pageIds) {
            fill(pageId, version);
            batch.add(memory, 0);
        }
        file.write(batch);
    }

    /** Runs an action in the middle of one write of a page. */
    private static final class InterruptedWrite extends DelegatingStorage {
        private Runnable meanwhile;

        InterruptedWrite(Storage storage) {
            super(storage);
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            boolean isPages = path.equals(PAGES);
            return new DelegatingFile(super.open(path, mode)) {
                @Override
                public void write(ByteBuffer source, long position) {
                    Runnable action = meanwhile;
                    if (isPages && action != null) {
                        meanwhile = null;
                        int half = source.remaining() / 2;
                        super.write(source.slice(source.position(), half), position);
                        action.run();
                    }
                    super.write(source, position);
                }
            };
        }
    }

    /** A copy is made beside those who write, and nothing in such a page tells that a part of it is older. */
    @Test
    void aCopyOfPagesWithoutChecksumsHasNoneOfTwoVersions() throws Exception {
        FaultyStorage below = new FaultyStorage(15);
        InterruptedWrite storage = new InterruptedWrite(below);
        Path to = Path.of("copy");
        below.createDirectories(to);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID, false)) {
            write(file, 1, 1);
            FutureTask<Integer> copying =
                    new FutureTask<>(() -> PageFileCopy.copy(file, below, to, ID, ProgressListener.NONE));
            Thread thread = Thread.ofPlatform().unstarted(copying);
            storage.meanwhile = () -> {
                thread.start();
                // Until it waits for the end of the write, or has not waited.
                while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
                    Thread.onSpinWait();
                }
            };
            write(file, 2, 1);
            assertEquals(2, copying.get());
            thread.join();
        }
        try (PageFile copy = PageFile.open(below, to, ID, false, false)) {
            assertEquals(2, version(copy, 1));
        }
    }

    /** A database of the pages 1 to 3, all of version 7, the second of which is torn. */
    private FaultyStorage withTornPage(long seed) {
        FaultyStorage storage = new FaultyStorage(seed);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1, 2, 3);
            assertEquals(7, file.lsnMax());
        }
        try (BlockFile pages = storage.open(PAGES, Storage.OpenMode.READ_WRITE)) {
            pages.write(ByteBuffer.allocateDirect(100), PageLayout.fileOffset(2) + 4_000);
            pages.force(false);
        }
        return storage;
    }

    /** The same; version 1 had room for fewer pages, and the highest LSN elsewhere. */
    private FaultyStorage withDoubleWriteFileOfVersion1(long seed) {
        FaultyStorage storage = withTornPage(seed);
        try (BlockFile copies = storage.open(DOUBLE_WRITE, Storage.OpenMode.READ_WRITE)) {
            int fieldBytes = DoubleWriteLayout.LSN_MAX_CHECKSUM_BEHIND + Integer.BYTES;
            ByteBuffer field = ByteBuffer.allocateDirect(fieldBytes);
            int directory = DoubleWriteLayout.DIRECTORY_POSITION;
            copies.read(field, directory + DoubleWriteLayout.lsnMaxOffset(2));
            copies.write(ByteBuffer.allocateDirect(fieldBytes), directory + DoubleWriteLayout.lsnMaxOffset(2));
            copies.write(field.flip(), directory + DoubleWriteLayout.lsnMaxOffset(1));
            new FileHeader(FileFormat.DOUBLE_WRITE, 1, ID, 0).write(copies);
            copies.truncate(DOUBLE_WRITE_BYTES_1);
        }
        return storage;
    }

    /** The first time it is brought up, and the second time it is read as what it has become. */
    private void requireBroughtUp(FaultyStorage storage) {
        for (int time = 1; time <= 2; time++) {
            String replay = "seed=" + storage.seed() + ", time=" + time;
            try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
                for (int pageId = 1; pageId <= 3; pageId++) {
                    assertEquals(7, version(file, pageId), replay);
                }
                assertEquals(7, file.lsnMax(), replay);
            }
            try (BlockFile copies = storage.open(DOUBLE_WRITE, Storage.OpenMode.READ_ONLY)) {
                FileHeader header = FileHeader.read(copies, FileFormat.DOUBLE_WRITE, ID);
                assertEquals(FileFormat.DOUBLE_WRITE.version(), header.version(), replay);
                assertEquals(DoubleWriteLayout.FILE_BYTES, copies.size(), replay);
            }
        }
    }

    @Test
    void aDoubleWriteFileOfVersion1IsReadAndBroughtUp() {
        requireBroughtUp(withDoubleWriteFileOfVersion1(1));
    }

    /** Each step leaves a file that says all that it said before, and that the next open goes on with. */
    @Test
    void aDoubleWriteFileOfVersion1IsBroughtUpAfterACrashAtAnyChange() {
        int crashCount = 0;
        for (long seed = 1; seed <= 20; seed++) {
            boolean crashed = true;
            for (long change = 1; crashed; change++) {
                FaultyStorage storage = withDoubleWriteFileOfVersion1(seed * 1000 + change);
                storage.crashAtChange(change);
                try {
                    PageFile.open(storage, DIRECTORY, ID, false).close();
                    crashed = false;
                } catch (StorageException e) {
                    assertTrue(storage.isCrashed(), e::getMessage);
                    crashCount++;
                }
                storage.crash();
                requireBroughtUp(storage);
            }
        }
        assertTrue(crashCount > 100, "crashCount=" + crashCount);
    }

    /** It stays as it is until there is room. */
    @Test
    void aDoubleWriteFileOfVersion1IsBroughtUpAfterAFullDisk() {
        FaultyStorage storage = withDoubleWriteFileOfVersion1(1);
        storage.bytesMax(storage.bytes() + PageLayout.PAGE_BYTES);
        for (int time = 0; time < 2; time++) {
            assertThrows(DiskFullException.class, () -> PageFile.open(storage, DIRECTORY, ID, false));
        }
        storage.heal();
        requireBroughtUp(storage);
    }

    /** As a crash has left those that programs before this one brought up header first. */
    @Test
    void aDoubleWriteFileThatIsTooShortGetsItsLength() {
        FaultyStorage storage = withTornPage(1);
        try (BlockFile copies = storage.open(DOUBLE_WRITE, Storage.OpenMode.READ_WRITE)) {
            copies.truncate(DOUBLE_WRITE_BYTES_1);
        }
        requireBroughtUp(storage);
    }

    /** Long runs of neighbours past the system's cache, short ones through it: see UNCACHED_RUN_PAGES_MIN. */
    @Test
    void longRunsOfNeighboursAreWrittenPastTheCache() {
        int runPages = PageFile.UNCACHED_RUN_PAGES_MIN;
        RunStorage storage = new RunStorage();
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            storage.cachedPageIds.clear();
            int[] pageIds = IntStream.concat(
                            IntStream.range(10, 10 + runPages), IntStream.range(1_000, 1_000 + runPages - 1))
                    .toArray();
            write(file, 7, pageIds);
            assertEquals(List.of(10L), storage.uncachedPageIds);
            assertEquals(List.of(1_000L), storage.cachedPageIds);
            for (int pageId : pageIds) {
                assertEquals(7, version(file, pageId));
            }
        }
    }

    /** Notes with which page each write of the file of the pages begins. */
    private static final class RunStorage extends DelegatingStorage {
        final List<Long> cachedPageIds = new ArrayList<>();
        final List<Long> uncachedPageIds = new ArrayList<>();

        RunStorage() {
            super(new FaultyStorage(1));
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            BlockFile file = super.open(path, mode);
            return path.equals(PAGES) ? new RunFile(file) : file;
        }

        private final class RunFile extends DelegatingStorage.DelegatingFile {
            RunFile(BlockFile file) {
                super(file);
            }

            @Override
            public void write(ByteBuffer source, long position) {
                cachedPageIds.add(position / PageLayout.PAGE_BYTES);
                super.write(source, position);
            }

            @Override
            public void writeUncached(ByteBuffer source, long position) {
                uncachedPageIds.add(position / PageLayout.PAGE_BYTES);
                super.write(source, position);
            }
        }
    }

    @Test
    void pagesAreReadBackAndThoseNeverWrittenAreZero() {
        FaultyStorage storage = new FaultyStorage(1);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1, 2, 3, 9);
            assertEquals(10, file.pageCount());
            assertEquals(7, version(file, 2));
            assertEquals(7, version(file, 9));
            assertEquals(0, version(file, 5));
            assertEquals(PageLayout.TYPE_NONE, PageLayout.type(memory, 0));
            assertEquals(0, version(file, 5000));
        }
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            assertEquals(7, version(file, 3));
            assertEquals(0, file.restoredPageCount());
        }
    }

    /** The page in the file is whole, and its own; but it is the one before. */
    @Test
    void anOldCopyOfAPageIsNoticed() {
        FaultyStorage storage = new FaultyStorage(1);
        ByteBuffer old = ByteBuffer.allocate(PageLayout.PAGE_BYTES);
        long[] lsns;
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1, 2);
            try (BlockFile pages = storage.open(DIRECTORY.resolve(PageFile.PAGES_FILE), Storage.OpenMode.READ_WRITE)) {
                pages.read(old, PageLayout.fileOffset(2));
                write(file, 8, 2);
                write(file, 9, 1);
                assertEquals(8, version(file, 2));
                pages.write(old.flip(), PageLayout.fileOffset(2));
            }
            CorruptionException found = assertThrows(CorruptionException.class, () -> version(file, 2));
            assertTrue(found.getMessage().contains("pageId=2"), found.getMessage());
            assertEquals(9, version(file, 1));
            lsns = file.pageLsns(new long[] {-1}, Integer.MAX_VALUE);
            assertEquals(3, lsns.length);
        }
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            file.expectLsns(lsns);
            assertThrows(CorruptionException.class, () -> version(file, 2));
            assertEquals(9, version(file, 1));
            assertEquals(0, file.pageLsns(new long[] {0}, Integer.MAX_VALUE).length);
        }
    }

    /** Even when the log has grown beyond it again: only what was written since the log was found to end may be new. */
    @Test
    void aPageNewerThanTheLogIsTold() {
        FaultyStorage storage = new FaultyStorage(1);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1);
            write(file, 8, 2);
        }
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            assertEquals(8, version(file, 2), "nobody has said where the log ends");
            file.expectLsnsBelow(8);
            write(file, 9, 3);
            assertEquals(7, version(file, 1));
            assertEquals(9, version(file, 3));
            CorruptionException found = assertThrows(CorruptionException.class, () -> version(file, 2));
            assertTrue(found.getMessage().contains("pageId=2"), found.getMessage());
            storage.failAtChange(4, false); // Copies written, copies forced, page 1 written: the next fails.
            assertThrows(StorageException.class, () -> write(file, 10, 1, 3));
            assertEquals(10, version(file, 1), "what a failed batch has left is not told from what was there");
        }
    }

    /** What a failed force has left in the system's memory is written again by the next open. */
    @Test
    void thePagesOfTheLastBatchAreWrittenAgain() {
        FaultyStorage storage = new FaultyStorage(1);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1, 2);
            long highest = file.lsnMax();
            write(file, 8, 2);
            assertTrue(file.lsnMax() > highest, "lsnMax=" + file.lsnMax());
        }
        long highest;
        long changes = storage.changeCount();
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            highest = file.lsnMax();
            assertEquals(0, file.restoredPageCount());
            assertEquals(8, version(file, 2));
            assertEquals(7, version(file, 1));
        }
        assertTrue(highest > 0, "lsnMax=" + highest);
        assertEquals(changes + 2, storage.changeCount(), "one write and one force");
    }

    /** Else an open would put an old page in the place of a torn one. */
    @Test
    void whenCopiesEndTheLastOnesAreForgotten() {
        FaultyStorage storage = new FaultyStorage(1);
        long highest;
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 7, 1, 2);
            file.endCopies();
            write(file, 8, 2);
            assertEquals(8, version(file, 2));
            highest = file.lsnMax();
        }
        storage.corrupt(DIRECTORY.resolve(PageFile.PAGES_FILE), PageLayout.fileOffset(2) + 4_000, 1);
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            assertEquals(0, file.restoredPageCount());
            assertThrows(CorruptionException.class, () -> version(file, 2));
            assertEquals(7, version(file, 1));
            assertEquals(highest, file.lsnMax());
        }
    }

    /** Their copies are worth nothing: nobody could tell whether one is whole. */
    @Test
    void pagesWithoutChecksumsAreNotPutBack() {
        FaultyStorage storage = new FaultyStorage(1);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID, false)) {
            write(file, 7, 1, 2);
        }
        storage.corrupt(DIRECTORY.resolve(PageFile.PAGES_FILE), PageLayout.fileOffset(2) + 5, 4);
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
            assertEquals(0, file.restoredPageCount());
            assertEquals(7, version(file, 1));
            assertThrows(CorruptionException.class, () -> version(file, 2), "a page of no known format");
        }
    }

    @Test
    void batchesTakePagesInOrderOnly() {
        fill(4, 1);
        batch.add(memory, 0);
        IllegalArgumentException same = assertThrows(IllegalArgumentException.class, () -> batch.add(memory, 0));
        assertTrue(same.getMessage().contains("pageId=4"), same.getMessage());
    }

    /**
     * Stops the machine at every change of a run of batches, and looks after each crash whether every page is whole.
     */
    @Test
    void everyPageIsWholeAfterACrashAtAnyChange() {
        int restoredCount = 0;
        int crashCount = 0;
        for (long seed = 1; seed <= 12; seed++) {
            boolean crashed = true;
            for (long change = 1; crashed; change++) {
                FaultyStorage storage = new FaultyStorage(seed * 1000 + change);
                int[] forcedVersions = new int[40];
                int[] begunVersions = new int[40];
                try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
                    storage.crashAtChange(change);
                    runBatches(file, new Random(seed), forcedVersions, begunVersions);
                    crashed = false;
                } catch (StorageException e) {
                    assertTrue(storage.isCrashed(), e::getMessage);
                }
                storage.crash();
                crashCount++;
                String replay = "seed=" + storage.seed();
                try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
                    restoredCount += file.restoredPageCount();
                    for (int pageId = 1; pageId < forcedVersions.length; pageId++) {
                        long version = version(file, pageId);
                        assertTrue(
                                version == forcedVersions[pageId] || version == begunVersions[pageId],
                                replay + ", pageId=" + pageId + ", version=" + version);
                    }
                }
            }
        }
        assertTrue(crashCount > 100, "crashCount=" + crashCount);
        assertTrue(restoredCount > 0, "no page was ever torn");
    }

    private void runBatches(PageFile file, Random random, int[] forcedVersions, int[] begunVersions) {
        for (int version = 1; version <= 5; version++) {
            int[] pageIds = random.ints(1, forcedVersions.length)
                    .limit(8)
                    .sorted()
                    .distinct()
                    .toArray();
            for (int pageId : pageIds) {
                begunVersions[pageId] = version;
            }
            write(file, version, pageIds);
            for (int pageId : pageIds) {
                forcedVersions[pageId] = version;
            }
        }
    }

    /** Without the copies torn pages stay torn, so the test above can fail. */
    @Test
    void withoutCopiesTornPagesAreDamage() {
        int damagedCount = 0;
        for (long seed = 1; seed <= 20; seed++) {
            FaultyStorage storage = new FaultyStorage(seed);
            try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
                write(file, 1, 1, 2, 3);
                storage.crashAtChange(8); // The second force of the second batch: its pages are written and not forced.
                assertThrows(StorageException.class, () -> {
                    write(file, 2, 1, 2, 3);
                    write(file, 3, 1, 2, 3);
                });
            } catch (StorageException e) {
                assertTrue(storage.isCrashed(), e::getMessage);
            }
            storage.crash();
            try (PageFile file = PageFile.open(storage, DIRECTORY, ID, true)) {
                for (int pageId = 1; pageId <= 3; pageId++) {
                    try {
                        version(file, pageId);
                    } catch (CorruptionException e) {
                        damagedCount++;
                    }
                }
            }
        }
        assertTrue(damagedCount > 0);
    }

    @Test
    void aFullDiskLosesNothingAndWritingGoesOnWhenThereIsRoom() {
        FaultyStorage storage = new FaultyStorage(5);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 1, 1, 2);
            storage.bytesMax(storage.bytes());
            assertThrows(DiskFullException.class, () -> write(file, 2, 2, 3));
            assertFalse(file.isFailed());
            write(file, 3, 1);
            storage.heal();
            write(file, 4, 2, 30);
            assertEquals(3, version(file, 1));
            assertEquals(4, version(file, 30));
        }
    }

    /** A batch that stopped halfway is whole on disk before the next one replaces its copies. */
    @Test
    void aBatchThatFailedInPlaceIsCompletedBeforeTheNext() {
        for (long seed = 1; seed <= 20; seed++) {
            FaultyStorage storage = new FaultyStorage(seed);
            try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
                write(file, 1, 1, 2, 3, 4);
                storage.failAtChange(3, false); // Copies written, copies forced, pages written: the third fails.
                assertThrows(StorageException.class, () -> write(file, 2, 1, 2, 3, 4));
                write(file, 3, 7);
            }
            storage.crash();
            try (PageFile file = PageFile.open(storage, DIRECTORY, ID, false)) {
                for (int pageId = 1; pageId <= 4; pageId++) {
                    assertTrue(version(file, pageId) >= 1, "seed=" + seed);
                }
                assertEquals(3, version(file, 7));
            }
        }
    }

    @Test
    void afterAFailedForceNothingIsWritten() {
        FaultyStorage storage = new FaultyStorage(6);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 1, 1);
            storage.failAtChange(4, false);
            assertThrows(StorageException.class, () -> write(file, 2, 1));
            assertTrue(file.isFailed());
            DatabaseFailedException failed = assertThrows(DatabaseFailedException.class, () -> write(file, 3, 1));
            assertTrue(failed.getMessage().contains("file="), failed.getMessage());
        }
    }

    @Test
    void aReadOnlyFileRefusesWrites() {
        FaultyStorage storage = new FaultyStorage(7);
        PageFile.create(storage, DIRECTORY, ID).close();
        try (PageFile file = PageFile.open(storage, DIRECTORY, ID, true)) {
            long changeCount = storage.changeCount();
            assertThrows(ReadOnlyException.class, () -> write(file, 1, 1));
            assertEquals(changeCount, storage.changeCount());
        }
    }

    @Test
    void damagedMisdirectedAndCutPagesAreTold() {
        FaultyStorage storage = new FaultyStorage(8);
        try (PageFile file = PageFile.create(storage, DIRECTORY, ID)) {
            write(file, 1, 1, 2, 3);
            storage.corrupt(PAGES, PageLayout.fileOffset(2) + 5000, 1);
            CorruptionException damaged = assertThrows(CorruptionException.class, () -> version(file, 2));
            assertTrue(damaged.getMessage().contains("pageId=2"), damaged.getMessage());
            copyPage(storage, 1, 3);
            CorruptionException misdirected = assertThrows(CorruptionException.class, () -> version(file, 3));
            assertTrue(misdirected.getMessage().contains("pageIdInPage=1"), misdirected.getMessage());
            try (BlockFile pages = storage.open(PAGES, Storage.OpenMode.READ_WRITE)) {
                pages.truncate(PageLayout.fileOffset(1) + 100);
            }
            assertThrows(TruncatedFileException.class, () -> version(file, 1));
        }
    }

    private static void copyPage(FaultyStorage storage, int from, int to) {
        try (BlockFile pages = storage.open(PAGES, Storage.OpenMode.READ_WRITE)) {
            ByteBuffer page = ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES);
            pages.read(page, PageLayout.fileOffset(from));
            pages.write(page.flip(), PageLayout.fileOffset(to));
        }
    }

    @Test
    void filesThatDoNotBelongAreToldApart() {
        for (Path path : new Path[] {PAGES, DOUBLE_WRITE}) {
            assertOpenFails(UnknownFormatException.class, path, header -> header.putInt(0, 0x12345678));
            assertOpenFails(CorruptionException.class, path, header -> header.put(60, (byte) 1));
            assertOpenFails(NewerFormatException.class, path, header -> {
                header.putInt(FileHeaderLayout.VERSION_OFFSET, 3);
                seal(header);
            });
            assertOpenFails(OlderFormatException.class, path, header -> {
                header.putInt(FileHeaderLayout.VERSION_OFFSET, 0);
                seal(header);
            });
            assertOpenFails(UnknownFormatException.class, path, header -> {
                header.put(FileHeaderLayout.NAME_OFFSET, (byte) 'x');
                seal(header);
            });
            assertOpenFails(UnknownFormatException.class, path, header -> {
                header.putLong(FileHeaderLayout.DATABASE_ID_LOW_OFFSET, 3);
                seal(header);
            });
            assertOpenFails(CorruptionException.class, path, header -> {
                header.putInt(FileHeaderLayout.PAGE_BYTES_OFFSET, 4096);
                seal(header);
            });
            assertOpenFails(TruncatedFileException.class, path, header -> header.limit(100));
            assertOpenFails(TruncatedFileException.class, path, header -> header.limit(0));
            FaultyStorage storage = new FaultyStorage(10);
            PageFile.create(storage, DIRECTORY, ID).close();
            storage.delete(path);
            assertThrows(MissingFileException.class, () -> PageFile.open(storage, DIRECTORY, ID, false));
        }
    }

    private interface Change {
        void apply(ByteBuffer header);
    }

    private static void assertOpenFails(Class<? extends LockstepException> expected, Path path, Change change) {
        FaultyStorage storage = new FaultyStorage(9);
        PageFile.create(storage, DIRECTORY, ID).close();
        try (BlockFile file = storage.open(path, Storage.OpenMode.READ_WRITE)) {
            ByteBuffer header =
                    ByteBuffer.allocateDirect(FileHeaderLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            file.read(header, 0);
            header.clear();
            change.apply(header);
            file.write(header, 0);
            if (header.limit() < FileHeaderLayout.HEADER_BYTES) {
                file.truncate(header.limit());
            }
        }
        LockstepException failure =
                assertThrows(expected, () -> PageFile.open(storage, DIRECTORY, ID, false), path::toString);
        assertTrue(failure.getMessage().contains("file=" + path), failure.getMessage());
        assertTrue(failure.getMessage().contains("Remedy: "), failure.getMessage());
    }

    private static void seal(ByteBuffer header) {
        byte[] bytes = new byte[FileHeaderLayout.CHECKSUM_OFFSET];
        header.get(0, bytes);
        CRC32C crc = new CRC32C();
        crc.update(Arrays.copyOf(bytes, bytes.length));
        header.putInt(FileHeaderLayout.CHECKSUM_OFFSET, (int) crc.getValue());
    }
}
