package dev.lockstep.engine.transaction;

import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * The transactions that have ended, and whose end may not be on disk yet. They hand over their undo, so that a snapshot
 * can start at the last durable commit at once.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A transaction that has ended is in {@code ends}, from before it says so until its end record is durable. Of two
 *       that have changed the same record, the one that did it first stands in front.
 *   <li>{@code readerCount} counts whoever may be reading undo of one that is or was in {@code ends}, from before it
 *       looks there. A buffer that has left {@code ends} while that was zero, and that its session has released, is
 *       read by nobody, and may be in {@code free}.
 *   <li>{@code bytes} is what is in {@code ends} takes, roughly.
 * </ul>
 *
 * <p>Thread-safe. Takes no lock of the JDK.
 */
final class UnforcedEnds {
    /**
     * What buffers take that are kept to be used again: those of the transactions that become durable together, under
     * {@code async} some 50 ms of them, 5,000 of TPC-C. A larger group leaves garbage.
     */
    private static final long FREE_BYTES_MAX = 32L << 20;

    /** Larger buffers are not kept: they are of transactions that pay for a new one. */
    private static final int FREE_BUFFER_BYTES_MAX = 1 << 14;

    private final ConcurrentLinkedQueue<UnforcedEnd> ends = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<UndoBuffer> free = new ConcurrentLinkedQueue<>();
    private final AtomicLong freeBytes = new AtomicLong();
    private final AtomicInteger readerCount = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final LongSupplier durableLsn;
    private final ObjLongConsumer<Waiter> awaitDurable;
    private final long bytesMax;

    /**
     * @param durableLsn up to where the log is on disk, exclusive
     * @param awaitDurable waits until the record at an LSN is on disk, also where there is no memory to be had
     * @param bytesMax what is kept may take before writers have to wait
     */
    UnforcedEnds(LongSupplier durableLsn, ObjLongConsumer<Waiter> awaitDurable, long bytesMax) {
        this.durableLsn = durableLsn;
        this.awaitDurable = awaitDurable;
        this.bytesMax = bytesMax;
    }

    /**
     * A transaction is about to say that it has ended. It hands over its undo, if it has any. Where there is no memory
     * to note it, waits for the disk instead: its end record is in the log, so it has ended, whatever happens here.
     *
     * @param lsn of its end record
     */
    void ended(TransactionContext context, long lsn) {
        try {
            note(context, lsn);
            dropDurable();
        } catch (OutOfMemoryError notNoted) {
            awaitDurable.accept(context.waiter(), lsn);
        }
    }

    private void note(TransactionContext context, long lsn) {
        boolean hasUndo = context.undo().entryCount() != 0;
        UnforcedEnd end = new UnforcedEnd(this, context.transactionId(), lsn, hasUndo ? context.undo() : null);
        UndoBuffer next = hasUndo ? takeBuffer() : null;
        long endBytes = end.bytes();
        bytes.addAndGet(endBytes);
        boolean isNoted = false;
        try {
            ends.add(end);
            isNoted = true;
        } finally {
            if (!isNoted) {
                bytes.addAndGet(-endBytes);
            }
        }
        if (hasUndo) {
            context.handOver(end, next);
        }
    }

    private void dropDurable() {
        long durable = durableLsn.getAsLong();
        // Ends: each turn takes an end away. One that is not durable yet may keep others behind it for a while.
        for (UnforcedEnd head = ends.peek(); head != null && head.lsn() < durable; head = ends.peek()) {
            if (ends.remove(head)) {
                dropped(head);
            }
        }
    }

    private UndoBuffer takeBuffer() {
        UndoBuffer taken = free.poll();
        if (taken == null) {
            return new UndoBuffer();
        }
        freeBytes.addAndGet(-taken.capacityBytes());
        return taken;
    }

    private void dropped(UnforcedEnd end) {
        bytes.addAndGet(-end.bytesNoLonger());
        UndoBuffer undo = end.undoOrNull();
        boolean isUnread = undo != null && end.isReleased() && readerCount.get() == 0;
        if (isUnread && undo.capacityBytes() <= FREE_BUFFER_BYTES_MAX && freeBytes.get() < FREE_BYTES_MAX) {
            undo.clear();
            freeBytes.addAndGet(undo.capacityBytes());
            free.add(undo);
        }
    }

    /** Whether so much is kept that whoever would make it more has to wait until some of it is durable. */
    boolean isTooMuch() {
        return bytes.get() > bytesMax && bytes() > bytesMax;
    }

    /** What has to be kept takes in memory, roughly. */
    long bytes() {
        dropDurable();
        return bytes.get();
    }

    boolean isDurable(UnforcedEnd end) {
        return end.lsn() < durableLsn.getAsLong();
    }

    boolean hasReaders() {
        return readerCount.get() != 0;
    }

    /** Counts what an end that is here takes more. */
    void added(long moreBytes) {
        bytes.addAndGet(moreBytes);
    }

    /**
     * Whose end is not on disk, of those that have ended before the call.
     *
     * @return to be closed
     */
    Unforced unforced() {
        readerCount.incrementAndGet();
        boolean isFound = false;
        try {
            // The disk is asked last: an end that is missing here was durable before.
            UnforcedEnd[] seen = ends.toArray(new UnforcedEnd[0]);
            long durable = durableLsn.getAsLong();
            List<UnforcedEnd> undurable = new ArrayList<>();
            for (UnforcedEnd end : seen) {
                if (end.lsn() >= durable) {
                    undurable.add(end);
                }
            }
            Unforced found = new Unforced(readerCount, undurable);
            isFound = true;
            return found;
        } finally {
            if (!isFound) {
                readerCount.decrementAndGet();
            }
        }
    }

    /** Ended transactions that a crash would take. */
    static final class Unforced implements AutoCloseable {
        private final AtomicInteger readerCount;
        private final AtomicBoolean closed = new AtomicBoolean();
        private final List<UnforcedEnd> ends;

        private Unforced(AtomicInteger readerCount, List<UnforcedEnd> ends) {
            this.readerCount = readerCount;
            this.ends = ends;
        }

        /** In the order in which they have changed what several of them have changed. */
        List<UnforcedEnd> ends() {
            return ends;
        }

        /** Nobody reads their undo any more; a second call does nothing. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                readerCount.decrementAndGet();
            }
        }
    }
}
