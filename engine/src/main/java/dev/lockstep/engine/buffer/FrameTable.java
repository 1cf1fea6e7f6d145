package dev.lockstep.engine.buffer;

import dev.lockstep.scheduler.latch.LatchTable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the pool knows of each frame besides its bytes and its latch. It lies beside the latch, in
 * {@linkplain LatchTable#COMPANIONS its companions}: a visit of a page reads the latch, the page id and the references,
 * and a change writes the recovery LSN, which in arrays of their own were three more cache lines. In TPC-C the wait for
 * the recovery LSN alone was a twenty-eighth of all time.
 *
 * <p>Invariants, for each frame:
 * <ul>
 *   <li>{@code pageId} changes only under the frame's exclusive latch, after the bytes of the new page are in place and
 *       before those of the old are touched; it is {@code NO_PAGE} while the frame is free or loading. In a
 *       pool with a file a page that was discarded keeps its frame until it is evicted, like any other.
 *   <li>{@code recoveryLsn} is the LSN of the first change that is in the frame and in no write begun since;
 *       {@code CLEAN} if there is none.
 *   <li>{@code writingLsn} is what {@code recoveryLsn} was when the write in progress copied the page; {@code CLEAN} if
 *       no write is in progress. The page writer sets it before it resets {@code recoveryLsn}.
 *   <li>{@code references} is 0 to {@code REFERENCES_MAX}.
 *   <li>No frame from {@code usedEnd} on has ever had a page. Who sees a page in a frame, or what was logged of it,
 *       sees a {@code usedEnd} beyond that frame: it is raised before the page id is set.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread, within the rules above.
 */
final class FrameTable {
    static final int NO_PAGE = -1;
    static final long CLEAN = Long.MAX_VALUE;

    /** Two bits, as in the S3-FIFO paper: more would keep pages that were hot long ago. */
    static final int REFERENCES_MAX = 3;

    // What is read with every visit of a page, or written with every change, comes first.
    private static final int PAGE_ID = 0;
    private static final int RECOVERY_LSN = 1;
    private static final int REFERENCES = 2;
    private static final int WRITING_LSN = 3;
    private static final int ORIGIN = 4;

    private final LatchTable latches;
    private final AtomicInteger usedEnd = new AtomicInteger();

    /** @param latches as many as frames; their companions become this table's */
    FrameTable(LatchTable latches) {
        this.latches = latches;
        for (int frame = 0; frame < latches.latchCount(); frame++) {
            latches.setCompanionOpaque(frame, PAGE_ID, NO_PAGE);
            latches.setCompanionOpaque(frame, RECOVERY_LSN, CLEAN);
            latches.setCompanionOpaque(frame, WRITING_LSN, CLEAN);
        }
    }

    /**
     * For optimistic readers, between taking the version and validating: the version orders it. A stale value was right
     * when the version before was, and validation fails then.
     */
    static int pageIdOpaque(LatchTable latches, int frame) {
        return (int) latches.companionOpaque(frame, PAGE_ID);
    }

    int pageIdAcquire(int frame) {
        return (int) latches.companionAcquire(frame, PAGE_ID);
    }

    void setPageIdRelease(int frame, int pageId) {
        if (frame >= usedEnd.getAcquire()) {
            usedEnd.accumulateAndGet(frame + 1, Math::max);
        }
        latches.setCompanionRelease(frame, PAGE_ID, pageId);
    }

    /**
     * Behind the last frame that ever had a page. A pool that is larger than its database has many behind it, which
     * nobody has to look at; their latches and companions alone are 16 MiB for each GiB.
     */
    int usedEndAcquire() {
        return usedEnd.getAcquire();
    }

    long recoveryLsnAcquire(int frame) {
        return latches.companionAcquire(frame, RECOVERY_LSN);
    }

    void setRecoveryLsnRelease(int frame, long lsn) {
        latches.setCompanionRelease(frame, RECOVERY_LSN, lsn);
    }

    boolean casRecoveryLsn(int frame, long expected, long replacement) {
        return latches.compareAndSetCompanion(frame, RECOVERY_LSN, expected, replacement);
    }

    long writingLsnAcquire(int frame) {
        return latches.companionAcquire(frame, WRITING_LSN);
    }

    void setWritingLsnRelease(int frame, long lsn) {
        latches.setCompanionRelease(frame, WRITING_LSN, lsn);
    }

    /**
     * The LSN from which the log would have to be replayed for this frame. Read in this order because a write begins by
     * setting {@code writingLsn} before it resets {@code recoveryLsn}, and a failed write ends by restoring
     * {@code recoveryLsn} before it resets {@code writingLsn}: one of the three reads sees the older LSN.
     */
    long oldestLsnAcquire(int frame) {
        long before = recoveryLsnAcquire(frame);
        long writing = writingLsnAcquire(frame);
        return Math.min(Math.min(before, writing), recoveryLsnAcquire(frame));
    }

    boolean isDirty(int frame) {
        return recoveryLsnAcquire(frame) != CLEAN;
    }

    /** A lost or stale count costs one wrong decision of the eviction, which is a guess anyway. */
    int referencesOpaque(int frame) {
        return (int) latches.companionOpaque(frame, REFERENCES);
    }

    void setReferencesOpaque(int frame, int count) {
        latches.setCompanionOpaque(frame, REFERENCES, count);
    }

    /** Written before the frame is handed to the page writer, which orders it, and by the page writer afterwards. */
    int originOpaque(int frame) {
        return (int) latches.companionOpaque(frame, ORIGIN);
    }

    void setOriginOpaque(int frame, int origin) {
        latches.setCompanionOpaque(frame, ORIGIN, origin);
    }
}
