package dev.lockstep.engine.buffer;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.InstalledBinding;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.NodeLayout;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.LatchTable;
import dev.lockstep.scheduler.latch.LatchWatch;
import java.lang.foreign.Arena;

/**
 * A fixed number of frames outside the heap that hold pages of the page file, each with a versioned latch.
 *
 * <p>How to read a page {@code p} optimistically, without writing to shared memory:
 *
 * <pre>{@code
 * int f = pool.frame(p, waiter);                     // or residentFrameAcquire(p)
 * long v = pool.latches().optimisticVersionAcquire(f);
 * if (pool.pageIdOpaque(f) != p) retry;              // evicted between the two lines
 * ... read pool.memory() from BufferPool.address(f) ...
 * if (!pool.latches().validateAcquire(f, v)) retry;  // changed or evicted meanwhile
 * }</pre>
 *
 * <p>Who latches, shared or exclusive, compares {@code pageIdOpaque(f)} with {@code p} after latching; while the latch
 * is held the page stays. There are no pins: a latch or a version is what keeps a page, or tells that it has gone.
 *
 * <p>A page id that was read optimistically may belong to a page freed since. Asking for it is harmless: the page file
 * yields what was last there, a page of type {@link PageLayout#TYPE_FREE}, or zeros; in memory the answer may be
 * {@link #NOT_RESIDENT}. Whoever follows such a pointer validates where it came from before believing what it leads to.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A page is in at most one frame; the states of its entry are described in {@link TranslationArray}, those of a
 *       frame in {@link FrameTable}.
 *   <li>A frame's page id changes only under its exclusive latch, so a version that validates proves that it did not.
 *   <li>The bytes of a page that is being read come into a frame that has no page id, so nobody looks at them.
 *   <li>A page is written only when the log is durable up to the page's LSN.
 *   <li>A page that could not be written stays in its frame, dirty.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread, where the method does not ask for a latch.
 */
public final class BufferPool implements AutoCloseable {
    /** Answer for a page that is in no frame. */
    public static final int NOT_RESIDENT = -1;

    /** Fewest frames of a pool. */
    public static final int FRAMES_MIN = PoolLimits.FRAMES_MIN;

    /**
     * Bytes behind the last frame that may be read: optimistic readers compute addresses from numbers that may be torn
     * before they validate. The farthest is the end of a value: an offset and two lengths of 16 bits each, 192 KiB.
     */
    public static final int GUARD_BYTES = 256 * 1024;

    /**
     * How long {@link #newPage} tries to get a frame. Only if a disk hangs is nothing freed for so long, and then the
     * caller, who holds latches, must not hold up everybody else for ever.
     */
    private static final long NEW_PAGE_NANOS_MAX = 10_000_000_000L;

    /** What the write-ahead log promises. */
    public interface LogFence {
        /** As {@link #imagesFromLsn()}: pages are written without images in the log. */
        long NO_IMAGES = 0;

        /**
         * Returns when the record at an LSN is on the medium, or throws. Called by an engine thread without latches.
         */
        void ensureDurable(long lsn, Waiter waiter);

        /**
         * From which LSN on an image in the log counts: a page is written only when the log has one from there on, or
         * {@link #NO_IMAGES}. It rises when a checkpoint begins. A page that is written beside that may be taken for
         * one written before, which the checkpoint waits for ({@link #flushDirty}).
         */
        default long imagesFromLsn() {
            return NO_IMAGES;
        }

        /**
         * Appends the image of a page to the log. Called by the page writer's thread, with the shared latch of the page
         * and no other; never parks.
         *
         * @param memory where the page lies
         * @param page its offset there, in bytes
         * @return LSN of the image
         */
        default long appendImage(NativeMemory memory, long page) {
            throw new UnsupportedOperationException("this log takes no images");
        }
    }

    /**
     * Pages that may be in use behind the end of the file, 128 GiB, where the pool has no more frames than these: more
     * than comes together between two checkpoints, since each page costs about as much log, and few enough that a page
     * id that is nonsense fills neither disk nor memory.
     */
    public static final int PAGES_ADDED_MAX = 1 << 24;

