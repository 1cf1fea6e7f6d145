package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.log.Log;
import dev.lockstep.scheduler.InstalledTime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transactions of a database: their ids, and the oldest log record that one of them may still need.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A context is in {@code contexts} for as long as a session may run transactions with it.
 *   <li>{@code newest}, {@code settling} and {@code settled} were each true when they were made, and stay true: ids
 *       only grow, and what has ended does not begin again. {@code settled} is durable: its log end lies on the disk.
 *   <li>{@code versions} is null exactly while no snapshot is open or being opened, but for the moment in which the
 *       last one closes.
 *   <li>{@code unforced} is not null where snapshots are expected that start at the last durable commit, from before
 *       the first transaction.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class TransactionTable {
    /**
     * Ids after which the horizon is found anew, unless there are more contexts than that: each id then pays for about
     * one context. Rows of the last so many transactions are read with a test of their locks, which costs ten times as
     * much as looking at their version, but they are few.
     */
    private static final int IDS_PER_RENEWAL = 64;

    /** Looks at a transaction that is taking its id, between two yields: it takes some ten instructions. */
    private static final int SPINS_PER_YIELD = 64;

    private static final VarHandle VERSIONS;

    static {
        try {
            VERSIONS = MethodHandles.lookup().findVarHandle(TransactionTable.class, "versions", VersionStore.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicLong nextTransactionId;
    private final Set<TransactionContext> contexts = ConcurrentHashMap.newKeySet();
    private volatile CommitHorizon newest = CommitHorizon.NONE;
    private volatile CommitHorizon settling = CommitHorizon.NONE;
    private volatile CommitHorizon settled = CommitHorizon.NONE;
    private volatile VersionStore versions;
    private volatile UnforcedEnds unforced;

    public TransactionTable(long firstTransactionId) {
        nextTransactionId = new AtomicLong(firstTransactionId);
    }

    /** Where changes keep what they replace; null while no snapshot is open. */
    public VersionStore versionsVolatile() {
        return versions;
    }

    /**
     * Opens a snapshot. Waits for nobody.
     *
     * @param bytesMax what its versions may take, if no other snapshot is open
     * @param durably whether it starts at the last durable commit, which {@link #expectSnapshots} has prepared for;
     *     else at the last one
     * @return to be closed by the caller
     */
    public Snapshot openSnapshot(long bytesMax, boolean durably) {
        Snapshot snapshot = announceSnapshot(bytesMax, InstalledTime.nanoTime());
        try {
            take(snapshot, durably ? unforced : null);
        } catch (RuntimeException | Error failure) {
            snapshot.close();
            throw failure;
        }
        return snapshot;
    }

    /**
     * Has what snapshots need that start at the last durable commit be kept from now on. To be called once, before the
     * first transaction.
     *
     * @param bytesMax what it may take; beyond that, {@link #keepsTooMuch} has writers wait for the disk
     */
    public void expectSnapshots(Log log, long bytesMax) {
        unforced = new UnforcedEnds(log::durableLsn, (waiter, lsn) -> log.awaitDurable(lsn, waiter), bytesMax);
    }

    /**
     * Whether commits that are not durable keep more for snapshots than they may, so that who wants to change something
     * waits for the disk first. A stale answer lets one more go.
     */
    public boolean keepsTooMuch() {
        UnforcedEnds ends = unforced;
        return ends != null && ends.isTooMuch();
    }

    /**
     * A transaction that has changed something is about to say that it has ended.
     *
     * @param lsn of its end record; 0 without a log
     */
    public void ending(TransactionContext context, long lsn) {
        VersionStore present = versions;
        if (present != null) {
            present.ending(context);
        }
        UnforcedEnds ends = unforced;
        if (ends != null) {
            ends.ended(context, lsn);
        }
    }

    /** It has said so; its undo is still there. */
    public void ended(TransactionContext context) {
        // A snapshot that was opened in between may have found the transaction running, or not.
        VersionStore present = versions;
        if (present != null) {
            present.ended(context);
        }
    }

    /**
     * Keeps the value of an overflow chain that a transaction has replaced, before the chain is given back, if a
     * snapshot may need it. May park.
     *
     * @param context of the transaction, which has ended, or of one that only moves the chain
     * @param stub of the chain
     */
    public void keepOverflow(TransactionContext context, BTree tree, byte[] key, byte[] stub) {
        VersionStore present = versions;
        UnforcedEnd end = context.handedOver();
        boolean isNeeded = end != null && end.isNeeded();
        boolean isKnown = present != null && present.mayKnowStub(tree, key);
        if (!isNeeded && !isKnown) {
            return;
        }
        byte[] value = new byte[OverflowChain.valueBytes(stub)];
        OverflowChain.read(tree, context, ChainWaits.UNTIL_DONE, stub, value);
        if (isKnown) {
            present.keepOverflow(tree, key, stub, value);
        }
        if (isNeeded) {
            end.keepOverflow(tree, key, stub, value);
        }
    }

    private void take(Snapshot snapshot, UnforcedEnds endsOrNull) {
        // Who changes a page that the snapshot has read, or ends later than it was looked at, sees the snapshot.
        VarHandle.fullFence();
        long next = nextTransactionId.get();
        long[] ids = new long[contexts.size()];
        TransactionContext[] running = new TransactionContext[ids.length];
        int count = 0;
        for (TransactionContext context : contexts) {
            long id = runningId(context, next);
            if (id < next) {
                if (count == ids.length) {
                    ids = Arrays.copyOf(ids, count * 2 + 1);
                    running = Arrays.copyOf(running, count * 2 + 1);
                }
                ids[count] = id;
                running[count++] = context;
            }
        }
        sortTogether(ids, running, count);
        // Comes after the others were asked: who was seen to have ended is met there, or is durable.
        UnforcedEnds.Unforced found = endsOrNull == null ? null : endsOrNull.unforced();
        snapshot.take(Arrays.copyOf(ids, count), Arrays.copyOf(running, count), found, next);
        snapshot.taken();
    }

    private Snapshot announceSnapshot(long bytesMax, long nanos) {
        // Ends: each turn in vain means that another snapshot was opened, or the last one closed.
        while (true) {
            VersionStore present = versions;
            if (present == null) {
                VersionStore made = new VersionStore(this, bytesMax, nanos);
                if (VERSIONS.compareAndSet(this, null, made)) {
                    return made.first();
                }
            } else {
                Snapshot added = present.add(nanos);
                if (added != null) {
                    return added;
                }
                forget(present);
            }
        }
    }

    /** The id of a context's transaction; above {@code next} where that is not below it. */
    private static long runningId(TransactionContext context, long next) {
        long id = context.runningIdVolatile();
        // Ends: from saying that it will take an id to saying which, its thread waits for nothing.
        for (int spins = 1; id < 0 && ~id < next; spins++) {
            if (spins % SPINS_PER_YIELD == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
            id = context.runningIdVolatile();
        }
        return id < 0 ? Long.MAX_VALUE : id;
    }

    /** Few transactions run at a time, each with its context: insertion sort. */
    private static void sortTogether(long[] ids, TransactionContext[] contexts, int count) {
        for (int i = 1; i < count; i++) {
            long id = ids[i];
            TransactionContext context = contexts[i];
            int at = i;
            while (at > 0 && ids[at - 1] > id) {
                ids[at] = ids[at - 1];
                contexts[at] = contexts[at - 1];
                at--;
            }
            ids[at] = id;
            contexts[at] = context;
        }
    }

    /** A store was closed with its last snapshot. */
    void forget(VersionStore closed) {
        VERSIONS.compareAndSet(this, closed, null);
    }

    /** What open snapshots are and cost now. */
    public SnapshotStatistics snapshotStatistics() {
        UnforcedEnds ends = unforced;
        long unforcedBytes = ends == null ? 0 : ends.bytes();
        VersionStore present = versions;
        Snapshot[] open = present == null ? new Snapshot[0] : present.open();
        return open.length == 0
                ? new SnapshotStatistics(0, 0, unforcedBytes)
                : new SnapshotStatistics(
                        open.length, InstalledTime.nanoTime() - open[0].beganNanos(), present.bytes() + unforcedBytes);
    }

    public void register(TransactionContext context) {
        contexts.add(context);
    }

    public void unregister(TransactionContext context) {
        contexts.remove(context);
    }

    /**
     * Gives a transaction its id. Whoever finds the horizon reads the next id first and then asks every context: it
     * either reads a next id that is not above this one, or sees what the context has said before.
     */
    public long takeTransactionId(TransactionContext context) {
        context.announceIdRelease(nextTransactionId.get());
        return nextTransactionId.getAndIncrement();
    }

    /**
     * An id below which every transaction has ended: what it has changed last is committed, or was there before it. Not
     * the highest such id, but one that is found at the price of a comparison.
     *
     * @param asking who asks, at most once in a transaction
     * @param log null without one
     * @param durably whether the log has to be durable up to all those commits
     */
    public long endedBelow(TransactionContext asking, Log log, boolean durably) {
        CommitHorizon latest = newest;
        long next = nextTransactionId.get();
        if (latest.endedBelow() < next) {
            int interval = Math.max(IDS_PER_RENEWAL, latest.contextCount());
            if (next - latest.nextId() >= interval || asking.hasAskedOften(interval)) {
                latest = renew(log);
            }
        }
        return durably ? settle(latest, log.durableLsn()) : latest.endedBelow();
    }

    private CommitHorizon renew(Log log) {
        long next = nextTransactionId.get();
        long ended = next;
        int count = 0;
        for (TransactionContext context : contexts) {
            ended = Math.min(ended, context.idFloorAcquire());
            count++;
        }
        // The log's end comes last: a transaction that was seen to have ended had appended its commit record.
        CommitHorizon renewed = new CommitHorizon(ended, log == null ? 0 : log.tailLsn(), next, count);
        newest = renewed;
        return renewed;
    }

    /**
     * The highest horizon that is known to be durable. One that is not yet is kept until it is, while newer ones come
     * and go: with a slow disk none of those would live long enough.
     */
    private long settle(CommitHorizon latest, long durableLsn) {
        CommitHorizon best = settled;
        CommitHorizon waiting = settling;
        if (waiting.logEndLsn() <= durableLsn) {
            best = waiting.endedBelow() > best.endedBelow() ? waiting : best;
            settling = latest;
        }
        if (latest.logEndLsn() <= durableLsn && latest.endedBelow() > best.endedBelow()) {
            best = latest;
        }
        settled = best;
        return best.endedBelow();
    }

    /** No id up to this one is given out again. */
    public void sawTransactionId(long transactionId) {
        nextTransactionId.accumulateAndGet(transactionId + 1, Math::max);
    }

    /** The id that the next transaction with changes will get. */
    public long nextTransactionId() {
        return nextTransactionId.get();
    }

    /**
     * The lowest LSN that a running transaction may need for undo, or {@link TransactionContext#NO_LSN}. A
     * transaction that starts to write during the call is missed only if all its records are behind a tail of the log
     * that was read before the call.
     */
    public long oldestFirstLsn() {
        long oldest = TransactionContext.NO_LSN;
        for (TransactionContext context : contexts) {
            oldest = Math.min(oldest, context.firstLsnVolatile());
        }
        return oldest;
    }

    /** Tells the transactions that hold more log than they may. */
    public void checkLogLimits(long tailLsn) {
        for (TransactionContext context : contexts) {
            context.checkLogLimit(tailLsn);
        }
    }

    /** Sessions that exist. */
    public int sessionCount() {
        return contexts.size();
    }
}
