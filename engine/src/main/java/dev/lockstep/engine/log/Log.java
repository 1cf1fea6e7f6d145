package dev.lockstep.engine.log;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.LatchWatch;
import java.nio.file.Path;

/**
 * The write-ahead log: an endless stream of records, of which the latest part is in memory and the rest in files.
 *
 * <p>{@link #append} copies a record into a ring outside the heap under a latch and returns its position, the LSN. One
 * thread seals what has come together with a checksum, writes it and forces it, and wakes those who wait; what is
 * appended during a force shares the next one (group commit). A record with LSN {@code lsn} is durable when
 * {@code lsn < durableLsn()}.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code durableLsn() <= writtenLsn() <= tailLsn()}; none of them decreases.
 *   <li>After a crash the log ends at a seal at or behind the last {@code durableLsn()}; records are lost only from the
 *       end, in order.
 *   <li>After a failed write or force the log has failed for good: every later append and wait throws
 *       {@link DatabaseFailedException}, and the listener is told once that it is fatal.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread; {@code append} parks on no {@link Waiter} and may be
 * called with page latches held; where it has to spin long, a virtual thread sleeps for moments. Everything that takes
 * a {@link Waiter} may park.
 */
public final class Log implements AutoCloseable {
    private static final String WRITER_NAME = "lockstep-log-writer";

    private final LogRing ring;
    private final LogWakeup wakeup;
    private final LogTail tail;
    private final LogHorizon written;
    private final LogHorizon durable;
    private final LogHorizon lifecycle;
    private final LogHorizon released;
    private final LogAnswerGate answers;
    private final LogSegments segments;
    private final LogWriter writer;
    private final long startLsn;
    private final long throttleBytes;

    private Log(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            LogOptions options,
            long startLsn,
            FailureListener failureListener,
            LatchWatch watch) {
        this.startLsn = startLsn;
        throttleBytes = options.bufferBytes() / 2;
        ring = new LogRing(options.bufferBytes());
        try {
            segments = new LogSegments(storage, directory, databaseId, options, failureListener);
        } catch (RuntimeException | Error failure) {
            ring.close();
            throw failure;
        }
        wakeup = new LogWakeup(options.clock());
        tail = new LogTail(
                ring, wakeup, options.clock(), startLsn, LogSegments.capacityBytes(options.segmentBytes()), watch);
        written = new LogHorizon(wakeup, startLsn, watch);
        durable = new LogHorizon(wakeup, startLsn, watch);
        lifecycle = new LogHorizon(wakeup, 0, watch);
        released = new LogHorizon(wakeup, 0, watch);
        answers = new LogAnswerGate(options.clock(), options.asyncDelayNanosMax());
        writer = new LogWriter(
                segments, ring, tail, wakeup, written, durable, lifecycle, released, answers, options, failureListener);
    }

    /**
     * Opens the log for appending. The records are to be read before, with a {@link LogReader}, which also says where
     * the log ends.
     *
     * @param storage the file system
     * @param directory the directory of the database
     * @param databaseId what the log's files must belong to
     * @param options how it works
     * @param startLsn where to go on: {@link LogRecordLayout#LSN_FIRST} in a new database, else
     *     {@link LogReader#endLsn()}
     * @param failureListener is told once when the log fails, on the writer's thread, before anybody who waits or
     *     appends; and, not fatally, of files that nobody needs and that could not be deleted
     * @return the log; its writer runs until {@link #close()}
     * @throws LockstepException if the first segment cannot be made
     */
    public static Log open(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            LogOptions options,
            long startLsn,
            FailureListener failureListener) {
        return open(storage, directory, databaseId, options, startLsn, failureListener, LatchWatch.NONE);
    }

    /**
     * Opens the log for appending, as above.
     *
     * @param storage the file system
     * @param directory the directory of the database
     * @param databaseId what the log's files must belong to
     * @param options how it works
     * @param startLsn where to go on
     * @param failureListener is told once when the log fails, on the writer's thread, before anybody who waits or
     *     appends; and, not fatally, of files that nobody needs and that could not be deleted
     * @param watch throws once a holder of the log's latches may have been cut short
     * @return the log; its writer runs until {@link #close()}
     * @throws LockstepException if the first segment cannot be made
     */
    public static Log open(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            LogOptions options,
            long startLsn,
            FailureListener failureListener,
            LatchWatch watch) {
        if (startLsn < LogRecordLayout.LSN_FIRST || startLsn % LogRecordLayout.ALIGNMENT_BYTES != 0) {
            throw new IllegalArgumentException("not a place where a log can begin: startLsn=" + startLsn);
        }
        Log log = new Log(storage, directory, databaseId, options, startLsn, failureListener, watch);
        log.start();
        return log;
    }

