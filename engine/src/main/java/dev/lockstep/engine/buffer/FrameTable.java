package dev.lockstep.engine.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What the pool knows of each frame besides its bytes and its latch.
 *
 * <p>Invariants, for each frame:
 * <ul>
 *   <li>{@code pageId} changes only under the frame's exclusive latch, after the bytes of the new page are in place and
 *       before those of the old are touched; it is {@code NO_PAGE} while the frame is free, loading, or discarded.
 *   <li>{@code recoveryLsn} is the LSN of the first change that is in the frame and in no write begun since;
 *       {@code CLEAN} if there is none.
 *   <li>{@code writingLsn} is what {@code recoveryLsn} was when the write in progress copied the page; {@code CLEAN} if
 *       no write is in progress. The page writer sets it before it resets {@code recoveryLsn}.
 *   <li>{@code references} is 0 to {@code REFERENCES_MAX}.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread, within the rules above.
 */
final class FrameTable {
    static final int NO_PAGE = -1;
    static final long CLEAN = Long.MAX_VALUE;

    /** Two bits, as in the S3-FIFO paper: more would keep pages that were hot long ago. */
    static final int REFERENCES_MAX = 3;

    private static final VarHandle PAGE_ID = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LSN = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle BYTE = MethodHandles.arrayElementVarHandle(byte[].class);

    private final int[] pageIds;
    private final long[] recoveryLsns;
    private final long[] writingLsns;
    private final byte[] references;
    private final byte[] origins;

    FrameTable(int frameCount) {
        pageIds = new int[frameCount];
        recoveryLsns = new long[frameCount];
        writingLsns = new long[frameCount];
        references = new byte[frameCount];
        origins = new byte[frameCount];
        Arrays.fill(pageIds, NO_PAGE);
        Arrays.fill(recoveryLsns, CLEAN);
        Arrays.fill(writingLsns, CLEAN);
    }

    /**
     * For optimistic readers, between taking the version and validating: the version orders it. A stale value was right
     * when the version before was, and validation fails then.
     */
    static int pageIdOpaque(int[] pageIds, int frame) {
        return (int) PAGE_ID.getOpaque(pageIds, frame);
    }

    /** The page ids, for who wants to save the load of this object on every access. */
    int[] pageIds() {
        return pageIds;
    }

    int pageIdAcquire(int frame) {
        return (int) PAGE_ID.getAcquire(pageIds, frame);
    }

    void setPageIdRelease(int frame, int pageId) {
        PAGE_ID.setRelease(pageIds, frame, pageId);
    }

    long recoveryLsnAcquire(int frame) {
        return (long) LSN.getAcquire(recoveryLsns, frame);
    }

    void setRecoveryLsnRelease(int frame, long lsn) {
        LSN.setRelease(recoveryLsns, frame, lsn);
    }

    boolean casRecoveryLsn(int frame, long expected, long replacement) {
        return LSN.compareAndSet(recoveryLsns, frame, expected, replacement);
    }

    long writingLsnAcquire(int frame) {
        return (long) LSN.getAcquire(writingLsns, frame);
    }

    void setWritingLsnRelease(int frame, long lsn) {
        LSN.setRelease(writingLsns, frame, lsn);
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
        return (byte) BYTE.getOpaque(references, frame);
    }

    void setReferencesOpaque(int frame, int count) {
        BYTE.setOpaque(references, frame, (byte) count);
    }

    /** Written before the frame is handed to the page writer, which orders it, and by the page writer afterwards. */
    int originOpaque(int frame) {
        return (byte) BYTE.getOpaque(origins, frame);
    }

    void setOriginOpaque(int frame, int origin) {
        BYTE.setOpaque(origins, frame, (byte) origin);
    }
}
