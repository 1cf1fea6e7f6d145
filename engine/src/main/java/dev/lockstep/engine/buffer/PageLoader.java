package dev.lockstep.engine.buffer;

import dev.lockstep.engine.InterruptedOperationException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.PageReader;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.Waiter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Brings pages into frames: one read for each page, shared by all who wait for it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code loads[frame]} is set before the entry of a page says that it is being read into the frame, and reset
 *       after the entry says something else. A thread that finds another page's load there, or none, was too late and
 *       looks again.
 *   <li>Every load that began ends, whatever the reading throws.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
final class PageLoader {
    /** How often {@link #awaitIdle} looks. */
    private static final long IDLE_LOOK_NANOS = 100_000;

    private final PoolParts parts;
    private final PageFile file;
    private final IoThreads io;
    private final PageWriter writer;
    private final PoolLimits limits;
    private final AtomicReferenceArray<PageLoad> loads;
    private final AtomicInteger loadsRunning = new AtomicInteger();

    /** Each that nobody reads with; as many are made as read at the same time. */
    private final Queue<PageReader> idleReaders = new ConcurrentLinkedQueue<>();

    PageLoader(PoolParts parts, PageFile file, IoThreads io, PageWriter writer) {
        this.parts = parts;
        this.file = file;
        this.io = io;
        this.writer = writer;
        this.limits = PoolLimits.of(parts.frameCount());
        this.loads = new AtomicReferenceArray<>(parts.frameCount());
    }

    /**
     * Returns the frame of a page after reading it if need be.
     *
     * @param interruptible whether an interrupt ends the wait; a page that is being read is read all the same
     * @throws InterruptedOperationException if it did; the flag stays set
     */
    int load(int pageId, int origin, Waiter waiter, boolean interruptible) {
        // Ends because each turn finds the page, waits for a read to end, or lost a race for the entry to one who won
        // it; a page that is evicted right after it was read each time would need a pool without room for a page more.
        while (true) {
            int entry = parts.translation().entryAcquire(pageId);
            if (TranslationArray.isResident(entry)) {
                return TranslationArray.frame(entry);
            }
            if (TranslationArray.isLoading(entry)) {
                join(pageId, TranslationArray.frame(entry), waiter, interruptible);
            } else {
                begin(pageId, origin, waiter, interruptible);
            }
        }
    }

    private void join(int pageId, int frame, Waiter waiter, boolean interruptible) {
        PageLoad load = loads.get(frame);
        if (load != null && load.pageId() == pageId) {
            await(load, waiter, interruptible);
        } else {
            Thread.onSpinWait();
        }
    }

    /**
     * Begins to read a page, for nobody yet, if it is absent and a frame is free beyond those that the page writer
     * begins to work for. If it cannot be read, who asks for it next tries again.
     */
    void readAhead(int pageId, int origin) {
        if (parts.translation().entryAcquire(pageId) != TranslationArray.ABSENT || writer.hasWaits()) {
            return;
        }
        PageLoad load = newLoad(pageId);
        int frame = parts.free().pop(limits.lowWater());
        if (frame == FrameStack.NONE || !claim(load, frame)) {
            return;
        }
        try {
            io.submit(() -> read(load, frame, origin));
        } catch (RuntimeException | Error e) {
            end(load, frame, e);
            throw e;
        }
    }

    /** Makes what {@link #claim} needs, before a frame is taken, which would be lost where memory runs out. */
    private PageLoad newLoad(int pageId) {
        parts.translation().reserve(pageId);
        return new PageLoad(pageId);
    }

    /** Says that a page is being read into a frame; if somebody else was first, the frame is given back. */
    private boolean claim(PageLoad load, int frame) {
        loads.set(frame, load);
        if (!parts.translation().casEntry(load.pageId(), TranslationArray.ABSENT, TranslationArray.loading(frame))) {
            loads.set(frame, null);
            release(frame);
            return false;
        }
        loadsRunning.incrementAndGet();
        return true;
    }

    private void begin(int pageId, int origin, Waiter waiter, boolean interruptible) {
        PageLoad load = newLoad(pageId);
        int frame = takeFrame(pageId, waiter, interruptible);
        if (!claim(load, frame)) {
            return;
        }
        PoolRequest.LoadWait wait = null;
        try {
            wait = load.join(waiter);
            io.submit(() -> read(load, frame, origin));
        } catch (RuntimeException | Error e) {
            end(load, frame, e);
            if (wait == null) {
                throw e;
            }
        }
        await(wait, pageId, interruptible);
    }