    /** Of a cache line. */
    private static final int LINE_SHIFT = 6;

    /**
     * From one frame to the next: a page and a cache line. The sets of a cache go by the low bits of addresses, so that
     * the first lines of pages at multiples of 8 KiB, which each visit reads, would share one set of 64 in a first
     * level and eight of 1,024 in a second.
     */
    private static final int FRAME_BYTES = PageLayout.PAGE_BYTES + (1 << LINE_SHIFT);

    private final Arena arena = Arena.ofShared();
    private final PoolParts parts;
    private final PageFile fileOrNull;

    // Parts of the parts: each level of objects costs every access a load that no compiler may hoist over an acquire.
    private final NativeMemory memory;
    private final LatchTable latches;
    private final int[][] translationChunks;
    private final FrameTable frames;

    private final PoolLimits limits;
    private final PageLoader loaderOrNull;
    private final PageWriter writerOrNull;
    private final long nativeBytes;
    private final PageAccessCounters accessCounters;
    private volatile boolean isClosed;

    /**
     * Makes a pool with all frames free.
     *
     * @param frameCount number of frames, at least {@link #FRAMES_MIN}
     * @param fileOrNull where pages come from and go to, or null: then no page ever leaves
     * @param fence what is asked before a page is written; unused without a file
     * @param ioOrNull the threads that read pages; unused without a file
     * @param listener is told when pages cannot be written
     */
    public BufferPool(
            int frameCount, PageFile fileOrNull, LogFence fence, IoThreads ioOrNull, FailureListener listener) {
        this(frameCount, NodeLayout.NONE, fileOrNull, fence, ioOrNull, listener, LatchWatch.NONE);
    }

    /**
     * Makes a pool with all frames free.
     *
     * @param frameCount number of frames, at least {@link #FRAMES_MIN}
     * @param layout the nodes that the frames are dealt to
     * @param fileOrNull where pages come from and go to, or null: then no page ever leaves
     * @param fence what is asked before a page is written; unused without a file
     * @param ioOrNull the threads that read pages; unused without a file
     * @param listener is told when pages cannot be written
     * @param watch throws once a holder of a latch may have been cut short: that ends every wait for pages and latches
     */
    public BufferPool(
            int frameCount,
            NodeLayout layout,
            PageFile fileOrNull,
            LogFence fence,
            IoThreads ioOrNull,
            FailureListener listener,
            LatchWatch watch) {
        if (frameCount < FRAMES_MIN) {
            throw new IllegalArgumentException(
                    "too few frames: frameCount=" + frameCount + ", frameCountMin=" + FRAMES_MIN);
        }
        memory = NativeMemory.trusted(PoolMemory.allocate(
                arena, address(frameCount) + GUARD_BYTES, PageLayout.PAGE_BYTES, FRAME_BYTES, layout));
        this.fileOrNull = fileOrNull;
        WriteBack writeBack = null;
        try {
            parts = PoolParts.of(memory, frameCount, watch);
            accessCounters = new PageAccessCounters(watch);
            latches = parts.latches();
            translationChunks = parts.translation().chunks();
            frames = parts.frames();
            limits = PoolLimits.of(frameCount);
            if (fileOrNull == null) {
                loaderOrNull = null;
                writerOrNull = null;
                nativeBytes = memory.byteSize();
            } else {
                writeBack = new WriteBack(parts, fileOrNull, fence, listener);
                writerOrNull = new PageWriter(parts, limits, writeBack);
                loaderOrNull = new PageLoader(parts, fileOrNull, ioOrNull, writerOrNull);
                nativeBytes = memory.byteSize() + writeBack.nativeBytes();
                writerOrNull.start();
            }
        } catch (RuntimeException | Error failure) {
            // Where the heap has no room for what lies beside the frames, or no thread can be started, nobody else
            // would give their memory back.
            if (writeBack != null) {
                writeBack.close();
            }
            freeMemory();
            throw failure;
        }
    }

