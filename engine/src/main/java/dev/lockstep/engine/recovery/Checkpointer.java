package dev.lockstep.engine.recovery;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.log.Log;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a checkpoint whenever enough log has come together, or enough time has passed since the last one and there is
 * log to be given back, and on request, on a thread of its own, beside the running transactions (a fuzzy checkpoint).
 *
 * <p>Each checkpoint writes back the pages that were dirty before the checkpoint before: so recovery repeats at most
 * about two intervals of log (more while a transaction runs longer than that), and a page that is changed all the time
 * is written once in two intervals and not whenever it happens to be dirty. The pages of a checkpoint that nobody waits
 * for are written over a share of the interval ({@link CheckpointPace}), so recovery may repeat that much more.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code redoScanLsn} is chosen as the least of: the log's tail, read first; the oldest LSN of a running
 *       transaction; the oldest change not in the page file; what the source asks for. What begins after the tail was
 *       read lies behind it.
 *   <li>The state is read after that, and the log is durable up to where it was then before the file is replaced. Else
 *       a page could be free in the checkpoint whose removal from a tree the log has lost.
 *   <li>Log segments are let go only after the file is replaced, and none from {@code heldLsn} on.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
public final class Checkpointer implements AutoCloseable {
    private static final String THREAD_NAME = "lockstep-checkpointer";

    /** Between two looks of who cannot be suspended, as at a read of a fast disk. */
    private static final long BLOCKED_LOOK_NANOS = 100_000;

