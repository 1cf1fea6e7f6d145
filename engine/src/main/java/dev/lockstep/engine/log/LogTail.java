package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.SEAL_BYTES;

import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.LatchedLine;

/**
 * The end of the stream, where records are appended: it gives out LSNs and copies records into the ring. All threads
 * that change anything come by here, so what an append reads and writes lies in one cache line with the latch.
 *
 * <p>Invariants (all words and fields are guarded by the latch; {@code tailLsn} may be read without it):
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

    /** As {@code wakeAtLsn}: no append wakes the writer. */
    private static final long NEVER = Long.MAX_VALUE;

    /** The words of {@code line}: what every append reads or writes. */
    private static final int TAIL_LSN = 0;

    private static final int SEALED_LSN = 1;
    private static final int USABLE_END_LSN = 2;
    private static final int LIMIT_LSN = 3;
    private static final int WAKE_AT_LSN = 4;
    private static final int RECORD_COUNT = 5;
    private static final int COMMIT_COUNT = 6;

    private final LatchedLine line;
    private final LogRing ring;
    private final LogWakeup wakeup;
    private final LogClock clock;
    private final long segmentCapacityBytes;

    private long sealedUsableEndLsn;
    private boolean noteFirstAppend;
    private long firstAppendNanos;

    LogTail(
            LogRing ring,
            LogWakeup wakeup,
            LogClock clock,
            long startLsn,
            long segmentCapacityBytes,
            LatchWatch watch) {
        line = new LatchedLine(watch);
        this.ring = ring;
        this.wakeup = wakeup;
        this.clock = clock;
        this.segmentCapacityBytes = segmentCapacityBytes;
        sealedUsableEndLsn = startLsn + segmentCapacityBytes - SEAL_BYTES;
        line.set(SEALED_LSN, startLsn);
        line.set(USABLE_END_LSN, sealedUsableEndLsn);
        line.set(LIMIT_LSN, startLsn + ring.ringBytes() - RESERVED_BYTES);
        line.set(WAKE_AT_LSN, NEVER);
        setTailLsnRelease(startLsn);
    }

    /** The LSN behind the last record. */
    long tailLsnAcquire() {
        return line.getAcquire(TAIL_LSN);
    }

    /** Appends finished records; returns the LSN of the first, {@link #NO_ROOM} or {@link #CLOSED}. */
    long tryAppend(LogRecordBuffer record, int alignedBytes) {
        byte[] bytes = record.array();
        boolean wake = false;
        long lsn;
        line.latch();
        try {
            lsn = line.get(TAIL_LSN);
            long endLsn = lsn + alignedBytes;
            if (endLsn > line.get(USABLE_END_LSN)) {
                lsn = line.get(USABLE_END_LSN) + SEAL_BYTES;
                endLsn = lsn + alignedBytes;
            }
            if (endLsn > line.get(LIMIT_LSN)) {
                return line.get(LIMIT_LSN) == CLOSED ? CLOSED : NO_ROOM;
            }
            if (lsn != line.get(TAIL_LSN)) {
                closeSegment();
            }
            if (record.recordCount() > 1) {
                record.chain(lsn);
            }
            ring.copyIn(lsn, bytes, alignedBytes);
            setTailLsnRelease(endLsn);
            line.set(RECORD_COUNT, line.get(RECORD_COUNT) + record.recordCount());
            if (bytes[LogRecordLayout.TYPE_OFFSET] == LogRecordType.COMMIT) {
                line.set(COMMIT_COUNT, line.get(COMMIT_COUNT) + 1);
            }
            if (endLsn >= line.get(WAKE_AT_LSN)) {
                line.set(WAKE_AT_LSN, NEVER);
                wake = true;
                if (noteFirstAppend) {
                    noteFirstAppend = false;
                    firstAppendNanos = clock.nanoTime();
                }
            }
        } finally {
            line.unlatch();
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
        line.latch();
        try {
            long tailLsn = line.get(TAIL_LSN);
            if (tailLsn == line.get(SEALED_LSN)) {
                return NO_ROOM;
            }
            long sealLsn;
            if (tailLsn > sealedUsableEndLsn) {
                sealLsn = sealedUsableEndLsn;
            } else if (tailLsn + SEAL_BYTES <= line.get(USABLE_END_LSN)) {
                sealLsn = tailLsn;
                setTailLsnRelease(sealLsn + SEAL_BYTES);
            } else {
                sealLsn = line.get(USABLE_END_LSN);
                closeSegment();
                setTailLsnRelease(sealLsn + SEAL_BYTES);
            }
            line.set(SEALED_LSN, sealLsn + SEAL_BYTES);
            if (sealLsn == sealedUsableEndLsn) {
                sealedUsableEndLsn += segmentCapacityBytes;
            }
            return sealLsn;
        } finally {
            line.unlatch();
        }
    }

    /** Gives the ring's bytes below {@code writtenLsn} free. */
    void releaseRing(long writtenLsn) {
        line.latch();
        try {
            if (line.get(LIMIT_LSN) != CLOSED) {
                line.set(LIMIT_LSN, writtenLsn + ring.ringBytes() - RESERVED_BYTES);
            }
        } finally {
            line.unlatch();
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
        line.latch();
        try {
            line.set(WAKE_AT_LSN, NEVER);
            noteFirstAppend = false;
            boolean first = unwrittenBytes == 0;
            long tailLsn = line.get(TAIL_LSN);
            long sealedLsn = line.get(SEALED_LSN);
            if (first ? tailLsn != seenTailLsn : tailLsn - sealedLsn >= unwrittenBytes) {
                return false;
            }
            line.set(WAKE_AT_LSN, first ? tailLsn + 1 : sealedLsn + unwrittenBytes);
            noteFirstAppend = first;
            return true;
        } finally {
            line.unlatch();
        }
    }

    /** When the first record after an armed {@code armWakeup(…, 0)} was appended, if it was. */
    long firstAppendNanos() {
        line.latch();
        try {
            return firstAppendNanos;
        } finally {
            line.unlatch();
        }
    }

    /**
     * Lets no further record in, in a database marked failed too.
     *
     * @throws RuntimeException what the watch throws, after seconds
     */
    void close() {
        latchPatiently();
        try {
            line.set(LIMIT_LSN, CLOSED);
        } finally {
            line.unlatch();
        }
    }

    /** Records appended so far. */
    long recordCount() {
        line.latch();
        try {
            return line.get(RECORD_COUNT);
        } finally {
            line.unlatch();
        }
    }

    /** Commit records appended so far. */
    long commitCount() {
        line.latch();
        try {
            return line.get(COMMIT_COUNT);
        } finally {
            line.unlatch();
        }
    }

    private void latchPatiently() {
        if (!wakeup.tryLatchPatiently(line::tryLatch)) {
            line.latch();
        }
    }

    private void closeSegment() {
        long usableEndLsn = line.get(USABLE_END_LSN);
        ring.pad(line.get(TAIL_LSN), (int) (usableEndLsn - line.get(TAIL_LSN)));
        line.set(USABLE_END_LSN, usableEndLsn + segmentCapacityBytes);
    }

    private void setTailLsnRelease(long lsn) {
        line.setRelease(TAIL_LSN, lsn);
    }
}
