package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.memory.NativeMemory;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The earlier versions of records that the open snapshots may need. It lives from the opening of a snapshot, while no
 * other is open, until none is; changes write to it only then.
 *
 * <p>A transaction that sees the store <em>joins</em> it: it tells what it has changed so far, a copy of its undo. From
 * then on the first change of each record puts the version that it replaces here, under the exclusive latch of the
 * record's leaf and before the page changes.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The versions of a key stand in the order in which they were replaced, each by another transaction. Only the
 *       last can be of a transaction that has not ended, since its key lock keeps others away.
 *   <li>What a snapshot sees of a key is the first version that was replaced by a transaction which is invisible to it,
 *       or what the page has where there is none; and of a version, or a page, written by an invisible transaction,
 *       what that transaction's told undo makes of it: those changes it made before it joined.
 *   <li>A transaction has joined before an entry of its undo goes, unless it had looked for a store when no snapshot
 *       was open to which it is invisible.
 *   <li>{@code open} is {@link #CLOSED} for good once the last snapshot has gone; then all else is of no use.
 *   <li>{@code bytes} is what keys, versions and told undo take, roughly; above {@code bytesMax} the oldest snapshot is
 *       ended, until {@code bytes} is below again. The value of an overflow chain is counted once: with the first of
 *       those that keep it, for as long as that is here.
 * </ul>
 *
 * <p>Thread-safe. What is called under a page's latch takes no lock of the JDK.
 */
public final class VersionStore {
    private static final Snapshot[] CLOSED = {};
    private static final RecordVersion[] NONE = {};

    private final AtomicReference<Snapshot[]> open;
    private final ConcurrentSkipListMap<Integer, ConcurrentSkipListMap<VersionKey, RecordVersion[]>> trees =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Long, UndoCopy> undoTold = new ConcurrentSkipListMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean limiting = new AtomicBoolean();
    private final TransactionTable table;
    private final long bytesMax;
    private final Snapshot first;

    VersionStore(TransactionTable table, long bytesMax, long nanos) {
        this.table = table;
        this.bytesMax = bytesMax;
        first = new Snapshot(this, nanos);
        open = new AtomicReference<>(new Snapshot[] {first});
    }

    /** The snapshot for which the store was made. */
    Snapshot first() {
        return first;
    }

    /** Opens another snapshot; null if the store was closed meanwhile. */
    Snapshot add(long nanos) {
        Snapshot added = new Snapshot(this, nanos);
        // Ends: each turn in vain means that another snapshot was opened or closed.
        while (true) {
            Snapshot[] seen = open.get();
            if (isClosed(seen)) {
                return null;
            }
            Snapshot[] next = Arrays.copyOf(seen, seen.length + 1);
            next[seen.length] = added;
            if (open.compareAndSet(seen, next)) {
                return added;
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // that very array
    private static boolean isClosed(Snapshot[] snapshots) {
        return snapshots == CLOSED;
    }

    /** Closes a snapshot, and drops what only it may have needed. */
    @SuppressWarnings("ReferenceEquality") // that very snapshot
    void remove(Snapshot snapshot) {
        long lowestBefore;
        long lowest;
        // Ends like add.
        while (true) {
            Snapshot[] seen = open.get();
            int at = 0;
            while (at < seen.length && seen[at] != snapshot) {
                at++;
            }
            if (at == seen.length) {
                return;
            }
            Snapshot[] next = CLOSED;
            if (seen.length > 1) {
                next = new Snapshot[seen.length - 1];
                System.arraycopy(seen, 0, next, 0, at);
                System.arraycopy(seen, at + 1, next, at, next.length - at);
            }
            snapshot.end();
            if (open.compareAndSet(seen, next)) {
                lowestBefore = lowestInvisible(seen);
                lowest = lowestInvisible(next);
                break;
            }
        }
        if (isClosed(open.get())) {
            table.forget(this);
            trees.clear();
            undoTold.clear();
        } else if (lowest > lowestBefore) {
            sweep(lowest);
        }
    }

    /** All transactions below are visible to all snapshots; 0 where that is not known yet of one. */
    private static long lowestInvisible(Snapshot[] snapshots) {
        long lowest = Long.MAX_VALUE;
        for (Snapshot snapshot : snapshots) {
            lowest = Math.min(lowest, snapshot.isTaken() ? snapshot.lowestInvisible() : 0);
        }
        return lowest;
    }

    /** Drops what transactions have replaced that are visible to all, now and in future. */
    private void sweep(long lowest) {
        for (ConcurrentSkipListMap<VersionKey, RecordVersion[]> records : trees.values()) {
            for (Map.Entry<VersionKey, RecordVersion[]> entry : records.entrySet()) {
                RecordVersion[] chain = entry.getValue();
                int needless = 0;
                while (needless < chain.length && chain[needless].replacedBy < lowest) {
                    needless++;
                }
                if (needless == 0) {
                    continue;
                }
                // Where a change got ahead, its chain stays as it is until the next sweep.
                VersionKey key = entry.getKey();
                if (needless == chain.length) {
                    if (records.remove(key, chain)) {
                        bytes.addAndGet(-bytesNoLonger(chain, NONE) - VersionKey.BYTES_AROUND - key.length());
                    }
                } else {
                    replace(records, key, chain, Arrays.copyOfRange(chain, needless, chain.length));
                }
            }
        }
        ConcurrentNavigableMap<Long, UndoCopy> needless = undoTold.headMap(lowest);
        for (Map.Entry<Long, UndoCopy> entry : needless.entrySet()) {
            if (undoTold.remove(entry.getKey(), entry.getValue())) {
                bytes.addAndGet(-entry.getValue().bytesNoLonger());
            }
        }
    }

    /** Ends the count of those versions that were in a chain and are not in the one that replaces it. */
    @SuppressWarnings("ReferenceEquality") // that very version
    private static long bytesNoLonger(RecordVersion[] before, RecordVersion[] after) {
        long sum = 0;
        int kept = 0;
        for (RecordVersion version : before) {
            if (kept < after.length && after[kept] == version) {
                kept++;
            } else {
                sum += version.bytesNoLonger();
            }
        }
        return sum;
    }

    /** Replaces a chain by one that has some of its versions, and maybe a new one, which the caller counts. */
    private boolean replace(
            ConcurrentSkipListMap<VersionKey, RecordVersion[]> records,
            VersionKey key,
            RecordVersion[] before,
            RecordVersion[] after) {
        if (!records.replace(key, before, after)) {
            return false;
        }
        bytes.addAndGet(-bytesNoLonger(before, after));
        return true;
    }

    /**
     * Keeps what a change is about to replace. Called under the exclusive latch of the leaf, before the page changes.
     *
     * @param slot negative where there is no record
     */
    public void keep(
            TransactionContext context,
            BTree tree,
            byte[] key,
            int keyBytes,
            NativeMemory memory,
            long page,
            int slot) {
        join(context);
        long id = context.transactionId();
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> records = recordsToChange(tree);
        VersionKey name = new VersionKey(key, keyBytes);
        if (!isLastReplacedBy(records.get(name), id)) {
            put(records, name, slot < 0 ? RecordVersion.absent(id) : RecordVersion.of(id, memory, page, slot));
        }
    }

    /**
     * Keeps a ghost that is about to be removed: it has the value of a record whose delete may be invisible to a
     * snapshot. Called under the exclusive latch of the leaf, before the page changes.
     */
    public void keepGhost(BTree tree, byte[] key, int keyBytes, NativeMemory memory, long page, int slot) {
        long deletedBy = Node.version(memory, page, slot);
        if (deletedBy < lowestInvisible(open.get())) {
            return;
        }
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> records = recordsToChange(tree);
        VersionKey name = new VersionKey(key, keyBytes);
        if (!isLastReplacedBy(records.get(name), deletedBy)) {
            put(records, name, RecordVersion.of(deletedBy, memory, page, slot));
        }
    }

    private static boolean isLastReplacedBy(RecordVersion[] chain, long transactionId) {
        return chain != null && chain[chain.length - 1].replacedBy == transactionId;
    }

    private ConcurrentSkipListMap<VersionKey, RecordVersion[]> recordsToChange(BTree tree) {
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> records = trees.get(tree.treeId());
        if (records != null) {
            return records;
        }
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> made = new ConcurrentSkipListMap<>();
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> winner = trees.putIfAbsent(tree.treeId(), made);
        return winner == null ? made : winner;
    }

    /** Adds a version behind the others of its key. The latch that the caller holds keeps other changes away. */
    private void put(
            ConcurrentSkipListMap<VersionKey, RecordVersion[]> records, VersionKey name, RecordVersion version) {
        int versionBytes = version.bytes();
        // Ends: only a sweep can come in between, once for each snapshot that closes.
        while (true) {
            RecordVersion[] chain = records.get(name);
            if (chain == null) {
                RecordVersion[] alone = {version};
                if (records.putIfAbsent(name, alone) == null) {
                    bytes.addAndGet(versionBytes + VersionKey.BYTES_AROUND + name.length());
                    return;
                }
            } else if (replace(records, name, chain, withNewest(chain, version))) {
                bytes.addAndGet(versionBytes);
                return;
            }
        }
    }

    /**
     * The versions that are still needed, and a new one. Those who replaced the older ones have ended, so a snapshot
     * that is opened from now on sees them all; each of the open ones needs the first that is invisible to it.
     */
    private RecordVersion[] withNewest(RecordVersion[] chain, RecordVersion newest) {
        Snapshot[] snapshots = open.get();
        RecordVersion[] needed = new RecordVersion[chain.length + 1];
        int count = 0;
        boolean allTaken = true;
        for (Snapshot snapshot : snapshots) {
            allTaken &= snapshot.isTaken();
        }
        for (int i = 0; i < chain.length; i++) {
            if (!allTaken || isFirstInvisible(chain, i, snapshots)) {
                needed[count++] = chain[i];
            }
        }
        needed[count++] = newest;
        return Arrays.copyOf(needed, count);
    }

    private static boolean isFirstInvisible(RecordVersion[] chain, int index, Snapshot[] snapshots) {
        for (Snapshot snapshot : snapshots) {
            if (!snapshot.isVisible(chain[index].replacedBy)
                    && (index == 0 || snapshot.isVisible(chain[index - 1].replacedBy))) {
                return true;
            }
        }
        return false;
    }

    /** Has a transaction tell what it has changed so far, once; by its owner. */
    void join(TransactionContext context) {
        if (context.hasJoined(this)) {
            return;
        }
        // One that has taken everything back is told as well: who finds its id at a record would else take the undo of
        // the transaction that runs in its place for its own.
        if (context.undo().entryCount() != 0 || context.undo().wasTruncated()) {
            UndoCopy told = context.undo().copy();
            long toldBytes = told.bytes();
            undoTold.put(context.transactionId(), told);
            bytes.addAndGet(toldBytes);
        }
        context.joined(this);
    }

    /** A statement is about to change something; no latch is held. */
    public void beforeStatement(TransactionContext context) {
        join(context);
        if (bytes.get() > bytesMax) {
            endOldest();
        }
    }

    /** An entry of the transaction's undo is about to go. */
    public void beforeTruncation(TransactionContext context) {
        join(context);
    }

    /** A transaction that has changed something is about to say that it has ended. */
    void ending(TransactionContext context) {
        join(context);
        for (Snapshot snapshot : open.get()) {
            snapshot.ending(context.transactionId());
        }
    }

    /** A transaction that has changed something has said that it has ended; its undo is still there. */
    void ended(TransactionContext context) {
        join(context);
    }

    private void endOldest() {
        if (!limiting.compareAndSet(false, true)) {
            return;
        }
        try {
            // Ends: each turn closes a snapshot, and new ones are younger than what takes the memory.
            while (bytes.get() > bytesMax) {
                Snapshot oldest = oldestTaken();
                if (oldest == null) {
                    return;
                }
                remove(oldest);
            }
        } finally {
            limiting.set(false);
        }
    }

    /** Snapshots stand in the order in which they were opened. */
    private Snapshot oldestTaken() {
        for (Snapshot snapshot : open.get()) {
            if (snapshot.isTaken()) {
                return snapshot;
            }
        }
        return null;
    }

    /** Whether the stub of an overflow chain may have been learnt here. */
    boolean mayKnowStub(BTree tree, byte[] key) {
        return find(tree, new VersionKey(key, key.length)) != null || !undoTold.isEmpty();
    }

    /**
     * Keeps the value of an overflow chain that a transaction has replaced, before the chain is given back, wherever
     * its stub may be learnt: where others had replaced it before and taken that back, in several places.
     *
     * @param stub of the chain
     */
    void keepOverflow(BTree tree, byte[] key, byte[] stub, byte[] value) {
        RecordVersion[] chain = find(tree, new VersionKey(key, key.length));
        boolean counted = false;
        if (chain != null) {
            for (RecordVersion version : chain) {
                boolean keeps = Arrays.equals(version.value, stub) && version.keepOverflow(value);
                counted |= keeps && !counted && version.added(value.length);
            }
        }
        for (UndoCopy told : undoTold.values()) {
            boolean keeps = told.keepOverflow(tree.treeId(), key, stub, value) != 0;
            counted |= keeps && !counted && told.added(value.length);
        }
        bytes.addAndGet(counted ? value.length : 0);
    }

    /** The versions of a key, the oldest first; null where there are none. */
    RecordVersion[] find(BTree tree, VersionKey key) {
        ConcurrentSkipListMap<VersionKey, RecordVersion[]> records = trees.get(tree.treeId());
        return records == null ? null : records.get(key);
    }

    /** All versions of a tree; null where there are none. */
    NavigableMap<VersionKey, RecordVersion[]> recordsOf(BTree tree) {
        return trees.get(tree.treeId());
    }

    /** What a transaction had changed before it joined; null where it has not, or had changed nothing. */
    UndoCopy undoTold(long transactionId) {
        return undoTold.get(transactionId);
    }

    /** Bytes of memory that versions take, roughly. */
    long bytes() {
        return bytes.get();
    }

    long bytesMax() {
        return bytesMax;
    }

    /** The open snapshots, the oldest first; none once the store is closed. */
    Snapshot[] open() {
        return open.get();
    }
}