    private void await(PageLoad load, Waiter waiter, boolean interruptible) {
        PoolRequest.LoadWait wait = load.join(waiter);
        if (wait != null) {
            await(wait, load.pageId(), interruptible);
        }
    }

    private static void await(PoolRequest.LoadWait wait, int pageId, boolean interruptible) {
        if (interruptible && !wait.awaitInterruptibly()) {
            throw interrupted("page", "pageId", pageId);
        }
        check(wait.await(), pageId);
    }

    /** What a thread is told that was interrupted while it waited. */
    static InterruptedOperationException interrupted(String what, String name, int value) {
        return new InterruptedOperationException(Message.of("The thread was interrupted while it waited for a " + what)
                .with(name, value)
                .remedy("Clear the interrupt flag if the work shall go on, and run the transaction again."));
    }

    private static void check(Throwable failure, int pageId) {
        if (failure != null) {
            throw Failures.of(Message.of("Cannot read a page").with("pageId", pageId), failure);
        }
    }

    private int takeFrame(int pageId, Waiter waiter, boolean interruptible) {
        int frame = writer.hasWaits() ? FrameStack.NONE : parts.free().pop(limits.newPageReserve());
        if (parts.free().countAcquire() < limits.lowWater()) {
            writer.wake();
        }
        if (frame != FrameStack.NONE) {
            return frame;
        }
        parts.counters().frameWaits.increment();
        PoolRequest.FrameWait wait = new PoolRequest.FrameWait(waiter, 0);
        writer.add(wait);
        Throwable failure;
        boolean hasEnded = false;
        try {
            if (interruptible && !wait.awaitInterruptibly() && wait.giveUp()) {
                hasEnded = true;
                throw interrupted("frame", "pageId", pageId);
            }
            failure = wait.await();
            hasEnded = true;
        } finally {
            if (!hasEnded) {
                dropWait(wait);
            }
        }
        if (failure != null) {
            throw Failures.of(Message.of("No frame for a page").with("frameCount", parts.frameCount()), failure);
        }
        return wait.frame();
    }

    /** Of a thread that cannot be suspended: nobody takes the frame that may come, or has come. */
    private void dropWait(PoolRequest.FrameWait wait) {
        if (!wait.giveUp() && wait.frame() != FrameStack.NONE) {
            parts.free().push(wait.frame());
            writer.wake();
        }
    }

    /** On an I/O thread, or where there is none on the one that needs the page. */
    private void read(PageLoad load, int frame, int origin) {
        Throwable failure = null;
        boolean published = false;
        try {
            readPage(load.pageId(), frame);
            parts.counters().pageReads.increment();
            published = publish(load.pageId(), frame, origin);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        if (published) {
            loads.set(frame, null);
            parts.arrivals().push(frame);
            loadsRunning.decrementAndGet();
            load.end(null);
        } else {
            end(load, frame, failure);
        }
    }

    private void readPage(int pageId, int frame) {
        PageReader idle = idleReaders.poll();
        PageReader reader = idle == null ? file.newReader(parts.memory()) : idle;
        try {
            reader.read(pageId, BufferPool.address(frame));
        } finally {
            idleReaders.add(reader);
        }
    }

    /** Makes the page resident, unless it was created anew in another frame while it was read. */
    private boolean publish(int pageId, int frame, int origin) {
        parts.frames().setReferencesOpaque(frame, 0);
        parts.frames().setOriginOpaque(frame, origin);
        parts.latches().latchExclusive(frame);
        boolean published =
                parts.translation().casEntry(pageId, TranslationArray.loading(frame), TranslationArray.resident(frame));
        if (published) {
            parts.frames().setPageIdRelease(frame, pageId);
        }
        parts.latches().unlatchExclusive(frame);
        return published;
    }

    /** Ends a load that brought nothing. */
    private void end(PageLoad load, int frame, Throwable failureOrNull) {
        parts.translation().casEntry(load.pageId(), TranslationArray.loading(frame), TranslationArray.ABSENT);
        loads.set(frame, null);
        release(frame);
        loadsRunning.decrementAndGet();
        load.end(failureOrNull);
    }

    private void release(int frame) {
        parts.free().push(frame);
        if (writer.hasWaits()) {
            writer.wake();
        }
    }

    /** Waits until no page is being read, which the disk bounds. */
    void awaitIdle() {
        while (loadsRunning.get() > 0) {
            InstalledTime.parkNanos(this, IDLE_LOOK_NANOS);
        }
    }
}
