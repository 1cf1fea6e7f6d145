package dev.lockstep.engine.transaction;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SnapshotTooOldException;
import dev.lockstep.engine.btree.BTree;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.LongStream;

/**
 * What a read-only transaction sees: the changes of the transactions that had ended when it began, and no others.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Once {@code taken}, the transactions with an id of {@code nextId} or above, and those in {@code invisible}, are
 *       the invisible ones, and stay it. All below {@code lowestInvisible} are visible.
 *   <li>Whoever has read, or locked, something that an invisible transaction has written, is invisible.
 *   <li>Of every invisible transaction, what a record was before it is in the store or, for changes that it made
 *       before it could see that snapshots are open, in its undo, until {@code tooOld}. If it had ended by then, that
 *       undo is one of {@code unforcedOrNull}, which is open as long as this snapshot.
 *   <li>{@code tooOld} is set before the store gives up anything that this snapshot needs.
 * </ul>
 *
 * <p>Read by one thread at a time; {@code taken}, {@code tooOld} and {@code endedWhileTaken} are for all.
 */
public final class Snapshot {
    private static final long[] NONE = {};

    private final VersionStore versions;
    private final long beganNanos;

    private final ConcurrentSkipListSet<Long> endedWhileTaken = new ConcurrentSkipListSet<>();
    private final VersionKey probe = new VersionKey();
    private volatile boolean taken;
    private volatile boolean tooOld;
    private long nextId;
    private long lowestInvisible;
    private long[] invisible = NONE;
    private long[] runningIds = NONE;
    private TransactionContext[] running = {};
    private UndoSeen[] undoSeen = {};
    private UnforcedEnds.Unforced unforcedOrNull;
    private UnforcedUndo unforcedUndo;

    /** The undo of a running transaction as it was once. */
    private record UndoSeen(long epoch, int count, UndoCopy copy) {}

    Snapshot(VersionStore versions, long beganNanos) {
        this.versions = versions;
        this.beganNanos = beganNanos;
    }

    /**
     * Says who is visible.
     *
     * @param ids of transactions that were running
     * @param contexts theirs
     * @param unforced those that had ended, and whose changes are not to be seen yet; null if there are none
     * @param next no transaction with this id or a higher one had begun
     */
    void take(long[] ids, TransactionContext[] contexts, UnforcedEnds.Unforced unforced, long next) {
        runningIds = ids;
        running = contexts;
        undoSeen = new UndoSeen[ids.length];
        nextId = next;
        unforcedOrNull = unforced;
        LongStream ended = endedWhileTaken.stream().mapToLong(Long::longValue);
        if (unforced != null) {
            ended = LongStream.concat(ended, unforced.ends().stream().mapToLong(UnforcedEnd::transactionId));
        }
        long[] all = LongStream.concat(Arrays.stream(ids), ended.filter(id -> id < next))
                .sorted()
                .toArray();
        invisible = all;
        lowestInvisible = all.length == 0 ? next : all[0];
    }

    /** From now on nobody enters itself any more. */
    void taken() {
        taken = true;
    }

    boolean isTaken() {
        return taken;
    }

    /** A transaction is about to end that has seen this snapshot before it was taken. */
    void ending(long transactionId) {
        if (!taken) {
            endedWhileTaken.add(transactionId);
        }
    }

    /** When it began, in terms of the clock of the database. */
    public long beganNanos() {
        return beganNanos;
    }

    long lowestInvisible() {
        return lowestInvisible;
    }

    /** Whether the changes of a transaction are seen. */
    public boolean isVisible(long transactionId) {
        return transactionId < lowestInvisible
                || (transactionId < nextId && Arrays.binarySearch(invisible, transactionId) < 0);
    }

    /** Makes of a record, as it was read from its page, the one of this snapshot. The page was validated. */
    public void resolve(BTree tree, SnapshotRecord record) {
        if (isSeen(record)) {
            return;
        }
        VersionKey key = probe.lookFor(record.key(), record.keyBytes());
        RecordVersion[] chain = versions.find(tree, key);
        if (chain != null) {
            for (RecordVersion version : chain) {
                if (!isVisible(version.replacedBy)) {
                    record.setVersion(version);
                    break;
                }
            }
        }
        if (record.isPresent() && !isVisible(record.writtenBy())) {
            UndoCopy undo = undoOf(record.writtenBy());
            if (undo != null) {
                undo.takeBack(tree.treeId(), record);
            }
        }
        if (unforcedOrNull != null && !isSeen(record)) {
            unforcedUndo().takeBack(tree.treeId(), key, record);
        }
    }

    private boolean isSeen(SnapshotRecord record) {
        return record.isPresent() && isVisible(record.writtenBy());
    }

    /**
     * What was replaced by those that had ended, but not durably, and had not seen this snapshot. Who had seen it has
     * kept in the store what it replaced; what it has changed, the others had changed before it.
     */
    private UnforcedUndo unforcedUndo() {
        if (unforcedUndo == null) {
            unforcedUndo = new UnforcedUndo(
                    unforcedOrNull.ends(),
                    id -> id < nextId && Arrays.binarySearch(runningIds, id) < 0 && !endedWhileTaken.contains(id));
        }
        return unforcedUndo;
    }

