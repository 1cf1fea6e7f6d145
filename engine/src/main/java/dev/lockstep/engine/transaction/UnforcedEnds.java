package dev.lockstep.engine.transaction;

import dev.lockstep.engine.log.Log;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The transactions that have ended, and whose end may not be on disk yet. While a store of versions has one of these,
 * it keeps what those transactions have replaced, so that a snapshot can start at the last durable commit at once.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A transaction that has seen this object before it says that it has ended is in {@code ends}, from before it
 *       says so until its end record is durable.
 *   <li>The end record of one that has not seen it, but has ended, lies in front of {@code completeFromLsn}.
 * </ul>
 *
 * <p>Thread-safe. Takes no lock of the JDK.
 */
final class UnforcedEnds {
    private final ConcurrentLinkedQueue<Ended> ends = new ConcurrentLinkedQueue<>();
    private final Log log;
    private volatile long completeFromLsn = Long.MAX_VALUE;

    private record Ended(long transactionId, long lsn) {}

    UnforcedEnds(Log log) {
        this.log = log;
    }

    /** To be called once the store has it: from then on, transactions that end see it. */
    void published() {
        // Pairs with the fence of a transaction between its end record and its look for the store.
        VarHandle.fullFence();
        completeFromLsn = log.tailLsn();
    }

    /**
     * A transaction is about to say that it has ended.
     *
     * @param lsn of its end record
     */
    void ended(long transactionId, long lsn) {
        ends.add(new Ended(transactionId, lsn));
        long durableLsn = log.durableLsn();
        // Ends: each turn takes an end away. One that is not durable yet may keep others behind it for a while.
        for (Ended head = ends.peek(); head != null && head.lsn < durableLsn; head = ends.peek()) {
            ends.remove(head);
        }
    }

    /**
     * Whose end is not on disk, of those that have ended before the call.
     *
     * @return null if that is not known, since some had ended before this object was there
     */
    Unforced unforced() {
        // The disk is asked last: an end that is missing here was durable before.
        Ended[] seen = ends.toArray(new Ended[0]);
        long durableLsn = log.durableLsn();
        if (durableLsn < completeFromLsn) {
            return null;
        }
        long[] ids = new long[seen.length];
        int count = 0;
        for (Ended ended : seen) {
            if (ended.lsn >= durableLsn) {
                ids[count++] = ended.transactionId;
            }
        }
        return new Unforced(Arrays.copyOf(ids, count), durableLsn);
    }

    /** Ended transactions that a crash would take, and the end of the log that none would. */
    static final class Unforced {
        private final long[] transactionIds;
        private final long durableLsn;

        Unforced(long[] transactionIds, long durableLsn) {
            this.transactionIds = transactionIds;
            this.durableLsn = durableLsn;
        }

        /** For the snapshot, which does not change them. */
        long[] transactionIds() {
            return transactionIds;
        }

        long durableLsn() {
            return durableLsn;
        }
    }

    /** An id below which every transaction has ended, and durably if it is to be found here. */
    long floor(TransactionTable table) {
        // Whoever ends in between is met at one of the two places: it is here before it says so.
        long lowest = table.runningFrom();
        long durableLsn = log.durableLsn();
        for (Ended ended : ends) {
            if (ended.lsn >= durableLsn) {
                lowest = Math.min(lowest, ended.transactionId);
            }
        }
        return lowest;
    }
}
