package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.BTree;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A transaction that has ended, and whose end may not be on disk yet: who it was, where its end record lies, and its
 * undo, which it has handed over.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code undoOrNull} does not change any more. It is null where the transaction has left nothing changed.
 *   <li>There is one copy at most, so that a value which is kept in it is seen by all who have it.
 *   <li>Once {@code released}, the session that had filled {@code undoOrNull} does not read it any more.
 *   <li>{@code bytes} is what this takes, roughly, and negative once it is counted no longer.
 * </ul>
 *
 * <p>Thread-safe. Takes no lock of the JDK.
 */
final class UnforcedEnd {
    /** Bytes of the objects around the undo: this one, those that it has, and its place in a queue. */
    private static final int BYTES_AROUND = 160;

    private static final long NOT_COUNTED = Long.MIN_VALUE / 2;

    private final UnforcedEnds ends;
    private final long transactionId;
    private final long lsn;
    private final UndoBuffer undoOrNull;
    private final AtomicLong bytes;
    private final AtomicReference<UndoCopy> copy = new AtomicReference<>();
    private volatile boolean released;

    UnforcedEnd(UnforcedEnds ends, long transactionId, long lsn, UndoBuffer undoOrNull) {
        this.ends = ends;
        this.transactionId = transactionId;
        this.lsn = lsn;
        this.undoOrNull = undoOrNull;
        bytes = new AtomicLong(BYTES_AROUND + (undoOrNull == null ? 0 : undoOrNull.capacityBytes()));
    }

    long transactionId() {
        return transactionId;
    }

    /** Of the end record. */
    long lsn() {
        return lsn;
    }

    UndoBuffer undoOrNull() {
        return undoOrNull;
    }

    /** What the transaction had replaced; null if nothing. */
    UndoCopy copyOrNull() {
        if (undoOrNull == null) {
            return null;
        }
        UndoCopy present = copy.get();
        if (present != null) {
            return present;
        }
        UndoCopy made = undoOrNull.copy();
        return copy.compareAndSet(null, made) ? made : copy.get();
    }

    /** Whether somebody may need what the transaction has replaced, now or later. */
    boolean isNeeded() {
        // Who begins to read after the second look finds that the end is durable.
        return !ends.isDurable(this) || ends.hasReaders();
    }

    /** Keeps the value of an overflow chain that is about to be given back. */
    void keepOverflow(BTree tree, byte[] key, byte[] stub, byte[] value) {
        if (copyOrNull().keepOverflow(tree.treeId(), key, stub, value) != 0 && bytes.getAndAdd(value.length) >= 0) {
            ends.added(value.length);
        }
    }

    long bytes() {
        return bytes.get();
    }

    /** Ends the count; returns what was counted. */
    long bytesNoLonger() {
        return bytes.getAndSet(NOT_COUNTED);
    }

    /** The session that has filled the undo needs it no longer. */
    void release() {
        released = true;
    }

    boolean isReleased() {
        return released;
    }
}
