package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.NodeLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a transaction had changed before it first saw that snapshots are open: a copy of its undo, by record.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The changes of a record form a list from the newest to the oldest. Applied in that order to the record as the
 *       transaction had left it, they make the record that it had found.
 *   <li>Applied to a record that the transaction has taken back already, in part or altogether, they make the same:
 *       each sets what was there before, and only a change of the whole value changes its length.
 *   <li>{@code bytes} is what this takes, roughly, with those values of chains that were {@linkplain #added counted
 *       here}, and negative once it is counted no longer.
 * </ul>
 *
 * <p>Filled by one thread, then published and immutable but for {@code bytes} and {@link OverflowSource}.
 */
final class UndoCopy {
    /** Bytes of the objects around a change. */
    static final long BYTES_AROUND = 200;

    private static final long NOT_COUNTED = Long.MIN_VALUE / 2;

    private final Map<RecordName, Change> newest = new HashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    private record RecordName(int treeId, VersionKey key) {}

    /** Receives the changes of a copy. */
    @FunctionalInterface
    interface Visitor {
        /** A record that was changed, and how last. */
        void visit(int treeId, VersionKey key, Change newest);
    }

    /** One entry of undo. */
    static final class Change extends OverflowSource {
        final byte kind;
        final byte[] before;
        final int changedFrom;
        final int slotFlagsBefore;
        final Change older;

        Change(byte kind, byte[] before, int changedFrom, int slotFlagsBefore, Change older) {
            this.kind = kind;
            this.before = before;
            this.changedFrom = changedFrom;
            this.slotFlagsBefore = slotFlagsBefore;
            this.older = older;
        }

        /** Takes back this change of a record, and those before it. */
        void takeBack(SnapshotRecord record) {
            for (Change change = this; change != null; change = change.older) {
                change.takeBackOne(record);
            }
        }

        private void takeBackOne(SnapshotRecord record) {
            if (kind == UndoBuffer.INSERT) {
                record.setAbsent();
            } else if (changedFrom == UndoBuffer.WHOLE_VALUE) {
                record.setValue(before, before.length, slotFlagsBefore, this);
            } else {
                record.patch(before, changedFrom, slotFlagsBefore);
            }
        }
    }

    /** Adds the next entry of the undo; the arrays belong to the copy from now on. */
    void add(int treeId, byte[] key, byte kind, byte[] before, int changedFrom, int slotFlagsBefore) {
        RecordName name = new RecordName(treeId, new VersionKey(key, key.length));
        newest.put(name, new Change(kind, before, changedFrom, slotFlagsBefore, newest.get(name)));
        bytes.setPlain(bytes.getPlain() + BYTES_AROUND + key.length + before.length);
    }

    /** Bytes of memory, roughly. */
    long bytes() {
        return bytes.get();
    }

    /** Counts what this takes more; false where it is counted no longer. */
    boolean added(int moreBytes) {
        return bytes.getAndAdd(moreBytes) >= 0;
    }

    /** Ends the count, once; returns what was counted. */
    long bytesNoLonger() {
        return bytes.getAndSet(NOT_COUNTED);
    }

    /** Makes of a record as the transaction has left it the one that it had found. */
    void takeBack(int treeId, SnapshotRecord record) {
        RecordName name = new RecordName(treeId, new VersionKey(record.key(), record.keyBytes()));
        Change change = newest.get(name);
        if (change != null) {
            change.takeBack(record);
        }
    }

    /** Visits every record that was changed, in no order. */
    void visit(Visitor visitor) {
        newest.forEach((name, change) -> visitor.visit(name.treeId(), name.key(), change));
    }

    /** Keeps the value of a chain that is about to be given back, wherever a change has replaced its stub. */
    int keepOverflow(int treeId, byte[] key, byte[] stub, byte[] value) {
        RecordName name = new RecordName(treeId, new VersionKey(key, key.length));
        int keptCount = 0;
        for (Change change = newest.get(name); change != null; change = change.older) {
            boolean isOverflow = (change.slotFlagsBefore & NodeLayout.SLOT_OVERFLOW) != 0;
            keptCount += isOverflow && Arrays.equals(change.before, stub) && change.keepOverflow(value) ? 1 : 0;
        }
        return keptCount;
    }
}