    private void freeMemory() {
        InstalledBinding.poolFreed(memory.segment());
        arena.close();
    }

    /** Pages that may lie behind the end of the file; none that has left the pool does. */
    static int pagesAddedMax(int frameCount) {
        return Math.max(PAGES_ADDED_MAX, frameCount);
    }

    /** Returns the bytes of all frames, and {@link #GUARD_BYTES} behind them. */
    public NativeMemory memory() {
        return memory;
    }

    /** Returns the latches; latch <i>i</i> guards frame <i>i</i>. */
    public LatchTable latches() {
        return latches;
    }

    /** Returns what ends waits for latches that will never be given back. */
    public LatchWatch watch() {
        return parts.watch();
    }

    /** Returns the number of frames. */
    public int frameCount() {
        return parts.frameCount();
    }

    /** Returns the bytes held outside the heap. */
    public long nativeBytes() {
        return nativeBytes;
    }

    /** Returns the offset of a frame in {@link #memory()}, in bytes. */
    public static long address(int frame) {
        return ((long) frame << PageLayout.PAGE_SHIFT) + ((long) frame << LINE_SHIFT);
    }

    /** Returns the frame that a page is in, or {@link #NOT_RESIDENT}. Validate as the class comment says. */
    public int residentFrameAcquire(int pageId) {
        int entry = TranslationArray.entryAcquire(translationChunks, pageId);
        return TranslationArray.isResident(entry) ? TranslationArray.frame(entry) : NOT_RESIDENT;
    }

    /** Returns the page in a frame, negative if none; meaningful after a version was taken or a latch acquired. */
    public int pageIdOpaque(int frame) {
        return FrameTable.pageIdOpaque(latches, frame);
    }

    /**
     * Returns the frame that a page is in, after reading the page if need be; the caller parks meanwhile and so must
     * hold no latch. An interrupt does not end the wait.
     *
     * @param pageId 1 or greater
     * @param waiter the caller's
     * @return a frame, to be validated as the class comment says; {@link #NOT_RESIDENT} only in a pool without a file,
     *     for a page that does not exist (any more)
     * @throws CorruptionException if the page is damaged, or there can be none with that id
     * @throws dev.lockstep.engine.TruncatedFileException if the file ends within the page
     * @throws dev.lockstep.engine.StorageException if the page cannot be read, or no frame becomes free because pages
     *     cannot be written
     * @throws dev.lockstep.engine.DiskFullException if no frame becomes free because the disk is full
     * @throws OutOfFramesException if no frame becomes free because every page is latched
     */
    public int frame(int pageId, Waiter waiter) {
        int frame = residentFrameAcquire(pageId);
        return frame != NOT_RESIDENT || loaderOrNull == null ? frame : load(pageId, EvictionQueues.SMALL, waiter);
    }

    /**
     * As {@link #frame}, for a scan that will not come back: a page read for it is the first to be evicted, unless
     * somebody else {@linkplain #referenced references} it meanwhile. A scan does not reference the pages it visits.
     */
    public int frameForScan(int pageId, Waiter waiter) {
        int frame = residentFrameAcquire(pageId);
        return frame != NOT_RESIDENT || loaderOrNull == null ? frame : load(pageId, EvictionQueues.SCAN, waiter);
    }

    /**
     * As {@link #frame} or {@link #frameForScan}, but an interrupt ends the wait. For the stages of a statement, which
     * can be given up; not for what must go through, such as a rollback or the change of a tree's structure.
     *
     * @param forScan whether it is for a scan that will not come back
     * @throws dev.lockstep.engine.InterruptedOperationException if the thread was interrupted before the page was read;
     *     the flag stays set
     */
    public int frameInterruptibly(int pageId, boolean forScan, Waiter waiter) {
        int frame = residentFrameAcquire(pageId);
        int origin = forScan ? EvictionQueues.SCAN : EvictionQueues.SMALL;
        return frame != NOT_RESIDENT || loaderOrNull == null ? frame : load(pageId, origin, waiter, true);
    }

