package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.log.Log;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The earlier versions of records that the open snapshots may need, and those that begin at the last durable commit. It
 * lives from the opening of a snapshot, while no other is open, until none is and none is expected; changes write to it
 * only then.
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
 *   <li>{@code readers} is empty for good once the last snapshot has gone and none is expected; then all else is of no
 *       use.
 *   <li>While {@code readers} have the ends that may not be on disk, versions that were replaced by one of those are
 *       kept for the snapshots that may begin.
 *   <li>{@code bytes} is what keys, versions and told undo take, roughly; above {@code bytesMax} nothing is kept for
 *       snapshots that may begin, and then the oldest one is ended, until {@code bytes} is below again.
 * </ul>
 *
 * <p>Thread-safe. What is called under a page's latch takes no lock of the JDK.
 */
public final class VersionStore {
    private static final Snapshot[] NO_SNAPSHOTS = {};

    /** Bytes that are added between two looks at what is needless, and as many for each session, which a look asks. */
    private static final long LOOK_BYTES = 1 << 16;

    private static final long LOOK_BYTES_PER_SESSION = 1 << 6;

    /**
     * Bytes from which all that is kept is looked through, if it is also twice what the last such look left: each
     * version is then looked at about twice.
     */
    private static final long SWEEP_BYTES = 1 << 20;

    private final AtomicReference<Readers> readers;
    private final ConcurrentSkipListMap<Integer, ConcurrentSkipListMap<VersionKey, RecordVersion[]>> trees =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Long, UndoCopy> undoTold = new ConcurrentSkipListMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final TransactionTable table;
    private final long bytesMax;

    /** What {@code bytes} may reach before somebody looks at what is needless. */
    private volatile long lookBytes;

    /** What {@code bytes} may reach before all is looked through; for the thread that looks. */
    private long sweepBytes = SWEEP_BYTES;

    /** Who may need versions; never changed, so that nobody takes an old list together with a new floor. */
    private static final class Readers {
        final Snapshot[] snapshots;

        /** What snapshots that may begin need; null where none is expected. */
        final UnforcedEnds unforced;

        /** No snapshot that is not in the list needs what transactions below have replaced. */
        final long floor;

        Readers(Snapshot[] snapshots, UnforcedEnds unforced, long floor) {
            this.snapshots = snapshots;
            this.unforced = unforced;
            this.floor = floor;
        }

        Readers withSnapshots(Snapshot... others) {
            return new Readers(others, unforced, floor);
        }

        boolean isEmpty() {
            return snapshots.length == 0 && unforced == null;
        }

        boolean areAllTaken() {
            for (Snapshot snapshot : snapshots) {
                if (!snapshot.isTaken()) {
                    return false;
                }
            }
            return true;
        }

        /** All transactions below are visible to all of them; 0 where that is not known yet of one. */
        long lowestInvisible() {
            long lowest = unforced == null ? Long.MAX_VALUE : floor;
            for (Snapshot snapshot : snapshots) {
                lowest = Math.min(lowest, snapshot.isTaken() ? snapshot.lowestInvisible() : 0);
            }
            return lowest;
        }
    }

    /** A store for one snapshot, and more later on. */
    VersionStore(TransactionTable table, long bytesMax, long nanos) {
        this.table = table;
        this.bytesMax = bytesMax;
        lookBytes = bytesMax;
        readers = new AtomicReference<>(new Readers(new Snapshot[] {new Snapshot(this, nanos, null)}, null, 0));
    }

    /** A store for snapshots that may begin. */
    VersionStore(TransactionTable table, long bytesMax, UnforcedEnds unforced) {
        this.table = table;
        this.bytesMax = bytesMax;
        lookBytes = Math.min(LOOK_BYTES, bytesMax);
        readers = new AtomicReference<>(new Readers(NO_SNAPSHOTS, unforced, 0));
    }

    /** The snapshot for which the store was made. */
    Snapshot first() {
        return readers.get().snapshots[0];
    }

    /** Opens another snapshot; null if the store was closed meanwhile. */
    Snapshot add(long nanos) {
        // Ends: each turn in vain means that another snapshot was opened or closed.
        while (true) {
            Readers seen = readers.get();
            if (seen.isEmpty()) {
                return null;
            }
            Snapshot added = new Snapshot(this, nanos, seen.unforced);
            Snapshot[] next = Arrays.copyOf(seen.snapshots, seen.snapshots.length + 1);
            next[seen.snapshots.length] = added;
            if (readers.compareAndSet(seen, seen.withSnapshots(next))) {
                return added;
            }
        }
    }

    /**
     * Has the versions be kept that snapshots need which may begin.
     *
     * @return false if the store was closed meanwhile
     */
    boolean expectSnapshots(Log log) {
        // Ends like add.
        while (true) {
            Readers seen = readers.get();
            if (seen.isEmpty()) {
                return false;
            }
            if (seen.unforced != null) {
                return true;
            }
            UnforcedEnds unforced = new UnforcedEnds(log);
            if (readers.compareAndSet(seen, new Readers(seen.snapshots, unforced, 0))) {
                unforced.published();
                lookBytes = Math.min(bytes.get() + LOOK_BYTES, bytesMax);
                return true;
            }
        }
    }

