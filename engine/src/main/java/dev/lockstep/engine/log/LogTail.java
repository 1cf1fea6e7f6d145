package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.SEAL_BYTES;

import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The end of the stream, where records are appended: it gives out LSNs and copies records into the ring.
 *
 * <p>Invariants (all fields are guarded by {@code latch}; {@code tailLsn} may be read without it):
 * <ul>
 *   <li>{@code sealedLsn <= tailLsn}. The bytes below {@code tailLsn} are complete, but for the seals that the writer
 *       has reserved and fills in itself.
 *   <li>{@code usableEndLsn} is where the closing seal of the tail's segment begins, {@code tailLsn <= usableEndLsn}.
 *       A record that does not fit below it goes to the next segment, and a PAD fills the gap. Segments of one log all
 *       have room for {@code segmentCapacityBytes}, so the writer finds every closing seal by arithmetic.
 *   <li>{@code tailLsn <= limitLsn} after an append: {@link #RESERVED_BYTES} of the ring stay free for the writer's
 *       own seal and pad. {@code limitLsn} is {@link #CLOSED} once the log has failed or is closed.
 *   <li>An append that brings the tail to {@code wakeAtLsn} or beyond wakes the writer, once.
 * </ul>
 */
final class LogTail {
    /** Returned by {@link #tryAppend} when the ring has no room now. */
    static final long NO_ROOM = -1;

    /** Returned by {@link #tryAppend} when the log is closed or has failed. */
    static final long CLOSED = -2;

    /** What the writer may add to the stream between two writes: a seal and a pad shorter than one, rounded up. */
    static final int RESERVED_BYTES = 4 * SEAL_BYTES;

    /** As {@link #wakeAtLsn}: no append wakes the writer. */
    private static final long NEVER = Long.MAX_VALUE;

    private static final VarHandle TAIL_LSN;

    static {
        try {
            TAIL_LSN = MethodHandles.lookup().findVarHandle(LogTail.class, "tailLsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SpinLatch latch;
    private final LogRing ring;
    private final LogWakeup wakeup;
    private final LogClock clock;
    private final long segmentCapacityBytes;

    private long tailLsn;
    private long sealedLsn;
    private long usableEndLsn;
    private long sealedUsableEndLsn;
    private long limitLsn;
    private long wakeAtLsn = NEVER;
    private boolean noteFirstAppend;
    private long firstAppendNanos;
    private long recordCount;
    private long commitCount;

    LogTail(
            LogRing ring,
            LogWakeup wakeup,
            LogClock clock,
            long startLsn,
            long segmentCapacityBytes,
            LatchWatch watch) {
        latch = new SpinLatch(watch);
        this.ring = ring;
        this.wakeup = wakeup;
        this.clock = clock;
        this.segmentCapacityBytes = segmentCapacityBytes;
        tailLsn = startLsn;
        sealedLsn = startLsn;
        usableEndLsn = startLsn + segmentCapacityBytes - SEAL_BYTES;
        sealedUsableEndLsn = usableEndLsn;
        limitLsn = startLsn + ring.ringBytes() - RESERVED_BYTES;
    }

    /** The LSN behind the last record. */
    long tailLsnAcquire() {
        return (long) TAIL_LSN.getAcquire(this);
    }

    /** Appends finished records; returns the LSN of the first, {@link #NO_ROOM} or {@link #CLOSED}. */
    long tryAppend(LogRecordBuffer record, int alignedBytes) {
        byte[] bytes = record.array();
        boolean wake = false;
        long lsn;
        latch.latch();
        try {
            lsn = tailLsn;
            long endLsn = lsn + alignedBytes;
            if (endLsn > usableEndLsn) {
                lsn = usableEndLsn + SEAL_BYTES;
                endLsn = lsn + alignedBytes;
            }
            if (endLsn > limitLsn) {
                return limitLsn == CLOSED ? CLOSED : NO_ROOM;
            }
            if (lsn != tailLsn) {
                closeSegment();
            }
            if (record.recordCount() > 1) {
                record.chain(lsn);
            }
            ring.copyIn(lsn, bytes, alignedBytes);
            setTailLsnRelease(endLsn);
            recordCount += record.recordCount();
            if (bytes[LogRecordLayout.TYPE_OFFSET] == LogRecordType.COMMIT) {
                commitCount++;
            }
            if (endLsn >= wakeAtLsn) {
                wakeAtLsn = NEVER;
                wake = true;
                if (noteFirstAppend) {
                    noteFirstAppend = false;
                    firstAppendNanos = clock.nanoTime();
                }
            }
        } finally {
            latch.unlatch();
        }
        if (wake) {
            wakeup.signal();
        }
        return lsn;
    }

    /**
     * Ends the batch that began at the last seal: reserves the place of its seal, behind the tail or at the end of the
     * segment.
     *
     * @return the LSN of the seal, or {@link #NO_ROOM} if nothing was appended since the last one
     */
    long takeBatch() {
        latch.latch();
        try {
            if (tailLsn == sealedLsn) {
                return NO_ROOM;
            }
            long sealLsn;
            if (tailLsn > sealedUsableEndLsn) {
                sealLsn = sealedUsableEndLsn;
            } else if (tailLsn + SEAL_BYTES <= usableEndLsn) {
                sealLsn = tailLsn;
                setTailLsnRelease(sealLsn + SEAL_BYTES);
            } else {
                sealLsn = usableEndLsn;
                closeSegment();
                setTailLsnRelease(sealLsn + SEAL_BYTES);
            }
            sealedLsn = sealLsn + SEAL_BYTES;
            if (sealLsn == sealedUsableEndLsn) {
                sealedUsableEndLsn += segmentCapacityBytes;
            }
            return sealLsn;
        } finally {
            latch.unlatch();
        }
    }

    /** Gives the ring's bytes below {@code writtenLsn} free. */
    void releaseRing(long writtenLsn) {
        latch.latch();
        try {
            if (limitLsn != CLOSED) {
                limitLsn = writtenLsn + ring.ringBytes() - RESERVED_BYTES;
            }
        } finally {
            latch.unlatch();
        }
    }

    /**
     * Has the next append wake the writer.
     *
     * @param seenTailLsn the tail when the writer decided to sleep
     * @param unwrittenBytes wake when that much is appended behind the last seal; 0 at the first byte, whose time is
     *     then noted
     * @return false if it is time already
     */
    boolean armWakeup(long seenTailLsn, long unwrittenBytes) {
        latch.latch();
        try {
            wakeAtLsn = NEVER;
            noteFirstAppend = false;
            boolean first = unwrittenBytes == 0;
            if (first ? tailLsn != seenTailLsn : tailLsn - sealedLsn >= unwrittenBytes) {
                return false;
            }
            wakeAtLsn = first ? tailLsn + 1 : sealedLsn + unwrittenBytes;
            noteFirstAppend = first;
            return true;
        } finally {
            latch.unlatch();
        }
    }

    /** When the first record after an armed {@code armWakeup(…, 0)} was appended, if it was. */
    long firstAppendNanos() {
        latch.latch();
        try {
            return firstAppendNanos;
        } finally {
            latch.unlatch();
        }
    }

    /** Whether a wakeup armed for the first append is still outstanding. */
    boolean awaitsFirstAppend() {
        latch.latch();
        try {
            return noteFirstAppend;
        } finally {
            latch.unlatch();
        }
    }

    /** Lets no further record in. */
    void close() {
        latch.latch();
        try {
            limitLsn = CLOSED;
        } finally {
            latch.unlatch();
        }
    }

    /** Records appended so far. */
    long recordCount() {
        latch.latch();
        try {
            return recordCount;
        } finally {
            latch.unlatch();
        }
    }

    /** Commit records appended so far. */
    long commitCount() {
        latch.latch();
        try {
            return commitCount;
        } finally {
            latch.unlatch();
        }
    }

    private void closeSegment() {
        ring.pad(tailLsn, (int) (usableEndLsn - tailLsn));
        usableEndLsn += segmentCapacityBytes;
    }

    private void setTailLsnRelease(long lsn) {
        TAIL_LSN.setRelease(this, lsn);
    }
}
