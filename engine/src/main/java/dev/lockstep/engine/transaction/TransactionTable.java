package dev.lockstep.engine.transaction;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transactions of a database: their ids, and the oldest log record that one of them may still need.
 *
 * <p>Invariant: a context is in {@code contexts} for as long as a session may run transactions with it. Thread-safe.
 */
public final class TransactionTable {
    private final AtomicLong nextTransactionId;
    private final Set<TransactionContext> contexts = ConcurrentHashMap.newKeySet();

    public TransactionTable(long firstTransactionId) {
        nextTransactionId = new AtomicLong(firstTransactionId);
    }

    public void register(TransactionContext context) {
        contexts.add(context);
    }

    public void unregister(TransactionContext context) {
        contexts.remove(context);
    }

    public long takeTransactionId() {
        return nextTransactionId.getAndIncrement();
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

    /** Sessions that exist. */
    public int sessionCount() {
        return contexts.size();
    }
}