    /** Keeps nothing any more for snapshots that may begin. */
    private void expectNone() {
        // Ends like add.
        while (true) {
            Readers seen = readers.get();
            if (seen.unforced == null) {
                return;
            }
            Readers next = new Readers(seen.snapshots, null, 0);
            if (readers.compareAndSet(seen, next)) {
                if (next.isEmpty()) {
                    close();
                }
                return;
            }
        }
    }

    private void close() {
        table.forget(this);
        trees.clear();
        undoTold.clear();
    }

    /** Closes a snapshot, and drops what only it may have needed. */
    @SuppressWarnings("ReferenceEquality") // that very snapshot
    void remove(Snapshot snapshot) {
        long endedBelow = table.runningFrom();
        Readers seen;
        Readers next;
        // Ends like add.
        do {
            seen = readers.get();
            Snapshot[] before = seen.snapshots;
            int at = 0;
            while (at < before.length && before[at] != snapshot) {
                at++;
            }
            if (at == before.length) {
                return;
            }
            Snapshot[] others = new Snapshot[before.length - 1];
            System.arraycopy(before, 0, others, 0, at);
            System.arraycopy(before, at + 1, others, at, others.length - at);
            snapshot.end();
            next = seen.withSnapshots(others);
        } while (!readers.compareAndSet(seen, next));
        if (next.isEmpty()) {
            close();
        } else if (next.lowestInvisible() > seen.lowestInvisible()) {
            sweep(next, endedBelow);
        }
    }

    /**
     * Drops what nobody needs, now and in future.
     *
     * @param present who may need something
     * @param endedBelow every transaction with a lower id had ended before {@code present} was read
     */
    private void sweep(Readers present, long endedBelow) {
        long lowest = present.lowestInvisible();
        long settledBelow = 0;
        if (present.areAllTaken()) {
            settledBelow = present.unforced == null ? endedBelow : present.floor;
        }
        for (ConcurrentSkipListMap<VersionKey, RecordVersion[]> records : trees.values()) {
            for (Map.Entry<VersionKey, RecordVersion[]> entry : records.entrySet()) {
                RecordVersion[] chain = entry.getValue();
                RecordVersion[] needed = needed(chain, present.snapshots, lowest, settledBelow);
                if (needed.length == chain.length) {
                    continue;
                }
                // Where a change got ahead, its chain stays as it is until the next sweep.
                VersionKey key = entry.getKey();
                if (needed.length == 0) {
                    if (records.remove(key, chain)) {
                        bytes.addAndGet(-bytesOf(chain) - VersionKey.BYTES_AROUND - key.length());
                    }
                } else {
                    replace(records, key, chain, needed);
                }
            }
        }
        ConcurrentNavigableMap<Long, UndoCopy> needless = undoTold.headMap(lowest);
        for (Map.Entry<Long, UndoCopy> entry : needless.entrySet()) {
            if (undoTold.remove(entry.getKey(), entry.getValue())) {
                bytes.addAndGet(-entry.getValue().bytes());
            }
        }
    }

    /**
     * The versions of a chain that somebody needs.
     *
     * @param lowest all transactions below are visible to all
     * @param settledBelow those below are needed by the snapshots that are there alone
     */
    private static RecordVersion[] needed(RecordVersion[] chain, Snapshot[] snapshots, long lowest, long settledBelow) {
        RecordVersion[] needed = new RecordVersion[chain.length];
        int count = 0;
        for (int i = 0; i < chain.length; i++) {
            long replacedBy = chain[i].replacedBy;
            if (replacedBy >= lowest && (replacedBy >= settledBelow || isFirstInvisible(chain, i, snapshots))) {
                needed[count++] = chain[i];
            }
        }
        return Arrays.copyOf(needed, count);
    }

    private static long bytesOf(RecordVersion[] chain) {
        long sum = 0;
        for (RecordVersion version : chain) {
            sum += version.bytes();
        }
        return sum;
    }

