package dev.lockstep.engine.log;

import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The thread that writes the log: it seals what was appended, writes it, forces it when {@link LogFlushPolicy} says
 * so, and wakes those who waited. It alone touches the files of the log, so no interrupt of an application's thread
 * can close one.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code durable <= written <= tail}, all three at batch ends but the tail.
 *   <li>A segment is forced completely before the next one is begun. So only the last segment can be incomplete after
 *       a crash, and a gap in any other is damage.
 *   <li>A seal names the {@code durable} position of its time: later seals prove what must not be missing before them.
 *   <li>After the first failure nothing is written any more. What was written but not forced may or may not survive,
 *       and nobody was told that it would (a failed fsync cannot be repeated: Rebello et al., ATC 2020).
 * </ul>
 */
final class LogWriter implements Runnable {
    /** Positions of {@code lifecycle}: the segment can be written to. */
    static final long STARTED = 1;

    /** Positions of {@code lifecycle}: the thread has closed its files and ends. */
    static final long STOPPED = 2;

    private static final VarHandle FAILURE;
    private static final VarHandle CLOSE_REQUESTED;
    private static final VarHandle RETAIN_FROM_LSN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FAILURE = lookup.findVarHandle(LogWriter.class, "failure", Throwable.class);
            CLOSE_REQUESTED = lookup.findVarHandle(LogWriter.class, "closeRequested", boolean.class);
            RETAIN_FROM_LSN = lookup.findVarHandle(LogWriter.class, "retainFromLsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogSegments segments;
    private final LogRing ring;
    private final LogTail tail;
    private final LogWakeup wakeup;
    private final LogHorizon written;
    private final LogHorizon durable;
    private final LogHorizon lifecycle;

    /** Segments that end at or before this position were let go. */
    private final LogHorizon released;

    private final LogFlushPolicy policy;
    private final LogAnswerGate answers;
    private final LogGatherPolicy gathering = new LogGatherPolicy();
    private final LogClock clock;
    private final long extraForceDelayNanos;
    private final FailureListener failureListener;

    @SuppressWarnings("unused")
    private Throwable failure;

    @SuppressWarnings("unused")
    private boolean closeRequested;

    @SuppressWarnings("unused")
    private long retainFromLsn;

    private long writtenLsn;
    private long durableLsn;
    private long recycledBeforeLsn;
    private boolean idle;

    /** Guards the counters below. */
    private final SpinLatch statisticsLatch = new SpinLatch();

    private long writtenBytes;
    private long batchCount;
    private long forceCount;

    LogWriter(
            LogSegments segments,
            LogRing ring,
            LogTail tail,
            LogWakeup wakeup,
            LogHorizon written,
            LogHorizon durable,
            LogHorizon lifecycle,
            LogHorizon released,
            LogAnswerGate answers,
            LogOptions options,
            FailureListener failureListener) {
        this.segments = segments;
        this.ring = ring;
        this.tail = tail;
        this.wakeup = wakeup;
        this.written = written;
        this.durable = durable;
        this.lifecycle = lifecycle;
        this.released = released;
        this.answers = answers;
        this.clock = options.clock();
        this.extraForceDelayNanos = options.extraForceDelayNanos();
        this.failureListener = failureListener;
        this.policy = new LogFlushPolicy(options.timed(), options.forceDelayNanos(), options.chunkBytes());
        writtenLsn = written.positionAcquire();
        durableLsn = durable.positionAcquire();
    }

    /** The first failure, or null. */
    Throwable failureAcquire() {
        return (Throwable) FAILURE.getAcquire(this);
    }

    /** Has the writer force what is left, close its files and end. */
    void requestClose() {
        CLOSE_REQUESTED.setRelease(this, true);
        wakeup.signal();
    }

    /** Lets the writer recycle segments that lie below {@code lsn} completely. */
    void retainFrom(long lsn) {
        RETAIN_FROM_LSN.setRelease(this, lsn);
        wakeup.signal();
    }

    @Override
    public void run() {
        try {
            segments.start(writtenLsn);
            policy.firstAppend(clock.nanoTime());
            lifecycle.advance(STARTED);
            serve();
            segments.close();
            tail.close();
            breakOff();
        } catch (Throwable t) {
            // Whatever it was, nothing may be written after it: the stream would have a hole.
            fail(t);
        } finally {
            lifecycle.advance(STOPPED);
        }
    }

    /** Fills in the writer's part of the statistics. */
    LogStatistics statistics(long appendedBytes) {
        statisticsLatch.latch();
        try {
            return new LogStatistics(
                    appendedBytes,
                    tail.recordCount(),
                    tail.commitCount(),
                    writtenBytes,
                    batchCount,
                    forceCount,
                    segments.segmentCount(),
                    segments.recycledSegmentCount());
        } finally {
            statisticsLatch.unlatch();
        }
    }

    private void serve() {
        boolean slept = true;
        // Ends when close is requested and everything is on disk, or with a failure.
        while (true) {
            wakeup.reset();
            boolean closing = closeRequestedAcquire();
            long retainedLsn = (long) RETAIN_FROM_LSN.getAcquire(this);
            boolean recycling = retainedLsn > recycledBeforeLsn;
            long nowNanos = clock.nanoTime();
            long tailLsn = tail.tailLsnAcquire();
            boolean unforced = tailLsn > durableLsn;
            if (idle && unforced) {
                idle = false;
                policy.firstAppend(tail.firstAppendNanos());
            }
            if (slept && !policy.isTimed()) {
                // Every commit asks for a force here, so none that waits for one is older than this.
                policy.firstAppend(nowNanos);
            }
            slept = false;
            boolean wanted = closing || durable.wantedLsnAcquire() >= durableLsn;
            switch (policy.decide(nowNanos, tailLsn - writtenLsn, unforced, wanted)) {
                case FORCE -> {
                    answers.diskBusy(policy.unforcedSinceNanos());
                    if (wanted && !closing) {
                        gather();
                    }
                    makeDurable();
                    answers.diskIdle(tail.tailLsnAcquire() == durableLsn);
                }
                case WRITE -> {
                    answers.diskBusy(policy.unforcedSinceNanos());
                    write();
                    answers.diskIdle(tail.tailLsnAcquire() == durableLsn);
                }
                case SLEEP -> {
                    slept = !recycling;
                    if (closing && !recycling) {
                        return;
                    }
                    boolean untilFirstAppend = policy.isTimed() && !unforced;
                    if (tail.armWakeup(tailLsn, untilFirstAppend ? 0 : policy.chunkBytes())) {
                        idle = untilFirstAppend;
                        if (!recycling) {
                            wakeup.park(policy.sleepNanos(nowNanos, unforced));
                        }
                    }
                }
            }
            if (recycling) {
                recycle(retainedLsn);
            }
        }
    }

    /**
     * Lets more threads join those that wait for the force about to begin, as many as {@link LogGatherPolicy} says. Any
     * other signal ends it too: it is somebody who needs the writer for something else.
     */
    private void gather() {
        int waiting = durable.waitingCount();
        int groupSize = gathering.groupSize(waiting);
        if (waiting >= groupSize) {
            return;
        }
        wakeup.reset();
        long nowNanos = clock.nanoTime();
        long beginNanos = nowNanos;
        long patienceNanos = gathering.patienceNanos(waiting, groupSize);
        gathering.gatherBegins(nowNanos, waiting);
        waiting = durable.wakeAt(groupSize);
        // Ends with a signal, or with the time. The state is looked at after the reset, which may have erased one.
        while (waiting < groupSize
                && nowNanos - beginNanos < patienceNanos
                && !neededOtherwise()
                && !wakeup.isSignalled()) {
            wakeup.park(beginNanos + patienceNanos - nowNanos);
            nowNanos = clock.nanoTime();
            waiting = durable.waitingCount();
        }
        gathering.gatherEnds(nowNanos, durable.wakeAtEach());
    }

    /** Whether the ring has to be emptied, or the log closed. */
    private boolean neededOtherwise() {
        return closeRequestedAcquire() || tail.tailLsnAcquire() - writtenLsn >= policy.chunkBytes();
    }

    /** Makes everything appended up to now durable. */
    private void makeDurable() {
        long beginNanos = clock.nanoTime();
        int waiting = durable.waitingCount();
        long durableBeforeLsn = durableLsn;
        write();
        // Where a segment ended, some were served on the way, and the counts do not tell what they are to tell.
        boolean comparable = durableLsn == durableBeforeLsn;
        if (forceFile()) {
            if (comparable) {
                gathering.forced(clock.nanoTime() - beginNanos, waiting, durable.waitingCount());
            }
            durable.advance(durableLsn);
        }
    }

    /** Writes everything appended up to now. */
    private void write() {
        policy.cutOff(clock.nanoTime());
        long untilLsn = tail.tailLsnAcquire();
        // Ends because every round takes a batch that begins below untilLsn; several are needed only where a segment
        // ends.
        while (writtenLsn < untilLsn) {
            long sealLsn = tail.takeBatch();
            long endLsn = sealLsn + LogRecordLayout.SEAL_BYTES;
            if (writtenLsn == segments.endLsn()) {
                // A part of what was cut off follows: the oldest byte that is not forced is as old as before.
                force();
                durable.advance(durableLsn);
                segments.startNext();
            }
            ring.seal(writtenLsn, sealLsn, durableLsn);
            segments.write(ring, writtenLsn, endLsn);
            count(endLsn - writtenLsn, 1, 0);
            writtenLsn = endLsn;
            tail.releaseRing(endLsn);
            written.advance(endLsn);
        }
    }

    /** Forces what was written; returns false if it was forced already. */
    private boolean forceFile() {
        if (durableLsn == writtenLsn) {
            return false;
        }
        force();
        policy.forced();
        answers.diskBusy(policy.unforcedSinceNanos());
        return true;
    }

    private void force() {
        segments.force();
        delayForce();
        count(0, 0, 1);
        durableLsn = writtenLsn;
    }

    private void delayForce() {
        if (extraForceDelayNanos == 0) {
            return;
        }
        long beginNanos = clock.nanoTime();
        long leftNanos = extraForceDelayNanos;
        // Ends when the time has passed; signals meanwhile only make a park return early.
        while (leftNanos > 0) {
            clock.park(leftNanos);
            leftNanos = extraForceDelayNanos - (clock.nanoTime() - beginNanos);
        }
    }

    /**
     * Lets segments below {@code lsn} go, but deletes one file at most, which takes long where the disk is busy: what
     * is due by then comes before the next one.
     */
    private void recycle(long lsn) {
        answers.diskBusy(oldestUnforcedNanos());
        if (!segments.recycleBefore(lsn)) {
            recycledBeforeLsn = lsn;
            released.advance(lsn);
        }
        answers.diskIdle(tail.tailLsnAcquire() == durableLsn);
    }

    /** A moment not after the one when the oldest byte not yet forced was appended, or will be. */
    private long oldestUnforcedNanos() {
        long nowNanos = clock.nanoTime();
        if (tail.tailLsnAcquire() == durableLsn) {
            return nowNanos;
        }
        return idle ? tail.firstAppendNanos() : policy.unforcedSinceNanos();
    }

    private void fail(Throwable cause) {
        FAILURE.setRelease(this, cause);
        try {
            // First: whoever learns of the failure by an exception of the log finds the database marked failed.
            failureListener.failed(cause, true);
        } finally {
            letGo(cause);
        }
    }

    /** Whatever one of these steps meets, the next one is taken: somebody waits for each. */
    private void letGo(Throwable cause) {
        try {
            tail.close();
        } finally {
            try {
                breakOff();
            } finally {
                closeSegments(cause);
            }
        }
    }

    private void breakOff() {
        try {
            written.breakOff();
        } finally {
            try {
                durable.breakOff();
            } finally {
                released.breakOff();
            }
        }
    }

    private void closeSegments(Throwable cause) {
        try {
            segments.close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private void count(long bytes, int batches, int forces) {
        statisticsLatch.latch();
        try {
            writtenBytes += bytes;
            batchCount += batches;
            forceCount += forces;
        } finally {
            statisticsLatch.unlatch();
        }
    }

    private boolean closeRequestedAcquire() {
        return (boolean) CLOSE_REQUESTED.getAcquire(this);
    }
}