    private void start() {
        EngineThread thread = new EngineThread(writer, WRITER_NAME);
        wakeup.bind(thread);
        try {
            thread.start();
        } catch (RuntimeException | Error noThread) {
            // Nobody has an object to close, and the writer, which would close its segments, does not run.
            segments.close();
            ring.close();
            throw noThread;
        }
        lifecycle.await(LogWriter.STARTED - 1, new Waiter());
        Throwable failure = writer.failureAcquire();
        if (failure != null) {
            close();
            if (failure instanceof LockstepException typed) {
                throw typed;
            }
            throw new DatabaseFailedException(
                    Message.of("The log cannot be opened")
                            .with("cause", failure)
                            .remedy("Examine the medium, and restore the database from a backup."),
                    failure);
        }
    }

    /**
     * Appends a record, or a run of them that lie behind each other in the buffer and will in the stream. It never
     * parks: while the ring is full it spins until the writer has made room, which {@link #throttle} keeps rare.
     *
     * @param record the record, begun and filled; it may be reused afterwards
     * @return the LSN of the record, of the first one of a run
     * @throws DatabaseFailedException if the log has failed
     * @throws DatabaseClosedException if it is closed
     */
    public long append(LogRecordBuffer record) {
        int alignedBytes = record.finish();
        long lsn = tail.tryAppend(record, alignedBytes);
        return lsn >= 0 ? lsn : appendSlowly(record, alignedBytes, lsn);
    }

    private long appendSlowly(LogRecordBuffer record, int alignedBytes, long firstResult) {
        long lsn = firstResult;
        wakeup.signal();
        int attempt = 0;
        // Ends because the writer makes room, or closes the tail when it cannot, or at least breaks the horizons: it
        // does either after it has told the owner, but notes its failure before.
        while (lsn == LogTail.NO_ROOM) {
            if (written.brokenAcquire()) {
                throw broken();
            }
            attempt = Backoff.pause(attempt);
            lsn = tail.tryAppend(record, alignedBytes);
        }
        if (lsn == LogTail.CLOSED) {
            throw broken();
        }
        return lsn;
    }

    /**
     * Whether so much waits to be written that operations should slow down. A value read late costs one operation more
     * or less.
     */
    public boolean nearlyFull() {
        return tailLsn() - writtenLsn() > throttleBytes;
    }

    /**
     * Parks while more than half of the ring waits to be written. To be called where an operation begins and no latch
     * is held, so that {@link #append} finds room.
     *
     * @param waiter the caller's own
     * @throws DatabaseFailedException if the log has failed
     */
    public void throttle(Waiter waiter) {
        // Ends like the wait in it; each round waits for the log as it was then.
        while (nearlyFull()) {
            if (!written.await(tailLsn() - throttleBytes, waiter)) {
                throw broken();
            }
        }
    }

    /**
     * The same, but an interrupt ends the wait: for a statement that has changed nothing yet.
     *
     * @throws InterruptedOperationException if the thread was interrupted first; the flag stays set
     */
    public void throttleInterruptibly(Waiter waiter) {
        // Ends as above.
        while (nearlyFull()) {
            if (!written.awaitInterruptibly(tailLsn() - throttleBytes, waiter)) {
                throw broken();
            }
        }
    }

    /** Where the next record goes at the earliest. */
    public long tailLsn() {
        return tail.tailLsnAcquire();
    }

    /** Up to where the log was handed to the operating system. */
    public long writtenLsn() {
        return written.positionAcquire();
    }

    /** Up to where the log survives a crash of the machine. */
    public long durableLsn() {
        return durable.positionAcquire();
    }

    /**
     * Waits until the record at {@code lsn} is durable. The wait cannot be interrupted; the interrupt flag is kept.
     *
     * @param lsn of a record that was appended
     * @param waiter the caller's own
     * @throws DatabaseFailedException if the log has failed, and it is unknown whether the record survives
     * @throws IllegalArgumentException if nothing was appended at {@code lsn} yet
     */
    public void awaitDurable(long lsn, Waiter waiter) {
        if (lsn < durableLsn()) {
            return;
        }
        if (lsn >= tailLsn()) {
            throw new IllegalArgumentException("nothing is appended there yet: lsn=" + lsn + ", tailLsn=" + tailLsn());
        }
        if (!durable.await(lsn, waiter)) {
            throw broken();
        }
    }