    private static final VarHandle COMPLETED_COUNT;
    private static final VarHandle LAST_REDO_SCAN_LSN;
    private static final VarHandle WRITES_BACK_UP_TO_LSN;
    private static final VarHandle DUE_LSN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            COMPLETED_COUNT = lookup.findVarHandle(Checkpointer.class, "completedCount", long.class);
            LAST_REDO_SCAN_LSN = lookup.findVarHandle(Checkpointer.class, "lastRedoScanLsn", long.class);
            WRITES_BACK_UP_TO_LSN = lookup.findVarHandle(Checkpointer.class, "writesBackUpToLsn", long.class);
            DUE_LSN = lookup.findVarHandle(Checkpointer.class, "dueLsn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** As the position from which on log is held: all of it, until there is a checkpoint to hold it for. */
    public static final long HELD_FROM_THE_NEXT = 0;

    private final Log log;
    private final CheckpointFile file;
    private final DatabaseId databaseId;
    private final CheckpointSource source;
    private final CheckpointSchedule schedule;
    private final FailureListener failureListener;
    private final Waiter waiter = new Waiter();

    /** Guards {@code requests}, {@code closing}, {@code ended}, {@code heldLsn} and {@code heldOrNull}. */
    private final SpinLatch latch = new SpinLatch();

    private final List<Request> requests = new ArrayList<>();
    private final Request end = new Request(false, new Waiter());
    private boolean closing;
    private boolean ended;
    private long heldLsn = CheckpointSource.NO_LSN;

    /** The last one while its log is held, and no longer: it grows with the database. */
    private Checkpoint heldOrNull;

    private long previousBeginLsn;

    /** From where on log is counted for the next one: behind what the last one has written itself. */
    private long countsFromLsn;

    private long previousBeginNanos = InstalledTime.nanoTime();
    private long armedLsn;

    @SuppressWarnings("unused")
    private long completedCount;

    @SuppressWarnings("unused")
    private long lastRedoScanLsn;

    @SuppressWarnings("unused")
    private long writesBackUpToLsn;

    @SuppressWarnings("unused")
    private long dueLsn;

    /** Somebody who waits for a checkpoint. */
    private static final class Request {
        private static final VarHandle DONE;

        static {
            try {
                DONE = MethodHandles.lookup().findVarHandle(Request.class, "done", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final boolean everything;
        private final Waiter waiter;
        private RuntimeException failure;

        @SuppressWarnings("unused")
        private boolean done;

        Request(boolean everything, Waiter waiter) {
            this.everything = everything;
            this.waiter = waiter;
        }

        boolean doneAcquire() {
            return (boolean) DONE.getAcquire(this);
        }

        void finish(RuntimeException failureOrNull) {
            failure = failureOrNull;
            DONE.setRelease(this, true);
            waiter.signal();
        }

        void await() {
            // Ends because every request is finished, by a checkpoint or when the checkpointer ends.
            while (true) {
                waiter.prepare();
                if (doneAcquire()) {
                    return;
                }
                waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.IO);
            }
        }

        /** The same, but who cannot be suspended blocks its carrier: the checkpointer has a thread of its own. */
        void awaitBlocking() {
            try {
                await();
            } catch (PinnedSThreadException pinned) {
                while (!doneAcquire()) {
                    InstalledTime.parkNanos(this, BLOCKED_LOOK_NANOS);
                }
            }
        }
    }

    private Checkpointer(
            Log log,
            CheckpointFile file,
            DatabaseId databaseId,
            CheckpointSource source,
            CheckpointSchedule schedule,
            long countsFromLsn,
            FailureListener failureListener) {
        this.log = log;
        this.file = file;
        this.databaseId = databaseId;
        this.source = source;
        this.schedule = schedule;
        this.failureListener = failureListener;
        previousBeginLsn = log.tailLsn();
        this.countsFromLsn = countsFromLsn;
    }

    /**
     * Starts to write checkpoints.
     *
     * @param log the log
     * @param file where checkpoints go
     * @param databaseId the database
     * @param source the database's state
     * @param schedule when
     * @param countsFromLsn from where on log is counted for the first one: behind the checkpoint that there is
     * @param failureListener is told of checkpoints that failed. Where it is not fatal the old one is still good, and
     *     the next is tried after another interval; after a failed force there is none
     */
    public static Checkpointer start(
            Log log,
            CheckpointFile file,
            DatabaseId databaseId,
            CheckpointSource source,
            CheckpointSchedule schedule,
            long countsFromLsn,
            FailureListener failureListener) {
        Checkpointer checkpointer =
                new Checkpointer(log, file, databaseId, source, schedule, countsFromLsn, failureListener);
        new EngineThread(checkpointer::run, THREAD_NAME).start();
        return checkpointer;
    }

    /**
     * Writes a checkpoint now and waits for it.
     *
     * @param everything whether all pages that are dirty now are written back, as before a close, or only the old ones
     * @param callersWaiter the caller's own
     * @throws RuntimeException what the checkpoint failed with
     * @throws DatabaseClosedException if this checkpointer is closed
     */
    public void checkpoint(boolean everything, Waiter callersWaiter) {
        Request request = new Request(everything, callersWaiter);
        latch.latch();
        try {
            if (closing || ended) {
                throw closed();
            }
            requests.add(request);
        } finally {
            latch.unlatch();
        }
        waiter.signal();
        request.await();
        if (request.failure != null) {
            throw request.failure;
        }
    }

    /** Has a checkpoint written at once, of all pages that are dirty then, and does not wait for it. */
    public void request() {
        latch.latch();
        try {
            requests.add(new Request(true, new Waiter()));
        } finally {
            latch.unlatch();
        }
        waiter.signal();
    }

    /**
     * Writes a checkpoint and keeps the log from where recovery would begin after it, however many checkpoints follow,
     * until {@link #releaseLog}. For one caller at a time.
     *
     * @param callersWaiter the caller's own
     * @return the checkpoint; the page file lacks no change before its {@code redoScanLsn}, now and later
     * @throws RuntimeException what the checkpoint failed with; nothing is kept then
     */
    public Checkpoint holdLog(Waiter callersWaiter) {
        hold(HELD_FROM_THE_NEXT);
        try {
            checkpoint(true, callersWaiter);
        } catch (RuntimeException | Error e) {
            releaseLog();
            throw e;
        }
        latch.latch();
        try {
            Checkpoint held = heldOrNull;
            heldOrNull = null;
            heldLsn = held.redoScanLsn();
            return held;
        } finally {
            latch.unlatch();
        }
    }

    /** Lets the log go that {@link #holdLog} has kept; the next checkpoint gives it back. */
    public void releaseLog() {
        hold(CheckpointSource.NO_LSN);
    }

    /**
     * From where on {@link #holdLog} keeps the log: {@link #HELD_FROM_THE_NEXT} until it has its checkpoint, {@link
     * CheckpointSource#NO_LSN} if it does not.
     */
    public long heldLsn() {
        latch.latch();
        try {
            return heldLsn;
        } finally {
            latch.unlatch();
        }
    }

    private void hold(long fromLsn) {
        latch.latch();
        try {
            heldLsn = fromLsn;
            heldOrNull = null;
        } finally {
            latch.unlatch();
        }
    }

    /** Checkpoints written since the start. A count read late is as good as one read early. */
    public long completedCount() {
        return (long) COMPLETED_COUNT.getOpaque(this);
    }

    /** Where recovery would begin, as of the last checkpoint; 0 before the first one. For statistics only. */
    public long lastRedoScanLsn() {
        return (long) LAST_REDO_SCAN_LSN.getOpaque(this);
    }

    /**
     * The LSN up to which the pages are being written back for a checkpoint; 0 while none is written. For statistics
     * only.
     */
    public long writesBackUpToLsn() {
        return (long) WRITES_BACK_UP_TO_LSN.getOpaque(this);
    }

    /** When the log has come so far, the next checkpoint is due. For statistics only. */
    public long dueLsn() {
        return (long) DUE_LSN.getOpaque(this);
    }

    /**
     * Waits for a checkpoint that is being written, writes no other, and ends the thread. A second call does nothing.
     * An S-thread that cannot be suspended blocks its carrier meanwhile: what is closed next may rely on the end.
     */
    @Override
    public void close() {
        latch.latch();
        try {
            closing = true;
        } finally {
            latch.unlatch();
        }
        waiter.signal();
        end.awaitBlocking();
    }

    private void run() {
        try {
            serve();
        } catch (Throwable t) {
            // Not a checkpoint that failed (serve deals with those): the thread itself cannot go on.
            failureListener.failed(t, true);
        } finally {
            finish();
        }
    }

    private void serve() {
        // Ends when closed or when the log has failed.
        while (true) {
            waiter.prepare();
            arm();
            List<Request> taken = takeRequests();
            if (isClosing()) {
                refuse(taken);
                return;
            }
            boolean due = log.tailLsn() - countsFromLsn >= schedule.intervalBytes() || isDueByTime();
            if (due || !taken.isEmpty()) {
                RuntimeException failure = tryCheckpoint(taken);
                if (failure instanceof DatabaseFailedException || failure instanceof DatabaseClosedException) {
                    return;
                }
            } else {
                waiter.awaitUninterruptibly(
                        previousBeginNanos + schedule.interval().toNanos(), WaitReason.IO);
            }
        }
    }

    /** Whether the interval has passed; where there was no log since, another one begins. */
    private boolean isDueByTime() {
        long now = InstalledTime.nanoTime();
        if (now - previousBeginNanos < schedule.interval().toNanos()) {
            return false;
        }
        if (log.tailLsn() > countsFromLsn) {
            return true;
        }
        previousBeginNanos = now;
        return false;
    }

    /** Has the log signal when the next checkpoint is due, unless it has been told already. */
    private void arm() {
        long nextLsn = countsFromLsn + schedule.intervalBytes();
        DUE_LSN.setOpaque(this, nextLsn);
        if (armedLsn <= log.writtenLsn() && nextLsn > armedLsn && log.signalWhenWritten(nextLsn, waiter)) {
            armedLsn = nextLsn;
        }
    }

    private RuntimeException tryCheckpoint(List<Request> taken) {
        boolean everything = false;
        for (Request request : taken) {
            everything |= request.everything;
        }
        RuntimeException failure = null;
        previousBeginNanos = InstalledTime.nanoTime();
        CheckpointEvent event = new CheckpointEvent();
        event.begin();
        try {
            writeIfMemoryAllows(everything, !taken.isEmpty());
            event.redoScanLsn = lastRedoScanLsn();
            event.commit();
        } catch (RuntimeException e) {
            failure = e;
            // The next one is due an interval later, so that a disk that stays full is not tried without pause.
            previousBeginLsn = log.tailLsn();
            countsFromLsn = previousBeginLsn;
            boolean isFatal = e instanceof DatabaseFailedException;
            if (isFatal || taken.isEmpty()) {
                failureListener.failed(e, isFatal);
            }
        } catch (Error e) {
            finish(
                    taken,
                    new DatabaseFailedException(
                            Message.of("A checkpoint failed").with("cause", e).remedy("Open the database again."), e));
            throw e;
        }
        finish(taken, failure);
        return failure;
    }

    /** One for which the heap is too full has changed nothing: the checkpoint before it is in force, with its log. */
    private void writeIfMemoryAllows(boolean everything, boolean isAwaited) {
        try {
            writeCheckpoint(everything, isAwaited);
        } catch (OutOfMemoryError full) {
            throw new StorageException(
                    Message.of("There was no memory for a checkpoint")
                            .with("databaseId", databaseId)
                            .remedy("Leave the JVM more memory; the next checkpoint is written all the same."),
                    full);
        }
    }

    private void writeCheckpoint(boolean everything, boolean isAwaited) {
        long beginLsn = log.tailLsn();
        FlushPace pace = isAwaited ? FlushPace.AT_ONCE : new CheckpointPace(log, schedule, beginLsn, this::isHurried);
        source.checkLogLimits();
        long latestRedoScanLsn = source.begin(beginLsn);
        WRITES_BACK_UP_TO_LSN.setOpaque(this, everything ? beginLsn : previousBeginLsn);
        try {
            source.flushDirty(everything ? Long.MAX_VALUE : previousBeginLsn, pace, waiter);
        } finally {
            WRITES_BACK_UP_TO_LSN.setOpaque(this, 0L);
        }
        long tailLsn = log.tailLsn();
        long oldestLsn = Math.min(
                Math.min(tailLsn, latestRedoScanLsn), Math.min(source.oldestActiveLsn(), source.oldestRecoveryLsn()));
        // Never backwards, into log that may be gone: who was about to begin when the checkpoint in force asked for the
        // oldest has noted an earlier end of the log, but has written behind what that checkpoint takes for its own.
        long redoScanLsn = Math.max(lastRedoScanLsn(), oldestLsn);
        Checkpoint state = source.snapshot(redoScanLsn);
        source.requireIntact();
        log.awaitDurable(log.tailLsn() - 1, waiter);
        Checkpoint checkpoint = state.withDurableLsn(log.durableLsn());
        file.write(databaseId, checkpoint);
        long keptFromLsn = Math.min(redoScanLsn, written(checkpoint));
        log.deleteBefore(keptFromLsn);
        // Whoever has asked for a checkpoint finds the room given back, and nothing going on any more.
        log.awaitDeleted(keptFromLsn, waiter);
        previousBeginLsn = beginLsn;
        // Where pages go to the log as well, a checkpoint of many would else make the next one due by itself.
        countsFromLsn = latestRedoScanLsn == CheckpointSource.NO_LSN ? beginLsn : tailLsn;
        LAST_REDO_SCAN_LSN.setOpaque(this, redoScanLsn);
        COMPLETED_COUNT.setOpaque(this, completedCount() + 1);
    }

    /** Notes a checkpoint that is in force now; returns from where on the log is held for somebody else. */
    private long written(Checkpoint checkpoint) {
        latch.latch();
        try {
            heldOrNull = heldLsn == HELD_FROM_THE_NEXT ? checkpoint : null;
            return heldLsn;
        } finally {
            latch.unlatch();
        }
    }

    private List<Request> takeRequests() {
        latch.latch();
        try {
            List<Request> taken = List.copyOf(requests);
            requests.clear();
            return taken;
        } finally {
            latch.unlatch();
        }
    }

    /** Whether somebody waits for the end of the checkpoint that is being written. */
    private boolean isHurried() {
        latch.latch();
        try {
            return closing || !requests.isEmpty();
        } finally {
            latch.unlatch();
        }
    }

    private boolean isClosing() {
        latch.latch();
        try {
            return closing;
        } finally {
            latch.unlatch();
        }
    }

    private void finish() {
        latch.latch();
        try {
            ended = true;
        } finally {
            latch.unlatch();
        }
        refuse(takeRequests());
        end.finish(null);
    }

    private void refuse(List<Request> taken) {
        finish(taken, closed());
    }

    private DatabaseClosedException closed() {
        return new DatabaseClosedException(Message.of("Checkpoints have ended")
                .with("databaseId", databaseId)
                .remedy("Open the database again."));
    }

    private static void finish(List<Request> taken, RuntimeException failureOrNull) {
        for (Request request : taken) {
            request.finish(failureOrNull);
        }
    }
}
