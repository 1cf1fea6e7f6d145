package dev.lockstep.engine.buffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageReader;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many threads read, change, free and recreate pages of a pool that holds a few of them, against an array that says
 * what each page must say. What a seed fixes is what each thread asks for; how the threads meet differs from run to
 * run.
 */
class BufferPoolRandomTest {
    private static final int FRAMES = 64;
    private static final int PAGES = 600;
    private static final int PLATFORM_THREADS = 3;
    private static final int VIRTUAL_THREADS = 9;
    private static final int OPERATIONS = 1500;
    private static final int CHECKPOINTS = 40;

    /** States of a page in the model. */
    private static final int USED = 1;

    private static final int CHANGING_LIFE = 2;

    private final AtomicLong tailLsn = new AtomicLong(1);

    /** The word of each page; changed under the exclusive latch of its frame. */
    private final AtomicLongArray words = new AtomicLongArray(PAGES);

    private final AtomicIntegerArray states = new AtomicIntegerArray(PAGES);
    private final List<ConcurrentSkipListSet<Long>> changes = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void thePoolSaysWhatTheArraySays(long seed) throws Exception {
        FaultyStorage storage = new FaultyStorage(seed);
        for (int pageId = 0; pageId < PAGES; pageId++) {
            changes.add(new ConcurrentSkipListSet<>());
        }
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            for (int pageId = 1; pageId < PAGES; pageId++) {
                recreate(fixture.pool, pageId, fixture.waiter);
            }
            runThreads(fixture, seed);
            fixture.pool.flushAll(fixture.waiter);
            BufferStatistics statistics = fixture.pool.statistics();
            assertTrue(statistics.evictions() > PAGES, statistics::toString);
            fixture.pool.validate();
        }
        storage.crash();
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            for (int pageId = 1; pageId < PAGES; pageId++) {
                assertEquals(words.get(pageId), fixture.word(pageId), "seed=" + seed + ", pageId=" + pageId);
            }
        }
    }

    private void runThreads(PoolFixture fixture, long seed) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        List<FutureTask<Void>> workers = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < PLATFORM_THREADS + VIRTUAL_THREADS; i++) {
            SplittableRandom random = seeds.split();
            FutureTask<Void> worker = new FutureTask<>(() -> work(fixture.pool, random, seed), null);
            workers.add(worker);
            (i < PLATFORM_THREADS ? Thread.ofPlatform() : Thread.ofVirtual()).start(worker);
        }
        FutureTask<Void> checkpointer = new FutureTask<>(() -> checkpoint(fixture, seeds.split(), isOver), null);
        Thread.ofPlatform().start(checkpointer);
        try {
            for (FutureTask<Void> worker : workers) {
                worker.get();
            }
        } finally {
            isOver.set(true);
            checkpointer.get();
        }
    }

    private void work(BufferPool pool, SplittableRandom random, long seed) {
        Waiter waiter = new Waiter();
        for (int operation = 0; operation < OPERATIONS; operation++) {
            String replay = "seed=" + seed + ", operation=" + operation;
            // Half of the accesses go to a tenth of the pages, so that some stay and most are evicted.
            int pageId = 1 + random.nextInt(random.nextBoolean() ? PAGES / 10 : PAGES - 1);
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> readOptimistically(pool, pageId, waiter, replay);
                case 4, 5 -> readShared(pool, pageId, waiter, replay);
                case 6, 7, 8 -> change(pool, pageId, waiter, replay);
                default -> changeLife(pool, pageId, waiter);
            }
        }
    }

    /** A version that validates proves that all words were read from one state of the right page. */
    private static void readOptimistically(BufferPool pool, int pageId, Waiter waiter, String replay) {
        while (true) {
            int frame = pool.frame(pageId, waiter);
            long version = pool.latches().optimisticVersionAcquire(frame);
            if (pool.pageIdOpaque(frame) != pageId) {
                continue;
            }
            pool.referenced(frame);
            long page = BufferPool.address(frame);
            int idInPage = PageLayout.pageId(pool.memory(), page);
            long word = PoolFixture.word(pool, frame);
            if (pool.latches().validateAcquire(frame, version)) {
                assertEquals(pageId, idInPage, replay);
                assertTrue(word > 0, () -> "torn read: " + replay + ", pageId=" + pageId);
                return;
            }
        }
    }

    private void readShared(BufferPool pool, int pageId, Waiter waiter, String replay) {
        while (true) {
            int frame = pool.frameForScan(pageId, waiter);
            pool.latches().latchShared(frame);
            boolean isPage = pool.pageIdOpaque(frame) == pageId;
            boolean isUsed = states.get(pageId) == USED;
            long expected = words.get(pageId);
            long word = isPage ? PoolFixture.word(pool, frame) : 0;
            pool.latches().unlatchShared(frame);
            if (isPage) {
                if (isUsed) {
                    assertEquals(expected, word, replay + ", pageId=" + pageId);
                }
                return;
            }
        }
    }

    private void change(BufferPool pool, int pageId, Waiter waiter, String replay) {
        while (true) {
            int frame = pool.frame(pageId, waiter);
            pool.latches().latchExclusive(frame);
            if (pool.pageIdOpaque(frame) != pageId) {
                pool.latches().unlatchExclusiveUnchanged(frame);
                continue;
            }
            try {
                // A thread that gave up with the latch held would make the others wait for ever.
                if (states.get(pageId) == USED) {
                    assertEquals(words.get(pageId), PoolFixture.word(pool, frame), replay + ", pageId=" + pageId);
                    PoolFixture.fill(pool, frame, log(pageId));
                    pool.markDirty(frame, words.get(pageId));
                }
            } finally {
                pool.latches().unlatchExclusive(frame);
            }
            return;
        }
    }

    /** Appends a record: the word of a page is the LSN of its last change. */
    private long log(int pageId) {
        long lsn = tailLsn.getAndIncrement();
        changes.get(pageId).add(lsn);
        words.set(pageId, lsn);
        return lsn;
    }

    /** Frees a page and creates it anew; others go on asking for it meanwhile, as readers with stale pointers do. */
    private void changeLife(BufferPool pool, int pageId, Waiter waiter) {
        if (!states.compareAndSet(pageId, USED, CHANGING_LIFE)) {
            return;
        }
        while (true) {
            int frame = pool.frame(pageId, waiter);
            pool.latches().latchExclusive(frame);
            if (pool.pageIdOpaque(frame) == pageId) {
                pool.discard(pageId, tailLsn.getAndIncrement());
                break;
            }
            pool.latches().unlatchExclusiveUnchanged(frame);
        }
        recreate(pool, pageId, waiter);
    }

    private void recreate(BufferPool pool, int pageId, Waiter waiter) {
        pool.reserveFrames(1, waiter);
        int frame = pool.newPage(pageId, waiter);
        PoolFixture.initialise(pool, frame, pageId, log(pageId));
        pool.markDirty(frame, words.get(pageId));
        states.set(pageId, USED);
        pool.latches().unlatchExclusive(frame);
    }

    /**
     * At any moment the log from the checkpoint on and the file together hold every change: no page in the file lacks a
     * change below the LSN that the pool reported.
     */
    private void checkpoint(PoolFixture fixture, SplittableRandom random, AtomicBoolean isOver) {
        Waiter waiter = new Waiter();
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES);
            PageReader reader = fixture.file.newReader(memory);
            for (int i = 0; i < CHECKPOINTS || !isOver.get(); i++) {
                long tail = tailLsn.get();
                long oldest = Math.min(tail, fixture.pool.oldestRecoveryLsn());
                for (int look = 0; look < 50; look++) {
                    int pageId = 1 + random.nextInt(PAGES - 1);
                    reader.read(pageId, 0);
                    Long missing = changes.get(pageId).higher(PageLayout.lsn(memory, 0));
                    assertTrue(missing == null || missing >= oldest, "pageId=" + pageId + ", oldest=" + oldest);
                }
                fixture.pool.flushDirty(oldest + random.nextInt(50), FlushPace.AT_ONCE, waiter);
            }
        }
    }

    /**
     * The stack of free frames under threads that take and give. Who has a frame has it marked all the time, from the
     * pop to the push: a frame that two have at a time, or that is on the stack twice at the end, is found.
     */
    @Test
    void noFrameIsTakenTwice() throws Exception {
        int frames = 8;
        FrameStack stack = new FrameStack(new int[frames]);
        AtomicIntegerArray taken = new AtomicIntegerArray(frames);
        for (int frame = 0; frame < frames; frame++) {
            stack.push(frame);
        }
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FutureTask<Void> thread = new FutureTask<>(() -> takeAndGive(stack, taken), null);
            threads.add(thread);
            // A stack that has lost a frame keeps whoever waits for it.
            Thread.ofPlatform().daemon().start(thread);
        }
        for (FutureTask<Void> thread : threads) {
            thread.get();
        }
        assertEquals(frames, stack.countAcquire());
        // Of a stack with a cycle the snapshot is as long, but a frame is in it twice.
        assertArrayEquals(
                IntStream.range(0, frames).toArray(),
                IntStream.of(stack.snapshot()).sorted().toArray());
    }

    private static void takeAndGive(FrameStack stack, AtomicIntegerArray taken) {
        for (int i = 0; i < 50_000; i++) {
            int first = take(stack, taken, 0);
            int second = take(stack, taken, 2);
            give(stack, taken, first);
            give(stack, taken, second);
        }
    }

    private static int take(FrameStack stack, AtomicIntegerArray taken, int leaveMin) {
        int frame = stack.pop(leaveMin);
        if (frame != FrameStack.NONE) {
            assertEquals(1, taken.incrementAndGet(frame), "frame taken twice");
        }
        return frame;
    }

    private static void give(FrameStack stack, AtomicIntegerArray taken, int frame) {
        if (frame != FrameStack.NONE) {
            assertEquals(0, taken.decrementAndGet(frame), "frame taken twice");
            stack.push(frame);
        }
    }
}