    /**
     * Waits until what is appended now is durable, or the thread is interrupted.
     *
     * @param waiter the caller's own
     * @throws InterruptedOperationException if the thread was interrupted first; the flag stays set
     * @throws DatabaseFailedException if the log has failed
     */
    public void awaitAllDurableInterruptibly(Waiter waiter) {
        if (!durable.awaitInterruptibly(tailLsn() - 1, waiter)) {
            throw broken();
        }
    }

    /**
     * Whether a commit that is answered before it is durable has to wait all the same, because a crash would take
     * commits that are older than {@code async} durability promises: the disk has not forced them in time.
     */
    public boolean holdsBackAnswers() {
        return answers.isClosed();
    }

    /**
     * Signals a waiter once when the record at {@code lsn} is durable, or when that will never happen. Counts as a wait
     * from now on: the log is forced for it.
     *
     * @param lsn of a record that was appended
     * @return false if it is so already, and no signal will come
     */
    public boolean signalWhenDurable(long lsn, Waiter waiter) {
        return durable.enlist(lsn, waiter);
    }

    /**
     * Waits like {@link #awaitDurable} for what {@link #signalWhenDurable} was asked for.
     *
     * @param lsn the same as there
     * @param waiter the same as there
     * @throws DatabaseFailedException if the log has failed, and it is unknown whether the record survives
     */
    public void awaitDurableSignal(long lsn, Waiter waiter) {
        if (!durable.awaitEnlisted(lsn, waiter)) {
            throw broken();
        }
    }

    /** The same as {@link #awaitDurable}, under the name that the buffer pool's write-ahead rule gives it. */
    public void ensureDurable(long lsn, Waiter waiter) {
        awaitDurable(lsn, waiter);
    }

    /**
     * Has everything up to the record at {@code lsn} made durable soon, without waiting.
     *
     * @param lsn of a record; positions behind the tail mean the last one
     */
    public void requestFlush(long lsn) {
        long lastLsn = Math.min(lsn, tailLsn() - 1);
        if (lastLsn >= durableLsn()) {
            durable.request(lastLsn);
        }
    }

    /**
     * Signals a waiter once when the stream has been written beyond {@code lsn}, or when that will never happen.
     *
     * @return false if it is so already, and no signal will come
     */
    public boolean signalWhenWritten(long lsn, Waiter waiter) {
        return written.enlist(lsn, waiter);
    }

    /**
     * Lets segments go that lie before {@code lsn} completely. The writer does it soon. At a file that cannot be
     * deleted it stops, and goes on when a later call lets more go.
     *
     * @param lsn the first position that recovery may ask for
     */
    public void deleteBefore(long lsn) {
        writer.retainFrom(lsn);
    }

    /**
     * Waits until the writer has done what {@link #deleteBefore} has asked for, or has failed or ended and will not. A
     * file that could not be deleted keeps nobody waiting: it may stay for ever.
     *
     * @param lsn the same as there
     * @param waiter the caller's own
     */
    public void awaitDeleted(long lsn, Waiter waiter) {
        released.await(lsn - 1, waiter);
    }

    /** The first failure, or null. */
    public Throwable failure() {
        return writer.failureAcquire();
    }

    /** What was done since the log was opened. */
    public LogStatistics statistics() {
        return writer.statistics(tailLsn() - startLsn);
    }

    /**
     * Makes everything durable, ends the writer and frees the memory. Nobody may append any more; a second call does
     * nothing. Does not throw if the log has failed: {@link #failure()} tells.
     */
    @Override
    public void close() {
        try {
            tail.close();
        } finally {
            writer.requestClose();
            lifecycle.await(LogWriter.STOPPED - 1, new Waiter());
            ring.close();
        }
    }

    private LockstepException broken() {
        Throwable failure = writer.failureAcquire();
        if (failure == null) {
            return new DatabaseClosedException(
                    Message.of("The log is closed").with("tailLsn", tailLsn()).remedy("Open the database again."));
        }
        return new DatabaseFailedException(
                Message.of("The log failed earlier, and nothing can be made durable any more")
                        .with("cause", failure)
                        .remedy("Close the database and open it again."),
                failure);
    }
}