    /**
     * Has a page read that will be asked for soon, if a frame is free for it. Waits for nothing, and promises nothing:
     * whoever asks for the page learns what went wrong.
     *
     * @param pageId 1 or greater
     */
    public void readAhead(int pageId) {
        if (loaderOrNull != null && residentFrameAcquire(pageId) == NOT_RESIDENT) {
            checkOpen();
            loaderOrNull.readAhead(pageId, EvictionQueues.SMALL);
        }
    }

    private int load(int pageId, int origin, Waiter waiter) {
        return load(pageId, origin, waiter, false);
    }

    private int load(int pageId, int origin, Waiter waiter, boolean interruptible) {
        if (pageId <= 0) {
            // Whoever asks has the number from another page.
            throw new CorruptionException(Message.of("a page leads to one that no file has")
                    .with("pageId", pageId)
                    .remedy("close the database and verify it; restore it from a backup"));
        }
        checkOpen();
        parts.counters().misses.increment();
        return loaderOrNull.load(pageId, origin, waiter, interruptible);
    }

    /**
     * The end of the page ids that can be: what files say must be less. Looks at the size of the file.
     *
     * @return an id that no page has, nor any behind it
     */
    public int pageIdEnd() {
        return fileOrNull == null
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, (long) fileOrNull.pageCount() + pagesAddedMax(frameCount()));
    }

    /** Notes that a page was used, which delays its eviction. Cheap enough for every access. */
    public void referenced(int frame) {
        int references = frames.referencesOpaque(frame);
        if (references < FrameTable.REFERENCES_MAX) {
            frames.setReferencesOpaque(frame, references + 1);
        }
    }

    /**
     * Waits until the frames that {@link #newPage} may need are free. To be called before latching, by an operation
     * that may allocate pages. It is no promise: others may take them first, and {@code newPage} waits then.
     *
     * @param count how many pages the operation may allocate at most
     * @param waiter the caller's, who holds no latch
     * @throws IllegalArgumentException if {@code count} is more than the pool keeps for this purpose
     * @throws OutOfFramesException if the pool has no file and too few free frames, beside those kept for rollbacks
     * @throws LockstepException as {@link #frame}, if no frame becomes free
     */
    public void reserveFrames(int count, Waiter waiter) {
        reserveFrames(count, limits.undoReserve(), waiter, false);
    }

    /**
     * As {@link #reserveFrames}, for a rollback: in a pool without a file the last frames are kept for those.
     *
     * @param count how many pages the operation may allocate at most
     * @param waiter the caller's, who holds no latch
     */
    public void reserveFramesToUndo(int count, Waiter waiter) {
        reserveFrames(count, 0, waiter, false);
    }

    /**
     * As {@link #reserveFrames} of one frame, but an interrupt ends the wait.
     *
     * @param waiter the caller's, who holds no latch
     * @throws dev.lockstep.engine.InterruptedOperationException if the thread was interrupted first; the flag stays set
     */
    public void reserveFrameInterruptibly(Waiter waiter) {
        reserveFrames(1, limits.undoReserve(), waiter, true);
    }

    private void reserveFrames(int count, int leftWithoutFile, Waiter waiter, boolean interruptible) {
        checkOpen();
        int freeFrames = parts.free().countAcquire();
        if (writerOrNull == null) {
            if (freeFrames < count + leftWithoutFile) {
                throw outOfFrames(count);
            }
            return;
        }
        if (count > limits.newPageReserve()) {
            throw new IllegalArgumentException("more pages at once than the pool keeps frames for: count=" + count
                    + ", countMax=" + limits.newPageReserve());
        }
        if (freeFrames < limits.newPageReserve()) {
            PoolRequest.FrameWait wait = new PoolRequest.FrameWait(waiter, limits.newPageReserve());
            await(wait, interruptible);
        }
    }

    private void await(PoolRequest.FrameWait wait, boolean interruptible) {
        parts.counters().frameWaits.increment();
        writerOrNull.add(wait);
        if (interruptible && !wait.awaitInterruptibly() && wait.giveUp()) {
            throw PageLoader.interrupted("frame for a new page", "frameCount", parts.frameCount());
        }
        Throwable failure = wait.await();
        if (failure != null) {
            throw Failures.of(Message.of("No frame for a new page"), failure);
        }
    }

    /**
     * A frame for a page that was just allocated. The bytes are zero but for the page id in the header, whatever was
     * there before under this id. The caller initialises the page and calls {@link #markDirty} before it unlatches.
     *
     * <p>Parks on no {@link Waiter}, so latches may be held. If there is no free frame, which {@link #reserveFrames}
     * makes rare, it spins and yields, a virtual thread sleeps for moments, until the page writer has freed one; the
     * page writer never waits for a latch.
     *
     * @param pageId 1 or greater; not in use
     * @param waiter the caller's; not used for waiting
     * @return the frame, latched exclusively by the caller
     * @throws OutOfFramesException if the pool is full and has no file, or if nothing became free within 10 s
     * @throws LockstepException as {@link #frame}, if nothing becomes free because pages cannot be written
     */
    public int newPage(int pageId, Waiter waiter) {
        if (pageId <= 0) {
            throw new IllegalArgumentException("not a page: pageId=" + pageId);
        }
        checkOpen();
        // Before a frame is taken, which would be lost with a failure.
        parts.translation().reserve(pageId);
        int attempt = 0;
        // Ends because a failed attempt means that a stale copy of the page was just read, latched or evicted, by a
        // reader that will find its pointer invalid.
        while (true) {
            int entry = parts.translation().entryAcquire(pageId);
            int frame = TranslationArray.isResident(entry)
                    ? reuse(pageId, TranslationArray.frame(entry))
                    : place(pageId, entry);
            if (frame != FrameStack.NONE) {
                return frame;
            }
            attempt = Backoff.pause(attempt, parts.watch());
        }
    }

    /**
     * The page is still in a frame from its earlier life, or was when its entry was read: by now the frame may have
     * another page, whose latch must not be waited for, since who holds it may wait for one of the caller's.
     */
    private int reuse(int pageId, int frame) {
        if (!latches.tryLatchExclusive(frame)) {
            return FrameStack.NONE;
        }
        if (frames.pageIdAcquire(frame) != pageId) {
            latches.unlatchExclusiveUnchanged(frame);
            return FrameStack.NONE;
        }
        clear(frame, pageId);
        return frame;
    }

    /** Puts the page into a free frame; a read of the page in progress finds its entry taken over and gives up. */
    private int place(int pageId, int entry) {
        int frame = takeFreeFrame(pageId);
        latches.latchExclusive(frame);
        if (!parts.translation().casEntry(pageId, entry, TranslationArray.resident(frame))) {
            latches.unlatchExclusiveUnchanged(frame);
            release(frame);
            return FrameStack.NONE;
        }
        clear(frame, pageId);
        frames.setOriginOpaque(frame, EvictionQueues.SMALL);
        frames.setPageIdRelease(frame, pageId);
        if (writerOrNull != null) {
            parts.arrivals().push(frame);
        }
        return frame;
    }

    private void clear(int frame, int pageId) {
        memory.clear(address(frame), PageLayout.PAGE_BYTES);
        PageLayout.setPageId(memory, address(frame), pageId);
        frames.setReferencesOpaque(frame, 0);
    }

    private int takeFreeFrame(int pageId) {
        int frame = parts.free().pop(0);
        if (writerOrNull != null && parts.free().countAcquire() < limits.lowWater()) {
            writerOrNull.wake();
        }
        return frame != FrameStack.NONE ? frame : spinForFreeFrame(pageId);
    }

    private int spinForFreeFrame(int pageId) {
        if (writerOrNull == null) {
            throw outOfFrames(1);
        }
        long start = InstalledTime.nanoTime();
        int attempt = 0;
        while (InstalledTime.nanoTime() - start < NEW_PAGE_NANOS_MAX) {
            int frame = parts.free().pop(0);
            if (frame != FrameStack.NONE) {
                return frame;
            }
            Throwable failure = writerOrNull.writeFailureSince(start);
            if (failure != null) {
                throw Failures.of(Message.of("No frame for a new page").with("pageId", pageId), failure);
            }
            checkOpen();
            writerOrNull.wake();
            attempt = Backoff.pause(attempt);
        }
        throw outOfFrames(1);
    }

    private void release(int frame) {
        parts.free().push(frame);
        if (writerOrNull != null && writerOrNull.hasWaits()) {
            writerOrNull.wake();
        }
    }

    /**
     * Notes a change: stores its LSN in the page, and as the page's recovery LSN if the page was clean. The caller
     * holds the frame's exclusive latch since before the log record was appended and until after this call; see {@link
     * #oldestRecoveryLsn()} for why.
     *
     * @param frame the frame
     * @param recordLsn LSN of the record that describes the change
     */
    public void markDirty(int frame, long recordLsn) {
        PageLayout.setLsn(memory, address(frame), recordLsn);
        // The compare-and-set fails if the page writer just restored the LSN of an earlier change, which then stands.
        if (frames.recoveryLsnAcquire(frame) == FrameTable.CLEAN) {
            frames.casRecoveryLsn(frame, FrameTable.CLEAN, recordLsn);
        }
    }

    /**
     * Lets go of a page that was freed. The caller holds the exclusive latch of its frame, which is released.
     *
     * <p>It becomes a page of type {@link PageLayout#TYPE_FREE} and is written once more like any other. If it were
     * dropped with changes that the file lacks, replaying the log from the middle of these changes would meet a page
     * that lacks the earlier ones. If it were dropped without, a walk that was on its way to it would have it read from
     * the file as the node that it was, and others, who go by hints, would take that for the one that has its place
     * now. As a freed page it bears the LSN of the change that freed it, and so is not in the file before that change
     * is in the log: after a crash that loses the change, the page is still needed as it was. Without a file every page
     * leaves at once.
     *
     * @param pageId a page in a frame
     * @param recordLsn LSN of the record of the change that freed it
     * @throws IllegalStateException if the page is in no frame
     */
    public void discard(int pageId, long recordLsn) {
        int frame = residentFrameAcquire(pageId);
        if (frame == NOT_RESIDENT || !latches.isExclusive(frame)) {
            throw new IllegalStateException("page is not latched exclusively: pageId=" + pageId + ", frame=" + frame);
        }
        if (writerOrNull != null) {
            PageLayout.setType(memory, address(frame), PageLayout.TYPE_FREE);
            markDirty(frame, recordLsn);
            frames.setReferencesOpaque(frame, 0);
            latches.unlatchExclusive(frame);
            return;
        }
        dropLatched(pageId, frame);
    }

    private void dropLatched(int pageId, int frame) {
        frames.setRecoveryLsnRelease(frame, FrameTable.CLEAN);
        frames.setPageIdRelease(frame, FrameTable.NO_PAGE);
        parts.translation().setAbsentRelease(pageId);
        latches.unlatchExclusive(frame);
        parts.free().push(frame);
    }

    /**
     * Frees the frame of a page to which nothing leads any more and which is about to be given back, in a pool without
     * a file, whose frames nobody evicts. With a file it stays, as {@link #discard} says. The caller holds no latch.
     *
     * @param pageId 1 or greater
     */
    public void forget(int pageId) {
        int frame = writerOrNull == null ? residentFrameAcquire(pageId) : NOT_RESIDENT;
        if (frame == NOT_RESIDENT) {
            return;
        }
        latches.latchExclusive(frame);
        if (frames.pageIdAcquire(frame) == pageId) {
            dropLatched(pageId, frame);
        } else {
            latches.unlatchExclusiveUnchanged(frame);
        }
    }

    /**
     * From where the log would have to be replayed for the pages in memory: the least LSN of a change that is not in
     * the file, {@code Long.MAX_VALUE} if all are.
     *
     * <p>A page that is being changed right now is not missed, if the caller asks the log for its tail <em>before</em>
     * this call and uses the smaller of the two. A record below that tail was appended under the exclusive latch of its
     * page. If the latch has been released since, the page's recovery LSN is visible here. If it is still held and the
     * page looks clean, this method waits until it is released. So the caller must hold no latch.
     */
    public long oldestRecoveryLsn() {
        long oldest = FrameTable.CLEAN;
        int usedEnd = writerOrNull == null ? 0 : frames.usedEndAcquire();
        for (int frame = 0; frame < usedEnd; frame++) {
            int round = 0;
            // Ends because an exclusive latch is held for microseconds and a hot page is seldom clean.
            while (frames.oldestLsnAcquire(frame) == FrameTable.CLEAN && latches.isExclusive(frame)) {
                round = Backoff.pause(round, parts.watch());
            }
            oldest = Math.min(oldest, frames.oldestLsnAcquire(frame));
        }
        return oldest;
    }

    /**
     * Writes the pages that are dirty at the moment with a recovery LSN below the given one, and returns when they are
     * on the medium. Others go on changing pages meanwhile.
     *
     * @param upToRecoveryLsn exclusive bound
     * @param pace how fast; at once where somebody else asks for something that the page writer does between two
     *     flushes
     * @param waiter the caller's, who holds no latch
     * @throws LockstepException as {@link PageFile#write} and {@link LogFence#ensureDurable}; the pages not written
     *     stay dirty
     */
    public void flushDirty(long upToRecoveryLsn, FlushPace pace, Waiter waiter) {
        if (writerOrNull != null) {
            run(() -> writerOrNull.flush(upToRecoveryLsn, pace), waiter, "Cannot write pages");
        }
    }

    /** Writes all pages that are dirty at the moment, as {@link #flushDirty}. */
    public void flushAll(Waiter waiter) {
        flushDirty(FrameTable.CLEAN, FlushPace.AT_ONCE, waiter);
    }

    private void run(Runnable action, Waiter waiter, String what) {
        checkOpen();
        PoolRequest.Command command = new PoolRequest.Command(waiter, action);
        writerOrNull.add(command);
        Throwable failure = command.await();
        if (failure != null) {
            throw Failures.of(Message.of(what), failure);
        }
    }

    /** Makes a counter of page accesses for one session, to be closed with it. */
    public PageAccessCounter newAccessCounter() {
        return accessCounters.add();
    }

    /** Returns what the pool did since it was made. */
    public BufferStatistics statistics() {
        PoolCounters counters = parts.counters();
        return new BufferStatistics(
                accessCounters.sum(),
                counters.misses.sum(),
                counters.pageReads.sum(),
                counters.evictions.sum(),
                counters.pageWrites.sum(),
                counters.batches.sum(),
                counters.frameWaits.sum());
    }

    /**
     * Checks that pages, frames, latches and queues agree. For a pool that nobody uses at the moment.
     *
     * @throws dev.lockstep.engine.CorruptionException naming the first difference
     */
    public void validate() {
        checkOpen();
        if (writerOrNull == null) {
            new PoolValidator(parts).validate(null);
        } else {
            run(writerOrNull::validate, new Waiter(), "The buffer pool is inconsistent");
        }
    }

    /**
     * Ends the pool's thread and gives back the memory. Nothing is written: call {@link #flushAll} before. The caller
     * has made sure that no operation is running. A second call does nothing.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (writerOrNull != null) {
            writerOrNull.close();
            loaderOrNull.awaitIdle();
        }
        freeMemory();
    }

    private void checkOpen() {
        if (isClosed) {
            throw new DatabaseClosedException(Message.of("The buffer pool is closed")
                    .with("frameCount", parts.frameCount())
                    .remedy("Open the database again."));
        }
    }

    private OutOfFramesException outOfFrames(int count) {
        return new OutOfFramesException(Message.of("The buffer pool is full")
                .with("frameCount", parts.frameCount())
                .with("freeFrames", parts.free().countAcquire())
                .with("neededFrames", count)
                .with("keptForRollbacks", limits.undoReserve())
                .remedy("Configure a larger pool."));
    }
}