    /** The keys of a tree of which more is known than a page says, from one on, upwards or downwards. */
    public KeyIterator keys(BTree tree, byte[] from, int fromBytes, boolean inclusive, boolean backward) {
        VersionKey start = from == null ? null : new VersionKey(from, fromBytes);
        NavigableMap<VersionKey, ?> replaced =
                unforcedOrNull == null ? null : unforcedUndo().recordsOf(tree.treeId());
        return new KeyIterator(
                range(versions.recordsOf(tree), start, inclusive, backward),
                range(replaced, start, inclusive, backward),
                backward);
    }

    private static Iterator<VersionKey> range(
            NavigableMap<VersionKey, ?> recordsOrNull, VersionKey fromOrNull, boolean inclusive, boolean backward) {
        if (recordsOrNull == null) {
            return Collections.emptyIterator();
        }
        NavigableMap<VersionKey, ?> directed = backward ? recordsOrNull.descendingMap() : recordsOrNull;
        NavigableMap<VersionKey, ?> range = fromOrNull == null ? directed : directed.tailMap(fromOrNull, inclusive);
        return range.keySet().iterator();
    }

    /** Goes through the keys of two sources in their common order, each key once. */
    public static final class KeyIterator {
        private final Iterator<VersionKey> one;
        private final Iterator<VersionKey> other;
        private final boolean backward;
        private VersionKey nextOfOne;
        private VersionKey nextOfOther;
        private VersionKey key;

        KeyIterator(Iterator<VersionKey> one, Iterator<VersionKey> other, boolean backward) {
            this.one = one;
            this.other = other;
            this.backward = backward;
            nextOfOne = nextOrNull(one);
            nextOfOther = nextOrNull(other);
        }

        private static VersionKey nextOrNull(Iterator<VersionKey> keys) {
            return keys.hasNext() ? keys.next() : null;
        }

        /** Goes to the next key; false at the end. */
        public boolean next() {
            int order = order();
            key = order <= 0 ? nextOfOne : nextOfOther;
            if (order <= 0) {
                nextOfOne = nextOrNull(one);
            }
            if (order >= 0) {
                nextOfOther = nextOrNull(other);
            }
            return key != null;
        }

        /** Negative if the first source comes first. */
        private int order() {
            if (nextOfOne == null) {
                return nextOfOther == null ? 0 : 1;
            }
            if (nextOfOther == null) {
                return -1;
            }
            int order = nextOfOne.compareTo(nextOfOther);
            return backward ? -order : order;
        }

        public byte[] key() {
            return key.bytes();
        }

        public int keyBytes() {
            return key.length();
        }
    }

    /**
     * What a transaction had changed before it saw that snapshots are open. It says so itself once it sees it; until
     * then its undo is read here, which it only adds to: before an entry goes, it looks.
     */
    private UndoCopy undoOf(long transactionId) {
        int index = Arrays.binarySearch(runningIds, transactionId);
        // Ends: a look is in vain only where the owner has replaced an array, which doubles each time, or has taken
        // back a change that was begun before it could see this snapshot; after one of those it has told its undo.
        while (true) {
            UndoCopy told = versions.undoTold(transactionId);
            if (told != null || index < 0) {
                return told;
            }
            UndoBuffer undo = running[index].undoAcquire();
            long epoch = undo.epochAcquire();
            told = versions.undoTold(transactionId);
            if (told != null) {
                return told;
            }
            int count = undo.entryCountAcquire();
            UndoSeen seen = undoSeen[index];
            if (seen != null && seen.epoch() == epoch && seen.count() == count) {
                return seen.copy();
            }
            if (count * UndoCopy.BYTES_AROUND > versions.bytesMax()) {
                end();
                return null;
            }
            UndoCopy copy = undo.copyIfWhole(count);
            if (copy != null && undo.isStillInEpoch(epoch)) {
                undoSeen[index] = new UndoSeen(epoch, count, copy);
                return copy;
            }
            Thread.onSpinWait();
        }
    }

    /** The versions that this snapshot needs may go, or are too many: it is read no more. */
    void end() {
        tooOld = true;
    }

    /**
     * To be asked after each read and before anybody gets to see it.
     *
     * @throws SnapshotTooOldException if what was read may not be of this snapshot
     */
    public void requireReadable() {
        if (tooOld) {
            throw new SnapshotTooOldException(Message.of("the snapshot needed more old versions than may be held")
                    .with("snapshotBytesMax", versions.bytesMax())
                    .remedy("roll back and begin a new snapshot; read less in one, or raise snapshotBytesMax ("
                            + DatabaseOptions.SNAPSHOT_BYTES_MAX + " at most)"));
        }
    }

    /** Ends the snapshot; a second call does nothing. */
    public void close() {
        versions.remove(this);
        if (unforcedOrNull != null) {
            unforcedOrNull.close();
        }
    }
}
