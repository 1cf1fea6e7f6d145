package dev.lockstep.engine.buffer;

import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A pool over a storage, with a log that is durable whenever it is asked. Closing validates. */
final class PoolFixture implements AutoCloseable {
    static final Path DIRECTORY = Path.of("database");
    static final Path PAGES = DIRECTORY.resolve(PageFile.PAGES_FILE);

    private static final int IO_THREADS = 2;

    /** A log without contents. */
    static final class TestFence implements BufferPool.LogFence {
        private final AtomicLong durable = new AtomicLong();
        private volatile RuntimeException failure;

        @Override
        public void ensureDurable(long lsn, Waiter waiter) {
            RuntimeException planned = failure;
            if (planned != null) {
                throw planned;
            }
            durable.accumulateAndGet(lsn + 1, Math::max);
        }

        /** Up to where durability was asked for. */
        long durableLsn() {
            return durable.get();
        }

        void failWith(RuntimeException planned) {
            failure = planned;
        }
    }

    /** What the listener was told. */
    record Failure(Throwable cause, boolean isFatal) {}

    final TestFence fence = new TestFence();
    final List<Failure> failures = new CopyOnWriteArrayList<>();
    final Waiter waiter = new Waiter();
    final PageFile file;
    final BufferPool pool;
    private final IoThreads io = new IoThreads(IO_THREADS);

    private PoolFixture(PageFile fileOrNull, int frameCount) {
        file = fileOrNull;
        FailureListener listener = (cause, isFatal) -> failures.add(new Failure(cause, isFatal));
        pool = new BufferPool(frameCount, fileOrNull, fence, io, listener);
    }

    static PoolFixture create(Storage storage, int frameCount) {
        return new PoolFixture(PageFile.create(storage, DIRECTORY, DatabaseId.random()), frameCount);
    }

    static PoolFixture open(Storage storage, int frameCount) {
        return new PoolFixture(PageFile.open(storage, DIRECTORY, null, false), frameCount);
    }

    static PoolFixture inMemory(int frameCount) {
        return new PoolFixture(null, frameCount);
    }

    /** Makes a page that says the same word everywhere, and unlatches it. */
    void create(int pageId, long word, long lsn) {
        pool.reserveFrames(1, waiter);
        int frame = pool.newPage(pageId, waiter);
        initialise(pool, frame, pageId, word);
        pool.markDirty(frame, lsn);
        pool.latches().unlatchExclusive(frame);
    }

    static void initialise(BufferPool pool, int frame, int pageId, long word) {
        PageLayout.initialise(pool.memory(), BufferPool.address(frame), PageLayout.TYPE_NODE, pageId, 1);
        fill(pool, frame, word);
    }

    static void fill(BufferPool pool, int frame, long word) {
        long page = BufferPool.address(frame);
        for (int offset = PageLayout.HEADER_BYTES; offset < PageLayout.PAGE_BYTES; offset += Long.BYTES) {
            pool.memory().setLong(page + offset, word);
        }
    }

    /** Finds a page and latches it shared. */
    int latchShared(int pageId) {
        while (true) {
            int frame = pool.frame(pageId, waiter);
            pool.latches().latchShared(frame);
            if (pool.pageIdOpaque(frame) == pageId) {
                return frame;
            }
            pool.latches().unlatchShared(frame);
        }
    }

    /** Finds a page and latches it exclusively. */
    int latchExclusive(int pageId) {
        while (true) {
            int frame = pool.frame(pageId, waiter);
            pool.latches().latchExclusive(frame);
            if (pool.pageIdOpaque(frame) == pageId) {
                return frame;
            }
            pool.latches().unlatchExclusiveUnchanged(frame);
        }
    }

    /** Returns the word of a page, or -1 if the page does not say the same everywhere. */
    static long word(BufferPool pool, int frame) {
        long page = BufferPool.address(frame);
        long first = pool.memory().getLong(page + PageLayout.HEADER_BYTES);
        for (int offset = PageLayout.HEADER_BYTES; offset < PageLayout.PAGE_BYTES; offset += Long.BYTES) {
            if (pool.memory().getLong(page + offset) != first) {
                return -1;
            }
        }
        return first;
    }

    long word(int pageId) {
        int frame = latchShared(pageId);
        long word = word(pool, frame);
        pool.latches().unlatchShared(frame);
        return word;
    }

    @Override
    public void close() {
        try {
            pool.validate();
        } finally {
            pool.close();
            io.close();
            if (file != null) {
                file.close();
            }
        }
    }
}
