package dev.lockstep.engine.buffer;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.EngineThreads;
import dev.lockstep.scheduler.InstalledTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that frees frames and writes pages. It keeps {@code highWater} frames free so that those who need one
 * seldom wait, gives freed frames to those who do in the order they came, and runs the commands of a checkpoint between
 * two batches.
 *
 * <p>That there is one such thread makes much simple: a page is never written twice at the same time, a frame is not
 * evicted while it is written, and the queues of the eviction need no lock.
 *
 * <p>Invariants:
 * <ul>
 *   <li>It never waits for a latch, because the holder may wait for a frame (see {@link BufferPool#newPage}).
 *   <li>{@code waitCount} is the number of frame waits made and not completed; while it is not 0, {@link BufferPool}
 *       takes no frame past them for a page to be read.
 *   <li>Whoever adds a command or a wait, or ends the thread, calls {@link #wake()} afterwards; the thread clears
 *       {@code isWoken} before it looks, for the end too: cleared after that, the wake-up of the end would be lost.
 * </ul>
 *
 * <p>Thread-safety: the methods that say so may be called by any thread; the rest runs on the thread itself.
 */
final class PageWriter implements AutoCloseable {
    /**
     * How long to wait before another attempt after a failed write, unless somebody asks: a full disk is freed by
     * people.
     */
    private static final long RETRY_NANOS = 100_000_000;

    /** How long to wait when every page is latched or referenced. Latches are held for microseconds. */
    private static final long STALLED_NANOS = 200_000;

    /**
     * After so many waits of {@link #STALLED_NANOS}, some seconds, latches have leaked and nothing will become free.
     */
    private static final int STALLED_ROUNDS_MAX = 25_000;

    /** How often to ask whether a flush is still ahead of its pace: few switches, and no batch is late by much. */
    private static final long PACE_NANOS = 20_000_000;

    /** Pages that are evicted together: somebody may wait for the first, and 512 KiB take a millisecond. */
    private static final int EVICTED_PAGES_MAX = 64;

    private static final long UNTIL_WOKEN = Long.MAX_VALUE;

    private final PoolParts parts;
    private final PoolLimits limits;
    private final WriteBack writeBack;
    private final EvictionQueues queues;
    private final EngineThread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private volatile boolean isClosing;
    private volatile WriteFailure writeFailure;

    /** Bounded by the threads that wait for their own. */
    private final Queue<PoolRequest.FrameWait> newWaits = new ConcurrentLinkedQueue<>();

    /** Bounded by the threads that wait for their own. */
    private final Queue<PoolRequest.Command> commands = new ConcurrentLinkedQueue<>();

    private final AtomicInteger waitCount = new AtomicInteger();
    private final ArrayDeque<PoolRequest.FrameWait> waits = new ArrayDeque<>();
    private final int[] arrived;
    private final long[] victims = new long[EVICTED_PAGES_MAX];
    private int victimCount;
    private int stalledRounds;
    private int freedCount;

    PageWriter(PoolParts parts, PoolLimits limits, WriteBack writeBack) {
        this.parts = parts;
        this.limits = limits;
        this.writeBack = writeBack;
        this.queues = new EvictionQueues(parts.frames(), parts.frameCount());
        this.arrived = new int[parts.frameCount()];
        this.thread = new EngineThread(this::work, "lockstep-page-writer");
    }

    void start() {
        thread.start();
    }

    // For any thread.

    /** Has the thread look for something to do. */
    void wake() {
        if (!isWoken.get() && isWoken.compareAndSet(false, true)) {
            LockSupport.unpark(thread);
        }
    }

    /** Returns whether somebody waits for a frame; for any thread. A stale answer lets one newcomer go first. */
    boolean hasWaits() {
        return waitCount.get() != 0;
    }

    /**
     * Why an attempt to write has failed.
     *
     * @param begunNanos when it began, by {@link InstalledTime#nanoTime}
     */
    private record WriteFailure(Throwable cause, long begunNanos) {}

    /**
     * Why the last attempt to write has failed, or null: also where it began before a point in time, since what failed
     * then says nothing of what can be written since.
     *
     * @param nanos by {@link InstalledTime#nanoTime}
     */
    Throwable writeFailureSince(long nanos) {
        WriteFailure failure = writeFailure;
        return failure == null || failure.begunNanos - nanos < 0 ? null : failure.cause;
    }

    void add(PoolRequest.FrameWait wait) {
        waitCount.incrementAndGet();
        newWaits.add(wait);
        wakeOrFail();
    }

    void add(PoolRequest.Command command) {
        commands.add(command);
        wakeOrFail();
    }

    private void wakeOrFail() {
        wake();
        if (ended.getCount() == 0) {
            failNewRequests();
        }
    }

    /** Ends the thread; nothing is written by this. */
    @Override
    public void close() {
        isClosing = true;
        wake();
        EngineThreads.awaitUninterruptibly(ended);
        failNewRequests();
        writeBack.close();
    }

    // On the thread.

    private void work() {
        try {
            isWoken.set(false);
            while (!isClosing) {
                long idleNanos = roundOrFail();
                if (idleNanos > 0 && !isWoken.get()) {
                    park(idleNanos);
                }
                isWoken.set(false);
            }
        } finally {
            ended.countDown();
            failWaits(closed());
            failNewRequests();
        }
    }

    private void park(long nanos) {
        if (nanos == UNTIL_WOKEN) {
            LockSupport.park(this);
        } else {
            InstalledTime.parkNanos(this, nanos);
        }
    }

    /**
     * Failures to write are dealt with where they happen; this is for what nobody expects, such as an OutOfMemoryError.
     */
    private long roundOrFail() {
        try {
            return round();
        } catch (RuntimeException | Error e) {
            writeFailure = new WriteFailure(e, InstalledTime.nanoTime());
            failWaits(e);
            return RETRY_NANOS;
        }
    }

    /** Does what there is to do; returns how long to be idle. */
    private long round() {
        for (PoolRequest.Command command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
        }
        return serveFrameWaits();
    }

    /** Frees frames if there are few, and hands them to who waits; returns how long to be idle. */
    private long serveFrameWaits() {
        takeNewWaits();
        Throwable failure = null;
        if (waits.isEmpty() && parts.free().countAcquire() >= limits.lowWater()) {
            return UNTIL_WOKEN;
        }
        takeArrivals();
        freedCount = 0;
        long begunNanos = InstalledTime.nanoTime();
        try {
            freeFrames(true);
            writeFailure = null;
        } catch (RuntimeException | Error e) {
            failure = e;
            writeFailure = new WriteFailure(e, begunNanos);
            freeFrames(false);
        }
        boolean hasProgressed = grant() + freedCount > 0;
        return idleNanos(failure, hasProgressed);
    }

    private long idleNanos(Throwable failure, boolean hasProgressed) {
        if (failure != null) {
            failWaits(failure);
            return RETRY_NANOS;
        }
        boolean isSatisfied = waits.isEmpty() && parts.free().countAcquire() >= limits.lowWater();
        if (isSatisfied || hasProgressed) {
            stalledRounds = 0;
            return isSatisfied ? UNTIL_WOKEN : 0;
        }
        if (++stalledRounds > STALLED_ROUNDS_MAX && !waits.isEmpty()) {
            stalledRounds = 0;
            failWaits(new OutOfFramesException(Message.of("No page could be evicted")
                    .with("frameCount", parts.frameCount())
                    .with("freeFrames", parts.free().countAcquire())
                    .remedy("Configure a larger pool; if it is large already, pages stay latched,"
                            + " which is an error.")));
        }
        return STALLED_NANOS;
    }

    private void takeNewWaits() {
        for (PoolRequest.FrameWait wait = newWaits.peek(); wait != null; wait = newWaits.peek()) {
            waits.add(wait);
            // Only now, since who is in neither queue when memory runs out would wait for ever.
            newWaits.remove();
        }
    }

    private void takeArrivals() {
        int count = parts.arrivals().popAll(arrived);
        for (int i = 0; i < count; i++) {
            queues.add(arrived[i]);
        }
    }

    /** Gives frames to those who wait, first come, first served; returns to how many. */
    private int grant() {
        int granted = 0;
        // Ends because each turn but the last removes a wait.
        while (!waits.isEmpty()) {
            PoolRequest.FrameWait wait = waits.peek();
            int frame = FrameStack.NONE;
            if (wait.freeFramesMin() > 0) {
                if (parts.free().countAcquire() < wait.freeFramesMin()) {
                    return granted;
                }
            } else {
                frame = parts.free().pop(limits.newPageReserve());
                if (frame == FrameStack.NONE) {
                    return granted;
                }
            }
            waits.remove();
            waitCount.decrementAndGet();
            if (wait.completeWith(frame)) {
                granted++;
            } else if (frame != FrameStack.NONE) {
                parts.free().push(frame);
            }
        }
        return granted;
    }

    /** Evicts until {@code highWater} frames are free or all pages were looked at. */
    private void freeFrames(boolean writesDirty) {
        int looksMax = 2 * queues.size();
        try {
            for (int look = 0; look < looksMax && isShort(); look++) {
                int frame = queues.next();
                if (frame == FrameRing.NONE) {
                    break;
                }
                free(frame, writesDirty);
                if (victimCount == EVICTED_PAGES_MAX) {
                    writeVictims();
                }
            }
            if (victimCount > 0) {
                writeVictims();
            }
        } finally {
            for (int i = 0; i < victimCount; i++) {
                queues.putBack(WriteBack.frame(victims[i]));
            }
            victimCount = 0;
        }
    }

    private boolean isShort() {
        return parts.free().countAcquire() + victimCount < limits.highWater();
    }

    private void free(int frame, boolean writesDirty) {
        int pageId = parts.frames().pageIdAcquire(frame);
        if (!parts.frames().isDirty(frame)) {
            evict(frame);
        } else if (writesDirty) {
            victims[victimCount++] = WriteBack.pack(pageId, frame);
        } else {
            queues.putBack(frame);
        }
    }

    private void writeVictims() {
        writeBack.write(victims, 0, victimCount);
        int count = victimCount;
        victimCount = 0;
        for (int i = 0; i < count; i++) {
            evict(WriteBack.frame(victims[i]));
        }
    }

    /**
     * Makes a frame free. Readers that still have its number see by the version or by the page id that it holds their
     * page no more: the page id is withdrawn and the version changes before anybody can get the frame for another page.
     */
    private void evict(int frame) {
        if (!parts.latches().tryLatchExclusive(frame)) {
            queues.keep(frame);
            return;
        }
        int pageId = parts.frames().pageIdAcquire(frame);
        if (pageId != FrameTable.NO_PAGE && parts.frames().isDirty(frame)) {
            parts.latches().unlatchExclusiveUnchanged(frame);
            queues.keep(frame);
            return;
        }
        if (pageId != FrameTable.NO_PAGE) {
            parts.frames().setPageIdRelease(frame, FrameTable.NO_PAGE);
            parts.translation().setAbsentRelease(pageId);
            queues.evicted(frame, pageId);
            parts.counters().evictions.increment();
        }
        parts.latches().unlatchExclusive(frame);
        release(frame);
    }

    private void release(int frame) {
        parts.free().push(frame);
        freedCount++;
    }

    /**
     * Writes all pages that are dirty now with a recovery LSN below the given one. A command.
     *
     * @param upToRecoveryLsn exclusive bound
     * @param pace of the batches, but for pages that were latched in their turn
     */
    void flush(long upToRecoveryLsn, FlushPace pace) {
        long[] pages = dirtyPages(upToRecoveryLsn);
        int count = pages.length;
        boolean isPaced = true;
        // Ends because each turn leaves only pages that were latched exclusively, and latches are held for
        // microseconds; where a holder was cut short, the watch ends it.
        while (count > 0) {
            int left = 0;
            int written = 0;
            int to;
            for (int from = 0; from < count; from = to) {
                to = Math.min(from + batchPagesMax(), count);
                written += writeBack.write(pages, from, to);
                for (int i = 0; i < writeBack.skippedCount(); i++) {
                    pages[left++] = writeBack.skipped(i);
                }
                serveFrameWaits();
                if (isPaced && to < count) {
                    awaitPace(pace, to / (double) count);
                }
            }
            isPaced = false;
            count = left;
            if (written == 0 && count > 0) {
                parts.watch().look();
                InstalledTime.parkNanos(this, STALLED_NANOS);
            }
        }
    }

    /** While a long batch is being written others have as many free frames as it has pages; else it is a short one. */
    private int batchPagesMax() {
        return parts.free().countAcquire() >= WriteBack.PAGES_MAX ? WriteBack.PAGES_MAX : EVICTED_PAGES_MAX;
    }

    /** Serves those who wait for frames until it is time for the next batch, or somebody waits for the flush to end. */
    private void awaitPace(FlushPace pace, double writtenShare) {
        while (!isClosing && commands.isEmpty() && pace.isAhead(writtenShare)) {
            isWoken.set(false);
            long idleNanos = serveFrameWaits();
            if (idleNanos > 0 && !isWoken.get()) {
                park(Math.min(idleNanos, PACE_NANOS));
            }
        }
    }

    private long[] dirtyPages(long upToRecoveryLsn) {
        int usedEnd = parts.frames().usedEndAcquire();
        long[] pages = new long[usedEnd];
        int count = 0;
        for (int frame = 0; frame < usedEnd; frame++) {
            int pageId = parts.frames().pageIdAcquire(frame);
            if (pageId != FrameTable.NO_PAGE && parts.frames().recoveryLsnAcquire(frame) < upToRecoveryLsn) {
                pages[count++] = WriteBack.pack(pageId, frame);
            }
        }
        Arrays.sort(pages, 0, count);
        return Arrays.copyOf(pages, count);
    }

    /** Checks that every frame is where it must be. A command; for a pool that nobody uses. */
    void validate() {
        takeArrivals();
        new PoolValidator(parts).validate(queues);
    }

    private void failWaits(Throwable failure) {
        for (PoolRequest.FrameWait wait = waits.poll(); wait != null; wait = waits.poll()) {
            waitCount.decrementAndGet();
            wait.complete(failure);
        }
    }

    /** For any thread, once the page writer's has ended. */
    private void failNewRequests() {
        for (PoolRequest.FrameWait wait = newWaits.poll(); wait != null; wait = newWaits.poll()) {
            waitCount.decrementAndGet();
            wait.complete(closed());
        }
        for (PoolRequest.Command command = commands.poll(); command != null; command = commands.poll()) {
            command.complete(closed());
        }
    }

    private DatabaseClosedException closed() {
        return new DatabaseClosedException(Message.of("The buffer pool is closed")
                .with("frameCount", parts.frameCount())
                .remedy("Open the database again."));
    }
}
