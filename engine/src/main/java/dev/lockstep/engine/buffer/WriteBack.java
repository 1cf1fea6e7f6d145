package dev.lockstep.engine.buffer;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.PageBatch;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.PageLsns;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.util.Arrays;

/**
 * Writes dirty pages. A page is copied under its shared latch, so nobody waits for the disk to change it further; the
 * copies go to the medium after the log has got there (write-ahead rule; Mohan et al., ARIES, TODS 1992).
 *
 * <p>Invariants:
 * <ul>
 *   <li>Between copying and the end of the write the frame's {@code writingLsn} is what its {@code recoveryLsn} was, so
 *       {@link BufferPool#oldestRecoveryLsn()} does not forget it; or the LSN of the page's image in the log, if that
 *       is lower, since redo of a page that this write tears begins there.
 *   <li>{@code images} are the LSNs of the last images of pages in the log. An image is appended under the latch under
 *       which the page is copied, so every record behind it is of a later change.
 *   <li>After a failure every page of the batch is as dirty as before.
 * </ul>
 *
 * <p>Thread-safety: for the page writer's thread alone.
 */
final class WriteBack implements AutoCloseable {
    static final int PAGES_MAX = DoubleWriteLayout.PAGES_MAX;

    private static final int FRAME_BITS = 32;

    private final PoolParts parts;
    private final PageFile file;
    private final BufferPool.LogFence fence;
    private final FailureListener listener;
    private final Waiter waiter = new Waiter();
    private final PageBatch batch = new PageBatch();
    private final PageLsns images = new PageLsns();
    private final int[] copied = new int[PAGES_MAX];
    private final long[] skipped = new long[PAGES_MAX];
    private int skippedCount;
    private boolean isFailing;
    private boolean isFatal;

    WriteBack(PoolParts parts, PageFile file, BufferPool.LogFence fence, FailureListener listener) {
        this.parts = parts;
        this.file = file;
        this.fence = fence;
        this.listener = listener;
    }

    /** A page and the frame it is in, as a number that sorts by page. */
    static long pack(int pageId, int frame) {
        return (long) pageId << FRAME_BITS | frame;
    }

    static int frame(long packed) {
        return (int) packed;
    }

    private static int pageId(long packed) {
        return (int) (packed >>> FRAME_BITS);
    }

    long nativeBytes() {
        return batch.nativeBytes();
    }

    int skippedCount() {
        return skippedCount;
    }

    /** A page of the last call that was latched exclusively and therefore not written. */
    long skipped(int index) {
        return skipped[index];
    }

    /**
     * Writes those of the given pages that are still in their frames and dirty.
     *
     * @param pages at most {@link #PAGES_MAX} pages, see {@link #pack}; sorted by this method
     * @param from the first
     * @param to behind the last
     * @return number of pages written
     */
    int write(long[] pages, int from, int to) {
        Arrays.sort(pages, from, to);
        batch.clear();
        skippedCount = 0;
        try {
            long lsnMax = copy(pages, from, to);
            if (batch.pageCount() == 0) {
                return 0;
            }
            fence.ensureDurable(lsnMax, waiter);
            file.write(batch);
        } catch (RuntimeException | Error e) {
            restoreDirty();
            noteFailure(e);
            throw e;
        }
        isFailing = false;
        for (int i = 0; i < batch.pageCount(); i++) {
            parts.frames().setWritingLsnRelease(copied[i], FrameTable.CLEAN);
        }
        parts.counters().pageWrites.add(batch.pageCount());
        parts.counters().batches.increment();
        return batch.pageCount();
    }

    private long copy(long[] pages, int from, int to) {
        long lsnMax = 0;
        for (int i = from; i < to; i++) {
            int frame = frame(pages[i]);
            // Never wait here: a holder of the latch may be waiting for this thread to free a frame.
            if (!parts.latches().tryLatchShared(frame)) {
                skipped[skippedCount++] = pages[i];
                continue;
            }
            try {
                if (parts.frames().pageIdAcquire(frame) == pageId(pages[i])
                        && parts.frames().isDirty(frame)) {
                    lsnMax = Math.max(lsnMax, copy(frame, pageId(pages[i])));
                }
            } finally {
                parts.latches().unlatchShared(frame);
            }
        }
        return lsnMax;
    }

    private long copy(int frame, int pageId) {
        long page = BufferPool.address(frame);
        if (PageLayout.pageId(parts.memory(), page) != pageId) {
            throw new CorruptionException(Message.of("The header of a page in memory does not name the page")
                    .with("pageId", pageId)
                    .with("pageIdInPage", PageLayout.pageId(parts.memory(), page))
                    .with("frame", frame)
                    .remedy("Close the database and open it again; its log is replayed."));
        }
        long pageLsn = PageLayout.lsn(parts.memory(), page);
        long redoLsn = parts.frames().recoveryLsnAcquire(frame);
        long imagesFromLsn = fence.imagesFromLsn();
        if (imagesFromLsn != BufferPool.LogFence.NO_IMAGES) {
            if (images.get(pageId) < imagesFromLsn) {
                images.set(pageId, fence.appendImage(parts.memory(), page));
                pageLsn = Math.max(pageLsn, images.get(pageId));
            }
            redoLsn = Math.min(redoLsn, images.get(pageId));
        }
        copied[batch.pageCount()] = frame;
        batch.add(parts.memory(), page);
        parts.frames().setWritingLsnRelease(frame, redoLsn);
        parts.frames().setRecoveryLsnRelease(frame, FrameTable.CLEAN);
        return pageLsn;
    }

    private void restoreDirty() {
        for (int i = 0; i < batch.pageCount(); i++) {
            FrameTable frames = parts.frames();
            long lsn = frames.writingLsnAcquire(copied[i]);
            long current = frames.recoveryLsnAcquire(copied[i]);
            // Ends because the only other change is from CLEAN to the LSN of a new record, once.
            while (lsn < current && !frames.casRecoveryLsn(copied[i], current, lsn)) {
                current = frames.recoveryLsnAcquire(copied[i]);
            }
            frames.setWritingLsnRelease(copied[i], FrameTable.CLEAN);
        }
    }

    /** One report for a series of failures, since the writer tries again and again, and one if it turns out worse. */
    private void noteFailure(Throwable failure) {
        boolean fatal = file.isFailed()
                || failure instanceof DatabaseFailedException
                || failure instanceof CorruptionException
                || !(failure instanceof LockstepException);
        if (!isFailing || (fatal && !isFatal)) {
            isFailing = true;
            isFatal |= fatal;
            listener.failed(failure, fatal);
        }
    }

    @Override
    public void close() {
        batch.close();
    }
}