    private boolean replace(
            ConcurrentSkipListMap<VersionKey, RecordVersion[]> records,
            VersionKey key,
            RecordVersion[] before,
            RecordVersion[] after) {
        if (!records.replace(key, before, after)) {
            return false;
        }
        bytes.addAndGet(bytesOf(after) - bytesOf(before));
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
            MemorySegment memory,
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
    public void keepGhost(BTree tree, byte[] key, int keyBytes, MemorySegment memory, long page, int slot) {
        long deletedBy = Node.version(memory, page, slot);
        if (deletedBy < readers.get().lowestInvisible()) {
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
        // Ends: only a sweep can come in between, once for each snapshot that closes.
        while (true) {
            RecordVersion[] chain = records.get(name);
            if (chain == null) {
                RecordVersion[] alone = {version};
                if (records.putIfAbsent(name, alone) == null) {
                    bytes.addAndGet(version.bytes() + VersionKey.BYTES_AROUND + name.length());
                    return;
                }
            } else if (replace(records, name, chain, withNewest(chain, version))) {
                return;
            }
        }
    }

    /**
     * The versions that are still needed, and a new one. Those who replaced the older ones have ended, so a snapshot
     * that begins from now on sees them all, but for those whose end may not be durable; each of the open ones needs
     * the first that is invisible to it.
     */
    private RecordVersion[] withNewest(RecordVersion[] chain, RecordVersion newest) {
        Readers present = readers.get();
        RecordVersion[] before = chain;
        if (present.areAllTaken()) {
            long settledBelow = present.unforced == null ? Long.MAX_VALUE : present.floor;
            before = needed(chain, present.snapshots, 0, settledBelow);
        }
        RecordVersion[] versions = Arrays.copyOf(before, before.length + 1);
        versions[before.length] = newest;
        return versions;
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
        if (context.transactionId() != 0 && context.undo().entryCount() != 0) {
            UndoCopy told = context.undo().copyIfWhole(context.undo().entryCount());
            undoTold.put(context.transactionId(), told);
            bytes.addAndGet(told.bytes());
        }
        context.joined(this);
    }

    /** A statement is about to change something; no latch is held. */
    public void beforeStatement(TransactionContext context) {
        join(context);
        if (bytes.get() > lookBytes) {
            look();
        }
    }

    /** An entry of the transaction's undo is about to go. */
    public void beforeTruncation(TransactionContext context) {
        join(context);
    }

    /**
     * A transaction that has changed something is about to say that it has ended.
     *
     * @param lsn of its end record; 0 without a log
     */
    public void ending(TransactionContext context, long lsn) {
        join(context);
        Readers present = readers.get();
        if (present.unforced != null) {
            present.unforced.ended(context.transactionId(), lsn);
        }
        for (Snapshot snapshot : present.snapshots) {
            snapshot.ending(context.transactionId());
        }
    }

    /** A transaction that has changed something has said that it has ended; its undo is still there. */
    public void ended(TransactionContext context) {
        join(context);
    }

    /** Drops what is needless, and sees to the limit. */
    private void look() {
        if (!looking.compareAndSet(false, true)) {
            return;
        }
        try {
            UnforcedEnds unforced = readers.get().unforced;
            if (unforced != null) {
                raiseFloor(unforced);
                if (bytes.get() > Math.min(sweepBytes, bytesMax)) {
                    long endedBelow = table.runningFrom();
                    sweep(readers.get(), endedBelow);
                    sweepBytes = Math.max(SWEEP_BYTES, 2 * bytes.get());
                }
            }
            if (bytes.get() > bytesMax) {
                long endedBelow = table.runningFrom();
                expectNone();
                sweep(readers.get(), endedBelow);
            }
            endOldest();
            lookBytes = readers.get().unforced == null
                    ? bytesMax
                    : Math.min(bytes.get() + LOOK_BYTES + table.sessionCount() * LOOK_BYTES_PER_SESSION, bytesMax);
        } finally {
            looking.set(false);
        }
    }

    private void raiseFloor(UnforcedEnds unforced) {
        long floor = unforced.floor(table);
        // Ends like add.
        while (true) {
            Readers seen = readers.get();
            if (seen.unforced == null
                    || seen.floor >= floor
                    || readers.compareAndSet(seen, new Readers(seen.snapshots, seen.unforced, floor))) {
                return;
            }
        }
    }

    /** Ends the oldest snapshots, until the limit is kept. */
    private void endOldest() {
        // Ends: each turn closes a snapshot, and new ones are younger than what takes the memory.
        while (bytes.get() > bytesMax) {
            Snapshot oldest = oldestTaken();
            if (oldest == null) {
                return;
            }
            remove(oldest);
        }
    }

    /** Snapshots stand in the order in which they were opened. */
    private Snapshot oldestTaken() {
        for (Snapshot snapshot : readers.get().snapshots) {
            if (snapshot.isTaken()) {
                return snapshot;
            }
        }
        return null;
    }

    /**
     * Keeps the value of an overflow chain that a transaction has replaced, before the chain is given back, wherever
     * its stub may be learnt: where others had replaced it before and taken that back, in several places. May park.
     *
     * @param stub of the chain
     */
    public void keepOverflow(TransactionContext context, BTree tree, byte[] key, byte[] stub) {
        RecordVersion[] chain = find(tree, new VersionKey(key, key.length));
        if (chain == null && undoTold.isEmpty()) {
            return;
        }
        int valueBytes = OverflowChain.valueBytes(stub);
        byte[] value = new byte[valueBytes];
        OverflowChain.read(tree, context, stub, value);
        int keptCount = 0;
        if (chain != null) {
            for (RecordVersion version : chain) {
                keptCount += Arrays.equals(version.value, stub) && version.keepOverflow(value) ? 1 : 0;
            }
        }
        for (UndoCopy told : undoTold.values()) {
            keptCount += told.keepOverflow(tree.treeId(), key, stub, value);
        }
        bytes.addAndGet(keptCount == 0 ? 0 : valueBytes);
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

    /** The open snapshots, the oldest first. */
    Snapshot[] open() {
        return readers.get().snapshots;
    }
}
