package dev.lockstep.engine.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private static final int FRAMES = 64;

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void aDatabaseLargerThanThePoolIsReadBack() {
        FaultyStorage storage = new FaultyStorage(1);
        int pages = 10 * FRAMES;
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            for (int pageId = 1; pageId <= pages; pageId++) {
                fixture.create(pageId, 7L * pageId, pageId);
            }
            for (int pageId = 1; pageId <= pages; pageId++) {
                assertEquals(7L * pageId, fixture.word(pageId));
            }
            fixture.pool.flushAll(fixture.waiter);
            assertEquals(Long.MAX_VALUE, fixture.pool.oldestRecoveryLsn());
            BufferStatistics statistics = fixture.pool.statistics();
            assertTrue(statistics.pageWrites() >= pages, statistics::toString);
            assertTrue(statistics.evictions() >= pages - FRAMES, statistics::toString);
            assertTrue(statistics.pageReads() >= pages - FRAMES, statistics::toString);
            assertTrue(statistics.batches() * 2 < statistics.pageWrites(), statistics::toString);
        }
        storage.crash();
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            for (int pageId = pages; pageId >= 1; pageId--) {
                assertEquals(7L * pageId, fixture.word(pageId));
            }
        }
    }

    @Test
    void threadsThatWaitForOnePageShareOneRead() throws Exception {
        FaultyStorage storage = new FaultyStorage(2);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(5, 55, 1);
            fixture.pool.flushAll(fixture.waiter);
        }
        GatedStorage gated = new GatedStorage(storage);
        try (PoolFixture fixture = PoolFixture.open(gated, FRAMES)) {
            gated.closeGate();
            List<FutureTask<Integer>> readers = new ArrayList<>();
            readers.add(start(() -> fixture.pool.frame(5, new Waiter())));
            gated.awaitArrival();
            for (int i = 0; i < 10; i++) {
                readers.add(start(() -> fixture.pool.frame(5, new Waiter())));
            }
            while (fixture.pool.statistics().misses() < readers.size()) {
                Thread.onSpinWait();
            }
            assertEquals(BufferPool.NOT_RESIDENT, fixture.pool.residentFrameAcquire(5));
            gated.openGate();
            int frame = fixture.pool.frame(5, fixture.waiter);
            for (FutureTask<Integer> reader : readers) {
                assertEquals(frame, reader.get());
            }
            assertEquals(1, fixture.pool.statistics().pageReads());
            assertEquals(55, fixture.word(5));
        }
    }

    @Test
    void whoAsksForAPageThatIsReadAheadWaitsForThatRead() throws Exception {
        FaultyStorage storage = new FaultyStorage(2);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(5, 55, 1);
            fixture.create(6, 66, 1);
            fixture.pool.flushAll(fixture.waiter);
        }
        GatedStorage gated = new GatedStorage(storage);
        try (PoolFixture fixture = PoolFixture.open(gated, FRAMES)) {
            gated.closeGate();
            fixture.pool.readAhead(5);
            fixture.pool.readAhead(6);
            gated.awaitArrival();
            gated.awaitArrival();
            fixture.pool.readAhead(5);
            assertEquals(BufferPool.NOT_RESIDENT, fixture.pool.residentFrameAcquire(5));
            FutureTask<Integer> reader = start(() -> fixture.pool.frame(5, new Waiter()));
            gated.openGate();
            assertEquals(fixture.pool.frame(5, fixture.waiter), reader.get());
            assertEquals(55, fixture.word(5));
            assertEquals(66, fixture.word(6));
            fixture.pool.readAhead(5);
            assertEquals(2, fixture.pool.statistics().pageReads());
        }
    }

    @Test
    void readingAheadLeavesTheFramesThatThePageWriterKeepsFree() {
        FaultyStorage storage = new FaultyStorage(2);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            for (int pageId = 1; pageId <= 2 * FRAMES; pageId++) {
                fixture.create(pageId, pageId, 1);
            }
            fixture.pool.flushAll(fixture.waiter);
        }
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            for (int pageId = 1; pageId <= 2 * FRAMES; pageId++) {
                fixture.pool.readAhead(pageId);
            }
            int readable = FRAMES - PoolLimits.of(FRAMES).lowWater();
            for (int pageId = 1; pageId <= readable; pageId++) {
                assertEquals(pageId, fixture.word(pageId));
            }
            assertEquals(readable, fixture.pool.statistics().pageReads());
            for (int pageId = 2 * FRAMES; pageId > readable; pageId--) {
                assertEquals(pageId, fixture.word(pageId));
            }
        }
    }

    @Test
    void aPageThatCouldNotBeReadAheadIsReadOnceMore() throws Exception {
        FaultyStorage storage = new FaultyStorage(2);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(5, 55, 1);
            fixture.pool.flushAll(fixture.waiter);
        }
        GatedStorage gated = new GatedStorage(storage);
        try (PoolFixture fixture = PoolFixture.open(gated, FRAMES)) {
            gated.closeGate();
            storage.failReads(PoolFixture.PAGES.getFileName().toString(), 1);
            fixture.pool.readAhead(5);
            gated.awaitArrival();
            FutureTask<Integer> reader = start(() -> fixture.pool.frame(5, new Waiter()));
            while (fixture.pool.statistics().misses() < 1) {
                Thread.onSpinWait();
            }
            gated.openGate();
            ExecutionException refused = assertThrows(ExecutionException.class, reader::get);
            assertEquals(StorageException.class, refused.getCause().getClass());
            storage.heal();
            assertEquals(55, fixture.word(5));
        }
    }

    @Test
    void aPageCreatedAnewWhileItsOldVersionIsReadIsTheNewOne() throws Exception {
        FaultyStorage storage = new FaultyStorage(3);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(5, 1, 1);
            fixture.pool.flushAll(fixture.waiter);
        }
        GatedStorage gated = new GatedStorage(storage);
        try (PoolFixture fixture = PoolFixture.open(gated, FRAMES)) {
            gated.closeGate();
            FutureTask<Integer> staleReader = start(() -> fixture.pool.frame(5, new Waiter()));
            gated.awaitArrival();
            fixture.create(5, 2, 2);
            int frame = fixture.pool.residentFrameAcquire(5);
            assertNotEquals(BufferPool.NOT_RESIDENT, frame);
            gated.openGate();
            assertEquals(frame, staleReader.get());
            assertEquals(2, fixture.word(5));
            fixture.pool.flushAll(fixture.waiter);
        }
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            assertEquals(2, fixture.word(5));
        }
    }

    @Test
    void aStaleFrameIsToldByVersionOrPageId() {
        FaultyStorage storage = new FaultyStorage(4);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            BufferPool pool = fixture.pool;
            fixture.create(1, 11, 1);
            int frame = pool.frame(1, fixture.waiter);
            long version = pool.latches().optimisticVersionAcquire(frame);
            assertEquals(1, pool.pageIdOpaque(frame));
            for (int pageId = 2; pageId < 4 * FRAMES; pageId++) {
                fixture.create(pageId, pageId, pageId);
            }
            assertEquals(BufferPool.NOT_RESIDENT, pool.residentFrameAcquire(1));
            assertFalse(pool.latches().validateAcquire(frame, version));
            assertNotEquals(1, pool.pageIdOpaque(frame));
        }
    }

    /** The version changes although the frame has not got another page yet: its bytes may change at any moment. */
    @Test
    void everyEvictionChangesTheVersion() {
        FaultyStorage storage = new FaultyStorage(14);
        int[] frames = new int[FRAMES + 1];
        long[] versions = new long[FRAMES + 1];
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            BufferPool pool = fixture.pool;
            fixture.fence.failWith(new DatabaseFailedException("nothing is written, so nothing evicted"));
            for (int pageId = 1; pageId <= FRAMES; pageId++) {
                int frame = pool.newPage(pageId, fixture.waiter);
                PoolFixture.initialise(pool, frame, pageId, pageId);
                pool.markDirty(frame, pageId);
                pool.latches().unlatchExclusive(frame);
                frames[pageId] = frame;
                versions[pageId] = pool.latches().optimisticVersionAcquire(frame);
            }
            fixture.fence.failWith(null);
            pool.flushAll(fixture.waiter);
            pool.reserveFrames(1, fixture.waiter);
            pool.validate(); // The page writer does this, so it has ended what it was doing.
            int evicted = 0;
            for (int pageId = 1; pageId <= FRAMES; pageId++) {
                if (pool.residentFrameAcquire(pageId) == BufferPool.NOT_RESIDENT) {
                    evicted++;
                    assertFalse(pool.latches().validateAcquire(frames[pageId], versions[pageId]), "pageId=" + pageId);
                } else {
                    assertTrue(pool.latches().validateAcquire(frames[pageId], versions[pageId]), "pageId=" + pageId);
                }
            }
            assertTrue(evicted > 0, "nothing was evicted");
        }
    }

    /** The record is appended and its page not yet marked: the recovery LSN must wait for the holder of the latch. */
    @Test
    void aPageThatIsBeingChangedIsNotMissed() throws Exception {
        FaultyStorage storage = new FaultyStorage(15);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 1);
            fixture.pool.flushAll(fixture.waiter);
            int frame = fixture.latchExclusive(1);
            CountDownLatch started = new CountDownLatch(1);
            FutureTask<Long> oldest = new FutureTask<>(() -> {
                started.countDown();
                return fixture.pool.oldestRecoveryLsn();
            });
            Thread.ofPlatform().start(oldest);
            started.await();
            for (int i = 0; i < 1000; i++) {
                Thread.yield(); // Chances for it to return too early.
            }
            assertFalse(oldest.isDone());
            fixture.pool.markDirty(frame, 77);
            fixture.pool.latches().unlatchExclusive(frame);
            assertEquals(77, oldest.get());
        }
    }

    /** Pages that are written little by little hold up nobody who needs a frame, nor who asks for all to be written. */
    @Test
    void aFlushThatIsAheadServesTheOthers() throws Exception {
        int pageCount = 4 * WriteBack.PAGES_MAX;
        AtomicBoolean isServed = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        try (PoolFixture fixture = PoolFixture.create(new FaultyStorage(11), pageCount)) {
            for (int pageId = 1; pageId <= 3 * WriteBack.PAGES_MAX; pageId++) {
                fixture.create(pageId, pageId, pageId);
            }
            FutureTask<Void> flush = new FutureTask<>(() -> {
                fixture.pool.flushDirty(
                        FrameTable.CLEAN,
                        writtenShare -> {
                            asked.incrementAndGet();
                            return !isServed.get();
                        },
                        new Waiter());
                return null;
            });
            Thread.ofPlatform().start(flush);
            while (asked.get() == 0) {
                Thread.onSpinWait();
            }
            // More pages than the pool has frames, while the flush waits between two batches.
            for (int pageId = 1; pageId <= 2 * pageCount; pageId++) {
                fixture.create(1_000 + pageId, pageId, 10_000L + pageId);
            }
            assertFalse(flush.isDone());
            isServed.set(true);
            flush.get();

            asked.set(0);
            FutureTask<Void> ahead = new FutureTask<>(() -> {
                fixture.pool.flushDirty(FrameTable.CLEAN, writtenShare -> asked.incrementAndGet() > 0, new Waiter());
                return null;
            });
            for (int pageId = 1; pageId <= 3 * WriteBack.PAGES_MAX; pageId++) {
                fixture.create(5_000 + pageId, pageId, 20_000L + pageId);
            }
            Thread.ofPlatform().start(ahead);
            while (asked.get() == 0) {
                Thread.onSpinWait();
            }
            fixture.pool.flushAll(fixture.waiter);
            ahead.get();
            assertEquals(FrameTable.CLEAN, fixture.pool.oldestRecoveryLsn());
        }
    }

    /** Whether the file has them as they were or not: nobody may read one back as what it was. */
    @Test
    void discardedPagesAreWrittenAsFreed() {
        FaultyStorage storage = new FaultyStorage(5);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 10);
            fixture.create(2, 2, 20);
            fixture.pool.flushDirty(15, FlushPace.AT_ONCE, fixture.waiter);
            assertEquals(20, fixture.pool.oldestRecoveryLsn());
            fixture.latchExclusive(1);
            fixture.pool.discard(1, 30);
            requireFreed(fixture, 1, 30);
            fixture.latchExclusive(2);
            fixture.pool.discard(2, 30);
            assertEquals(20, fixture.pool.oldestRecoveryLsn());
            fixture.pool.flushAll(fixture.waiter);
        }
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            requireFreed(fixture, 1, 30);
            requireFreed(fixture, 2, 30);
            fixture.create(2, 22, 40);
            assertEquals(22, fixture.word(2));
            assertEquals(40, fixture.pool.oldestRecoveryLsn());
        }
    }

    private static void requireFreed(PoolFixture fixture, int pageId, long lsn) {
        int frame = fixture.pool.frame(pageId, fixture.waiter);
        assertEquals(PageLayout.TYPE_FREE, PageLayout.type(fixture.pool.memory(), BufferPool.address(frame)));
        assertEquals(lsn, PageLayout.lsn(fixture.pool.memory(), BufferPool.address(frame)));
    }

    @Test
    void aFreedPageIsWrittenBehindTheRecordThatFreesIt() {
        try (PoolFixture fixture = PoolFixture.create(new FaultyStorage(8), FRAMES)) {
            fixture.create(1, 1, 10);
            fixture.latchExclusive(1);
            fixture.pool.discard(1, 30);
            fixture.pool.flushAll(fixture.waiter);
            assertEquals(31, fixture.fence.durableLsn());
        }
    }

    @Test
    void aPoolWithoutAFileKeepsEveryPageUntilItIsFull() {
        try (PoolFixture fixture = PoolFixture.inMemory(FRAMES)) {
            int everybodys = FRAMES - PoolLimits.of(FRAMES).undoReserve();
            for (int pageId = 1; pageId <= everybodys; pageId++) {
                fixture.create(pageId, pageId, 1);
            }
            assertThrows(OutOfFramesException.class, () -> fixture.pool.reserveFrames(1, fixture.waiter));
            for (int pageId = everybodys + 1; pageId <= FRAMES; pageId++) {
                fixture.pool.reserveFramesToUndo(1, fixture.waiter);
                int frame = fixture.pool.newPage(pageId, fixture.waiter);
                PoolFixture.initialise(fixture.pool, frame, pageId, pageId);
                fixture.pool.latches().unlatchExclusive(frame);
            }
            OutOfFramesException full =
                    assertThrows(OutOfFramesException.class, () -> fixture.pool.newPage(1000, fixture.waiter));
            assertTrue(full.getMessage().contains("frameCount=64"), full.getMessage());
            assertThrows(OutOfFramesException.class, () -> fixture.pool.reserveFramesToUndo(1, fixture.waiter));
            for (int pageId = 10; pageId < 10 + PoolLimits.of(FRAMES).undoReserve(); pageId++) {
                fixture.latchExclusive(pageId);
                fixture.pool.discard(pageId, 2);
            }
            fixture.latchExclusive(9);
            fixture.pool.discard(9, 2);
            assertEquals(BufferPool.NOT_RESIDENT, fixture.pool.frame(9, fixture.waiter));
            fixture.create(1000, 3, 1);
            assertEquals(3, fixture.word(1000));
            assertEquals(Long.MAX_VALUE, fixture.pool.oldestRecoveryLsn());
        }
    }

    @Test
    void damagedPagesAreReportedToEveryReaderAndTheFrameIsFreed() {
        FaultyStorage storage = new FaultyStorage(6);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 1);
            fixture.pool.flushAll(fixture.waiter);
        }
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            storage.corrupt(PoolFixture.PAGES, PageLayout.fileOffset(1) + 100, 4);
            for (int i = 0; i < 2 * FRAMES; i++) {
                CorruptionException damaged =
                        assertThrows(CorruptionException.class, () -> fixture.pool.frame(1, fixture.waiter));
                assertTrue(damaged.getMessage().contains("pageId=1"), damaged.getMessage());
            }
            storage.corrupt(PoolFixture.PAGES, PageLayout.fileOffset(1) + 100, 4);
            assertEquals(1, fixture.word(1));
        }
    }

    @Test
    void aFullDiskFailsOperationsAndLosesNothing() {
        FaultyStorage storage = new FaultyStorage(7);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            storage.bytesMax(storage.bytes() + 20 * PageLayout.PAGE_BYTES);
            int[] created = {0};
            assertThrows(DiskFullException.class, () -> {
                for (int pageId = 1; pageId < 10 * FRAMES; pageId++) {
                    fixture.create(pageId, pageId, pageId);
                    created[0] = pageId;
                }
            });
            assertTrue(created[0] >= FRAMES / 2, "created=" + created[0]);
            assertFalse(fixture.failures.getFirst().isFatal());
            DiskFullException flush =
                    assertThrows(DiskFullException.class, () -> fixture.pool.flushAll(fixture.waiter));
            assertTrue(flush.getMessage().contains("Free space"), flush.getMessage());
            assertTrue(fixture.pool.oldestRecoveryLsn() <= created[0]);
            storage.heal();
            for (int pageId = created[0] + 1; pageId < 3 * FRAMES; pageId++) {
                fixture.create(pageId, pageId, pageId);
            }
            for (int pageId = 1; pageId < 3 * FRAMES; pageId++) {
                assertEquals(pageId, fixture.word(pageId));
            }
            assertEquals(1, fixture.failures.size());
        }
    }

    @Test
    void whatTurnsOutFatalIsToldBehindWhatWasNot() {
        FaultyStorage storage = new FaultyStorage(12);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 100);
            storage.bytesMax(storage.bytes());
            assertThrows(DiskFullException.class, () -> fixture.pool.flushAll(fixture.waiter));
            fixture.fence.failWith(new DatabaseFailedException("the log has failed"));
            for (int i = 0; i < 2; i++) {
                assertThrows(DatabaseFailedException.class, () -> fixture.pool.flushAll(fixture.waiter));
            }
            assertEquals(
                    List.of(false, true),
                    fixture.failures.stream().map(PoolFixture.Failure::isFatal).toList());
            storage.heal();
            fixture.fence.failWith(null);
        }
    }

    @Test
    void pagesAreNotWrittenBeforeTheLog() {
        FaultyStorage storage = new FaultyStorage(8);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 100);
            fixture.fence.failWith(new DatabaseFailedException("the log has failed"));
            long changes = storage.changeCount();
            assertThrows(DatabaseFailedException.class, () -> fixture.pool.flushAll(fixture.waiter));
            assertEquals(changes, storage.changeCount());
            assertTrue(fixture.failures.getFirst().isFatal());
            assertEquals(100, fixture.pool.oldestRecoveryLsn());
            fixture.fence.failWith(null);
            fixture.pool.flushAll(fixture.waiter);
            assertEquals(101, fixture.fence.durableLsn());
        }
    }

    @Test
    void aFailedForceIsFatalAndThePagesStayInMemory() {
        FaultyStorage storage = new FaultyStorage(9);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 5);
            storage.failAtChange(4, false);
            assertThrows(StorageException.class, () -> fixture.pool.flushAll(fixture.waiter));
            assertTrue(fixture.failures.getFirst().isFatal());
            assertEquals(5, fixture.pool.oldestRecoveryLsn());
            assertEquals(1, fixture.word(1));
            assertThrows(DatabaseFailedException.class, () -> fixture.pool.flushAll(fixture.waiter));
        }
    }

    @Test
    void anInterruptedThreadReadsItsPageAndStaysInterrupted() {
        FaultyStorage storage = new FaultyStorage(10);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            for (int pageId = 1; pageId < 3 * FRAMES; pageId++) {
                fixture.create(pageId, pageId, pageId);
            }
            Thread.currentThread().interrupt();
            for (int pageId = 1; pageId < 3 * FRAMES; pageId++) {
                assertEquals(pageId, fixture.word(pageId));
            }
            fixture.pool.flushAll(fixture.waiter);
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void newPagesFindTheirReserveWhileLatchesAreHeld() {
        FaultyStorage storage = new FaultyStorage(11);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            int pageId = 1;
            for (int split = 0; split < 40; split++) {
                fixture.pool.reserveFrames(4, fixture.waiter);
                int first = pageId;
                int[] frames = new int[4];
                for (int i = 0; i < frames.length; i++) {
                    frames[i] = fixture.pool.newPage(pageId, fixture.waiter);
                    PoolFixture.initialise(fixture.pool, frames[i], pageId, pageId);
                    fixture.pool.markDirty(frames[i], pageId);
                    pageId++;
                }
                for (int i = 0; i < frames.length; i++) {
                    assertEquals(first + i, fixture.pool.pageIdOpaque(frames[i]));
                    fixture.pool.latches().unlatchExclusive(frames[i]);
                }
            }
            IllegalArgumentException tooMany = assertThrows(
                    IllegalArgumentException.class, () -> fixture.pool.reserveFrames(FRAMES, fixture.waiter));
            assertTrue(tooMany.getMessage().contains("countMax="), tooMany.getMessage());
        }
    }

    @Test
    void usesAfterCloseAreTold() throws ExecutionException, InterruptedException {
        FaultyStorage storage = new FaultyStorage(12);
        PoolFixture fixture = PoolFixture.create(storage, FRAMES);
        fixture.close();
        fixture.pool.close();
        assertThrows(DatabaseClosedException.class, () -> fixture.pool.frame(1, fixture.waiter));
        assertThrows(DatabaseClosedException.class, () -> fixture.pool.newPage(1, fixture.waiter));
        assertThrows(DatabaseClosedException.class, () -> fixture.pool.flushAll(fixture.waiter));
    }

    @Test
    void validationTellsADamagedPool() {
        FaultyStorage storage = new FaultyStorage(13);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            fixture.create(1, 1, 1);
            fixture.pool.validate();
            int frame = fixture.latchShared(1);
            CorruptionException latched = assertThrows(CorruptionException.class, fixture.pool::validate);
            assertTrue(latched.getMessage().contains("latch"), latched.getMessage());
            fixture.pool.latches().unlatchShared(frame);
        }
    }

    @Test
    void accessesAreCountedPerSession() {
        try (PoolFixture fixture = PoolFixture.inMemory(FRAMES)) {
            PageAccessCounter first = fixture.pool.newAccessCounter();
            try (PageAccessCounter second = fixture.pool.newAccessCounter()) {
                second.countAccess();
                for (int i = 0; i < 4; i++) {
                    second.countAccess();
                }
            }
            first.countAccess();
            assertEquals(6, fixture.pool.statistics().accesses());
            assertEquals(6, fixture.pool.statistics().hits());
            first.close();
            first.close();
            assertEquals(6, fixture.pool.statistics().accesses());
            assertEquals(1.0, fixture.pool.statistics().hitRatio());
        }
    }

    /** Else recovery would take the log of a large load for damaged. */
    @Test
    void thePagesOfAPoolMayAllBeNewerThanTheFile() {
        assertEquals(BufferPool.PAGES_ADDED_MAX, BufferPool.pagesAddedMax(BufferPool.FRAMES_MIN));
        int frameCount = (int) (DatabaseOptions.POOL_BYTES_MAX / PageLayout.PAGE_BYTES);
        assertEquals(frameCount, BufferPool.pagesAddedMax(frameCount));
    }
}
